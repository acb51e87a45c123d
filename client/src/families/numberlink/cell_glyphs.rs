//! The pieces of a drawing's cells: the directions of a link, and the labels of numbers.

use gridrace_shared::puzzle::numberlink::Drawing;
use gridrace_shared::util::grid::{Cell, Direction};

/// Where a piece leads: 1 left, 2 up, 4 right, 8 down, added.
pub(super) const LEFT: u8 = 1;
pub(super) const UP: u8 = 2;
pub(super) const RIGHT: u8 = 4;
pub(super) const DOWN: u8 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Piece {
    pub owner: Option<u16>,
    pub ways: u8,
    pub done: bool,
}

pub(super) fn pieces(drawing: &Drawing) -> Vec<Piece> {
    let size = drawing.puzzle().size();
    let mut pieces = vec![Piece::default(); size.cells()];
    for (number, _) in (1..).zip(drawing.puzzle().pairs()) {
        let link = drawing.link(number);
        let done = drawing.is_linked(number);
        for &cell in link {
            if let Some(piece) = pieces.get_mut(usize::from(cell.0)) {
                piece.owner = Some(number);
                piece.done = done;
            }
        }
        for two in link.windows(2) {
            let (from, to) = (two[0], two[1]);
            for direction in Direction::ALL {
                if size.neighbour(from, direction) == Some(to) {
                    lead(&mut pieces, from, direction);
                    lead(&mut pieces, to, direction.opposite());
                }
            }
        }
    }
    pieces
}

/// The number of letters from `A` to `Z`.
const LETTERS: u16 = 26;

/// Returns the letters that stand for a number on the board: `A` to `Z`, then `AA`, `AB` and so on.
pub(super) fn letters(number: u16) -> String {
    let mut letters = Vec::new();
    let mut left = number;
    while let Some(index) = left.checked_sub(1) {
        letters.push(letter(b'A', index % LETTERS));
        left = index / LETTERS;
    }
    letters.into_iter().rev().collect()
}

/// Returns them as they are written in this many columns: in one, `a` to `z` stand for `AA` to `AZ`.
pub(super) fn label(number: u16, columns: u16) -> String {
    const SECOND: u16 = LETTERS + 1;
    const THIRD: u16 = 2 * LETTERS + 1;
    match number {
        SECOND..THIRD if columns == 1 => letter(b'a', number - SECOND).to_string(),
        THIRD.. if columns == 1 => '+'.to_string(),
        _ => letters(number),
    }
}

fn letter(first: u8, at: u16) -> char {
    char::from(first.saturating_add(u8::try_from(at).unwrap_or(u8::MAX)))
}

fn lead(pieces: &mut [Piece], cell: Cell, direction: Direction) {
    if let Some(piece) = pieces.get_mut(usize::from(cell.0)) {
        piece.ways |= match direction {
            Direction::Left => LEFT,
            Direction::Up => UP,
            Direction::Right => RIGHT,
            Direction::Down => DOWN,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_on_with_two_of_them() {
        let labels = [0, 1, 26, 27, 52, 53, 702, 703].map(letters);
        assert_eq!(labels, ["", "A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }

    #[test]
    fn in_one_column_small_letters_follow() {
        let labels = [1, 26, 27, 52, 53].map(|number| label(number, 1));
        assert_eq!(labels, ["A", "Z", "a", "z", "+"]);
        assert_eq!(label(27, 2), "AA");
    }
}
