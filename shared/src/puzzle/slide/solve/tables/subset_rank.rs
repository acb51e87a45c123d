//! Sets of cells, their ranks and their connected regions.

use crate::puzzle::slide::solve::tables::permutation_rank::MAX_TILES;
use crate::util::grid::Size;

/// A set of cells; bit n is cell n.
pub(super) type CellSet = u128;

/// The largest board with tables, in cells: the bits of a [`CellSet`].
pub(super) const MAX_CELLS: usize = 128;

/// C(n, k), saturating; no table is that long.
const CHOOSE: [[u32; MAX_TILES + 1]; MAX_CELLS + 1] = {
    let mut all = [[0u32; MAX_TILES + 1]; MAX_CELLS + 1];
    let mut n = 0;
    while n <= MAX_CELLS {
        all[n][0] = 1;
        let mut k = 1;
        while k <= MAX_TILES && n > 0 {
            all[n][k] = all[n - 1][k - 1].saturating_add(all[n - 1][k]);
            k += 1;
        }
        n += 1;
    }
    all
};

/// Returns the number of sets of `k` of `n` cells.
pub(super) const fn binomial(n: usize, k: usize) -> usize {
    CHOOSE[n][k] as usize
}

/// Returns the cells of a set in ascending order.
pub(super) fn cells_of(mut set: CellSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let cell = set.trailing_zeros() as usize;
            set &= set - 1;
            cell
        })
    })
}

pub(super) const fn cells_before(set: CellSet, cell: usize) -> usize {
    (set & ((1 << cell) - 1)).count_ones() as usize
}

/// Returns the rank of a set among those of the same size, in numerical order: the combinatorial
/// number system.
pub(super) fn rank(set: CellSet) -> usize {
    let terms = cells_of(set).zip(1..).map(|(cell, nth)| binomial(cell, nth));
    terms.sum()
}

/// Returns all sets of `k` of `n` cells in the order of their ranks.
pub(super) fn sets(n: usize, k: usize) -> impl Iterator<Item = CellSet> {
    let first: CellSet = (1 << k) - 1;
    std::iter::successors(Some(first), |&set| Some(next_subset(set))).take(binomial(n, k))
}

/// Returns the next larger number with the same number of bits (Gosper's hack: HAKMEM, item 175).
const fn next_subset(set: CellSet) -> CellSet {
    let low = set & set.wrapping_neg();
    let carried = set.wrapping_add(low);
    if low == 0 || carried == 0 {
        return 0;
    }
    carried | (set ^ carried) >> (low.trailing_zeros() + 2)
}

/// The neighbour relation of a size.
#[derive(Debug, Clone)]
pub(super) struct Neighbours {
    cols: u32,
    all: CellSet,
    /// All cells except the first column, and except the last.
    not_first: CellSet,
    not_last: CellSet,
}

impl Neighbours {
    pub(super) fn new(size: Size) -> Self {
        let col =
            |col: usize| (0..size.rows()).fold(0, |set, row| set | 1 << size.cell(row, col).0);
        let all = CellSet::MAX >> (CellSet::BITS as usize - size.cells());
        Self {
            cols: size.cols() as u32,
            all,
            not_first: all & !col(0),
            not_last: all & !col(size.cols() - 1),
        }
    }

    pub(super) const fn neighbours_of(&self, set: CellSet) -> CellSet {
        let sideways = (set & self.not_last) << 1 | (set & self.not_first) >> 1;
        let down = if self.cols == CellSet::BITS { 0 } else { set << self.cols | set >> self.cols };
        (sideways | down) & self.all
    }

    /// Splits all cells except some into connected regions, in the order of their first cells.
    pub(super) fn regions_without(&self, taken: CellSet, into: &mut Vec<CellSet>) {
        into.clear();
        let mut left = self.all & !taken;
        while left != 0 {
            let mut region = left & left.wrapping_neg();
            loop {
                let wider = (region | self.neighbours_of(region)) & left;
                if wider == region {
                    break;
                }
                region = wider;
            }
            left &= !region;
            into.push(region);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_ordered_by_rank() {
        for (n, k) in [(1, 1), (6, 2), (9, 4), (16, 3), (128, 2)] {
            let ranks: Vec<usize> = sets(n, k).map(rank).collect();
            assert!(ranks.into_iter().eq(0..binomial(n, k)));
            assert!(sets(n, k).all(|set| cells_of(set).all(|cell| cell < n)));
        }
    }

    #[test]
    fn regions_are_the_cells_that_the_blank_can_reach() {
        let size: Size = "3x3".parse().unwrap();
        let mut regions = Vec::new();
        Neighbours::new(size).regions_without(0b010_101_010, &mut regions);
        assert_eq!(regions, [0b1, 0b100, 0b010_000, 0b001_000_000, 0b100_000_000]);
        Neighbours::new(size).regions_without(0b111_000, &mut regions);
        assert_eq!(regions, [0b111, 0b111_000_000]);
    }
}
