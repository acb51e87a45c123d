//! Links as bands and terminals as squares, where cells are large and there are colours.
//!
//! A cell of `n` lines has `2n` columns, so it is a square of twice as many halves of
//! a line as of pairs of columns. All is centred in it, and the half lines are drawn as blocks.

use crate::display::canvas::Canvas;
use crate::display::theme::{Look, Theme};
use crate::families::numberlink::cell_glyphs::{DOWN, LEFT, Piece, RIGHT, UP};
use ratatui::layout::Rect;
use std::ops::Range;

/// The least lines of a cell: smaller ones have room for lines only.
const LEAST_SCALE: u16 = 3;
/// The size of a cell in multiples of its band's.
const CELL_TO_BAND: u16 = 3;

/// Says whether links are bands in cells of `scale` lines.
pub(super) fn are_drawn(theme: &Theme, scale: u16) -> bool {
    scale >= LEAST_SCALE && theme.has_colors() && !theme.symbols.is_ascii
}

/// A cell to the next one, and how far it may be drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct BandCell {
    /// The first column and line.
    pub at: (u16, u16),
    pub scale: u16,
    /// The first column and line that belong to the next cell, or are outside.
    pub end: (u16, u16),
}

impl BandCell {
    /// Draws the part of a link in the cell; where it ends and isn't joined, with a square.
    pub(super) fn draw_link(self, canvas: &mut Canvas<'_>, piece: Piece, look: Look) {
        let scale = self.scale;
        let half = (scale / CELL_TO_BAND).max(1);
        let (near, far) = (scale - half, scale + half);
        let has = |way: u8| piece.ways & way != 0;
        let reach = |before: u8, after: u8| {
            let start = if has(before) { 0 } else { near };
            let end = if has(after) { 2 * scale } else { far };
            start..end
        };
        // An end comes first: it must not cover half of the line in which the link leaves the cell.
        if piece.ways.count_ones() < 2 {
            let half = (2 * half).min(scale - 1);
            self.fill(canvas, scale - half..scale + half, scale - half..scale + half, look);
        }
        self.fill(canvas, reach(LEFT, RIGHT), near..far, look);
        self.fill(canvas, near..far, reach(UP, DOWN), look);
    }

    /// Draws the square of a terminal.
    pub(super) fn draw_square(self, canvas: &mut Canvas<'_>, look: Look) {
        let inside = 1..2 * self.scale - 1;
        self.fill(canvas, inside.clone(), inside, look);
    }

    /// Draws the square of a terminal with the part of its link in the cell.
    pub(super) fn draw_linked_square(self, canvas: &mut Canvas<'_>, piece: Piece, look: Look) {
        self.draw_square(canvas, look);
        self.draw_link(canvas, piece, look);
        // Halves of lines that the link fills left the other half of the square empty.
        self.fill(canvas, 1..2 * self.scale - 1, 2..2 * self.scale - 2, look);
    }

    /// Draws a dot in the middle, where a hint leads.
    pub(super) fn draw_dot(self, canvas: &mut Canvas<'_>, look: Look) {
        let inside = self.scale - 1..self.scale + 1;
        self.fill(canvas, inside.clone(), inside, look);
    }

    /// Draws a border at the left and the right of the cell, in the columns that squares leave.
    pub(super) fn draw_cursor(self, canvas: &mut Canvas<'_>) {
        const SIDES: [[&str; 3]; 2] = [["▛", "▌", "▙"], ["▜", "▐", "▟"]];
        let (x, y) = self.at;
        for ([top, between, bottom], x) in SIDES.into_iter().zip([x, x + 2 * self.scale - 1]) {
            for index in 0..self.scale {
                let symbol = match index {
                    0 => top,
                    index if index + 1 == self.scale => bottom,
                    _ => between,
                };
                canvas.text(Rect { x, y: y + index, width: 1, height: 1 }, symbol, Look::Strong);
            }
        }
    }

    /// Returns the columns and lines of a terminal's square.
    pub(super) fn square(self) -> Rect {
        let (x, y) = self.at;
        Rect { x: x + 1, y, width: 2 * self.scale - 2, height: self.scale }
    }

    /// Fills columns and halves of lines, counted from the cell's first.
    fn fill(self, canvas: &mut Canvas<'_>, columns: Range<u16>, halves: Range<u16>, look: Look) {
        let (x, y) = self.at;
        let columns = x + columns.start..(x + columns.end).min(self.end.0);
        let halves = 2 * y + halves.start..(2 * y + halves.end).min(2 * self.end.1);
        canvas.fill_halves(columns, halves, look);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support as fx;
    use ratatui::buffer::Buffer;
    use ratatui::style::Color;

    /// Draws one cell of three lines, as the halves of lines that are filled: `#`.
    fn drawn(draw: impl FnOnce(BandCell, &mut Canvas<'_>)) -> Vec<String> {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 3));
        let cell = BandCell { at: (0, 0), scale: 3, end: (6, 3) };
        draw(cell, &mut Canvas::new(&mut buffer, Theme::new(fx::settings().appearance)));
        let half = |symbol: &'static str, line: &[ratatui::buffer::Cell]| -> String {
            let is_filled =
                |cell: &ratatui::buffer::Cell| cell.bg != Color::Reset || cell.symbol() == symbol;
            line.iter().map(|cell| if is_filled(cell) { '#' } else { '.' }).collect()
        };
        buffer.content.chunks(6).flat_map(|line| [half("▀", line), half("▄", line)]).collect()
    }

    #[test]
    fn a_link_leaves_no_hole_in_the_square_of_its_terminal() {
        for (scale, ways) in
            (3..=8).flat_map(|scale| [LEFT, UP, RIGHT, DOWN].map(|way| (scale, way)))
        {
            let (width, height) = (2 * scale, scale);
            let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
            let cell = BandCell { at: (0, 0), scale, end: (width, height) };
            let piece = Piece { owner: Some(1), ways, done: true };
            let mut canvas = Canvas::new(&mut buffer, Theme::new(fx::settings().appearance));
            cell.draw_linked_square(&mut canvas, piece, Look::Link(0));
            for (x, y) in (1..width - 1).flat_map(|x| (1..height - 1).map(move |y| (x, y))) {
                assert_ne!(buffer[(x, y)].bg, Color::Reset, "scale {scale}, ways {ways}: {x} {y}");
            }
        }
    }

    fn link(ways: u8) -> Vec<String> {
        let piece = Piece { owner: Some(1), ways, done: true };
        drawn(|cell, canvas| cell.draw_link(canvas, piece, Look::Link(0)))
    }

    #[test]
    fn bands_lead_to_the_neighbours_and_an_end_is_a_square() {
        assert_eq!(link(LEFT | DOWN), ["......", "......", "####..", "####..", "..##..", "..##.."]);
        assert_eq!(link(UP | DOWN), ["..##.."; 6]);
        assert_eq!(link(UP), ["..##..", ".####.", ".####.", ".####.", ".####.", "......"]);
    }

    #[test]
    fn a_terminal_is_a_square_that_leaves_a_gap_to_the_next() {
        let square = drawn(|cell, canvas| cell.draw_square(canvas, Look::Link(0)));
        assert_eq!(square, ["......", ".####.", ".####.", ".####.", ".####.", "......"]);
    }
}
