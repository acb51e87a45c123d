//! When the members of a room are looked through for those who haven't seen the latest roster or
//! standings.

use gridrace_shared::util::time::ServerInstant;
use std::time::Duration;

/// The shortest time between two looks at who has unseen changes: those who join or move at about
/// the same time cause one.
pub(super) const MIN_WAKE_INTERVAL: Duration = Duration::from_millis(50);
/// The next look at the members. One who is sent something else gets the latest with it; a silent
/// one is woken once an interval.
#[derive(Debug, Default)]
pub(super) struct ReaderWakes {
    pub(super) due: Option<ServerInstant>,
    pub(super) last: ServerInstant,
    /// The instant that the room's timer waits for.
    pub(super) armed: Option<ServerInstant>,
    /// Whether a player's race has ended, which all are told at once.
    pub(super) is_urgent: bool,
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
}
