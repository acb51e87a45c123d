//! The optimal solver compared with breadth-first searches and with published lengths.

#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::scramble::{Variant, scramble};
use gridrace_shared::puzzle::slide::solve::tables::{Table, TableGrade, TableSpec, Tables, build};
use gridrace_shared::puzzle::slide::solve::{IdaStar, optimal};
use gridrace_shared::solver::budget::{Budget, Unsolved};
use gridrace_shared::util::grid::{Direction, Size};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

const PLENTY: Budget = Budget(2_000_000_000);

/// Korf's boards (1985) 12, 42, 9 and 1, with the published lengths and the nodes that they take
/// here. A change of the tables, the search or its order changes the nodes: measure all hundred
/// boards then.
const KORF: [(&str, u32, u64); 4] = [
    ("1 3 5 6/0 13 14 9/11 4 8 12/10 7 15 2", 45, 1_350),
    ("6 1 15 8/5 10 13 0/3 4 2 7/14 9 11 12", 42, 1_370),
    ("0 1 15 6/9 10 4 3/14 8 12 11/5 7 2 13", 46, 1_930),
    ("13 6 8 12/15 14 0 10/11 7 4 5/9 1 3 2", 57, 88_165),
];

fn size(text: &str) -> Size {
    text.parse().unwrap()
}

fn workers(threads: usize) -> impl Fn(&(dyn Fn() + Sync)) {
    move |work| {
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
    }
}

fn table(size: Size, threads: usize) -> Table {
    let spec = TableSpec::new(size, TableGrade::Default).unwrap();
    build(spec, &workers(threads), &|_| {})
}

fn tables(size: Size) -> Tables {
    Tables::none().with(Arc::new(table(size, 1)))
}

/// The 4×4 tables take a few seconds without optimisation, so they are built once.
fn four() -> &'static Tables {
    static FOUR: OnceLock<Tables> = OnceLock::new();
    FOUR.get_or_init(|| Tables::none().with(Arc::new(table(size("4x4"), 2))))
}

fn scrambled(size: Size, seed: u32) -> Board {
    let seed = format!("o{seed}").parse().unwrap();
    scramble(size, &seed, Variant::BlankAnywhere).unwrap()
}

fn key(board: &Board) -> u64 {
    let tiles = board.tiles().iter();
    tiles.fold(0, |key, &tile| key << 4 | u64::from(tile))
}

/// Visits every board within `depth` moves of the goal with its distance, breadth first.
fn bfs(size: Size, depth: u32, mut visit: impl FnMut(&Board, u32)) {
    let goal = Board::solved(size);
    let mut seen = HashMap::from([(key(&goal), 0)]);
    let mut layer = vec![goal];
    for distance in 0..=depth {
        let mut next = Vec::new();
        for board in layer {
            visit(&board, distance);
            for way in Direction::ALL {
                let mut moved = board.clone();
                if moved.step(way).is_some() && seen.insert(key(&moved), distance + 1).is_none() {
                    next.push(moved);
                }
            }
        }
        layer = next;
    }
}

fn check(board: &Board, length: u32, tables: &Tables) {
    let solution = optimal(board, PLENTY, tables).unwrap();
    assert!(solution.solves(board) && solution.is_optimal(), "{board}");
    assert_eq!(solution.len(), length, "{board}");
}

#[test]
fn some_boards_of_each_size_are_solved_at_the_bfs_distance() {
    for (text, depth, stride) in [
        ("2x2", 40, 7),
        ("2x3", 40, 7),
        ("3x2", 40, 7),
        ("2x4", 40, 7),
        ("3x3", 31, 89),
        ("2x5", 22, 101),
        ("3x4", 17, 101),
        ("4x3", 17, 101),
    ] {
        let tables = tables(size(text));
        let mut n = 0;
        bfs(size(text), depth, |board, distance| {
            n += 1;
            if n % stride == 0 || distance > 30 {
                check(board, distance, &tables);
            }
            if n % 41 == 0 && board.tiles().len() < 8 {
                check(board, distance, &Tables::none());
            }
        });
    }
}

#[test]
#[ignore = "solves all 181,440 boards"]
fn every_3x3_board_is_solved_at_the_bfs_distance() {
    let tables = tables(size("3x3"));
    bfs(size("3x3"), 31, |board, distance| check(board, distance, &tables));
}

/// The search without tables uses Manhattan distances only, which the breadth-first tests check.
#[test]
fn solutions_with_and_without_tables_are_equally_long() {
    for (text, boards) in [("2x5", 12), ("5x2", 6), ("3x4", 2), ("4x3", 2)] {
        let tables = tables(size(text));
        for seed in 0..boards {
            let board = scrambled(size(text), seed);
            let plain = optimal(&board, PLENTY, &Tables::none()).unwrap();
            check(&board, plain.len(), &tables);
        }
    }
}

#[test]
fn published_boards_have_their_lengths_and_pinned_nodes() {
    for (text, length, nodes) in KORF {
        let board: Board = text.parse().unwrap();
        let solution = optimal(&board, PLENTY, four()).unwrap();
        assert!(solution.solves(&board), "{board}");
        assert_eq!((solution.len(), solution.nodes()), (length, nodes), "{board}");
    }
}

#[test]
fn slicing_a_search_does_not_change_its_result() {
    let tables = tables(size("3x4"));
    for seed in 0..4 {
        let board = scrambled(size("3x4"), seed);
        let whole = optimal(&board, PLENTY, &tables).unwrap();
        for slice in [1, 7, 100, 10_000] {
            let mut search = IdaStar::new(&board, &tables).unwrap();
            let mut bound = search.at_least();
            let solution = loop {
                let before = search.nodes();
                if let Some(solution) = search.search(Budget(slice)) {
                    break solution;
                }
                assert!(search.at_least() >= bound && search.at_least() <= whole.len());
                assert_eq!(search.nodes(), before + slice);
                bound = search.at_least();
            };
            assert_eq!(solution, whole);
        }
    }
}

#[test]
fn the_budget_is_kept() {
    let board = scrambled(size("3x4"), 1);
    let tables = tables(size("3x4"));
    let nodes = optimal(&board, PLENTY, &tables).unwrap().nodes();
    assert!(optimal(&board, Budget(nodes), &tables).is_ok());
    assert_eq!(optimal(&board, Budget(nodes - 1), &tables), Err(Unsolved::OverBudget));
    let unsolvable: Board = "2 1 3/4 5 6/7 8 0".parse().unwrap();
    assert_eq!(optimal(&unsolvable, PLENTY, &tables), Err(Unsolved::Unsolvable));
}

#[test]
fn tables_do_not_depend_on_the_number_of_threads() {
    for text in ["3x3", "2x5"] {
        assert_eq!(table(size(text), 1).payload(), table(size(text), 3).payload());
    }
}

#[test]
fn bytes_of_another_length_are_refused() {
    let table = table(size("3x3"), 1);
    let mut bytes = table.payload().to_vec();
    bytes.pop();
    assert!(Table::from_payload(table.spec(), Arc::new(bytes)).is_err());
    // Wrong bytes of the right length only give wrong answers.
    let wrong = vec![0xff; table.payload().len()];
    let wrong = Table::from_payload(table.spec(), Arc::new(wrong)).unwrap();
    let board = scrambled(size("3x3"), 1);
    optimal(&board, Budget(1_000_000), &Tables::none().with(Arc::new(wrong))).ok();
}
