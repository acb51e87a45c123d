//! Scores: what the boards of a round are worth.

use crate::heat::averages::{Attempt, Average, best_single};
use crate::tournament::ids::EntrantId;
use crate::tournament::points::PointsTable;
use crate::tournament::result::{BoardOutcome, BoardResult};
use crate::util::time::Millis;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The points of a match won, and of one drawn: both count wins alike.
pub const MATCH_WON: u32 = 2;
pub const MATCH_DRAWN: u32 = 1;

/// How the boards of a round make one score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreRule {
    /// Points for each board's place; the most points win.
    Points(PointsTable),
    /// The sum of the places; the lowest sum wins. An entrant who doesn't finish has one place
    /// more than the table has seats.
    Place,
    /// The sum of the times; one board unfinished is a DNF.
    Sum,
    /// A match: the side that won more boards gets [`MATCH_WON`] points. It ends as soon as one can't be
    /// caught up with.
    BestOf,
    /// The World Cube Association's average, without the best and the worst.
    Average,
    /// The World Cube Association's mean, of all boards.
    Mean,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    Points(u32),
    Places(u32),
    /// A time, or none for a DNF.
    Time(Attempt),
}

/// What an entrant did on the boards of one round, or of the rounds of a stage so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntrantRecord {
    pub entrant: EntrantId,
    pub score: Score,
    /// In the order in which they were raced.
    pub boards: Vec<BoardPlayed>,
    /// Matches won because there was no opponent, or none came.
    pub walkovers: u16,
    /// Boards that these count as won: a majority of a match's, and all where boards bring points.
    pub walkover_wins: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoardPlayed {
    pub round: u16,
    /// The table; 0 for all in rounds that are ranked over all tables.
    pub table: u16,
    pub board: u8,
    pub outcome: BoardOutcome,
    /// From 1, among those with whom the entrant is ranked.
    pub place: u16,
}

/// A table with what has come in: the results by board, none for a board that is open or void.
#[derive(Debug, Clone, Copy)]
pub struct RacedTable<'a> {
    pub number: u16,
    pub seats: &'a [EntrantId],
    pub results: &'a [Option<BoardResult>],
    /// How many boards are void.
    pub void: usize,
}

impl Score {
    /// Returns an order in which the better score is less.
    pub fn order(self) -> u64 {
        match self {
            Self::Points(points) => u64::MAX - u64::from(points),
            Self::Places(places) => places.into(),
            Self::Time(time) => time.map_or(u64::MAX, |time| time.0),
        }
    }

    pub const fn points(self) -> u32 {
        match self {
            Self::Points(points) => points,
            Self::Places(_) | Self::Time(_) => 0,
        }
    }
}

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Points(1) => write!(f, "1 point"),
            Self::Points(points) => write!(f, "{points} points"),
            Self::Places(places) => write!(f, "sum of places {places}"),
            Self::Time(Some(time)) => write!(f, "{time}"),
            Self::Time(None) => write!(f, "DNF"),
        }
    }
}

impl EntrantRecord {
    /// Returns the record of an entrant who hasn't raced yet.
    pub const fn empty(entrant: EntrantId, rule: &ScoreRule) -> Self {
        let score = match rule {
            ScoreRule::Points(_) | ScoreRule::BestOf => Score::Points(0),
            ScoreRule::Place => Score::Places(0),
            ScoreRule::Sum | ScoreRule::Average | ScoreRule::Mean => Score::Time(None),
        };
        Self { entrant, score, boards: Vec::new(), walkovers: 0, walkover_wins: 0 }
    }

    /// Returns whether the entrant was there at GO on any board, or had a walkover.
    pub fn has_started(&self) -> bool {
        self.walkovers > 0 || self.boards.iter().any(|board| board.outcome.has_started())
    }

    /// Returns how many boards the entrant has won: first, and finished, or by walkovers.
    pub fn wins(&self) -> usize {
        let won = self.boards.iter().filter(|it| it.place == 1 && it.outcome.has_finished());
        won.count() + usize::from(self.walkover_wins)
    }

    pub fn best_single(&self) -> Attempt {
        best_single(&self.attempts())
    }

    /// Returns the finished boards and the sum of their times.
    pub fn total_time(&self) -> (usize, Millis) {
        let times = self.boards.iter().filter_map(|board| board.outcome.attempt());
        times.fold((0, Millis(0)), |(count, sum), time| (count + 1, sum + time))
    }

    /// Adds a later round of the stage. Only points add up over rounds.
    pub fn add(&mut self, later: Self) {
        self.score = match (self.score, later.score) {
            (Score::Points(earlier), Score::Points(points)) => Score::Points(earlier + points),
            (Score::Points(_) | Score::Places(_) | Score::Time(_), score) => score,
        };
        self.boards.extend(later.boards);
        self.walkovers += later.walkovers;
        self.walkover_wins += later.walkover_wins;
    }

    /// Returns the record of a round of `boards` boards that count, which was a walkover: it counts as won.
    pub fn walkover(entrant: EntrantId, rule: &ScoreRule, boards: u8, seats: usize) -> Self {
        let score = match rule {
            ScoreRule::Points(points) => Score::Points(points.of(1, seats) * u32::from(boards)),
            ScoreRule::BestOf => Score::Points(MATCH_WON),
            ScoreRule::Place | ScoreRule::Sum | ScoreRule::Average | ScoreRule::Mean => {
                Self::empty(entrant, rule).score
            }
        };
        let walkover_wins = match rule {
            ScoreRule::BestOf if boards > 0 => u16::from(boards / 2 + 1),
            ScoreRule::Points(_) => boards.into(),
            ScoreRule::BestOf
            | ScoreRule::Place
            | ScoreRule::Sum
            | ScoreRule::Average
            | ScoreRule::Mean => 0,
        };
        Self { entrant, score, boards: Vec::new(), walkovers: 1, walkover_wins }
    }

    fn attempts(&self) -> Vec<Attempt> {
        self.boards.iter().map(|board| board.outcome.attempt()).collect()
    }
}

/// Scores a round of `boards` boards, and returns a record for each seat.
///
/// With `together`, all tables are ranked as one, which is fair because they race on the same board
/// at the same time. Equal times at one table are in the order of the heat; at different tables they
/// share the better place.
pub fn score_round(
    rule: &ScoreRule,
    boards: u8,
    round: u16,
    tables: &[RacedTable<'_>],
    together: bool,
) -> Vec<EntrantRecord> {
    let everybody = tables.iter().map(|table| table.seats.len());
    let seats = if together { everybody.sum() } else { everybody.max().unwrap_or(0) };
    if together {
        score_group(rule, boards, round, tables, 0, seats)
    } else {
        let score = |table: &RacedTable<'_>| {
            score_group(rule, boards, round, &[*table], table.number, seats)
        };
        tables.iter().flat_map(score).collect()
    }
}

/// Returns whether a table needs no more boards: all are in, or a match can't be turned any more.
/// Void boards are among neither.
pub fn is_decided(rule: &ScoreRule, table: &RacedTable<'_>) -> bool {
    let raced = table.results.iter().flatten().count();
    let left = table.results.len().saturating_sub(raced + table.void);
    if left == 0 || *rule != ScoreRule::BestOf {
        return left == 0;
    }
    let mut wins = wins(table);
    wins.sort_unstable_by(|more, fewer| fewer.cmp(more));
    match wins.as_slice() {
        [first, second, ..] => *first > second + left,
        // One alone at a table has a board to start, or goes out as absent.
        [_] => raced > 0,
        [] => true,
    }
}

/// Ranks the tables as one, each board for itself, and adds the boards up.
fn score_group(
    rule: &ScoreRule,
    boards: u8,
    round: u16,
    tables: &[RacedTable<'_>],
    number: u16,
    seats: usize,
) -> Vec<EntrantRecord> {
    let entrants = tables.iter().flat_map(|table| table.seats.iter().copied());
    let mut records: Vec<EntrantRecord> =
        entrants.map(|it| EntrantRecord::empty(it, rule)).collect();
    for board in 0..boards {
        let places = rank_board(tables, board);
        for record in &mut records {
            if let Some(&(outcome, place)) = places.get(&record.entrant) {
                let played = BoardPlayed { round, table: number, board, outcome, place };
                record.boards.push(played);
            }
        }
    }
    let unfinished = u32::try_from(seats).unwrap_or(u32::MAX).saturating_add(1);
    let most_wins = records.iter().map(EntrantRecord::wins).max().unwrap_or(0);
    let winners = records.iter().filter(|record| record.wins() == most_wins).count();
    let decided = tables.iter().all(|table| is_decided(rule, table));
    let mut started = records.iter().filter(|record| record.has_started());
    let only_started = started.next().map(|it| it.entrant).filter(|_| started.next().is_none());
    for record in &mut records {
        let finished = |board: &BoardPlayed| board.outcome.has_finished();
        record.score = match rule {
            ScoreRule::Points(points) => {
                let of = |board: &BoardPlayed| points.of(board.place, seats);
                Score::Points(record.boards.iter().filter(|it| finished(it)).map(of).sum())
            }
            ScoreRule::Place => {
                let of = |it: &BoardPlayed| if finished(it) { it.place.into() } else { unfinished };
                Score::Places(record.boards.iter().map(of).sum())
            }
            ScoreRule::Sum => {
                let mut times = record.boards.iter().map(|board| board.outcome.attempt());
                let sum = times.try_fold(Millis(0), |sum, time| time.map(|time| sum + time));
                Score::Time(sum.filter(|_| !record.boards.is_empty()))
            }
            ScoreRule::BestOf => Score::Points(match (record.wins() == most_wins, winners) {
                _ if !decided => 0,
                // The others didn't come.
                _ if most_wins == 0 && only_started == Some(record.entrant) => MATCH_WON,
                (true, _) if most_wins == 0 => 0,
                (true, 1) => MATCH_WON,
                (true, _) => MATCH_DRAWN,
                (false, _) => 0,
            }),
            ScoreRule::Average => {
                let average = Average::trimmed(boards.into());
                Score::Time(average.of(&record.attempts()).flatten())
            }
            ScoreRule::Mean => {
                let mean = Average { attempts: boards.into(), trimmed: 0 };
                Score::Time(mean.of(&record.attempts()).flatten())
            }
        };
    }
    records
}

/// Returns outcome and place of each seat on a board that has its result.
fn rank_board(tables: &[RacedTable<'_>], board: u8) -> BTreeMap<EntrantId, (BoardOutcome, u16)> {
    let result = |table: &RacedTable<'_>| table.results.get(usize::from(board))?.clone();
    let mut rows = Vec::new();
    for table in tables {
        let Some(result) = result(table) else { continue };
        let listed = |entrant| result.rows.iter().position(|(row, _)| *row == entrant);
        for &entrant in table.seats {
            let outcome = result.outcome(entrant);
            let line = if outcome.has_started() { listed(entrant) } else { None };
            rows.push((outcome.order(), table.number, line, entrant, outcome));
        }
    }
    // By outcome, table and line.
    rows.sort_unstable();
    let mut places = BTreeMap::new();
    let mut start = 0;
    for equal in rows.chunk_by(|a, b| a.0 == b.0) {
        for group in equal.chunk_by(|a, b| a.1 == b.1) {
            for (index, (_, _, line, entrant, outcome)) in group.iter().enumerate() {
                // Those who didn't start share a place.
                let ahead = start + if line.is_some() { index } else { 0 };
                let place = u16::try_from(ahead + 1).unwrap_or(u16::MAX);
                places.insert(*entrant, (*outcome, place));
            }
        }
        start += equal.len();
    }
    places
}

/// Returns how many boards each seat of a table has won.
fn wins(table: &RacedTable<'_>) -> Vec<usize> {
    let mut wins: BTreeMap<EntrantId, usize> = table.seats.iter().map(|&it| (it, 0)).collect();
    for board in 0..table.results.len() {
        let board = u8::try_from(board).unwrap_or(u8::MAX);
        for (entrant, (outcome, place)) in rank_board(&[*table], board) {
            if place == 1 && outcome.has_finished() {
                *wins.entry(entrant).or_default() += 1;
            }
        }
    }
    wins.into_values().collect()
}

#[cfg(test)]
mod tests;
