//! A heat: one race behind a short lock, with the outboxes of its members.

mod broadcast;
mod commit_gate;
mod effects;
pub(crate) mod house_bot;
mod journaling;
mod membership;
pub(crate) mod outbox;
mod panic_guard;
mod pin_throttle;
pub(crate) mod reaper_queue;
pub(crate) mod services;
#[cfg(test)]
mod tests;

use crate::platform::clock::Clock;
use crate::platform::shards::{Bell, Home};
use crate::race::persisted::PersistedRoom;
use crate::race::{Effects, Event, Race, RaceConfig};
use crate::room::outbox::{Ending, Outbox};
use crate::room::reaper_queue::ReaperQueue;
use crate::room::services::Services;
use crate::store::{Recovered, Store};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::options::OptionsError;
use gridrace_shared::protocol::server::{Rejection, ServerMessage};
use gridrace_shared::protocol::snapshot::HeatSummary;
use gridrace_shared::util::time::{Millis, ServerInstant};
use journaling::Recorded;
use pin_throttle::PinThrottle;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};
use tracing::trace;

use commit_gate::{CommitGate, OutputSeq, PendingOutput};
pub use membership::{JoinError, ResumeError};

/// One group's heats. Its events are stamped as they take the lock, and no lock lives
/// across an await.
#[derive(Debug)]
pub struct Room {
    code: RoomCode,
    clock: Clock,
    /// The instant of the server's clock at which the heat's own time began.
    epoch: ServerInstant,
    services: Services,
    reaper_queue: Arc<ReaperQueue>,
    state: Mutex<State>,
    /// The deadline moved, more is on the disk, or the heat closed.
    moved: Arc<Bell>,
    pin_throttle: PinThrottle,
    /// Whether the next event breaks it, as a mistake in the race would.
    #[cfg(test)]
    pub breaks: std::sync::atomic::AtomicBool,
}

struct State {
    persisted: PersistedRoom,
    members: BTreeMap<PlayerId, Link>,
    gate: CommitGate,
    /// The entry of what happens.
    entry: Vec<u8>,
    recorded: Recorded,
    /// The host who was told last whether the heat is recorded, and what.
    told: Option<(PlayerId, bool)>,
    /// Whether a host was ever told that the heat isn't recorded: since then only a journal that
    /// has reached the disk counts.
    was_unrecorded: bool,
    /// Who the host is, and what must have been done until everybody knows.
    host: (Option<PlayerId>, OutputSeq),
    /// Which heat of the group the latest checkpoint knows.
    checkpointed: u32,
    /// When standings last woke their readers.
    shown: ServerInstant,
    closed: bool,
    /// The server shuts down: whatever comes now is for the next one.
    frozen: bool,
}

/// The way to a member.
struct Link {
    outbox: Arc<Outbox>,
    /// A bot of the server's: it ends with its membership. A connection may join again.
    house: bool,
    /// Whatever was done before is not for them.
    since: OutputSeq,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("members", &self.members.len()).finish_non_exhaustive()
    }
}

impl Room {
    /// Opens a heat in its lobby, and starts the task that keeps its deadlines.
    ///
    /// # Errors
    /// The first option that lies outside its bounds.
    pub fn open(
        clock: Clock,
        services: Services,
        reaper_queue: Arc<ReaperQueue>,
        config: impl FnOnce(ServerInstant) -> RaceConfig,
    ) -> Result<Arc<Self>, OptionsError> {
        let config = config(clock.now());
        let persisted = PersistedRoom::new(Race::new(config)?);
        let moved = Bell::new(services.shards.home());
        let state = State::begin(persisted, services.store.as_deref(), &moved);
        Ok(Self::start(clock, services, reaper_queue, state, moved))
    }

    /// Goes on with a heat of a server that is no more, which was away for so long.
    pub(crate) fn recover(
        clock: Clock,
        services: Services,
        reaper_queue: Arc<ReaperQueue>,
        store: &Store,
        found: Recovered,
        away: Millis,
    ) -> Arc<Self> {
        let moved = Bell::new(services.shards.home());
        let log = store.go_on(&found, Arc::clone(&moved));
        let state = State::recover(found.persisted, log);
        let heat = Self::start(clock, services, reaper_queue, state, moved);
        heat.apply(Event::Recovered { away });
        heat
    }

    fn start(
        clock: Clock,
        services: Services,
        reaper_queue: Arc<ReaperQueue>,
        state: State,
        moved: Arc<Bell>,
    ) -> Arc<Self> {
        let heat = Arc::new(Self {
            code: state.persisted.race.code(),
            clock,
            epoch: state.persisted.race.epoch(),
            services,
            reaper_queue,
            state: Mutex::new(state),
            moved,
            pin_throttle: PinThrottle::new(clock.now()),
            #[cfg(test)]
            breaks: std::sync::atomic::AtomicBool::default(),
        });
        let task = keep_deadlines(Arc::downgrade(&heat), clock, Arc::clone(&heat.moved));
        heat.home().spawn(task);
        heat
    }

    /// Returns where the heat's task runs, and its members' connections are to.
    #[must_use]
    pub(crate) fn home(&self) -> &Home {
        self.moved.home()
    }

    /// Returns the code by which the heat is joined.
    #[must_use]
    pub const fn code(&self) -> RoomCode {
        self.code
    }

    /// Lets an event happen now.
    pub fn apply(self: &Arc<Self>, event: Event) {
        self.with_state(|state| self.apply_to(state, event));
    }

    /// Lets an event of a member's happen now, and says whether it is one: a newer connection
    /// may have the seat.
    pub fn apply_as(
        self: &Arc<Self>,
        id: PlayerId,
        outbox: &Arc<Outbox>,
        event: impl FnOnce(&mut PersistedRoom) -> Event,
    ) -> bool {
        let applied = self.with_state(|state| {
            let stands = state.is_linked(id, outbox);
            if stands {
                let event = event(&mut state.persisted);
                self.apply_to(state, event);
            }
            stands
        });
        // Where the heat broke, the outbox says so.
        applied.unwrap_or(true)
    }

    /// Says whether somebody is here, on this connection.
    #[must_use]
    pub fn has_member(&self, id: PlayerId, outbox: &Arc<Outbox>) -> bool {
        self.state().is_linked(id, outbox)
    }

    /// Counts everybody who is here, the server's bots included.
    #[must_use]
    pub fn members(&self) -> usize {
        let state = self.state();
        if state.closed {
            return 0;
        }
        state.persisted.race.here()
    }

    /// Says whether somebody may still want to know what the board of a heat needs.
    #[must_use]
    pub fn awaits_rating(&self, number: u32) -> bool {
        let state = self.state();
        !state.closed && state.persisted.race.awaits_rating(number)
    }

    /// Returns the heat's line in the server's list; nothing for a private one.
    #[must_use]
    pub fn summary(&self) -> Option<HeatSummary> {
        let state = self.state();
        (!state.persisted.race.is_private() && !state.closed)
            .then(|| state.persisted.race.summary())
    }

    /// Says whether a seat waits for a key's owner, and whether that is the host.
    #[must_use]
    pub fn waits_for(&self, identity: Fingerprint) -> Option<bool> {
        let state = self.state();
        let open = (!state.closed).then_some(&state.persisted.race)?;
        open.waits_for(identity)
    }

    /// Says whether a drawing is still waited for.
    #[must_use]
    pub fn awaits_drawing(&self, ticket: u32) -> bool {
        let state = self.state();
        !state.closed && state.persisted.race.awaits(ticket)
    }

    /// Closes the heat if nobody from outside is here, and says whether it is closed.
    pub fn close_if_empty(&self) -> bool {
        let closed = self.with_state(|state| {
            if !state.closed && state.persisted.race.is_deserted() && !state.frozen {
                state.close(Ending::Released);
                self.moved.ring();
            }
            state.closed
        });
        closed.unwrap_or(true)
    }

    /// Closes the heat, whoever is here. One that is frozen stays in the store.
    pub fn close(&self) {
        self.state().close(Ending::Released);
        self.moved.ring();
    }

    /// Returns the phase's name.
    #[must_use]
    pub fn phase_name(&self) -> &'static str {
        self.state().persisted.race.phase_name()
    }

    /// Panics under the lock, as a mistake in the race would.
    #[cfg(test)]
    pub fn panic_for_test(&self) {
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _state = self.state();
            panic!("the race broke, as the test wants it");
        }));
        assert!(broken.is_err());
    }

    fn apply_to(self: &Arc<Self>, state: &mut State, event: Event) {
        self.apply_at(state, self.now(), event);
    }

    fn apply_at(self: &Arc<Self>, state: &mut State, now: Millis, event: Event) {
        if state.closed || state.frozen {
            return;
        }
        if let Event::Move { by, seq, play } = &event {
            trace!(heat = %self.code, player = %by, %seq, ?play, "move");
            if !state.has_room() {
                let (seq, why) = (*seq, Rejection::Busy);
                let busy = ServerMessage::Rejected { seq, why };
                self.services.metrics.judge(&busy, false);
                return self.defer_until_committed(state, PendingOutput::Say(*by, Box::new(busy)));
            }
        }
        let before = state.persisted.race.deadline();
        let was_deserted = state.persisted.race.is_deserted();
        self.renew_journal(state);
        state.encode_entry(now, &event);
        let leaves = if let Event::Leave { by } = &event { Some(*by) } else { None };
        let repeats = state.repeats(&event);
        let (effects, replay) = state.persisted.apply(now, event);
        self.judge(&effects, repeats);
        #[cfg(test)]
        assert!(
            !self.breaks.load(std::sync::atomic::Ordering::Relaxed),
            "the race broke, as the test wants it"
        );
        // Whoever leaves may be in another heat before this event is on the disk.
        if let Some(member) = leaves {
            state.members.remove(&member);
        }
        state.write(&effects, replay);
        state.checkpoint_if_due();
        self.defer_until_committed(state, PendingOutput::Effects(effects));
        if state.persisted.race.deadline() != before {
            self.moved.ring();
        }
        if state.persisted.race.is_deserted() && !was_deserted {
            self.reaper_queue.push(self.code);
        }
    }

    /// Does something as soon as what led to it is on the disk; at once where nothing is
    /// recorded.
    fn defer_until_committed(self: &Arc<Self>, state: &mut State, output: PendingOutput) {
        state.gate.hold(output, self.clock.now());
        self.release_committed(state);
    }

    /// Does what may be done by now.
    fn release_committed(self: &Arc<Self>, state: &mut State) {
        state.discard_uncommitted();
        while let Some((order, output)) = state.gate.next() {
            match output {
                PendingOutput::Effects(Effects(effects)) => {
                    for effect in effects {
                        self.execute(state, order, effect);
                    }
                }
                PendingOutput::Say(to, message) => state.send(order, to, *message),
            }
        }
        state.notify_host(self.services.store.is_some());
    }

    /// Returns the instant that it is on the heat's clock.
    fn now(&self) -> Millis {
        Millis(self.clock.now().0.saturating_sub(self.epoch.0) / 1_000)
    }

    /// Returns the instant of the server's clock at which the next tick is due, or patience
    /// with the disk is at its end.
    fn deadline(&self) -> Option<ServerInstant> {
        let state = self.state();
        let deadline = state.persisted.race.deadline().map(|deadline| {
            let since = deadline.0.saturating_mul(1_000);
            ServerInstant(self.epoch.0.saturating_add(since))
        });
        let patience = state.gate.patience();
        deadline.filter(|_| !state.frozen).into_iter().chain(patience).min()
    }
}

/// Sends the ticks that the race asks for, and does what the disk was waited for, until the
/// heat is closed or gone.
async fn keep_deadlines(heat: Weak<Room>, clock: Clock, moved: Arc<Bell>) {
    loop {
        let deadline = {
            let Some(here) = heat.upgrade() else { return };
            if !here.wake() {
                return;
            }
            here.deadline()
        };
        match deadline {
            Some(at) => {
                let tick = tokio::time::timeout_at(clock.timer(at), moved.rung()).await;
                if tick.is_err()
                    && let Some(here) = heat.upgrade()
                {
                    here.is_due();
                }
            }
            None => moved.rung().await,
        }
    }
}
