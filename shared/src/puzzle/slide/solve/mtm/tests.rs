//! The fewest multi-tile moves compared with breadth-first searches.

use super::*;
use crate::puzzle::slide::scramble::scrambled;
use crate::puzzle::slide::solve::tables::build;
use std::collections::HashSet;
use std::sync::OnceLock;

fn tables(size: &str) -> Tables {
    let spec = format!("{size}-mtm").parse().unwrap();
    Tables::none().with(Arc::new(build(spec, &|work| work(), &|_| {})))
}

/// Those of 3×4 take seconds without optimisation, so they are built once.
fn three_by_four() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| tables("3x4"))
}

/// Returns the boards of a size with their distance from the goal, nearest first; those beyond
/// a distance aren't expanded.
fn all(size: &str, most: u32) -> Vec<(Board, u32)> {
    let goal = Board::solved(size.parse().unwrap());
    let mut all = vec![(goal.clone(), 0)];
    let mut seen = HashSet::from([goal.tiles().to_vec()]);
    let mut next = 0;
    while let Some((board, depth)) = all.get(next).cloned() {
        next += 1;
        if depth > most {
            break;
        }
        for cell in board.legal_moves() {
            let mut moved = board.clone();
            moved.play(cell).unwrap();
            if seen.insert(moved.tiles().to_vec()) {
                all.push((moved, depth + 1));
            }
        }
    }
    all
}

fn check(board: &Board, depth: u32, tables: &Tables) {
    let solution = shortest_mtm(board, Budget(100_000_000), tables).unwrap();
    assert!(solution.solves(board), "{board}");
    assert_eq!(solution.count().acts, depth, "{board}");
}

#[test]
fn no_solution_has_fewer_multi_tile_moves() {
    // A breadth-first search from the goal gives the distance of every board.
    for (size, boards, stride) in [
        ("2x2", 12, 1),
        ("2x3", 360, 1),
        ("3x2", 360, 1),
        ("1x4", 4, 1),
        ("4x1", 4, 1),
        ("2x4", 20_160, 11),
        ("3x3", 181_440, 101),
    ] {
        let with = size.parse::<Size>().map(|size| size.rows() > 1 && size.cols() > 1);
        let tables = if with.unwrap() { tables(size) } else { Tables::none() };
        let all = all(size, u32::MAX);
        assert_eq!(all.len(), boards);
        for (n, (board, depth)) in all.iter().enumerate() {
            if n % stride == 0 || n + 10 > all.len() {
                check(board, *depth, &tables);
            }
            if n < 100 {
                check(board, *depth, &Tables::none());
            }
        }
    }
}

#[test]
#[ignore = "solves all boards of 3×3, 2×4, 2×5 and 5×2"]
fn no_solution_of_any_board_has_fewer_multi_tile_moves() {
    for size in ["3x3", "2x4", "2x5", "5x2"] {
        let tables = tables(size);
        for (board, depth) in all(size, u32::MAX) {
            check(&board, depth, &tables);
        }
    }
}

#[test]
fn boards_near_the_goal_of_3x4_are_solved_at_the_bfs_distance() {
    let tables = three_by_four();
    for size in ["3x4", "4x3"] {
        for (board, depth) in all(size, 7).iter().step_by(23) {
            check(board, *depth, tables);
        }
    }
}

#[test]
#[ignore = "builds the tables of 3×5, 4×4 and 2×8: minutes"]
fn boards_near_the_goal_of_larger_sizes_are_solved_at_the_bfs_distance() {
    for size in ["3x5", "4x4", "2x8"] {
        let tables = tables(size);
        for (board, depth) in all(size, 8).iter().step_by(7) {
            check(board, *depth, &tables);
        }
    }
}

/// Measured; a change of the colourings, the search or its order changes the nodes: solve the
/// hundred boards of docs/benchmarks.md then.
#[test]
fn some_boards_have_pinned_moves_and_nodes() {
    let tables = three_by_four();
    for (seed, moves, nodes) in [(1, 23, 525), (2, 25, 420), (3, 24, 622)] {
        let board = scrambled(3, 4, seed);
        let solution = shortest_mtm(&board, Budget(1_000_000), tables).unwrap();
        assert_eq!((solution.count().acts, solution.nodes()), (moves, nodes), "{board}");
        let transposed = shortest_mtm(&board.transposed(), Budget(1_000_000), tables).unwrap();
        assert_eq!(transposed.count().acts, moves, "{board}");
    }
}

#[test]
fn slices_change_nothing_but_where_the_search_stops() {
    let tables = three_by_four();
    let board = scrambled(3, 4, 1);
    let whole = shortest_mtm(&board, Budget(u64::MAX), tables).unwrap();
    let mut search = MtmSearch::new(&board, tables).unwrap();
    let mut bound = search.at_least();
    let mut slices = 0;
    let solution = loop {
        if let Some(solution) = search.search(Budget(1)) {
            break solution;
        }
        slices += 1;
        assert!((bound..=whole.count().acts).contains(&search.at_least()));
        bound = search.at_least();
    };
    assert_eq!(solution, whole);
    assert!(slices > 10);
}

#[test]
fn boards_over_budget_or_unsolvable_are_errors() {
    for board in [scrambled(3, 3, 1), scrambled(5, 5, 1)] {
        let short = shortest_mtm(&board, Budget(100), &Tables::none());
        assert_eq!(short, Err(Unsolved::OverBudget));
    }
    let wrong = "2 1/3 0".parse().unwrap();
    let unsolvable = shortest_mtm(&wrong, Budget(100), &Tables::none());
    assert_eq!(unsolvable, Err(Unsolved::Unsolvable));
}

#[test]
fn wrong_bytes_only_give_wrong_answers() {
    let spec = "3x3-mtm".parse().unwrap();
    let table = build(spec, &|work| work(), &|_| {});
    for byte in [0, 0x11, 0x5a, 0xff] {
        let wrong = Arc::new(vec![byte; table.payload().len()]);
        let tables = Tables::none().with(Arc::new(Table::from_payload(spec, wrong).unwrap()));
        shortest_mtm(&scrambled(3, 3, 1), Budget(100_000), &tables).ok();
    }
}

#[test]
fn tables_do_not_depend_on_the_number_of_threads() {
    let spec = "2x5-mtm".parse().unwrap();
    let three = |work: &(dyn Fn() + Sync)| {
        std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(work))));
    };
    let [one, three] = [build(spec, &|work| work(), &|_| {}), build(spec, &three, &|_| {})];
    assert_eq!(one.payload(), three.payload());
}
