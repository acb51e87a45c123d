//! The state of a room that outlives the server.

pub(crate) mod checkpoint;

use crate::race::replay_recorder::{Recorded, ReplayRecorder};
use crate::race::{Effects, Event, Race};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::util::time::HeatInstant;

/// A race, and what its shell must know to continue it. What isn't in here is lost with the server.
#[derive(Clone)]
pub(crate) struct PersistedRoom {
    pub(crate) race: Race,
    recorder: ReplayRecorder,
    /// The number of the next member.
    next_id: u32,
}

impl PersistedRoom {
    pub(crate) fn new(race: Race) -> Self {
        Self { race, recorder: ReplayRecorder::default(), next_id: 1 }
    }

    /// Applies an event, new or from a journal. Returns its effects, and what it added to a replay.
    pub(crate) fn apply(&mut self, at: HeatInstant, event: Event) -> (Effects, Recorded) {
        if let Event::Join { id, .. } | Event::AddBot { id, .. } = &event {
            self.next_id = self.next_id.max(id.0.saturating_add(1));
        }
        let effects = self.race.apply(at, event);
        let recorded = self.recorder.record(self.race.instant(), effects.heat_events());
        (effects, recorded)
    }

    /// Returns the number for a new member, whose event then takes it.
    pub(crate) const fn new_id(&self) -> PlayerId {
        PlayerId(self.next_id)
    }
}

#[cfg(test)]
mod golden;
