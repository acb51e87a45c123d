//! What shows on the board as it is drawn, before anything is deduced.

use crate::puzzle::numberlink::deduce::edges::{DirectionMask, EdgeGrid, GridIndex, ways};
use crate::puzzle::numberlink::deduce::justification::Justification;

/// A drawing, as a player sees it.
#[derive(Debug, Clone)]
pub(super) struct VisibleBoard(EdgeGrid);

impl VisibleBoard {
    /// Takes a grid on which nothing stands but what is drawn.
    pub fn new(grid: &EdgeGrid) -> Self {
        Self(grid.clone())
    }

    /// Returns the grid.
    pub const fn grid(&self) -> &EdgeGrid {
        &self.0
    }

    /// Returns the edges of a cell that are drawn.
    pub fn drawn(&self, at: GridIndex) -> DirectionMask {
        self.0.on[at]
    }

    /// Returns the easiest reason to be seen why a piece of a number's link that has come
    /// this far goes on to a cell, if there is any.
    pub fn why(&self, piece: &[GridIndex], to: GridIndex, number: u16) -> Option<Justification> {
        let &at = piece.last()?;
        let is_only = self.ways_out(piece, at, number) == 1;
        if is_only && piece.len() == 1 {
            return Some(Justification::ONLY_WAY_OUT);
        }
        let to_u16 = [at, to].into_iter().filter_map(|at| self.to_u16(at)).min();
        to_u16.or_else(|| is_only.then_some(Justification::ONLY_WAY_OUT))
    }

    /// Counts the free neighbours at the end of a piece.
    fn ways_out(&self, piece: &[GridIndex], at: GridIndex, number: u16) -> usize {
        let Self(grid) = self;
        let free = ways(grid.unknown(at)).filter(|&way| {
            let to = grid.next(at, way);
            let fits = grid.label[to] == 0 || grid.label[to] == number;
            fits && !grid.is_full(to) && !piece.contains(&to)
        });
        free.count()
    }

    /// Says why a link passes through an empty cell by the only two neighbours it may.
    fn to_u16(&self, at: GridIndex) -> Option<Justification> {
        let Self(grid) = self;
        if grid.need[at] != 2 || grid.on[at] != 0 {
            return None;
        }
        let free = |&way: &usize| !grid.is_full(grid.next(at, way));
        if grid.open[at].count_ones() == 2 {
            Some(Justification::CORNER)
        } else {
            (ways(grid.open[at]).filter(free).count() == 2).then_some(Justification::PASS_THROUGH)
        }
    }
}
