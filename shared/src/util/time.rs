//! Instants and the estimate of another machine's clock.
//!
//! Nothing here reads a clock: the programs stamp, this crate computes.

use serde::{Deserialize, Serialize};

/// An instant in milliseconds since a heat opened, or a span of milliseconds.
///
/// ```
/// use gridrace_shared::util::time::Millis;
/// assert_eq!(Millis::from_seconds(2) + Millis(5), Millis(2_005));
/// ```
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    /// Returns the span of so many seconds.
    #[must_use]
    pub const fn from_seconds(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1_000))
    }

    /// Returns the span since `earlier`, or zero where `earlier` is the later one.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl std::ops::Add for Millis {
    type Output = Self;

    fn add(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

/// Shows a span as a clock face: `0:07.250`, `12:34.000`.
impl std::fmt::Display for Millis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (seconds, millis) = (self.0 / 1_000, self.0 % 1_000);
        write!(f, "{}:{:02}.{millis:03}", seconds / 60, seconds % 60)
    }
}

/// An instant in microseconds on one machine's own monotonic clock.
///
/// The server's counts from its start, a client's from whatever it likes: only
/// differences and [`ClockEstimate`] give them meaning. Below 2^53 for the next 285
/// years, so JavaScript keeps every digit.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Micros(pub u64);

/// The four timestamps of one ping, in the order in which they are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PingTimes {
    /// Sent, on the client's clock.
    pub sent: Micros,
    /// Received, on the server's clock.
    pub received: Micros,
    /// Replied, on the server's clock.
    pub replied: Micros,
    /// The reply's arrival, on the client's clock.
    pub arrived: Micros,
}

/// The offset of the server's clock from the client's, from the best of several pings.
///
/// The offset of one ping is `((received − sent) + (replied − arrived)) / 2`, as in NTP
/// (Mills, RFC 5905, section 8); it is wrong by half the round trip at most, so of
/// several pings the one with the shortest round trip is kept.
///
/// ```
/// use gridrace_shared::util::time::{ClockEstimate, Micros, PingTimes};
/// let mut clock = ClockEstimate::default();
/// clock.learn(PingTimes {
///     sent: Micros(1_000), received: Micros(91_500), replied: Micros(91_500), arrived: Micros(2_000),
/// });
/// assert_eq!(clock.to_server(Micros(2_000)), Micros(92_000));
/// assert_eq!(clock.error(), Some(500));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClockEstimate {
    recent: std::collections::VecDeque<Sample>,
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
    #[must_use]
    pub fn to_server(&self, here: Micros) -> Micros {
        Micros(here.0.saturating_add_signed(self.offset()))
    }

    /// Returns the instant of the client's clock at an instant of the server's.
    #[must_use]
    pub fn to_here(&self, there: Micros) -> Micros {
        Micros(there.0.saturating_add_signed(-self.offset()))
    }

    /// Returns the bound on the offset's error in microseconds: half the best round trip.
    #[must_use]
    pub fn error(&self) -> Option<u64> {
        self.best().map(|sample| sample.round_trip.div_ceil(2))
    }

    /// Returns the round trip of the latest ping in microseconds.
    #[must_use]
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
    fn a_span_shows_as_a_clock_face() {
        assert_eq!(Millis(7_250).to_string(), "0:07.250");
        assert_eq!(Millis(754_000).to_string(), "12:34.000");
    }

    #[test]
    fn times_that_run_backwards_are_ignored() {
        let mut clock = ClockEstimate::default();
        clock.learn(PingTimes {
            sent: Micros(9),
            received: Micros(0),
            replied: Micros(0),
            arrived: Micros(1),
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
                    sent: Micros(sent),
                    received: Micros(received),
                    replied: Micros(received + held),
                    arrived: Micros(sent + there + held + back),
                });
            }
            let error = clock.error().unwrap();
            let guess = clock.to_server(Micros(5_000_000_000)).0;
            let truth = 5_000_000_000u64.saturating_add_signed(offset);
            prop_assert!(guess.abs_diff(truth) <= error + 1);
        }
    }
}
