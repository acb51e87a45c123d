//! The list of heats, made so often and no more: it takes a handle on every heat there is, and
//! the lock of each that is looked at, and anybody may ask for it.

use super::Hub;
use gridrace_shared::protocol::snapshot::HeatSummary;
use gridrace_shared::util::time::ServerInstant;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Heats in a list: a screenful or two.
const LISTED: usize = 64;
/// How old a list may be: nobody sees that it is.
const AGE: Duration = Duration::from_millis(250);

/// The latest list, and when it was made.
#[derive(Debug, Default)]
pub(super) struct Listing(Mutex<Option<(ServerInstant, Vec<HeatSummary>)>>);

impl Hub {
    /// Returns the heats that aren't private, as they are or were a moment ago.
    pub(crate) fn listed(&self) -> Vec<HeatSummary> {
        self.listing.get(self.clock.now(), || self.list())
    }

    /// Lists the heats that aren't private, by code; not all of them where there are many.
    #[must_use]
    pub fn list(&self) -> Vec<HeatSummary> {
        let heats = self.handles();
        let public = heats.iter().filter_map(|heat| heat.summary());
        let mut listed: Vec<_> = public.take(LISTED).collect();
        listed.sort_by_key(|heat| heat.code);
        listed
    }
}

impl Listing {
    /// Returns the latest list, or makes one. Whoever comes meanwhile waits for that one.
    pub(super) fn get(
        &self,
        now: ServerInstant,
        make: impl FnOnce() -> Vec<HeatSummary>,
    ) -> Vec<HeatSummary> {
        // A list that couldn't be made leaves the one before, which is old.
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let young = |(made, _): &&(ServerInstant, _)| now.since(*made) < AGE;
        if let Some((_, heats)) = latest.as_ref().filter(young) {
            return heats.clone();
        }
        let heats = make();
        *latest = Some((now, heats.clone()));
        heats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_often_it_is_asked_for_a_list_is_made_a_few_times_a_second() {
        let (listing, mut made) = (Listing::default(), 0);
        for now in 0..1_000 {
            listing.get(ServerInstant(now * 1_000), || {
                made += 1;
                Vec::new()
            });
        }
        assert_eq!(made, 4);
    }
}
