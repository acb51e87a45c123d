//! Backoff: the delay before the next attempt to connect.

use std::time::Duration;

/// The shortest pause in milliseconds: a hiccup is over by then.
const SHORTEST_MILLIS: u64 = 250;
/// The longest pause before the first attempt, in milliseconds: most outages are shorter than
/// that, and a thousand clients don't come within one tick of the server.
const FIRST_MILLIS: u64 = 1_000;
/// The longest before any attempt: no client waits longer for a server that is back.
const LONGEST_MILLIS: u64 = 5_000;
/// The longest time that a server is granted which says when to come again: one that says more
/// is as good as away, and that is found out by asking.
const LONGEST_WISH: Duration = Duration::from_secs(60);

/// Returns a pause, drawn by `below`: of any length up to a longest one that doubles with each
/// attempt that has failed, so that not all clients whose connections broke at once come back at
/// once (full jitter: Brooker, "Exponential Backoff And Jitter", 2015). Where the server has
/// wished for a time, that comes before.
pub fn pause(attempt: u32, wish: Option<Duration>, below: impl Fn(u64) -> u64) -> Duration {
    let longest = FIRST_MILLIS.saturating_mul(1 << attempt.min(16)).min(LONGEST_MILLIS);
    let drawn = SHORTEST_MILLIS + below(longest - SHORTEST_MILLIS + 1);
    wish.unwrap_or_default().min(LONGEST_WISH) + Duration::from_millis(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::util::seed::Seed;
    use std::cell::RefCell;

    /// A thousand clients' pauses in milliseconds, the shortest first.
    fn pauses(attempt: u32, wish: Option<Duration>) -> Vec<u128> {
        let seed: Seed = "friday".parse().unwrap();
        let chance = RefCell::new(seed.rng("pauses", &attempt.to_string()));
        let below = |bound: u64| chance.borrow_mut().below(bound as u32).into();
        let mut pauses: Vec<_> =
            (0..1_000).map(|_| pause(attempt, wish, below).as_millis()).collect();
        pauses.sort_unstable();
        pauses
    }

    #[test]
    fn a_thousand_clients_come_evenly_spread_from_the_first_attempt_on() {
        for (attempt, longest) in [(0, 1_000), (1, 2_000), (2, 4_000), (3, 5_000), (99, 5_000)] {
            let pauses = pauses(attempt, None);
            assert!(pauses.iter().all(|pause| (250..=longest).contains(pause)));
            // A tenth of them in each tenth of the time, give or take a third.
            let tenth = (longest - 250).div_ceil(10) + 1;
            for n in 0..10 {
                let from = 250 + n * tenth;
                let count = pauses.iter().filter(|p| (from..from + tenth).contains(p)).count();
                assert!((66..=134).contains(&count), "{attempt}, {n}: {count}");
            }
        }
    }

    #[test]
    fn a_server_s_wish_is_honoured_within_bounds_and_spread_as_well() {
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let two = pauses(0, seconds(2));
        assert!(two[0] >= 2_250 && two[999] <= 3_000 && two[999] - two[0] > 700);
        assert!(pauses(0, seconds(86_400))[999] <= 61_000);
    }
}
