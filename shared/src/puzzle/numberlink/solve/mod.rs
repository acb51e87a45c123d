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
use crate::solver::budget::Budget;
use portfolio::{Portfolio, PortfolioStatus};
use row_search::SolutionClass;

/// What [`first`] came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstSolution {
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
pub struct CountResult {
    /// How many solutions there are.
    pub verdict: SolutionCount,
    /// The choices tried.
    pub nodes: u64,
}

/// How many solutions a puzzle has under a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SolutionCount {
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
const HEAD_START_NODES: u64 = 8_192;

/// What each of two counts gets in its turn at least, in nodes, and which part of what has
/// been done.
const MIN_SLICE_NODES: u64 = 1_024;
const SLICE_DIVISOR: u64 = 4;

/// Finds a solution under a rule, whichever comes first.
///
/// A full solution that doesn't touch itself solves under every rule, and is the quickest to
/// find; the search for any solution takes turns with it.
#[must_use]
pub fn first(puzzle: &Puzzle, rule: Rule, budget: Budget) -> FirstSolution {
    let any = solution_class(rule);
    let mut portfolios = vec![Portfolio::new(puzzle, SolutionClass::FullTaut, HEAD_START_NODES)];
    if any != SolutionClass::FullTaut {
        portfolios.push(Portfolio::new(puzzle, any, HEAD_START_NODES));
    }
    let mut nodes = 0;
    let mut slice = HEAD_START_NODES;
    let mut turn = 0;
    let solution = loop {
        let portfolio = &mut portfolios[turn];
        let before = portfolio.nodes();
        let step = portfolio.resume(slice.min(budget.0.saturating_sub(nodes)));
        nodes += portfolio.nodes() - before;
        match step {
            PortfolioStatus::Found(found) if satisfies(puzzle, rule, &found) => break Ok(found),
            PortfolioStatus::Found(_) => {}
            PortfolioStatus::Exhausted if portfolio.kind() == any => {
                break Err(Unsolved::Unsolvable);
            }
            PortfolioStatus::Exhausted => {
                portfolios.remove(turn);
                turn = 0;
            }
            PortfolioStatus::Spent if nodes >= budget.0 => break Err(Unsolved::OverBudget),
            PortfolioStatus::Spent => {
                turn += 1;
                if turn == portfolios.len() {
                    turn = 0;
                    slice = slice.saturating_mul(2);
                }
            }
        }
    };
    FirstSolution { solution, nodes }
}

/// Counts the solutions under a rule, up to two.
#[must_use]
pub fn count(puzzle: &Puzzle, rule: Rule, budget: Budget) -> CountResult {
    let mut counting = CountSearch::new(puzzle, rule);
    if rule == Rule::Full {
        return count_full(puzzle, counting, budget, MIN_SLICE_NODES);
    }
    let verdict = counting.resume(budget.0);
    let nodes = counting.portfolio.nodes();
    CountResult { verdict, nodes }
}

/// Returns which solutions are looked for under a rule.
const fn solution_class(rule: Rule) -> SolutionClass {
    match rule {
        Rule::Loose => SolutionClass::Taut,
        Rule::Full => SolutionClass::Full,
        Rule::FullNoTouch => SolutionClass::FullTaut,
    }
}

/// Says whether what a search found counts under the rule: a search sees a touch only where
/// it is a turn back.
fn satisfies(puzzle: &Puzzle, rule: Rule, solution: &Solution) -> bool {
    rule != Rule::FullNoTouch || solution.touches(puzzle) == 0
}

/// Counts the full solutions, by taking turns with a count of all: where a puzzle has one
/// solution even with cells left empty, that is proved with less work, as those that touch
/// themselves needn't be gone through.
fn count_full(puzzle: &Puzzle, mut full: CountSearch, budget: Budget, least: u64) -> CountResult {
    let mut loose = Some(CountSearch::new(puzzle, Rule::Loose));
    let mut nodes = 0;
    let verdict = loop {
        let turn =
            |nodes: u64| least.max(nodes / SLICE_DIVISOR).min(budget.0.saturating_sub(nodes));
        let before = full.portfolio.nodes();
        let verdict = full.resume(turn(nodes));
        nodes += full.portfolio.nodes() - before;
        if verdict != SolutionCount::Undecided || nodes >= budget.0 {
            break verdict;
        }
        let Some(counting) = &mut loose else { continue };
        let before = counting.portfolio.nodes();
        let verdict = counting.resume(turn(nodes));
        nodes += counting.portfolio.nodes() - before;
        let is_full = |solution: &Solution| solution.solves(puzzle, Rule::Full);
        match verdict {
            SolutionCount::None => break SolutionCount::None,
            SolutionCount::Unique(one) if is_full(&one) => break SolutionCount::Unique(one),
            SolutionCount::Unique(_) => break SolutionCount::None,
            SolutionCount::Multiple(two) if two.iter().all(is_full) => {
                break SolutionCount::Multiple(two);
            }
            SolutionCount::Multiple(_) => loose = None,
            SolutionCount::Undecided if nodes >= budget.0 => break SolutionCount::Undecided,
            SolutionCount::Undecided => {}
        }
    };
    CountResult { verdict, nodes }
}

/// A count in progress.
struct CountSearch<'a> {
    puzzle: &'a Puzzle,
    rule: Rule,
    portfolio: Portfolio<'a>,
    /// The only solution so far.
    found: Option<Solution>,
}

impl<'a> CountSearch<'a> {
    const fn new(puzzle: &'a Puzzle, rule: Rule) -> Self {
        Self {
            puzzle,
            rule,
            portfolio: Portfolio::new(puzzle, solution_class(rule), 0),
            found: None,
        }
    }

    /// Goes on until the count is known or about `budget` more choices are tried.
    fn resume(&mut self, budget: u64) -> SolutionCount {
        let end = self.portfolio.nodes().saturating_add(budget);
        loop {
            match self.portfolio.resume(end.saturating_sub(self.portfolio.nodes())) {
                PortfolioStatus::Spent => return SolutionCount::Undecided,
                PortfolioStatus::Exhausted => {
                    return self.found.take().map_or(SolutionCount::None, SolutionCount::Unique);
                }
                PortfolioStatus::Found(this) if satisfies(self.puzzle, self.rule, &this) => {
                    if self.rule == Rule::Loose
                        && let Some(other) = paths::another(self.puzzle, &this)
                    {
                        return SolutionCount::Multiple([this, other]);
                    }
                    match self.found.take() {
                        Some(one) if one != this => return SolutionCount::Multiple([one, this]),
                        Some(_) | None => self.found = Some(this),
                    }
                }
                PortfolioStatus::Found(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
