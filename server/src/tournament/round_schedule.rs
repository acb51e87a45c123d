//! The schedule of a round's boards: the current board, its GO, and the next step.

use gridrace_shared::protocol::tournament::TournamentPhase;
use gridrace_shared::tournament::ids::{EntrantId, ResultKey};
use gridrace_shared::util::time::{Millis, TournamentInstant};
use std::collections::{BTreeMap, BTreeSet};

/// How long before GO the countdown of a board begins; until then the result of the one before is
/// shown. The first board of a round counts down through the whole break.
pub(super) const COUNTDOWN: Millis = Millis::from_seconds(5);
/// The time from the end of a round to the next draw, and of the last round to the end: a wrong result
/// can be corrected before anything follows from it, and players read theirs.
pub(super) const RESULTS_SHOWN: Millis = Millis::from_seconds(5);

/// How far the boards of a round are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RoundSchedule {
    pub(super) board: u8,
    pub(super) go: TournamentInstant,
    /// Whether the board that is raced began at an earlier server, so that its GO isn't known.
    is_adopted: bool,
    pub(super) step: RoundStep,
    /// What the tables are racing, or count down to.
    pub(super) started: BTreeMap<u16, ResultKey>,
    /// The seats with which they count down.
    pub(super) seated: BTreeMap<u16, Vec<EntrantId>>,
    /// Of an arena, whose tables don't wait for each other: since when tables have no board left.
    done: BTreeMap<u16, TournamentInstant>,
    /// Those of them whose results were shown: their players wait for other tables.
    left: BTreeSet<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoundStep {
    /// The next board starts at GO.
    Scheduled {
        is_first: bool,
    },
    CountingDown {
        is_first: bool,
    },
    Racing,
    /// No board is left; results are shown.
    Done {
        since: TournamentInstant,
    },
}

impl RoundSchedule {
    /// Makes the schedule of a round whose first GO is this.
    pub(super) const fn first(go: TournamentInstant) -> Self {
        Self {
            board: 0,
            go,
            is_adopted: false,
            step: RoundStep::Scheduled { is_first: true },
            started: BTreeMap::new(),
            seated: BTreeMap::new(),
            done: BTreeMap::new(),
            left: BTreeSet::new(),
        }
    }

    /// Makes the schedule of a round that was over, and of which a board is raced again.
    pub(super) fn reopened(go: TournamentInstant) -> Self {
        Self { step: RoundStep::Scheduled { is_first: false }, ..Self::first(go) }
    }

    pub(super) const fn board(&self) -> u8 {
        self.board
    }

    /// Returns when the next board starts, or the running one started, if that is known.
    pub(super) fn go(&self) -> Option<TournamentInstant> {
        let is_unknown = self.is_adopted && self.step == RoundStep::Racing;
        (!is_unknown).then_some(self.go)
    }

    pub(super) const fn schedule_next(&mut self, go: TournamentInstant) {
        self.go = go;
        self.is_adopted = false;
        self.step = RoundStep::Scheduled { is_first: false };
    }

    pub(super) const fn phase(&self) -> TournamentPhase {
        match self.step {
            RoundStep::Scheduled { is_first: true }
            | RoundStep::CountingDown { is_first: true } => TournamentPhase::Break,
            RoundStep::Scheduled { is_first: false }
            | RoundStep::CountingDown { is_first: false } => TournamentPhase::Pause,
            RoundStep::Racing => TournamentPhase::Racing,
            RoundStep::Done { .. } => TournamentPhase::Waiting,
        }
    }

    /// Returns whether all is raced, and the results were shown long enough.
    pub(super) fn is_shown(&self, now: TournamentInstant) -> bool {
        matches!(self.step, RoundStep::Done { since } if now >= since + RESULTS_SHOWN)
    }

    /// Notes that a table of an arena has no board left.
    pub(super) fn note_done(&mut self, now: TournamentInstant, table: u16) {
        self.done.entry(table).or_insert(now);
    }

    /// Takes back the tables of an arena that have boards again; returns whether players had left one.
    pub(super) fn reopen_tables(&mut self, is_open: impl Fn(u16) -> bool) -> bool {
        self.done.retain(|table, _| !is_open(*table));
        let before = self.left.len();
        self.left.retain(|table| !is_open(*table));
        self.left.len() < before
    }

    /// Returns when players leave the next table of an arena.
    pub(super) fn next_left(&self) -> Option<TournamentInstant> {
        let stays = self.done.iter().filter(|(table, _)| !self.left.contains(table));
        stays.map(|(_, since)| *since + RESULTS_SHOWN).min()
    }

    /// Lets players leave the tables of an arena whose results were shown long enough; returns these.
    pub(super) fn leave_tables(&mut self, now: TournamentInstant) -> Vec<u16> {
        let is_shown = |since: TournamentInstant| now >= since + RESULTS_SHOWN;
        let shown =
            self.done.iter().filter(|(_, since)| is_shown(**since)).map(|(table, _)| *table);
        let left: Vec<u16> = shown.filter(|table| !self.left.contains(table)).collect();
        self.left.extend(&left);
        left
    }

    pub(super) fn has_left(&self, table: u16) -> bool {
        self.left.contains(&table)
    }

    pub(super) fn countdown_begins(&self) -> TournamentInstant {
        match self.step {
            RoundStep::Scheduled { is_first: true } => TournamentInstant(0),
            RoundStep::Scheduled { is_first: false }
            | RoundStep::CountingDown { .. }
            | RoundStep::Racing
            | RoundStep::Done { .. } => TournamentInstant(self.go.0.saturating_sub(COUNTDOWN.0)),
        }
    }

    /// Notes that a table of an earlier server races a board.
    pub(super) fn adopt_racing(&mut self, table: u16, key: ResultKey) {
        self.board = key.board;
        self.is_adopted = true;
        self.step = RoundStep::Racing;
        self.started.insert(table, key);
    }

    /// Returns the boards that are raced now.
    pub(super) fn racing(&self, now: TournamentInstant) -> impl Iterator<Item = ResultKey> {
        let is_on = match self.step {
            RoundStep::Racing => true,
            RoundStep::CountingDown { .. } => now >= self.go,
            RoundStep::Scheduled { .. } | RoundStep::Done { .. } => false,
        };
        self.started.values().filter(move |_| is_on).copied()
    }

    /// Returns what a table races, or counts down to.
    pub(super) fn started(&self, table: u16) -> Option<ResultKey> {
        self.started.get(&table).copied()
    }

    /// Forgets a table whose room is gone.
    pub(super) fn forget(&mut self, table: u16) {
        self.started.remove(&table);
    }
}
