//! Lookups of colourings in a table.

use super::colour_rank::ColourRanking;
use super::colouring::Colouring;
use super::spec::TableSpec;
use super::tile_sequence::{Axis, TileSequence};
use crate::puzzle::slide::Board;
use std::sync::Arc;

/// A colouring of an axis, with its place in a table.
#[derive(Debug, Clone)]
pub(crate) struct ColouringView {
    colouring: Colouring,
    ranking: Arc<ColourRanking>,
    /// The database's first byte in the table.
    start: usize,
}

/// A view with its table, prepared for many lookups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColouringLookup<'a> {
    view: &'a ColouringView,
    ranking: &'a ColourRanking,
    database: &'a [u8],
}

/// What a database tells of an arrangement, in four bits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SlideCount(u8);

/// Returns the views of a spec's table: those of the vertical axis and of the horizontal one, for
/// boards in its orientation.
pub(super) fn views(spec: TableSpec) -> [Vec<ColouringView>; 2] {
    let mut views = [Vec::new(), Vec::new()];
    let mut start = 0;
    let [vertical, _] = Axis::both(spec.size());
    let is_square = spec.size().rows() == spec.size().cols();
    for colouring in spec.colourings() {
        let ranking = Arc::new(colouring.ranking().0);
        let len = colouring.payload_len();
        let view = |colouring| ColouringView { colouring, ranking: Arc::clone(&ranking), start };
        if is_square {
            views[1].push(view(colouring.transposed()));
        }
        views[usize::from(colouring.axis != vertical)].push(view(colouring));
        start += len;
    }
    views
}

impl ColouringView {
    pub(crate) fn lookup<'a>(&'a self, table: &'a [u8]) -> ColouringLookup<'a> {
        let database = &table[self.start..self.start + self.colouring.payload_len()];
        ColouringLookup { view: self, ranking: &self.ranking, database }
    }
}

impl ColouringLookup<'_> {
    pub(crate) fn sequence(&self, board: &Board) -> TileSequence {
        self.view.colouring.sequence(board)
    }

    #[inline]
    pub(crate) fn get(&self, line: usize, sequence: TileSequence) -> SlideCount {
        self.at(self.number(line, sequence))
    }

    #[inline]
    pub(crate) fn number(&self, line: usize, sequence: TileSequence) -> usize {
        line * self.ranking.len() + self.ranking.rank(sequence)
    }

    #[inline]
    pub(crate) fn at(&self, number: usize) -> SlideCount {
        SlideCount(self.database[number / 2] >> (4 * (number % 2)) & 0xf)
    }

    /// Counts the slides to the goal, by going there.
    pub(crate) fn count(&self, mut line: usize, mut sequence: TileSequence) -> u8 {
        let Colouring { axis, .. } = self.view.colouring;
        let goal = (axis.lines - 1, self.view.colouring.goal());
        let mut count = 0;
        while (line, sequence) != goal && count < u8::MAX {
            let here = self.get(line, sequence);
            let mut next = None;
            (0..axis.width).any(|place| {
                axis.any_slide(sequence, line, place, |line, sequence| {
                    let there = self.get(line, sequence);
                    let is_nearer = here.is_above(there);
                    next = is_nearer.then_some((line, sequence));
                    is_nearer
                })
            });
            // Without a nearer neighbour this is no table of ours: no bound holds then.
            let Some(nearer) = next else {
                return 0;
            };
            (line, sequence) = nearer;
            count += 1;
        }
        count
    }
}

impl SlideCount {
    /// Returns the count of the slides to the goal, given that of a neighbour: at most one more or
    /// less.
    #[inline]
    pub(crate) const fn of_neighbour(self, count: u8) -> u8 {
        let step = (self.0 % 3 + 4 - count % 3) % 3;
        (count + step).saturating_sub(1)
    }

    /// Returns how many slides more it takes if one of this axis is to be the last one of all.
    #[inline]
    pub(crate) const fn extra(self) -> u8 {
        self.0 / 3
    }

    const fn is_above(self, neighbour: Self) -> bool {
        self.0 % 3 == (neighbour.0 + 1) % 3
    }
}
