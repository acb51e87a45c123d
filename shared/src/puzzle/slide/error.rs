//! Errors of boards.

use crate::util::grid::{self, Size};

/// The longest side of a board. Boards of heats are smaller; see
/// [`crate::puzzle::slide::HEAT_SIDES`].
pub const MAX_SIDE: usize = grid::MAX_SIDE;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// The number of tiles differs from the number of cells.
    #[error("{found} tiles for {expected} cells")]
    WrongCount { expected: usize, found: usize },
    /// A tile is too large for the board's size.
    #[error("tile {0} is out of range")]
    OutOfRange(u16),
    /// A tile occurs more than once.
    #[error("tile {0} occurs twice")]
    Twice(u16),
    /// A tile does not occur; 0 is the blank.
    #[error("tile {0} is missing")]
    Missing(u16),
}

/// All errors of a board; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardErrors(pub Vec<BoardError>);

impl std::error::Error for BoardErrors {}

impl std::fmt::Display for BoardErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        grid::list_faults(f, &self.0)
    }
}

/// Lists every error of some tiles. Reads at most twice as many tiles as the largest board has.
pub(super) fn find_errors(size: Size, tiles: &[u16]) -> Vec<BoardError> {
    const LOOKED_AT: usize = 2 * MAX_SIDE * MAX_SIDE;
    let mut errors = Vec::new();
    if tiles.len() != size.cells() {
        errors.push(BoardError::WrongCount { expected: size.cells(), found: tiles.len() });
    }
    let mut seen = vec![0u32; size.cells()];
    for &tile in tiles.iter().take(LOOKED_AT) {
        match seen.get_mut(usize::from(tile)) {
            None => errors.push(BoardError::OutOfRange(tile)),
            Some(count) => *count += 1,
        }
    }
    for (tile, count) in (0u16..).zip(seen) {
        match count {
            0 => errors.push(BoardError::Missing(tile)),
            1 => {}
            _ => errors.push(BoardError::Twice(tile)),
        }
    }
    errors
}
