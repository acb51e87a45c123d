//! Solvers: one solution, or the proof that there is exactly one.
//!
//! [`first`] finds a solution and [`count`] tells none, one and several apart, under each
//! [`Rule`] and within a budget in nodes: the same answer on every machine, and "undecided"
//! where the budget doesn't reach.
//!
//! Under [`Rule::Loose`] only taut solutions are looked for (see [`search`]): cutting a link
//! short where it touches itself, and pushing it downwards around an empty cell, ends with
//! one, so a puzzle has a solution where it has a taut one; and where it has a single taut
//! one, every further solution is a step away from it.

mod layout;
mod links;
mod memo;
mod search;

use crate::hint::Budget;
use crate::numberlink::{Puzzle, Rule, Solution};
use layout::{Layout, Orientation};
use memo::Memo;
use search::{Kind, Outcome, Search};

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

/// Finds a solution under a rule, whichever comes first.
#[must_use]
pub fn first(puzzle: &Puzzle, rule: Rule, budget: Budget) -> Found {
    let count = solve(puzzle, rule, budget, 1);
    let solution = match count.verdict {
        Verdict::None => Err(Unsolved::Unsolvable),
        Verdict::Unique(solution) => Ok(solution),
        Verdict::Multiple([solution, _]) => Ok(solution),
        Verdict::Undecided => Err(Unsolved::OverBudget),
    };
    Found {
        solution,
        nodes: count.nodes,
    }
}

/// Counts the solutions under a rule, up to two.
#[must_use]
pub fn count(puzzle: &Puzzle, rule: Rule, budget: Budget) -> Count {
    solve(puzzle, rule, budget, 2)
}

fn solve(puzzle: &Puzzle, rule: Rule, budget: Budget, enough: usize) -> Count {
    let kind = match rule {
        Rule::Loose => Kind::Taut,
        Rule::Full => Kind::Full,
        Rule::FullNoTouch => Kind::FullTaut,
    };
    let layout = Layout::new(puzzle, Orientation::all(puzzle)[0]);
    let mut search = Search::new(layout, kind);
    let mut memo = Memo::default();
    let mut found: Vec<Solution> = Vec::new();
    let verdict = loop {
        let budget = budget.0.saturating_sub(search.nodes());
        match search.go_on(budget, &mut memo) {
            Outcome::Spent => break Verdict::Undecided,
            Outcome::Exhausted => {
                break match found.pop() {
                    Some(solution) => Verdict::Unique(solution),
                    None => Verdict::None,
                };
            }
            Outcome::Found => {
                let (rights, downs) = search.edges();
                let solution = links::links(puzzle, search.layout(), rights, downs);
                if rule == Rule::FullNoTouch && solution.touches(puzzle) > 0 {
                    continue;
                }
                if enough == 1 {
                    break Verdict::Unique(solution);
                }
                if rule == Rule::Loose
                    && let Some(other) = links::another(puzzle, &solution)
                {
                    break Verdict::Multiple([solution, other]);
                }
                if let Some(one) = found.pop() {
                    break Verdict::Multiple([one, solution]);
                }
                found.push(solution);
            }
        }
    };
    Count {
        verdict,
        nodes: search.nodes(),
    }
}

#[cfg(test)]
mod tests;
