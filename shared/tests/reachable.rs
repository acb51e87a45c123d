//! Proves the solvability theorem on small boards exhaustively.
//!
//! A breadth-first search from a board is compared with the parity of each arrangement.

#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

use std::collections::{BTreeMap, BTreeSet};

use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::parity::{equivalent, is_solvable};
use gridrace_shared::puzzle::slide::solve::constructive;
use gridrace_shared::solver::budget::{Budget, Unsolved};
use gridrace_shared::util::grid::{Direction, Size};

/// The number of 3×3 boards at each distance from the goal.
const EIGHT_PUZZLE: [usize; 32] = [
    1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878,
    16993, 17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2,
];

fn size(rows: usize, cols: usize) -> Size {
    Size::new(rows, cols).unwrap()
}

/// Returns every arrangement of a size in lexicographic order.
fn arrangements(size: Size) -> Vec<Board> {
    let mut tiles: Vec<u16> = (0..).take(size.cells()).collect();
    let mut boards = vec![];
    loop {
        boards.push(Board::from_tiles(size, tiles.clone()).unwrap());
        let Some(turn) = tiles.windows(2).rposition(|pair| pair[0] < pair[1]) else {
            return boards;
        };
        let next = tiles.iter().rposition(|&tile| tile > tiles[turn]).unwrap();
        tiles.swap(turn, next);
        tiles[turn + 1..].reverse();
    }
}

/// Returns the tiles as one number, which takes a fraction of a board's memory.
fn key(board: &Board) -> u64 {
    board.tiles().iter().fold(0, |key, &tile| key << 4 | u64::from(tile))
}

/// Returns all reachable boards, and their number at each distance.
fn bfs(from: &Board) -> (BTreeSet<u64>, Vec<usize>) {
    let (mut seen, mut counts) = (BTreeSet::from([key(from)]), vec![]);
    let mut edge = vec![from.clone()];
    while !edge.is_empty() {
        counts.push(edge.len());
        let mut next = vec![];
        for board in edge {
            for direction in Direction::ALL {
                let mut moved = board.clone();
                if moved.step(direction).is_some() && seen.insert(key(&moved)) {
                    next.push(moved);
                }
            }
        }
        edge = next;
    }
    (seen, counts)
}

/// Maps every arrangement to the first one in its connected component.
fn connected_sets(boards: &[Board]) -> BTreeMap<u64, u64> {
    let mut sets = BTreeMap::new();
    for board in boards {
        if !sets.contains_key(&key(board)) {
            let (reached, _) = bfs(board);
            sets.extend(reached.into_iter().map(|reached| (reached, key(board))));
        }
    }
    sets
}

#[test]
fn on_3x3_the_two_classes_are_the_connected_components() {
    let goal = Board::solved(size(3, 3));
    let (reached, counts) = bfs(&goal);
    assert_eq!(counts, EIGHT_PUZZLE);
    assert_eq!(reached.len(), 181_440);

    let boards = arrangements(size(3, 3));
    let unsolvable = boards.iter().find(|board| !is_solvable(board)).unwrap();
    let (others, _) = bfs(unsolvable);
    assert_eq!(others.len(), 181_440);
    for board in &boards {
        assert_eq!(is_solvable(board), reached.contains(&key(board)), "{board}");
        assert_eq!(equivalent(board, &goal), reached.contains(&key(board)), "{board}");
        assert_eq!(equivalent(board, unsolvable), others.contains(&key(board)), "{board}");
    }
}

#[test]
fn equivalent_means_reachable_on_small_boards() {
    let two_classes = [(2, 2), (2, 3), (3, 2)];
    let lines = [(1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (1, 4), (4, 1), (1, 5), (5, 1)];
    for (rows, cols) in two_classes.into_iter().chain(lines) {
        let boards = arrangements(size(rows, cols));
        let sets = connected_sets(&boards);
        let goal = Board::solved(size(rows, cols));
        for one in &boards {
            assert_eq!(is_solvable(one), equivalent(one, &goal), "{one}");
            for other in &boards {
                let connected = sets[&key(one)] == sets[&key(other)];
                assert_eq!(equivalent(one, other), connected, "{one} and {other}");
            }
        }
        let classes: BTreeSet<u64> = sets.values().copied().collect();
        if two_classes.contains(&(rows, cols)) {
            assert_eq!(classes.len(), 2, "{rows}x{cols}");
        } else {
            // One class for each order of the tiles, since only the blank moves.
            assert_eq!(classes.len(), (1..rows * cols).product::<usize>(), "{rows}x{cols}");
        }
    }
}

#[test]
fn every_small_board_is_solved_or_refused_by_the_constructive_solver() {
    for (rows, cols) in [(2, 2), (2, 3), (3, 2), (1, 6), (6, 1), (1, 1)] {
        arrangements(size(rows, cols)).iter().for_each(solved_or_refused);
    }
}

/// One board in seven, which is coprime to the arrangements' periods.
#[test]
fn a_seventh_of_all_3x3_boards_is_solved_or_refused() {
    arrangements(size(3, 3)).iter().step_by(7).for_each(solved_or_refused);
}

/// Takes minutes without optimisation: `cargo test --release -- --ignored`.
#[test]
#[ignore = "looks at all 362,880 boards"]
fn every_3x3_board_is_solved_or_refused() {
    arrangements(size(3, 3)).iter().for_each(solved_or_refused);
}

fn solved_or_refused(board: &Board) {
    match constructive(board, Budget(1_000)) {
        Ok(solution) => assert!(solution.solves(board), "{board}"),
        Err(refused) => {
            assert_eq!(refused, Unsolved::Unsolvable, "{board}");
            assert!(!is_solvable(board), "{board}");
        }
    }
}
