//! What a drawing's cells are, piece by piece.

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

/// Returns a number as it is written in this many columns: in one, letters follow 9, the
/// capitals first.
pub(super) fn label(number: u16, columns: u16) -> String {
    let letter = |first: u8, at: u16| u8::try_from(at).ok().map(|at| char::from(first + at));
    let letter = match number {
        _ if columns > 1 => None,
        10..=35 => letter(b'A', number - 10),
        36..=61 => letter(b'a', number - 36),
        62.. => Some('+'),
        0..=9 => None,
    };
    letter.map_or_else(|| number.to_string(), String::from)
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
    fn in_one_column_letters_follow_nine() {
        let labels = [1, 9, 10, 35, 36, 61, 62].map(|number| label(number, 1));
        assert_eq!(labels, ["1", "9", "A", "Z", "a", "z", "+"]);
        assert_eq!(label(10, 2), "10");
    }
}
