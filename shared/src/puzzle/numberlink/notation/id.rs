//! Ids of Numberlink boards: `link:7x7#SEED`, `link:7x7:hard#SEED` and `link:7x7=…`.

use super::{GridTextError, SingleLine, read_grid};
use crate::puzzle::numberlink::spec::{read_size_and_mode, write_size_and_mode};
use crate::puzzle::numberlink::{
    LinkSpec, LinkSpecError, Mode, NumberlinkError, NumberlinkErrors, Puzzle, SIDES, Touch,
    generate,
};
use crate::util::grid::Size;
use crate::util::seed::{Seed, SeedError};

/// The id of a board: by the seed that generates it, or cell by cell.
///
/// Sizes may exceed those of a heat. The id of a board on which links may not touch themselves is
/// `link:7x7:no-touch=…`.
///
/// ```
/// use gridrace_shared::puzzle::numberlink::Mode;
/// use gridrace_shared::puzzle::numberlink::notation::LinkId;
/// let id = LinkId::read("9x9:hard#friday")?;
/// assert!(matches!(id, LinkId::Seeded { mode: Mode::Hard, .. }));
/// let id = LinkId::read("2x3=1.2/1.2")?;
/// assert_eq!(id.to_string(), "link:2x3=1.2/1.2");
/// # Ok::<(), gridrace_shared::puzzle::numberlink::notation::LinkIdError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkId {
    Seeded {
        /// Rows and columns, each within [`SIDES`].
        size: Size,
        mode: Mode,
        seed: Seed,
    },
    /// A board given cell by cell.
    Written(Puzzle),
}

/// An error in the id of a Numberlink board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkIdError {
    #[error("a Numberlink's id is written like link:7x7#SEED or link:2x3=1.2/1.2")]
    Malformed,
    #[error(transparent)]
    Spec(#[from] LinkSpecError),
    #[error(transparent)]
    Size(NumberlinkErrors),
    #[error(transparent)]
    Seed(#[from] SeedError),
    #[error(transparent)]
    Grid(#[from] GridTextError),
}

impl LinkId {
    pub fn puzzle(&self) -> Puzzle {
        match self {
            Self::Seeded { size, mode, seed } => generate(*size, *mode, seed).puzzle,
            Self::Written(puzzle) => puzzle.clone(),
        }
    }

    /// Parses the part after `link:`.
    pub fn read(text: &str) -> Result<Self, LinkIdError> {
        let Some(at) = text.find(['#', '=']) else {
            if text.contains(':') {
                read_size_and_mode(text)?;
            }
            return Err(LinkIdError::Malformed);
        };
        let (spec, rest) = (&text[..at], &text[at + 1..]);
        if text.as_bytes()[at] == b'#' {
            let (size, mode) = read_size_and_mode(spec)?;
            let size = checked(size)?;
            if mode != Mode::Classic {
                // Boards with one solution exist for sizes of heats only.
                LinkSpec::new(size, mode)?;
            }
            return Ok(Self::Seeded { size, mode, seed: rest.parse()? });
        }
        let (size, touch) = match spec.strip_suffix(":no-touch") {
            Some(size) => (size, Touch::Forbidden),
            None => (spec, Touch::Free),
        };
        let size = size.parse().map_err(LinkSpecError::Size)?;
        Ok(Self::Written(read_grid(checked(size)?, rest, touch)?))
    }
}

fn checked(size: Size) -> Result<Size, LinkIdError> {
    if SIDES.contains(&size.rows()) && SIDES.contains(&size.cols()) {
        Ok(size)
    } else {
        Err(LinkIdError::Size(NumberlinkErrors(vec![NumberlinkError::Sides(size)])))
    }
}

impl std::fmt::Display for LinkId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("link:")?;
        match self {
            Self::Seeded { size, mode, seed } => {
                write_size_and_mode(f, *size, *mode)?;
                write!(f, "#{seed}")
            }
            Self::Written(puzzle) => {
                let touch = match puzzle.touch() {
                    Touch::Free => "",
                    Touch::Forbidden => ":no-touch",
                };
                write!(f, "{}{touch}={}", puzzle.size(), SingleLine(puzzle))
            }
        }
    }
}
