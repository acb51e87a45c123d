//! The sliding puzzle as a heat has it.

use crate::puzzle::slide::Board;
use crate::puzzle::slide::scramble::{Variant, scramble_within};
use crate::util::grid::{Size, SizeError};
use crate::util::seed::Seed;

/// Shortest and longest side of a heat's board.
pub const HEAT_SIDES: std::ops::RangeInclusive<usize> = 2..=16;

/// The size of a heat's board: 2 to 16 rows and columns.
///
/// ```
/// use gridrace_shared::puzzle::slide::HeatSize;
/// assert!("4x4".parse::<HeatSize>().is_ok());
/// assert!("1x9".parse::<HeatSize>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeatSize(Size);

/// Why a size is none for a heat.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeatSizeError {
    /// The size can't be read.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// A side is outside [`HEAT_SIDES`].
    #[error("a heat's board has 2 to 16 rows and columns, not {0}")]
    OutOfBounds(Size),
}

impl HeatSize {
    pub const fn size(self) -> Size {
        self.0
    }

    /// Returns the board that a seed names: every solvable board but the solved one is
    /// equally likely.
    pub fn board(self, seed: &Seed) -> Board {
        scramble_within(self.0, seed, Variant::BlankAnywhere)
    }
}

impl TryFrom<Size> for HeatSize {
    type Error = HeatSizeError;

    fn try_from(size: Size) -> Result<Self, HeatSizeError> {
        if HEAT_SIDES.contains(&size.rows()) && HEAT_SIDES.contains(&size.cols()) {
            Ok(Self(size))
        } else {
            Err(HeatSizeError::OutOfBounds(size))
        }
    }
}

impl std::str::FromStr for HeatSize {
    type Err = HeatSizeError;

    fn from_str(text: &str) -> Result<Self, HeatSizeError> {
        text.parse::<Size>()?.try_into()
    }
}

impl std::fmt::Display for HeatSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
