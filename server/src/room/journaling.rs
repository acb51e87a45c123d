//! What of a heat goes to the store, and what becomes of it when that fails.

use super::{Room, State};
use crate::platform::clock;
use crate::platform::rng;
use crate::platform::shards::Bell;
use crate::race::journal;
use crate::race::persisted::PersistedRoom;
use crate::race::{Effect, Effects, Event};
use crate::room::commit_gate::{CommitGate, OutputSeq};
use crate::room::outbox::Frame;
use crate::store::{Finished, Lasting, Log, Rated, Store, StoreError, Ticket};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::replay::{Replay, UnixSeconds};
use gridrace_shared::util::time::{Millis, ServerInstant};
use std::collections::BTreeMap;
use std::sync::Arc;
use tracing::error;

/// Bytes that a heat sets aside for its next entry: more than any has but a solver's answers.
const ENTRY_KEPT: usize = 256;

/// Whether a heat is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recorded {
    /// Wherever there is a store that can.
    Willing,
    /// No more: it can't be written.
    Unwritable,
}

/// Begins a heat's journal, and says up to where it goes; `again` after one was lost.
fn begin(
    store: &Store,
    persisted: &PersistedRoom,
    moved: &Arc<Bell>,
    again: bool,
) -> Result<(Arc<Log>, Ticket), Recorded> {
    let code = persisted.race.code();
    let begun = store.begin(code, persisted, Arc::clone(moved), again);
    begun.map_err(|fault| {
        error!(heat = %code, %fault, "a heat can't be recorded");
        Recorded::Unwritable
    })
}

impl Room {
    /// Notes that the server's command line opened the heat, and what it said of it.
    pub(crate) fn persist_standing_key(&self, standing: String) {
        if let Some(log) = self.state().gate.log() {
            log.stands(standing);
        }
    }

    /// Takes note that nothing is recorded any more, and lets everything go on; or that the
    /// store records again, and begins another journal.
    pub(crate) fn on_store_state_changed(self: &Arc<Self>) {
        self.with_state(|state| {
            self.renew_journal(state);
            self.release_committed(state);
        });
    }

    /// Lets go of a journal that is lost, and begins another one as soon as the store records.
    pub(super) fn renew_journal(&self, state: &mut State) {
        let Some(store) = &self.services.store else {
            return;
        };
        state.discard_uncommitted();
        if state.gate.log().is_some_and(|log| log.is_given_up()) {
            state.gate.open();
        }
        if state.gate.log().is_some()
            || state.recorded == Recorded::Unwritable
            || state.closed
            || state.frozen
            || !store.records()
        {
            return;
        }
        match begin(store, &state.persisted, &self.moved, true) {
            Ok((log, from)) => {
                state.gate.record(log, from);
                state.checkpointed = state.persisted.race.number();
            }
            Err(recorded) => state.recorded = recorded,
        }
    }

    /// Lets nothing happen any more: what has happened is for the next server.
    pub(crate) fn freeze(&self) {
        self.state().frozen = true;
        self.moved.ring();
    }

    /// Does what may be done by now, and says whether the heat is still open.
    pub(super) fn wake(self: &Arc<Self>) -> bool {
        let open = self.with_state(|state| {
            state.checkpoint_if_due();
            self.release_committed(state);
            !state.closed
        });
        open.unwrap_or(false)
    }

    /// Ticks, and loses patience with a disk that doesn't answer.
    pub(super) fn is_due(self: &Arc<Self>) {
        self.with_state(|state| {
            let patience = state.gate.patience();
            let now = self.clock.now();
            if patience.is_some_and(|patience| patience <= now)
                && let Some(log) = state.gate.log()
            {
                log.gives_up(&StoreError::Stalled);
            }
            self.apply_to(state, Event::Tick);
            self.release_committed(state);
        });
    }
}

impl State {
    /// Begins with a journal, where there is a store.
    pub(super) fn begin(
        persisted: PersistedRoom,
        store: Option<&Store>,
        moved: &Arc<Bell>,
    ) -> Self {
        let mut state = Self::unrecorded(persisted);
        if let Some(store) = store {
            match begin(store, &state.persisted, moved, false) {
                Ok((log, from)) => state.gate.record(log, from),
                Err(recorded) => state.recorded = recorded,
            }
        }
        state
    }

    /// Goes on with a journal that was found.
    pub(super) fn recover(persisted: PersistedRoom, log: Arc<Log>) -> Self {
        let mut state = Self::unrecorded(persisted);
        state.gate.record(log, Ticket::default());
        state
    }

    fn unrecorded(persisted: PersistedRoom) -> Self {
        Self {
            checkpointed: persisted.race.number(),
            shown: ServerInstant::default(),
            persisted,
            members: BTreeMap::new(),
            gate: CommitGate::default(),
            entry: Vec::new(),
            recorded: Recorded::Willing,
            told: None,
            was_unrecorded: false,
            host: (None, OutputSeq::default()),
            closed: false,
            frozen: false,
        }
    }

    /// Says whether there is room for a move on its way to the disk.
    pub(super) fn has_room(&self) -> bool {
        self.gate.log().is_none_or(|log| log.has_room())
    }

    /// Makes the entry of what is about to happen.
    pub(super) fn encode_entry(&mut self, now: Millis, event: &Event) {
        self.entry.clear();
        self.entry.shrink_to(ENTRY_KEPT);
        if self.gate.log().is_some()
            && let Err(fault) = journal::append(&mut self.entry, now, event)
        {
            self.fail(&fault);
        }
    }

    /// Writes the entry down, once it has happened, together with what it leaves for good: a
    /// crash takes both, or neither.
    pub(super) fn write(&mut self, effects: &Effects, replay: Option<Replay>) {
        let Some(log) = self.gate.log() else {
            return;
        };
        let leaves = self.leaves(effects, replay);
        let ticket = log.append(&self.entry, leaves);
        self.gate.wait_for(ticket);
    }

    /// Returns what the heat leaves for good, where these effects say that it does.
    fn leaves(&self, effects: &Effects, replay: Option<Replay>) -> Option<Lasting> {
        let race = &self.persisted.race;
        if effects.0.iter().any(is_rating) {
            return Rated::of(race).map(Lasting::Rated);
        }
        if !effects.0.contains(&Effect::Ended) {
            return None;
        }
        let wall = clock::wall();
        let replay = replay.map(|mut replay| {
            let raced = replay.outcome.ended + race.outage();
            replay.about.began = Some(UnixSeconds(wall.since(raced).0 / 1_000));
            replay.encode()
        });
        let finished = Finished::of(race, wall, rng::tag(), replay)?;
        Some(Lasting::Finished(Box::new(finished)))
    }

    /// Begins the journal anew after a rematch, and whenever it has become long. The store
    /// notes the time as long as the heat has a deadline.
    pub(super) fn checkpoint_if_due(&mut self) {
        let Some(log) = self.gate.log() else {
            return;
        };
        log.runs(self.persisted.race.deadline().is_some());
        let number = self.persisted.race.number();
        if number == self.checkpointed && !log.wants_checkpoint() {
            return;
        }
        match journal::checkpoint(&self.persisted) {
            Ok(checkpoint) => {
                let ticket = log.checkpoint(checkpoint);
                self.gate.wait_for(ticket);
                self.checkpointed = number;
            }
            Err(fault) => self.fail(&fault),
        }
    }

    /// Ends the journal with the heat. What a server leaves that shuts down is for the next.
    pub(super) fn end_recording(&mut self) {
        if let Some(log) = self.gate.open()
            && !self.frozen
        {
            log.close();
        }
    }

    /// Says nothing more of what waits for a disk that fails while the server shuts down: the
    /// next one goes on from what is on the disk, and doesn't know of it.
    pub(super) fn discard_uncommitted(&mut self) {
        if self.frozen && self.gate.log().is_some_and(|log| log.is_given_up()) {
            self.gate.forget();
        }
    }

    /// Tells whoever is the host, once, that the heat isn't recorded, and that it is again.
    pub(super) fn notify_host(&mut self, has_store: bool) {
        let records = match self.gate.log() {
            Some(log) => log.has_begun() || !self.was_unrecorded,
            None => !has_store,
        };
        let host = self.persisted.race.host();
        if self.host.0 != host {
            self.host = (host, self.gate.order());
            // Whoever is the host no more forgets what it was told, and may be again.
            self.told = None;
        }
        // What makes somebody the host, or brings them back, is said first.
        let done = self.gate.done();
        if done < self.host.1 {
            return;
        }
        // Who was told nothing believes that all is well.
        let believes = self.told.is_none_or(|(who, records)| Some(who) != host || records);
        if records == believes {
            return;
        }
        if let Some(host) = host
            && let Some(link) = self.members.get(&host)
            && link.since < done
        {
            let message = if records { ServerMessage::Recorded } else { ServerMessage::Unrecorded };
            link.outbox.push(Frame::new(message));
            self.told = Some((host, records));
            self.was_unrecorded |= !records;
        }
    }

    /// Goes on without a journal: what can't be written can't be read, either.
    fn fail(&mut self, fault: &journal::JournalError) {
        error!(heat = %self.persisted.race.code(), %fault, "a heat isn't recorded any more");
        if let Some(log) = self.gate.open() {
            log.close();
        }
        self.recorded = Recorded::Unwritable;
    }
}

/// Says whether everybody is told what the board of a heat needed that is over.
fn is_rating(effect: &Effect) -> bool {
    matches!(effect, Effect::Broadcast { message: ServerMessage::Rated { .. }, .. })
}
