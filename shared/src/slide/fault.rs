//! Why tiles from outside make no board.

use std::fmt;

use crate::grid::SizeError;

/// How many faults are listed one by one: more help nobody, and the list stays small.
pub const MAX_LISTED_FAULTS: usize = 16;

/// Names one thing that is wrong with tiles that were to become a board.
///
/// ```
/// use gridrace_shared::grid::Size;
/// use gridrace_shared::slide::{Board, BoardFault};
///
/// let faults = Board::from_tiles(Size::new(2, 2)?, [1, 2, 2, 7]).unwrap_err();
/// assert_eq!(
///     faults.listed(),
///     [
///         BoardFault::Repeated { tile: 2 },
///         BoardFault::OutOfRange { tile: 7, largest: 3 },
///         BoardFault::BlankMissing,
///     ]
/// );
/// # Ok::<(), gridrace_shared::grid::SizeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum BoardFault {
    /// The size isn't one of a board.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// There are more or fewer tiles than cells, the blank counted.
    #[error("{expected} tiles are needed (the blank counts), not {found}")]
    Count {
        /// As many as there are cells.
        expected: usize,
        /// As many as were given.
        found: usize,
    },
    /// A number stands here that stood in an earlier cell already.
    #[error("tile {tile} is there twice")]
    Repeated {
        /// The number.
        tile: u16,
    },
    /// A number is larger than the last tile's.
    #[error("tile {tile} is larger than {largest}")]
    OutOfRange {
        /// The number.
        tile: u16,
        /// The number of the last tile.
        largest: u16,
    },
    /// No cell holds 0.
    #[error("the blank (0) is missing")]
    BlankMissing,
}

/// Lists all that is wrong with tiles that were to become a board.
///
/// The first [`MAX_LISTED_FAULTS`] are named in the order of their cells, the others counted.
///
/// ```
/// use gridrace_shared::grid::Size;
/// use gridrace_shared::slide::Board;
///
/// let faults = Board::from_tiles(Size::new(2, 2)?, [1, 1, 0]).unwrap_err();
/// assert_eq!(
///     faults.to_string(),
///     "4 tiles are needed (the blank counts), not 3; tile 1 is there twice"
/// );
/// # Ok::<(), gridrace_shared::grid::SizeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardFaults {
    listed: Vec<BoardFault>,
    unlisted: usize,
}

impl BoardFaults {
    /// Gives the faults that are named, at least one.
    pub fn listed(&self) -> &[BoardFault] {
        &self.listed
    }

    /// Counts the faults beyond those that are named.
    pub fn unlisted(&self) -> usize {
        self.unlisted
    }

    pub(super) fn push(&mut self, fault: BoardFault) {
        if self.listed.len() < MAX_LISTED_FAULTS {
            self.listed.push(fault);
        } else {
            self.unlisted += 1;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }
}

impl fmt::Display for BoardFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.listed.iter().enumerate() {
            let gap = if index == 0 { "" } else { "; " };
            write!(f, "{gap}{fault}")?;
        }
        if self.unlisted > 0 {
            write!(f, "; and {} more", self.unlisted)?;
        }
        Ok(())
    }
}

impl std::error::Error for BoardFaults {}
