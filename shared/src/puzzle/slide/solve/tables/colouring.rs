//! Colourings: the pattern databases for multi-tile moves.
//!
//! A slide moves tiles of several patterns at once, so bounds of disjoint patterns don't add up. A
//! colouring leaves all tiles on the board, but tells only their colours apart. For each axis a
//! database counts the slides along that axis alone, for every arrangement of the colours and line
//! of the blank: slides within a line are free there. In a shortest solution the two kinds of slides
//! take turns, so that the number of moves and the axis of the first one give how many there are of
//! each kind, and neither database may ask for more.
//!
//! On two rows the vertical axis alone has colourings: slides within a row then come between the
//! vertical ones, which tell all.

use super::colour_rank::{ColourRanking, RankBlocks};
use super::tile_sequence::{Axis, TileSequence};
use crate::puzzle::slide::Board;
use crate::util::grid::{Cell, Size};

/// The most colourings of an axis.
pub(crate) const MAX_COLOURINGS: usize = 4;

/// Boards of at most as many tiles are not listed: one colouring tells all of them apart.
const MOST_COLOURS: u8 = 9;

/// A colouring of an axis: for each home, row by row, a colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Colouring {
    pub(super) axis: Axis,
    pub(super) colours: Vec<u8>,
    size: Size,
}

/// The colourings of a size: those of the vertical axis, and those of the horizontal one. A letter
/// stands for the colour of a home, row by row.
struct Listed {
    size: (usize, usize),
    vertical: &'static [&'static str],
    /// Empty for squares, whose boards are looked up transposed, and on two rows.
    horizontal: &'static [&'static str],
}

/// Those of 4×4 and 2×8 were found by hill climbing on the nodes of some random boards, from
/// quarters, rows and columns; the others by hand.
const LISTED: [Listed; 6] = [
    Listed {
        size: (3, 4),
        vertical: &["aabbaacdecd", "aabbccddeee"],
        horizontal: &["aabbaacdecd", "abcdabcdabe"],
    },
    Listed { size: (2, 6), vertical: &["aabbccddeea", "abcdeabcdea"], horizontal: &[] },
    Listed { size: (2, 7), vertical: &["aabbccdaabbcd", "aaaabbbbcccdd"], horizontal: &[] },
    Listed {
        size: (3, 5),
        vertical: &["aabbbaacbbccdd", "abbccabbddacdd", "aaabbaacbbccdd"],
        horizontal: &["aabbbaacbbccdd", "abbccabbddacdd", "aaabbaacbbccdd"],
    },
    Listed {
        size: (2, 8),
        vertical: &["aabbbccdadddccb", "aaaabbbcaaccddd", "abbbbbbcaddddcc"],
        horizontal: &[],
    },
    Listed {
        size: (4, 4),
        vertical: &["aabbaabbbccdccd", "aaacbbccbadcbdd", "caaabbbdccbcdbd", "abbbabccabccddd"],
        horizontal: &[],
    },
];

impl Colouring {
    /// Returns all colourings of a size with at most as many rows as columns, in the order of its
    /// table.
    pub(super) fn of(size: Size) -> Vec<Self> {
        let [vertical, horizontal] = Axis::both(size);
        let on = |axis, colours| Self { axis, colours, size };
        let sides = (size.rows(), size.cols());
        if let Some(listed) = LISTED.iter().find(|listed| listed.size == sides) {
            let colours = |text: &&str| text.bytes().map(|letter| letter - b'a').collect();
            let vertical = listed.vertical.iter().map(|text| on(vertical, colours(text)));
            let horizontal = listed.horizontal.iter().map(|text| on(horizontal, colours(text)));
            return vertical.chain(horizontal).collect();
        }
        let tiles = size.cells() - 1;
        // All larger sizes are listed.
        let apart: Vec<u8> = (0..tiles as u8).map(|tile| tile % MOST_COLOURS).collect();
        match sides.0 == 2 || sides.0 == sides.1 {
            true => vec![on(vertical, apart)],
            false => vec![on(vertical, apart.clone()), on(horizontal, apart)],
        }
    }

    /// Returns the same colouring of the other axis of a square.
    pub(super) fn transposed(&self) -> Self {
        let [_, horizontal] = Axis::both(self.size);
        let homes = (0..self.colours.len() as u16).map(Cell);
        let colour = |home| self.colours[usize::from(self.size.transposed_cell(home).0)];
        Self { axis: horizontal, colours: homes.map(colour).collect(), size: self.size }
    }

    /// Returns whether there are two rows: then a value is half of the count, which is odd if the
    /// blank is in the upper row.
    pub(super) const fn is_on_two_rows(&self) -> bool {
        self.axis.lines == 2
    }

    /// Returns the values of its database.
    pub(super) fn values(&self) -> usize {
        self.axis.lines * ColourRanking::count(&self.counts())
    }

    /// Returns the bytes of its database.
    pub(super) fn payload_len(&self) -> usize {
        self.values().div_ceil(2)
    }

    pub(super) fn ranking(&self) -> (ColourRanking, RankBlocks) {
        ColourRanking::new(&self.counts())
    }

    pub(super) fn sequence(&self, board: &Board) -> TileSequence {
        self.axis.sequence(board, |tile| self.colours[usize::from(tile) - 1])
    }

    /// Returns the sequence of the board in order.
    pub(super) fn goal(&self) -> TileSequence {
        self.sequence(&Board::solved(self.size))
    }

    fn counts(&self) -> Vec<usize> {
        let colours = self.colours.iter().max().map_or(0, |&most| usize::from(most) + 1);
        let count = |colour| self.colours.iter().filter(|&&one| usize::from(one) == colour).count();
        (0..colours).map(count).collect()
    }
}
