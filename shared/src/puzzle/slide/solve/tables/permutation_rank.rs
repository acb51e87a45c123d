//! Ranks of arrangements: permutations of a pattern's tiles over its cells.

/// The maximum number of tiles of a pattern: the ranks of more would need more than 16 bits.
pub(super) const MAX_TILES: usize = 8;

/// An arrangement: nibble n is the tile, numbered within its pattern, in the n-th cell.
pub(super) type Packed = u32;

/// All arrangements of a number of tiles, in lexicographic order, which is that of their ranks.
#[derive(Debug, Clone)]
pub(super) struct Arrangements {
    tiles: usize,
    all: Vec<Packed>,
}

impl Arrangements {
    pub(super) fn new(tiles: usize) -> Self {
        let mut all = Vec::new();
        extend(tiles.min(MAX_TILES), 0, 0, &mut all);
        Self { tiles, all }
    }

    pub(super) const fn count(&self) -> usize {
        self.all.len()
    }

    pub(super) fn packed(&self, rank: usize) -> Packed {
        self.all[rank]
    }

    pub(super) fn rank(&self, packed: Packed) -> usize {
        let at = |n: usize| packed >> (4 * n) & 15;
        (0..self.tiles).fold(0, |rank, n| {
            let smaller = (n + 1..self.tiles).filter(|&m| at(m) < at(n)).count();
            rank * (self.tiles - n) + smaller
        })
    }

    /// Returns for each rank the one after the tile in cell `from` has become the one in cell
    /// `to`.
    pub(super) fn shift(&self, from: usize, to: usize) -> Vec<u16> {
        let shifted = |&packed| self.rank(shifted(packed, from, to)) as u16;
        self.all.iter().map(shifted).collect()
    }

    /// Sums the weights of all tiles for every arrangement, in the order of ranks; `of(n, tile)`
    /// is the weight of a tile in the n-th cell.
    pub(super) fn sums(&self, of: impl Fn(usize, usize) -> u64) -> Vec<u64> {
        // Extends all prefixes cell by cell; each has its tiles as a bit set.
        let mut prefixes = vec![(0u64, 0u16)];
        for n in 0..self.tiles {
            let counts: Vec<u64> = (0..self.tiles).map(|tile| of(n, tile)).collect();
            let mut longer = Vec::with_capacity(prefixes.len() * (self.tiles - n));
            for (sum, used) in prefixes {
                for (tile, count) in counts.iter().enumerate() {
                    if used >> tile & 1 == 0 {
                        longer.push((sum + count, used | 1 << tile));
                    }
                }
            }
            prefixes = longer;
        }
        prefixes.into_iter().map(|(sum, _)| sum).collect()
    }
}

fn extend(tiles: usize, packed: Packed, length: usize, into: &mut Vec<Packed>) {
    if length == tiles {
        into.push(packed);
        return;
    }
    for tile in 0..tiles as u32 {
        if (0..length).all(|n| packed >> (4 * n) & 15 != tile) {
            extend(tiles, packed | tile << (4 * length), length + 1, into);
        }
    }
}

/// Removes the tile at `from` and inserts it at `to`.
fn shifted(packed: Packed, from: usize, to: usize) -> Packed {
    let below = |n: usize| (1u64 << (4 * n)) - 1;
    let all = u64::from(packed);
    let tile = all >> (4 * from) & 15;
    let out = (all & below(from)) | (all >> 4 & !below(from));
    ((out & below(to)) | tile << (4 * to) | (out & !below(to)) << 4) as Packed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_follow_the_order_of_arrangements() {
        for tiles in 1..=6 {
            let all = Arrangements::new(tiles);
            assert_eq!(all.count(), (1..=tiles).product::<usize>());
            for (rank, &packed) in all.all.iter().enumerate() {
                assert_eq!(all.rank(packed), rank);
            }
        }
    }

    #[test]
    fn a_shift_rotates_the_tiles_between_by_one() {
        assert_eq!(shifted(0x43210, 1, 3), 0x41320);
        assert_eq!(shifted(0x43210, 3, 1), 0x42130);
        assert_eq!(shifted(0x43210, 2, 2), 0x43210);
        let all = Arrangements::new(5);
        let forward = all.shift(1, 3);
        let back = all.shift(3, 1);
        assert!((0..all.count()).all(|rank| usize::from(back[usize::from(forward[rank])]) == rank));
    }

    #[test]
    fn sums_are_those_of_each_arrangement() {
        let all = Arrangements::new(4);
        let sums = all.sums(|n, tile| 1 << (4 * n) << tile);
        for (&packed, sum) in all.all.iter().zip(sums) {
            let expected: u64 = (0..4).map(|n| 1 << (4 * n) << (packed >> (4 * n) & 15)).sum();
            assert_eq!(sum, expected);
        }
    }
}
