//! How fast players move, where a run may change it as it goes.

use crate::clock::Clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How far a player may fall behind its beat before the beats that it missed are dropped: a
/// stall of the machine is made up for, and no more.
const BEHIND: Duration = Duration::from_secs(1);
/// How long a player who stands still waits before it looks again.
const STANDSTILL: Duration = Duration::from_millis(100);

/// What all players of a run move by: each so often, in nanoseconds, or not at all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tempo(Arc<AtomicU64>);

#[derive(Debug)]
pub(crate) struct Beat {
    tempo: Tempo,
    clock: Clock,
    next: Instant,
}

impl Tempo {
    /// Has every player move once in such a span.
    pub(crate) fn set(&self, pause: Duration) {
        let nanos = u64::try_from(pause.as_nanos()).unwrap_or(u64::MAX);
        self.0.store(nanos, Ordering::Relaxed);
    }

    fn pause(&self) -> Option<Duration> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            nanos => Some(Duration::from_nanos(nanos)),
        }
    }

    /// Returns a beat that begins at some part of the pause, in thousandths.
    pub(crate) fn beat(&self, clock: Clock, part: u32) -> Beat {
        let first = self.pause().unwrap_or(STANDSTILL) * part / 1_000;
        Beat { tempo: self.clone(), clock, next: clock.after(first) }
    }
}

impl Beat {
    /// Waits for the next beat, and returns how many moves are due by then: the offer doesn't
    /// hang on how fast they are answered. Safe to cancel.
    pub(crate) async fn tick(&mut self) -> u32 {
        loop {
            sleep_until(self.next).await;
            let now = self.clock.after(Duration::ZERO);
            let Some(pause) = self.tempo.pause() else {
                self.next = now + STANDSTILL;
                continue;
            };
            // Whoever comes late keeps the time: those who come late together, as all do whose
            // races begin at the same moment, would move together from then on.
            while self.next + BEHIND < now {
                self.next += pause;
            }
            let mut due = 0;
            while self.next <= now {
                self.next += pause;
                due += 1;
            }
            return due;
        }
    }
}
