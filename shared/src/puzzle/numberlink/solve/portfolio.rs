//! Several searches for the same, each from another side of the puzzle.
//!
//! From which side a puzzle is read changes the work by a factor of ten, up or down, and it
//! doesn't show beforehand. So the searches take turns: the next stretch goes to the one
//! that is estimated to have the least left to do, and now and then to the one that has had
//! the least.

use super::layout::{Layout, Side};
use super::row_search::{Kind, Outcome, Search};
use super::transposition_table::Memo;
use crate::puzzle::numberlink::solve::paths::links;
use crate::puzzle::numberlink::{Puzzle, Solution};

/// What each side gets before any estimate, in nodes.
const FIRST: u64 = 256;
/// A stretch is this part of what has been done.
const PART: u64 = 4;
/// No search has less than this part of what has been done.
const LEAST_PART: u64 = 64;

/// What a stretch of a team's work came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// A solution, which another of the team may have found before.
    Found(Solution),
    /// There are no more.
    Exhausted,
    /// The budget is spent.
    Spent,
}

/// The searches for one kind of solution.
#[derive(Debug)]
pub(super) struct Team<'a> {
    puzzle: &'a Puzzle,
    kind: Kind,
    /// What the first side gets before the others begin, in nodes.
    head_start: u64,
    searches: Vec<Search>,
    memo: Memo,
    /// The search at work, and how far it may go.
    at: usize,
    until: u64,
    nodes: u64,
}

impl<'a> Team<'a> {
    pub const fn new(puzzle: &'a Puzzle, kind: Kind, head_start: u64) -> Self {
        Self {
            puzzle,
            kind,
            head_start,
            searches: Vec::new(),
            memo: Memo::new(),
            at: 0,
            until: 0,
            nodes: 0,
        }
    }

    /// Returns what it looks for.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the choices tried so far.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Goes on until a solution is found, none is left, or about `budget` more choices are
    /// tried.
    pub fn go_on(&mut self, budget: u64) -> Step {
        let end = self.nodes.saturating_add(budget);
        loop {
            if self.searches.get(self.at).is_none_or(|search| search.nodes() >= self.until) {
                self.choose();
            }
            let search = &mut self.searches[self.at];
            let before = search.nodes();
            let budget = (self.until - before).min(end - self.nodes);
            let outcome = search.go_on(budget, &mut self.memo);
            self.nodes += search.nodes() - before;
            match outcome {
                Outcome::Found => {
                    let (rights, downs) = search.edges();
                    return Step::Found(links(self.puzzle, search.layout(), rights, downs));
                }
                Outcome::Exhausted => return Step::Exhausted,
                Outcome::Spent if self.nodes >= end => return Step::Spent,
                Outcome::Spent => {}
            }
        }
    }

    /// Says which search goes on, and how far.
    fn choose(&mut self) {
        let begun = self.searches.len();
        if let Some(&side) = Side::all(self.puzzle).get(begun) {
            let layout = Layout::new(self.puzzle, side);
            let number = begun as u64;
            self.searches.push(Search::new(layout, self.kind, number));
            self.at = begun;
            self.until = if begun == 0 { self.head_start.max(FIRST) } else { FIRST };
            return;
        }
        let had = |search: &Search| search.nodes() as f64;
        let least = self.searches.iter().map(Search::nodes).min().unwrap_or(0);
        let stretch = if least < self.nodes / LEAST_PART {
            self.at = least_of(&self.searches, had);
            least
        } else {
            let rest = |search: &Search| {
                let progress = search.progress();
                had(search) * (1.0 - progress) / progress.max(f64::MIN_POSITIVE)
            };
            self.at = least_of(&self.searches, rest);
            self.nodes / PART
        };
        self.until = self.searches[self.at].nodes() + stretch.max(FIRST);
    }
}

fn least_of(searches: &[Search], measure: impl Fn(&Search) -> f64) -> usize {
    let mut least = (0, f64::INFINITY);
    for (at, search) in searches.iter().enumerate() {
        let measured = measure(search);
        if measured < least.1 {
            least = (at, measured);
        }
    }
    least.0
}
