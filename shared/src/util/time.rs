//! Instants and spans.
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

    /// Returns the whole seconds.
    pub const fn seconds(self) -> u64 {
        self.0 / 1_000
    }

    /// Returns the whole seconds, a part of one counted as one.
    pub const fn seconds_rounded_up(self) -> u64 {
        self.0.div_ceil(1_000)
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
    /// An instant in milliseconds since a tournament was opened. It stands still while the server is
    /// away.
    TournamentInstant - Millis { Millis, |span: Millis| span.0 }
    /// An instant on the calendar, in milliseconds since 1970 (UTC).
    UnixMillis - Millis { Millis, |span: Millis| span.0 }
    /// An instant on the server's monotonic clock, in microseconds since a start that a restarted
    /// server continues from. Below 2^53 for the next 285 years, so JavaScript keeps every digit.
    ServerInstant - Duration { Duration::from_micros, micros }
    /// An instant on a client's own monotonic clock, in microseconds. Only a
    /// [`ClockEstimate`](super::clock_estimate::ClockEstimate) relates it to a [`ServerInstant`].
    ClientInstant - Duration { Duration::from_micros, micros }
}

/// A clock in milliseconds since an epoch of the server's clock.
macro_rules! clocks_since_epoch {
    ($($name:ident)*) => {$(
        impl $name {
            /// Returns the last instant of the clock at or before `server`.
            pub const fn from_server(server: ServerInstant, epoch: ServerInstant) -> Self {
                Self(server.0.saturating_sub(epoch.0) / 1_000)
            }

            /// Returns the span since the clock's epoch.
            pub const fn since_epoch(self) -> Millis {
                Millis(self.0)
            }

            /// Returns this instant on the server's clock.
            pub const fn to_server(self, epoch: ServerInstant) -> ServerInstant {
                ServerInstant(epoch.0.saturating_add(self.0.saturating_mul(1_000)))
            }
        }
    )*};
}

clocks_since_epoch! { HeatInstant TournamentInstant }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_shows_as_a_clock_face() {
        assert_eq!(Millis(7_250).to_string(), "0:07.250");
        assert_eq!(Millis(754_000).to_string(), "12:34.000");
    }

    #[test]
    fn a_heat_s_clock_begins_at_its_epoch() {
        let epoch = ServerInstant(5_000_000);
        assert_eq!(HeatInstant::from_server(ServerInstant(5_001_999), epoch), HeatInstant(1));
        assert_eq!(HeatInstant::from_server(ServerInstant(4_000_000), epoch), HeatInstant(0));
        assert_eq!(HeatInstant(1).to_server(epoch), ServerInstant(5_001_000));
        assert_eq!(HeatInstant(u64::MAX).to_server(epoch), ServerInstant(u64::MAX));
    }
}
