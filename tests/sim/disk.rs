//! The server's disk, which may be full or hang, and what the server's log says: from when to when
//! nothing is recorded, which heats ended meanwhile, and why connections are closed.

use gridrace_server::platform::environment::Disk;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Duration;
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// For how long everything must have been recorded before the server may be killed: what is on
/// its network to the disk by then is there, the heat as it stands above all.
const SETTLED: Duration = Duration::from_secs(2);

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// The disk, and the server's records on it.
#[derive(Debug, Default)]
struct State {
    disk: Disk,
    since: Duration,
    records: Records,
}

/// What the server recorded, and what it didn't.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// From when to when nothing was, the last time perhaps until the end.
    pub gaps: Vec<(Duration, Option<Duration>)>,
    /// How often the server began to record again.
    pub again: u64,
    /// The heats that ended meanwhile, by their numbers.
    pub lost: BTreeSet<u32>,
    /// Why the server closed connections.
    farewells: Vec<String>,
}

/// Forgets everything, and reads the server's log on this thread until the guard is dropped.
pub fn begin() -> DefaultGuard {
    STATE.take();
    let ours = Targets::new().with_target("gridrace_server", LevelFilter::DEBUG);
    tracing_subscriber::registry().with(Reader.with_filter(ours)).set_default()
}

pub fn set(disk: Disk, now: Duration) {
    STATE.with_borrow_mut(|state| (state.disk, state.since) = (disk, now));
}

pub fn read() -> Disk {
    STATE.with_borrow(|state| state.disk)
}

pub fn records() -> Records {
    STATE.with_borrow(|state| state.records.clone())
}

/// Says whether a server that is killed now would lose nothing.
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
    /// Returns how often a new connection took the seat of one that was not lost yet.
    pub fn overtaken(&self) -> u64 {
        self.farewells.iter().filter(|why| *why == "Superseded").count() as u64
    }

    /// Returns the first farewell for a client's mistake, of which there are none. A client that
    /// is cut off reads nothing, and so may be too slow.
    pub fn fault(&self) -> Option<String> {
        let wrong = ["Flooding", "Malformed", "Broken"];
        let is_wrong = |why: &&String| wrong.iter().any(|wrong| why.starts_with(wrong));
        let found = self.farewells.iter().find(is_wrong);
        found.map(|why| format!("a client was dismissed: {why}"))
    }

    fn note(&mut self, said: Said) {
        self.farewells.extend(said.farewell);
        // While the simulation is torn down no host is left to be told.
        let Some(now) = turmoil::sim_elapsed() else {
            return;
        };
        let is_off = self.gaps.last().is_some_and(|(_, until)| until.is_none());
        match said.message.as_str() {
            "recording stopped after a write error; rooms continue unrecorded until a retry succeeds" =>
            {
                self.gaps.push((now, None));
            }
            "rooms are recorded again" => {
                self.again += 1;
                self.end(now);
            }
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

#[derive(Debug)]
struct Reader;

impl<S: Subscriber> Layer<S> for Reader {
    fn on_event(&self, event: &tracing::Event<'_>, _context: Context<'_, S>) {
        let mut said = Said::default();
        event.record(&mut said);
        STATE.with_borrow_mut(|state| state.records.note(said));
    }
}

#[derive(Default)]
struct Said {
    message: String,
    number: Option<u32>,
    farewell: Option<String>,
}

impl Visit for Said {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "number" {
            self.number = u32::try_from(value).ok();
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "farewell" => self.farewell = Some(format!("{value:?}")),
            _ => {}
        }
    }
}
