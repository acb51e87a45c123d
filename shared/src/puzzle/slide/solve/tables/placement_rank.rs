//! Ranks of a pattern's placements.
//!
//! A pattern's tiles are split into two groups. The cells of a group's tiles, read as the digits
//! of a number, are its key; a lookup list maps the key to the rank of the group's placement: by
//! the rank of the set of cells, then of the arrangement. A move changes one digit of one key, so
//! a search updates both ranks and adds them. Overlapping placements of the groups have unused
//! ranks, about half of the table; this is the price of cheap ranks. The largest tables are dense:
//! the second group's cells are counted among those that the first leaves free.

use crate::puzzle::slide::solve::tables::permutation_rank::Arrangements;
use crate::puzzle::slide::solve::tables::subset_rank::{self, cells_of};

/// Returns whether a pattern's ranks are dense: those of tables larger than a fast cache. Their
/// digits have four bits, in groups of up to four.
const fn dense(cells: usize, tiles: usize) -> bool {
    cells == 16 && tiles >= 7
}

#[derive(Debug, Clone)]
pub(super) struct PlacementRanking {
    /// The group of the first half of the tiles, which has the higher digits.
    pub(super) first: GroupRanking,
    pub(super) second: GroupRanking,
    /// Whether the second group's key counts only cells that the first leaves free.
    pub(super) dense: bool,
}

/// The ranking of the placements of some of a pattern's tiles, at most four.
#[derive(Debug, Clone)]
pub(super) struct GroupRanking {
    pub(super) tiles: usize,
    radix: usize,
    pub(super) count: usize,
    /// The rank of each key.
    pub(super) ranks: Vec<u16>,
}

impl GroupRanking {
    fn new(tiles: usize, cells: usize, radix: usize) -> Self {
        let mut ranks = vec![0; radix.pow(tiles as u32)];
        let arrangements = Arrangements::new(tiles);
        let mut count = 0;
        for set in subset_rank::sets(cells, tiles) {
            let at: Vec<usize> = cells_of(set).collect();
            for key in arrangements.sums(|n, tile| (at[n] * radix.pow(tile as u32)) as u64) {
                ranks[key as usize] = count as u16;
                count += 1;
            }
        }
        Self { tiles, radix, count, ranks }
    }

    /// Returns the weight of the n-th tile's cell in the key.
    pub(super) const fn weight(&self, n: usize) -> usize {
        self.radix.pow(n as u32)
    }
}

impl PlacementRanking {
    pub(super) fn new(cells: usize, tiles: usize) -> Self {
        let dense = dense(cells, tiles);
        let half = tiles.div_ceil(2);
        let left = if dense { cells - half } else { cells };
        Self {
            first: GroupRanking::new(half, cells, cells),
            second: GroupRanking::new(tiles - half, left, cells),
            dense,
        }
    }

    /// Returns the number of ranks without building the ranking.
    pub(super) fn count(cells: usize, tiles: usize) -> usize {
        let placements =
            |cells: usize, tiles: usize| (cells - tiles + 1..=cells).product::<usize>();
        let half = tiles.div_ceil(2);
        let left = if dense(cells, tiles) { cells - half } else { cells };
        placements(cells, half) * placements(left, tiles - half)
    }
}

/// Subtracts from each of the second key's cells the number of the first key's cells before it.
/// Both keys have up to four digits of four bits; missing digits of the second are 0.
#[inline]
pub(super) const fn among_free(first: u16, second: u16) -> u16 {
    let (first, second) = (first as u64, second as u64);
    let taken =
        1 << (first & 15) | 1 << (first >> 4 & 15) | 1 << (first >> 8 & 15) | 1 << (first >> 12);
    // Four lanes of 16 bits hold the taken cells before each cell of the second key. They are
    // counted in parallel, since not every target has an instruction that counts bits.
    let mut lanes = taken & ((1u64 << (second & 15)) - 1)
        | (taken & ((1u64 << (second >> 4 & 15)) - 1)) << 16
        | (taken & ((1u64 << (second >> 8 & 15)) - 1)) << 32
        | (taken & ((1u64 << (second >> 12)) - 1)) << 48;
    lanes -= lanes >> 1 & 0x5555_5555_5555_5555;
    lanes = (lanes & 0x3333_3333_3333_3333) + (lanes >> 2 & 0x3333_3333_3333_3333);
    lanes = (lanes + (lanes >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    lanes = (lanes + (lanes >> 8)) & 0x00ff_00ff_00ff_00ff;
    let counts = lanes | lanes >> 12 | lanes >> 24 | lanes >> 36;
    (second - (counts & 0xffff)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_ranks_its_placements_without_gaps() {
        let ranking = PlacementRanking::new(9, 4);
        let group = ranking.second;
        assert_eq!((group.tiles, group.count), (2, 72));
        let keys = (0..9).flat_map(|a| (0..9).filter(move |&b| b != a).map(move |b| a + 9 * b));
        let mut ranks: Vec<u16> = keys.map(|key: usize| group.ranks[key]).collect();
        ranks.sort_unstable();
        assert!(ranks.into_iter().eq(0..72));
        assert_eq!(PlacementRanking::count(9, 4), 72 * 72);
    }

    #[test]
    fn a_dense_key_counts_free_cells_only() {
        // Cells 0, 3, 7 and 15 are taken: 1, 4, 8 and 14 are the free cells 0, 2, 5 and 11.
        assert_eq!(among_free(0xf730, 0xe841), 0xb520);
        assert_eq!(among_free(0x037f, 0x148e), 0x025b);
        // A key of three cells: 2, 5 and 9 are the free cells 1, 3 and 6.
        assert_eq!(among_free(0xf730, 0x952), 0x631);
        assert_eq!(PlacementRanking::count(16, 8), 518_918_400);
        assert_eq!(PlacementRanking::count(16, 7), 57_657_600);
    }
}
