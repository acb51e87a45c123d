//! The spec of a heat's Numberlink board: size and mode.

use crate::util::grid::{Size, SizeError};

/// Shortest and longest side of a heat's board.
pub const HEAT_SIDES: std::ops::RangeInclusive<usize> = 4..=20;

/// The size and the mode of a heat's board: 4 to 20 rows and columns.
///
/// ```
/// use gridrace_shared::puzzle::numberlink::{LinkSpec, Mode};
/// let spec: LinkSpec = "9x9:hard".parse()?;
/// assert_eq!((spec.size().cells(), spec.mode()), (81, Mode::Hard));
/// assert_eq!("9x9:any".parse::<LinkSpec>()?.to_string(), "9x9");
/// assert!("3x9".parse::<LinkSpec>().is_err());
/// # Ok::<(), gridrace_shared::puzzle::numberlink::LinkSpecError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkSpec {
    size: Size,
    mode: Mode,
}

/// How a board is made, and how hard it is.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[cfg_attr(test, derive(strum::VariantArray))]
#[strum(serialize_all = "snake_case", parse_err_ty = ModeError, parse_err_fn = ModeError::new)]
pub enum Mode {
    /// No solid cells, one solution, and as hard as it comes. Left out where a mode is
    /// written.
    #[default]
    Any,
    Easy,
    /// Like it, neither easy nor hard.
    Normal,
    Hard,
    /// Paths drawn at random, and what is left over solid.
    Classic,
}

/// An error in a spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LinkSpecError {
    #[error(transparent)]
    Size(#[from] SizeError),
    /// A side is outside [`HEAT_SIDES`].
    #[error("a heat's board has 4 to 20 rows and columns, not {0}")]
    OutOfBounds(Size),
    #[error(transparent)]
    Mode(#[from] ModeError),
}

/// Says that a text is no mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a Numberlink is any, easy, normal, hard or classic")]
pub struct ModeError;

impl ModeError {
    const fn new(_: &str) -> Self {
        Self
    }
}

impl LinkSpec {
    /// Makes the spec of a heat's board.
    pub fn new(size: Size, mode: Mode) -> Result<Self, LinkSpecError> {
        if HEAT_SIDES.contains(&size.rows()) && HEAT_SIDES.contains(&size.cols()) {
            Ok(Self { size, mode })
        } else {
            Err(LinkSpecError::OutOfBounds(size))
        }
    }

    pub const fn size(self) -> Size {
        self.size
    }

    pub const fn mode(self) -> Mode {
        self.mode
    }
}

/// Reads a size with or without a mode after it: `7x7`, `7x7:hard`.
pub(super) fn read_size_and_mode(text: &str) -> Result<(Size, Mode), LinkSpecError> {
    match text.split_once(':') {
        None => Ok((text.parse()?, Mode::Any)),
        Some((size, mode)) => Ok((size.parse()?, mode.parse()?)),
    }
}

/// Writes them, as short as can be.
pub(super) fn write_size_and_mode(
    f: &mut std::fmt::Formatter<'_>,
    size: Size,
    mode: Mode,
) -> std::fmt::Result {
    match mode {
        Mode::Any => write!(f, "{size}"),
        Mode::Easy | Mode::Normal | Mode::Hard | Mode::Classic => write!(f, "{size}:{mode}"),
    }
}

impl std::str::FromStr for LinkSpec {
    type Err = LinkSpecError;

    fn from_str(text: &str) -> Result<Self, LinkSpecError> {
        let (size, mode) = read_size_and_mode(text)?;
        Self::new(size, mode)
    }
}

impl std::fmt::Display for LinkSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write_size_and_mode(f, self.size, self.mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_is_read_as_it_was_written() {
        for size in ["4x4", "4x20", "20x20", "7x12"] {
            for &mode in <Mode as strum::VariantArray>::VARIANTS {
                let spec = LinkSpec::new(size.parse().unwrap(), mode).unwrap();
                assert_eq!(spec.to_string().parse(), Ok(spec));
            }
        }
    }

    #[test]
    fn what_is_no_spec_says_why() {
        let read = |text: &str| text.parse::<LinkSpec>().map_err(|error| error.to_string());
        let size = "a size is written like 4x4: rows, x, columns";
        let mode = "a Numberlink is any, easy, normal, hard or classic";
        let bounds = "a heat's board has 4 to 20 rows and columns, not 21x4";
        for (text, why) in [
            ("", size),
            ("hard", size),
            ("7x7:", mode),
            ("7x7:Hard", mode),
            ("7x7:hard:easy", mode),
            ("21x4:easy", bounds),
        ] {
            assert_eq!(read(text), Err(why.to_owned()), "{text:?}");
        }
    }
}
