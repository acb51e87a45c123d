//! Reasons that are visible on the drawn board without deductions.

use crate::puzzle::numberlink::deduce::edge_grid::{DirectionMask, EdgeGrid, GridIndex, ways};
use crate::puzzle::numberlink::deduce::explanation::Justification;

#[derive(Debug, Clone)]
pub(super) struct VisibleBoard(EdgeGrid);

impl VisibleBoard {
    /// Creates it from a grid with the drawn links only.
    pub fn new(grid: &EdgeGrid) -> Self {
        Self(grid.clone())
    }

    pub const fn grid(&self) -> &EdgeGrid {
        &self.0
    }

    /// Returns the drawn edges of a cell.
    pub fn drawn(&self, at: GridIndex) -> DirectionMask {
        self.0.on[at]
    }

    /// Returns the easiest visible reason why a partial segment of a number's link continues to a
    /// cell, if any.
    pub fn why(&self, piece: &[GridIndex], to: GridIndex, number: u16) -> Option<Justification> {
        let &at = piece.last()?;
        let is_only = self.ways_out(piece, at, number) == 1;
        if is_only && piece.len() == 1 {
            return Some(Justification::ONLY_WAY_OUT);
        }
        let to_u16 = [at, to].into_iter().filter_map(|at| self.to_u16(at)).min();
        to_u16.or_else(|| is_only.then_some(Justification::ONLY_WAY_OUT))
    }

    /// Returns the number of free neighbours at the end of a partial segment.
    fn ways_out(&self, piece: &[GridIndex], at: GridIndex, number: u16) -> usize {
        let Self(grid) = self;
        let free = ways(grid.unknown(at)).filter(|&way| {
            let to = grid.next(at, way);
            let fits = grid.label[to] == 0 || grid.label[to] == number;
            fits && !grid.is_full(to) && !piece.contains(&to)
        });
        free.count()
    }

    /// Returns the reason why a link passes through an empty cell with two usable neighbours, if
    /// it does.
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
