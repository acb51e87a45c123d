//! Short feedback on the board: the motion of a tile, and the flash of a solved board.

use gridrace_shared::util::time::ClientInstant;
use std::time::Duration;

/// How long a tile is seen to slide: short enough to be over before most next keys.
pub const SLIDE: Duration = Duration::from_millis(80);
/// Half the period of the flash of a solved board, which flashes twice: below three a second,
/// which is the limit for people with photosensitive epilepsy (WCAG 2.3.1).
const FLASH: Duration = Duration::from_millis(200);

/// The instants from which what is shown for a moment counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Feedback {
    moved: Option<ClientInstant>,
    solved: Option<ClientInstant>,
}

impl Feedback {
    pub(crate) fn moved(&mut self, now: ClientInstant) {
        self.moved = Some(now);
    }

    pub(crate) fn solved(&mut self, now: ClientInstant) {
        self.solved = Some(now);
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
        let at = |millis: u64| ClientInstant(start.0 + millis * 1_000);
        assert_eq!(
            [0, 20, 79, 80].map(|millis| feedback.motion(at(millis))),
            [Some(0), Some(250), Some(987), None]
        );
        let lit = [0, 199, 200, 399, 400, 599, 600, 10_000].map(|it| feedback.is_lit(at(it)));
        assert_eq!(lit, [true, true, false, false, true, true, false, false]);
    }
}
