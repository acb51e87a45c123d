//! A bounded transposition table of states without a solution below them.

/// The hash of a state: 64 bits, never 0. Equal hashes are taken for equal states. A collision
/// matters only for a state on the path to a solution, one per row: the error probability is 10⁻¹¹
/// with a full table.
pub(super) type StateHash = u64;

const MIN_BUCKETS: usize = 1 << 5;
/// Maximum buckets: 8 MiB. Twice as many saved 3 % of the choices at 15×15, and no time, before choices were
/// propagated.
const MAX_BUCKETS: usize = 1 << 17;
/// Hashes per bucket.
const BUCKET_SLOTS: usize = 8;

/// A bucket of hashes: one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Bucket([StateHash; BUCKET_SLOTS]);

/// A set of hashes that forgets some of them once it is full.
#[derive(Debug, Clone)]
pub(super) struct TranspositionTable {
    buckets: Vec<Bucket>,
    len: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct StateHasher(u64);

impl StateHasher {
    pub const fn new(first: u64) -> Self {
        let mut hasher = Self(0x9e37_79b9_7f4a_7c15);
        hasher.add(first);
        hasher
    }

    /// Adds a word: both halves of a product with an odd number.
    #[inline]
    pub const fn add(&mut self, word: u64) {
        let product = (self.0 ^ word) as u128 * 0xd1b5_4a32_d192_ed03;
        self.0 = (product as u64 ^ (product >> 64) as u64).wrapping_add(0x9fb2_1c65_1e98_df25);
    }

    /// Returns the hash, which is never that of an empty slot.
    pub const fn finish(self) -> StateHash {
        if self.0 == 0 { 1 } else { self.0 }
    }
}

impl Bucket {
    const EMPTY: Self = Self([0; BUCKET_SLOTS]);

    #[inline]
    pub fn contains(&self, hash: StateHash) -> bool {
        self.0.contains(&hash)
    }
}

impl TranspositionTable {
    /// Creates an empty table without allocating.
    pub const fn new() -> Self {
        Self { buckets: Vec::new(), len: 0 }
    }

    /// Returns the bucket of a hash. Loading it takes long in a large table: do other work before
    /// reading it.
    #[inline]
    pub fn bucket_of(&self, hash: StateHash) -> &Bucket {
        self.buckets.get(self.index(hash)).unwrap_or(&Bucket::EMPTY)
    }

    /// Inserts a hash, in place of another if its bucket is full.
    pub fn insert(&mut self, hash: StateHash) {
        if self.len * 2 >= self.buckets.len() * BUCKET_SLOTS && self.buckets.len() < MAX_BUCKETS {
            self.grow();
        }
        let index = self.index(hash);
        let slots = &mut self.buckets[index].0;
        match slots.iter_mut().find(|slot| **slot == 0) {
            Some(slot) => {
                *slot = hash;
                self.len += 1;
            }
            None => slots[(hash >> 32) as usize % BUCKET_SLOTS] = hash,
        }
    }

    fn grow(&mut self) {
        let size = (self.buckets.len() * 4).clamp(MIN_BUCKETS, MAX_BUCKETS);
        let buckets = std::mem::replace(&mut self.buckets, vec![Bucket::EMPTY; size]);
        self.len = 0;
        let hashes = buckets.iter().flat_map(|bucket_of| bucket_of.0);
        for hash in hashes.filter(|hash| *hash != 0) {
            let index = self.index(hash);
            let slots = &mut self.buckets[index].0;
            if let Some(slot) = slots.iter_mut().find(|slot| **slot == 0) {
                *slot = hash;
                self.len += 1;
            }
        }
    }

    /// Returns the index of a hash's bucket; out of range while there are no buckets.
    const fn index(&self, hash: StateHash) -> usize {
        hash as usize & self.buckets.len().wrapping_sub(1)
    }
}
