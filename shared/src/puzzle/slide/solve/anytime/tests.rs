use super::*;
use crate::puzzle::slide::scramble::{Variant, any_board, scramble};
use crate::puzzle::slide::solve::tables::{TableGrade, TableSpec, build};
use crate::puzzle::slide::solve::{Quality, optimal, solve};
use crate::util::grid::{Cell, Size};
use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;

fn board(size: &str, seed: &str) -> Board {
    let size: Size = size.parse().unwrap();
    scramble(size, &seed.parse().unwrap(), Variant::BlankAnywhere).unwrap()
}

fn table(size: &str) -> Tables {
    let spec = TableSpec::new(size.parse().unwrap(), TableGrade::Default).unwrap();
    Tables::none().with(Arc::new(build(spec, &|work| work(), &|_| {})))
}

fn answer(board: &Board, slices: &[u64]) -> Solution {
    let mut search = AnytimeSearch::new(board, &Tables::none()).unwrap();
    for &slice in slices {
        search.improve(Budget(slice));
    }
    search.into_best()
}

#[test]
fn the_result_depends_on_the_sum_of_the_budgets_only() {
    for size in ["3x4", "4x4", "5x5", "2x9", "7x6", "3x20", "17x16"] {
        let board = board(size, "slices");
        let whole = answer(&board, &[60_000]);
        assert_eq!(answer(&board, &[7; 8_572]).moves(), whole.moves(), "{size}");
        assert_eq!(answer(&board, &[59_000, 1_000]).moves(), whole.moves());
    }
}

#[test]
fn beams_and_local_search_alternate_in_the_same_way_however_the_budget_is_sliced() {
    let board = board("11x11", "slices");
    let mut whole = AnytimeSearch::new(&board, &Tables::none()).unwrap();
    whole.improve(Budget(400_000));
    let width = whole.beams.as_ref().unwrap().width;
    assert!(width > FIRST_WIDTH && whole.turn_left == 0, "the local search has had no turn");
    assert_eq!(answer(&board, &[80; 5_000]).moves(), whole.best().moves());
}

#[test]
fn without_beams_every_budget_ends() {
    for size in ["3x5", "11x11"] {
        let mut search = AnytimeSearch::new(&board(size, "alone"), &Tables::none()).unwrap();
        search.beams = None;
        let before = search.nodes;
        for budget in [0, 1, 7, 50_000, 0, 50_000] {
            search.improve(Budget(budget));
        }
        assert!((50_000..=100_008).contains(&(search.nodes - before)), "{size}");
    }
}

#[test]
fn beams_continue_when_the_local_search_ends_in_its_turn() {
    let mut search = AnytimeSearch::new(&board("11x11", "alone"), &Tables::none()).unwrap();
    search.local_search = None;
    search.turn_left = 10_000;
    let before = search.nodes;
    for budget in [0, 1, 7, 50_000, 0, 50_000] {
        search.improve(Budget(budget));
    }
    assert!((50_000..=100_008).contains(&(search.nodes - before)));
}

#[test]
fn the_first_solution_needs_no_budget_and_keeps_its_documented_bound() {
    for size in ["2x2", "2x3", "3x3", "2x40", "5x5", "20x3", "8x8", "12x17", "20x20"] {
        for seed in ["a", "b", "c"] {
            let board = board(size, seed);
            let first = solve(&board, Quality::Near, Budget(0), &Tables::none()).unwrap();
            let longer = board.size().rows().max(board.size().cols());
            let most = 4_800 * (board.size().cells() * longer) as u64;
            assert!(first.solves(&board));
            assert!(first.nodes() <= most / 5, "{size}: {} of {most}", first.nodes());
        }
    }
}

#[test]
fn from_proof_keeps_the_bound_and_continues() {
    let board = board("3x4", "long");
    let mut proof = IdaStar::new(&board, &Tables::none()).unwrap();
    let first = proof.at_least();
    while proof.at_least() < first + 6 {
        assert!(proof.search(Budget(100)).is_none());
    }
    let (at_least, nodes) = (proof.at_least(), proof.nodes());
    let mut search = AnytimeSearch::from_proof(proof, &Tables::none()).unwrap();
    assert!(search.best().solves(&board));
    assert_eq!(search.best().at_least(), at_least);
    assert!(search.best().nodes() > nodes);
    while search.improve(Budget(10_000)) != Improvement::Finished {}
    let shortest = optimal(&board, Budget(u64::MAX), &Tables::none()).unwrap();
    assert_eq!(search.best().len(), shortest.len());
}

/// Boards of 3×3 with their optima, whose quick solutions stay out of the top row or the left
/// column although a shorter one crosses it.
const ACROSS: [(&str, u32); 3] =
    [("1 2 5/4 3 8/7 0 6", 15), ("1 2 3/0 4 8/5 7 6", 15), ("1 3 2/4 8 6/7 5 0", 18)];

/// Embeds a board in the last corner of a solved square board.
fn in_corner(board: &Board, side: usize) -> Board {
    let (small, size) = (board.size(), Size::new(side, side).unwrap());
    let offset = side - small.cols();
    let lift = |cell: Cell| size.cell(small.row_of(cell) + offset, small.col_of(cell) + offset);
    let mut tiles = Board::solved(size).tiles().to_vec();
    for (&tile, cell) in board.tiles().iter().zip(0..) {
        let number = match tile {
            0 => 0,
            tile => lift(board.home(tile)).0 + 1,
        };
        tiles[usize::from(lift(Cell(cell)).0)] = number;
    }
    Board::from_tiles(size, tiles).unwrap()
}

#[test]
fn a_beam_in_a_corner_does_not_raise_the_bound_of_the_board() {
    for (text, shortest) in ACROSS {
        let board: Board = text.parse().unwrap();
        assert_eq!(optimal(&board, Budget(u64::MAX), &Tables::none()).unwrap().len(), shortest);
        for side in 3..=8 {
            let board = in_corner(&board, side);
            let optimum = optimal(&board, Budget(u64::MAX), &Tables::none()).unwrap().len();
            let mut search = AnytimeSearch::new(&board, &Tables::none()).unwrap();
            for _ in 0..100 {
                assert!(search.best().at_least() <= optimum, "{board}");
                search.improve(Budget(1_000));
            }
            let best = search.best();
            assert_eq!((best.at_least(), best.len()), (optimum, optimum), "{board}");
        }
    }
}

#[test]
fn beams_widen_while_symmetries_are_halved_and_the_widest_beams_are_of_all() {
    for (size, fewest) in [("8x8", 2), ("7x7", 4)] {
        let mut search = AnytimeSearch::new(&board(size, "widths"), &Tables::none()).unwrap();
        let mut rounds: Vec<(usize, usize)> = Vec::new();
        let beams = search.beams.as_mut().unwrap();
        while beams.begin_next(&search.board, &search.best).is_some() {
            let width = beams.width;
            match rounds.last_mut() {
                Some((last, symmetries)) if *last == width => *symmetries += 1,
                _ => rounds.push((width, 1)),
            }
            beams.end_current(0);
        }
        let (widest, symmetries) = rounds.pop().unwrap();
        assert!((248_833..3 * 248_832).contains(&widest), "{widest}");
        assert_eq!(symmetries, 8);
        let narrow = [(64, 1), (128, 1), (256, 1), (512, 8), (1024, 4)];
        let wide = [3072, 9216, 27_648, 82_944, 248_832].map(|width| (width, fewest));
        assert_eq!(rounds, [&narrow[..], &wide].concat(), "{size}");
    }
}

#[test]
fn nodes_and_moves_are_pinned() {
    let measured = [("5x5", 100_000), ("7x6", 100_000), ("11x11", 400_000)].map(|(size, nodes)| {
        let solution = answer(&board(size, "fixed"), &[nodes]);
        (size, solution.len(), solution.nodes())
    });
    assert_eq!(measured, [("5x5", 101, 111_828), ("7x6", 232, 126_062), ("11x11", 1_370, 589_086)]);
}

/// Reflections of a board have a tile whose home is the last cell, which its weights by position must cover.
#[test]
fn wide_beams_of_5x5_find_solutions() {
    let board = board("5x5", "wide");
    let solution = answer(&board, &[1_000_000]);
    let mut solved = board.clone();
    for &way in solution.moves() {
        solved.step(way).unwrap();
    }
    assert!(solved.is_solved() && solution.len() < 130, "{}", solution.len());
}

#[test]
fn the_quick_solver_completes_a_beam_that_found_no_solution() {
    let board = board("8x8", "completed");
    let run = |slices: &[u64]| {
        let mut search = AnytimeSearch::new(&board, &Tables::none()).unwrap();
        search.beams.as_mut().unwrap().width = 1;
        let mut completed = false;
        for &slice in slices {
            search.improve(Budget(slice));
            completed |= search.completion.is_some();
        }
        (completed, search.into_best())
    };
    let (_, whole) = run(&[100_000]);
    let (completed, sliced) = run(&[50; 2_000]);
    assert!(completed && whole.solves(&board));
    assert_eq!((whole.moves(), whole.nodes()), (sliced.moves(), sliced.nodes()));
}

/// Every board of a size with its distance from the goal, by breadth-first search.
fn bfs(size: &str) -> Vec<(Board, u32)> {
    let goal = Board::solved(size.parse().unwrap());
    let mut seen = HashSet::from([goal.tiles().to_vec()]);
    let mut boards = vec![(goal, 0)];
    let mut next = 0;
    while next < boards.len() {
        let (board, moves) = boards[next].clone();
        for way in Direction::ALL {
            let mut moved = board.clone();
            if moved.step(way).is_some() && seen.insert(moved.tiles().to_vec()) {
                boards.push((moved, moves + 1));
            }
        }
        next += 1;
    }
    boards
}

/// Searches until finished, and checks solution and bound after each step.
fn check(board: &Board, optimum: u32, mut search: AnytimeSearch) {
    loop {
        let best = search.best();
        assert!(best.solves(board) && best.at_least() <= optimum, "{board}");
        if search.improve(Budget(1_000)) == Improvement::Finished {
            break;
        }
    }
    let best = search.best();
    assert_eq!((best.at_least(), best.len()), (optimum, optimum), "{board}");
}

/// Uses beams only, from width 1 on, so that no proof corrects their bounds and many of them fail.
fn beams_alone(board: &Board, tables: &Tables, cells: usize) -> AnytimeSearch {
    let mut search = AnytimeSearch::new(board, tables).unwrap();
    search.proof = None;
    let beams = search.beams.as_mut().unwrap();
    (beams.width, beams.cells) = (1, cells);
    search
}

#[test]
fn on_small_boards_bounds_never_exceed_the_bfs_distance_and_reach_it() {
    let (mut checked, none) = (0, Tables::none());
    let single = Board::solved("1x1".parse().unwrap());
    check(&single, 0, AnytimeSearch::new(&single, &none).unwrap());
    for (size, stride) in [("2x2", 1), ("2x3", 1), ("3x2", 7), ("2x4", 293), ("3x3", 293)] {
        let table = table(size);
        for (n, (board, optimum)) in bfs(size).into_iter().step_by(stride).enumerate() {
            checked += 1;
            check(&board, optimum, AnytimeSearch::new(&board, &table).unwrap());
            if n % 20 == 0 {
                check(&board, optimum, beams_alone(&board, &none, MAX_CELLS));
                check(&board, optimum, AnytimeSearch::new(&board, &none).unwrap());
                let mut in_a_corner = beams_alone(&board, &none, 4);
                for _ in 0..10 {
                    in_a_corner.improve(Budget(1_000));
                    assert!(in_a_corner.best().solves(&board));
                    assert!(in_a_corner.best().at_least() <= optimum, "{board}");
                }
                check(&board, optimum, beams_alone(&board, &table, MAX_CELLS));
            }
        }
    }
    assert_eq!(checked, 12 + 360 + 52 + 69 + 620);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn solutions_are_valid_and_never_get_worse(board in any_board()) {
        prop_assume!(crate::puzzle::slide::parity::is_solvable(&board));
        let mut search = AnytimeSearch::new(&board, &Tables::none()).unwrap();
        let mut best = search.best().clone();
        for _ in 0..10 {
            let improvement = search.improve(Budget(2_000));
            let now = search.best().clone();
            prop_assert!(now.solves(&board));
            prop_assert!(now.len() <= best.len() && now.at_least() >= best.at_least());
            prop_assert!(now.at_least() <= now.len() && now.nodes() <= best.nodes() + 2_004);
            let better = (now.len(), now.at_least()) != (best.len(), best.at_least());
            prop_assert_eq!(improvement == Improvement::Better, better);
            best = now;
        }
    }
}
