//! A board of the sliding puzzle, as large as its area allows.

use crate::theme::Look;
use crate::view::paint::Paint;
use gridrace_shared::grid::Cell;
use gridrace_shared::numberlink::{Drawing, Square};
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::slide;
use ratatui::layout::Rect;

/// How a cell is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellStyle {
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
    /// The number and a space.
    Plain,
}

/// Where the cells of a board are on the screen; of a board that is too large, those
/// around the blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grid {
    /// The part of the screen that is drawn on.
    pub area: Rect,
    style: CellStyle,
    digits: u16,
    first: (u16, u16),
    shown: (u16, u16),
}

impl Grid {
    /// Returns the size on the screen of a board in a style.
    pub(super) fn extent(board: &Board, style: CellStyle) -> (u16, u16) {
        let (rows, columns) = sides(board);
        let (width, height, border) = pitch(style, digits(board));
        (columns * width + border, rows * height + border)
    }

    /// Lays a board out in a style at the top left of an area, cut to what fits.
    pub(super) fn new(area: Rect, board: &Board, style: CellStyle) -> Self {
        let (rows, columns) = sides(board);
        let digits = digits(board);
        let (width, height, border) = pitch(style, digits);
        let fits = |length: u16, pitch: u16| (length.saturating_sub(border) / pitch).max(1);
        let shown = (
            rows.min(fits(area.height, height)),
            columns.min(fits(area.width, width)),
        );
        let (row, column) = blank(board);
        let first = (
            row.saturating_sub(shown.0 / 2).min(rows - shown.0),
            column.saturating_sub(shown.1 / 2).min(columns - shown.1),
        );
        let area = Rect {
            width: (shown.1 * width + border).min(area.width),
            height: (shown.0 * height + border).min(area.height),
            ..area
        };
        Self {
            area,
            style,
            digits,
            first,
            shown,
        }
    }

    /// Returns the row and column of the board at a cell of the screen.
    pub(super) fn cell_at(&self, x: u16, y: u16) -> Option<(usize, usize)> {
        let (width, height, border) = pitch(self.style, self.digits);
        let inside = |at: u16, from: u16| at.checked_sub(from + border);
        let (x, y) = (inside(x, self.area.x)?, inside(y, self.area.y)?);
        let on_a_line = border > 0 && (x % width == width - 1 || y % height == height - 1);
        let (row, column) = (y / height, x / width);
        if on_a_line || row >= self.shown.0 || column >= self.shown.1 {
            return None;
        }
        Some((
            usize::from(self.first.0 + row),
            usize::from(self.first.1 + column),
        ))
    }

    /// Says whether only a part of the board is shown.
    pub(super) fn is_cut(&self, board: &Board) -> bool {
        self.shown != sides(board)
    }

    /// Draws a board, with the tile that a hint is about marked.
    pub(super) fn draw(&self, paint: &mut Paint<'_>, board: &Board, hint: Option<&Move>) {
        let board = match board {
            Board::Slide(board) => board,
            Board::Link(drawing) => return self.draw_links(paint, drawing),
        };
        if pitch(self.style, self.digits).2 > 0 {
            self.draw_lines(paint);
        }
        for row in 0..self.shown.0 {
            for column in 0..self.shown.1 {
                let at = (
                    usize::from(self.first.0 + row),
                    usize::from(self.first.1 + column),
                );
                let cell = board.size().cell(at.0, at.1);
                let hinted = hint == Some(&Move::Slide(cell));
                self.draw_tile(paint, self.place(row, column), board, cell, hinted);
            }
        }
    }

    /// Draws what is drawn of each cell: its number, or that nothing is there.
    fn draw_links(&self, paint: &mut Paint<'_>, drawing: &Drawing) {
        let (size, width) = (drawing.puzzle().size(), usize::from(self.digits));
        for row in 0..self.shown.0 {
            for column in 0..self.shown.1 {
                let at = |first: u16, step: u16| usize::from(first + step);
                let cell = size.cell(at(self.first.0, row), at(self.first.1, column));
                let (text, look) = match (drawing.puzzle().square(cell), drawing.owner(cell)) {
                    (Square::Solid, _) => ("#".repeat(width), Look::Faint),
                    (Square::Terminal(number), _) => (number.to_string(), Look::Strong),
                    (Square::Open, Some(number)) => (number.to_string(), Look::Text),
                    (Square::Open, None) => (".".to_owned(), Look::Faint),
                };
                paint.text(self.place(row, column), &format!("{text:>width$}"), look);
            }
        }
    }

    /// Returns the inside of a shown cell.
    fn place(&self, row: u16, column: u16) -> Rect {
        let (width, height, border) = pitch(self.style, self.digits);
        Rect {
            x: self.area.x + border + column * width,
            y: self.area.y + border + row * height,
            width: width - border,
            height: height - border,
        }
    }

    fn draw_tile(
        &self,
        paint: &mut Paint<'_>,
        place: Rect,
        board: &slide::Board,
        cell: Cell,
        hinted: bool,
    ) {
        let tile = board.tile(cell);
        if tile == 0 {
            return;
        }
        let home = board.at_home(cell);
        let number = format!("{tile:>width$}", width = usize::from(self.digits));
        let [left, right] = paint.theme.symbols.hint;
        let look = match (hinted, home) {
            (true, _) => Look::Mark,
            (false, true) => Look::Good,
            (false, false) => Look::Text,
        };
        let place = Rect {
            y: place.y + place.height / 2,
            height: 1,
            ..place
        };
        if self.style == CellStyle::Plain {
            let place = Rect {
                width: self.digits,
                ..place
            };
            paint.text(place, &number, look);
            if hinted {
                paint.reverse(place);
            } else if home {
                paint.underline(place);
            }
            return;
        }
        let text = match (hinted, home) {
            (true, _) => format!("{left}{number}{right}"),
            (false, true) => format!("[{number}]"),
            (false, false) => format!(" {number} "),
        };
        paint.centred(place, &text, look);
    }

    fn draw_lines(&self, paint: &mut Paint<'_>) {
        let (width, height, _) = pitch(self.style, self.digits);
        let symbols = paint.theme.symbols;
        let set = &symbols.border;
        let [top, cross, bottom, left, right] = symbols.cross;
        let across = |start: &str, between: &str, end: &str, fill: &str| {
            let piece = fill.repeat(usize::from(width - 1));
            let pieces = vec![piece; usize::from(self.shown.1)];
            format!("{start}{}{end}", pieces.join(between))
        };
        let first = across(set.top_left, top, set.top_right, set.horizontal_top);
        let inner = across(left, cross, right, set.horizontal_top);
        let last = across(
            set.bottom_left,
            bottom,
            set.bottom_right,
            set.horizontal_bottom,
        );
        let cells = across(
            set.vertical_left,
            set.vertical_left,
            set.vertical_right,
            " ",
        );
        for y in 0..self.area.height {
            let text = if y == 0 {
                &first
            } else if y + 1 == self.area.height {
                &last
            } else if y % height == 0 {
                &inner
            } else {
                &cells
            };
            paint.text(
                Rect {
                    y: self.area.y + y,
                    height: 1,
                    ..self.area
                },
                text,
                Look::Line,
            );
        }
    }
}

/// Returns how far cells are apart in columns and lines, and how wide the outer line is.
fn pitch(style: CellStyle, digits: u16) -> (u16, u16, u16) {
    match style {
        CellStyle::Boxed { beside, around } => (digits + 3 + 2 * beside, 2 + 2 * around, 1),
        CellStyle::Marked => (digits + 2, 1, 0),
        CellStyle::Plain => (digits + 1, 1, 0),
    }
}

/// Returns rows and columns.
fn sides(board: &Board) -> (u16, u16) {
    let size = match board {
        Board::Slide(board) => board.size(),
        Board::Link(drawing) => drawing.puzzle().size(),
    };
    let side = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
    (side(size.rows()), side(size.cols()))
}

fn blank(board: &Board) -> (u16, u16) {
    let Board::Slide(board) = board else {
        return (0, 0);
    };
    let (size, blank) = (board.size(), board.blank());
    let at = |index: usize| u16::try_from(index).unwrap_or(0);
    (at(size.row_of(blank)), at(size.col_of(blank)))
}

fn digits(board: &Board) -> u16 {
    let largest = match board {
        Board::Slide(board) => board.size().cells().saturating_sub(1),
        Board::Link(drawing) => drawing.puzzle().pairs().len(),
    };
    u16::try_from(largest.checked_ilog10().unwrap_or(0) + 1).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(spec: &str) -> Board {
        let spec: gridrace_shared::puzzle::PuzzleSpec = spec.parse().unwrap();
        spec.board(&"friday".parse().unwrap())
    }

    #[test]
    fn every_cell_is_found_where_it_is_drawn() {
        let styles = [
            CellStyle::Boxed {
                beside: 0,
                around: 0,
            },
            CellStyle::Boxed {
                beside: 1,
                around: 1,
            },
            CellStyle::Marked,
            CellStyle::Plain,
        ];
        for style in styles {
            let board = board("slide:3x5");
            let grid = Grid::new(Rect::new(3, 2, 90, 40), &board, style);
            for row in 0..3 {
                for column in 0..5 {
                    let place = grid.place(row, column);
                    let hit = grid.cell_at(place.x, place.y);
                    assert_eq!(hit, Some((row.into(), column.into())), "{style:?}");
                }
            }
            assert_eq!(grid.cell_at(2, 2), None);
            assert_eq!(grid.cell_at(89, 39), None);
        }
    }

    #[test]
    fn of_a_board_too_large_the_part_around_the_blank_is_shown() {
        let board = board("slide:16x16");
        let grid = Grid::new(Rect::new(0, 0, 20, 6), &board, CellStyle::Plain);
        assert!(grid.is_cut(&board));
        assert_eq!(grid.shown, (6, 5));
        let (row, column) = blank(&board);
        assert!((grid.first.0..grid.first.0 + 6).contains(&row));
        assert!((grid.first.1..grid.first.1 + 5).contains(&column));
    }
}
