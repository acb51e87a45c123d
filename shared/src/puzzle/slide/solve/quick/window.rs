//! The square part of a board that a search looks at.

use crate::puzzle::slide::solve::quick::position::Position;
use crate::util::grid::{Direction, Size};

/// The rows and columns of a window; the board may have fewer.
const SIDE: i32 = 17;
/// The cells of a row of the window, with a border of one cell.
const ROW: usize = SIDE as usize + 2;
/// The cells of the window with its border. They are numbered row by row, so the colours of a
/// chessboard take turns.
pub(super) const CELLS: usize = ROW * ROW;
const _: () = assert!(ROW % 2 == 1);
/// The most cells that the blank can be in after as many moves: those of one colour.
pub(super) const BLANK_CELLS: usize = (SIDE * SIDE + 1) as usize / 2;

/// The place of a window on a board: its upper left cell, without the border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    top: i32,
    left: i32,
}

impl Window {
    /// Places a window around the blank and the end of its path. It stays where it was while it has room
    /// around both.
    pub(super) fn around(size: Size, blank: Position, end: Position, before: Option<Self>) -> Self {
        if let Some(before) = before
            && [blank, end].into_iter().all(|at| before.has_room(size, at))
        {
            return before;
        }
        Self {
            top: start(blank.row, end.row, size.rows()),
            left: start(blank.col, end.col, size.cols()),
        }
    }

    fn has_room(self, size: Size, at: Position) -> bool {
        /// The cells to all edges, but those at the board's edge.
        const ROOM: i32 = 4;
        let has_room = |at: i32, start: i32, side: usize| {
            let end = start + SIDE;
            (start == 0 || at - start >= ROOM) && (end >= side as i32 || end - at > ROOM)
        };
        has_room(at.row, self.top, size.rows()) && has_room(at.col, self.left, size.cols())
    }

    /// Returns the number of the cell at a position, unless it is in the border or beyond.
    pub(super) fn index(self, at: Position) -> Option<usize> {
        let inside = |n: i32| (0..SIDE).contains(&n).then(|| n as usize + 1);
        Some(inside(at.row - self.top)? * ROW + inside(at.col - self.left)?)
    }

    pub(super) const fn position(self, index: usize) -> Position {
        Position {
            row: self.top + (index / ROW) as i32 - 1,
            col: self.left + (index % ROW) as i32 - 1,
        }
    }

    /// Returns the cells that are on a board, by number and position.
    pub(super) fn cells(self, size: Size) -> impl Iterator<Item = (usize, Position)> {
        let [bottom, right] = [(self.top, size.rows()), (self.left, size.cols())]
            .map(|(start, side)| (start + SIDE).min(side as i32));
        let rows = (self.top..bottom).zip((1..).map(|row| row * ROW));
        rows.flat_map(move |(row, start)| {
            (start + 1..).zip((self.left..right).map(move |col| Position { row, col }))
        })
    }
}

/// Returns the cell to which a tile slides from another.
pub(super) const fn target(from: usize, way: Direction) -> usize {
    const BY: [isize; 4] = [-1, -(ROW as isize), 1, ROW as isize];
    from.wrapping_add_signed(BY[way as usize])
}

/// Returns the first row or column of a window on a board with a number of them.
fn start(blank: i32, end: i32, side: usize) -> i32 {
    /// The blank is at least this far from the window's edge, the board's edge apart.
    const MARGIN: i32 = 2;
    let centre = i32::midpoint(blank, end) - SIDE / 2;
    // Sides are at most 128.
    centre.clamp(blank - SIDE + MARGIN, blank - MARGIN).min(side as i32 - SIDE).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_moves_when_the_blank_comes_near_its_edge() {
        let size = Size::new(40, 12).unwrap();
        let at = |row, col| Position { row, col };
        let window = Window::around(size, at(20, 3), at(24, 3), None);
        assert_eq!(window, Window { top: 14, left: 0 });
        for (row, stays) in [(18, true), (17, false), (26, true), (27, false)] {
            let next = Window::around(size, at(row, 11), at(row, 0), Some(window));
            assert_eq!(next == window, stays, "{row}");
            assert!(next.index(at(row, 11)).is_some());
        }
        // At the board's edge there is nothing beyond.
        let last = Window::around(size, at(39, 0), at(39, 0), None);
        assert_eq!(Window::around(size, at(39, 0), at(30, 0), Some(last)), last);
    }

    #[test]
    fn cells_are_numbered_with_a_border() {
        let size = Size::new(40, 12).unwrap();
        let blank = Position { row: 20, col: 3 };
        let window = Window::around(size, blank, blank, None);
        let cells: Vec<_> = window.cells(size).collect();
        assert_eq!(cells.len(), 17 * 12);
        for (index, at) in cells {
            assert_eq!((window.index(at), window.position(index)), (Some(index), at));
        }
        let [first, beside] = [(12, 0), (12, 1)].map(|(row, col)| Position { row, col });
        let first = window.index(first).unwrap();
        assert_eq!(target(first, Direction::Right), window.index(beside).unwrap());
        assert_eq!(window.index(window.position(target(first, Direction::Up))), None);
    }
}
