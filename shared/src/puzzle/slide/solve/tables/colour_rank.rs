//! Ranks of colour sequences: the numbers of a colouring's arrangements, without gaps.
//!
//! A sequence is split into a low and a high half. The rank is that of the first arrangement with
//! this high half, plus the rank of the low half among those that have the remaining colours.

use super::tile_sequence::{DIGIT, TileSequence};
use std::collections::HashMap;

/// The ranks of the sequences that have each colour a fixed number of times.
#[derive(Debug, Clone)]
pub(super) struct ColourRanking {
    colours: u32,
    /// The bits of the low half.
    low_bits: u32,
    /// For the key of a high half, the rank of its first arrangement.
    bases: Vec<u32>,
    /// For the key of a low half, its rank among those of the same colours.
    ranks: Vec<u32>,
    len: usize,
}

/// The sequences with one high half, in the order of their ranks.
pub(super) struct RankBlock {
    high: u64,
    /// The index of the low halves.
    group: usize,
    pub(super) first_rank: usize,
}

/// All sequences of a ranking, for a builder.
pub(super) struct RankBlocks {
    low_bits: u32,
    pub(super) blocks: Vec<RankBlock>,
    /// Low halves of the same colours.
    groups: Vec<Vec<u64>>,
}

impl RankBlocks {
    pub(super) fn sequences(&self, block: &RankBlock) -> impl Iterator<Item = TileSequence> {
        let high = block.high << self.low_bits;
        self.groups[block.group].iter().map(move |&low| TileSequence(high | low))
    }
}

impl ColourRanking {
    /// Creates the ranks of the sequences with these counts of colours; the sum is at most 15.
    pub(super) fn new(counts: &[usize]) -> (Self, RankBlocks) {
        let colours = counts.len();
        let tiles: usize = counts.iter().sum();
        let (low_tiles, high_tiles) = (tiles / 2, tiles - tiles / 2);
        let mut groups: Vec<Vec<u64>> = Vec::new();
        let mut group_of = HashMap::new();
        let mut ranks = vec![0; colours.pow(low_tiles as u32)];
        for (key, rank) in ranks.iter_mut().enumerate() {
            let (low, used) = half(key, low_tiles, colours);
            if used.iter().zip(counts).all(|(used, count)| used <= count) {
                let group = *group_of.entry(used).or_insert_with(|| {
                    groups.push(Vec::new());
                    groups.len() - 1
                });
                *rank = groups[group].len() as u32;
                groups[group].push(low);
            }
        }
        let (mut blocks, mut len) = (Vec::new(), 0);
        let mut bases = vec![0; colours.pow(high_tiles as u32)];
        for (key, base) in bases.iter_mut().enumerate() {
            let (high, used) = half(key, high_tiles, colours);
            let left = counts.iter().zip(&used).map(|(count, used)| count.checked_sub(*used));
            let left: Option<Vec<usize>> = left.collect();
            if let Some(&group) = left.and_then(|left| group_of.get(&left)) {
                *base = len as u32;
                blocks.push(RankBlock { high, group, first_rank: len });
                len += groups[group].len();
            }
        }
        let low_bits = DIGIT * low_tiles as u32;
        let ranking = Self { colours: colours as u32, low_bits, bases, ranks, len };
        (ranking, RankBlocks { low_bits, blocks, groups })
    }

    /// Returns how many sequences there are.
    pub(super) fn count(counts: &[usize]) -> usize {
        let mut tiles = 0;
        let arranged = counts.iter().flat_map(|&count| 1..=count).map(|nth| {
            tiles += 1;
            (tiles, nth)
        });
        arranged.fold(1, |all, (tiles, nth)| all * tiles / nth)
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn rank(&self, TileSequence(sequence): TileSequence) -> usize {
        let low = sequence as u32 & ((1u32 << self.low_bits) - 1);
        let high = (sequence >> self.low_bits) as u32;
        let rank = self.bases[self.key(high)] + self.ranks[self.key(low)];
        rank as usize
    }

    /// Returns the digits of a half as one number to the base of the colours: first in pairs, then
    /// in fours, then all.
    #[inline]
    const fn key(&self, half: u32) -> usize {
        let base = self.colours;
        let (two, four) = (base * base, base * base * base * base);
        let pairs = (half & 0x0f0f_0f0f) + base * (half >> 4 & 0x0f0f_0f0f);
        let fours = (pairs & 0x00ff_00ff) + two * (pairs >> 8 & 0x00ff_00ff);
        ((fours & 0xffff) + four * (fours >> 16)) as usize
    }
}

/// Returns the half with a key, and how often it has each colour.
fn half(mut key: usize, tiles: usize, colours: usize) -> (u64, Vec<usize>) {
    let mut used = vec![0; colours];
    let mut digits = 0;
    for tile in 0..tiles {
        let colour = key % colours;
        key /= colours;
        used[colour] += 1;
        digits |= (colour as u64) << (DIGIT as usize * tile);
    }
    (digits, used)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arrangement_has_its_own_rank_in_the_order_of_the_blocks() {
        for counts in [&[3][..], &[1, 1, 1, 1, 1], &[4, 4, 3], &[1, 2, 3, 1], &[1; 8]] {
            let (ranking, blocks) = ColourRanking::new(counts);
            let sequences = blocks.blocks.iter().flat_map(|block| blocks.sequences(block));
            let ranks: Vec<usize> = sequences.map(|sequence| ranking.rank(sequence)).collect();
            assert!(ranks.into_iter().eq(0..ranking.len()), "{counts:?}");
            assert_eq!(ranking.len(), ColourRanking::count(counts));
            for block in &blocks.blocks {
                let first = blocks.sequences(block).next().unwrap();
                assert_eq!(ranking.rank(first), block.first_rank);
            }
        }
        assert_eq!(ColourRanking::count(&[4, 4, 4, 3]), 15_765_750);
    }
}
