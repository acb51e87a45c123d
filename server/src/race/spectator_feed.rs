//! The spectator feed: the players' moves, delayed as the host has set.

use crate::race::throttle::Throttle;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::protocol::server::Moved;
use gridrace_shared::protocol::snapshot::PlayerBoard;
use gridrace_shared::puzzle::Board;
use gridrace_shared::util::time::{HeatInstant, Millis};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// The interval of batches: ten a second look live.
pub(super) const MOVES_EVERY: Millis = Millis(100);
/// The weight of a move beside its own numbers: player, instant, and framing.
const MOVE_WEIGHT: usize = 3;
/// The greatest weight of a message: 2,048 moves of a tile, below 150 KiB of JSON, within a frame.
pub(super) const MESSAGE_WEIGHT: usize = 2_048 * (MOVE_WEIGHT + 1);
/// The greatest weight of a player's moves that wait: the longest delay at 68 moves of a tile a
/// second, or at 20 strokes of ten cells, some 100 KiB.
pub(super) const WAITING_WEIGHT: usize = 4_096 * (MOVE_WEIGHT + 1);

/// The boards as spectators see them, and the moves that wait.
///
/// No move is shown early, and none is left out between two that are shown. So a player whose moves
/// exceed [`WAITING_WEIGHT`] isn't shown any further in this heat: the board stays where the last
/// move within the bound leaves it. No person and no house bot is that fast.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SpectatorFeed {
    pub(super) delay: Millis,
    pub(super) throttle: Throttle,
    pub(super) shown: BTreeMap<PlayerId, ShownBoard>,
    pub(super) waiting: VecDeque<Moved>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ShownBoard {
    pub(super) board: Board,
    pub(super) waiting: usize,
    pub(super) outrun: bool,
}

impl SpectatorFeed {
    pub(super) fn new(
        delay: Millis,
        start: &Board,
        players: impl Iterator<Item = PlayerId>,
    ) -> Self {
        let shown =
            |player| (player, ShownBoard { board: start.clone(), waiting: 0, outrun: false });
        Self {
            delay,
            throttle: Throttle::new(MOVES_EVERY),
            shown: players.map(shown).collect(),
            waiting: VecDeque::new(),
        }
    }

    /// Queues a move; moves come in the order of time.
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

    pub(super) fn due(&self) -> Option<HeatInstant> {
        self.waiting.front().map(|moved| self.throttle.next(moved.at + self.delay))
    }

    /// Takes the moves that are due, and plays them on the shown boards.
    pub(super) fn take_due(&mut self, now: HeatInstant) -> Vec<Moved> {
        if self.due().is_none_or(|due| now < due) {
            return Vec::new();
        }
        self.throttle.sent(now);
        let ripe = self.waiting.partition_point(|moved| moved.at + self.delay <= now);
        self.take(ripe)
    }

    /// Takes all moves: the heat is over.
    pub(super) fn take_all(&mut self) -> Vec<Moved> {
        self.take(self.waiting.len())
    }

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
                // It was legal on this very board when it was played.
                shown.board.play(&moved.play).ok();
            }
        }
        batch
    }
}

/// Splits moves into messages of bounded weight.
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
