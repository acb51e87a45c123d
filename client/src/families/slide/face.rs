//! The face of the sliding puzzle.

use crate::display::canvas::Canvas;
use crate::display::theme::Look;
use crate::families::face::{Face, Grid, Metrics, Panel};
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::util::grid::{Cell, Size};
use ratatui::layout::Rect;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// In a box with so much air: columns beside the number with its marks, and lines
    /// above and below.
    Boxed {
        /// Columns at each side.
        beside: u16,
        /// Lines above and below.
        around: u16,
    },
    /// The number with room for marks at both sides.
    Marked,
    Plain,
}

const STYLES: [Style; 6] = [
    Style::Boxed { beside: 5, around: 3 },
    Style::Boxed { beside: 3, around: 2 },
    Style::Boxed { beside: 1, around: 1 },
    Style::Boxed { beside: 0, around: 0 },
    Style::Marked,
    Style::Plain,
];

/// The styles that are tried in the player's own race.
const ARRANGEMENTS: [(usize, Panel); 11] = [
    (0, Panel::Beside(40)),
    (1, Panel::Beside(40)),
    (2, Panel::Beside(28)),
    (3, Panel::Beside(28)),
    (4, Panel::Beside(28)),
    (3, Panel::Beside(15)),
    (4, Panel::Beside(15)),
    (4, Panel::Below(4)),
    (5, Panel::Beside(13)),
    (5, Panel::Below(3)),
    (5, Panel::Beside(15)),
];

/// A position, with the tile that a hint is about.
pub(super) struct SlideFace<'a> {
    pub board: &'a Board,
    pub hint: Option<Cell>,
}

impl SlideFace<'_> {
    fn draw_tile(&self, canvas: &mut Canvas<'_>, style: Style, place: Rect, cell: Cell) {
        let tile = self.board.tile(cell);
        if tile == 0 {
            return;
        }
        let (hinted, home) = (self.hint == Some(cell), self.board.at_home(cell));
        let digits = digits(self.board);
        let number = format!("{tile:>width$}", width = usize::from(digits));
        let [left, right] = canvas.theme.symbols.hint;
        let look = match (hinted, home) {
            (true, _) => Look::Mark,
            (false, true) => Look::Good,
            (false, false) => Look::Text,
        };
        let place = Rect { y: place.y + place.height / 2, height: 1, ..place };
        if style == Style::Plain {
            let place = Rect { width: digits, ..place };
            canvas.text(place, &number, look);
            if hinted {
                canvas.reverse(place);
            } else if home {
                canvas.underline(place);
            }
            return;
        }
        let text = match (hinted, home) {
            (true, _) => format!("{left}{number}{right}"),
            (false, true) => format!("[{number}]"),
            (false, false) => format!(" {number} "),
        };
        canvas.centred(place, &text, look);
    }
}

impl Face for SlideFace<'_> {
    fn size(&self) -> Size {
        self.board.size()
    }

    fn styles(&self) -> usize {
        STYLES.len()
    }

    fn arrangements(&self) -> &'static [(usize, Panel)] {
        &ARRANGEMENTS
    }

    fn metrics(&self, number: usize) -> Metrics {
        let digits = digits(self.board);
        match style(number) {
            Style::Boxed { beside, around } => {
                let (width, height) = (digits + 3 + 2 * beside, 2 + 2 * around);
                Metrics {
                    pitch: (width, height),
                    cell: (width - 1, height - 1),
                    margin: (1, 1),
                    gap: 2,
                }
            }
            Style::Marked => {
                Metrics { pitch: (digits + 2, 1), cell: (digits + 2, 1), margin: (0, 0), gap: 2 }
            }
            // Plain cells bring a column of their own.
            Style::Plain => {
                Metrics { pitch: (digits + 1, 1), cell: (digits + 1, 1), margin: (0, 0), gap: 1 }
            }
        }
    }

    fn focus(&self) -> Cell {
        self.board.blank()
    }

    fn draw(&self, canvas: &mut Canvas<'_>, grid: &Grid) {
        let style = style(grid.style);
        if let Style::Boxed { .. } = style {
            draw_lines(canvas, grid, self.metrics(grid.style).pitch);
        }
        for (cell, place) in grid.cells() {
            self.draw_tile(canvas, style, place, cell);
        }
    }
}

fn style(number: usize) -> Style {
    STYLES.get(number).copied().unwrap_or(Style::Plain)
}

fn draw_lines(canvas: &mut Canvas<'_>, grid: &Grid, (width, height): (u16, u16)) {
    let symbols = canvas.theme.symbols;
    let set = &symbols.border;
    let [top, cross, bottom, left, right] = symbols.cross;
    let across = |start: &str, between: &str, end: &str, fill: &str| {
        let piece = fill.repeat(usize::from(width - 1));
        let pieces = vec![piece; usize::from(grid.shown.1)];
        format!("{start}{}{end}", pieces.join(between))
    };
    let first = across(set.top_left, top, set.top_right, set.horizontal_top);
    let inner = across(left, cross, right, set.horizontal_top);
    let last = across(set.bottom_left, bottom, set.bottom_right, set.horizontal_bottom);
    let cells = across(set.vertical_left, set.vertical_left, set.vertical_right, " ");
    for y in 0..grid.area.height {
        let text = if y == 0 {
            &first
        } else if y + 1 == grid.area.height {
            &last
        } else if y % height == 0 {
            &inner
        } else {
            &cells
        };
        canvas.text(Rect { y: grid.area.y + y, height: 1, ..grid.area }, text, Look::Line);
    }
}

fn digits(board: &Board) -> u16 {
    let largest = board.size().cells().saturating_sub(1);
    u16::try_from(largest.checked_ilog10().unwrap_or(0) + 1).unwrap_or(1)
}
