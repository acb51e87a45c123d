//! Read-only queries over all rooms.

use super::Hub;
use crate::platform::lock::lock;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::snapshot::RoomSummary;
use gridrace_shared::util::time::ServerInstant;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

/// Most rooms in a list: a screenful or two.
const MAX_LISTED: usize = 64;
/// How long a list is served from the cache: too short to be noticed.
const MAX_LIST_AGE: Duration = Duration::from_millis(250);

impl Hub {
    /// Returns the public rooms, from the cache if it is fresh: making the list takes a handle on
    /// every room and the lock of each, and any client may ask for it. Concurrent calls wait.
    pub(crate) fn public_rooms(&self) -> Vec<RoomSummary> {
        let now = self.services.clock.now();
        // A panic leaves the former list, which is old.
        let mut latest = lock(&self.listing);
        let is_fresh = |(made, _): &&(ServerInstant, _)| now.since(*made) < MAX_LIST_AGE;
        if let Some((_, rooms)) = latest.as_ref().filter(is_fresh) {
            return rooms.clone();
        }
        let rooms = self.list();
        *latest = Some((now, rooms.clone()));
        rooms
    }

    /// Lists public rooms by code: of more than [`MAX_LISTED`], those with the most people.
    pub fn list(&self) -> Vec<RoomSummary> {
        let rooms = self.handles();
        let mut listed: Vec<_> = rooms.iter().filter_map(|room| room.summary()).collect();
        listed.sort_by_key(|room| (Reverse(room.people), room.code));
        listed.truncate(MAX_LISTED);
        listed.sort_by_key(|room| room.code);
        listed
    }

    /// Counts the people in all rooms, private ones as well.
    pub(crate) fn people(&self) -> usize {
        self.handles().iter().map(|room| room.people()).sum()
    }

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

    pub(crate) fn count_by_phase(&self) -> BTreeMap<&'static str, usize> {
        let mut phases = BTreeMap::new();
        for room in self.handles() {
            *phases.entry(room.phase_name()).or_default() += 1;
        }
        phases
    }
}
