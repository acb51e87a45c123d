//! Cheap randomness in bulk, the same on every machine.
//!
//! Making a board takes hundreds of thousands of draws, which a cipher would be slow at.
//! So the portable stream of the seed only gives the starting point of SplitMix64 (Steele,
//! Lea and Flood, "Fast splittable pseudorandom number generators", 2014), which is
//! written out here and so is part of what a seed means.

use crate::util::seed::PortableRng;

/// A stream of 64-bit words. Draws below `n` are off by less than `n` in 2³², which no
/// board shows.
#[derive(Debug, Clone)]
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    /// Takes two 32-bit halves off a portable stream, the higher first.
    pub(super) fn new(rng: &mut PortableRng) -> Self {
        let mut half = || u64::from(rng.below(1 << 16)) << 16 | u64::from(rng.below(1 << 16));
        let high = half();
        Self(high << 32 | half())
    }

    /// Returns the next word: SplitMix64.
    pub(super) const fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Draws a number below `n`: the upper half of a word, scaled; 0 for an `n` of 0.
    pub(super) const fn below(&mut self, n: usize) -> usize {
        (((self.word() >> 32) * n as u64) >> 32) as usize
    }
}
