//! Letters and digits that are several lines high: the code of a room, the countdown.

use crate::display::canvas::{Canvas, line, middle};
use crate::display::theme::Look;
use ratatui::layout::Rect;

/// Dots of a glyph, side by side and one below the other.
const WIDTH: u16 = 5;
const HEIGHT: u16 = 5;
/// Dots of a colon and a point, side by side.
const NARROW_WIDTH: u16 = 1;
/// Dots between glyphs.
const GAP: u16 = 2;

/// How large a glyph's dots are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dots {
    /// Two dots in one cell, one above the other: three lines for all; not in ASCII.
    Half,
    /// A dot is one cell: five lines.
    Single,
    /// A dot is two columns wide, so about square.
    Square,
    /// A dot is four columns wide and two lines high: to be read from across a room.
    Double,
}

impl Dots {
    /// Returns the largest dots in which a text fits into an area; nothing where none do.
    pub(crate) fn largest(text: &str, area: Rect, ascii: bool) -> Option<Self> {
        let all = [Self::Double, Self::Square, Self::Single, Self::Half];
        let mut usable = all.into_iter().filter(|&dots| !ascii || dots != Self::Half);
        usable.find(|&dots| {
            let (width, height) = extent(text, dots);
            width <= area.width && height <= area.height
        })
    }

    /// Returns the columns of a dot.
    const fn columns(self) -> u16 {
        match self {
            Self::Half | Self::Single => 1,
            Self::Square => 2,
            Self::Double => 4,
        }
    }
}

/// Returns the columns and lines that a text takes.
pub(crate) fn extent(text: &str, dots: Dots) -> (u16, u16) {
    let dots_wide: u16 = text.chars().map(|letter| width(letter).saturating_add(GAP)).sum();
    let columns = dots_wide.saturating_sub(GAP).saturating_mul(dots.columns());
    let lines = match dots {
        Dots::Half => HEIGHT.div_ceil(2),
        Dots::Single | Dots::Square => HEIGHT,
        Dots::Double => 2 * HEIGHT,
    };
    (columns, lines)
}

/// What stands at both sides of a large number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberMarks {
    None,
    Brackets,
    /// Those of a hint.
    Hint,
}

/// Those that are about square, the largest first.
const NUMBER_DOTS: [Dots; 3] = [Dots::Double, Dots::Square, Dots::Half];

/// Returns the dots with which a number of that many digits fits into a place, with its marks and a
/// line above and below it.
pub(crate) fn fitting(canvas: &Canvas<'_>, place: Rect, digits: u16) -> Option<Dots> {
    NUMBER_DOTS.into_iter().find(|&dots| {
        let (width, height) = extent(&"0".repeat(digits.into()), dots);
        let is_drawn = dots != Dots::Half || !canvas.theme.symbols.is_ascii;
        is_drawn && width + 2 <= place.width && height + 2 <= place.height
    })
}

/// Draws a number with its marks in the middle of a place, on a ground in the colour of a look or
/// in that colour.
pub(crate) fn draw_number(
    canvas: &mut Canvas<'_>,
    place: Rect,
    number: &str,
    (dots, marks): (Dots, NumberMarks),
    (look, is_filled): (Look, bool),
) {
    let (width, height) = extent(number, dots);
    let area = middle(place, width, height);
    let put = |canvas: &mut Canvas<'_>, area: Rect, text: &str| {
        if is_filled {
            canvas.text_on(area, text, look);
        } else {
            canvas.text(area, text, look);
        }
    };
    draw_with(canvas, area, number, dots, put);
    let symbols = canvas.theme.symbols;
    let sides = match marks {
        NumberMarks::None => return,
        NumberMarks::Brackets => symbols.brackets,
        NumberMarks::Hint => symbols.hint.map(|mark| ["", mark, ""]),
    };
    for ([top, between, bottom], x) in
        sides.into_iter().zip([area.x.saturating_sub(1), area.right()])
    {
        for index in 0..height {
            let mark = match index {
                0 => top,
                index if index + 1 == height => bottom,
                index if marks == NumberMarks::Hint && index != height / 2 => "",
                _ => between,
            };
            put(canvas, Rect { x, y: area.y + index, width: 1, height: 1 }, mark);
        }
    }
}

pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, text: &str, dots: Dots, look: Look) {
    draw_with(canvas, area, text, dots, |canvas, area, row| {
        canvas.text(area, row, look);
    });
}

fn draw_with(
    canvas: &mut Canvas<'_>,
    area: Rect,
    text: &str,
    dots: Dots,
    put: impl Fn(&mut Canvas<'_>, Rect, &str),
) {
    let (_, lines) = extent(text, dots);
    let gap = " ".repeat(usize::from(GAP * dots.columns()));
    for index in 0..lines {
        let row: Vec<String> =
            text.chars().map(|letter| row(canvas, letter, index, dots)).collect();
        put(canvas, line(area, index), &row.join(&gap));
    }
}

const fn width(letter: char) -> u16 {
    if matches!(letter, ':' | '.') { NARROW_WIDTH } else { WIDTH }
}

fn row(canvas: &Canvas<'_>, letter: char, index: u16, dots: Dots) -> String {
    let rows = dots_of(letter);
    let segments = |index: u16| rows.get(usize::from(index)).copied().unwrap_or(0);
    let columns = (0..width(letter)).rev();
    let index = if dots == Dots::Double { index / 2 } else { index };
    match dots {
        Dots::Single | Dots::Square | Dots::Double => {
            let wide = usize::from(dots.columns());
            let (block, space) = (canvas.theme.symbols.block.repeat(wide), " ".repeat(wide));
            let set = |column| (segments(index) >> column) & 1 == 1;
            columns.map(|column| if set(column) { block.as_str() } else { &space }).collect()
        }
        Dots::Half => columns
            .map(|column| {
                match (segments(2 * index) >> column & 1, segments(2 * index + 1) >> column & 1) {
                    (0, 0) => ' ',
                    (1, 0) => '▀',
                    (0, _) => '▄',
                    (_, _) => '█',
                }
            })
            .collect(),
    }
}

/// Returns a glyph's rows, the rightmost dot lowest.
const fn dots_of(letter: char) -> [u8; 5] {
    match letter {
        '0' | 'O' => [0b01110, 0b10001, 0b10001, 0b10001, 0b01110],
        '1' => [0b00100, 0b01100, 0b00100, 0b00100, 0b01110],
        '2' => [0b11110, 0b00001, 0b01110, 0b10000, 0b11111],
        '3' => [0b11110, 0b00001, 0b01110, 0b00001, 0b11110],
        '4' => [0b10010, 0b10010, 0b11111, 0b00010, 0b00010],
        '5' => [0b11111, 0b10000, 0b11110, 0b00001, 0b11110],
        '6' => [0b01110, 0b10000, 0b11110, 0b10001, 0b01110],
        '7' => [0b11111, 0b00001, 0b00010, 0b00100, 0b00100],
        '8' => [0b01110, 0b10001, 0b01110, 0b10001, 0b01110],
        '9' => [0b01110, 0b10001, 0b01111, 0b00001, 0b01110],
        'A' => [0b01110, 0b10001, 0b11111, 0b10001, 0b10001],
        'B' => [0b11110, 0b10001, 0b11110, 0b10001, 0b11110],
        'C' => [0b01111, 0b10000, 0b10000, 0b10000, 0b01111],
        'D' => [0b11110, 0b10001, 0b10001, 0b10001, 0b11110],
        'E' => [0b11111, 0b10000, 0b11110, 0b10000, 0b11111],
        'F' => [0b11111, 0b10000, 0b11110, 0b10000, 0b10000],
        'G' => [0b01111, 0b10000, 0b10011, 0b10001, 0b01111],
        'H' => [0b10001, 0b10001, 0b11111, 0b10001, 0b10001],
        'I' => [0b01110, 0b00100, 0b00100, 0b00100, 0b01110],
        'J' => [0b00111, 0b00010, 0b00010, 0b10010, 0b01100],
        'K' => [0b10001, 0b10010, 0b11100, 0b10010, 0b10001],
        'L' => [0b10000, 0b10000, 0b10000, 0b10000, 0b11111],
        'M' => [0b10001, 0b11011, 0b10101, 0b10001, 0b10001],
        'N' => [0b10001, 0b11001, 0b10101, 0b10011, 0b10001],
        'P' => [0b11110, 0b10001, 0b11110, 0b10000, 0b10000],
        'Q' => [0b01110, 0b10001, 0b10101, 0b10010, 0b01101],
        'R' => [0b11110, 0b10001, 0b11110, 0b10010, 0b10001],
        'S' => [0b01111, 0b10000, 0b01110, 0b00001, 0b11110],
        'T' => [0b11111, 0b00100, 0b00100, 0b00100, 0b00100],
        'U' => [0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
        'V' => [0b10001, 0b10001, 0b10001, 0b01010, 0b00100],
        'W' => [0b10001, 0b10001, 0b10101, 0b11011, 0b10001],
        'X' => [0b10001, 0b01010, 0b00100, 0b01010, 0b10001],
        'Y' => [0b10001, 0b01010, 0b00100, 0b00100, 0b00100],
        'Z' => [0b11111, 0b00010, 0b00100, 0b01000, 0b11111],
        ':' => [0, 1, 0, 1, 0],
        '.' => [0, 0, 0, 0, 1],
        _ => [0; 5],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::heat::ids::CODE_LETTERS;

    #[test]
    fn every_letter_of_a_code_and_every_digit_has_its_own_glyph() {
        let digits = "0123456789".chars();
        let all: Vec<char> =
            CODE_LETTERS.iter().map(|&letter| letter.into()).chain(digits).collect();
        let glyphs: std::collections::BTreeSet<[u8; 5]> =
            all.iter().map(|&letter| dots_of(letter)).collect();
        assert_eq!(glyphs.len(), all.len());
        assert!(!glyphs.contains(&[0; 5]));
    }

    #[test]
    fn the_largest_dots_that_fit_are_taken() {
        let area = |width, height| Rect::new(0, 0, width, height);
        for (width, height, ascii, dots) in [
            (200, 60, false, Some(Dots::Double)),
            (88, 10, false, Some(Dots::Double)),
            (87, 10, false, Some(Dots::Square)),
            (30, 5, false, Some(Dots::Single)),
            (30, 4, false, Some(Dots::Half)),
            (30, 4, true, None),
            (20, 5, false, None),
        ] {
            assert_eq!(Dots::largest("0:34", area(width, height), ascii), dots);
        }
    }
}
