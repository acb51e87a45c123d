//! One tile: its fill, its number and its marks.

use crate::display::big_digits::{self, NumberMarks};
use crate::display::canvas::Canvas;
use crate::display::theme::Look;
use ratatui::layout::Rect;

#[derive(Debug, Clone, Copy)]
pub(super) struct Tile {
    pub number: u16,
    /// The digits of the board's largest number.
    pub digits: u16,
    pub look: Look,
    pub is_hinted: bool,
    pub is_home: bool,
}

impl Tile {
    /// Draws a tile in its box. A filled one covers half the line below, so the gaps are about as
    /// wide as they are high.
    pub(super) fn draw_boxed(self, canvas: &mut Canvas<'_>, place: Rect) {
        if canvas.theme.has_colors() {
            canvas.fill(place, self.look);
            let below = Rect { y: place.bottom(), height: 1, ..place };
            canvas.upper_halves(below, self.look);
        }
        self.draw_number(canvas, place);
    }

    /// Draws a tile on its way, by thousandths of the pitch to the right of its place and
    /// below it: in halves of a line and eighths of a column.
    pub(super) fn draw_moving(
        self,
        canvas: &mut Canvas<'_>,
        place: Rect,
        pitch: (u16, u16),
        (right, down): (i32, i32),
    ) {
        let part = |pitch: u16, parts: i32, thousandths: i32| {
            i32::from(pitch) * parts * thousandths / 1_000
        };
        let (right, down) = (part(pitch.0, 8, right), part(pitch.1, 2, down));
        canvas.fill_moved(Rect { height: place.height, ..place }, right, down, self.look);
        let moved = |from: u16, by: i32| from.saturating_add_signed(i16::try_from(by).unwrap_or(0));
        let x = moved(place.x, (right + 4).div_euclid(8));
        let y = moved(place.y, (down + 1).div_euclid(2));
        self.draw_number(canvas, Rect { x, y, ..place });
    }

    /// Draws a tile with room for marks at both sides of the number.
    pub(super) fn draw_marked(self, canvas: &mut Canvas<'_>, place: Rect) {
        if canvas.theme.has_colors() {
            canvas.fill(place, self.look);
        }
        self.draw_small(canvas, place);
    }

    /// Draws a tile without room for marks.
    pub(super) fn draw_plain(self, canvas: &mut Canvas<'_>, place: Rect) {
        let place = Rect { width: self.digits, ..place };
        canvas.text(place, &self.padded(), self.look);
        if self.is_hinted && !canvas.theme.has_colors() {
            canvas.reverse(place);
        } else if self.is_home {
            canvas.underline(place);
        }
    }

    fn draw_number(self, canvas: &mut Canvas<'_>, place: Rect) {
        let Some(dots) = big_digits::fitting(canvas, place, self.digits) else {
            return self.draw_small(canvas, place);
        };
        let marks = match (self.is_hinted, self.is_home) {
            (true, _) => NumberMarks::Hint,
            (false, true) => NumberMarks::Brackets,
            (false, false) => NumberMarks::None,
        };
        let look = (self.look, canvas.theme.has_colors());
        big_digits::draw_number(canvas, place, &self.number.to_string(), (dots, marks), look);
    }

    fn draw_small(self, canvas: &mut Canvas<'_>, place: Rect) {
        let [left, right] = match (self.is_hinted, self.is_home) {
            (true, _) => canvas.theme.symbols.hint,
            (false, true) => ["[", "]"],
            (false, false) => [" ", " "],
        };
        let text = format!("{left}{}{right}", self.padded());
        let line = Rect { y: place.y + place.height / 2, height: 1, ..place };
        canvas.centred(line, &text, self.look);
    }

    fn padded(self) -> String {
        format!("{:>width$}", self.number, width = usize::from(self.digits))
    }
}
