//! The keys of the entrants of tournaments that aren't over.

use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use gridrace_shared::heat::identity::Fingerprint;

/// The keys of entrants, each with the number of tournaments that it has entered. The tournaments
/// bound how many there are.
#[derive(Debug, Default)]
pub struct EntrantKeys(DashMap<Fingerprint, u32>);

impl EntrantKeys {
    /// Notes that a key has entered a tournament.
    pub fn add(&self, key: Fingerprint) {
        *self.0.entry(key).or_insert(0) += 1;
    }

    /// Notes that a key has left a tournament, or that the tournament is over.
    pub fn remove(&self, key: Fingerprint) {
        if let Entry::Occupied(mut entered) = self.0.entry(key) {
            *entered.get_mut() -= 1;
            if *entered.get() == 0 {
                entered.remove();
            }
        }
    }

    pub fn contains(&self, key: Fingerprint) -> bool {
        self.0.contains_key(&key)
    }
}
