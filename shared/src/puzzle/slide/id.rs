//! Ids of sliding puzzles: `slide:4x4#SEED` and `slide:4x4=1 2 3 4/…`.

use crate::puzzle::slide;
use crate::puzzle::slide::Board;
use crate::puzzle::slide::notation::{BoardTextError, read_board};
use crate::puzzle::slide::scramble::{ScrambleSizeError, Variant, scramble};
use crate::puzzle::slide::spec::SlideSpecError;
use crate::util::grid::{Size, SizeError};
use crate::util::seed::{Seed, SeedError};
use std::fmt;

/// Names one board: by the seed that generates it, or tile by tile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlideId {
    /// The board of a seed: `slide:4x4#SEED`.
    Seeded { size: Size, seed: Seed },
    /// A board written out: `slide:4x4=1 2 3 4/…`.
    Written(Board),
}

/// An error in the id of a sliding puzzle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SlideIdError {
    #[error("a puzzle's id is written like slide:4x4#SEED or slide:2x2=1 2/3 0")]
    Malformed,
    #[error("{}", SlideSpecError::HasMode)]
    HasMode,
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error(transparent)]
    Scramble(#[from] ScrambleSizeError),
    #[error(transparent)]
    Seed(#[from] SeedError),
    #[error(transparent)]
    Board(#[from] BoardTextError),
    #[error("the id says {said}, but the board is {found}")]
    OtherSize { said: Size, found: Size },
}

impl SlideId {
    /// Returns the board.
    ///
    /// # Errors
    /// [`ScrambleSizeError`] for a seed with a size of which no board can be generated;
    /// [`SlideId::read`] refuses such an id.
    pub fn board(&self) -> Result<Board, ScrambleSizeError> {
        match self {
            Self::Seeded { size, seed } => scramble(*size, seed, Variant::BlankAnywhere),
            Self::Written(board) => Ok(board.clone()),
        }
    }

    /// Reads what follows `slide:`. Spaces or commas may separate all tiles of a written board,
    /// since the size says where the rows end.
    pub fn read(text: &str) -> Result<Self, SlideIdError> {
        let (size, rest) = text.split_at(text.find(['#', '=']).unwrap_or(text.len()));
        if size.contains(':') {
            return Err(SlideIdError::HasMode);
        }
        if let Some(seed) = rest.strip_prefix('#') {
            return seeded(size.parse()?, seed.parse()?);
        }
        let tiles = rest.strip_prefix('=').ok_or(SlideIdError::Malformed)?;
        written(size.parse()?, tiles)
    }
}

impl fmt::Display for SlideId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seeded { size, seed } => write!(f, "slide:{size}#{seed}"),
            Self::Written(board) => write!(f, "slide:{}={board}", board.size()),
        }
    }
}

fn seeded(size: Size, seed: Seed) -> Result<SlideId, SlideIdError> {
    let sides = 2..=slide::MAX_SIDE;
    if sides.contains(&size.rows()) && sides.contains(&size.cols()) {
        Ok(SlideId::Seeded { size, seed })
    } else {
        Err(ScrambleSizeError(size).into())
    }
}

fn written(size: Size, tiles: &str) -> Result<SlideId, SlideIdError> {
    if !tiles.trim().contains(['/', '\n']) {
        return Ok(SlideId::Written(read_board(size, tiles)?));
    }
    let board: Board = tiles.parse()?;
    match board.size() {
        found if found == size => Ok(SlideId::Written(board)),
        found => Err(SlideIdError::OtherSize { said: size, found }),
    }
}
