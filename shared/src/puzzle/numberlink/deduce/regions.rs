//! Whether every pair can still meet, and every cell can still be reached.

use crate::puzzle::numberlink::deduce::edges::{At, Sketch, narrow, ways};
use crate::puzzle::numberlink::deduce::propagation::Contradiction;

/// The connected regions of cells that belong to no number yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Regions {
    /// The region of each cell, from 1.
    of: Vec<u16>,
    /// Whether some number has both ends beside a region.
    served: Vec<bool>,
    stack: Vec<u16>,
}

impl Regions {
    /// Refuses a sketch in which the ends of a number have no region in common, or a region
    /// has no number with both ends beside it. Counts what it looks at in nodes.
    pub fn examine(&mut self, sketch: &Sketch, nodes: &mut u64) -> Result<(), Contradiction> {
        self.divide(sketch);
        *nodes += 8; // about as long as looking at eight cells
        for number in 0..sketch.pairs.len() {
            if sketch.is_linked(number) {
                continue;
            }
            let [one, other] = sketch.ends(number);
            let mut meet = ways(sketch.unknown(one)).any(|way| sketch.next(one, way) == other);
            for way in ways(sketch.unknown(one)) {
                let region = self.of[sketch.next(one, way)];
                let beside = |way| self.of[sketch.next(other, way)] == region;
                if region != 0 && ways(sketch.unknown(other)).any(beside) {
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

    fn divide(&mut self, sketch: &Sketch) {
        self.of.clear();
        self.of.resize(sketch.need.len(), 0);
        self.served.clear();
        self.served.push(true);
        for at in sketch.places() {
            if sketch.need[at] > 0 && sketch.label[at] == 0 && self.of[at] == 0 {
                self.fill(sketch, at);
                self.served.push(false);
            }
        }
    }

    fn fill(&mut self, sketch: &Sketch, from: At) {
        let region = narrow(self.served.len());
        self.of[from] = region;
        self.stack.push(narrow(from));
        while let Some(at) = self.stack.pop() {
            let at = usize::from(at);
            for way in ways(sketch.open[at]) {
                let to = sketch.next(at, way);
                if self.of[to] == 0 && sketch.label[to] == 0 {
                    self.of[to] = region;
                    self.stack.push(narrow(to));
                }
            }
        }
    }
}
