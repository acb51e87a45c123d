//! The server's disk, which may be full or hang, and what the server says of it.
//!
//! What a heat that isn't recorded leaves is the server's to say: its log tells from when to
//! when nothing is recorded, and which heats ended meanwhile.

use gridrace_server::platform::environment::Disk;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Duration;
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// For how long everything must have been recorded before the server may be killed: what is on
/// its way to the disk by then is there, the heat as it stands above all.
const SETTLED: Duration = Duration::from_secs(2);

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// What is known of the disk.
#[derive(Debug, Default)]
struct State {
    disk: Disk,
    since: Duration,
    records: Records,
}

/// What was recorded, and what wasn't.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// From when to when nothing was, the last time perhaps to the end.
    pub gaps: Vec<(Duration, Option<Duration>)>,
    /// How often the server began to record again.
    pub again: u64,
    /// The heats that ended meanwhile, by their numbers.
    pub lost: BTreeSet<u32>,
}

pub fn begin() {
    STATE.take();
}

/// Is full from now on, or hangs, or doesn't.
pub fn set(disk: Disk, now: Duration) {
    STATE.with_borrow_mut(|state| (state.disk, state.since) = (disk, now));
}

pub fn read() -> Disk {
    STATE.with_borrow(|state| state.disk)
}

/// Returns what was recorded so far.
pub fn records() -> Records {
    STATE.with_borrow(|state| state.records.clone())
}

/// Says whether a server that were killed now would lose nothing.
pub fn is_settled(now: Duration) -> bool {
    STATE.with_borrow(|state| {
        let last = state.records.gaps.last();
        last.is_none_or(|(_, until)| {
            let is_on = until.is_some_and(|until| until.max(state.since) + SETTLED <= now);
            is_on && state.disk != Disk::Hangs
        })
    })
}

impl Records {
    fn note(&mut self, said: &Said) {
        // While the simulation is torn down nobody is left who could be told.
        let Some(now) = turmoil::sim_elapsed() else {
            return;
        };
        let is_off = self.gaps.last().is_some_and(|(_, until)| until.is_none());
        match said.message.as_str() {
            "journaling disabled after a write error; rooms continue unrecorded" => {
                self.gaps.push((now, None));
            }
            "rooms are recorded again" => {
                self.again += 1;
                self.end(now);
            }
            // The next server begins anew.
            "store opened" => self.end(now),
            "heat over" if is_off => self.lost.extend(said.number),
            _ => {}
        }
    }

    fn end(&mut self, now: Duration) {
        if let Some((_, until)) = self.gaps.last_mut() {
            until.get_or_insert(now);
        }
    }
}

/// Reads along in the server's log.
#[derive(Debug)]
pub struct Reader;

impl<S: Subscriber> Layer<S> for Reader {
    fn on_event(&self, event: &tracing::Event<'_>, _context: Context<'_, S>) {
        let mut said = Said::default();
        event.record(&mut said);
        STATE.with_borrow_mut(|state| state.records.note(&said));
    }
}

#[derive(Default)]
struct Said {
    message: String,
    number: Option<u32>,
}

impl Visit for Said {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "number" {
            self.number = u32::try_from(value).ok();
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }
}
