//! What shows on the board as it is drawn, before anything is deduced.

use crate::puzzle::numberlink::deduce::edges::{At, Mask, Sketch, ways};
use crate::puzzle::numberlink::deduce::justification::Why;

/// A drawing, as a player sees it.
#[derive(Debug, Clone)]
pub(super) struct Seen(Sketch);

impl Seen {
    /// Takes a sketch on which nothing stands but what is drawn.
    pub fn new(sketch: &Sketch) -> Self {
        Self(sketch.clone())
    }

    /// Returns the sketch.
    pub const fn sketch(&self) -> &Sketch {
        &self.0
    }

    /// Returns the edges of a cell that are drawn.
    pub fn drawn(&self, at: At) -> Mask {
        self.0.on[at]
    }

    /// Returns the easiest reason to be seen why a piece of a number's link that has come
    /// this far goes on to a cell, if there is any.
    pub fn why(&self, piece: &[At], to: At, number: u16) -> Option<Why> {
        let &at = piece.last()?;
        let is_only = self.ways_out(piece, at, number) == 1;
        if is_only && piece.len() == 1 {
            return Some(Why::ONLY_WAY_OUT);
        }
        let narrow = [at, to].into_iter().filter_map(|at| self.narrow(at)).min();
        narrow.or_else(|| is_only.then_some(Why::ONLY_WAY_OUT))
    }

    /// Counts the free neighbours at the end of a piece.
    fn ways_out(&self, piece: &[At], at: At, number: u16) -> usize {
        let Self(sketch) = self;
        let free = ways(sketch.unknown(at)).filter(|&way| {
            let to = sketch.next(at, way);
            let fits = sketch.label[to] == 0 || sketch.label[to] == number;
            fits && !sketch.is_full(to) && !piece.contains(&to)
        });
        free.count()
    }

    /// Says why a link passes through an empty cell by the only two neighbours it may.
    fn narrow(&self, at: At) -> Option<Why> {
        let Self(sketch) = self;
        if sketch.need[at] != 2 || sketch.on[at] != 0 {
            return None;
        }
        let free = |&way: &usize| !sketch.is_full(sketch.next(at, way));
        if sketch.open[at].count_ones() == 2 {
            Some(Why::CORNER)
        } else {
            (ways(sketch.open[at]).filter(free).count() == 2).then_some(Why::PASS_THROUGH)
        }
    }
}
