//! What happened over all seeds: where nothing goes wrong nothing is shown.

use crate::disk;
use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// As many seeds as show what is rare.
const MANY: u64 = 200;

/// What must have happened, or else the seeds are none.
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

/// A new connection was there before the old one was lost: in one seed of some thirty.
const OVERTAKEN: &str = "connections overtaken by the next";

#[derive(Debug, Default)]
pub struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    pub fn add(&mut self, what: &'static str, times: u64) {
        *self.0.entry(what).or_default() += times;
    }

    /// Returns how often something happened.
    pub fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or_default()
    }

    /// Takes in what happened elsewhere.
    pub fn add_all(&mut self, others: &Self) {
        for (&what, &times) in &others.0 {
            self.add(what, times);
        }
    }

    /// Returns what should have happened in so many seeds and didn't.
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

/// Reads along in the server's log why connections are closed.
#[derive(Debug, Clone, Default)]
pub struct Endings(Arc<Mutex<Vec<String>>>);

impl Endings {
    /// Reads along on this thread until the guard is dropped.
    pub fn read_along(&self) -> DefaultGuard {
        let ours = |level| Targets::new().with_target("gridrace_server", level);
        tracing_subscriber::registry()
            .with(self.clone().with_filter(ours(LevelFilter::DEBUG)))
            .with(disk::Reader.with_filter(ours(LevelFilter::INFO)))
            .set_default()
    }

    pub fn count(&self, counts: &mut Counts) {
        let endings = self.0.lock().unwrap();
        let overtaken = endings.iter().filter(|why| *why == "Superseded");
        counts.add(OVERTAKEN, overtaken.count() as u64);
    }

    /// Returns the first by which the server says that a client did wrong: none does. Who is cut
    /// off reads nothing, and so may be too slow.
    pub fn fault(&self) -> Option<String> {
        let wrong = ["Flooding", "Malformed", "Broken"];
        let endings = self.0.lock().unwrap();
        let found = endings.iter().find(|why| wrong.iter().any(|wrong| why.starts_with(wrong)));
        found.map(|why| format!("a client was dismissed: {why}"))
    }
}

impl<S: Subscriber> Layer<S> for Endings {
    fn on_event(&self, event: &tracing::Event<'_>, _context: Context<'_, S>) {
        event.record(&mut Farewells(&mut self.0.lock().unwrap()));
    }
}

struct Farewells<'a>(&'a mut Vec<String>);

impl Visit for Farewells<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "farewell" {
            self.0.push(format!("{value:?}"));
        }
    }
}
