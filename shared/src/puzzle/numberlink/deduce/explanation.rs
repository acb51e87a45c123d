//! Reasons, and the pieces of links that they force.

use crate::util::grid::Cell;
use serde::{Deserialize, Serialize};

/// Justification a piece of a link can't run otherwise, in order of how hard that is to see, but for
/// the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The cell has two neighbours from the start, as a corner has, so a link turns there.
    Corner,
    /// The end of a link has one free neighbour, and so has the piece's further on.
    OnlyWayOut,
    /// An empty cell has two free neighbours left, so a link passes through.
    PassThrough,
    /// Any other way closes a ring.
    Ring,
    /// Any other way lets the link touch itself. Where links may, that needs to know that
    /// the puzzle has one solution, even if cells may stay empty: the link could be cut
    /// short there.
    WouldTouch,
    /// Any other way leaves a cell beside it without two neighbours.
    DeadEnd,
    /// Any other way keeps two terminals apart.
    WouldCutOff,
    /// Any other way leaves cells that no link can reach.
    WouldStrand,
    /// Any other way fails, each for another of these reasons or further on.
    Trial {
        /// How many more steps are forced until the last of them does; 0 where each fails at
        /// once.
        depth: u8,
    },
    /// Cells that nobody has drawn yet must be used otherwise, which leaves no other way:
    /// as hard to see as what follows there.
    Follows,
}

/// A piece of a link that is forced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForcedSegment {
    /// The number of its link, where that is known.
    pub number: Option<u16>,
    /// Its cells, two or more, each adjacent to the next. Where its number is known it
    /// begins at one of its terminals, or at the end of what is drawn of it.
    pub cells: Vec<Cell>,
    /// Justification it can't run otherwise: the hardest reason of the piece.
    pub reason: Reason,
}

/// What may be taken for granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Premise {
    /// Only the rules.
    Rules,
    /// That the puzzle has one solution, even if cells may stay empty; whoever says so must
    /// know it.
    OneSolution,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Corner => "the cell has only two neighbours",
            Self::OnlyWayOut => "there is no other way out",
            Self::PassThrough => "an empty cell has only two free neighbours left",
            Self::Ring => "any other way closes a ring",
            Self::WouldTouch => {
                "any other way the link touches itself, where it could be cut short"
            }
            Self::DeadEnd => "any other way makes a dead end",
            Self::WouldCutOff => "any other way cuts two terminals off from each other",
            Self::WouldStrand => "any other way leaves cells that no link can reach",
            Self::Follows => "what must be drawn elsewhere leaves no other way",
            Self::Trial { depth: 0 } => "any other way fails at once",
            Self::Trial { depth: 1 } => "any other way fails within one more step",
            Self::Trial { depth } => {
                return write!(f, "any other way fails within {depth} more steps");
            }
        })
    }
}
