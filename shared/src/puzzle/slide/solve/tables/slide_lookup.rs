//! Lookups of colourings in a table.

use super::colour_rank::ColourRanking;
use super::colouring::Colouring;
use super::inverse_reading::InverseReading;
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
    inverses: Vec<InverseReading>,
}

/// A view with its table, prepared for many lookups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColouringLookup<'a> {
    view: &'a ColouringView,
    ranking: &'a ColourRanking,
    database: &'a [u8],
    is_on_two_rows: bool,
}

/// What a database tells of an arrangement: the slides to the goal modulo 3, plus three times what
/// they are more if one of this axis is to be the last one of all.
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
        let view = |colouring: Colouring| {
            let inverses = InverseReading::all(&colouring);
            ColouringView { colouring, ranking: Arc::clone(&ranking), start, inverses }
        };
        if is_square && !colouring.is_on_two_rows() {
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
        let is_on_two_rows = self.colouring.is_on_two_rows();
        ColouringLookup { view: self, ranking: &self.ranking, database, is_on_two_rows }
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
        if self.is_on_two_rows {
            SlideCount(self.count_on_two_rows(number) % 3)
        } else {
            SlideCount(self.value(number))
        }
    }

    /// Returns the count of the slides to the goal on a board of two rows.
    #[inline]
    pub(crate) fn count_on_two_rows(&self, number: usize) -> u8 {
        // With the blank in the lower row, whose arrangements come second, it is even.
        2 * self.value(number) + u8::from(number < self.ranking.len())
    }

    #[inline]
    fn value(&self, number: usize) -> u8 {
        self.database[number / 2] >> (4 * (number % 2)) & 0xf
    }

    /// Returns the other boards as which one can be read: none but on two rows.
    pub(crate) fn inverses(&self) -> &[InverseReading] {
        &self.view.inverses
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
