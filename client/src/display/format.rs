//! Formats of times, numbers and states.

use gridrace_shared::heat::averages::{Attempt, measured};
use gridrace_shared::heat::options::{HeatOptions, HintRule, HintStyles};
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::replay::UnixSeconds;
use gridrace_shared::util::time::Millis;
use jiff::SignedDuration;
use jiff::civil::{DateTime, date};

/// How a finish is marked that was too fast for a person.
pub(crate) const INHUMAN_SPEED: &str = "too fast for a person";

const UNIX_EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

/// Returns a span as a running clock shows it: minutes, seconds and tenths.
pub(crate) fn clock(span: Millis) -> String {
    let tenths = span.0 / 100;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

/// Returns a result as the World Cube Association writes it: hundredths below ten minutes, such as
/// `9.87` or `1:02.35`, whole seconds from there on, and `DNF`.
pub(crate) fn result(attempt: Attempt) -> String {
    let Some(Millis(time)) = measured(attempt) else {
        return "DNF".to_owned();
    };
    let (minutes, seconds, hundredths) = (time / 60_000, time / 1_000 % 60, time / 10 % 100);
    match minutes {
        0 => format!("{seconds}.{hundredths:02}"),
        1..10 => format!("{minutes}:{seconds:02}.{hundredths:02}"),
        _ => format!("{minutes}:{seconds:02}"),
    }
}

/// Returns how far two times are apart: `0.42 s`, or minutes and seconds.
pub(crate) fn difference(span: Millis) -> String {
    if span.0 < 60_000 { seconds(span) } else { minutes(span) }
}

/// Returns a span in seconds and hundredths: `0.42 s`.
pub(crate) fn seconds(span: Millis) -> String {
    format!("{} s", hundredths(span.0 / 10))
}

/// Returns hundredths as a decimal number.
pub(crate) fn hundredths(hundredths: u64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Returns tenths as a decimal number.
pub(crate) fn tenths(tenths: u64) -> String {
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Returns a span in whole minutes and seconds.
pub(crate) fn minutes(span: Millis) -> String {
    format!("{}:{:02}", span.seconds() / 60, span.seconds() % 60)
}

/// Returns the same of a span that is left: a part of a second counts as one.
pub(crate) fn minutes_left(span: Millis) -> String {
    minutes(Millis::from_seconds(span.seconds_rounded_up()))
}

/// Returns a penalty as it is added: ` +20 s`, or nothing.
pub(crate) fn penalty(span: Millis) -> String {
    if span.0 == 0 { String::new() } else { format!(" +{} s", span.seconds()) }
}

/// Says for how long the server was down, if it was; a part of a second counts as one.
pub(crate) fn outage(span: Millis) -> Option<String> {
    downtime(span).map(|downtime| format!("server was down for {downtime}"))
}

pub(crate) fn downtime(span: Millis) -> Option<String> {
    match span.seconds_rounded_up() {
        0 => None,
        seconds @ 1..=59 => Some(format!("{seconds} s")),
        60.. => Some(format!("{} min", minutes_left(span))),
    }
}

/// Returns what hints cost, and their style where the host fixed it.
pub(crate) fn hint_rule(options: &HeatOptions) -> String {
    let price = match options.hints {
        HintRule::Off => return "off".to_owned(),
        HintRule::Free => "free".to_owned(),
        HintRule::Priced { seconds } => format!("+{seconds} s each"),
    };
    match options.hint_styles {
        HintStyles::Any => price,
        HintStyles::Shortest => format!("{price}, shortest"),
        HintStyles::Method => format!("{price}, by method"),
    }
}

/// Returns how far a player is behind the leader, in time or in progress.
pub(crate) fn gap(standing: &Standing, leader: &Standing) -> String {
    if standing.player == leader.player {
        return String::new();
    }
    match (standing.state, leader.state) {
        (RaceState::Finished { time }, RaceState::Finished { time: best }) => {
            format!("+{}", hundredths(time.since(best).0 / 10))
        }
        (RaceState::Racing, _) => match percent(leader).saturating_sub(percent(standing)) {
            0 => String::new(),
            behind => format!("-{behind}%"),
        },
        (RaceState::Finished { .. } | RaceState::Dnf, _) => String::new(),
    }
}

pub(crate) fn percent(standing: &Standing) -> u16 {
    standing.progress / 10
}

/// Returns microseconds as milliseconds, below 10 ms with a tenth.
pub(crate) fn millis(micros: u64) -> String {
    if micros < 10_000 {
        format!("{}.{}", micros / 1_000, micros / 100 % 10)
    } else {
        (micros / 1_000).to_string()
    }
}

/// Returns how fast a player moves, in moves a second.
pub(crate) fn pace(moves: u32, span: Millis) -> String {
    let tenths = u64::from(moves).saturating_mul(10_000).checked_div(span.0).unwrap_or(0);
    format!("{}/s", self::tenths(tenths))
}

/// Returns a place as it is spoken: `1st`, `22nd`, `113th`.
pub(crate) fn ordinal(place: u16) -> String {
    let ending = match (place % 100, place % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{place}{ending}")
}

pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Returns an instant in RFC 3339, in UTC. Instants after the year 9999 become its last second.
pub(crate) fn rfc3339(UnixSeconds(seconds): UnixSeconds) -> String {
    let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
    let instant = UNIX_EPOCH.saturating_add(SignedDuration::from_secs(seconds));
    instant.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Makes an error's text a sentence, or a question where it ends with one.
pub fn sentence(text: &str) -> String {
    let end = if text.ends_with(['.', '?']) { "" } else { "." };
    format!("{}{end}", capitalised(text))
}

pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first: String =
        letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_clock_shows_tenths() {
        assert_eq!(clock(Millis(34_290)), "0:34.2");
        assert_eq!(clock(Millis(601_000)), "10:01.0");
    }

    #[test]
    fn results_are_written_as_at_competitions() {
        for (time, text) in [
            (Some(9_879), "9.87"),
            (Some(62_350), "1:02.35"),
            (Some(599_999), "9:59.99"),
            (Some(605_500), "10:06"),
            (None, "DNF"),
        ] {
            assert_eq!(result(time.map(Millis)), text);
        }
        assert_eq!(difference(Millis(420)), "0.42 s");
        assert_eq!(difference(Millis(83_000)), "1:23");
    }

    #[test]
    fn an_outage_is_told_in_seconds_or_minutes() {
        assert_eq!(outage(Millis(0)), None);
        assert_eq!(outage(Millis(8_001)).unwrap(), "server was down for 9 s");
        assert_eq!(outage(Millis(83_000)).unwrap(), "server was down for 1:23 min");
    }

    #[test]
    fn pace_is_zero_before_any_time_has_passed() {
        assert_eq!(pace(5, Millis(0)), "0.0/s");
        assert_eq!(pace(57, Millis(30_000)), "1.9/s");
    }

    #[test]
    fn a_place_is_spoken_by_its_last_digits() {
        let spoken: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 21, 111, 122].map(ordinal).to_vec();
        assert_eq!(spoken.join(" "), "1st 2nd 3rd 4th 11th 12th 13th 21st 111th 122nd");
    }

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
