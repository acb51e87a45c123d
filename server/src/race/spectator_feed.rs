//! What spectators see: the players' moves, as late as the host has set.

use crate::race::throttle::Pace;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::protocol::server::Moved;
use gridrace_shared::protocol::snapshot::PlayerBoard;
use gridrace_shared::puzzle::Board;
use gridrace_shared::util::time::Millis;
use std::collections::{BTreeMap, VecDeque};

/// How far apart two batches of moves lie: ten a second look live.
pub(super) const MOVES_EVERY: Millis = Millis(100);
/// What a move weighs beside its own numbers: who, when, and what is around it.
const MOVE_WEIGHT: usize = 3;
/// How much the moves of one message weigh at most together: 2,048 of a tile, below
/// 150 KiB of JSON, within a frame.
pub(super) const MESSAGE_WEIGHT: usize = 2_048 * (MOVE_WEIGHT + 1);
/// How much the moves of one player weigh at most that wait: the longest delay at 68 moves
/// of a tile a second, or at 20 strokes of ten cells, some 100 KiB.
pub(super) const WAITING_WEIGHT: usize = 4_096 * (MOVE_WEIGHT + 1);

/// The boards as spectators see them, and the moves that they don't see yet.
///
/// No move is ever shown early, nor is one left out between two that are shown. So a
/// player who outruns [`WAITING_WEIGHT`] isn't shown any further in this heat: their board
/// stands where the last move within the bound leaves it. No hand and no bot of the
/// server's gets there.
#[derive(Debug, Clone)]
pub(super) struct Delayed {
    pub(super) delay: Millis,
    pub(super) pace: Pace,
    pub(super) shown: BTreeMap<PlayerId, Shown>,
    pub(super) waiting: VecDeque<Moved>,
}

#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) board: Board,
    /// What the moves that wait weigh.
    pub(super) waiting: usize,
    pub(super) outrun: bool,
}

impl Delayed {
    pub(super) fn new(
        delay: Millis,
        start: &Board,
        players: impl Iterator<Item = PlayerId>,
    ) -> Self {
        let shown = |player| (player, Shown { board: start.clone(), waiting: 0, outrun: false });
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
        let weight = weight(&moved);
        shown.outrun |= shown.waiting + weight > WAITING_WEIGHT;
        if !shown.outrun {
            shown.waiting += weight;
            self.waiting.push_back(moved);
        }
    }

    /// Returns the instant of the next batch.
    pub(super) fn due(&self) -> Option<Millis> {
        self.waiting.front().map(|moved| self.pace.next(moved.at + self.delay))
    }

    /// Takes out what may be shown by now, and moves the shown boards on with it.
    pub(super) fn take_due(&mut self, now: Millis) -> Vec<Moved> {
        if self.due().is_none_or(|due| now < due) {
            return Vec::new();
        }
        self.pace.sent(now);
        let ripe = self.waiting.partition_point(|moved| moved.at + self.delay <= now);
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
            .map(|(&player, shown)| PlayerBoard { player, board: shown.board.clone() })
            .collect()
    }

    fn take(&mut self, count: usize) -> Vec<Moved> {
        let batch: Vec<Moved> = self.waiting.drain(..count).collect();
        for moved in &batch {
            if let Some(shown) = self.shown.get_mut(&moved.player) {
                shown.waiting -= weight(moved);
                // It was legal when it was played, on this very board.
                shown.board.play(&moved.play).ok();
            }
        }
        batch
    }
}

/// Parts moves into as many as fit into a message each.
pub(super) fn messages(moves: Vec<Moved>) -> Vec<Vec<Moved>> {
    let mut messages: Vec<Vec<Moved>> = Vec::new();
    let mut room = 0;
    for moved in moves {
        let weight = weight(&moved);
        match messages.last_mut() {
            Some(message) if weight <= room => {
                room -= weight;
                message.push(moved);
            }
            Some(_) | None => {
                room = MESSAGE_WEIGHT.saturating_sub(weight);
                messages.push(vec![moved]);
            }
        }
    }
    messages
}

fn weight(moved: &Moved) -> usize {
    MOVE_WEIGHT + moved.play.weight()
}
