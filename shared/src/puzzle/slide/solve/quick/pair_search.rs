//! The fewest moves that bring the last two tiles of a line home within a window of cells.

use crate::util::grid::{Cell, Direction, Size};

/// The most cells of a window.
const MOST_CELLS: usize = 16;
/// The most arrangements of the blank and the two tiles.
pub(super) const PAIR_NODES: u64 = MOST_CELLS.pow(3) as u64;

/// Returns the window of two homes side by side: their line, and three lines behind it that are
/// a cell longer at both ends, as far as the cells are free.
pub(super) fn pair_window(
    size: Size,
    homes: [Cell; 2],
    inward: Direction,
    is_free: impl Fn(Cell) -> bool,
) -> Vec<Cell> {
    const DEPTH: usize = 3;
    let along = size.direction(homes[0], homes[1]).unwrap_or(inward);
    let mut window = homes.to_vec();
    let mut line = homes;
    for _ in 0..DEPTH {
        let [Some(first), Some(last)] = line.map(|cell| size.neighbour(cell, inward)) else {
            break;
        };
        line = [first, last];
        let ends = [size.neighbour(first, along.opposite()), size.neighbour(last, along)];
        window.extend(
            line.into_iter().chain(ends.into_iter().flatten()).filter(|&cell| is_free(cell)),
        );
    }
    window
}

/// Finds the fewest moves within a window that bring two tiles home, and the number of arrangements
/// seen, by breadth-first search.
pub(super) fn pair_search(
    size: Size,
    window: &[Cell],
    blank: Cell,
    places: [Cell; 2],
    homes: [Cell; 2],
) -> Option<(Vec<Direction>, u64)> {
    let index = |cell: Cell| window.iter().take(MOST_CELLS).position(|&other| other == cell);
    let number = |[blank, one, other]: [usize; 3]| (blank * MOST_CELLS + one) * MOST_CELLS + other;
    let sources: Vec<[Option<usize>; 4]> = window
        .iter()
        .map(|&cell| Direction::ALL.map(|way| index(size.neighbour(cell, way.opposite())?)))
        .collect();
    let start = [index(blank)?, index(places[0])?, index(places[1])?];
    let goal = [index(homes[0])?, index(homes[1])?];
    // The arrangements in the order of their discovery, each with its parent and move.
    let mut found = vec![(start, 0, Direction::Left)];
    let mut seen = vec![false; MOST_CELLS.pow(3)];
    seen[number(start)] = true;
    let mut at = 0;
    while let Some(&(arrangement, ..)) = found.get(at) {
        let [blank, tiles @ ..] = arrangement;
        if tiles == goal {
            let mut moves = Vec::new();
            let nodes = found.len() as u64;
            while at > 0 {
                let (_, parent, way) = found[at];
                moves.push(way);
                at = parent;
            }
            moves.reverse();
            return Some((moves, nodes));
        }
        for (way, source) in Direction::ALL.into_iter().zip(sources[blank]) {
            let Some(source) = source else {
                continue;
            };
            let [one, other] = tiles.map(|tile| if tile == source { blank } else { tile });
            let after = [source, one, other];
            if !std::mem::replace(&mut seen[number(after)], true) {
                found.push((after, at, way));
            }
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::Board;

    #[test]
    fn a_pair_in_the_wrong_order_goes_home() {
        let mut board: Board = "2 1 3 4/5 6 7 8/9 10 11 12/13 14 0 15".parse().unwrap();
        let size = board.size();
        let homes = [Cell(0), Cell(1)];
        let window = pair_window(size, homes, Direction::Down, |_| true);
        assert_eq!(window.len(), 11);
        let (moves, _) = pair_search(size, &window, Cell(14), [Cell(1), Cell(0)], homes).unwrap();
        for way in moves {
            board.step(way).unwrap();
        }
        assert!(homes.into_iter().all(|home| board.at_home(home)), "{board}");
    }

    #[test]
    fn a_blank_outside_the_window_finds_nothing() {
        let size = Size::new(4, 4).unwrap();
        let homes = [Cell(0), Cell(1)];
        let window = pair_window(size, homes, Direction::Down, |cell| cell != Cell(4));
        assert!(!window.contains(&Cell(4)));
        assert_eq!(pair_search(size, &window, Cell(4), homes, homes), None);
    }
}
