//! A room: a race behind a short lock, with the outboxes of its members.
//!
//! - `membership`: joining, resuming, disconnecting; `pin_throttle`: attempts at a PIN.
//! - `effects`: what the race wants done; `commit_gate`: what of it waits for the disk;
//!   `broadcast`, [`outbox`], [`frame`], `latest_standings`, `reader_wakes`: delivery to members;
//!   [`house_bot`]: members without a socket.
//! - `journaling`: the room's side of the store.
//! - `queries`: what others ask; [`services`]: what all rooms share.

mod broadcast;
pub(crate) mod commit_gate;
mod effects;
pub(crate) mod frame;
pub(crate) mod house_bot;
mod journaling;
mod latest_standings;
mod membership;
pub(crate) mod outbox;
pub(crate) mod pin_throttle;
mod queries;
mod reader_wakes;
pub(crate) mod services;
#[cfg(test)]
mod tests;

use crate::background::cpu_throttle::RunningHeat;
use crate::platform::clock::Clock;
use crate::platform::shards::{RuntimeRef, TaskWaker};
use crate::race::hint_plans::HintPlans;
use crate::race::persisted::PersistedRoom;
use crate::race::{Effect, Event, HeatSecret, Race, RaceConfig, TableEvent};
use crate::room::outbox::{Ending, Outbox};
use crate::room::services::Services;
use crate::store::{RecoveredRoom, Store};
use commit_gate::{CommitGate, OutputSeq};
use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat::options::{HeatOptions, OptionsError};
use gridrace_shared::protocol::server::Farewell;
use gridrace_shared::puzzle::{Move, MoveBounds, PuzzleSpec};
use gridrace_shared::tournament::ids::ResultKey;
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant};
use latest_standings::LatestStandings;
use pin_throttle::PinThrottle;
use reader_wakes::ReaderWakes;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use tracing::{error, trace};

pub use membership::{JoinError, ResumeError};

/// A group that races one heat after another. Events are stamped as they take the lock, and no
/// lock lives across an await.
#[derive(Debug)]
pub struct Room {
    code: RoomCode,
    /// The instant of the server's clock at which the room's own time begins.
    epoch: ServerInstant,
    services: Services,
    state: Mutex<RoomState>,
    /// Wakes the room's task: the deadline moved, a commit is durable, or the room closed.
    waker: Arc<TaskWaker>,
    pin_throttle: PinThrottle,
    /// Whether the next event panics, as a mistake in the race would.
    #[cfg(test)]
    pub panics: std::sync::atomic::AtomicBool,
}

struct RoomState {
    persisted: PersistedRoom,
    subscribers: BTreeMap<PlayerId, Subscriber>,
    gate: CommitGate<Vec<Effect>>,
    entry: Vec<u8>,
    /// Whether the room is recorded as soon as a store records: its state could be encoded so far.
    is_recordable: bool,
    hint_plans: HintPlans,
    /// The board's request, and how many requests were ahead of it when the members were told.
    board_place: Option<(u32, u32)>,
    /// Throttles background work while the heat runs.
    running: Option<RunningHeat>,
    /// The host as far as the members know.
    released_host: Option<PlayerId>,
    /// The host who was told that the disk is slow.
    told_slow: Option<PlayerId>,
    /// The number of the heat in the latest checkpoint.
    checkpointed: u32,
    latest_standings: Arc<LatestStandings>,
    /// The standings as spectators see them.
    delayed_standings: Arc<LatestStandings>,
    readers: ReaderWakes,
    closed: bool,
    /// The server shuts down: later events are for the next one.
    frozen: bool,
}

struct Subscriber {
    outbox: Arc<Outbox>,
    /// The outbox of a house bot ends with its membership; a connection may join another room.
    is_house_bot: bool,
    /// The first output that the member gets.
    since: OutputSeq,
    /// The last move, if it was shed. Those behind it would leave a gap until it is sent again.
    shed_move: Option<Seq>,
    /// Whether the outbox has the room's snapshot: until then its roster and standings are those of
    /// another room, which the client has joined after this one refused it.
    has_entered: bool,
}

impl Subscriber {
    fn new(outbox: Arc<Outbox>, is_house_bot: bool, since: OutputSeq) -> Self {
        Self { outbox, is_house_bot, since, shed_move: None, has_entered: false }
    }
}

impl std::fmt::Debug for RoomState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RoomState")
            .field("subscribers", &self.subscribers.len())
            .finish_non_exhaustive()
    }
}

impl RoomState {
    fn unrecorded(persisted: PersistedRoom) -> Self {
        Self {
            released_host: None,
            told_slow: None,
            checkpointed: persisted.race.number(),
            latest_standings: Arc::default(),
            delayed_standings: Arc::default(),
            readers: ReaderWakes::default(),
            persisted,
            subscribers: BTreeMap::new(),
            gate: CommitGate::default(),
            entry: Vec::new(),
            is_recordable: true,
            hint_plans: HintPlans::default(),
            board_place: None,
            running: None,
            closed: false,
            frozen: false,
        }
    }

    /// Returns the address of the host's client, which the room's boards are charged to.
    fn host_address(&self) -> Option<IpAddr> {
        let host = self.subscribers.get(&self.persisted.race.host()?)?;
        host.outbox.from
    }

    /// Returns whether a move is behind one that was shed on the same connection and hasn't been
    /// sent again.
    fn follows_shed_move(&mut self, by: PlayerId, seq: Seq) -> bool {
        self.subscribers.get_mut(&by).is_some_and(|subscriber| {
            subscriber.shed_move.take_if(|shed| seq <= *shed);
            subscriber.shed_move.is_some()
        })
    }
}

impl Room {
    /// Opens a room in its lobby, and starts its task.
    pub fn open(
        services: Services,
        config: impl FnOnce(ServerInstant) -> RaceConfig,
    ) -> Result<Arc<Self>, OptionsError> {
        // Whole milliseconds, so that an instant of the server's clock is the same in all rooms.
        let epoch = ServerInstant(services.clock.now().0 / 1_000 * 1_000);
        let config = config(epoch);
        let persisted = PersistedRoom::new(Race::new(config)?);
        let waker = TaskWaker::new(services.shards.assign());
        let state = RoomState::open(persisted, services.store.as_deref(), &waker);
        Ok(Self::start(services, state, waker))
    }

    /// Continues a room of an earlier server; `away` is for how long no server ran.
    pub(crate) fn recover(
        services: Services,
        store: &Store,
        recovered: RecoveredRoom,
        away: Millis,
    ) -> Arc<Self> {
        let waker = TaskWaker::new(services.shards.assign());
        let journal = store.resume(&recovered, Arc::clone(&waker));
        let state = RoomState::recover(recovered.persisted, journal);
        let room = Self::start(services, state, waker);
        room.apply(Event::Recovered { away });
        room
    }

    fn start(services: Services, state: RoomState, waker: Arc<TaskWaker>) -> Arc<Self> {
        let clock = services.clock;
        let room = Arc::new(Self {
            code: state.persisted.race.code(),
            epoch: state.persisted.race.epoch(),
            services,
            state: Mutex::new(state),
            waker,
            pin_throttle: PinThrottle::new(clock.now()),
            #[cfg(test)]
            panics: std::sync::atomic::AtomicBool::default(),
        });
        let task = run_timers(Arc::downgrade(&room), clock, Arc::clone(&room.waker));
        room.runtime().spawn(task);
        room
    }

    /// Returns the runtime of the room's task, where its members' connections are served, too.
    pub(crate) fn runtime(&self) -> &RuntimeRef {
        self.waker.runtime()
    }

    /// Returns whether this waker is the one of the room's task, which no other room has.
    pub(crate) fn has_waker(&self, waker: &Arc<TaskWaker>) -> bool {
        Arc::ptr_eq(&self.waker, waker)
    }

    pub const fn code(&self) -> RoomCode {
        self.code
    }

    pub fn apply(self: &Arc<Self>, event: Event) {
        self.with_state(|state| self.apply_at(state, self.now(), event));
    }

    /// Applies a member's event, and returns whether the outbox is that member's: a newer
    /// connection may have the seat.
    pub fn apply_as(
        self: &Arc<Self>,
        id: PlayerId,
        outbox: &Arc<Outbox>,
        event: impl FnOnce(&mut PersistedRoom) -> Event,
    ) -> bool {
        self.with_member(id, outbox, |state| {
            let event = event(&mut state.persisted);
            self.apply_at(state, self.now(), event);
        })
    }

    /// Returns to the lobby for a member, with a new secret. Returns as [`Self::apply_as`].
    pub fn rematch_as(self: &Arc<Self>, id: PlayerId, outbox: &Arc<Outbox>) -> bool {
        self.with_member(id, outbox, |state| {
            let now = self.now();
            // An end that is due is its own event: its replay has the instant of the end.
            self.apply_at(state, now, Event::Tick);
            let race = &state.persisted.race;
            let is_used = race.takes_secret_of_rematch(id);
            let secret = self.draw_secret_if(is_used, *race.spec(), None, outbox);
            self.apply_at(state, now, Event::Rematch { by: Some(id), secret });
        })
    }

    /// Sets the options for the host. Returns as [`Self::apply_as`].
    pub fn set_options_as(
        self: &Arc<Self>,
        id: PlayerId,
        outbox: &Arc<Outbox>,
        options: HeatOptions,
        seed: Option<Seed>,
    ) -> bool {
        self.apply_as(id, outbox, |persisted| {
            let is_used = persisted.race.check_options(id, &options).is_ok();
            let secret = self.draw_secret_if(is_used, options.spec, seed, outbox);
            Event::Options { by: id, options, secret }
        })
    }

    /// Draws a secret, whose board may be drawn already if the race takes the secret: others must
    /// not use up such boards.
    fn draw_secret_if(
        &self,
        is_used: bool,
        spec: PuzzleSpec,
        seed: Option<Seed>,
        outbox: &Outbox,
    ) -> HeatSecret {
        if is_used {
            self.services.draw_secret(&spec, seed, outbox.from)
        } else {
            self.services.environment.rng.secret(seed).into()
        }
    }

    /// Plays a member's move, or rejects it if the server is overloaded. Moves behind a rejected
    /// one are ignored until that is sent again. Returns as [`Self::apply_as`].
    pub fn play_as(
        self: &Arc<Self>,
        id: PlayerId,
        outbox: &Arc<Outbox>,
        (seq, play): (Seq, Move),
        overloaded: bool,
    ) -> bool {
        self.with_member(id, outbox, |state| {
            if state.follows_shed_move(id, seq) {
                return;
            }
            if overloaded {
                self.shed_move(state, id, seq);
            } else {
                self.apply_at(state, self.now(), Event::Move { by: id, seq, play });
            }
        })
    }

    /// Runs under the lock if the outbox is that member's, and returns whether it is.
    fn with_member(
        &self,
        id: PlayerId,
        outbox: &Arc<Outbox>,
        run: impl FnOnce(&mut RoomState),
    ) -> bool {
        let subscribed = self.with_state(|state| {
            let subscribed = state.is_subscribed(id, outbox);
            if subscribed {
                run(state);
            }
            subscribed
        });
        // After a panic the outbox says why it ends.
        subscribed.unwrap_or(true)
    }

    /// Applies what the tournament decides of its table. The start of a board ends another one that
    /// runs.
    pub fn apply_table(self: &Arc<Self>, event: TableEvent) {
        self.with_state(|state| {
            let now = self.now();
            // An end is an event of its own: its replay has the instant of the end.
            self.apply_at(state, now, Event::Tick);
            if let TableEvent::Start(start) = &event
                && state.persisted.race.runs_other_than(start.board)
            {
                self.apply_at(state, now, Event::Table(TableEvent::End));
            }
            self.apply_at(state, now, Event::Table(event));
        });
    }

    /// Takes the rating of a table's board, unless another one is raced by now.
    pub fn rate_table(self: &Arc<Self>, board: ResultKey, best: MoveBounds) {
        let number = self.query(|race| race.number_of(board)).flatten();
        if let Some(number) = number {
            self.rate(number, best);
        }
    }

    /// Takes the rating of a heat's board.
    fn rate(self: &Arc<Self>, number: u32, best: MoveBounds) {
        self.with_state(|state| {
            let now = self.now();
            // An end that is due is its own event: the store takes one record of an event.
            self.apply_at(state, now, Event::Tick);
            self.apply_at(state, now, Event::Rated { number, best });
        });
    }

    /// Closes the room if no client is present or may come back, and returns whether it is
    /// closed.
    pub fn close_if_empty(&self) -> bool {
        let closed = self.with_state(|state| {
            // The members of a table are told first that it is closed.
            let is_telling = state.persisted.race.is_table() && !state.gate.is_empty();
            if !state.closed && !is_telling && state.persisted.race.is_deserted() && !state.frozen {
                state.close(Ending::Released);
                self.waker.wake();
            }
            state.closed
        });
        closed.unwrap_or(true)
    }

    /// Closes the room with all who are in it. A frozen one stays in the store.
    pub fn close(&self) {
        self.state().close(Ending::Released);
        self.waker.wake();
    }

    /// Panics under the lock, as a mistake in the race would.
    #[cfg(test)]
    pub fn panic_for_test(&self) {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _state = self.state();
            panic!("the race panics, as the test wants it");
        }));
        assert!(panicked.is_err());
    }

    /// Applies an event, after telling the race whether it is recorded.
    fn apply_at(self: &Arc<Self>, state: &mut RoomState, now: HeatInstant, event: Event) {
        if state.closed || state.frozen {
            return;
        }
        if let Event::Move { by, seq, play } = &event {
            trace!(room = %self.code, player = %by, %seq, ?play, "move");
            if !state.has_capacity() {
                return self.shed_move(state, *by, *seq);
            }
        }
        self.sync_recording(state, now);
        self.transition(state, now, event);
        if !state.is_recordable {
            self.sync_recording(state, now);
        }
    }

    fn shed_move(self: &Arc<Self>, state: &mut RoomState, by: PlayerId, seq: Seq) {
        if !state.closed && !state.frozen {
            if let Some(subscriber) = state.subscribers.get_mut(&by) {
                subscriber.shed_move = Some(seq);
            }
            self.execute(state, Race::shed_move(by, seq));
        }
    }

    /// Journals an event, applies it and executes its effects.
    fn transition(self: &Arc<Self>, state: &mut RoomState, now: HeatInstant, event: Event) {
        let deadline = state.persisted.race.deadline();
        let was_deserted = state.persisted.race.is_deserted();
        let is_journalled =
            !matches!(event, Event::Tick) || state.persisted.race.is_tick_lasting(now);
        if is_journalled {
            state.encode_entry(now, &event);
        }
        let leaves = if let Event::Leave { by } = &event { Some(*by) } else { None };
        let (effects, recorded) = state.persisted.apply(now, event);
        for error in &recorded.errors {
            error!(room = %self.code, %error, "replay incomplete");
        }
        #[cfg(test)]
        assert!(
            !self.panics.load(std::sync::atomic::Ordering::Relaxed),
            "the race panics, as the test wants it"
        );
        // A client that leaves may join another room before this event is durable.
        if let Some(subscriber) = leaves.and_then(|member| state.subscribers.remove(&member)) {
            subscriber.leave();
        }
        if is_journalled {
            state.append_entry(&effects, recorded.replay, &self.services);
        }
        state.checkpoint_if_due();
        if state.persisted.race.is_running() != state.running.is_some() {
            let starts = state.running.is_none();
            state.running = starts.then(|| self.services.throttle.start_heat());
        }
        self.execute(state, effects);
        if state.persisted.race.deadline() != deadline {
            self.waker.wake();
        }
        if state.persisted.race.is_deserted() && !was_deserted {
            self.services.reaper_queue.push(self.code, &self.waker);
        }
    }

    /// Delivers effects as soon as what led to them is durable; at once if nothing is recorded.
    fn defer_until_committed(self: &Arc<Self>, state: &mut RoomState, effects: Vec<Effect>) {
        if !effects.is_empty() {
            state.gate.push(effects);
        }
        self.release_committed(state);
    }

    fn release_committed(&self, state: &mut RoomState) {
        state.discard_uncommitted();
        while let Some((seq, effects)) = state.gate.pop_committed() {
            for effect in effects {
                self.deliver(state, seq, effect);
            }
        }
        if state.gate.is_empty() {
            let host = state.persisted.race.host();
            state.told_slow = state.told_slow.filter(|_| host == state.released_host);
            state.released_host = host;
            if !state.closed
                && state.persisted.race.is_table()
                && state.persisted.race.is_deserted()
            {
                self.services.reaper_queue.push(self.code, &self.waker);
            }
        }
        self.wake_readers(state);
    }

    /// Runs under the lock; returns nothing if that panics. A panic leaves a race to which half
    /// of an event has happened. So the room is closed for all its members, at once, whatever
    /// the event's origin: a client, a bot, a worker or the timer. Neither the calling task nor
    /// any other room is affected.
    fn with_state<T>(&self, run: impl FnOnce(&mut RoomState) -> T) -> Option<T> {
        let mut state = self.state();
        // The state is not read again after a panic.
        let result = catch_unwind(AssertUnwindSafe(|| run(&mut state)));
        if result.is_err() {
            self.close_after_panic(&mut state);
        }
        result.ok()
    }

    /// Locks the state; closes the room if an earlier holder panicked.
    fn state(&self) -> MutexGuard<'_, RoomState> {
        self.state.lock().unwrap_or_else(|poisoned| {
            self.state.clear_poison();
            let mut state = poisoned.into_inner();
            self.close_after_panic(&mut state);
            state
        })
    }

    fn close_after_panic(&self, state: &mut RoomState) {
        error!(room = %self.code, "panic in room; closing it");
        if let Some(report) = state.persisted.race.closed_report() {
            self.services.table_reports.send(report);
        }
        state.close(Ending::Farewell(Farewell::Broken));
        self.waker.wake();
        // No member may be left whose leaving would make the hub check the room.
        self.services.reaper_queue.push(self.code, &self.waker);
    }

    /// Returns the present instant of the room's own clock.
    fn now(&self) -> HeatInstant {
        HeatInstant::from_server(self.services.clock.now(), self.epoch)
    }

    /// Releases what is durable by now, and returns whether the room is still open.
    fn on_wake(self: &Arc<Self>) -> bool {
        let open = self.with_state(|state| {
            state.checkpoint_if_due();
            self.release_committed(state);
            !state.closed
        });
        open.unwrap_or(false)
    }

    /// Ticks if that is due, and wakes readers.
    fn on_timer(self: &Arc<Self>) {
        self.with_state(|state| {
            let now = self.now();
            if state.persisted.race.deadline().is_some_and(|deadline| deadline <= now) {
                self.apply_at(state, now, Event::Tick);
            }
            self.release_committed(state);
        });
    }

    /// Returns the instant of the server's clock at which [`Self::on_timer`] is due.
    fn deadline(&self) -> Option<ServerInstant> {
        let mut state = self.state();
        let deadline = state.persisted.race.deadline().filter(|_| !state.frozen);
        state.readers.arm(deadline.map(|deadline| deadline.to_server(self.epoch)))
    }
}

/// Runs a room's timers, and releases what becomes durable, until the room is closed or dropped.
async fn run_timers(room: Weak<Room>, clock: Clock, waker: Arc<TaskWaker>) {
    loop {
        let deadline = {
            let Some(room) = room.upgrade() else { return };
            if !room.on_wake() {
                return;
            }
            room.deadline()
        };
        match deadline {
            Some(at) => {
                let woken = tokio::time::timeout_at(clock.timer(at), waker.woken()).await;
                if woken.is_err()
                    && let Some(room) = room.upgrade()
                {
                    room.on_timer();
                }
            }
            None => waker.woken().await,
        }
    }
}
