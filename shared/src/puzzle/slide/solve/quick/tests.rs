use super::*;
use crate::puzzle::slide::scramble::scrambled;
use proptest::prelude::*;

const PLENTY: Budget = Budget(100_000_000);

fn check(board: &Board) -> Solution {
    let solution = quick(board, PLENTY).unwrap();
    assert!(solution.solves(board), "{board}");
    solution
}

#[test]
fn every_shape_is_solved() {
    for rows in 2..=8 {
        for cols in 2..=8 {
            (0..3).for_each(|seed| drop(check(&scrambled(rows, cols, seed))));
        }
    }
    for (rows, cols) in [(2, 40), (40, 2), (3, 30), (30, 3), (20, 6), (5, 24)] {
        check(&scrambled(rows, cols, 1));
    }
    for text in ["1 2 0 3 4", "0/1/2", "1 2 3 0", "0"] {
        check(&text.parse().unwrap());
    }
}

#[test]
fn lines_solve_what_the_last_beam_does_not() {
    for (rows, cols) in [(4, 4), (5, 8), (9, 6), (2, 12), (13, 13), (3, 30)] {
        for seed in 0..3 {
            let board = scrambled(rows, cols, seed);
            let by_lines = QuickSolver::new(&board, PLENTY).solve(&board, false).unwrap();
            assert!(by_lines.solves(&board), "{board}");
        }
    }
}

#[test]
fn lines_leave_a_corner_of_large_boards_to_the_last_beam() {
    let board = scrambled(17, 18, 1);
    let by_lines = QuickSolver::new(&board, PLENTY).solve(&board, false).unwrap();
    assert!(check(&board).len() < by_lines.len());
}

#[test]
fn unsolvable_boards_are_refused() {
    for text in ["2 1 0", "2 1 3/4 5 0", "2 1 3 4/5 6 7 8/9 10 11 12/13 14 15 0"] {
        let board = text.parse().unwrap();
        assert_eq!(quick(&board, PLENTY), Err(Unsolved::Unsolvable));
    }
}

#[test]
fn a_small_budget_is_kept_and_suffices() {
    let board = scrambled(8, 8, 1);
    let plenty = check(&board);
    let least = constructive(&board, PLENTY).unwrap().nodes();
    let frugal = quick(&board, Budget(4 * least)).unwrap();
    assert!(frugal.solves(&board));
    assert!(frugal.nodes() <= 4 * least);
    assert!(frugal.nodes() < plenty.nodes());
    assert_eq!(quick(&board, Budget(least / 4)), Err(Unsolved::OverBudget));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_board_is_solved_within_the_budget_or_refused(
        rows in 2usize..9, cols in 2usize..9, seed in 0u32..10_000, budget in 0u64..200_000,
        may_solve_corner: bool,
    ) {
        let board = scrambled(rows, cols, seed);
        match QuickSolver::new(&board, Budget(budget)).solve(&board, may_solve_corner) {
            Ok(solution) => {
                prop_assert!(solution.solves(&board));
                prop_assert!(solution.nodes() <= budget);
                prop_assert!(solution.at_least() <= solution.len());
            }
            Err(error) => prop_assert_eq!(error, Unsolved::OverBudget),
        }
    }
}
