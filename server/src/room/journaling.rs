//! A room's journal: entries, checkpoints, and the records that the store keeps for good.

use super::{Room, RoomState};
use crate::platform::environment::Environment;
use crate::platform::shards::TaskWaker;
use crate::race::journal::{self, JournalError};
use crate::race::persisted::PersistedRoom;
use crate::race::{Effects, Event, HeatEvent};
use crate::room::services::Services;
use crate::store::{ArchiveRecord, FinishedHeat, HeatRating, Journal, JournalSeq, Store};
use gridrace_shared::protocol::server::{RecordingStatus, ServerMessage};
use gridrace_shared::replay::{Replay, ServerKey, UnixSeconds};
use gridrace_shared::util::time::HeatInstant;
use std::sync::Arc;
use tracing::error;

/// Bytes of memory kept for the next entry: more than any has but a generated board.
const ENTRY_CAPACITY: usize = 256;

impl Room {
    /// Persists what the command line said of a standing room.
    pub(crate) fn persist_standing_key(&self, standing: String) {
        if let Some(journal) = self.state().gate.journal() {
            journal.set_standing_key(standing);
        }
    }

    /// Reacts to a store that stops to record, or records again.
    pub(crate) fn on_store_state_changed(self: &Arc<Self>) {
        self.with_state(|state| {
            self.sync_recording(state, self.now());
            self.release_committed(state);
        });
    }

    /// Tells the host that answers wait for a slow disk, ahead of these answers, or that this is
    /// over.
    pub(crate) fn on_disk_speed_changed(&self, is_slow: bool) {
        self.with_state(|state| {
            let told = state.told_slow.take();
            if state.closed || state.frozen || state.gate.journal().is_none() {
                return;
            }
            // The host as the members were last told.
            let host = state.released_host;
            let status = if is_slow { RecordingStatus::Slow } else { RecordingStatus::Recorded };
            if let Some(host) = host.filter(|_| is_slow || told == host)
                && state.send_at_once(host, ServerMessage::Recording(status))
            {
                state.told_slow = is_slow.then_some(host);
            }
        });
    }

    /// Lets go of a journal that is lost, begins another one as soon as the store records, and
    /// tells the race which of the two is the case.
    pub(super) fn sync_recording(self: &Arc<Self>, state: &mut RoomState, now: HeatInstant) {
        let Some(store) = &self.services.store else {
            return;
        };
        state.discard_uncommitted();
        if state.gate.journal().is_some_and(|journal| journal.is_lost()) {
            state.gate.stop_recording();
            // The race tells the host more than that.
            state.told_slow = None;
        }
        if state.closed || state.frozen {
            return;
        }
        if state.gate.journal().is_none() && state.is_recordable && store.is_recording() {
            state.begin_journal(store, &self.waker, true);
        }
        let recorded = state.gate.journal().is_some();
        if recorded != state.persisted.race.is_recorded() {
            self.transition(state, now, Event::Recording { recorded });
        }
    }

    /// Freezes the room for a shutdown: later events are for the next server.
    pub(crate) fn freeze(&self) {
        self.state().frozen = true;
        self.waker.wake();
    }
}

impl RoomState {
    /// Opens a room, and its journal if there is a store.
    pub(super) fn open(
        persisted: PersistedRoom,
        store: Option<&Store>,
        waker: &Arc<TaskWaker>,
    ) -> Self {
        let mut state = Self::unrecorded(persisted);
        if let Some(store) = store {
            state.begin_journal(store, waker, false);
        }
        state
    }

    /// Begins the room's journal; `again` after one was lost.
    fn begin_journal(&mut self, store: &Store, waker: &Arc<TaskWaker>, again: bool) {
        match store.begin(&self.persisted, Arc::clone(waker), again) {
            Ok((journal, from)) => {
                self.gate.start_recording(journal, from);
                self.checkpointed = self.persisted.race.number();
            }
            Err(error) => {
                let room = self.persisted.race.code();
                error!(%room, %error, "checkpoint not encodable; room stays unrecorded");
                self.is_recordable = false;
            }
        }
    }

    /// Continues a room with the journal from which it was recovered.
    pub(super) fn recover(persisted: PersistedRoom, journal: Arc<Journal>) -> Self {
        let mut state = Self::unrecorded(persisted);
        state.gate.start_recording(journal, JournalSeq::default());
        state
    }

    /// Returns whether the store's queue has capacity for a move.
    pub(super) fn has_capacity(&self) -> bool {
        self.gate.journal().is_none_or(|journal| journal.has_capacity())
    }

    /// Encodes the entry of an event that is about to be applied.
    pub(super) fn encode_entry(&mut self, now: HeatInstant, event: &Event) {
        self.entry.clear();
        self.entry.shrink_to(ENTRY_CAPACITY);
        if self.gate.journal().is_some()
            && let Err(error) = journal::append(&mut self.entry, now, event)
        {
            self.give_up_recording(&error);
        }
    }

    /// Appends the entry of an event that was applied, with the record that it leaves for good:
    /// a crash takes both, or neither.
    pub(super) fn append_entry(
        &mut self,
        effects: &Effects,
        replay: Option<Replay>,
        services: &Services,
    ) {
        let Some(journal) = self.gate.journal() else {
            return;
        };
        let record = services.store.as_ref().and_then(|store| {
            lasting_record(effects, replay, &services.environment, store.server_key())
        });
        let ticket = journal.append(&self.entry, record);
        self.gate.wait_for(ticket);
    }

    /// Writes a checkpoint after a rematch, and whenever the journal has become long. The store
    /// persists the server's clock while any room has a deadline.
    pub(super) fn checkpoint_if_due(&mut self) {
        let Some(journal) = self.gate.journal() else {
            return;
        };
        journal.set_running(self.persisted.race.deadline().is_some());
        let number = self.persisted.race.number();
        if number == self.checkpointed && !journal.wants_checkpoint() {
            return;
        }
        match journal::checkpoint(&self.persisted) {
            Ok(checkpoint) => {
                let ticket = journal.checkpoint(checkpoint);
                self.gate.wait_for(ticket);
                self.checkpointed = number;
            }
            Err(error) => self.give_up_recording(&error),
        }
    }

    /// Closes the journal of a room that is closed. A frozen room's stays for the next server.
    pub(super) fn close_journal(&mut self) {
        if let Some(journal) = self.gate.stop_recording()
            && !self.frozen
        {
            journal.close();
        }
    }

    /// Drops what waits for a disk that fails while the server shuts down: the next server
    /// continues from what is durable, and doesn't know of it.
    pub(super) fn discard_uncommitted(&mut self) {
        if self.frozen && self.gate.journal().is_some_and(|journal| journal.is_lost()) {
            self.gate.discard_uncommitted();
        }
    }

    /// Continues without a journal: what can't be written can't be read, either.
    fn give_up_recording(&mut self, error: &JournalError) {
        let room = self.persisted.race.code();
        error!(%room, %error, "journal entry not encodable; room continues unrecorded");
        if let Some(journal) = self.gate.stop_recording() {
            journal.close();
        }
        self.is_recordable = false;
    }
}

/// Returns the record that these effects leave for good, if they do.
fn lasting_record(
    effects: &Effects,
    replay: Option<Replay>,
    environment: &Environment,
    server_key: &Arc<ServerKey>,
) -> Option<ArchiveRecord> {
    let mut replay = replay;
    effects.heat_events().find_map(|event| {
        if let HeatEvent::Ended(record) = event {
            let wall = environment.calendar();
            let replay = replay.take().map(|mut replay| {
                let raced = record.duration + record.outage;
                replay.header.began = Some(UnixSeconds(wall.0.saturating_sub(raced.0) / 1_000));
                replay.sign(server_key)
            });
            let tag = u16::from_le_bytes(environment.rng.bytes());
            let finished = FinishedHeat::new(record, wall, tag, replay);
            Some(ArchiveRecord::Finished(Box::new(finished)))
        } else if let HeatEvent::Rated { number, best, result } = event {
            Some(ArchiveRecord::Rated(HeatRating::new(*number, *best, result, server_key)))
        } else {
            None
        }
    })
}
