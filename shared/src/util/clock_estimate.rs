//! The estimate of the server's clock from pings.

use super::time::{ClientInstant, ServerInstant};
use std::collections::VecDeque;

/// The four timestamps of one ping, in the order in which they are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PingTimes {
    pub sent: ClientInstant,
    pub received: ServerInstant,
    pub replied: ServerInstant,
    /// The reply's arrival, on the client's clock.
    pub arrived: ClientInstant,
}

/// The offset of the server's clock from the client's, from the best of several pings.
///
/// The offset of one ping is `((received − sent) + (replied − arrived)) / 2`, as in NTP
/// (Mills, RFC 5905, section 8); it is wrong by half the round trip at most, so of
/// several pings the one with the shortest round trip is kept.
///
/// ```
/// use gridrace_shared::util::clock_estimate::{ClockEstimate, PingTimes};
/// use gridrace_shared::util::time::{ClientInstant, ServerInstant};
/// let mut clock = ClockEstimate::default();
/// clock.learn(PingTimes {
///     sent: ClientInstant(1_000), received: ServerInstant(91_500), replied: ServerInstant(91_500), arrived: ClientInstant(2_000),
/// });
/// assert_eq!(clock.to_server(ClientInstant(2_000)), ServerInstant(92_000));
/// assert_eq!(clock.error(), Some(500));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClockEstimate {
    recent: VecDeque<Sample>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sample {
    offset: i64,
    round_trip: u64,
}

/// How many pings an estimate remembers: enough to find a quiet one, few enough that a
/// drifting clock is followed.
const SAMPLES: usize = 16;

impl ClockEstimate {
    /// Takes one more ping into account; one whose times run backwards is ignored.
    pub fn learn(&mut self, ping: PingTimes) {
        let (Some(total), Some(held)) =
            (ping.arrived.0.checked_sub(ping.sent.0), ping.replied.0.checked_sub(ping.received.0))
        else {
            return;
        };
        let (Ok(sent), Ok(received), Ok(replied), Ok(arrived)) = (
            i64::try_from(ping.sent.0),
            i64::try_from(ping.received.0),
            i64::try_from(ping.replied.0),
            i64::try_from(ping.arrived.0),
        ) else {
            return;
        };
        if self.recent.len() == SAMPLES {
            self.recent.pop_front();
        }
        // Halved apart, so that no sum of two large readings can overflow.
        let offset = (received - sent) / 2 + (replied - arrived) / 2;
        self.recent.push_back(Sample { offset, round_trip: total.saturating_sub(held) });
    }

    /// Returns the instant of the server's clock at an instant of the client's.
    pub fn to_server(&self, here: ClientInstant) -> ServerInstant {
        ServerInstant(here.0.saturating_add_signed(self.offset()))
    }

    /// Returns the bound on the offset's error in microseconds: half the best round trip.
    pub fn error(&self) -> Option<u64> {
        self.best().map(|sample| sample.round_trip.div_ceil(2))
    }

    /// Returns the round trip of the latest ping in microseconds.
    pub fn latency(&self) -> Option<u64> {
        self.recent.back().map(|sample| sample.round_trip)
    }

    fn best(&self) -> Option<&Sample> {
        self.recent.iter().min_by_key(|sample| sample.round_trip)
    }

    fn offset(&self) -> i64 {
        self.best().map_or(0, |sample| sample.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_that_run_backwards_are_ignored() {
        let mut clock = ClockEstimate::default();
        clock.learn(PingTimes {
            sent: ClientInstant(9),
            received: ServerInstant(0),
            replied: ServerInstant(0),
            arrived: ClientInstant(1),
        });
        assert_eq!(clock.error(), None);
    }

    proptest! {
        #[test]
        fn the_offset_is_wrong_by_at_most_the_stated_error(
            offset in -1_000_000_000i64..1_000_000_000,
            pings in prop::collection::vec((2_000_000_000u64..4_000_000_000, 0u64..200_000, 0u64..50_000, 0u64..200_000), 1..40),
        ) {
            let mut clock = ClockEstimate::default();
            for (sent, there, held, back) in pings {
                let received = (sent + there).saturating_add_signed(offset);
                clock.learn(PingTimes {
                    sent: ClientInstant(sent),
                    received: ServerInstant(received),
                    replied: ServerInstant(received + held),
                    arrived: ClientInstant(sent + there + held + back),
                });
            }
            let error = clock.error().unwrap();
            let guess = clock.to_server(ClientInstant(5_000_000_000)).0;
            let truth = 5_000_000_000u64.saturating_add_signed(offset);
            prop_assert!(guess.abs_diff(truth) <= error + 1);
        }
    }
}
