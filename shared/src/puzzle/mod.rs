//! The border between the families of puzzles and everything else.
//!
//! Server, lobby and protocol know these types and no puzzle by name. A further family is
//! a folder beside `slide` and `numberlink`, and a variant with its arms here: the one place
//! where the families are listed.

mod counts;
pub mod id;
pub mod numberlink;
pub mod skill;
pub mod slide;

pub use counts::{Efficiency, MoveBounds, MoveCount, PieceProgress};

use crate::util::seed::Seed;

use serde::{Deserialize, Serialize};

/// Which puzzle a heat is about: a family, a size, and where a family has them the mode,
/// written `slide:4x4` or `link:9x9:hard`.
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
    /// Numberlink, of a size and mode that a heat may have.
    Link(numberlink::HeatSpec),
}

/// A position of a puzzle.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Board {
    /// A position of the sliding puzzle.
    Slide(slide::Board),
    /// A Numberlink, and what is drawn on it.
    Link(numberlink::Drawing),
}

/// One move, as it goes over the wire.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Move {
    /// The tile at this cell slides towards the blank, with all tiles between them.
    Slide(crate::util::grid::Cell),
    /// A link is drawn, or a stroke taken back.
    Link(numberlink::Stroke),
}

/// Why a move can't be played on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum IllegalMove {
    /// The sliding puzzle's reasons.
    #[error(transparent)]
    Slide(slide::IllegalMove),
    /// Numberlink's reasons.
    #[error(transparent)]
    Link(numberlink::IllegalStroke),
    /// A move of another family than the board's.
    #[error("this is no move of this puzzle")]
    OtherFamily,
}

/// Why a text names no puzzle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PuzzleError {
    /// The part before the colon is no family that there is.
    #[error("a puzzle is written like slide:4x4 or link:9x9")]
    UnknownFamily,
    /// The size can't be read, or no heat may have it.
    #[error(transparent)]
    Slide(slide::HeatSizeError),
    /// Size or mode can't be read, or no heat may have them.
    #[error(transparent)]
    Link(numberlink::HeatSpecError),
    /// What follows `#` is no seed.
    #[error(transparent)]
    Seed(#[from] crate::util::seed::SeedError),
    /// What follows `=` is no board.
    #[error("{0}")]
    Board(String),
}

/// The tables that solvers look up: the sliding puzzle is the one family that has any.
pub use crate::puzzle::slide::solve::tables;

impl PuzzleSpec {
    /// Returns the board that a seed names, the same on every machine for ever; never a
    /// solved one.
    #[must_use]
    pub fn board(&self, seed: &Seed) -> Board {
        match self {
            Self::Slide(size) => Board::Slide(size.board(seed)),
            Self::Link(spec) => Board::Link(spec.drawing(seed)),
        }
    }

    /// Returns the table that its solvers do best to have at hand, where they use one.
    #[must_use]
    pub fn tables(&self) -> Option<tables::TableSpec> {
        match self {
            Self::Slide(size) => tables::TableSpec::new(size.size(), tables::Grade::Default).ok(),
            Self::Link(_) => None,
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
            (Self::Link(drawing), Move::Link(stroke)) => {
                let counted = drawing.play(stroke).map_err(IllegalMove::Link)?;
                Ok(counted.into())
            }
            (Self::Slide(_), Move::Link(_)) | (Self::Link(_), Move::Slide(_)) => {
                Err(IllegalMove::OtherFamily)
            }
        }
    }

    /// Returns legal moves, in the order of the family's cells: every one of the sliding
    /// puzzle; of Numberlink those that go one cell on or clear a link, and undo.
    #[must_use]
    pub fn legal_moves(&self) -> Vec<Move> {
        match self {
            Self::Slide(board) => board.legal_moves().map(Move::Slide).collect(),
            Self::Link(drawing) => drawing.candidate_strokes().map(Move::Link).collect(),
        }
    }

    /// Says whether the board is solved.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        match self {
            Self::Slide(board) => board.is_solved(),
            Self::Link(drawing) => drawing.is_solved(),
        }
    }

    /// Returns how far the board has come from `start`, 0 to 1000; 1000 only when solved.
    /// For display and for the order of those who don't finish, never for who wins.
    #[must_use]
    pub fn progress(&self, start: &Self) -> u16 {
        match (self, start) {
            (Self::Slide(now), Self::Slide(start)) => slide::progress(start, now),
            (Self::Link(now), _) => now.progress(),
            (Self::Slide(_), Self::Link(_)) => 0,
        }
    }

    /// Returns what there is to count on the way, where a family has that.
    #[must_use]
    pub fn tally(&self) -> Option<PieceProgress> {
        match self {
            Self::Slide(_) => None,
            Self::Link(drawing) => Some(PieceProgress::of(drawing)),
        }
    }
}

impl From<slide::MoveCount> for MoveCount {
    fn from(count: slide::MoveCount) -> Self {
        let slide::MoveCount { stm, mtm } = count;
        Self { moves: stm, acts: mtm }
    }
}

impl From<numberlink::CountedMoves> for MoveCount {
    fn from(numberlink::CountedMoves(moves): numberlink::CountedMoves) -> Self {
        Self { moves, acts: 1 }
    }
}

impl Move {
    /// Returns about how many numbers it takes to write it: what it weighs on the wire and
    /// in a queue.
    #[must_use]
    pub fn weight(&self) -> usize {
        match self {
            Self::Slide(_) | Self::Link(numberlink::Stroke::Undo) => 1,
            Self::Link(numberlink::Stroke::Draw(cells)) => 1 + cells.len(),
        }
    }
}

impl PieceProgress {
    fn of(drawing: &numberlink::Drawing) -> Self {
        let count = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        Self {
            done: count(drawing.linked()),
            of: count(drawing.puzzle().pairs().len()),
            covered: count(drawing.covered()),
            cells: count(drawing.puzzle().open_cells()),
        }
    }
}

impl std::str::FromStr for PuzzleSpec {
    type Err = PuzzleError;

    fn from_str(text: &str) -> Result<Self, PuzzleError> {
        match text.split_once(':') {
            Some(("slide", size)) => size.parse().map(Self::Slide).map_err(PuzzleError::Slide),
            Some(("link", spec)) => spec.parse().map(Self::Link).map_err(PuzzleError::Link),
            _ => Err(PuzzleError::UnknownFamily),
        }
    }
}

impl std::fmt::Display for PuzzleSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Slide(size) => write!(f, "slide:{size}"),
            Self::Link(spec) => write!(f, "link:{spec}"),
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
