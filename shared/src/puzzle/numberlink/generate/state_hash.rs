//! Hashes of search states, and a table of them.

/// A hash of 128 bits: two of 10⁹ states collide with a probability of 10⁻²⁰.
pub(super) type StateHash = [u64; 2];

pub(super) struct StateHasher(StateHash);

/// A lossy table of hashes. The epoch is part of each hash, so that a new epoch empties the table
/// at no cost.
#[derive(Debug, Default)]
pub(super) struct SeenStates {
    hashes: Vec<StateHash>,
    pub(super) epoch: u64,
}

impl StateHasher {
    pub(super) const fn new(epoch: u64, row: usize) -> Self {
        let row = row as u64;
        Self([epoch.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ row, epoch << 8 | row])
    }

    pub(super) const fn add(&mut self, word: u64) {
        let [a, b] = self.0;
        let a = (a ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let b = (b.rotate_left(23) ^ word).wrapping_mul(0x9fb2_1c65_1e98_df25);
        self.0 = [a ^ a >> 32, b ^ b >> 29];
    }

    /// Returns the hash, which is never that of an empty slot.
    pub(super) const fn finish(self) -> StateHash {
        [self.0[0], self.0[1] | 1]
    }
}

impl SeenStates {
    /// Starts a new epoch, with room for `room` hashes (a power of two).
    pub(super) fn clear(&mut self, room: usize) {
        self.hashes.resize(room, [0; 2]);
        self.epoch += 1;
    }

    /// Inserts a hash in place of another, and returns whether it was present.
    pub(super) fn insert(&mut self, hash: StateHash) -> bool {
        let place = hash[0] as usize & (self.hashes.len() - 1);
        std::mem::replace(&mut self.hashes[place], hash) == hash
    }
}

/// Returns the indices of a mask's bits, the lowest first.
pub(super) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (place < 32).then_some(place)
    })
}
