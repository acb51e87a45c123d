//! The solver's answer on one puzzle, checked.

use crate::net::clock::Clock;
use gridrace_shared::puzzle::numberlink::solve::{SolutionCount, count, first};
use gridrace_shared::puzzle::numberlink::{Puzzle, Rule, Solution};
use gridrace_shared::solver::budget::Budget;
use serde::Serialize;
use std::time::Duration;

/// What the solver says of a puzzle.
#[derive(Debug, Clone)]
pub struct LinkAnswer {
    /// The rule by which solutions are counted.
    pub rule: Rule,
    pub verdict: HowMany,
    /// As many of them as were looked for: two at most.
    pub solutions: Vec<Solution>,
    pub nodes: u64,
    pub time: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HowMany {
    /// Proved to have none.
    None,
    Unique,
    Multiple,
    /// One at least: the budget was spent before there was another or the proof that there
    /// is none.
    Unproven,
    /// The budget was spent before there was any.
    Undecided,
    /// The solver's solution is none: a fault of the program.
    Wrong,
}

/// A budget divided by this is kept for finding one solution, where the count isn't decided.
const FIRST_SOLUTION_DIVISOR: u64 = 4;

/// Finds out how many solutions a puzzle has, up to two; where the budget is too small for that, one
/// solution.
pub fn answer(puzzle: &Puzzle, rule: Rule, budget: Budget) -> LinkAnswer {
    let clock = Clock::start();
    let count = count(puzzle, rule, Budget(budget.0 - budget.0 / FIRST_SOLUTION_DIVISOR));
    let mut nodes = count.nodes;
    let (verdict, solutions) = match count.verdict {
        SolutionCount::None => (HowMany::None, Vec::new()),
        SolutionCount::Unique(one) => (HowMany::Unique, vec![one]),
        SolutionCount::Multiple(two) => (HowMany::Multiple, two.to_vec()),
        SolutionCount::Undecided => {
            let found = first(puzzle, rule, Budget(budget.0.saturating_sub(nodes)));
            nodes = nodes.saturating_add(found.nodes);
            match found.solution {
                Ok(one) => (HowMany::Unproven, vec![one]),
                Err(_) => (HowMany::Undecided, Vec::new()),
            }
        }
    };
    let hold = solutions.iter().all(|one| one.solves(puzzle, rule));
    LinkAnswer {
        rule,
        verdict: if hold { verdict } else { HowMany::Wrong },
        solutions,
        nodes,
        time: clock.elapsed(),
    }
}

impl LinkAnswer {
    /// Says what is amiss, where the puzzle has no answer.
    pub const fn fault(&self) -> Option<&'static str> {
        match self.verdict {
            HowMany::Unique | HowMany::Multiple | HowMany::Unproven => None,
            HowMany::None => Some("this puzzle has no solution"),
            HowMany::Undecided => Some("the budget was spent before a solution was found"),
            HowMany::Wrong => Some("the links don't solve the puzzle: a fault of the program"),
        }
    }
}

impl HowMany {
    pub const fn words(self) -> &'static str {
        match self {
            Self::None => "no solution",
            Self::Unique => "one solution, proved to be the only one",
            Self::Multiple => "more than one solution",
            Self::Unproven => "a solution; whether it is the only one isn't decided",
            Self::Undecided => "not decided",
            Self::Wrong => "a fault of the program",
        }
    }
}
