//! Readings of boards of two rows as others that are as many vertical slides from the goal.
//!
//! On two rows a vertical slide permutes the places of a sequence in the same way for all tiles,
//! and the slide back is the inverse permutation. So the slides that bring a permutation of tiles
//! into order do so for its inverse, taken in the opposite order: with the place of each tile as the
//! tile, and the tile as the place. The way begins with the blank in the row where it ended before;
//! unless that is the same row, the inverse is rotated by 180° as well. A reflection from left to
//! right is another board as far from the goal. Lookups of the inverse: Felner, Zahavi, Schaeffer
//! and Holte, "Dual lookups in pattern databases", 2005.

use super::colouring::Colouring;
use super::tile_sequence::{Axis, DIGIT, MAX_CELLS, TileSequence};

/// How to read the colours of the inverse of a board, or of its reflection.
#[derive(Debug, Clone)]
pub(crate) struct InverseReading {
    axis: Axis,
    tiles: usize,
    /// For the blank's row and each place of the board's sequence, the colour that is read for the
    /// tile there.
    colours: [[u8; MAX_CELLS]; 2],
    /// For the blank's row and each tile, the first bit of the place at which it is read.
    shifts: [[u32; MAX_CELLS]; 2],
    /// For the blank's row, the place at which a last slide at the goal's blank is read; it comes
    /// first.
    first_place: [usize; 2],
}

impl InverseReading {
    /// Returns the readings as the inverse and as the inverse of the reflection: on more than two
    /// rows there are none.
    pub(super) fn all(colouring: &Colouring) -> Vec<Self> {
        if !colouring.is_on_two_rows() {
            return Vec::new();
        }
        [false, true].map(|is_reflected| Self::new(colouring, is_reflected)).to_vec()
    }

    fn new(colouring: &Colouring, is_reflected: bool) -> Self {
        let (tiles, width) = (colouring.colours.len(), colouring.axis.width);
        let mut reading = Self {
            axis: colouring.axis,
            tiles,
            colours: Default::default(),
            shifts: Default::default(),
            first_place: [0; 2],
        };
        for row in 0..2 {
            // A place after the reflection, which reverses the upper row's tiles and those of the
            // lower one, and after the rotation, which reverses all.
            let turned = |place: usize, upper_tiles: usize| {
                let place = match (is_reflected, place < upper_tiles) {
                    (false, _) => place,
                    (true, true) => upper_tiles - 1 - place,
                    (true, false) => tiles - 1 + upper_tiles - place,
                };
                if row == 0 { tiles - 1 - place } else { place }
            };
            let is_first = (row == 0) != is_reflected;
            reading.first_place[row] = if is_first { 0 } else { width - 1 };
            // The inverse exchanges tiles and places: the place of a tile decides the colour, and its
            // number the place. Numbers are places in the goal, whose upper row is full.
            for n in 0..tiles {
                reading.colours[row][n] = colouring.colours[turned(n, width - 1 + row)];
                reading.shifts[row][n + 1] = DIGIT * turned(n, width) as u32;
            }
        }
        reading
    }

    /// Returns the blank's row and the colours that are read, given the row and the tiles by rows;
    /// `without_last` takes off a last slide at the goal's blank.
    #[inline]
    pub(crate) fn read(
        &self,
        row: usize,
        TileSequence(mut tiles): TileSequence,
        without_last: bool,
    ) -> (usize, TileSequence) {
        let (colours, shifts) = (&self.colours[row], &self.shifts[row]);
        let mut read = 0;
        for &colour in &colours[..self.tiles] {
            read |= u64::from(colour) << shifts[(tiles & 0xf) as usize];
            tiles >>= DIGIT;
        }
        let read = TileSequence(read);
        if without_last {
            (1 - row, self.axis.slide(read, row, 1 - row, self.first_place[row]))
        } else {
            (row, read)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, TileSequence, build};
    use crate::puzzle::slide::Board;
    use crate::puzzle::slide::scramble::scrambled;
    use std::collections::HashMap;

    /// Returns the vertical slides between one arrangement and each other one.
    fn slides_from(axis: Axis, row: usize, tiles: TileSequence) -> HashMap<(usize, u64), u8> {
        let mut slides = HashMap::from([((row, tiles.0), 0)]);
        let mut layer = vec![(row, tiles)];
        for count in 1.. {
            let mut next = Vec::new();
            for (row, tiles) in layer {
                for place in 0..axis.width {
                    axis.any_slide(tiles, row, place, |row, tiles| {
                        slides.entry((row, tiles.0)).or_insert_with(|| {
                            next.push((row, tiles));
                            count
                        });
                        false
                    });
                }
            }
            if next.is_empty() {
                break;
            }
            layer = next;
        }
        slides
    }

    #[test]
    fn a_board_and_its_inverses_are_as_many_vertical_slides_from_the_goal() {
        // Each tile has a colour of its own.
        for cols in [2, 3, 4] {
            let table = build(format!("2x{cols}-mtm").parse().unwrap(), &|work| work(), &|_| {});
            let [view] = &table.colourings()[0] else { panic!("one colouring") };
            let lookup = view.lookup(table.payload());
            assert_eq!(lookup.inverses().len(), 2);
            let size = table.spec().size();
            let [vertical, _] = Axis::both(size);
            let sequence = |board: &Board| vertical.sequence(board, |tile| tile as u8);
            let goal = sequence(&Board::solved(size));
            let to_goal = slides_from(vertical, 1, goal);
            let before_last = vertical.slide(goal, 1, 0, cols - 1);
            let to_last = slides_from(vertical, 0, before_last);
            let mut boards = [0; 2];
            for seed in 0..300 {
                let board = scrambled(2, cols, seed);
                let (row, tiles) = (size.row_of(board.blank()), sequence(&board));
                let count = lookup.count(row, lookup.sequence(&board));
                let number = lookup.number(row, lookup.sequence(&board));
                assert_eq!(lookup.count_on_two_rows(number), count, "{board}");
                assert_eq!(count, to_goal[&(row, tiles.0)], "{board}");
                for inverse in lookup.inverses() {
                    for (slides, without_last) in [(&to_goal, false), (&to_last, true)] {
                        let (read_row, colours) = inverse.read(row, tiles, without_last);
                        let read = lookup.count_on_two_rows(lookup.number(read_row, colours));
                        assert_eq!(read, slides[&(row, tiles.0)], "{board} {without_last}");
                    }
                }
                boards[row] += 1;
            }
            assert!(boards.iter().all(|&boards| boards > 50), "{boards:?}");
        }
    }
}
