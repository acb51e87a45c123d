//! Reasons, and the segments of links that they force.

use crate::util::grid::Cell;
use serde::{Deserialize, Serialize};

/// Why a segment of a link is forced. The order of all but the last is that of difficulty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The cell has only two neighbours, as a corner has, so a link turns there.
    Corner,
    /// The end of a link has one free neighbour, and so has each further cell of the segment.
    OnlyWayOut,
    /// An empty cell has only two free neighbours left, so a link passes through it.
    PassThrough,
    Ring,
    /// Any other continuation lets the link touch itself. If the puzzle allows that, this needs
    /// the premise of one solution, even if cells may stay empty: the link could be shortened
    /// there.
    WouldTouch,
    /// Any other continuation leaves an adjacent cell without two neighbours.
    DeadEnd,
    WouldCutOff,
    WouldStrand,
    /// Any other continuation fails, each for another of these reasons or after further steps.
    Trial {
        /// The number of forced steps until the last of them fails; 0 if each fails at once.
        depth: u8,
    },
    /// Undrawn cells must be used otherwise, which leaves no other continuation; as hard to see as
    /// the reasons there.
    Follows,
}

/// A forced segment of a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForcedSegment {
    /// The number of its link, if known.
    pub number: Option<u16>,
    /// Its cells: two or more adjacent ones. With a known number it starts at one of its
    /// terminals, or at the end of the drawn link.
    pub cells: Vec<Cell>,
    /// The hardest reason of the segment.
    pub reason: Reason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Premise {
    Rules,
    /// That the puzzle has one solution, even if cells may stay empty. The caller must know it.
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

/// The reason for an edge that is on or off; a greater one is harder to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Justification(u8);

impl Justification {
    /// The board's border, a solid cell, or a drawn link.
    pub const GIVEN: Self = Self(0);
    /// The cell has no other neighbours.
    pub const CORNER: Self = Self(1);
    /// The end of a run has no other continuation.
    pub const ONLY_WAY_OUT: Self = Self(2);
    /// The cell has no other free neighbours.
    pub const PASS_THROUGH: Self = Self(3);
    /// For edges that are off: the cell is full, or the other one has another number. For edges
    /// that are on: such a reason that is not drawn.
    pub const TAKEN: Self = Self(4);
    pub const RING: Self = Self(5);
    pub const TOUCH: Self = Self(6);
    /// An adjacent cell would be a dead end.
    pub const DEAD_END: Self = Self(7);
    pub const CUT_OFF: Self = Self(8);
    pub const UNFILLABLE: Self = Self(9);

    /// Every other continuation fails at once, each for another of these reasons.
    pub const SEVERAL: Self = Self(10);

    pub const HARDEST: Self = Self(u8::MAX);

    /// A contradiction follows after further steps.
    pub const fn trial(depth: u8) -> Self {
        Self(Self::SEVERAL.0.saturating_add(depth))
    }

    pub const fn reason(self) -> Reason {
        match self.0 {
            0 | 1 => Reason::Corner,
            2 => Reason::OnlyWayOut,
            3 => Reason::PassThrough,
            4 => Reason::Follows,
            5 => Reason::Ring,
            6 => Reason::WouldTouch,
            7 => Reason::DeadEnd,
            8 => Reason::WouldCutOff,
            9 => Reason::WouldStrand,
            further => Reason::Trial { depth: further - Self::SEVERAL.0 },
        }
    }
}
