//! Everything that can be wrong with a board.

use crate::util::grid::{self, Size};

/// The longest side of a sliding puzzle: any grid's. A heat's is shorter
/// ([`crate::puzzle::slide::HEAT_SIDES`]).
pub const MAX_SIDE: usize = grid::MAX_SIDE;

/// One thing that is wrong with a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// Not as many tiles as cells.
    #[error("{found} tiles for {expected} cells")]
    WrongCount {
        /// Cells of the size.
        expected: usize,
        /// Tiles given.
        found: usize,
    },
    /// A tile that a board of this size doesn't have.
    #[error("tile {tile} is out of range")]
    OutOfRange {
        /// The tile.
        tile: u16,
    },
    /// A tile that stands in more than one cell.
    #[error("tile {tile} is there twice")]
    Twice {
        /// The tile.
        tile: u16,
    },
    /// A tile that stands in no cell; 0 is the blank.
    #[error("tile {tile} is missing")]
    Missing {
        /// The tile.
        tile: u16,
    },
}

/// Everything that is wrong with a board; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardErrors(pub Vec<BoardError>);

impl std::error::Error for BoardErrors {}

impl std::fmt::Display for BoardErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        grid::list_faults(f, &self.0)
    }
}

/// Lists every fault of some tiles for a size. A list that is too long is looked at no
/// further than twice the largest board.
pub(super) fn find_errors(size: Size, tiles: &[u16]) -> Vec<BoardError> {
    const LOOKED_AT: usize = 2 * MAX_SIDE * MAX_SIDE;
    let mut errors = Vec::new();
    if tiles.len() != size.cells() {
        errors.push(BoardError::WrongCount { expected: size.cells(), found: tiles.len() });
    }
    let mut seen = vec![0u32; size.cells()];
    for &tile in tiles.iter().take(LOOKED_AT) {
        match seen.get_mut(usize::from(tile)) {
            None => errors.push(BoardError::OutOfRange { tile }),
            Some(count) => *count += 1,
        }
    }
    for (tile, count) in (0u16..).zip(seen) {
        match count {
            0 => errors.push(BoardError::Missing { tile }),
            1 => {}
            _ => errors.push(BoardError::Twice { tile }),
        }
    }
    errors
}
