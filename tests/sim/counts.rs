//! Counts of events over all seeds: a simulation without faults shows nothing.

use std::collections::BTreeMap;
use std::fmt;

/// The number of seeds in which rare events happen as well.
const MANY: u64 = 200;

/// What must happen in any set of seeds.
const WANTED: [&str; 22] = [
    "cuts of 5 s",
    "cuts of 30 s",
    "cuts while a hint was on its way",
    "stalls of 5 s",
    "stalls of 30 s",
    "breaks",
    "kills of the server",
    "kills at the last finish",
    "stops of the server",
    "jumps of the calendar",
    "disks that were full",
    "disks that hung",
    "disks that were slow",
    "times that nothing was recorded",
    "times that heats were recorded again",
    "hosts told that nothing is recorded",
    "hosts told that it is again",
    "heats that ended unrecorded",
    "slow networks",
    "seats taken up again",
    "hints",
    "replays that hold",
];

/// A new connection stood before the old one was lost: in one seed of some thirty.
pub const OVERTAKEN: &str = "connections overtaken by the next";

#[derive(Debug, Default)]
pub struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    pub fn add(&mut self, what: &'static str, times: u64) {
        *self.0.entry(what).or_default() += times;
    }

    pub fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or_default()
    }

    pub fn add_all(&mut self, others: &Self) {
        for (&what, &times) in &others.0 {
            self.add(what, times);
        }
    }

    /// Returns what should have happened in this many seeds and didn't.
    pub fn missing(&self, seeds: u64) -> Vec<&'static str> {
        let rare = (seeds >= MANY).then_some(OVERTAKEN);
        WANTED.into_iter().chain(rare).filter(|what| self.of(what) == 0).collect()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = self.0.iter();
        all.try_for_each(|(what, times)| writeln!(f, "{times:8} {what}"))
    }
}
