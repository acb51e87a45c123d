//! Packs the counts of a search into a table.
//!
//! A table holds for each placement, by its number, half of how many moves more its tiles
//! need than their Manhattan distances: the excess is always even, and small. It takes two
//! bits, or four where larger excesses are worth the room; what doesn't fit is cut down,
//! which keeps it a lower bound.

use super::Crew;
use super::placement_rank::Layout;
use super::retrograde_search::Moves;
use crate::puzzle::slide::solve::tables::permutation_rank::Arrangements;
use crate::puzzle::slide::solve::tables::subset_rank::{self, CellSet, each};
use crate::util::grid::{Cell, Size};
use std::sync::{Mutex, PoisonError};

/// Sets of cells of the first group that make one piece of work: their values end at the
/// end of a byte, whatever the layout.
const PIECE: usize = 8;

/// Bits that one value takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// Excesses up to 6.
    Two,
    /// Excesses up to 30.
    Four,
}

impl Width {
    /// Returns how many values one byte holds, as a power of two.
    pub(super) const fn log_per_byte(self) -> u32 {
        match self {
            Self::Two => 2,
            Self::Four => 1,
        }
    }

    /// Returns the largest value.
    pub(super) const fn max(self) -> u8 {
        match self {
            Self::Two => 3,
            Self::Four => 15,
        }
    }

    /// Returns how many bytes so many values take.
    pub(super) const fn bytes(self, values: usize) -> usize {
        values.div_ceil(1 << self.log_per_byte())
    }

    /// Returns how far the n-th value of a table is from the low end of its byte, in bits.
    pub(super) const fn shift(self, n: usize) -> u32 {
        (n as u32 & ((1 << self.log_per_byte()) - 1)) * (8 >> self.log_per_byte())
    }
}

/// Fills a table of zeros with the values of a pattern.
pub(super) fn pack(
    size: Size,
    homes: &[usize],
    moves: &Moves,
    width: Width,
    crew: Crew<'_>,
    table: &mut [u8],
) {
    let layout = Layout::new(size.cells(), homes.len());
    let pack = Pack::new(size, homes, &layout, moves, width);
    let piece = width.bytes(PIECE * pack.values_a_set());
    let pieces = Mutex::new(table.chunks_mut(piece).zip(pack.first.sets.chunks(PIECE)).enumerate());
    crew(&|| {
        loop {
            let next = pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((n, (bytes, sets))) = next else {
                return;
            };
            for (at, &set) in sets.iter().enumerate() {
                pack.fill(n * PIECE + at, set, at * pack.values_a_set(), bytes);
            }
        }
    });
}

/// The placements of one group: sets of cells, and for each set and arrangement the sum of
/// the tiles' Manhattan distances.
struct Half {
    sets: Vec<CellSet>,
    arrangements: usize,
    distances: Vec<Vec<u64>>,
}

struct Pack<'a> {
    first: Half,
    second: Half,
    layout: &'a Layout,
    moves: &'a Moves,
    /// For each set of places that the first group's tiles have among the pattern's cells,
    /// the rank of the pattern's arrangement by those of the groups.
    merged: Vec<Vec<u16>>,
    width: Width,
}

impl Half {
    fn new(size: Size, homes: &[usize]) -> Self {
        let arrangements = Arrangements::new(homes.len());
        let sets: Vec<CellSet> = subset_rank::sets(size.cells(), homes.len()).collect();
        let cell = |cell: usize| Cell(cell as u16);
        let distances = |&set: &CellSet| {
            let at: Vec<usize> = each(set).collect();
            arrangements.sums(|n, tile| size.distance(cell(at[n]), cell(homes[tile])) as u64)
        };
        Self {
            distances: sets.iter().map(distances).collect(),
            arrangements: arrangements.count(),
            sets,
        }
    }
}

impl<'a> Pack<'a> {
    fn new(
        size: Size,
        homes: &[usize],
        layout: &'a Layout,
        moves: &'a Moves,
        width: Width,
    ) -> Self {
        let (first, second) = homes.split_at(layout.first().tiles());
        let merged = |places| merged(places, first.len(), second.len());
        Self {
            first: Half::new(size, first),
            second: Half::new(size, second),
            layout,
            moves,
            merged: (0..1 << homes.len()).map(merged).collect(),
            width,
        }
    }

    /// Returns how many values the placements with the first group on one set have.
    fn values_a_set(&self) -> usize {
        self.first.arrangements * self.layout.second().count()
    }

    /// Writes the values of all placements with the first group on one set of cells,
    /// beginning with the n-th value of some bytes.
    fn fill(&self, rank: usize, set: CellSet, n: usize, bytes: &mut [u8]) {
        let distances = &self.first.distances[rank];
        for (other, &cells) in self.second.sets.iter().enumerate() {
            if cells & set != 0 {
                continue;
            }
            let both = cells | set;
            let moves = &self.moves.blocks[subset_rank::rank(both)];
            let places =
                each(set).fold(0, |places, cell| places | 1 << subset_rank::before(both, cell));
            let merged: &[u16] = &self.merged[places];
            let more = &self.second.distances[other];
            let column = if self.layout.is_dense() {
                subset_rank::rank(among_free(cells, set))
            } else {
                other
            };
            for (row, ranks) in merged.chunks(self.second.arrangements).enumerate() {
                let start = n + row * self.layout.second().count() + column * ranks.len();
                for ((&rank, &more), at) in ranks.iter().zip(more).zip(start..) {
                    let distance = (distances[row] + more) as u8;
                    let excess = moves[usize::from(rank)].saturating_sub(distance) / 2;
                    let value = excess.min(self.width.max());
                    bytes[at >> self.width.log_per_byte()] |= value << self.width.shift(at);
                }
            }
        }
    }
}

/// Renumbers cells by leaving out those of another set.
fn among_free(cells: CellSet, taken: CellSet) -> CellSet {
    each(cells).fold(0, |set, cell| set | 1 << (cell - subset_rank::before(taken, cell)))
}

/// Returns for each two arrangements of the groups the rank of the whole one, where the
/// first group's tiles are at these places, a bit set.
fn merged(places: usize, first: usize, second: usize) -> Vec<u16> {
    if places.count_ones() as usize != first {
        return Vec::new();
    }
    let whole = Arrangements::new(first + second);
    let (ones, others) = (Arrangements::new(first), Arrangements::new(second));
    let place = |of: usize| each(of as CellSet).collect::<Vec<usize>>();
    let free = places ^ ((1 << (first + second)) - 1);
    let (of_ones, of_others) = (place(places), place(free));
    let ones = ones.sums(|n, tile| (tile as u64) << (4 * of_ones[n]));
    let others = others.sums(|n, tile| ((tile + first) as u64) << (4 * of_others[n]));
    let rank = |one: u64, other: u64| whole.rank((one | other) as u32) as u16;
    ones.iter().flat_map(|&one| others.iter().map(move |&other| rank(one, other))).collect()
}
