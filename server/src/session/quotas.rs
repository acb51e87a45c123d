//! The quota of rooms that one address may open.

use crate::hub::{Hub, OpenError};
use crate::platform::rate_limit_key::rate_limit_key;
use crate::room::Room;
use dashmap::DashMap;
use gridrace_shared::heat::ids::RoomCode;
use std::net::IpAddr;
use std::sync::Arc;

/// Open rooms of one address: one for every eight of its connections.
const MAX_ROOMS_PER_ADDRESS: usize = 64;
/// Addresses with rooms that are tracked before those without open rooms are dropped.
const MAX_TRACKED_ADDRESSES: usize = 4_096;

/// The rooms that each address has opened, some of which may be closed.
#[derive(Debug, Default)]
pub(crate) struct RoomQuota {
    opened: DashMap<IpAddr, Vec<RoomCode>>,
}

impl RoomQuota {
    /// Opens a room of the hub's for a peer. Loopback addresses have no quota.
    ///
    /// # Errors
    /// Those of `open`, and [`OpenError::Quota`] if the address has too many open rooms.
    pub(crate) fn open(
        &self,
        peer: IpAddr,
        hub: &Hub,
        open: impl FnOnce() -> Result<Arc<Room>, OpenError>,
    ) -> Result<Arc<Room>, OpenError> {
        let Some(address) = rate_limit_key(peer) else {
            return open();
        };
        let is_open = |code: &RoomCode| hub.find(*code).is_some();
        if self.opened.len() >= MAX_TRACKED_ADDRESSES {
            // Each address left has an open room, and the hub bounds those.
            self.opened.retain(|_, codes| codes.iter().any(is_open));
        }
        // Held until the room is open, so that no other connection takes the same slot.
        let mut codes = self.opened.entry(address).or_default();
        codes.retain(is_open);
        if codes.len() >= MAX_ROOMS_PER_ADDRESS {
            return Err(OpenError::Quota);
        }
        let room = open()?;
        codes.push(room.code());
        Ok(room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::heat::options::HeatOptions;
    use std::net::Ipv4Addr;

    #[tokio::test]
    async fn an_address_opens_up_to_its_quota_and_more_once_rooms_are_closed() {
        let (hub, _) = Hub::new(Vec::new()).unwrap();
        let quota = RoomQuota::default();
        let open = |last: u8| {
            let options = HeatOptions::new("slide:3x3".parse().unwrap());
            let peer = Ipv4Addr::new(if last == 0 { 127 } else { 10 }, 0, 0, 1 + last).into();
            quota.open(peer, &hub, || hub.open(options, None))
        };
        let rooms: Vec<_> = (0..MAX_ROOMS_PER_ADDRESS).map(|_| open(1).unwrap()).collect();
        assert_eq!(open(1).unwrap_err(), OpenError::Quota);
        assert!(open(2).is_ok());
        assert!((0..=MAX_ROOMS_PER_ADDRESS).all(|_| open(0).is_ok()));
        hub.close_if_empty(&rooms[0]);
        assert!(open(1).is_ok());
        assert_eq!(open(1).unwrap_err(), OpenError::Quota);
    }
}
