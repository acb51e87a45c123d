//! The sliding puzzle as a heat has it.

use crate::grid::{Size, SizeError};
use crate::seed::Seed;
use crate::slide::{Board, Variant, scramble};

/// Shortest and longest side of a heat's board.
pub const HEAT_SIDES: std::ops::RangeInclusive<usize> = 2..=16;

/// The size of a heat's board: 2 to 16 rows and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeatSize(Size);

/// Why a size is none for a heat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HeatSizeError {
    /// The size can't be read.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// A side is outside [`HEAT_SIDES`].
    #[error("a heat's board has 2 to 16 rows and columns, not {0}")]
    OutOfBounds(Size),
}

impl HeatSize {
    /// Returns the size.
    #[must_use]
    pub const fn size(self) -> Size {
        self.0
    }
}
