//! Dates in RFC 3339.

use gridrace_shared::replay::UnixSeconds;
use jiff::SignedDuration;
use jiff::civil::{DateTime, date};

const UNIX_EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

/// Returns an instant in RFC 3339, in UTC. Instants after the year 9999 become its last second.
pub(crate) fn rfc3339(UnixSeconds(seconds): UnixSeconds) -> String {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    let instant = UNIX_EPOCH.saturating_add(SignedDuration::from_secs(seconds));
    instant.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc3339_follows_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (1_795_219_200, "2026-11-21T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
            (u64::MAX, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(rfc3339(UnixSeconds(seconds)), date);
        }
    }
}
