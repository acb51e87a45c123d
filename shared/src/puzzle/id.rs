//! Ids of boards: `slide:4x4#SEED` and `slide:4x4=1 2 3 4/…`.

use std::fmt;
use std::str::FromStr;

use crate::puzzle::Board;
use crate::puzzle::numberlink::Drawing;
use crate::puzzle::numberlink::notation::{LinkId, LinkIdError};
use crate::puzzle::slide;
use crate::puzzle::slide::notation::{BoardTextError, read_board};
use crate::puzzle::slide::scramble::{ScrambleSizeError, Variant, scramble};
use crate::util::grid::{Size, SizeError};
use crate::util::seed::{Seed, SeedError};

/// Names one board: by the seed it is drawn from, or tile by tile.
///
/// Wider than what a heat is about ([`crate::puzzle::PuzzleSpec`]): the offline tools
/// take every size that a family has. A seed names the same board here as in a heat.
///
/// ```
/// use gridrace_shared::puzzle::id::PuzzleId;
/// for text in ["slide:3x3#friday", "slide:2x2=1 2/3 0", "link:9x9:hard#friday"] {
///     let id: PuzzleId = text.parse()?;
///     assert_eq!(id.to_string(), text);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PuzzleId {
    /// The board of the sliding puzzle that a seed names: `slide:4x4#SEED`.
    Seeded {
        /// Rows and columns.
        size: Size,
        /// The seed.
        seed: Seed,
    },
    /// A position of it, written out: `slide:4x4=1 2 3 4/…`.
    Written(slide::Board),
    /// A Numberlink: `link:9x9:hard#SEED` or `link:2x3=1.2/1.2`.
    Link(LinkId),
}

/// A family of puzzles, as the part before the colon names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// The sliding puzzle.
    Slide,
    /// Numberlink.
    Link,
}

/// Why a text is no puzzle's id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PuzzleIdError {
    /// There is no family and size with a `#` or `=` after them.
    #[error("a puzzle's id is written like slide:4x4#SEED or slide:2x2=1 2/3 0")]
    Malformed,
    /// The part before the colon is no family that there is.
    #[error("the families of puzzles are slide and link")]
    Family,
    /// The size can't be read, or is none for this.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// A Numberlink's id can't be read.
    #[error(transparent)]
    Link(#[from] LinkIdError),
    /// The size is one of which no board is drawn.
    #[error(transparent)]
    Scramble(#[from] ScrambleSizeError),
    /// What follows `#` is no seed.
    #[error(transparent)]
    Seed(#[from] SeedError),
    /// What follows `=` is no board.
    #[error(transparent)]
    Board(#[from] BoardTextError),
    /// What follows `=` is a board of another size.
    #[error("the id says {said}, but the board is {found}")]
    OtherSize {
        /// What stands before the `=`.
        said: Size,
        /// What stands after it.
        found: Size,
    },
}

impl PuzzleId {
    /// Returns the board.
    ///
    /// # Errors
    /// [`ScrambleSizeError`] for a seed with a size of which no board can be drawn; an id that
    /// was read from text has none.
    pub fn board(&self) -> Result<Board, ScrambleSizeError> {
        match self {
            Self::Seeded { size, seed } => {
                scramble(*size, seed, Variant::BlankAnywhere).map(Board::Slide)
            }
            Self::Written(board) => Ok(Board::Slide(board.clone())),
            Self::Link(id) => Ok(Board::Link(Drawing::new(id.puzzle()))),
        }
    }
}

impl Family {
    /// Returns the family's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slide => "slide",
            Self::Link => LinkId::FAMILY,
        }
    }
}

impl FromStr for Family {
    type Err = PuzzleIdError;

    fn from_str(text: &str) -> Result<Self, PuzzleIdError> {
        match text {
            "slide" => Ok(Self::Slide),
            LinkId::FAMILY => Ok(Self::Link),
            _ => Err(PuzzleIdError::Family),
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for PuzzleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seeded { size, seed } => write!(f, "{}:{size}#{seed}", Family::Slide),
            Self::Written(board) => write!(f, "{}:{}={board}", Family::Slide, board.size()),
            Self::Link(id) => id.fmt(f),
        }
    }
}

impl FromStr for PuzzleId {
    type Err = PuzzleIdError;

    /// Reads an id. The tiles of a written board may be parted by spaces or commas alone,
    /// since the size says where the rows end.
    fn from_str(text: &str) -> Result<Self, PuzzleIdError> {
        let text = text.trim();
        let (family, rest) = text.split_once(':').ok_or(PuzzleIdError::Malformed)?;
        match family.parse()? {
            Family::Slide => read_slide(rest),
            Family::Link => Ok(PuzzleId::Link(LinkId::read(rest)?)),
        }
    }
}

fn read_slide(text: &str) -> Result<PuzzleId, PuzzleIdError> {
    if let Some((size, seed)) = text.split_once('#') {
        return seeded(size.parse()?, seed.parse()?);
    }
    let (size, tiles) = text.split_once('=').ok_or(PuzzleIdError::Malformed)?;
    written(size.parse()?, tiles)
}

fn seeded(size: Size, seed: Seed) -> Result<PuzzleId, PuzzleIdError> {
    let sides = 2..=slide::MAX_SIDE;
    if sides.contains(&size.rows()) && sides.contains(&size.cols()) {
        Ok(PuzzleId::Seeded { size, seed })
    } else {
        Err(ScrambleSizeError(size).into())
    }
}

fn written(size: Size, tiles: &str) -> Result<PuzzleId, PuzzleIdError> {
    if !tiles.trim().contains(['/', '\n']) {
        return Ok(PuzzleId::Written(read_board(size, tiles)?));
    }
    let board: slide::Board = tiles.parse()?;
    match board.size() {
        found if found == size => Ok(PuzzleId::Written(board)),
        found => Err(PuzzleIdError::OtherSize { said: size, found }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::PuzzleSpec;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<PuzzleId, PuzzleIdError> {
        text.parse()
    }

    #[test]
    fn a_seed_names_the_board_that_a_heat_races_on() {
        let spec: PuzzleSpec = "slide:5x3".parse().unwrap();
        let id = read("slide:5x3#friday-cup").unwrap();
        assert_eq!(id.board().unwrap(), spec.board(&"friday-cup".parse().unwrap()));
    }

    #[test]
    fn the_offline_sizes_go_beyond_those_of_a_heat() {
        assert!(read("slide:128x128#a").unwrap().board().is_ok());
        assert!(read("slide:1x3=1 2 0").is_ok());
        for text in ["slide:1x9#a", "slide:128x1#a"] {
            assert!(matches!(read(text), Err(PuzzleIdError::Scramble(_))), "{text}");
        }
        assert!(matches!(read("slide:129x2=1"), Err(PuzzleIdError::Size(_))));
    }

    #[test]
    fn tiles_may_follow_one_another_since_the_size_parts_them() {
        let rows = read("slide:2x3=1 2 3/4 5 0").unwrap();
        for text in ["slide:2x3=1 2 3 4 5 0", "slide:2x3= 1,2,3, 4,5,0\n", "slide:2x3=1 2 3\n4 5 _"]
        {
            assert_eq!(read(text), Ok(rows.clone()), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_id_is_refused_with_its_reason() {
        for text in ["", "slide", "4x4#a", "slide:4x4", "slide:4x4:a"] {
            assert_eq!(read(text), Err(PuzzleIdError::Malformed), "{text:?}");
        }
        assert_eq!(read("chess:4x4#a"), Err(PuzzleIdError::Family));
        assert!(matches!(read("link:4y4#a"), Err(PuzzleIdError::Link(_))));
        assert!(matches!(read("slide:4y4#a"), Err(PuzzleIdError::Size(_))));
        assert!(matches!(read("slide:4x4#a b"), Err(PuzzleIdError::Seed(_))));
        assert!(matches!(read("slide:2x2=1 2/3 3"), Err(PuzzleIdError::Board(_))));
        assert!(matches!(read("slide:2x2=1 2 0"), Err(PuzzleIdError::Board(_))));
        assert!(matches!(read("slide:2x2=1 2 3 4 0 5"), Err(PuzzleIdError::Board(_))));
        assert!(matches!(read("slide:2x3=1 2/3 4/5 0"), Err(PuzzleIdError::OtherSize { .. })));
        let long = format!("slide:2x2={}", "1 ".repeat(70_000));
        assert!(matches!(read(&long), Err(PuzzleIdError::Board(BoardTextError::TooLong))));
    }

    proptest! {
        #[test]
        fn a_seeded_id_is_read_back(rows in 2usize..=128, cols in 2usize..=128, seed in "[A-Za-z0-9_-]{1,32}") {
            let id = read(&format!("slide:{rows}x{cols}#{seed}")).unwrap();
            prop_assert_eq!(read(&id.to_string()), Ok(id));
        }

        #[test]
        fn a_written_id_is_read_back(rows in 2usize..=12, cols in 2usize..=12, seed in "[a-z]{1,8}") {
            let drawn = read(&format!("slide:{rows}x{cols}#{seed}")).unwrap();
            let Board::Slide(board) = drawn.board().unwrap() else { panic!() };
            let id = PuzzleId::Written(board);
            prop_assert_eq!(read(&id.to_string()), Ok(id.clone()));
            // Without the rows' marks as well.
            prop_assert_eq!(read(&id.to_string().replace('/', " ")), Ok(id));
        }

        #[test]
        fn no_text_makes_the_reader_fail(text in "(slide:)?[0-9x#=/ ,._a-z]{0,40}") {
            if let Ok(id) = read(&text) {
                prop_assert_eq!(read(&id.to_string()), Ok(id));
            }
        }
    }
}
