//! The cached list of public rooms. Making it takes a handle on every room and the lock of each,
//! and any client may ask for it.

use gridrace_shared::protocol::snapshot::HeatSummary;
use gridrace_shared::util::time::ServerInstant;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long a list is served from the cache: too short to be noticed.
const MAX_AGE: Duration = Duration::from_millis(250);

/// The latest list, and when it was made.
#[derive(Debug, Default)]
pub(super) struct Listing(Mutex<Option<(ServerInstant, Vec<HeatSummary>)>>);

impl Listing {
    /// Returns the latest list, or makes one; concurrent calls wait for that one.
    pub(super) fn get_or_make(
        &self,
        now: ServerInstant,
        make: impl FnOnce() -> Vec<HeatSummary>,
    ) -> Vec<HeatSummary> {
        // A panic in `make` leaves the former list, which is old.
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_fresh = |(made, _): &&(ServerInstant, _)| now.since(*made) < MAX_AGE;
        if let Some((_, rooms)) = latest.as_ref().filter(is_fresh) {
            return rooms.clone();
        }
        let rooms = make();
        *latest = Some((now, rooms.clone()));
        rooms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_made_four_times_a_second_however_often_it_is_asked_for() {
        let (listing, mut made) = (Listing::default(), 0);
        for now in 0..1_000 {
            listing.get_or_make(ServerInstant(now * 1_000), || {
                made += 1;
                Vec::new()
            });
        }
        assert_eq!(made, 4);
    }
}
