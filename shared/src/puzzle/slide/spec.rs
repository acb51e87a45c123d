//! The spec of a heat's sliding puzzle: its size.

use crate::puzzle::slide::Board;
use crate::puzzle::slide::scramble::{Variant, scramble_within};
use crate::util::grid::{Size, SizeError};
use crate::util::seed::Seed;

/// Shortest and longest side of a heat's board.
pub const HEAT_SIDES: std::ops::RangeInclusive<usize> = 2..=16;

/// The size of a heat's board: 2 to 16 rows and columns.
///
/// ```
/// use gridrace_shared::puzzle::slide::SlideSpec;
/// assert!("4x4".parse::<SlideSpec>().is_ok());
/// assert!("1x9".parse::<SlideSpec>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlideSpec(Size);

/// An error in a spec.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SlideSpecError {
    #[error(transparent)]
    Size(#[from] SizeError),
    /// A side is outside [`HEAT_SIDES`].
    #[error("a heat's board has 2 to 16 rows and columns, not {0}")]
    OutOfBounds(Size),
    #[error("a sliding puzzle is a size alone, like slide:4x4: only Numberlink has modes")]
    HasMode,
}

impl SlideSpec {
    pub const fn size(self) -> Size {
        self.0
    }

    /// Returns the board that a seed names: every solvable board but the solved one is
    /// equally likely.
    pub fn board(self, seed: &Seed) -> Board {
        scramble_within(self.0, seed, Variant::BlankAnywhere)
    }
}

impl TryFrom<Size> for SlideSpec {
    type Error = SlideSpecError;

    fn try_from(size: Size) -> Result<Self, SlideSpecError> {
        if HEAT_SIDES.contains(&size.rows()) && HEAT_SIDES.contains(&size.cols()) {
            Ok(Self(size))
        } else {
            Err(SlideSpecError::OutOfBounds(size))
        }
    }
}

impl std::str::FromStr for SlideSpec {
    type Err = SlideSpecError;

    fn from_str(text: &str) -> Result<Self, SlideSpecError> {
        if text.contains(':') {
            return Err(SlideSpecError::HasMode);
        }
        text.parse::<Size>()?.try_into()
    }
}

impl std::fmt::Display for SlideSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
