//! The face of the sliding puzzle: filled tiles, or without colours numbers between lines.

mod tile;

use crate::display::canvas::Canvas;
use crate::display::theme::Look;
use crate::families::face::{Face, Grid, Metrics, PanelPlacement};
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::util::grid::{Cell, Size};
use ratatui::layout::Rect;
use tile::Tile;

/// Lines above and below the number in the largest boxed cells: two by two tiles then fill a
/// terminal of 60 lines.
const MOST_AROUND: u16 = 12;
const BOXED: usize = MOST_AROUND as usize + 1;
const MARKED: usize = BOXED;
const PLAIN: usize = BOXED + 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// In a box with this number of lines above and below the number, and about twice as many columns
    /// beside it.
    Boxed {
        around: u16,
    },
    /// The number with room for marks at both sides.
    Marked,
    Plain,
}

/// The styles that are tried in the player's own race.
const ARRANGEMENTS: [(usize, PanelPlacement); 21] = [
    (boxed(12), PanelPlacement::Beside(40)),
    (boxed(11), PanelPlacement::Beside(40)),
    (boxed(10), PanelPlacement::Beside(40)),
    (boxed(9), PanelPlacement::Beside(40)),
    (boxed(8), PanelPlacement::Beside(40)),
    (boxed(7), PanelPlacement::Beside(40)),
    (boxed(6), PanelPlacement::Beside(40)),
    (boxed(5), PanelPlacement::Beside(40)),
    (boxed(4), PanelPlacement::Beside(40)),
    (boxed(3), PanelPlacement::Beside(40)),
    (boxed(2), PanelPlacement::Beside(40)),
    (boxed(1), PanelPlacement::Beside(28)),
    (boxed(1), PanelPlacement::Beside(22)),
    (boxed(0), PanelPlacement::Beside(28)),
    (boxed(0), PanelPlacement::Beside(15)),
    (MARKED, PanelPlacement::Beside(28)),
    (MARKED, PanelPlacement::Beside(15)),
    (MARKED, PanelPlacement::Below(4)),
    (PLAIN, PanelPlacement::Beside(13)),
    (PLAIN, PanelPlacement::Below(3)),
    (PLAIN, PanelPlacement::Beside(15)),
];

/// A position, with the tile that a hint is about.
pub(super) struct SlideFace<'a> {
    pub board: &'a Board,
    pub hint: Option<Cell>,
    pub motion: Option<Motion>,
}

/// Tiles on their way from one cell to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Motion {
    /// Where the blank was.
    pub from: Cell,
    /// How far they have come, in thousandths.
    pub thousandths: u16,
}

impl SlideFace<'_> {
    fn tile(&self, canvas: &Canvas<'_>, cell: Cell) -> Option<Tile> {
        let number = self.board.tile(cell);
        if number == 0 {
            return None;
        }
        let (size, home) = (self.board.size(), self.board.home(number));
        let class = canvas.theme.tiles.class(size.row_of(home), size.col_of(home));
        let (is_hinted, is_home) = (self.hint == Some(cell), self.board.at_home(cell));
        let look = match (is_hinted, is_home) {
            (true, _) if canvas.theme.has_colors() => Look::HintedTile,
            (false, _) if canvas.theme.has_colors() => Look::Tile(class),
            (true, _) => Look::Mark,
            (false, true) => Look::Good,
            (false, false) => Look::Text,
        };
        let digits = digits(self.board);
        Some(Tile { number, home, digits, look, is_hinted, is_home })
    }

    /// Returns by how much of a cell's pitch a moving tile is to be drawn beside its place, in
    /// columns' and lines' direction, in thousandths.
    fn offset(&self, cell: Cell) -> Option<(i32, i32)> {
        let Motion { from, thousandths } = self.motion?;
        let (size, blank) = (self.board.size(), self.board.blank());
        let at = |cell: Cell| (size.row_of(cell), size.col_of(cell));
        let ((row, column), (from_row, from_column), (to_row, to_column)) =
            (at(cell), at(from), at(blank));
        let between =
            |at: usize, one: usize, other: usize| (one.min(other)..=one.max(other)).contains(&at);
        // Fast at first, then slower, as a thing that is pushed.
        let left = 1_000 - i32::from(thousandths.min(1_000));
        let left = left * left / 1_000;
        let towards = |from: usize, to: usize| if to > from { left } else { -left };
        if cell == blank || from == blank {
            None
        } else if row == from_row && row == to_row && between(column, from_column, to_column) {
            Some((towards(from_column, to_column), 0))
        } else if column == from_column && column == to_column && between(row, from_row, to_row) {
            Some((0, towards(from_row, to_row)))
        } else {
            None
        }
    }
}

impl Face for SlideFace<'_> {
    fn size(&self) -> Size {
        self.board.size()
    }

    fn styles(&self) -> usize {
        PLAIN + 1
    }

    fn arrangements(&self) -> &'static [(usize, PanelPlacement)] {
        &ARRANGEMENTS
    }

    fn shows_picture(&self, number: usize) -> bool {
        matches!(style(number), Style::Boxed { .. })
    }

    fn metrics(&self, number: usize) -> Metrics {
        let digits = digits(self.board);
        match style(number) {
            Style::Boxed { around } => {
                let beside = (2 * around).saturating_sub(1);
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
        let is_boxed = matches!(style, Style::Boxed { .. });
        let pitch = self.metrics(grid.style).pitch;
        if is_boxed && !canvas.theme.has_colors() {
            draw_lines(canvas, grid, pitch);
        }
        let is_moving = is_boxed && !grid.is_cut();
        let mut moving = Vec::new();
        for (cell, place) in grid.cells() {
            let Some(tile) = self.tile(canvas, cell) else { continue };
            match self.offset(cell).filter(|_| is_moving) {
                Some(offset) => moving.push((tile, place, offset)),
                None if is_boxed => tile.draw_boxed(canvas, place),
                None if style == Style::Marked => tile.draw_marked(canvas, place),
                None => tile.draw_plain(canvas, place),
            }
        }
        // Above the others, whose gaps they cross.
        for (tile, place, offset) in moving {
            tile.draw_moving(canvas, place, pitch, offset);
        }
    }
}

const fn boxed(around: u16) -> usize {
    (MOST_AROUND - around) as usize
}

fn style(number: usize) -> Style {
    match u16::try_from(number).ok().and_then(|number| MOST_AROUND.checked_sub(number)) {
        Some(around) => Style::Boxed { around },
        None if number == MARKED => Style::Marked,
        None => Style::Plain,
    }
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
