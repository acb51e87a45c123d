//! The border between the families of puzzles and everything else.
//!
//! Server, lobby and protocol know these types and no puzzle by name. A further family is
//! a folder beside `slide`, and a variant with its arms here: the one place where the
//! families are listed.

use crate::seed::Seed;
use crate::slide;
use serde::{Deserialize, Serialize};

/// Which puzzle a heat is about: a family and a size, written `slide:4x4`.
///
/// ```
/// use gridrace_shared::puzzle::PuzzleSpec;
/// let spec: PuzzleSpec = "slide:4x4".parse()?;
/// assert_eq!(spec.to_string(), "slide:4x4");
/// assert!("slide:99x1".parse::<PuzzleSpec>().is_err());
/// # Ok::<(), gridrace_shared::puzzle::PuzzleError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum PuzzleSpec {
    /// The sliding puzzle of a size that a heat may have.
    Slide(slide::HeatSize),
}

/// A position of a puzzle.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Board {
    /// A position of the sliding puzzle.
    Slide(slide::Board),
}

/// One move, as it goes over the wire.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// The tile at this cell slides towards the blank, with all tiles between them.
    Slide(crate::grid::Cell),
}

/// Why a move can't be played on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum IllegalMove {
    /// The sliding puzzle's reasons.
    #[error(transparent)]
    Slide(slide::IllegalMove),
}

/// Why a text names no puzzle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PuzzleError {
    /// The part before the colon is no family that there is.
    #[error("a puzzle is written like slide:4x4")]
    UnknownFamily,
    /// The size can't be read, or no heat may have it.
    #[error(transparent)]
    Slide(slide::HeatSizeError),
    /// What follows `#` is no seed.
    #[error(transparent)]
    Seed(#[from] crate::seed::SeedError),
    /// What follows `=` is no board.
    #[error("{0}")]
    Board(String),
}

/// A count of moves, in the two ways in which each family's players count them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MoveCount {
    /// Moves by which solutions are compared. Of the sliding puzzle: single-tile moves, so
    /// that a slide of three tiles counts three.
    pub moves: u32,
    /// What was played, move by move. Of the sliding puzzle: multi-tile moves.
    pub acts: u32,
}

/// The tables that solvers look up: the sliding puzzle is the one family that has any.
pub use crate::slide::solve::tables;

impl PuzzleSpec {
    /// Returns the board that a seed names, the same on every machine for ever; never a
    /// solved one.
    #[must_use]
    pub fn board(&self, seed: &Seed) -> Board {
        match self {
            Self::Slide(size) => Board::Slide(size.board(seed)),
        }
    }

    /// Returns the table that its solvers do best to have at hand, where they use one.
    #[must_use]
    pub fn tables(&self) -> Option<tables::TableSpec> {
        match self {
            Self::Slide(size) => tables::TableSpec::new(size.size(), tables::Grade::Default).ok(),
        }
    }
}

impl Board {
    /// Plays a move if it is legal, and returns what it counts.
    ///
    /// # Errors
    /// The reason why the move is illegal; the board is as before.
    pub fn play(&mut self, play: &Move) -> Result<MoveCount, IllegalMove> {
        match (self, play) {
            (Self::Slide(board), &Move::Slide(cell)) => {
                let played = board.play(cell).map_err(IllegalMove::Slide)?;
                Ok(slide::MoveCount::of(played).into())
            }
        }
    }

    /// Returns every legal move, in the order of the family's cells.
    #[must_use]
    pub fn legal_moves(&self) -> Vec<Move> {
        match self {
            Self::Slide(board) => board.legal_moves().map(Move::Slide).collect(),
        }
    }

    /// Says whether the board is solved.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        match self {
            Self::Slide(board) => board.is_solved(),
        }
    }

    /// Returns how far the board has come from `start`, 0 to 1000; 1000 only when solved.
    /// For display and for the order of those who don't finish, never for who wins.
    #[must_use]
    pub fn progress(&self, start: &Self) -> u16 {
        match (self, start) {
            (Self::Slide(now), Self::Slide(start)) => slide::progress(start, now),
        }
    }
}

impl From<slide::MoveCount> for MoveCount {
    fn from(count: slide::MoveCount) -> Self {
        let slide::MoveCount { stm, mtm } = count;
        Self {
            moves: stm,
            acts: mtm,
        }
    }
}

impl std::ops::AddAssign for MoveCount {
    fn add_assign(&mut self, more: Self) {
        self.moves = self.moves.saturating_add(more.moves);
        self.acts = self.acts.saturating_add(more.acts);
    }
}

impl std::str::FromStr for PuzzleSpec {
    type Err = PuzzleError;

    fn from_str(text: &str) -> Result<Self, PuzzleError> {
        match text.split_once(':') {
            Some(("slide", size)) => size.parse().map(Self::Slide).map_err(PuzzleError::Slide),
            _ => Err(PuzzleError::UnknownFamily),
        }
    }
}

impl std::fmt::Display for PuzzleSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Slide(size) => write!(f, "slide:{size}"),
        }
    }
}

impl TryFrom<String> for PuzzleSpec {
    type Error = PuzzleError;

    fn try_from(text: String) -> Result<Self, PuzzleError> {
        text.parse()
    }
}

impl From<PuzzleSpec> for String {
    fn from(spec: PuzzleSpec) -> Self {
        spec.to_string()
    }
}
