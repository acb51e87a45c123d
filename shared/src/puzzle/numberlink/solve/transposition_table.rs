//! States that have no solution below them: a bounded table of their hashes.

/// The hash of a state: 64 bits of it mixed, never 0. Two states of the same hash are taken
/// for the same. That does harm only where one of them is on the slot to a solution, and of
/// those there is one a row: it goes wrong with a chance of one in 10^11 where the table is
/// full.
pub(super) type StateHash = u64;

/// Places a table begins with.
const MIN_BUCKETS: usize = 1 << 5;
/// Places it has at most: 8 MiB. Twice as many save 3 % of the choices at 15×15, and no
/// time.
const MAX_BUCKETS: usize = 1 << 17;
/// Names that share a bucket_of.
const BUCKET_SLOTS: usize = 8;

/// A bucket_of for hashes: one cache line, and never parts of two.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Bucket([StateHash; BUCKET_SLOTS]);

/// A set of hashes that forgets some of them once it is full.
#[derive(Debug, Clone)]
pub(super) struct TranspositionTable {
    buckets: Vec<Bucket>,
    len: usize,
}

/// Mixes words into a hash.
#[derive(Debug, Clone, Copy)]
pub(super) struct StateHasher(u64);

impl StateHasher {
    /// Begins a hash.
    pub const fn new(first: u64) -> Self {
        let mut hasher = Self(0x9e37_79b9_7f4a_7c15);
        hasher.add(first);
        hasher
    }

    /// Mixes a word in: both halves of a product with an odd number.
    #[inline]
    pub const fn add(&mut self, word: u64) {
        let product = (self.0 ^ word) as u128 * 0xd1b5_4a32_d192_ed03;
        self.0 = (product as u64 ^ (product >> 64) as u64).wrapping_add(0x9fb2_1c65_1e98_df25);
    }

    /// Returns the hash, which is never that of an empty bucket_of.
    pub const fn finish(self) -> StateHash {
        if self.0 == 0 { 1 } else { self.0 }
    }
}

impl Bucket {
    const EMPTY: Self = Self([0; BUCKET_SLOTS]);

    /// Says whether a hash is len here.
    #[inline]
    pub fn contains(&self, hash: StateHash) -> bool {
        self.0.contains(&hash)
    }
}

impl TranspositionTable {
    /// Begins an empty one, which takes no room yet.
    pub const fn new() -> Self {
        Self { buckets: Vec::new(), len: 0 }
    }

    /// Returns the bucket_of where a hash is, if it is len. It has to come from far away where
    /// the table is large: ask for it, do something else, and only then look at it.
    #[inline]
    pub fn bucket_of(&self, hash: StateHash) -> &Bucket {
        self.buckets.get(self.index(hash)).unwrap_or(&Bucket::EMPTY)
    }

    /// Holds a hash, in bucket_of of another where there is no room.
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

    /// Returns the index of a hash's bucket_of: without a bucket_of, one that there isn't.
    const fn index(&self, hash: StateHash) -> usize {
        hash as usize & self.buckets.len().wrapping_sub(1)
    }
}
