//! One tile: its fill, its number and its marks.

use crate::display::big_digits::{self, NumberMarks};
use crate::display::canvas::{Canvas, TilePicture};
use crate::display::color::Rgb;
use crate::display::theme::Look;
use gridrace_shared::util::grid::Cell;
use ratatui::layout::Rect;

#[derive(Debug, Clone, Copy)]
pub(super) struct Tile {
    pub number: u16,
    pub home: Cell,
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
        if let Some(picture) = canvas.picture {
            return self.draw_picture(canvas, picture, place, (0, 0));
        }
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
        if let Some(picture) = canvas.picture {
            let shows_motion = i32::from(canvas.shows_motion());
            let moved = (part(pitch.0, 1, right), part(pitch.1, 2, down));
            let moved = (shows_motion * moved.0, shows_motion * moved.1);
            return self.draw_picture(canvas, picture, place, moved);
        }
        let (right, down) = (part(pitch.0, 8, right), part(pitch.1, 2, down));
        canvas.fill_moved(Rect { height: place.height, ..place }, right, down, self.look);
        let moved = |from: u16, by: i32| from.saturating_add_signed(i16::try_from(by).unwrap_or(0));
        let x = moved(place.x, (right + 4).div_euclid(8));
        let y = moved(place.y, (down + 1).div_euclid(2));
        self.draw_number(canvas, Rect { x, y, ..place });
    }

    /// Draws a tile's piece of the picture, moved by columns to the right and halves of a line down,
    /// with its number in a corner if that is shown or a hint is about it.
    fn draw_picture(
        self,
        canvas: &mut Canvas<'_>,
        TilePicture { board, numbers }: TilePicture<'_>,
        place: Rect,
        (right, down): (i32, i32),
    ) {
        // Like a filled tile it covers half the line below.
        let (columns, halves) = (place.width, 2 * place.height + 1);
        let moved = |from: u16, by: i32| from.saturating_add_signed(i16::try_from(by).unwrap_or(0));
        let (left, top) = (moved(place.x, right), moved(2 * place.y, down));
        // An image stands at whole lines.
        let line = top.div_ceil(2);
        let area = Rect { x: left, y: line, height: place.height + 1, ..place };
        let is_image = canvas.place_image(board, self.home, area);
        for row in (0..halves).filter(|_| !is_image) {
            for column in 0..columns {
                let of = |part: u16, parts: u16| (usize::from(part), usize::from(parts));
                let [red, green, blue] =
                    board.picture.part_of_tile(self.home, of(column, columns), of(row, halves));
                canvas.color_half(left + column, top + row, Rgb(red, green, blue));
            }
        }
        if numbers || self.is_hinted {
            let look = if self.is_hinted { Look::HintedTile } else { Look::QrCode };
            let [before, after] = if self.is_hinted { canvas.theme.symbols.hint } else { ["", ""] };
            let number = format!("{before}{}{after}", self.number);
            canvas.text(Rect { x: left, y: line, height: 1, ..place }, &number, look);
        }
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
