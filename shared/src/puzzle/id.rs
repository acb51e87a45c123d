//! Ids of boards: `slide:4x4#SEED` and `slide:4x4=1 2 3 4/…`.

use crate::puzzle::{Board, Family, families};
use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the families of puzzles are {}", FamilyKind::ALL.map(FamilyKind::name).join(" and "))]
pub struct FamilyNameError;

macro_rules! define_ids {
    ($($Variant:ident = $module:ident,)+) => {
        /// A family of puzzles, without a puzzle.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum FamilyKind {
            $(#[doc = concat!("`", stringify!($module), "`.")]
            $Variant,)+
        }

        impl FamilyKind {
            /// Every family, in the order of the list.
            pub const ALL: [Self; [$(families::$Variant::NAME),+].len()] = [$(Self::$Variant),+];

            /// Returns the name before the colon of specs and ids.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Variant => families::$Variant::NAME,)+
                }
            }
        }

        /// Names one board: by the seed that generates it, or cell by cell.
        ///
        /// Wider than the puzzles of heats ([`crate::puzzle::PuzzleSpec`]): the offline tools take
        /// every size that a family has. A seed names the same board here as in a heat.
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
            $(#[doc = concat!("Of `", stringify!($module), "`.")]
            $Variant(<families::$Variant as Family>::Id),)+
        }

        /// An error in a puzzle's id.
        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
        pub enum PuzzleIdError {
            #[error("a puzzle's id is written like slide:4x4#SEED or slide:2x2=1 2/3 0")]
            Malformed,
            #[error(transparent)]
            Family(#[from] FamilyNameError),
            $(#[doc = concat!("Invalid id of `", stringify!($module), "`.")]
            #[error(transparent)]
            $Variant(<families::$Variant as Family>::IdError),)+
        }

        impl PuzzleId {
            /// Returns the board that the id names.
            pub fn board(&self) -> Result<Board, PuzzleIdError> {
                match self {
                    $(Self::$Variant(id) => families::$Variant::board_of_id(id)
                        .map(Board::$Variant)
                        .map_err(PuzzleIdError::$Variant),)+
                }
            }
        }

        impl fmt::Display for PuzzleId {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$Variant(id) => id.fmt(f),)+
                }
            }
        }

        impl FromStr for PuzzleId {
            type Err = PuzzleIdError;

            fn from_str(text: &str) -> Result<Self, PuzzleIdError> {
                let (family, rest) = text.trim().split_once(':').ok_or(PuzzleIdError::Malformed)?;
                match family.parse()? {
                    $(FamilyKind::$Variant => families::$Variant::parse_id(rest)
                        .map(Self::$Variant)
                        .map_err(PuzzleIdError::$Variant),)+
                }
            }
        }
    };
}

crate::for_each_family!(define_ids);

impl fmt::Display for FamilyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for FamilyKind {
    type Err = FamilyNameError;

    fn from_str(text: &str) -> Result<Self, FamilyNameError> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or(FamilyNameError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::PuzzleSpec;
    use crate::puzzle::slide::notation::BoardTextError;
    use crate::puzzle::slide::{SlideId, SlideIdError};
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
            assert!(
                matches!(read(text), Err(PuzzleIdError::Slide(SlideIdError::Scramble(_)))),
                "{text}"
            );
        }
        assert!(matches!(read("slide:129x2=1"), Err(PuzzleIdError::Slide(SlideIdError::Size(_)))));
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
        for text in ["", "slide", "4x4#a"] {
            assert_eq!(read(text), Err(PuzzleIdError::Malformed), "{text:?}");
        }
        assert_eq!(read("slide:4x4"), Err(PuzzleIdError::Slide(SlideIdError::Malformed)));
        for text in ["slide:4x4:hard", "slide:4x4:hard#a", "slide:2x2:hard=1 2/3 0"] {
            assert_eq!(read(text), Err(PuzzleIdError::Slide(SlideIdError::HasMode)), "{text:?}");
        }
        assert_eq!(read("chess:4x4#a"), Err(PuzzleIdError::Family(FamilyNameError)));
        assert!(matches!(read("link:4y4#a"), Err(PuzzleIdError::Link(_))));
        assert!(matches!(read("slide:4y4#a"), Err(PuzzleIdError::Slide(SlideIdError::Size(_)))));
        assert!(matches!(read("slide:4x4#a b"), Err(PuzzleIdError::Slide(SlideIdError::Seed(_)))));
        assert!(matches!(
            read("slide:2x2=1 2/3 3"),
            Err(PuzzleIdError::Slide(SlideIdError::Board(_)))
        ));
        assert!(matches!(
            read("slide:2x2=1 2 0"),
            Err(PuzzleIdError::Slide(SlideIdError::Board(_)))
        ));
        assert!(matches!(
            read("slide:2x2=1 2 3 4 0 5"),
            Err(PuzzleIdError::Slide(SlideIdError::Board(_)))
        ));
        assert!(matches!(
            read("slide:2x3=1 2/3 4/5 0"),
            Err(PuzzleIdError::Slide(SlideIdError::OtherSize { .. }))
        ));
        let long = format!("slide:2x2={}", "1 ".repeat(70_000));
        assert!(matches!(
            read(&long),
            Err(PuzzleIdError::Slide(SlideIdError::Board(BoardTextError::TooLong)))
        ));
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
            let id = PuzzleId::Slide(SlideId::Written(board));
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
