//! Knock-out and double elimination.
//!
//! The matches of a bracket are fixed by the size of its field. The seeds stand so that the first
//! two can meet in the last match only, the first four in the two before it, and so on; the places
//! that no seed fills are byes, which so go to the first seeds.
//!
//! In a double elimination who loses a match of the upper bracket falls into the lower one, in an
//! order that keeps those apart who have met. The winner of the lower bracket must beat the winner
//! of the upper one twice: after a first defeat of the latter, a reset final is raced.

use crate::tournament::draw::{DrawnTable, RoundDraw, Walkover};
use crate::tournament::ids::EntrantId;
use std::collections::{BTreeMap, BTreeSet};

/// A bracket with what is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bracket {
    field: Vec<EntrantId>,
    /// In the order of their levels.
    matches: Vec<BracketMatch>,
    /// By match; none while it is open.
    decisions: Vec<Option<MatchDecision>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elimination {
    Single,
    Double,
}

/// The winner and the loser of a match. A match that a bye, or the absence of both sides, decides
/// may have no loser, or neither.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MatchDecision {
    pub winner: Option<EntrantId>,
    pub loser: Option<EntrantId>,
}

/// A match of a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BracketMatch {
    /// From 1. All matches of a level can be raced at once, after those of the levels before it.
    pub level: u16,
    pub sources: [Source; 2],
}

/// Where a side of a match comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The seed of this number, from 0; a bye if the field is smaller.
    Seed(usize),
    Winner(usize),
    Loser(usize),
    /// The side of this number of the final, if the reset is raced.
    Reset(usize),
}

impl Bracket {
    /// Makes a bracket of a field in the order of seeds, best first.
    pub fn new(field: Vec<EntrantId>, elimination: Elimination) -> Self {
        let matches = match elimination {
            Elimination::Single => upper_bracket(field.len()).0,
            Elimination::Double => double_elimination(field.len()),
        };
        let decisions = vec![None; matches.len()];
        Self { field, matches, decisions }
    }

    pub fn matches(&self) -> &[BracketMatch] {
        &self.matches
    }

    pub fn decision(&self, number: usize) -> Option<MatchDecision> {
        self.decisions.get(number).copied().flatten()
    }

    pub fn is_decided(&self) -> bool {
        self.decisions.iter().all(Option::is_some)
    }

    /// Returns the sides of a match as far as they are known.
    pub fn sides(&self, number: usize) -> [Option<EntrantId>; 2] {
        let sources = self.matches.get(number).map(|it| it.sources);
        sources.map_or([None, None], |sources| sources.map(|source| self.side(source)))
    }

    /// Draws the matches of the next level that are to be raced.
    ///
    /// A match to which one side doesn't come, or has none, is a walkover; if it leaves nothing to
    /// race on its level, the next level is drawn along with it. Nothing is left to draw if the draw
    /// has no tables; its walkovers then decide the rest.
    pub fn draw(&self, is_present: impl Fn(EntrantId) -> bool) -> RoundDraw {
        let mut ahead = self.clone();
        let mut draw = RoundDraw::default();
        while let Some(first) = ahead.decisions.iter().position(Option::is_none) {
            let level = ahead.matches[first].level;
            let mut walkovers = Vec::new();
            for (number, it) in (0u16..).zip(&ahead.matches) {
                if it.level != level || ahead.decisions[usize::from(number)].is_some() {
                    continue;
                }
                let [a, b] = ahead.sides(number.into());
                let present = |side: &Option<EntrantId>| side.is_some_and(&is_present);
                let (winner, loser) = match (a, b) {
                    (Some(a), Some(b)) if present(&Some(a)) && present(&Some(b)) => {
                        draw.tables.push(DrawnTable { number, seats: vec![a, b] });
                        continue;
                    }
                    // Only a bye advances an entrant who isn't there.
                    (Some(_), Some(_)) if !present(&a) && !present(&b) => (None, None),
                    (Some(_), Some(_)) if present(&a) => (a, b),
                    (Some(_), Some(_)) => (b, a),
                    (side, None) | (None, side) => (side, None),
                };
                walkovers.push(Walkover { number, winner, loser });
            }
            for walkover in &walkovers {
                ahead.decide(walkover.number, walkover.winner, walkover.loser);
            }
            draw.walkovers.extend(walkovers);
            if !draw.tables.is_empty() {
                break;
            }
        }
        draw
    }

    /// Decides a match. Without a winner, its sides are out of both brackets.
    pub fn decide(&mut self, number: u16, winner: Option<EntrantId>, loser: Option<EntrantId>) {
        if let Some(decision) = self.decisions.get_mut(usize::from(number)) {
            *decision = Some(MatchDecision { winner, loser });
        }
    }

    /// Returns the levels on which entrants left the bracket: not of those who are in it, nor of its
    /// winner.
    pub fn levels_left(&self) -> BTreeMap<EntrantId, u16> {
        let sources = self.matches.iter().flat_map(|it| it.sources);
        let falling: BTreeSet<usize> = sources
            .filter_map(
                |source| if let Source::Loser(number) = source { Some(number) } else { None },
            )
            .collect();
        let mut left = BTreeMap::new();
        for (number, it) in self.matches.iter().enumerate() {
            let Some(decision) = self.decisions[number] else { continue };
            for entrant in self.sides(number).into_iter().flatten() {
                let wins = decision.winner == Some(entrant);
                let falls = decision.loser == Some(entrant) && falling.contains(&number);
                if !wins && !falls && !self.reset_after(number) {
                    left.insert(entrant, it.level);
                }
            }
        }
        left
    }

    /// Returns the winner of the last match that was raced, if all are decided.
    pub fn champion(&self) -> Option<EntrantId> {
        let last = self.decisions.iter().rev().find_map(|decision| decision.as_ref()?.winner);
        last.filter(|it| self.is_decided() && !self.levels_left().contains_key(it))
    }

    fn side(&self, source: Source) -> Option<EntrantId> {
        match source {
            Source::Seed(seed) => self.field.get(seed).copied(),
            Source::Winner(number) => self.decisions[number]?.winner,
            Source::Loser(number) => self.decisions[number]?.loser,
            Source::Reset(side) => {
                let last = self.matches.len() - 2;
                if self.reset_after(last) { self.sides(last)[side] } else { None }
            }
        }
    }

    /// Returns whether this match is a final that the winner of the upper bracket has lost to the
    /// winner of the lower one.
    fn reset_after(&self, number: usize) -> bool {
        let has_reset = self.matches.last().is_some_and(|it| it.sources[0] == Source::Reset(0));
        let lower_won = || {
            let winner = self.decision(number)?.winner?;
            Some(self.sides(number)[0].is_some() && self.sides(number)[1] == Some(winner))
        };
        has_reset && number + 2 == self.matches.len() && lower_won() == Some(true)
    }
}

/// Returns the seeds of the first level in the order of the bracket: each match's two one after the
/// other.
fn seed_order(size: usize) -> Vec<usize> {
    let mut order = vec![0];
    while order.len() < size {
        let last = 2 * order.len() - 1;
        order = order.iter().flat_map(|&seed| [seed, last - seed]).collect();
    }
    order
}

/// Returns the matches of a knock-out, and the numbers of those of each level.
fn upper_bracket(field: usize) -> (Vec<BracketMatch>, Vec<Vec<usize>>) {
    let seeds = seed_order(field.next_power_of_two().max(2));
    let mut matches = Vec::new();
    let mut levels: Vec<Vec<usize>> = Vec::new();
    let mut sources: Vec<Source> = seeds.into_iter().map(Source::Seed).collect();
    for level in 1.. {
        let first = matches.len();
        matches.extend(
            sources.chunks_exact(2).map(|pair| BracketMatch { level, sources: [pair[0], pair[1]] }),
        );
        let numbers: Vec<usize> = (first..matches.len()).collect();
        sources = numbers.iter().copied().map(Source::Winner).collect();
        levels.push(numbers);
        if sources.len() == 1 {
            break;
        }
    }
    (matches, levels)
}

fn double_elimination(field: usize) -> Vec<BracketMatch> {
    let (mut matches, upper) = upper_bracket(field);
    let losers = |level: usize| -> Vec<Source> {
        let mut losers: Vec<Source> = upper[level].iter().copied().map(Source::Loser).collect();
        // Losers go to where their earlier opponents aren't, as long as there is such a place. Of all
        // sequences of these orders, none keeps them apart for longer in fields up to 128.
        let half = losers.len() / 2;
        match level {
            1 => losers.reverse(),
            2 => losers.rotate_left(half),
            3 => {
                losers.reverse();
                losers.rotate_left(half);
            }
            _ => {}
        }
        losers
    };
    let mut lane = losers(0);
    let mut level = 2;
    let mut add = |level: u16, sources: [Source; 2]| {
        matches.push(BracketMatch { level, sources });
        Source::Winner(matches.len() - 1)
    };
    for falling in 1..upper.len() {
        // Among those of the lower bracket, then against those who fall.
        lane = lane.chunks_exact(2).map(|pair| add(level, [pair[0], pair[1]])).collect();
        level += 1;
        lane = lane
            .iter()
            .zip(losers(falling))
            .map(|(own, falls)| add(level, [*own, falls]))
            .collect();
        level += 1;
    }
    let winner = Source::Winner(upper.last().map_or(0, |level| level[0]));
    add(level, [winner, lane[0]]);
    add(level + 1, [Source::Reset(0), Source::Reset(1)]);
    by_level(&matches)
}

/// Puts matches in the order of their levels, and numbers their sources anew.
fn by_level(matches: &[BracketMatch]) -> Vec<BracketMatch> {
    let mut order: Vec<usize> = (0..matches.len()).collect();
    order.sort_by_key(|&number| matches[number].level);
    let mut numbers = vec![0; matches.len()];
    for (new, &old) in order.iter().enumerate() {
        numbers[old] = new;
    }
    let renumber = |source: Source| match source {
        Source::Winner(number) => Source::Winner(numbers[number]),
        Source::Loser(number) => Source::Loser(numbers[number]),
        Source::Seed(_) | Source::Reset(_) => source,
    };
    let ordered = order.iter().map(|&number| matches[number]);
    ordered.map(|it| BracketMatch { sources: it.sources.map(renumber), ..it }).collect()
}

#[cfg(test)]
mod tests;
