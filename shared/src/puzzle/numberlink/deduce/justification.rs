//! Justification an edge is on or off, in order of how hard that is to see.

use crate::puzzle::numberlink::deduce::Reason;

/// Justification an edge is on or off; a harder one is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Justification(u8);

impl Justification {
    /// The board's edge, a solid cell, or what the player has drawn.
    pub const GIVEN: Self = Self(0);
    /// The cell has no other neighbours.
    pub const CORNER: Self = Self(1);
    /// The end of a run has no other way.
    pub const ONLY_WAY_OUT: Self = Self(2);
    /// The cell has no other neighbours that are free.
    pub const PASS_THROUGH: Self = Self(3);
    /// The cell has its edges, or the other one has another number: for edges that are off.
    /// For those that are on: something of the kind that isn't drawn.
    pub const TAKEN: Self = Self(4);
    /// It would close a ring.
    pub const RING: Self = Self(5);
    /// The link would touch itself.
    pub const TOUCH: Self = Self(6);
    /// A cell beside it would be left without a way.
    pub const DEAD_END: Self = Self(7);
    /// Two terminals would be kept apart.
    pub const CUT_OFF: Self = Self(8);
    /// Some cells would be beyond the reach of every link.
    pub const UNFILLABLE: Self = Self(9);

    /// Every other way fails at once, each for another of these reasons.
    pub const SEVERAL: Self = Self(10);

    /// Harder than any other.
    pub const HARDEST: Self = Self(u8::MAX);

    /// Several steps further on, something can't be.
    pub const fn trial(depth: u8) -> Self {
        Self(Self::SEVERAL.0.saturating_add(depth))
    }

    /// Returns the reason in the words of the border.
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
