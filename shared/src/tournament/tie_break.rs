//! Tie-breaks: the order of entrants with equal scores.

use crate::tournament::result::BoardOutcome;
use crate::tournament::score::{BoardPlayed, EntrantRecord, Score};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Largest group in which the results against each other count: so many can have met at one table.
const MAX_HEAD_TO_HEAD: usize = 32;

/// A rule that parts entrants of equal score. Rules apply one after another, each within the groups
/// that the earlier ones left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, strum::EnumIter)]
#[serde(rename_all = "snake_case")]
pub enum TieBreak {
    /// More boards won.
    Wins,
    /// More first places, then more second places, and so on; of finished boards.
    Countback,
    /// The better best time.
    BestSingle,
    /// More boards finished, then the lower sum of their times.
    TotalTime,
    /// More progress on all boards together.
    Progress,
    /// More boards ahead of the others of the group, if all of them have met.
    HeadToHead,
    /// More points of all whom the entrant has met.
    Opponents,
    /// The better place on the latest board.
    LastBoard,
}

impl TieBreak {
    /// Returns a key for each record of a group; the less goes first.
    pub(super) fn keys(self, group: &[&EntrantRecord], meetings: &PointsMet) -> Vec<Vec<i64>> {
        match self {
            Self::HeadToHead => head_to_head(group),
            Self::Countback => countback(group),
            Self::Wins
            | Self::BestSingle
            | Self::TotalTime
            | Self::Progress
            | Self::Opponents
            | Self::LastBoard => group.iter().map(|record| self.key(record, meetings)).collect(),
        }
    }

    fn key(self, record: &EntrantRecord, meetings: &PointsMet) -> Vec<i64> {
        match self {
            Self::Wins => vec![-count(record.wins())],
            Self::BestSingle => vec![record.best_single().map_or(i64::MAX, |time| signed(time.0))],
            Self::TotalTime => {
                let (finished, time) = record.total_time();
                vec![-count(finished), signed(time.0)]
            }
            Self::Progress => vec![-record.boards.iter().map(progress).sum::<i64>()],
            Self::Opponents => vec![-meetings.of_opponents(record)],
            Self::LastBoard => vec![record.boards.last().map_or(i64::MAX, |it| it.place.into())],
            // Their keys depend on the group.
            Self::HeadToHead | Self::Countback => Vec::new(),
        }
    }
}

/// The points that have met at each table, for [`TieBreak::Opponents`].
#[derive(Debug, Default)]
pub(super) struct PointsMet(BTreeMap<(u16, u16), i64>);

impl PointsMet {
    pub(super) fn new(records: &[EntrantRecord]) -> Self {
        let mut met = BTreeMap::new();
        for record in records {
            for table in tables(record) {
                *met.entry(table).or_default() += points(record.score);
            }
        }
        Self(met)
    }

    fn of_opponents(&self, record: &EntrantRecord) -> i64 {
        let own = points(record.score);
        tables(record).iter().map(|table| self.0.get(table).unwrap_or(&own) - own).sum()
    }
}

fn tables(record: &EntrantRecord) -> BTreeSet<(u16, u16)> {
    record.boards.iter().map(|board| (board.round, board.table)).collect()
}

fn points(score: Score) -> i64 {
    score.points().into()
}

/// Counts the finished boards by place, up to the last place in the group.
fn countback(group: &[&EntrantRecord]) -> Vec<Vec<i64>> {
    let finished = |record: &EntrantRecord| {
        let boards = record.boards.iter().filter(|board| board.outcome.has_finished());
        boards.map(|board| usize::from(board.place)).collect::<Vec<_>>()
    };
    let places: Vec<Vec<usize>> = group.iter().map(|record| finished(record)).collect();
    let last = places.iter().flatten().copied().max().unwrap_or(0);
    let counts = |places: &Vec<usize>| {
        let mut counts = vec![0; last + 1];
        for &place in places {
            counts[place] -= 1;
        }
        counts
    };
    places.iter().map(counts).collect()
}

fn progress(board: &BoardPlayed) -> i64 {
    match board.outcome {
        BoardOutcome::Finished { .. } => 1_000,
        BoardOutcome::Dnf { progress } => progress.into(),
        BoardOutcome::Dns | BoardOutcome::Disqualified => 0,
    }
}

/// Counts on how many boards each was ahead of others of the group; equal keys unless each has met
/// each.
fn head_to_head(group: &[&EntrantRecord]) -> Vec<Vec<i64>> {
    let mut ahead = vec![0i64; group.len()];
    if group.len() > MAX_HEAD_TO_HEAD {
        return ahead.into_iter().map(|key| vec![key]).collect();
    }
    let mut boards: BTreeMap<(u16, u16, u8), Vec<(usize, u16)>> = BTreeMap::new();
    for (index, record) in group.iter().enumerate() {
        for board in &record.boards {
            let key = (board.round, board.table, board.board);
            boards.entry(key).or_default().push((index, board.place));
        }
    }
    let mut met = BTreeSet::new();
    for seats in boards.values() {
        for &(a, place) in seats {
            for &(b, other) in seats {
                if a != b {
                    met.insert((a, b));
                    ahead[a] -= i64::from(place < other);
                }
            }
        }
    }
    if met.len() < group.len() * (group.len() - 1) {
        ahead.fill(0);
    }
    ahead.into_iter().map(|key| vec![key]).collect()
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
