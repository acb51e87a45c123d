//! Numbers and states in words.

use gridrace_shared::heat::options::HintRule;
use gridrace_shared::heat::standings::{Standing, State};
use gridrace_shared::util::time::Millis;

/// Returns a span as a running clock shows it: minutes, seconds and tenths.
pub(crate) fn clock(span: Millis) -> String {
    let tenths = span.0 / 100;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

/// Returns a span in whole minutes and seconds.
pub(crate) fn minutes(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Returns a penalty as it is added: ` +20 s`, or nothing.
pub(crate) fn penalty(span: Millis) -> String {
    if span.0 == 0 { String::new() } else { format!(" +{} s", span.0 / 1_000) }
}

/// Says for how long the server was away, if it was; a part of a second counts as one.
pub(crate) fn outage(span: Millis) -> Option<String> {
    away(span).map(|away| format!("server was {away}"))
}

/// Says the same in short.
pub(crate) fn away(span: Millis) -> Option<String> {
    (span.0 > 0).then(|| format!("away {}", minutes(span.0.div_ceil(1_000))))
}

pub(crate) fn hint_rule(rule: HintRule) -> String {
    match rule {
        HintRule::Off => "off".to_owned(),
        HintRule::Free => "free".to_owned(),
        HintRule::Priced { seconds } => format!("+{seconds} s each"),
    }
}

/// Returns how far somebody is behind the leader, in time or in progress.
pub(crate) fn gap(standing: &Standing, leader: &Standing) -> String {
    if standing.player == leader.player {
        return String::new();
    }
    match (standing.state, leader.state) {
        (State::Finished { time }, State::Finished { time: best }) => {
            let behind = time.since(best).0;
            format!("+{}.{:02}", behind / 1_000, behind % 1_000 / 10)
        }
        (State::Racing, _) => match percent(leader).saturating_sub(percent(standing)) {
            0 => String::new(),
            behind => format!("-{behind}%"),
        },
        (State::Finished { .. } | State::Dnf, _) => String::new(),
    }
}

/// Returns the progress in whole per cent.
pub(crate) fn percent(standing: &Standing) -> u16 {
    standing.progress / 10
}

/// Returns microseconds as milliseconds, with a tenth where that matters.
pub(crate) fn millis(micros: u64) -> String {
    if micros < 10_000 {
        format!("{}.{}", micros / 1_000, micros / 100 % 10)
    } else {
        (micros / 1_000).to_string()
    }
}

/// Returns how fast somebody moves, in moves a second.
pub(crate) fn pace(moves: u32, span: Millis) -> String {
    let tenths = u64::from(moves).saturating_mul(10_000).checked_div(span.0).unwrap_or(0);
    format!("{}.{}/s", tenths / 10, tenths % 10)
}

/// Returns a count with its noun.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
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
    fn pace_is_zero_before_any_time_has_passed() {
        assert_eq!(pace(5, Millis(0)), "0.0/s");
        assert_eq!(pace(57, Millis(30_000)), "1.9/s");
    }
}
