//! Boards, as large as their area allows. What a family's cells look like is a file here,
//! its face; [`of`] and [`own`] are the place where the families are listed.

mod grid;
mod link;
mod marks;
mod pieces;
mod slide;

pub(super) use grid::{Grid, Metrics};
pub(super) use pieces::label;

use crate::model::Racing;
use crate::view::paint::Paint;
use gridrace_shared::grid::{Cell, Size};
use gridrace_shared::puzzle::Board;

/// Where the numbers and rivals are: beside the board with so many columns, or below it
/// with so many lines, at least.
#[derive(Debug, Clone, Copy)]
pub(super) enum Panel {
    Beside(u16),
    Below(u16),
}

/// How a board shows itself. Its styles have numbers, the largest 0.
pub(super) trait Face {
    /// Returns its rows and columns.
    fn size(&self) -> Size;

    /// Returns how many styles there are.
    fn styles(&self) -> usize;

    /// Returns which style goes with which panel in one's own race, the best first; a
    /// board that fits nowhere is cut in the last.
    fn arrangements(&self) -> &'static [(usize, Panel)];

    /// Returns how a style lays cells out.
    fn metrics(&self, style: usize) -> Metrics;

    /// Returns what stays in sight of a board that is too large.
    fn focus(&self) -> Cell;

    /// Draws the shown cells.
    fn draw(&self, paint: &mut Paint<'_>, grid: &Grid);
}

/// Returns the face of anybody's board.
pub(super) fn of(board: &Board) -> Box<dyn Face + '_> {
    match board {
        Board::Slide(board) => Box::new(slide::Face::of(board)),
        Board::Link(drawing) => Box::new(link::Face::of(drawing)),
    }
}

/// Returns the face of a board that is watched; of one that is too large, the part around
/// the last change is shown.
pub(super) fn watched(board: &Board, changed: Option<Cell>) -> Box<dyn Face + '_> {
    match board {
        // The blank is where the last change was.
        Board::Slide(board) => Box::new(slide::Face::of(board)),
        Board::Link(drawing) => Box::new(link::Face::watched(drawing, changed)),
    }
}

/// Returns the face of one's own board, with the hint and what the hand does.
pub(super) fn own(racing: &Racing) -> Box<dyn Face + '_> {
    match racing.play.board() {
        Board::Slide(board) => Box::new(slide::Face::own(board, racing)),
        Board::Link(drawing) => Box::new(link::Face::own(drawing, racing)),
    }
}
