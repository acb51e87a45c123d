//! Breadth-first search in a window of a few cells.

use crate::util::grid::{Cell, Direction, Size};
use std::collections::{BTreeSet, VecDeque};

/// Finds the fewest moves within a window of at most six cells that bring some tiles from their
/// places to their homes; the other tiles end anywhere. Two tiles in six cells have 120
/// arrangements, three in four cells 24.
pub(super) fn search(
    size: Size,
    window: &[Cell],
    blank: Cell,
    places: &[Cell],
    homes: &[Cell],
) -> Option<Vec<Direction>> {
    let start: Vec<Cell> = std::iter::once(blank).chain(places.iter().copied()).collect();
    let mut seen = BTreeSet::from([start.clone()]);
    let mut queue = VecDeque::from([(start, Vec::new())]);
    while let Some((arrangement, moves)) = queue.pop_front() {
        if arrangement[1..] == *homes {
            return Some(moves);
        }
        for direction in Direction::ALL {
            let Some(next) = size.neighbour(arrangement[0], direction.opposite()) else {
                continue;
            };
            if !window.contains(&next) {
                continue;
            }
            let after = swap_blank(&arrangement, next);
            if seen.insert(after.clone()) {
                let mut moves = moves.clone();
                moves.push(direction);
                queue.push_back((after, moves));
            }
        }
    }
    None
}

/// Swaps the blank, which comes first, with the content of a cell.
fn swap_blank(arrangement: &[Cell], next: Cell) -> Vec<Cell> {
    let blank = arrangement[0];
    let moved = |&cell: &Cell| if cell == next { blank } else { cell };
    std::iter::once(next).chain(arrangement[1..].iter().map(moved)).collect()
}
