//! Letters and digits that are several lines high: the code of a room, the countdown.

use crate::display::canvas::{Canvas, line};
use crate::display::theme::Look;
use ratatui::layout::Rect;

/// Columns and lines of a glyph.
const WIDTH: u16 = 5;
const HEIGHT: u16 = 5;
/// Columns between glyphs.
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
}

/// Returns the columns and lines that a text takes.
pub(crate) fn extent(text: &str, dots: Dots) -> (u16, u16) {
    let count = u16::try_from(text.chars().count()).unwrap_or(u16::MAX);
    let width = count.saturating_mul(WIDTH + GAP).saturating_sub(GAP);
    match dots {
        Dots::Half => (width, HEIGHT.div_ceil(2)),
        Dots::Single => (width, HEIGHT),
        Dots::Square => (width.saturating_mul(2), HEIGHT),
    }
}

pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, text: &str, dots: Dots, look: Look) {
    let (_, lines) = extent(text, dots);
    for index in 0..lines {
        let row: Vec<String> =
            text.chars().map(|letter| row(canvas, letter, index, dots)).collect();
        let gap = match dots {
            Dots::Half | Dots::Single => "  ",
            Dots::Square => "    ",
        };
        canvas.text(line(area, index), &row.join(gap), look);
    }
}

fn row(canvas: &Canvas<'_>, letter: char, index: u16, dots: Dots) -> String {
    let rows = dots_of(letter);
    let segments = |index: u16| rows.get(usize::from(index)).copied().unwrap_or(0);
    let columns = (0..WIDTH).rev();
    match dots {
        Dots::Single | Dots::Square => {
            let width = if dots == Dots::Single { 1 } else { 2 };
            let (block, space) = (canvas.theme.symbols.block.repeat(width), " ".repeat(width));
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

/// Returns a glyph's rows, the leftmost dot highest.
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
        'B' => [0b11110, 0b10001, 0b11110, 0b10001, 0b11110],
        'C' => [0b01111, 0b10000, 0b10000, 0b10000, 0b01111],
        'D' => [0b11110, 0b10001, 0b10001, 0b10001, 0b11110],
        'F' => [0b11111, 0b10000, 0b11110, 0b10000, 0b10000],
        'G' => [0b01111, 0b10000, 0b10011, 0b10001, 0b01111],
        'H' => [0b10001, 0b10001, 0b11111, 0b10001, 0b10001],
        'J' => [0b00111, 0b00010, 0b00010, 0b10010, 0b01100],
        'K' => [0b10001, 0b10010, 0b11100, 0b10010, 0b10001],
        'M' => [0b10001, 0b11011, 0b10101, 0b10001, 0b10001],
        'N' => [0b10001, 0b11001, 0b10101, 0b10011, 0b10001],
        'P' => [0b11110, 0b10001, 0b11110, 0b10000, 0b10000],
        'Q' => [0b01110, 0b10001, 0b10101, 0b10010, 0b01101],
        'R' => [0b11110, 0b10001, 0b11110, 0b10010, 0b10001],
        'T' => [0b11111, 0b00100, 0b00100, 0b00100, 0b00100],
        'V' => [0b10001, 0b10001, 0b10001, 0b01010, 0b00100],
        'W' => [0b10001, 0b10001, 0b10101, 0b11011, 0b10001],
        'X' => [0b10001, 0b01010, 0b00100, 0b01010, 0b10001],
        'Y' => [0b10001, 0b01010, 0b00100, 0b00100, 0b00100],
        'Z' => [0b11111, 0b00010, 0b00100, 0b01000, 0b11111],
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
}
