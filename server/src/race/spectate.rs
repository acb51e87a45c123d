//! What spectators see: the players' moves, as late as the host has set.

use super::pace::Pace;
use gridrace_shared::name::PlayerId;
use gridrace_shared::protocol::heat::PlayerBoard;
use gridrace_shared::protocol::server::Moved;
use gridrace_shared::puzzle::Board;
use gridrace_shared::time::Millis;
use std::collections::{BTreeMap, VecDeque};

/// How far apart two batches of moves lie: ten a second look live.
pub(super) const MOVES_EVERY: Millis = Millis(100);
/// How many moves one message holds at most: below 150 KiB of JSON, within a frame.
pub(super) const MOVES_A_MESSAGE: usize = 2_048;
/// How many moves of one player wait at most: the longest delay at 68 moves a second,
/// about 100 KiB.
pub(super) const MOVES_WAITING: usize = 4_096;

/// The boards as spectators see them, and the moves that they don't see yet.
///
/// No move is ever shown early, nor is one left out between two that are shown. So a
/// player who outruns [`MOVES_WAITING`] isn't shown any further in this heat: their board
/// stands where the last move within the bound leaves it. No hand and no bot of the
/// server's gets there.
#[derive(Debug, Clone)]
pub(super) struct Delayed {
    delay: Millis,
    pace: Pace,
    shown: BTreeMap<PlayerId, Shown>,
    waiting: VecDeque<Moved>,
}

#[derive(Debug, Clone)]
struct Shown {
    board: Board,
    waiting: usize,
    outrun: bool,
}

impl Delayed {
    pub(super) fn new(
        delay: Millis,
        start: &Board,
        players: impl Iterator<Item = PlayerId>,
    ) -> Self {
        let shown = |player| {
            (
                player,
                Shown {
                    board: start.clone(),
                    waiting: 0,
                    outrun: false,
                },
            )
        };
        Self {
            delay,
            pace: Pace::new(MOVES_EVERY),
            shown: players.map(shown).collect(),
            waiting: VecDeque::new(),
        }
    }

    /// Keeps a move until it may be shown; moves come in the order of time.
    pub(super) fn keep(&mut self, moved: Moved) {
        let Some(shown) = self.shown.get_mut(&moved.player) else {
            return;
        };
        shown.outrun |= shown.waiting == MOVES_WAITING;
        if !shown.outrun {
            shown.waiting += 1;
            self.waiting.push_back(moved);
        }
    }

    /// Returns the instant of the next batch.
    pub(super) fn due(&self) -> Option<Millis> {
        self.waiting
            .front()
            .map(|moved| self.pace.next(moved.at + self.delay))
    }

    /// Takes out what may be shown by now, and moves the shown boards on with it.
    pub(super) fn take_due(&mut self, now: Millis) -> Vec<Moved> {
        if self.due().is_none_or(|due| now < due) {
            return Vec::new();
        }
        self.pace.sent(now);
        let ripe = self
            .waiting
            .partition_point(|moved| moved.at + self.delay <= now);
        self.take(ripe)
    }

    /// Takes out everything: the heat is over, and there is nothing left to keep back.
    pub(super) fn take_all(&mut self) -> Vec<Moved> {
        self.take(self.waiting.len())
    }

    /// Returns the boards as they are shown.
    pub(super) fn boards(&self) -> Vec<PlayerBoard> {
        self.shown
            .iter()
            .map(|(&player, shown)| PlayerBoard {
                player,
                board: shown.board.clone(),
            })
            .collect()
    }

    fn take(&mut self, count: usize) -> Vec<Moved> {
        let batch: Vec<Moved> = self.waiting.drain(..count).collect();
        for moved in &batch {
            if let Some(shown) = self.shown.get_mut(&moved.player) {
                shown.waiting -= 1;
                // It was legal when it was played, on this very board.
                shown.board.play(&moved.play).ok();
            }
        }
        batch
    }
}
