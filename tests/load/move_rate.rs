//! The rate of the players' moves, which a run may change.

use gridrace_client::net::clock::Clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How far a player may fall behind before the moves that it missed are dropped: it catches up
/// after a stall of the machine, and not more.
const BEHIND: Duration = Duration::from_secs(1);
/// How long a player waits that has no rate yet.
const STANDSTILL: Duration = Duration::from_millis(100);

/// The time between two moves of each player, in nanoseconds; 0 for no moves.
#[derive(Debug, Clone, Default)]
pub(crate) struct MoveRate(Arc<AtomicU64>);

#[derive(Debug)]
pub(crate) struct MoveTimer {
    move_rate: MoveRate,
    next: Instant,
}

impl MoveRate {
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

    /// Returns a timer whose first pause is a part of the usual one, in thousandths.
    pub(crate) fn timer(&self, part: u32) -> MoveTimer {
        let first = self.pause().unwrap_or(STANDSTILL) * part / 1_000;
        MoveTimer { move_rate: self.clone(), next: Clock::instant() + first }
    }
}

impl MoveTimer {
    /// Waits until a move is due, and returns how many are due by then: the load doesn't depend on
    /// how fast they are answered. Safe to cancel.
    pub(crate) async fn tick(&mut self) -> u32 {
        loop {
            sleep_until(self.next).await;
            let now = Clock::instant();
            let Some(pause) = self.move_rate.pause() else {
                self.next = now + STANDSTILL;
                continue;
            };
            // A late timer keeps its phase: players that are late together, as those whose races
            // begin at the same instant, would move together from then on.
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
