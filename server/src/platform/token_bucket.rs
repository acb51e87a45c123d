//! Token buckets: bursts and sustained rates.

use gridrace_shared::util::time::ServerInstant;

/// A bucket that fills at a steady rate up to its size.
#[derive(Debug, Clone)]
pub struct Bucket {
    /// Tokens in millionths, so that whole microseconds fill whole numbers.
    level: u64,
    size: u64,
    per_second: u64,
    at: ServerInstant,
}

const TOKEN: u64 = 1_000_000;

impl Bucket {
    /// Makes a full bucket of `size` tokens that refills `per_second`.
    pub fn new(size: u32, per_second: u32, now: ServerInstant) -> Self {
        let size = u64::from(size) * TOKEN;
        Self { level: size, size, per_second: per_second.into(), at: now }
    }

    /// Takes some tokens, or none where they aren't there.
    pub fn take(&mut self, tokens: u32, now: ServerInstant) -> bool {
        self.fill(now);
        match self.level.checked_sub(u64::from(tokens) * TOKEN) {
            Some(left) => {
                self.level = left;
                true
            }
            None => false,
        }
    }

    /// Takes some tokens whether they are there or not: what is owed, at most a bucket's worth,
    /// is filled up first.
    pub fn charge(&mut self, tokens: u32, now: ServerInstant) {
        self.fill(now);
        let tokens = u64::from(tokens) * TOKEN;
        let owed = tokens.saturating_sub(self.level);
        self.level = self.level.saturating_sub(tokens);
        let time = |tokens: u64| tokens.checked_div(self.per_second).unwrap_or(0);
        let until = self.at.0.saturating_add(time(owed));
        self.at = ServerInstant(until.min(now.0.saturating_add(time(self.size))));
    }

    /// Puts tokens back, up to the bucket's size.
    pub fn refund(&mut self, tokens: u32, now: ServerInstant) {
        self.fill(now);
        self.level = self.size.min(self.level + u64::from(tokens) * TOKEN);
    }

    pub fn holds(&self, tokens: u32, now: ServerInstant) -> bool {
        self.clone().take(tokens, now)
    }

    /// Says whether the bucket is full, so that a new one would be as good.
    pub fn is_full(&self, now: ServerInstant) -> bool {
        let passed = now.0.saturating_sub(self.at.0);
        self.level.saturating_add(passed.saturating_mul(self.per_second)) >= self.size
    }

    fn fill(&mut self, now: ServerInstant) {
        let passed = now.0.saturating_sub(self.at.0);
        self.at = now.max(self.at);
        let filled = passed.saturating_mul(self.per_second);
        self.level = self.size.min(self.level.saturating_add(filled));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_owed_is_filled_up_first_and_is_no_more_than_a_bucket() {
        let mut bucket = Bucket::new(4, 10, ServerInstant(0));
        bucket.charge(6, ServerInstant(0));
        assert!(!bucket.take(1, ServerInstant(299_999)));
        assert!(bucket.take(1, ServerInstant(300_000)));
        (0..9).for_each(|_| bucket.charge(100, ServerInstant(300_000)));
        assert!(!bucket.take(1, ServerInstant(799_999)));
        assert!(bucket.take(1, ServerInstant(800_000)));
        assert!(!bucket.is_full(ServerInstant(1_000_000)));
    }

    #[test]
    fn a_burst_is_followed_by_the_steady_rate() {
        let mut bucket = Bucket::new(3, 10, ServerInstant(0));
        assert_eq!([(); 4].map(|()| bucket.take(1, ServerInstant(0))), [true, true, true, false]);
        assert!(!bucket.take(1, ServerInstant(99_999)));
        assert!(bucket.take(1, ServerInstant(100_000)));
        assert!(!bucket.take(1, ServerInstant(100_000)));
    }

    #[test]
    fn it_never_holds_more_than_its_size() {
        let mut bucket = Bucket::new(2, 1_000, ServerInstant(0));
        assert!(!bucket.take(3, ServerInstant(u64::MAX)));
        assert!(bucket.take(2, ServerInstant(u64::MAX)));
        assert!(!bucket.is_full(ServerInstant(0)));
    }
}
