//! Seeds and the portable randomness they name.
//!
//! A seed names a board for ever, on every machine and in every language. The whole
//! way from the seed's text to a number is therefore written down here, at
//! [`Seed::rng`], [`PortableRng::below`] and [`PortableRng::permute`]; the golden
//! vectors at the end of this file guard it. Changing what a seed yields is a
//! breaking change.

use std::fmt;
use std::str::FromStr;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The longest seed, in characters: short enough to be read aloud and to fit a line.
pub const MAX_SEED_LENGTH: usize = 32;

/// Digits and lower-case letters without 0, 1, l and o, so that none looks like another.
const ALPHABET: &[u8; 32] = b"23456789abcdefghijkmnpqrstuvwxyz";

/// Names a board, or any other draw: 1 to [`MAX_SEED_LENGTH`] of `A-Z a-z 0-9 _ -`.
///
/// It is text, since a host may want `friday-cup`, and since 64-bit integers don't
/// survive JSON in other languages. Case counts.
///
/// ```
/// use gridrace_shared::seed::Seed;
///
/// let seed: Seed = "friday-cup".parse()?;
/// let mut rng = seed.rng("example", "dice");
/// assert_eq!([rng.below(6), rng.below(6), rng.below(6)], [1, 2, 3]);
/// # Ok::<(), gridrace_shared::seed::SeedError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Seed(String);

impl Seed {
    /// Makes a seed of 16 characters from 80 bits of entropy, which the caller draws.
    ///
    /// Each character stands for five bits, the first for the top bits of the first byte,
    /// in a lower-case alphabet where no character looks like another.
    pub fn from_entropy(bytes: [u8; 10]) -> Self {
        let bits = bytes
            .iter()
            .fold(0_u128, |bits, &byte| bits << 8 | u128::from(byte));
        let five = |shift: u32| char::from(ALPHABET[(bits >> shift & 31) as usize]);
        Self((0..16).rev().map(|place| five(5 * place)).collect())
    }

    /// Gives the seed's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Opens the stream of randomness that this seed names for a purpose and a spec.
    ///
    /// The stream is ChaCha with 8 rounds, block counter from 0 and nonce 0 (64 bits
    /// each, as D. J. Bernstein defined it in 2008). Its 32-byte key is SHA-256 over
    /// `domain`, `spec` and the seed's text, each as UTF-8 behind the number of its bytes
    /// as a little-endian `u32`. Different domains are independent streams of one seed.
    pub fn rng(&self, domain: &str, spec: &str) -> PortableRng {
        let mut hash = Sha256::new();
        for part in [domain, spec, self.as_str()] {
            // The length goes first, so that no two triples run together into one text.
            // Beyond four gigabytes of domain or spec it would saturate.
            hash.update(u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
            hash.update(part.as_bytes());
        }
        PortableRng(ChaCha8Rng::from_seed(hash.finalize().into()))
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for Seed {
    type Err = SeedError;

    fn from_str(text: &str) -> Result<Self, SeedError> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if text.is_empty() {
            return Err(SeedError::Empty);
        }
        if let Some(found) = text.chars().find(|&c| !allowed(c)) {
            return Err(SeedError::Character { found });
        }
        if text.len() > MAX_SEED_LENGTH {
            return Err(SeedError::TooLong);
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for Seed {
    type Error = SeedError;

    fn try_from(text: String) -> Result<Self, SeedError> {
        text.parse()
    }
}

impl From<Seed> for String {
    fn from(seed: Seed) -> Self {
        seed.0
    }
}

/// Says why a text is no [`Seed`].
///
/// ```
/// use gridrace_shared::seed::{Seed, SeedError};
///
/// assert_eq!("friday cup".parse::<Seed>(), Err(SeedError::Character { found: ' ' }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum SeedError {
    /// There is no character.
    #[error("a seed has at least one character")]
    Empty,
    /// There are more than [`MAX_SEED_LENGTH`] characters.
    #[error("a seed has at most {MAX_SEED_LENGTH} characters")]
    TooLong,
    /// A character is none of those allowed.
    #[error("a seed is made of A-Z, a-z, 0-9, _ and -, not of {found:?}")]
    Character {
        /// The first such character.
        found: char,
    },
}

/// Draws the same numbers from the same seed on every machine; made by [`Seed::rng`].
///
/// ```
/// use gridrace_shared::seed::Seed;
///
/// let seed: Seed = "friday-cup".parse()?;
/// let mut cards = [1, 2, 3, 4, 5];
/// seed.rng("example", "cards").permute(&mut cards);
/// assert_eq!(cards, [2, 4, 1, 5, 3]);
/// # Ok::<(), gridrace_shared::seed::SeedError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PortableRng(ChaCha8Rng);

impl PortableRng {
    /// Draws a number below `n`, each with the same chance; 0 for `n` of 0 or 1.
    ///
    /// Reads the next 32-bit little-endian word `w` of the stream. With `r` the
    /// remainder of 2³² by `n`, it reads the next word instead for as long as
    /// `w >= 2³² - r`; the result is the remainder of `w` by `n`. For `n` of 0 or 1
    /// nothing is read.
    pub fn below(&mut self, n: u32) -> u32 {
        if n <= 1 {
            return 0;
        }
        let surplus = (1_u64 << 32) % u64::from(n);
        let limit = (1_u64 << 32) - surplus;
        loop {
            // Less than half of all words are turned away, whatever `n` is.
            let word = self.0.next_u32();
            if u64::from(word) < limit {
                return word % n;
            }
        }
    }

    /// Puts the items into an order drawn uniformly from all orders.
    ///
    /// Fisher-Yates from the end (Durstenfeld, 1964): for `i` from the last index down
    /// to 1, the items at `i` and at `below(i + 1)` change places.
    pub fn permute<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            // No slice of this project has 2³² items; one that had would keep its tail.
            let Ok(bound) = u32::try_from(i + 1) else {
                continue;
            };
            items.swap(i, self.below(bound) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seed(text: &str) -> Seed {
        text.parse().unwrap()
    }

    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut rng = seed("gridrace").rng("test", "golden");
        let drawn: Vec<u32> = [2, 6, 10, 100, 1_000_000, u32::MAX]
            .map(|n| rng.below(n))
            .into();
        assert_eq!(drawn, GOLDEN_DRAWS);
        let mut items: Vec<u32> = (0..16).collect();
        rng.permute(&mut items);
        assert_eq!(items, GOLDEN_ORDER);
    }

    // A second implementation, in Python and from the documentation alone, agreed.
    const GOLDEN_DRAWS: [u32; 6] = [0, 0, 1, 84, 628_275, 1_542_386_207];
    const GOLDEN_ORDER: [u32; 16] = [8, 14, 5, 3, 9, 0, 7, 10, 2, 15, 1, 4, 12, 13, 6, 11];

    #[test]
    fn domain_spec_and_seed_do_not_run_together() {
        let first =
            |domain: &str, spec: &str, text: &str| seed(text).rng(domain, spec).below(u32::MAX);
        let all = [
            first("a", "bc", "d"),
            first("ab", "c", "d"),
            first("a", "b", "cd"),
        ];
        assert!(
            all[0] != all[1] && all[1] != all[2] && all[0] != all[2],
            "{all:?}"
        );
    }

    #[test]
    fn nothing_is_drawn_where_there_is_nothing_to_choose() {
        let (mut one, mut other) = (seed("x").rng("", ""), seed("x").rng("", ""));
        assert_eq!((one.below(0), one.below(1)), (0, 0));
        assert_eq!(one.below(u32::MAX), other.below(u32::MAX));
    }

    #[test]
    fn every_order_of_three_comes_up_about_as_often() {
        let mut rng = seed("orders").rng("test", "");
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let mut items = [0, 1, 2];
            rng.permute(&mut items);
            *counts.entry(items).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 6);
        // Six standard deviations of a binomial with n = 6000, p = 1/6.
        assert!(
            counts.values().all(|count| count.abs_diff(1000) < 174),
            "{counts:?}"
        );
    }

    #[test]
    fn entropy_becomes_sixteen_plain_characters() {
        assert_eq!(Seed::from_entropy([0; 10]).as_str(), "2222222222222222");
        assert_eq!(Seed::from_entropy([255; 10]).as_str(), "zzzzzzzzzzzzzzzz");
        let counted = Seed::from_entropy([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(counted.as_str().len(), 16);
        assert_eq!(counted.as_str().parse(), Ok(counted));
    }

    #[test]
    fn what_is_no_seed_is_refused_with_its_reason() {
        assert_eq!("".parse::<Seed>(), Err(SeedError::Empty));
        assert_eq!("x".repeat(33).parse::<Seed>(), Err(SeedError::TooLong));
        assert_eq!(
            "a#b".parse::<Seed>(),
            Err(SeedError::Character { found: '#' })
        );
        assert_eq!(
            "\u{202e}a".parse::<Seed>(),
            Err(SeedError::Character { found: '\u{202e}' })
        );
        assert!(serde_json::from_str::<Seed>(r#""a b""#).is_err());
        assert_eq!(
            serde_json::from_str::<Seed>(r#""a_B-9""#).unwrap(),
            seed("a_B-9")
        );
    }

    proptest! {
        #[test]
        fn a_draw_is_below_its_bound(n in 1_u32.., text in "[A-Za-z0-9_-]{1,32}") {
            prop_assert!(seed(&text).rng("test", "bound").below(n) < n);
        }
    }
}
