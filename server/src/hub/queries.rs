//! Read-only queries over all rooms.

use super::Hub;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::snapshot::HeatSummary;
use std::collections::BTreeMap;

/// Most rooms in a list: a screenful or two.
const MAX_LISTED: usize = 64;

impl Hub {
    /// Returns the public rooms, from the cache if it is fresh.
    pub(crate) fn public_rooms(&self) -> Vec<HeatSummary> {
        self.listing.get_or_make(self.clock.now(), || self.list())
    }

    /// Lists at most [`MAX_LISTED`] public rooms, by code.
    pub fn list(&self) -> Vec<HeatSummary> {
        let rooms = self.handles();
        let public = rooms.iter().filter_map(|room| room.summary());
        let mut listed: Vec<_> = public.take(MAX_LISTED).collect();
        listed.sort_by_key(|room| room.code);
        listed
    }

    /// Returns the codes of all rooms, in order.
    pub(crate) fn codes(&self) -> Vec<RoomCode> {
        let mut codes: Vec<_> = self.handles().iter().map(|room| room.code()).collect();
        codes.sort_unstable();
        codes
    }

    /// Finds a room with a vacant seat of a key's owner; a host's seat is preferred.
    pub(crate) fn waiting_for(&self, identity: Fingerprint) -> Option<RoomCode> {
        let waiting = self.handles().into_iter().filter_map(|room| {
            let is_host = room.waits_for(identity)?;
            Some((!is_host, room.code()))
        });
        waiting.min().map(|(_, code)| code)
    }

    /// Returns the number of rooms in each phase.
    pub(crate) fn count_by_phase(&self) -> BTreeMap<&'static str, usize> {
        let mut phases = BTreeMap::new();
        for room in self.handles() {
            *phases.entry(room.phase_name()).or_default() += 1;
        }
        phases
    }
}
