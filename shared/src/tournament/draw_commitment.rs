//! The seeds of draws and boards: committed to before the first draw, revealed one by one.
//!
//! A tournament has one secret of 256 bits. Before the first draw its commitment is published, the
//! SHA-256 of the line `gridrace-tournament-1 SECRET`; after the end the secret itself. All lines
//! have no line end, the secret is in lower-case hexadecimal, and numbers count from 0.
//!
//! The seed of a draw is made of the first 16 bytes of the SHA-256 of
//! `gridrace-draw-seed-1 STAGE ROUND ATTEMPT SECRET`, as [`Seed::from_entropy`] makes it, and that of a
//! board of `gridrace-board-seed-1 STAGE ROUND BOARD ATTEMPT SECRET`. All tables of a round race on the
//! same board. A revealed seed is a hash of the secret, so no other seed follows from it.
//!
//! Before a draw its own commitment is published, the SHA-256 of the line
//! `gridrace-draw-1 STAGE ROUND ATTEMPT SEED`, and with the tables the seed: so each draw is checked
//! at once, and all of them together at the end.

use crate::heat::commitment::{Commitment, Salt, Secret};
use crate::tournament::ids::RoundKey;
use crate::util::conversions::{convert_as_hex, hide_in_debug, to_hex};
use crate::util::seed::Seed;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What all draws and boards of a tournament come from; 64 hexadecimal digits as text. Never
/// printed by `Debug`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TournamentSecret([u8; 32]);

/// Names one draw: a round that is drawn again has a higher attempt, and so another seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DrawKey {
    pub round: RoundKey,
    pub attempt: u16,
}

impl TournamentSecret {
    /// Takes 32 random bytes.
    pub const fn from_entropy(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns what is published before the first draw.
    pub fn commitment(&self) -> Commitment {
        Commitment::from_bytes(hash(&format!("gridrace-tournament-1 {}", to_hex(&self.0))))
    }

    /// Returns the seed of a draw.
    ///
    /// ```
    /// use gridrace_shared::tournament::draw_commitment::{DrawKey, TournamentSecret, commit_to_draw};
    /// use gridrace_shared::tournament::ids::RoundKey;
    /// let secret = TournamentSecret::from_entropy([7; 32]);
    /// let key = DrawKey { round: RoundKey { stage: 0, round: 0 }, attempt: 0 };
    /// let published_before = secret.commit_to_draw(key);
    /// let revealed = secret.draw_seed(key);
    /// assert_eq!(commit_to_draw(key, &revealed), published_before);
    /// ```
    pub fn draw_seed(&self, key: DrawKey) -> Seed {
        let DrawKey { round: RoundKey { stage, round }, attempt } = key;
        self.seed(&format!("gridrace-draw-seed-1 {stage} {round} {attempt}"))
    }

    /// Returns the seed of a board, which all tables of a round share.
    pub fn board_seed(&self, key: DrawKey, board: u8) -> Seed {
        let DrawKey { round: RoundKey { stage, round }, attempt } = key;
        self.seed(&format!("gridrace-board-seed-1 {stage} {round} {board} {attempt}"))
    }

    /// Returns what the heats on a board are committed to: its seed, and a salt that is the same for
    /// all tables.
    pub fn board_secret(&self, key: DrawKey, board: u8) -> Secret {
        let DrawKey { round: RoundKey { stage, round }, attempt } = key;
        let salt = self.derive(&format!("gridrace-board-salt-1 {stage} {round} {board} {attempt}"));
        Secret { seed: self.board_seed(key, board), salt: Salt::from_bytes(salt) }
    }

    /// Returns what is published before a draw.
    pub fn commit_to_draw(&self, key: DrawKey) -> Commitment {
        commit_to_draw(key, &self.draw_seed(key))
    }

    fn seed(&self, purpose: &str) -> Seed {
        Seed::from_entropy(self.derive(purpose))
    }

    fn derive(&self, purpose: &str) -> [u8; 16] {
        let digest = hash(&format!("{purpose} {}", to_hex(&self.0)));
        let mut bytes = [0; 16];
        bytes.copy_from_slice(digest.split_at(16).0);
        bytes
    }
}

/// Returns the commitment to a draw's seed: what was published before, if the seed is the same.
pub fn commit_to_draw(key: DrawKey, seed: &Seed) -> Commitment {
    let DrawKey { round: RoundKey { stage, round }, attempt } = key;
    Commitment::from_bytes(hash(&format!("gridrace-draw-1 {stage} {round} {attempt} {seed}")))
}

fn hash(line: &str) -> [u8; 32] {
    Sha256::digest(line).into()
}

convert_as_hex!(TournamentSecret);
hide_in_debug!(TournamentSecret);

#[cfg(test)]
mod tests {
    use super::*;

    fn key(stage: u8, round: u16, attempt: u16) -> DrawKey {
        DrawKey { round: RoundKey { stage, round }, attempt }
    }

    #[test]
    fn commitments_are_what_sha256sum_prints() {
        let secret = TournamentSecret::from_entropy([0xab; 32]);
        // printf 'gridrace-tournament-1 abab…ab' | sha256sum
        assert_eq!(secret.commitment().to_string(), COMMITMENT);
        // printf 'gridrace-draw-1 0 0 0 friday' | sha256sum
        let draw = commit_to_draw(key(0, 0, 0), &"friday".parse().unwrap());
        assert_eq!(draw.to_string(), DRAW_COMMITMENT);
    }

    #[test]
    fn each_draw_and_each_board_has_a_seed_of_its_own_for_ever() {
        let secret = TournamentSecret::from_entropy([0xab; 32]);
        assert_eq!(secret.draw_seed(key(1, 2, 0)).as_str(), DRAW_SEED);
        let mut seeds = std::collections::BTreeSet::new();
        for stage in 0..3 {
            for round in 0..12 {
                for attempt in 0..3 {
                    let key = key(stage, round, attempt);
                    assert!(seeds.insert(secret.draw_seed(key)));
                    assert!((0..3).all(|board| seeds.insert(secret.board_seed(key, board))));
                }
            }
        }
        let other = TournamentSecret::from_entropy([0xac; 32]);
        assert_ne!(other.draw_seed(key(1, 2, 0)), secret.draw_seed(key(1, 2, 0)));
    }

    #[test]
    fn the_secret_is_not_printed() {
        let secret = TournamentSecret::from_entropy([0xab; 32]);
        assert!(!format!("{secret:?}").contains("ab, ") && !format!("{secret:?}").contains("abab"));
    }

    const COMMITMENT: &str = "12ca91d0ff1e6020b1d3dd47f611e7b002de6a82a3724f61b2930da08a58d856";
    const DRAW_COMMITMENT: &str =
        "e0bde8e7e28db1a7d7d6c3d727fa8dbc826c486e05eb27b6afeb40d1fc89acd3";
    const DRAW_SEED: &str = "s2565tsfktv4r7fvgy36zmbhke";
}
