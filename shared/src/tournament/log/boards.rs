//! The entries of a log that take effect wherever they stand: results, replays and void boards.

use super::entry::LogEntry;
use crate::tournament::ids::{ResultKey, RoundKey};
use crate::tournament::result::BoardResult;
use std::collections::{BTreeMap, BTreeSet};

/// What a log says of boards and draws, wherever it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BoardEntries {
    pub(super) results: BTreeMap<ResultKey, BoardResult>,
    pub(super) replays: Vec<BoardReplay>,
    pub(super) void: BTreeSet<(RoundKey, u8)>,
    /// The highest attempt of the draws of each round.
    pub(super) draws: BTreeMap<RoundKey, u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BoardReplay {
    round: RoundKey,
    table: Option<u16>,
    board: Option<u8>,
    attempt: u16,
}

impl BoardEntries {
    pub(super) fn of(effective: &[&LogEntry]) -> Self {
        let mut boards = Self::default();
        for entry in effective {
            boards.add(entry);
        }
        boards
    }

    pub(super) fn add(&mut self, entry: &LogEntry) {
        match entry {
            LogEntry::Result { key, result } => {
                self.results.insert(*key, result.clone());
            }
            LogEntry::Replay { round, table, board, attempt } => {
                let (round, table, board, attempt) = (*round, *table, *board, *attempt);
                self.replays.push(BoardReplay { round, table, board, attempt });
            }
            LogEntry::Void { round, board } => {
                self.void.insert((*round, *board));
            }
            LogEntry::Draw { key, .. } => {
                let attempt = self.draws.entry(key.round).or_default();
                *attempt = key.attempt.max(*attempt);
            }
            LogEntry::Enter { .. }
            | LogEntry::CheckIn { .. }
            | LogEntry::Withdraw { .. }
            | LogEntry::Disqualify { .. }
            | LogEntry::Seed { .. }
            | LogEntry::Seat { .. }
            | LogEntry::Unseat { .. }
            | LogEntry::EndStage { .. }
            | LogEntry::TakeBack { .. } => {}
        }
    }

    /// Returns the attempt that counts: the highest of the draw and of the replays that cover the
    /// board.
    pub(super) fn attempt(&self, drawn: u16, round: RoundKey, table: u16, board: u8) -> u16 {
        let covers = |replay: &&BoardReplay| {
            replay.round == round
                && replay.table.is_none_or(|it| it == table)
                && replay.board.is_none_or(|it| it == board)
        };
        let replays = self.replays.iter().filter(covers).map(|replay| replay.attempt);
        replays.max().map_or(drawn, |attempt| attempt.max(drawn))
    }
}
