//! Seeds, and the portable randomness that they name.
//!
//! A seed names a board for ever, so nothing here may come from a library that is free to
//! change its stream: the generator is ChaCha8, whose stream is fixed by contract, and
//! draws and permutations are written out below. Golden vectors guard all of it.

use crate::util::conversions::convert_as_text;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub const SEED_CHARACTERS: usize = 32;

/// The name of a board: 1 to 32 of `A-Z a-z 0-9 _ -`, case kept.
///
/// A text rather than a number, so that a host can say `friday-cup`, and so that no JSON
/// peer rounds it.
///
/// ```
/// use gridrace_shared::util::seed::Seed;
/// let seed: Seed = "friday-cup".parse()?;
/// let mut chance = seed.rng("example", "slide:4x4");
/// let die = chance.below(6);
/// assert_eq!(die, seed.rng("example", "slide:4x4").below(6));
/// # Ok::<(), gridrace_shared::util::seed::SeedError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Seed(String);

/// Says that a text is no seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a seed has 1 to 32 characters of A-Z a-z 0-9 _ -")]
pub struct SeedError;

/// The letters of drawn seeds: 32 of them, five bits each, none that looks like another.
const SEED_LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Characters of a drawn seed: five bits each.
const DRAWN_SEED_CHARACTERS: u32 = u128::BITS.div_ceil(5);

impl Seed {
    /// Makes a seed of 128 random bits: 26 lower-case letters and digits.
    pub fn from_entropy(bytes: [u8; 16]) -> Self {
        let bits = u128::from_be_bytes(bytes);
        let letter = |n: u32| SEED_LETTERS[(bits >> (5 * n) & 31) as usize] as char;
        Self((0..DRAWN_SEED_CHARACTERS).map(letter).collect())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the stream of randomness that this seed names for a purpose (`domain`) and
    /// a puzzle (`spec`): ChaCha8 (Bernstein 2008) with stream and counter 0, keyed by the
    /// SHA-256 of the three texts, each preceded by its length in bytes as a 64-bit
    /// little-endian number.
    pub fn rng(&self, domain: &str, spec: &str) -> PortableRng {
        PortableRng::named(domain, spec, &self.0)
    }
}

/// A stream of randomness that is the same on every machine for ever.
#[derive(Debug, Clone)]
pub struct PortableRng(ChaCha8Rng);

impl PortableRng {
    /// Returns the stream that [`Seed::rng`] describes, for a name that need not be a seed.
    pub(crate) fn named(domain: &str, spec: &str, name: &str) -> Self {
        let mut hash = Sha256::new();
        for part in [domain, spec, name] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(ChaCha8Rng::from_seed(hash.finalize().into()))
    }

    /// Draws a number below `n`, each equally likely; 0 for an `n` of 0.
    ///
    /// Takes 32-bit words off the stream until one is below the largest multiple of `n`
    /// that fits into 32 bits, and returns its remainder.
    pub fn below(&mut self, n: u32) -> u32 {
        if n == 0 {
            return 0;
        }
        let range = 1u64 << 32;
        let fair = range - range % u64::from(n);
        loop {
            let word = self.0.next_u32();
            if u64::from(word) < fair {
                return word % n;
            }
        }
    }

    /// Permutes a slice, each order equally likely (Fisher and Yates, from the end down:
    /// the last is exchanged with any up to itself, then the last but one, and so on).
    pub fn permute<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let choices = u32::try_from(last + 1).unwrap_or(u32::MAX);
            items.swap(last, self.below(choices) as usize);
        }
    }
}

impl std::str::FromStr for Seed {
    type Err = SeedError;

    fn from_str(text: &str) -> Result<Self, SeedError> {
        let fits = (1..=SEED_CHARACTERS).contains(&text.len());
        let plain = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'-';
        if fits && text.bytes().all(plain) { Ok(Self(text.to_owned())) } else { Err(SeedError) }
    }
}

convert_as_text!(Seed);

impl std::fmt::Display for Seed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(text: &str) -> Seed {
        text.parse().unwrap()
    }

    #[test]
    fn a_seed_names_one_stream_for_ever() {
        let mut chance = seed("golden").rng("test", "slide:4x4");
        let draws: Vec<u32> = (0..8).map(|_| chance.below(1_000_000)).collect();
        assert_eq!(draws, GOLDEN_DRAWS);
        let mut order: Vec<u8> = (0..12).collect();
        chance.permute(&mut order);
        assert_eq!(order, GOLDEN_ORDER);
    }

    const GOLDEN_DRAWS: [u32; 8] =
        [541_300, 187_726, 864_099, 998_653, 448_450, 76_508, 286_341, 19_218];
    const GOLDEN_ORDER: [u8; 12] = [7, 11, 4, 2, 3, 5, 1, 8, 6, 9, 10, 0];

    #[test]
    fn texts_are_told_apart_even_where_they_join_alike() {
        let mut a = seed("c").rng("a", "b");
        let mut b = seed("c").rng("ab", "");
        assert_ne!(a.below(u32::MAX), b.below(u32::MAX));
    }

    #[test]
    fn drawn_seeds_are_seeds_of_128_bits() {
        for byte in 0..=255 {
            let drawn = Seed::from_entropy([byte; 16]);
            assert_eq!(drawn.as_str().len(), 26);
            assert_eq!(drawn.as_str().parse(), Ok(drawn.clone()));
        }
        // Each bit counts.
        let bits = (0..u128::BITS).map(|bit| Seed::from_entropy((1u128 << bit).to_be_bytes()));
        assert_eq!(bits.collect::<std::collections::BTreeSet<_>>().len(), 128);
    }

    #[test]
    fn only_plain_characters_make_a_seed() {
        for bad in ["", "a b", "a#b", "é", &"a".repeat(33)] {
            assert_eq!(bad.parse::<Seed>(), Err(SeedError), "{bad}");
        }
    }

    #[test]
    fn draws_are_even() {
        let mut chance = seed("even").rng("test", "");
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[chance.below(6) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| (9_600..10_400).contains(&count)), "{counts:?}");
    }
}
