//! The schedule of scans for members that haven't seen the latest roster or standings.

use gridrace_shared::util::time::ServerInstant;
use std::time::Duration;

/// The shortest time between two looks at who has unseen changes: those who join or move at about
/// the same time cause one.
const MIN_WAKE_INTERVAL: Duration = Duration::from_millis(50);

/// The next look at the members. One who is sent something else gets the latest with it; a silent
/// one is woken once an interval.
#[derive(Debug, Default)]
pub(super) struct ReaderWakes {
    due: Option<ServerInstant>,
    last: ServerInstant,
    /// The instant that the room's timer waits for.
    armed: Option<ServerInstant>,
    /// Whether a player's race has ended, which all are told at once.
    is_urgent: bool,
}

impl ReaderWakes {
    /// Notes that there is something unseen.
    pub(super) fn schedule(&mut self, now: ServerInstant, is_urgent: bool) {
        self.is_urgent |= is_urgent;
        if self.is_urgent {
            self.due = Some(now);
        } else {
            self.due.get_or_insert(now.max(self.last + MIN_WAKE_INTERVAL));
        }
    }

    /// Begins a look if one is due, and returns whether it is urgent.
    pub(super) fn begin_if_due(&mut self, now: ServerInstant) -> Option<bool> {
        self.due.take_if(|due| *due <= now)?;
        self.last = now;
        Some(std::mem::take(&mut self.is_urgent))
    }

    /// Schedules the look at the members who weren't due yet; `next` is when the first of them is.
    pub(super) fn schedule_next(&mut self, next: Option<ServerInstant>) {
        self.due = next.map(|due| due.max(self.last + MIN_WAKE_INTERVAL));
    }

    /// Returns the instant that the room's timer must wait for, with the room's other deadlines.
    pub(super) fn arm(
        &mut self,
        others: impl IntoIterator<Item = ServerInstant>,
    ) -> Option<ServerInstant> {
        self.armed = others.into_iter().chain(self.due).min();
        self.armed
    }

    /// Returns whether the timer waits for a later instant than the next look.
    pub(super) fn is_armed_too_late(&self) -> bool {
        self.due.is_some_and(|due| self.armed.is_none_or(|armed| due < armed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> ServerInstant {
        ServerInstant(millis * 1_000)
    }

    #[test]
    fn looks_are_an_interval_apart_unless_a_race_has_ended() {
        let mut wakes = ReaderWakes::default();
        assert_eq!(wakes.begin_if_due(at(1_000)), None, "nothing is unseen");
        wakes.schedule(at(1_000), false);
        assert_eq!(wakes.begin_if_due(at(1_000)), Some(false));
        wakes.schedule_next(None);
        wakes.schedule(at(1_010), false);
        assert_eq!(wakes.begin_if_due(at(1_049)), None);
        assert_eq!(wakes.begin_if_due(at(1_050)), Some(false));
        wakes.schedule(at(1_051), false);
        wakes.schedule(at(1_052), true);
        assert_eq!(wakes.begin_if_due(at(1_052)), Some(true));
        wakes.schedule_next(Some(at(1_053)));
        assert_eq!(wakes.begin_if_due(at(1_101)), None);
        assert_eq!(wakes.begin_if_due(at(1_102)), Some(false));
    }

    #[test]
    fn the_timer_is_armed_anew_for_an_earlier_look() {
        let mut wakes = ReaderWakes::default();
        assert_eq!(wakes.arm([]), None);
        assert!(!wakes.is_armed_too_late());
        wakes.schedule(at(1_000), false);
        assert!(wakes.is_armed_too_late());
        assert_eq!(wakes.arm([at(500)]), Some(at(500)));
        assert!(!wakes.is_armed_too_late());
        assert_eq!(wakes.arm([at(5_000)]), Some(at(1_000)));
    }
}
