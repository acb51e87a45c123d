//! Solvers: one solution, or the proof that there is exactly one.
//!
//! [`first`] finds a solution and [`count`] tells none, one and several apart, under each
//! [`Rule`] and within a budget in nodes: the same answer on every machine, and "undecided"
//! where the budget doesn't reach.
//!
//! Under [`Rule::Loose`] only taut solutions are looked for (see `search`): cutting a link
//! short where it touches itself, and pushing it downwards around an empty cell, ends with
//! one, so a puzzle has a solution where it has a taut one; and where it has a single taut
//! one, every further solution is a step away from it.

mod cut_bound;
mod fragment_ends;
pub mod frontier;
mod layout;
mod paths;
mod planarity;
mod portfolio;
mod row_search;
mod transposition_table;

use crate::puzzle::numberlink::{Puzzle, Rule, Solution};
use crate::solver::hint::Budget;
use portfolio::{Step, Team};
use row_search::Kind;

/// What [`first`] came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The solution, or why there is none.
    pub solution: Result<Solution, Unsolved>,
    /// The choices tried.
    pub nodes: u64,
}

/// Why no solution was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Unsolved {
    /// There is none.
    #[error("the puzzle has no solution")]
    Unsolvable,
    /// The budget was spent first.
    #[error("the budget was spent before a solution was found")]
    OverBudget,
}

/// What [`count`] came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// How many solutions there are.
    pub verdict: Verdict,
    /// The choices tried.
    pub nodes: u64,
}

/// How many solutions a puzzle has under a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// None: proved.
    None,
    /// This one: proved.
    Unique(Solution),
    /// Two or more, these among them.
    Multiple([Solution; 2]),
    /// The budget was spent first.
    Undecided,
}

/// What a search gets from its first side before it tries the others, and before another
/// kind of solution is tried, in nodes: most puzzles made for people have a full solution
/// without a touch, and it is found at once.
const HEAD_START: u64 = 8_192;

/// What each of two counts gets in its turn at least, in nodes, and which part of what has
/// been done.
const LEAST_TURN: u64 = 1_024;
const TURN_PART: u64 = 4;

/// Finds a solution under a rule, whichever comes first.
///
/// A full solution that doesn't touch itself solves under every rule, and is the quickest to
/// find; the search for any solution takes turns with it.
#[must_use]
pub fn first(puzzle: &Puzzle, rule: Rule, budget: Budget) -> Found {
    let any = kind(rule);
    let mut teams = vec![Team::new(puzzle, Kind::FullTaut, HEAD_START)];
    if any != Kind::FullTaut {
        teams.push(Team::new(puzzle, any, HEAD_START));
    }
    let mut nodes = 0;
    let mut slice = HEAD_START;
    let mut turn = 0;
    let solution = loop {
        let team = &mut teams[turn];
        let before = team.nodes();
        let step = team.go_on(slice.min(budget.0.saturating_sub(nodes)));
        nodes += team.nodes() - before;
        match step {
            Step::Found(found) if counts(puzzle, rule, &found) => break Ok(found),
            Step::Found(_) => {}
            Step::Exhausted if team.kind() == any => break Err(Unsolved::Unsolvable),
            Step::Exhausted => {
                teams.remove(turn);
                turn = 0;
            }
            Step::Spent if nodes >= budget.0 => break Err(Unsolved::OverBudget),
            Step::Spent => {
                turn += 1;
                if turn == teams.len() {
                    turn = 0;
                    slice = slice.saturating_mul(2);
                }
            }
        }
    };
    Found { solution, nodes }
}

/// Counts the solutions under a rule, up to two.
#[must_use]
pub fn count(puzzle: &Puzzle, rule: Rule, budget: Budget) -> Count {
    let mut counting = Counting::new(puzzle, rule);
    if rule == Rule::Full {
        return count_full(puzzle, counting, budget, LEAST_TURN);
    }
    let verdict = counting.go_on(budget.0);
    let nodes = counting.team.nodes();
    Count { verdict, nodes }
}

/// Returns which solutions are looked for under a rule.
const fn kind(rule: Rule) -> Kind {
    match rule {
        Rule::Loose => Kind::Taut,
        Rule::Full => Kind::Full,
        Rule::FullNoTouch => Kind::FullTaut,
    }
}

/// Says whether what a search found counts under the rule: a search sees a touch only where
/// it is a turn back.
fn counts(puzzle: &Puzzle, rule: Rule, solution: &Solution) -> bool {
    rule != Rule::FullNoTouch || solution.touches(puzzle) == 0
}

/// Counts the full solutions, by taking turns with a count of all: where a puzzle has one
/// solution even with cells left empty, that is proved with less work, as those that touch
/// themselves needn't be gone through.
fn count_full(puzzle: &Puzzle, mut full: Counting, budget: Budget, least: u64) -> Count {
    let mut loose = Some(Counting::new(puzzle, Rule::Loose));
    let mut nodes = 0;
    let verdict = loop {
        let turn = |nodes: u64| least.max(nodes / TURN_PART).min(budget.0.saturating_sub(nodes));
        let before = full.team.nodes();
        let verdict = full.go_on(turn(nodes));
        nodes += full.team.nodes() - before;
        if verdict != Verdict::Undecided || nodes >= budget.0 {
            break verdict;
        }
        let Some(counting) = &mut loose else { continue };
        let before = counting.team.nodes();
        let verdict = counting.go_on(turn(nodes));
        nodes += counting.team.nodes() - before;
        let is_full = |solution: &Solution| solution.solves(puzzle, Rule::Full);
        match verdict {
            Verdict::None => break Verdict::None,
            Verdict::Unique(one) if is_full(&one) => break Verdict::Unique(one),
            Verdict::Unique(_) => break Verdict::None,
            Verdict::Multiple(two) if two.iter().all(is_full) => break Verdict::Multiple(two),
            Verdict::Multiple(_) => loose = None,
            Verdict::Undecided if nodes >= budget.0 => break Verdict::Undecided,
            Verdict::Undecided => {}
        }
    };
    Count { verdict, nodes }
}

/// A count in progress.
struct Counting<'a> {
    puzzle: &'a Puzzle,
    rule: Rule,
    team: Team<'a>,
    /// The only solution so far.
    found: Option<Solution>,
}

impl<'a> Counting<'a> {
    const fn new(puzzle: &'a Puzzle, rule: Rule) -> Self {
        Self { puzzle, rule, team: Team::new(puzzle, kind(rule), 0), found: None }
    }

    /// Goes on until the count is known or about `budget` more choices are tried.
    fn go_on(&mut self, budget: u64) -> Verdict {
        let end = self.team.nodes().saturating_add(budget);
        loop {
            match self.team.go_on(end.saturating_sub(self.team.nodes())) {
                Step::Spent => return Verdict::Undecided,
                Step::Exhausted => {
                    return self.found.take().map_or(Verdict::None, Verdict::Unique);
                }
                Step::Found(this) if counts(self.puzzle, self.rule, &this) => {
                    if self.rule == Rule::Loose
                        && let Some(other) = paths::another(self.puzzle, &this)
                    {
                        return Verdict::Multiple([this, other]);
                    }
                    match self.found.take() {
                        Some(one) if one != this => return Verdict::Multiple([one, this]),
                        Some(_) | None => self.found = Some(this),
                    }
                }
                Step::Found(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
