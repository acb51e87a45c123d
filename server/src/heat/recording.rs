//! What of a heat goes to the store, and what becomes of it when that fails.

use super::gate::Gate;
use super::{Heat, State};
use crate::clock;
use crate::entropy;
use crate::kept::Kept;
use crate::outbox::Frame;
use crate::pools::Pools;
use crate::race::journal;
use crate::race::{Effect, Effects, Event};
use crate::shards::Bell;
use crate::store::{Finished, Log, StoreFault};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::replay::{Replay, UnixSeconds};
use gridrace_shared::time::Millis;
use std::collections::BTreeMap;
use std::sync::Arc;
use tracing::error;

/// Begins a heat's journal, where there is a store.
pub(super) fn begin(pools: &Pools, kept: &Kept, moved: &Arc<Bell>) -> Option<Arc<Log>> {
    let store = pools.store.as_ref()?;
    match store.begin(kept.race.code(), kept, Arc::clone(moved)) {
        Ok(log) => Some(log),
        Err(fault) => {
            error!(heat = %kept.race.code(), %fault, "a heat can't be recorded");
            None
        }
    }
}

impl Heat {
    /// Notes that the server's command line opened the heat, and what it said of it.
    pub(crate) fn stands(&self, standing: String) {
        if let Some(log) = self.state().gate.log() {
            log.stands(standing);
        }
    }

    /// Takes note that nothing is recorded any more, and lets everything go on.
    pub(crate) fn is_unrecorded(self: &Arc<Self>) {
        self.within(|state| {
            state.check_log();
            self.let_out(state);
        });
    }

    /// Lets nothing happen any more: what has happened is for the next server.
    pub(crate) fn freeze(&self) {
        self.state().frozen = true;
        self.moved.ring();
    }

    /// Does what may be done by now, and says whether the heat is still open.
    pub(super) fn wake(self: &Arc<Self>) -> bool {
        let open = self.within(|state| {
            state.shorten();
            self.let_out(state);
            !state.closed
        });
        open.unwrap_or(false)
    }

    /// Ticks, and loses patience with a disk that doesn't answer.
    pub(super) fn is_due(self: &Arc<Self>) {
        self.within(|state| {
            let patience = state.gate.patience();
            let now = self.clock.now();
            if patience.is_some_and(|patience| patience <= now)
                && let Some(log) = state.gate.log()
            {
                log.gives_up(&StoreFault::Stalled);
            }
            self.happen(state, Event::Tick);
            self.let_out(state);
        });
    }
}

impl State {
    pub(super) fn new(kept: Kept, log: Option<Arc<Log>>) -> Self {
        let mut gate = Gate::default();
        if let Some(log) = log {
            gate.record(log);
        }
        Self {
            checkpointed: kept.race.number(),
            kept,
            members: BTreeMap::new(),
            gate,
            unrecorded: None,
            closed: false,
            frozen: false,
        }
    }

    /// Says whether there is room for a move on its way to the disk.
    pub(super) fn has_room(&self) -> bool {
        self.gate.log().is_none_or(|log| log.has_room())
    }

    /// Writes down what is about to happen.
    pub(super) fn write(&mut self, now: Millis, event: &Event) {
        self.check_log();
        let Some(log) = self.gate.log() else {
            return;
        };
        match log.append(now, event) {
            Ok(ticket) => self.gate.wait_for(ticket),
            Err(fault) => self.fail(&fault),
        }
    }

    /// Writes down the result, where these effects bring one.
    pub(super) fn write_result(&mut self, effects: &Effects, replay: Option<Replay>) {
        if !effects.0.contains(&Effect::Ended) {
            return;
        }
        let Some(log) = self.gate.log() else {
            return;
        };
        let (wall, race) = (clock::wall(), &self.kept.race);
        let replay = replay.map(|mut replay| {
            let raced = replay.outcome.ended + race.outage();
            replay.about.began = Some(UnixSeconds(wall.since(raced).0 / 1_000));
            replay.encode()
        });
        if let Some(finished) = Finished::of(race, wall, entropy::tag(), replay) {
            let ticket = log.finish(finished);
            self.gate.wait_for(ticket);
        }
    }

    /// Begins the journal anew after a rematch, and whenever it has become long. The store
    /// notes the time as long as the heat has a deadline.
    pub(super) fn shorten(&mut self) {
        let Some(log) = self.gate.log() else {
            return;
        };
        log.runs(self.kept.race.deadline().is_some());
        let number = self.kept.race.number();
        if number == self.checkpointed && !log.wants_checkpoint() {
            return;
        }
        match journal::checkpoint(&self.kept) {
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

    /// Tells whoever is the host that nothing is recorded, once.
    pub(super) fn tell_host(&mut self) {
        let Some(told) = self.unrecorded else {
            return;
        };
        let host = self.kept.race.host();
        if told != host
            && let Some(link) = host.and_then(|host| self.members.get(&host))
        {
            link.outbox.push(Frame::new(ServerMessage::Unrecorded));
            self.unrecorded = Some(host);
        }
    }

    /// Lets go of a journal that isn't kept any more.
    fn check_log(&mut self) {
        if self.gate.log().is_some_and(|log| log.is_given_up()) {
            self.gate.open();
            self.unrecorded.get_or_insert(None);
        }
    }

    /// Goes on without a journal: what can't be written can't be read, either.
    fn fail(&mut self, fault: &journal::JournalFault) {
        error!(heat = %self.kept.race.code(), %fault, "a heat isn't recorded any more");
        if let Some(log) = self.gate.open() {
            log.close();
        }
        self.unrecorded.get_or_insert(None);
    }
}
