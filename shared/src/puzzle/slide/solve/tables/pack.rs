//! Packs move counts into a table.
//!
//! A table holds for each placement, by rank, half of the excess of its tiles' moves over their
//! Manhattan distances: the excess is always even, and small. A value has two bits, or four where
//! larger excesses justify the space; larger values are clamped, which keeps them lower bounds.

use super::placement_rank::PlacementRanking;
use super::retrograde_search::{MoveCounts, Workers};
use crate::puzzle::slide::solve::tables::permutation_rank::Arrangements;
use crate::puzzle::slide::solve::tables::subset_rank::{self, CellSet, cells_of};
use crate::util::grid::{Cell, Size};
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

/// Fills a zeroed table with the values of a pattern.
pub(super) fn pack(
    size: Size,
    homes: &[usize],
    moves: &MoveCounts,
    width: ValueWidth,
    workers: Workers<'_>,
    table: &mut [u8],
) {
    let ranking = PlacementRanking::new(size.cells(), homes.len());
    let packer = Packer::new(size, homes, &ranking, moves, width);
    let chunk = width.bytes(SETS_PER_CHUNK * packer.values_per_set());
    let chunks = Mutex::new(
        table.chunks_mut(chunk).zip(packer.first.sets.chunks(SETS_PER_CHUNK)).enumerate(),
    );
    workers(&|| {
        loop {
            let next = chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((n, (bytes, sets))) = next else {
                return;
            };
            for (at, &set) in sets.iter().enumerate() {
                packer.fill(n * SETS_PER_CHUNK + at, set, at * packer.values_per_set(), bytes);
            }
        }
    });
}

/// The placements of one group: sets of cells, and the sum of the tiles' Manhattan distances for
/// each set and arrangement.
struct GroupPlacements {
    sets: Vec<CellSet>,
    arrangements: usize,
    distances: Vec<Vec<u64>>,
}

struct Packer<'a> {
    first: GroupPlacements,
    second: GroupPlacements,
    ranking: &'a PlacementRanking,
    moves: &'a MoveCounts,
    /// For each set of indices that the first group's tiles have among the pattern's cells, the
    /// rank of the pattern's arrangement by those of the groups.
    merged_ranks: Vec<Vec<u16>>,
    width: ValueWidth,
}

impl GroupPlacements {
    fn new(size: Size, homes: &[usize]) -> Self {
        let arrangements = Arrangements::new(homes.len());
        let sets: Vec<CellSet> = subset_rank::sets(size.cells(), homes.len()).collect();
        let cell = |cell: usize| Cell(cell as u16);
        let distances = |&set: &CellSet| {
            let at: Vec<usize> = cells_of(set).collect();
            arrangements.sums(|n, tile| size.distance(cell(at[n]), cell(homes[tile])) as u64)
        };
        Self {
            distances: sets.iter().map(distances).collect(),
            arrangements: arrangements.count(),
            sets,
        }
    }
}

impl<'a> Packer<'a> {
    fn new(
        size: Size,
        homes: &[usize],
        ranking: &'a PlacementRanking,
        moves: &'a MoveCounts,
        width: ValueWidth,
    ) -> Self {
        let (first, second) = homes.split_at(ranking.first.tiles);
        let merged_ranks = |places| merged_ranks(places, first.len(), second.len());
        Self {
            first: GroupPlacements::new(size, first),
            second: GroupPlacements::new(size, second),
            ranking,
            moves,
            merged_ranks: (0..1 << homes.len()).map(merged_ranks).collect(),
            width,
        }
    }

    /// Returns the number of values of the placements with the first group on one set.
    fn values_per_set(&self) -> usize {
        self.first.arrangements * self.ranking.second.count
    }

    /// Writes the values of all placements with the first group on one set of cells, from the n-th
    /// value on.
    fn fill(&self, rank: usize, set: CellSet, n: usize, bytes: &mut [u8]) {
        let distances = &self.first.distances[rank];
        for (other, &cells) in self.second.sets.iter().enumerate() {
            if cells & set != 0 {
                continue;
            }
            let both = cells | set;
            let moves = &self.moves.blocks[subset_rank::rank(both)];
            let places = cells_of(set)
                .fold(0, |places, cell| places | 1 << subset_rank::cells_before(both, cell));
            let merged_ranks: &[u16] = &self.merged_ranks[places];
            let more = &self.second.distances[other];
            let column =
                if self.ranking.dense { subset_rank::rank(among_free(cells, set)) } else { other };
            for (row, ranks) in merged_ranks.chunks(self.second.arrangements).enumerate() {
                let start = n + row * self.ranking.second.count + column * ranks.len();
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
