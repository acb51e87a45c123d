//! Instants and the estimate of another machine's clock.
//!
//! Nothing here reads a clock: the programs stamp, this crate computes.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A span in milliseconds.
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
    /// Saturates.
    pub const fn from_seconds(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1_000))
    }

    /// Returns by how much this exceeds `shorter`, or zero.
    pub const fn since(self, shorter: Self) -> Self {
        Self(self.0.saturating_sub(shorter.0))
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

/// A point in time: it has an order and a distance to another point, but no sum with it.
macro_rules! instants {
    ($($(#[$doc:meta])* $name:ident - $span:ty { $from_units:expr, $to_units:expr })*) => {$(
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl $name {
            /// Returns the span since `earlier`, or zero if `earlier` is the later one.
            pub const fn since(self, earlier: Self) -> $span {
                $from_units(self.0.saturating_sub(earlier.0))
            }
        }

        impl std::ops::Add<$span> for $name {
            type Output = Self;

            fn add(self, span: $span) -> Self {
                Self(self.0.saturating_add($to_units(span)))
            }
        }
    )*};
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

instants! {
    /// An instant in milliseconds since a room opened. It stands still while the server is away.
    HeatInstant - Millis { Millis, |span: Millis| span.0 }
    /// An instant on the calendar, in milliseconds since 1970 (UTC).
    UnixMillis - Millis { Millis, |span: Millis| span.0 }
    /// An instant on the server's monotonic clock, in microseconds since a start that a restarted
    /// server continues from. Below 2^53 for the next 285 years, so JavaScript keeps every digit.
    ServerInstant - Duration { Duration::from_micros, micros }
    /// An instant on a client's own monotonic clock, in microseconds. Only [`ClockEstimate`]
    /// relates it to a [`ServerInstant`].
    ClientInstant - Duration { Duration::from_micros, micros }
}

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
/// use gridrace_shared::util::time::{ClientInstant, ClockEstimate, PingTimes, ServerInstant};
/// let mut clock = ClockEstimate::default();
/// clock.learn(PingTimes {
///     sent: ClientInstant(1_000), received: ServerInstant(91_500), replied: ServerInstant(91_500), arrived: ClientInstant(2_000),
/// });
/// assert_eq!(clock.to_server(ClientInstant(2_000)), ServerInstant(92_000));
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
    pub fn to_server(&self, here: ClientInstant) -> ServerInstant {
        ServerInstant(here.0.saturating_add_signed(self.offset()))
    }

    /// Returns the instant of the client's clock at an instant of the server's.
    pub fn to_here(&self, there: ServerInstant) -> ClientInstant {
        ClientInstant(there.0.saturating_add_signed(-self.offset()))
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
    fn a_span_shows_as_a_clock_face() {
        assert_eq!(Millis(7_250).to_string(), "0:07.250");
        assert_eq!(Millis(754_000).to_string(), "12:34.000");
    }

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
