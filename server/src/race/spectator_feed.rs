//! The spectator feed: the players' moves and their rows in the standings, delayed as the host has
//! set.

use crate::race::throttle::Throttle;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::standings::{Ranked, Standings, rank};
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
    /// The rows as spectators see them.
    pub(super) rows: BTreeMap<PlayerId, Ranked>,
    /// The rows that wait, at most one a player in each interval of [`MOVES_EVERY`].
    pub(super) waiting_rows: VecDeque<(HeatInstant, Ranked)>,
}

/// A change that spectators see at an instant.
pub(super) struct Shown {
    pub(super) moves: Vec<Moved>,
    pub(super) rows_changed: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ShownBoard {
    pub(super) board: Board,
    pub(super) waiting: usize,
    pub(super) outrun: bool,
}

impl SpectatorFeed {
    pub(super) fn new(delay: Millis, start: &Board, rows: impl Iterator<Item = Ranked>) -> Self {
        let rows: BTreeMap<_, _> = rows.map(|row| (row.standing.player, row)).collect();
        let shown =
            |&player| (player, ShownBoard { board: start.clone(), waiting: 0, outrun: false });
        Self {
            delay,
            throttle: Throttle::new(MOVES_EVERY),
            shown: rows.keys().map(shown).collect(),
            waiting: VecDeque::new(),
            rows,
            waiting_rows: VecDeque::new(),
        }
    }

    /// Queues a player's row; rows come in the order of time. Of several within an interval the
    /// latest stays, which is shown no earlier than the others would be.
    pub(super) fn keep_row(&mut self, at: HeatInstant, row: Ranked) {
        let interval = |at: HeatInstant| at.0 / MOVES_EVERY.0;
        let latest = self.waiting_rows.iter().rev();
        let same = latest.take_while(|(before, _)| interval(*before) == interval(at));
        let player = row.standing.player;
        if let Some(back) = same.map(|(_, row)| row.standing.player).position(|it| it == player) {
            self.waiting_rows.remove(self.waiting_rows.len() - 1 - back);
        }
        self.waiting_rows.push_back((at, row));
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
        let moved = self.waiting.front().map(|moved| moved.at);
        let changed = self.waiting_rows.front().map(|(at, _)| *at);
        let first = moved.into_iter().chain(changed).min()?;
        Some(self.throttle.next(first + self.delay))
    }

    /// Takes what is due: plays the moves on the shown boards, and shows the rows.
    pub(super) fn take_due(&mut self, now: HeatInstant) -> Shown {
        if self.due().is_none_or(|due| now < due) {
            return Shown { moves: Vec::new(), rows_changed: false };
        }
        self.throttle.sent(now);
        let ripe = self.waiting.partition_point(|moved| moved.at + self.delay <= now);
        let ripe_rows = self.waiting_rows.partition_point(|(at, _)| *at + self.delay <= now);
        for (_, row) in self.waiting_rows.drain(..ripe_rows) {
            self.rows.insert(row.standing.player, row);
        }
        Shown { moves: self.take(ripe), rows_changed: ripe_rows > 0 }
    }

    /// Returns the standings as spectators see them.
    pub(super) fn standings(&self, now: HeatInstant) -> Standings {
        let at = HeatInstant(now.0.saturating_sub(self.delay.0));
        Standings { at, rows: rank(self.rows.values().cloned().collect()) }
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

/// Returns whether moves fit into one message.
pub(super) fn fits_message(moves: &[Moved]) -> bool {
    moves.iter().map(weight).sum::<usize>() <= MESSAGE_WEIGHT
}

fn weight(moved: &Moved) -> usize {
    MOVE_WEIGHT + moved.play.weight()
}
