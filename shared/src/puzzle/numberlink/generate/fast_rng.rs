//! A fast random number generator, the same on every machine.
//!
//! Generating a board takes hundreds of thousands of random numbers, for which a cipher is too
//! slow. So the portable stream of the seed only seeds SplitMix64 (Steele, Lea and Flood, "Fast
//! splittable pseudorandom number generators", 2014), which is implemented here because it is part
//! of what a seed means.

use crate::util::seed::PortableRng;

/// A stream of 64-bit words. Numbers below `n` are biased by less than `n` in 2³², which affects
/// no board visibly.
#[derive(Debug, Clone)]
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    /// Seeds the generator with two 32-bit halves of a portable stream, the higher first.
    pub(super) fn new(rng: &mut PortableRng) -> Self {
        let mut half = || u64::from(rng.below(1 << 16)) << 16 | u64::from(rng.below(1 << 16));
        let high = half();
        Self(high << 32 | half())
    }

    pub(super) const fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `n`: the upper half of a word, scaled; 0 for an `n` of 0.
    pub(super) const fn below(&mut self, n: usize) -> usize {
        (((self.word() >> 32) * n as u64) >> 32) as usize
    }
}
