//! Reasons that are visible on the drawn board without deductions.

use crate::puzzle::numberlink::deduce::edge_grid::{EdgeGrid, GridIndex, ways};
use crate::puzzle::numberlink::deduce::explanation::Justification;

/// Of a grid with the drawn links only.
impl EdgeGrid {
    /// Returns the easiest visible reason why a partial segment of a number's link continues to a
    /// cell, if any.
    pub fn visible_reason(
        &self,
        piece: &[GridIndex],
        to: GridIndex,
        number: u16,
    ) -> Option<Justification> {
        let &at = piece.last()?;
        let is_only = self.ways_out(piece, at, number) == 1;
        if is_only && piece.len() == 1 {
            return Some(Justification::ONLY_WAY_OUT);
        }
        let passed = [at, to].into_iter().filter_map(|at| self.pass_through_reason(at)).min();
        passed.or_else(|| is_only.then_some(Justification::ONLY_WAY_OUT))
    }

    /// Returns the number of free neighbours at the end of a partial segment.
    fn ways_out(&self, piece: &[GridIndex], at: GridIndex, number: u16) -> usize {
        let free = ways(self.unknown(at)).filter(|&way| {
            let to = self.next(at, way);
            let fits = self.label[to] == 0 || self.label[to] == number;
            fits && !self.is_full(to) && !piece.contains(&to)
        });
        free.count()
    }

    /// Returns the reason why a link passes through an empty cell with two usable neighbours, if
    /// it does.
    fn pass_through_reason(&self, at: GridIndex) -> Option<Justification> {
        if self.need[at] != 2 || self.on[at] != 0 {
            return None;
        }
        let free = |&way: &usize| !self.is_full(self.next(at, way));
        if self.open[at].count_ones() == 2 {
            Some(Justification::CORNER)
        } else {
            (ways(self.open[at]).filter(free).count() == 2).then_some(Justification::PASS_THROUGH)
        }
    }
}
