//! Packs what a search found into a table.
//!
//! A table holds for each placement, by rank, half of the excess of its tiles' moves over their
//! Manhattan distances. A value has two bits, or four where larger excesses justify the space;
//! larger values are clamped, which keeps them lower bounds.

use super::placement_rank::PlacementRanking;
use super::retrograde_search::{HalfExcesses, Workers};
use crate::puzzle::slide::solve::tables::permutation_rank::Arrangements;
use crate::puzzle::slide::solve::tables::subset_rank::{self, CellSet, cells_of};
use crate::util::grid::Size;
use std::sync::{Mutex, PoisonError};

/// Sets of cells of the first group in one unit of work: their values end at a byte boundary in
/// every layout.
const SETS_PER_CHUNK: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueWidth {
    /// Excesses up to 6.
    Two,
    /// Excesses up to 30.
    Four,
}

impl ValueWidth {
    /// Returns the binary logarithm of the number of values in a byte.
    pub(super) const fn log_per_byte(self) -> u32 {
        match self {
            Self::Two => 2,
            Self::Four => 1,
        }
    }

    pub(super) const fn max(self) -> u8 {
        match self {
            Self::Two => 3,
            Self::Four => 15,
        }
    }

    pub(super) const fn bytes(self, values: usize) -> usize {
        values.div_ceil(1 << self.log_per_byte())
    }

    /// Returns the bit offset of the n-th value in its byte.
    pub(super) const fn shift(self, n: usize) -> u32 {
        (n as u32 & ((1 << self.log_per_byte()) - 1)) * (8 >> self.log_per_byte())
    }
}

/// Fills a zeroed table with the values of a pattern of some tiles.
pub(super) fn pack(
    size: Size,
    tiles: usize,
    excesses: &HalfExcesses,
    width: ValueWidth,
    workers: Workers<'_>,
    table: &mut [u8],
) {
    let ranking = PlacementRanking::new(size.cells(), tiles);
    let packer = Packer::new(size.cells(), &ranking, excesses, width);
    let chunk = width.bytes(SETS_PER_CHUNK * packer.values_per_set());
    let chunks = Mutex::new(table.chunks_mut(chunk).zip(packer.first.chunks(SETS_PER_CHUNK)));
    workers(&|| {
        loop {
            let next = chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((bytes, sets)) = next else {
                return;
            };
            for (at, &set) in sets.iter().enumerate() {
                packer.fill(set, at * packer.values_per_set(), bytes);
            }
        }
    });
}

struct Packer<'a> {
    /// The sets of cells of each group's tiles.
    first: Vec<CellSet>,
    second: Vec<CellSet>,
    ranking: &'a PlacementRanking,
    excesses: &'a HalfExcesses,
    /// For each set of indices that the first group's tiles have among the pattern's cells, the
    /// rank of the pattern's arrangement by those of the groups.
    merged_ranks: Vec<Vec<u16>>,
    width: ValueWidth,
}

impl<'a> Packer<'a> {
    fn new(
        cells: usize,
        ranking: &'a PlacementRanking,
        excesses: &'a HalfExcesses,
        width: ValueWidth,
    ) -> Self {
        let (first, second) = (ranking.first.tiles, ranking.second.tiles);
        let merged_ranks = |places| merged_ranks(places, first, second);
        Self {
            first: subset_rank::sets(cells, first).collect(),
            second: subset_rank::sets(cells, second).collect(),
            ranking,
            excesses,
            merged_ranks: (0..1 << (first + second)).map(merged_ranks).collect(),
            width,
        }
    }

    /// Returns the number of values of the placements with the first group on one set.
    fn values_per_set(&self) -> usize {
        (1..=self.ranking.first.tiles).product::<usize>() * self.ranking.second.count
    }

    /// Writes the values of all placements with the first group on one set of cells, from the n-th
    /// value on.
    fn fill(&self, set: CellSet, n: usize, bytes: &mut [u8]) {
        let arrangements = (1..=self.ranking.second.tiles).product();
        for (other, &cells) in self.second.iter().enumerate() {
            if cells & set != 0 {
                continue;
            }
            let both = cells | set;
            let excesses = self.excesses.of_set(subset_rank::rank(both));
            let places = cells_of(set)
                .fold(0, |places, cell| places | 1 << subset_rank::cells_before(both, cell));
            let merged_ranks: &[u16] = &self.merged_ranks[places];
            let column =
                if self.ranking.dense { subset_rank::rank(among_free(cells, set)) } else { other };
            for (row, ranks) in merged_ranks.chunks(arrangements).enumerate() {
                let start = n + row * self.ranking.second.count + column * ranks.len();
                for (&rank, at) in ranks.iter().zip(start..) {
                    let excess = excesses[usize::from(rank / 2)] >> (rank % 2 * 4) & 15;
                    let value = excess.min(self.width.max());
                    bytes[at >> self.width.log_per_byte()] |= value << self.width.shift(at);
                }
            }
        }
    }
}

/// Renumbers cells without those of another set.
fn among_free(cells: CellSet, taken: CellSet) -> CellSet {
    cells_of(cells).fold(0, |set, cell| set | 1 << (cell - subset_rank::cells_before(taken, cell)))
}

/// Returns the rank of the whole arrangement for each two arrangements of the groups, with the
/// first group's tiles at these indices (a bit set).
fn merged_ranks(places: usize, first: usize, second: usize) -> Vec<u16> {
    if places.count_ones() as usize != first {
        return Vec::new();
    }
    let whole = Arrangements::new(first + second);
    let (ones, others) = (Arrangements::new(first), Arrangements::new(second));
    let place = |of: usize| cells_of(of as CellSet).collect::<Vec<usize>>();
    let free = places ^ ((1 << (first + second)) - 1);
    let (of_ones, of_others) = (place(places), place(free));
    let ones = ones.sums(|n, tile| (tile as u64) << (4 * of_ones[n]));
    let others = others.sums(|n, tile| ((tile + first) as u64) << (4 * of_others[n]));
    let rank = |one: u64, other: u64| whole.rank((one | other) as u32) as u16;
    ones.iter().flat_map(|&one| others.iter().map(move |&other| rank(one, other))).collect()
}
