//! Formulas with known results, and puzzles against an exhaustive search.

use super::*;
use crate::puzzle::numberlink::generate::make;
use crate::puzzle::numberlink::solve::paths::another;
use crate::puzzle::numberlink::tests::samples::{any_puzzle, solutions};
use crate::puzzle::numberlink::{Mode, Rule, Solution, Touch};
use crate::util::grid::Cell;
use proptest::prelude::*;
use std::collections::BTreeSet;

#[test]
fn more_pigeons_than_holes_are_refuted() {
    let mut solver = Solver::new();
    let pigeons: Vec<Vec<_>> =
        (0..8).map(|_| (0..7).map(|_| solver.add_variable()).collect()).collect();
    for (n, holes) in pigeons.iter().enumerate() {
        solver.add_clause(holes);
        for other in &pigeons[..n] {
            for (&a, &b) in holes.iter().zip(other) {
                solver.add_clause(&[!a, !b]);
            }
        }
    }
    assert_eq!(solver.resume(1_000), SolverStatus::Spent);
    assert_eq!(solver.resume(u64::MAX), SolverStatus::Unsatisfiable);
}

#[test]
fn every_assignment_is_found_once() {
    // Of seven variables in a row, no two neighbours are both true.
    let mut solver = Solver::new();
    let row: Vec<_> = (0..7).map(|_| solver.add_variable()).collect();
    for two in row.windows(2) {
        solver.add_clause(&[!two[0], !two[1]]);
    }
    let mut found = BTreeSet::new();
    while solver.resume(u64::MAX) == SolverStatus::Satisfied {
        let values: Vec<bool> = row.iter().map(|&one| solver.is_true(one)).collect();
        assert!(values.windows(2).all(|two| !(two[0] && two[1])));
        let differs: Vec<_> =
            row.iter().map(|&one| if solver.is_true(one) { !one } else { one }).collect();
        solver.add_clause(&differs);
        assert!(found.insert(values));
    }
    assert_eq!(found.len(), 34);
}

/// Returns all solutions of a class.
fn found(puzzle: &Puzzle, class: SolutionClass) -> Vec<Solution> {
    let mut search = ClauseSearch::new(puzzle, class).unwrap();
    let mut found = Vec::new();
    loop {
        match search.resume(10_000) {
            PortfolioStatus::Found(solution) => found.push(solution),
            PortfolioStatus::Exhausted => return found,
            PortfolioStatus::Spent => {}
        }
    }
}

proptest! {
    #[test]
    fn the_solutions_that_there_are_are_found_once(puzzle in any_puzzle(2..=5)) {
        let mut calm = found(&puzzle, SolutionClass::FullTaut);
        let mut expected = solutions(&puzzle, Rule::FullNoTouch);
        calm.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        expected.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        prop_assert_eq!(calm, expected);

        let taut = found(&puzzle, SolutionClass::Taut);
        prop_assert!(taut.iter().all(|one| one.solves(&puzzle, Rule::Loose)));
        let expected = solutions(&puzzle, Rule::Loose).len();
        let has_another = taut.iter().any(|one| another(&puzzle, one).is_some());
        let count = if has_another { 2 } else { taut.len().min(2) };
        prop_assert_eq!(count, expected.min(2));
    }
}

#[test]
fn boards_of_the_generator_have_one_solution() {
    for seed in 0..12 {
        let seed = format!("clause{seed}").parse().unwrap();
        let made = make("12x12".parse().unwrap(), Mode::Any, &seed).unwrap();
        for class in [SolutionClass::Taut, SolutionClass::FullTaut] {
            assert_eq!(found(&made.puzzle, class), std::slice::from_ref(&made.solution));
        }
    }
}

#[test]
fn too_large_formulas_are_refused() {
    let size = "60x60".parse().unwrap();
    let terminals: Vec<_> = (0..120).map(|n| (n / 2 + 1, Cell(30 * n))).collect();
    let puzzle = Puzzle::new(size, &terminals, &[], Touch::Free).unwrap();
    assert!(ClauseSearch::new(&puzzle, SolutionClass::Taut).is_none());
}
