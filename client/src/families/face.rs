//! The interface of a family's board on the screen: its drawing, and the positions of its cells.

use crate::display::canvas::Canvas;
use gridrace_shared::util::grid::{Cell, Size};
use ratatui::layout::Rect;

/// Where the panel with numbers and rivals is, and its least extent.
#[derive(Debug, Clone, Copy)]
pub enum PanelPlacement {
    /// Beside the board, in columns.
    Beside(u16),
    /// Below the board, in lines.
    Below(u16),
}

/// How a board is drawn. Its styles are numbered from 0, the largest first.
pub trait Face {
    fn size(&self) -> Size;

    fn styles(&self) -> usize;

    /// Returns the styles and panels to try for a player's own board, the best first. A board
    /// that fits in none is cut in the last one.
    fn arrangements(&self) -> &'static [(usize, PanelPlacement)];

    fn metrics(&self, style: usize) -> Metrics;

    /// Returns the cell that stays visible when the board is too large.
    fn focus(&self) -> Cell;

    fn draw(&self, canvas: &mut Canvas<'_>, grid: &Grid);

    /// Says whether a style shows a picture, where there is one.
    fn shows_picture(&self, _style: usize) -> bool {
        false
    }
}

/// How a style lays cells out, in columns and lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metrics {
    /// From one cell to the next.
    pub pitch: (u16, u16),
    pub cell: (u16, u16),
    /// Columns and lines around all cells, on each side.
    pub margin: (u16, u16),
    /// Columns between the board and the panel beside it.
    pub gap: u16,
}

/// Where the cells of a board are on the screen. A board that is too large is cut to the cells
/// around its focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// The part of the screen that is drawn on.
    pub area: Rect,
    pub style: usize,
    /// The board's rows and columns.
    pub size: Size,
    /// The first row and column shown.
    pub first: (u16, u16),
    /// The number of rows and columns shown.
    pub shown: (u16, u16),
    metrics: Metrics,
}

impl Grid {
    /// Returns the columns and lines of a board in a style.
    pub fn extent(face: &dyn Face, style: usize) -> (u16, u16) {
        let (rows, columns) = sides(face.size());
        face.metrics(style).extent(rows, columns)
    }

    /// Lays a board out in a style at the top left of an area, cut to what fits.
    pub fn new(area: Rect, face: &dyn Face, style: usize) -> Self {
        let (size, metrics) = (face.size(), face.metrics(style));
        let (rows, columns) = sides(size);
        let fits = |length: u16, margin: u16, cell: u16, pitch: u16| {
            let more = length.saturating_sub(2 * margin + cell) / pitch;
            more.saturating_add(1)
        };
        let (margin, cell, pitch) = (metrics.margin, metrics.cell, metrics.pitch);
        let shown = (
            rows.min(fits(area.height, margin.1, cell.1, pitch.1)),
            columns.min(fits(area.width, margin.0, cell.0, pitch.0)),
        );
        let focus = face.focus();
        let at = |index: usize| u16::try_from(index).unwrap_or(0);
        let (row, column) = (at(size.row_of(focus)), at(size.col_of(focus)));
        let first = (
            row.saturating_sub(shown.0 / 2).min(rows - shown.0),
            column.saturating_sub(shown.1 / 2).min(columns - shown.1),
        );
        let (width, height) = metrics.extent(shown.0, shown.1);
        let area = Rect { width: width.min(area.width), height: height.min(area.height), ..area };
        Self { area, style, size, first, shown, metrics }
    }

    /// Returns the cell of the board at a cell of the screen.
    pub fn cell_at(&self, x: u16, y: u16) -> Option<Cell> {
        let Metrics { pitch, cell, margin, .. } = self.metrics;
        let inside = |at: u16, from: u16| at.checked_sub(from);
        let x = inside(x, self.area.x + margin.0)?;
        let y = inside(y, self.area.y + margin.1)?;
        let between = x % pitch.0 >= cell.0 || y % pitch.1 >= cell.1;
        let (row, column) = (y / pitch.1, x / pitch.0);
        if between || row >= self.shown.0 || column >= self.shown.1 {
            return None;
        }
        Some(self.cell(row, column))
    }

    pub fn is_cut(&self) -> bool {
        self.shown != sides(self.size)
    }

    /// Returns the area around the cells, where there is room for a border.
    pub fn border(&self) -> Option<Rect> {
        let (columns, lines) = self.metrics.margin;
        (columns > 0 && lines > 0).then_some(self.area)
    }

    /// Returns the cells that are shown, with their places on the screen.
    pub fn cells(&self) -> impl Iterator<Item = (Cell, Rect)> {
        let (rows, columns) = self.shown;
        let places = (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)));
        places.map(|(row, column)| (self.cell(row, column), self.place(row, column)))
    }

    /// Returns the inside of a shown cell, whose row and column count from the first shown.
    pub fn place(&self, row: u16, column: u16) -> Rect {
        let Metrics { pitch, cell, margin, .. } = self.metrics;
        Rect {
            x: self.area.x + margin.0 + column * pitch.0,
            y: self.area.y + margin.1 + row * pitch.1,
            width: cell.0,
            height: cell.1,
        }
    }

    fn cell(&self, row: u16, column: u16) -> Cell {
        let row = usize::from(self.first.0 + row);
        self.size.cell(row, usize::from(self.first.1 + column))
    }
}

impl Metrics {
    const fn extent(self, rows: u16, columns: u16) -> (u16, u16) {
        (
            2 * self.margin.0 + columns.saturating_sub(1) * self.pitch.0 + self.cell.0,
            2 * self.margin.1 + rows.saturating_sub(1) * self.pitch.1 + self.cell.1,
        )
    }
}

fn sides(size: Size) -> (u16, u16) {
    let side = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
    (side(size.rows()), side(size.cols()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families;
    use crate::test_support as fx;

    #[test]
    fn every_cell_is_found_where_it_is_drawn() {
        for start in [fx::start("slide:3x5"), fx::start("link:10x10")] {
            let face = families::face(&start, None);
            for style in 0..face.styles() {
                let grid = Grid::new(Rect::new(3, 2, 400, 140), &*face, style);
                assert!(!grid.is_cut());
                for (cell, place) in grid.cells() {
                    for (x, y) in [(place.x, place.y), (place.right() - 1, place.bottom() - 1)] {
                        assert_eq!(grid.cell_at(x, y), Some(cell), "{style}");
                    }
                }
                assert_eq!(grid.cell_at(2, 2), None);
                assert_eq!(grid.cell_at(402, 141), None);
            }
        }
    }

    #[test]
    fn of_a_board_too_large_the_part_around_its_focus_is_shown() {
        let start = fx::start("slide:16x16");
        let face = families::face(&start, None);
        let smallest = face.styles() - 1;
        let grid = Grid::new(Rect::new(0, 0, 20, 6), &*face, smallest);
        assert!(grid.is_cut());
        assert_eq!(grid.shown, (6, 5));
        assert!(grid.cells().any(|(cell, _)| cell == face.focus()));
    }
}
