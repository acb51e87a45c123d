//! How long to wait before another attempt to connect.

use std::time::Duration;

/// The shortest and the longest pause in milliseconds: a hiccup is over in a quarter of a
/// second, and nobody waits longer than ten for a server that is back.
const FIRST_MILLIS: u64 = 250;
const LONGEST_MILLIS: u64 = 10_000;

/// Returns a pause, drawn by `below`, the longer the more attempts have failed, so that not everybody whose
/// connection broke at once comes back at once (full jitter: Brooker, "Exponential Backoff
/// And Jitter", 2015).
#[must_use]
pub fn pause(attempt: u32, below: impl Fn(u64) -> u64) -> Duration {
    let longest = FIRST_MILLIS
        .saturating_mul(1 << attempt.min(16))
        .min(LONGEST_MILLIS);
    Duration::from_millis(FIRST_MILLIS.max(below(longest + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    #[test]
    fn pauses_grow_and_stay_bounded() {
        for attempt in [0, 1, 5, 31, u32::MAX] {
            let most = FIRST_MILLIS << attempt.min(16);
            let most = Duration::from_millis(most.min(LONGEST_MILLIS));
            for _ in 0..50 {
                let pause = pause(attempt, clock::below);
                assert!(pause >= Duration::from_millis(FIRST_MILLIS));
                assert!(pause <= most);
            }
        }
    }
}
