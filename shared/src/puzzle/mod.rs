//! Puzzles: the families, and the closed enums over them.
//!
//! [`for_each_family`](crate::for_each_family) lists the families. The enums here, in
//! [`crate::solver`], in [`crate::bot`] and in [`crate::replay`] are generated from that list and
//! dispatch to each family's [`Family`]; nothing else names a family.

mod counts;
mod family;
pub mod hint_style;
pub mod id;
pub mod numberlink;
pub mod picture;
pub mod skill;
pub mod slide;

pub use counts::{Efficiency, MoveBounds, MoveCount, PieceProgress};
pub use family::Family;
pub use hint_style::HintStyle;
/// The tables that solvers look up.
pub use slide::solve::tables;

use crate::util::conversions::convert_as_text;
use crate::util::grid::{Cell, Size, SizeError};
use crate::util::seed::Seed;
use crate::util::time::Millis;
use serde::{Deserialize, Serialize};

/// Calls `$callback!` with `Variant = module` for each family, where `puzzle::module::Variant`
/// implements [`Family`](crate::puzzle::Family).
///
/// The order is the order of variants on the wire and of family numbers in replays: append only,
/// and raise the protocol's version, as [`IllegalMove::OtherFamily`](crate::puzzle::IllegalMove)
/// comes after all families.
#[macro_export]
macro_rules! for_each_family {
    ($callback:ident) => {
        $callback! {
            Slide = slide,
            Link = numberlink,
        }
    };
}

macro_rules! define_puzzle_enums {
    ($($Variant:ident = $module:ident,)+) => {
        /// Every family, by its variant's name.
        pub mod families {
            $(pub use super::$module::$Variant;)+
        }

        /// The puzzle of a heat: a family, a size, and the family's further parameters, written
        /// `slide:4x4` or `link:9x9:hard`.
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
            $(#[doc = concat!("Of `", stringify!($module), "`.")]
            $Variant(<families::$Variant as Family>::Spec),)+
        }

        /// A position of a puzzle.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Board {
            $(#[doc = concat!("Of `", stringify!($module), "`.")]
            $Variant(<families::$Variant as Family>::Board),)+
        }

        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Move {
            $(#[doc = concat!("Of `", stringify!($module), "`.")]
            $Variant(<families::$Variant as Family>::Move),)+
        }

        /// The error of an illegal move.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
        #[serde(rename_all = "snake_case")]
        pub enum IllegalMove {
            $(#[doc = concat!("By the rules of `", stringify!($module), "`.")]
            #[error(transparent)]
            $Variant(<families::$Variant as Family>::IllegalMove),)+
            #[error("this isn't a move of this puzzle")]
            OtherFamily,
        }

        /// An error in the text of a puzzle's spec.
        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
        pub enum PuzzleError {
            #[error("a puzzle is written like {}", spec_examples())]
            UnknownFamily,
            $(#[doc = concat!("Invalid spec of `", stringify!($module), "`.")]
            #[error(transparent)]
            $Variant(<families::$Variant as Family>::SpecError),)+
            #[error(transparent)]
            Seed(#[from] crate::util::seed::SeedError),
            #[error("{0}")]
            Board(String),
        }

        fn spec_examples() -> String {
            [$(format!("{}:{}", families::$Variant::NAME, families::$Variant::EXAMPLE)),+].join(" or ")
        }

        impl PuzzleSpec {
            /// Returns the board of a seed, the same on every machine for ever; never a solved one.
            pub fn board(&self, seed: &Seed) -> Board {
                match self {
                    $(Self::$Variant(spec) => Board::$Variant(families::$Variant::generate(*spec, seed).0),)+
                }
            }

            /// Returns the shortest time of an act that a person keeps up over a whole race.
            pub fn human_act_time(&self) -> Millis {
                match self {
                    $(Self::$Variant(_) => Millis(families::$Variant::HUMAN_ACT_MILLIS),)+
                }
            }

            pub fn is_costly_to_generate(&self) -> bool {
                match self {
                    $(Self::$Variant(spec) => families::$Variant::is_costly_to_generate(*spec),)+
                }
            }

            /// Returns the size of the board, if its cells can show the tiles of a picture.
            pub fn picture_size(&self) -> Option<Size> {
                match self {
                    $(Self::$Variant(spec) => families::$Variant::picture_size(*spec),)+
                }
            }

            /// Returns the table that the solvers use for this puzzle, if any.
            pub fn tables(&self) -> Option<tables::TableSpec> {
                match self {
                    $(Self::$Variant(spec) => families::$Variant::table_spec(*spec),)+
                }
            }
        }

        impl Board {
            /// Plays a move if it is legal, and returns its cost.
            /// On an error the board is unchanged.
            pub fn play(&mut self, play: &Move) -> Result<MoveCount, IllegalMove> {
                match (self, play) {
                    $((Self::$Variant(board), Move::$Variant(play)) => {
                        families::$Variant::play(board, play).map_err(IllegalMove::$Variant)
                    })+
                    _ => Err(IllegalMove::OtherFamily),
                }
            }

            /// Returns legal moves in a fixed order: all of them, or a bounded selection.
            pub fn legal_moves(&self) -> Vec<Move> {
                match self {
                    $(Self::$Variant(board) => {
                        families::$Variant::legal_moves(board).into_iter().map(Move::$Variant).collect()
                    })+
                }
            }

            pub fn is_solved(&self) -> bool {
                match self {
                    $(Self::$Variant(board) => families::$Variant::is_solved(board),)+
                }
            }

            /// Returns true if a heat may start from the board: no trace of earlier moves.
            pub fn is_untouched(&self) -> bool {
                match self {
                    $(Self::$Variant(board) => families::$Variant::is_untouched(board),)+
                }
            }

            /// Returns the progress since `start`, 0 to 1000; 1000 only if solved. For display and
            /// for the order of players who don't finish, never for who wins.
            pub fn progress(&self, start: &Self) -> u16 {
                match (self, start) {
                    $((Self::$Variant(now), Self::$Variant(start)) => families::$Variant::progress(start, now),)+
                    _ => 0,
                }
            }

            /// Returns the cell that a spectator of a large board follows after `play` led from
            /// `before` to this board, if the family has such a cell.
            pub fn changed_cell(&self, before: &Self, play: &Move) -> Option<Cell> {
                match (before, play, self) {
                    $((Self::$Variant(before), Move::$Variant(play), Self::$Variant(after)) => {
                        families::$Variant::changed_cell(before, play, after)
                    })+
                    _ => None,
                }
            }

            pub fn piece_progress(&self) -> Option<PieceProgress> {
                match self {
                    $(Self::$Variant(board) => families::$Variant::piece_progress(board),)+
                }
            }
        }

        impl Move {
            /// Returns the approximate size of the encoded move, in numbers.
            pub fn weight(&self) -> usize {
                match self {
                    $(Self::$Variant(play) => families::$Variant::move_weight(play),)+
                }
            }
        }

        impl std::str::FromStr for PuzzleSpec {
            type Err = PuzzleError;

            fn from_str(text: &str) -> Result<Self, PuzzleError> {
                match text.split_once(':') {
                    $(Some((families::$Variant::NAME, spec)) => {
                        spec.parse().map(Self::$Variant).map_err(PuzzleError::$Variant)
                    })+
                    _ => Err(PuzzleError::UnknownFamily),
                }
            }
        }

        impl std::fmt::Display for PuzzleSpec {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$Variant(spec) => write!(f, "{}:{spec}", families::$Variant::NAME),)+
                }
            }
        }
    };
}

for_each_family!(define_puzzle_enums);
convert_as_text!(PuzzleSpec);

impl PuzzleSpec {
    /// Reads a puzzle as people type it: a size alone is the sliding puzzle's.
    ///
    /// ```
    /// use gridrace_shared::puzzle::{PuzzleError, PuzzleSpec};
    /// assert_eq!(PuzzleSpec::from_typed("3x5"), "slide:3x5".parse());
    /// assert_eq!(PuzzleSpec::from_typed("link:7x7:hard"), "link:7x7:hard".parse());
    /// for text in ["chess", "chess:4x4", ""] {
    ///     assert_eq!(PuzzleSpec::from_typed(text), Err(PuzzleError::UnknownFamily));
    /// }
    /// assert!(matches!(PuzzleSpec::from_typed("99x99"), Err(PuzzleError::Slide(_))));
    /// ```
    ///
    /// # Errors
    /// The [`PuzzleError`] of a text that is neither.
    pub fn from_typed(text: &str) -> Result<Self, PuzzleError> {
        if text.contains(':') {
            return text.parse();
        }
        match text.parse::<Size>() {
            Err(SizeError::Unreadable) => Err(PuzzleError::UnknownFamily),
            Ok(_) | Err(SizeError::OutOfBounds { .. }) => {
                format!("{}:{text}", families::Slide::NAME).parse()
            }
        }
    }
}
