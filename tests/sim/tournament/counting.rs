//! The results that count, found from the log alone by the documented rules: independent of the
//! fold.

use super::commands::rounds;
use gridrace_shared::tournament::ids::{ResultKey, RoundKey};
use gridrace_shared::tournament::log::{LogEntry, Presence, Tournament};
use gridrace_shared::tournament::public_log::LogLine;
use gridrace_shared::tournament::result::{BoardOutcome, BoardResult};
use std::collections::BTreeMap;

/// The entries of a log that stand.
pub struct Counting {
    results: BTreeMap<ResultKey, BoardResult>,
    replays: Vec<(RoundKey, Option<u16>, Option<u8>, u16)>,
    draws: BTreeMap<RoundKey, u16>,
    void: Vec<(RoundKey, u8)>,
}

impl Counting {
    pub fn of(log: &[LogLine]) -> Self {
        let entries: Vec<&LogEntry> = log.iter().filter_map(LogLine::entry).collect();
        // What is taken back by an entry that stands, the latest first.
        let mut stands = vec![true; entries.len()];
        for index in (0..entries.len()).rev() {
            if let (true, LogEntry::TakeBack { entry }) = (stands[index], entries[index]) {
                stands[*entry as usize] = false;
            }
        }
        let mut counting = Self {
            results: BTreeMap::new(),
            replays: Vec::new(),
            draws: BTreeMap::new(),
            void: Vec::new(),
        };
        for (entry, _) in entries.into_iter().zip(stands).filter(|(_, stands)| *stands) {
            match entry {
                LogEntry::Result { key, result } => {
                    counting.results.insert(*key, result.clone());
                }
                LogEntry::Replay { round, table, board, attempt } => {
                    counting.replays.push((*round, *table, *board, *attempt));
                }
                LogEntry::Draw { key, .. } => {
                    let attempt = counting.draws.entry(key.round).or_default();
                    *attempt = key.attempt.max(*attempt);
                }
                LogEntry::Void { round, board } => counting.void.push((*round, *board)),
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
        counting
    }

    /// Compares with what counts by the tournament's fold.
    pub fn compare(&self, folded: &Tournament, all: &mut Vec<String>) {
        for round in rounds(folded) {
            let state = folded.round(round).unwrap();
            let boards = folded.stages()[usize::from(round.stage)].stage().boards;
            for table in &state.draw.tables {
                for board in 0..boards {
                    let key = self.latest(round, table.number, board);
                    let result = self.results.get(&key).filter(|result| {
                        result.rows.iter().all(|(entrant, _)| table.seats.contains(entrant))
                    });
                    let is_void = self.void.contains(&(round, board));
                    if is_void != state.is_void(board) {
                        all.push(format!("{key}: void is {is_void} by the log"));
                    }
                    let counted = state.result(table.number, board);
                    let is_same = match (result, counted) {
                        (Some(result), Some(counted)) => is_same(folded, result, counted),
                        (None, None) => true,
                        _ => false,
                    };
                    if !is_same {
                        all.push(format!("{key}: {counted:?} counts, and the log has {result:?}"));
                    }
                }
            }
        }
    }

    /// Returns the key of the attempt that counts.
    fn latest(&self, round: RoundKey, table: u16, board: u8) -> ResultKey {
        let covers = |(of, tables, boards, _): &&(RoundKey, Option<u16>, Option<u8>, u16)| {
            *of == round
                && tables.is_none_or(|it| it == table)
                && boards.is_none_or(|it| it == board)
        };
        let replays = self.replays.iter().filter(covers).map(|(.., attempt)| *attempt);
        let drawn = self.draws.get(&round).copied().unwrap_or_default();
        let attempt = replays.max().unwrap_or_default().max(drawn);
        ResultKey { round, table, board, attempt }
    }
}

/// Returns whether a result counts as the log has it, but for the rows of the disqualified.
fn is_same(folded: &Tournament, result: &BoardResult, counted: &BoardResult) -> bool {
    let is_row = |((entrant, outcome), row): ((_, BoardOutcome), (_, BoardOutcome))| {
        let is_out = folded.presence(entrant) == Some(Presence::Disqualified);
        entrant == row.0 && (outcome == row.1 || is_out && row.1 == BoardOutcome::Disqualified)
    };
    result.rows.len() == counted.rows.len()
        && result.rows.iter().copied().zip(counted.rows.iter().copied()).all(is_row)
}
