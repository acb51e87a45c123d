//! Connectivity: whether every pair can be linked, and every cell reached.

use crate::puzzle::numberlink::deduce::edge_grid::{EdgeGrid, GridIndex, to_u16, ways};
use crate::puzzle::numberlink::deduce::propagation::Contradiction;

/// The connected regions of cells without a number.
#[derive(Debug, Clone, Default)]
pub(super) struct Regions {
    /// The region of each cell, from 1.
    of: Vec<u16>,
    /// Whether some number has both ends beside a region.
    served: Vec<bool>,
    stack: Vec<u16>,
}

impl Regions {
    /// Returns a contradiction when the ends of a number have no region in common, or a region has
    /// no number with both ends beside it. Adds its cost to `nodes`.
    pub fn examine(&mut self, grid: &EdgeGrid, nodes: &mut u64) -> Result<(), Contradiction> {
        self.divide(grid);
        *nodes += 8; // takes about as long as eight cells
        for number in 0..grid.pairs.len() {
            if grid.is_linked(number) {
                continue;
            }
            let [one, other] = grid.ends(number);
            let mut meet = ways(grid.unknown(one)).any(|way| grid.next(one, way) == other);
            for way in ways(grid.unknown(one)) {
                let region = self.of[grid.next(one, way)];
                let beside = |way| self.of[grid.next(other, way)] == region;
                if region != 0 && ways(grid.unknown(other)).any(beside) {
                    meet = true;
                    self.served[usize::from(region)] = true;
                }
            }
            if !meet {
                return Err(Contradiction::CutOff);
            }
        }
        if self.served[1..].iter().all(|&served| served) {
            Ok(())
        } else {
            Err(Contradiction::Unfillable)
        }
    }

    fn divide(&mut self, grid: &EdgeGrid) {
        self.of.clear();
        self.of.resize(grid.need.len(), 0);
        self.served.clear();
        self.served.push(true);
        for at in grid.indices() {
            if grid.need[at] > 0 && grid.label[at] == 0 && self.of[at] == 0 {
                self.fill(grid, at);
                self.served.push(false);
            }
        }
    }

    fn fill(&mut self, grid: &EdgeGrid, from: GridIndex) {
        let region = to_u16(self.served.len());
        self.of[from] = region;
        self.stack.push(to_u16(from));
        while let Some(at) = self.stack.pop() {
            let at = usize::from(at);
            for way in ways(grid.open[at]) {
                let to = grid.next(at, way);
                if self.of[to] == 0 && grid.label[to] == 0 {
                    self.of[to] = region;
                    self.stack.push(to_u16(to));
                }
            }
        }
    }
}
