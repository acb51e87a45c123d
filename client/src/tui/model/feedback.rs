//! What the screen shows for a moment: how a tile slides, that the board is solved, and that a
//! key did nothing.

use gridrace_shared::util::time::ClientInstant;
use std::time::Duration;

/// How long a tile is seen to slide: short enough to be over before most next keys.
pub const SLIDE: Duration = Duration::from_millis(80);
/// Half the period of the flash of a solved board, which flashes twice: below three a second,
/// which is the limit for people with photosensitive epilepsy (WCAG 2.3.1).
const FLASH: Duration = Duration::from_millis(200);
/// How long it is marked that a key or click did nothing.
const MARK: Duration = Duration::from_millis(400);

/// The instants from which what is shown for a moment counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Feedback {
    moved: Option<ClientInstant>,
    solved: Option<ClientInstant>,
    ignored: Option<(ClientInstant, &'static str)>,
}

impl Feedback {
    pub(crate) fn moved(&mut self, now: ClientInstant) {
        self.moved = Some(now);
        self.ignored = None;
    }

    pub(crate) fn solved(&mut self, now: ClientInstant) {
        self.solved = Some(now);
    }

    /// Marks that a key or click did nothing, and says so in a few words.
    pub(crate) fn ignored(&mut self, now: ClientInstant, words: &'static str) {
        self.ignored = Some((now, words));
    }

    /// Returns how far the last move is seen to have come, in thousandths, while it is on its way.
    pub fn motion(&self, now: ClientInstant) -> Option<u16> {
        let elapsed = now.since(self.moved?);
        let thousandths = elapsed.as_micros() * 1_000 / SLIDE.as_micros();
        u16::try_from(thousandths).ok().filter(|&thousandths| thousandths < 1_000)
    }

    /// Says whether the board of a moment ago was solved, and is lit up right now.
    pub fn is_lit(&self, now: ClientInstant) -> bool {
        let phase = self.solved.map(|solved| now.since(solved).as_millis() / FLASH.as_millis());
        matches!(phase, Some(0 | 2))
    }

    /// Returns the words for a key or click that did nothing a moment ago.
    pub fn ignored_words(&self, now: ClientInstant) -> Option<&'static str> {
        self.ignored.filter(|(at, _)| now.since(*at) < MARK).map(|(_, words)| words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_over_after_its_time() {
        let mut feedback = Feedback::default();
        let start = ClientInstant(1_000_000);
        feedback.moved(start);
        feedback.solved(start);
        feedback.ignored(start, "nothing");
        let at = |millis: u64| ClientInstant(start.0 + millis * 1_000);
        assert_eq!(
            [0, 20, 79, 80].map(|millis| feedback.motion(at(millis))),
            [Some(0), Some(250), Some(987), None]
        );
        let lit = [0, 199, 200, 399, 400, 599, 600, 10_000].map(|it| feedback.is_lit(at(it)));
        assert_eq!(lit, [true, true, false, false, true, true, false, false]);
        assert_eq!(feedback.ignored_words(at(399)), Some("nothing"));
        assert_eq!(feedback.ignored_words(at(400)), None);
    }

    #[test]
    fn a_move_takes_the_mark_of_a_dead_key_away() {
        let mut feedback = Feedback::default();
        feedback.ignored(ClientInstant(1), "nothing");
        feedback.moved(ClientInstant(2));
        assert_eq!(feedback.ignored_words(ClientInstant(3)), None);
    }
}
