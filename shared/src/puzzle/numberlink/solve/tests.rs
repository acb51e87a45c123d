//! Solver results for puzzles with known solutions.

use super::*;
use crate::puzzle::numberlink::Touch;
use crate::util::grid::{Cell, Size};

const PLENTY: Budget = Budget(1_000_000);
const RULES: [Rule; 3] = [Rule::Loose, Rule::Full, Rule::FullNoTouch];

fn puzzle(rows: &[&str]) -> Puzzle {
    rows.join("/").parse().unwrap()
}

/// A 7×7 board with solid cells.
const EXAMPLE: [&str; 7] =
    ["......4", ".....3.", "..22..3", "....X.1", "..6..77", "54.X.X1", ".5.6..."];

/// A 9×9 board without solid cells.
const CALM: [&str; 9] = [
    "1.......2",
    ".3......4",
    ".......5.",
    "...6.....",
    ".....6...",
    "..5......",
    ".........",
    "4......3.",
    "2.......1",
];

#[test]
fn the_worked_example_has_one_full_solution() {
    let puzzle = puzzle(&EXAMPLE);
    for rule in RULES {
        let SolutionCount::Unique(solution) = count(&puzzle, rule, PLENTY).verdict else {
            panic!("{rule:?}");
        };
        assert!(solution.solves(&puzzle, Rule::FullNoTouch));
        assert_eq!(first(&puzzle, rule, PLENTY).solution, Ok(solution));
    }
}

#[test]
fn the_three_rules_give_different_counts() {
    // One short solution, or three winding ones, of which one is full.
    let open = puzzle(&["1..", "..1"]);
    assert!(matches!(count(&open, Rule::Loose, PLENTY).verdict, SolutionCount::Multiple(_)));
    assert!(matches!(count(&open, Rule::Full, PLENTY).verdict, SolutionCount::Unique(_)));
    assert_eq!(count(&open, Rule::FullNoTouch, PLENTY).verdict, SolutionCount::None);
    // One solution with an empty cell, and no full one.
    let hole = puzzle(&["1.1", "2.2", "X.X"]);
    assert!(matches!(count(&hole, Rule::Loose, PLENTY).verdict, SolutionCount::Unique(_)));
    assert_eq!(count(&hole, Rule::Full, PLENTY).verdict, SolutionCount::None);
}

#[test]
fn counting_full_solutions_agrees_with_and_without_the_loose_count() {
    let boards: [&[&str]; 7] = [
        &EXAMPLE,
        &CALM,
        &["1..", "..1"],
        &["1.1", "2.2", "X.X"],
        &["12", "21"],
        &["1....", ".....", ".....", ".....", "....1"],
        &["12..", "....", "..12", "...."],
    ];
    for board in boards {
        let puzzle = puzzle(board);
        let alone = CountSearch::new(&puzzle, Rule::Full).resume(PLENTY.0);
        for least in [1, 7, 50] {
            let counting = CountSearch::new(&puzzle, Rule::Full);
            let verdict = count_full(&puzzle, counting, PLENTY, least).verdict;
            let kind = std::mem::discriminant;
            assert_eq!(kind(&verdict), kind(&alone), "{board:?}");
            if let SolutionCount::Multiple(two) = &verdict {
                assert!(two.iter().all(|one| one.solves(&puzzle, Rule::Full)));
                assert_ne!(two[0], two[1]);
            } else {
                assert_eq!(verdict, alone);
            }
        }
    }
}

#[test]
fn a_spent_budget_decides_nothing() {
    let open = puzzle(&["1....", ".....", ".....", ".....", "....1"]);
    let count = count(&open, Rule::Full, Budget(3));
    assert_eq!(count.verdict, SolutionCount::Undecided);
    assert!(count.nodes <= 4);
    let found = first(&open, Rule::Full, Budget(3));
    assert_eq!(found.solution, Err(Unsolved::OverBudget));
}

#[test]
fn the_largest_boards_are_bounded_work() {
    let size = Size::new(40, 40).unwrap();
    let terminals = [(1, Cell(0)), (1, Cell(1599))];
    let open = Puzzle::new(size, &terminals, &[], Touch::Free).unwrap();
    for rule in RULES {
        let count = count(&open, rule, Budget(100_000));
        assert!(count.nodes <= 100_000 + 2);
    }
}

#[test]
fn a_puzzle_alone_may_imply_more_edges_than_any_slice_has_nodes() {
    let size = Size::new(60, 60).unwrap();
    let terminals: Vec<_> = (0..3_600).map(|at| (at / 2 + 1, Cell(at))).collect();
    let puzzle = Puzzle::new(size, &terminals, &[], Touch::Free).unwrap();
    for rule in RULES {
        let found = first(&puzzle, rule, PLENTY).solution.unwrap();
        assert_eq!(count(&puzzle, rule, PLENTY).verdict, SolutionCount::Unique(found));
    }
}

#[test]
fn a_board_whose_only_solution_leaves_cells_empty_has_no_full_one() {
    // The search for full solutions alone takes 812 thousand nodes.
    let text = "1.........../..........2./2.........../3......4..56/...7.6....../.......4..8./\
                ....9.5...../....7.1.9a../........a.../............/.8........../....3.b....b";
    let found = first(&text.parse().unwrap(), Rule::Full, Budget(400_000));
    assert_eq!(found.solution, Err(Unsolved::Unsolvable));
}

/// The pinned nodes show that the search is unchanged, on every machine.
#[test]
fn nodes_are_pinned() {
    let example = puzzle(&EXAMPLE);
    let calm = puzzle(&CALM);
    let proofs =
        [&example, &calm].map(|puzzle| RULES.map(|rule| count(puzzle, rule, PLENTY).nodes));
    assert_eq!(proofs, [[49, 726, 79], [150, 149, 20]]);
    let finds = [&example, &calm].map(|puzzle| first(puzzle, Rule::Full, PLENTY).nodes);
    assert_eq!(finds, [51, 169]);
}
