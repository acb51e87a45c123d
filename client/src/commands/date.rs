//! Dates of the wall's clock.

use gridrace_shared::replay::UnixSeconds;

/// Writes an instant as RFC 3339 has it, in Coordinated Universal Time. The day is worked out
/// by Hinnant's `civil_from_days` ("chrono-Compatible Low-Level Date Algorithms", 2013), in
/// whose years March is the first month, so that the day that may be there is the last.
pub(crate) fn rfc3339(UnixSeconds(seconds): UnixSeconds) -> String {
    let (days, time) = (seconds / 86_400, seconds % 86_400);
    // From 0000-03-01 on, in eras of 400 years.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (1_795_219_200, "2026-11-21T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(rfc3339(UnixSeconds(seconds)), date);
        }
    }
}
