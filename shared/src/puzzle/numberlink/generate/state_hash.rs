//! Names of states, and a table that remembers them.

/// 128 bits that stand for a state: that two of a thousand million states share them
/// happens with a rng of one in 10^20.
pub(super) type StateHash = [u64; 2];

/// Mixes words into a hash.
pub(super) struct StateHasher(StateHash);

/// A table of hashes that forgets. Names of another epoch are other hashes: a new epoch
/// empties the table at no cost.
#[derive(Debug, Default)]
pub(super) struct SeenStates {
    hashes: Vec<StateHash>,
    epoch: u64,
}

impl StateHasher {
    /// Begins a hash.
    pub(super) const fn new(epoch: u64, row: usize) -> Self {
        let row = row as u64;
        Self([epoch.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ row, epoch << 8 | row])
    }

    /// Mixes a word in.
    pub(super) const fn add(&mut self, word: u64) {
        let [a, b] = self.0;
        let a = (a ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let b = (b.rotate_left(23) ^ word).wrapping_mul(0x9fb2_1c65_1e98_df25);
        self.0 = [a ^ a >> 32, b ^ b >> 29];
    }

    /// Returns the hash, which is never that of an empty place.
    pub(super) const fn finish(self) -> StateHash {
        [self.0[0], self.0[1] | 1]
    }
}

impl SeenStates {
    /// Empties the table, and gives it room for so many hashes (a power of two).
    pub(super) fn clear(&mut self, room: usize) {
        self.hashes.resize(room, [0; 2]);
        self.epoch += 1;
    }

    /// Returns the epoch.
    pub(super) const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Notes a hash, in place of another; says whether it was there already.
    pub(super) fn insert(&mut self, hash: StateHash) -> bool {
        let place = hash[0] as usize & (self.hashes.len() - 1);
        std::mem::replace(&mut self.hashes[place], hash) == hash
    }
}

/// Returns the places of a mask's bits, the lowest first.
pub(super) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (place < 32).then_some(place)
    })
}
