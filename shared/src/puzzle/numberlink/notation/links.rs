//! Grids with drawn links.

use super::write_grid;
use crate::puzzle::numberlink::{Puzzle, Square};
use crate::util::grid::{Cell, Direction};

/// The character of each set of sides that a line connects, at most two; the bits are those of
/// [`bit`].
const LINES: [char; 16] =
    ['.', '╴', '╵', '┘', '╶', '─', '└', '?', '╷', '┐', '│', '?', '┌', '?', '?', '?'];

/// Writes a puzzle and, after an empty line, links as box-drawing lines: a solution's or a
/// drawing's.
///
/// ```
/// use gridrace_shared::puzzle::numberlink::Puzzle;
/// use gridrace_shared::puzzle::numberlink::notation::write_links;
/// use gridrace_shared::util::grid::Cell;
/// let puzzle: Puzzle = "1.2/.X./1.2".parse()?;
/// let links = [vec![Cell(0), Cell(3), Cell(6)], vec![Cell(2), Cell(5), Cell(8)]];
/// assert_eq!(write_links(&puzzle, &links), "1 . 2\n. X .\n1 . 2\n\n╷.╷\n│X│\n╵.╵\n");
/// # Ok::<(), gridrace_shared::puzzle::numberlink::notation::GridTextError>(())
/// ```
pub fn write_links(puzzle: &Puzzle, links: &[Vec<Cell>]) -> String {
    let size = puzzle.size();
    let mut sides = vec![0u8; size.cells()];
    for two in links.iter().flat_map(|link| link.windows(2)) {
        if let Some(way) = size.direction(two[0], two[1]) {
            sides[usize::from(two[0].0)] |= bit(way);
            sides[usize::from(two[1].0)] |= bit(way.opposite());
        }
    }
    let mut shown = String::new();
    for (cell, &sides) in (0..).map(Cell).zip(&sides) {
        shown.push(match puzzle.square(cell) {
            Square::Solid => 'X',
            Square::Open | Square::Terminal(_) => LINES[usize::from(sides)],
        });
        if size.col_of(cell) + 1 == size.cols() {
            shown.push('\n');
        }
    }
    format!("{}\n{shown}", write_grid(puzzle))
}

const fn bit(way: Direction) -> u8 {
    match way {
        Direction::Left => 1,
        Direction::Up => 2,
        Direction::Right => 4,
        Direction::Down => 8,
    }
}
