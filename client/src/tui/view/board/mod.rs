//! Boards, as large as their area allows. What a family's cells look like is a file here,
//! its face; [`of`] and [`own`] are the place where the families are listed.

pub(crate) mod cell_glyphs;
pub(crate) mod grid;
pub(crate) mod marks;

pub(crate) use cell_glyphs::label;
pub(crate) use grid::{Grid, Metrics};

use crate::tui::model::Racing;
use crate::tui::view::canvas::Paint;
use gridrace_shared::puzzle::Board;
use gridrace_shared::util::grid::{Cell, Size};

/// Where the numbers and rivals are: beside the board with so many columns, or below it
/// with so many lines, at least.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Panel {
    Beside(u16),
    Below(u16),
}

/// How a board shows itself. Its styles have numbers, the largest 0.
pub(crate) trait Face {
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
pub(crate) fn of(board: &Board) -> Box<dyn Face + '_> {
    match board {
        Board::Slide(board) => Box::new(crate::families::slide::face::Face::of(board)),
        Board::Link(drawing) => Box::new(crate::families::numberlink::face::Face::of(drawing)),
    }
}

/// Returns the face of a board that is watched; of one that is too large, the part around
/// the last change is shown.
pub(crate) fn watched(board: &Board, changed: Option<Cell>) -> Box<dyn Face + '_> {
    match board {
        // The blank is where the last change was.
        Board::Slide(board) => Box::new(crate::families::slide::face::Face::of(board)),
        Board::Link(drawing) => {
            Box::new(crate::families::numberlink::face::Face::watched(drawing, changed))
        }
    }
}

/// Returns the face of one's own board, with the hint and what the hand does.
pub(crate) fn own(racing: Racing<'_>) -> Box<dyn Face + '_> {
    match racing.race.play.board() {
        Board::Slide(board) => Box::new(crate::families::slide::face::Face::own(board, racing)),
        Board::Link(drawing) => {
            Box::new(crate::families::numberlink::face::Face::own(drawing, racing))
        }
    }
}
