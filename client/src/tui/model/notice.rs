//! Notices: lines that disappear after a while.

use gridrace_shared::util::time::ClientInstant;
use std::time::Duration;

/// How long a notice stands: a second to look there, and what a person takes to read each letter.
const LOOK: Duration = Duration::from_millis(1_500);
const READ_LETTER: Duration = Duration::from_millis(60);
/// How long a line that the host announces stands at least: it is read beside a race.
const ANNOUNCEMENT: Duration = Duration::from_secs(15);
/// How long it is marked that a key or click did nothing.
const MARK: Duration = Duration::from_millis(600);

/// What is said of a key without a meaning.
pub const DEAD_KEY: &str = "That key does nothing now.";

/// A line to be read in passing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The line; our own words, or sanitised.
    pub text: String,
    pub bad: bool,
    pub since: ClientInstant,
    /// The instant at which the notice disappears.
    pub until: ClientInstant,
}

impl Notice {
    pub(super) fn new(now: ClientInstant, text: String) -> Self {
        let letters = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        let until = now + (LOOK + READ_LETTER.saturating_mul(letters));
        Self { text, bad: false, since: now, until }
    }

    pub(super) fn announcement(now: ClientInstant, text: String) -> Self {
        let notice = Self::new(now, text);
        let until = notice.until.max(now + ANNOUNCEMENT);
        Self { until, ..notice }
    }
}

/// A key or click that did nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ignored {
    at: ClientInstant,
    words: &'static str,
}

impl Ignored {
    pub(super) const fn new(at: ClientInstant, words: &'static str) -> Self {
        Self { at, words }
    }

    /// Returns the words for it while it is marked.
    pub fn words(self, now: ClientInstant) -> Option<&'static str> {
        (now.since(self.at) < MARK).then_some(self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_stands_for_as_long_as_it_takes_to_read() {
        let now = ClientInstant(1_000_000);
        let stands = |notice: Notice| notice.until.since(now).as_millis();
        assert_eq!(stands(Notice::new(now, "Back in your seat.".to_owned())), 2_580);
        assert_eq!(stands(Notice::new(now, "x".repeat(70))), 5_700);
        assert_eq!(stands(Notice::announcement(now, "Pizza".to_owned())), 15_000);
        assert!(stands(Notice::announcement(now, "x".repeat(400))) > 15_000);
    }

    #[test]
    fn a_dead_key_is_marked_for_a_moment() {
        let ignored = Ignored::new(ClientInstant(1_000_000), "nothing");
        assert_eq!(ignored.words(ClientInstant(1_599_999)), Some("nothing"));
        assert_eq!(ignored.words(ClientInstant(1_600_000)), None);
    }
}
