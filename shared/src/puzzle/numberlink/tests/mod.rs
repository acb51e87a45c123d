//! Properties of the family for any board, and the boards for them.

mod census;
mod properties;
pub mod samples;

use crate::puzzle::numberlink::solve::{SolutionCount, count, first};
use crate::puzzle::numberlink::{Puzzle, Rule, Solution};
use crate::solver::budget::{Budget, Unsolved};

/// A budget that decides every board of these tests.
const PLENTY: Budget = Budget(20_000_000);
const RULES: [Rule; 3] = [Rule::Loose, Rule::Full, Rule::FullNoTouch];

/// Checks the solutions and returns 0, 1, or 2 for two or more.
fn counted(puzzle: &Puzzle, rule: Rule) -> usize {
    let found = first(puzzle, rule, PLENTY).solution;
    let verdict = count(puzzle, rule, PLENTY).verdict;
    match &found {
        Ok(solution) => assert!(solution.solves(puzzle, rule), "{puzzle:?} {solution:?}"),
        Err(why) => assert_eq!(*why, Unsolved::Unsolvable),
    }
    assert_eq!(found.is_ok(), verdict != SolutionCount::None, "{puzzle:?}");
    match verdict {
        SolutionCount::None => 0,
        SolutionCount::Unique(solution) => {
            assert_eq!(found, Ok(solution));
            1
        }
        SolutionCount::Multiple(two) => {
            let solves = |solution: &Solution| solution.solves(puzzle, rule);
            assert!(two.iter().all(solves) && two[0] != two[1], "{puzzle:?} {two:?}");
            2
        }
        SolutionCount::Undecided => panic!("undecided: {puzzle:?}"),
    }
}
