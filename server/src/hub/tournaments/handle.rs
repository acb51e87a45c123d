//! One tournament: its state machine behind a short lock, and its journal.

use crate::platform::clock::Clock;
use crate::platform::environment::Environment;
use crate::platform::lock::lock;
use crate::platform::shards::TaskWaker;
use crate::race::ReservedSeat;
use crate::room::commit_gate::{CommitGate, OutputSeq};
use crate::room::frame::SharedFrame;
use crate::room::outbox::Outbox;
use crate::room::pin_throttle::PinThrottle;
use crate::room::services::Services;
use crate::store::tournaments::{RecoveredTournament, SavedTournament, TournamentWrite};
use crate::store::{JournalSeq, Store};
use crate::tournament::{
    BoardKey, BoardSource, Effect, Effects, Event, RecoveredTable, TableJob, TournamentConfig,
    TournamentRunner,
};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::protocol::server::{RecordingStatus, ServerMessage};
use gridrace_shared::protocol::tournament::{
    TableCall, TournamentError, TournamentHead, TournamentSummary, TournamentUpdate,
};
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, TournamentName};
use gridrace_shared::tournament::public_log::LogLine;
use gridrace_shared::tournament::result::BoardResult;
use gridrace_shared::util::time::{ServerInstant, TournamentInstant};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use tracing::{error, info};

/// A tournament, shared by sessions and the driver.
#[derive(Debug)]
pub(crate) struct TournamentHandle {
    pub(super) saved: SavedTournament,
    pub(super) clock: Clock,
    environment: Environment,
    store: Option<Arc<Store>>,
    operators: Arc<BTreeSet<Fingerprint>>,
    pub(super) waker: Arc<TaskWaker>,
    pub(super) pin_throttle: PinThrottle,
    pub(super) state: Mutex<TournamentState>,
}

#[derive(Debug)]
pub(super) struct TournamentState {
    pub(super) runner: TournamentRunner,
    pub(super) gate: CommitGate<Outgoing>,
    pub(super) followers: BTreeMap<u64, Follower>,
    pub(super) next_follower: u64,
    /// From where entrants have taken the seats of open tables.
    pub(super) seat_addresses: BTreeMap<Fingerprint, SeatAddress>,
    /// Addresses that are new since the driver last looked for spectators there.
    pub(super) new_seat_addresses: BTreeSet<IpAddr>,
    /// The entrants whom the driver is to call to their tables.
    pub(super) pending_calls: BTreeSet<Fingerprint>,
    pub(super) last_head: Option<(ServerInstant, TournamentHead)>,
    pub(super) is_head_due: bool,
    /// What the driver is to do, in order.
    jobs: Vec<TableJob>,
    boards: BTreeMap<BoardKey, Arc<GeneratedBoard>>,
    ratings: BTreeMap<BoardKey, MoveBounds>,
    /// Results that an earlier server stored, until its tables are adopted.
    stored_results: Vec<(ResultKey, BoardResult)>,
    /// What the disk does, as the organisers were told.
    pub(super) recording: RecordingStatus,
    /// Set by a panic: nothing of the state is trusted any more.
    is_broken: bool,
    /// Set by a panic, until the driver has closed the tables.
    leaves_tables: bool,
}

#[derive(Debug)]
pub(super) struct Follower {
    /// The first output that it gets, its snapshot.
    pub(super) since: OutputSeq,
    pub(super) key: Option<Fingerprint>,
    /// The address that the client shares with no other machine; nothing for one that may.
    pub(super) own_address: Option<IpAddr>,
    pub(super) outbox: Arc<Outbox>,
}

/// From where an entrant has taken its seat.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeatAddress {
    pub(super) room: RoomCode,
    pub(super) address: IpAddr,
}

/// The client that makes a request.
#[derive(Debug, Clone)]
pub(crate) struct Requester {
    pub(crate) key: Option<Fingerprint>,
    /// The address as limits count it.
    pub(crate) address: Option<IpAddr>,
    /// The address that the client shares with no other machine; nothing for one that may.
    pub(crate) own_address: Option<IpAddr>,
    pub(crate) outbox: Arc<Outbox>,
}

#[derive(Debug)]
pub(super) enum Outgoing {
    To(Arc<Outbox>, Box<TournamentUpdate>),
    All(Arc<SharedFrame>),
    /// To a follower by number: what the disk does by then, if it isn't well and the follower directs the
    /// tournament.
    Recording(u64),
    /// To the connections of a key: what it is in the tournament by then.
    You(Fingerprint),
    Call(Fingerprint, TableCall),
}

/// What the driver is to do for a tournament.
#[derive(Debug)]
pub(crate) struct TournamentJob {
    pub(super) tournament: Arc<TournamentHandle>,
    pub(super) job: TableJob,
}

impl TournamentHandle {
    pub(super) fn open(
        services: &Services,
        waker: &Arc<TaskWaker>,
        saved: SavedTournament,
    ) -> Arc<Self> {
        info!(tournament = %saved.name, plan = %saved.plan, "tournament opened");
        let (runner, effects) = TournamentRunner::open(TournamentConfig::from(&saved));
        let handle = Self::new(services, waker, saved, runner);
        handle.with_state(|state| {
            handle.begin_journal(state);
            handle.carry_out(state, effects, None);
        });
        handle
    }

    pub(super) fn recover(
        services: &Services,
        waker: &Arc<TaskWaker>,
        found: RecoveredTournament,
    ) -> Arc<Self> {
        let RecoveredTournament { saved, lines, results } = found;
        let runner = TournamentRunner::recover(TournamentConfig::from(&saved), lines);
        let handle = Self::new(services, waker, saved, runner);
        handle.with_state(|state| {
            state.stored_results = results;
            if let Some(store) = &handle.store {
                let journal = store.begin_tournament(Arc::clone(waker));
                state.gate.start_recording(journal, JournalSeq::default());
                // The disk may have failed when the last line was stored.
                handle.store_lines(state, Vec::new(), state.runner.is_closed());
            }
        });
        handle
    }

    fn new(
        services: &Services,
        waker: &Arc<TaskWaker>,
        saved: SavedTournament,
        runner: TournamentRunner,
    ) -> Arc<Self> {
        Arc::new(Self {
            saved,
            clock: services.clock,
            environment: services.environment.clone(),
            store: services.store.clone(),
            operators: Arc::clone(&services.operators),
            waker: Arc::clone(waker),
            pin_throttle: PinThrottle::new(services.clock.now()),
            state: Mutex::new(TournamentState {
                runner,
                gate: CommitGate::default(),
                followers: BTreeMap::new(),
                next_follower: 0,
                seat_addresses: BTreeMap::new(),
                new_seat_addresses: BTreeSet::new(),
                pending_calls: BTreeSet::new(),
                last_head: None,
                is_head_due: false,
                jobs: Vec::new(),
                boards: BTreeMap::new(),
                ratings: BTreeMap::new(),
                stored_results: Vec::new(),
                recording: services.store.as_ref().map_or(RecordingStatus::Recorded, |store| {
                    recording_status(store.is_recording())
                }),
                is_broken: false,
                leaves_tables: false,
            }),
        })
    }

    /// Runs a function on the state; returns nothing if the tournament is broken, or breaks by it.
    pub(super) fn with_state<T>(&self, run: impl FnOnce(&mut TournamentState) -> T) -> Option<T> {
        let mut state = lock(&self.state);
        if state.is_broken {
            return None;
        }
        let ran = catch_unwind(AssertUnwindSafe(|| run(&mut state)));
        if ran.is_err() {
            error!(tournament = %self.saved.name, "panic in tournament; closing it");
            (state.is_broken, state.leaves_tables) = (true, true);
            let update = TournamentUpdate::Refused(TournamentError::Busy);
            let frame = SharedFrame::new(ServerMessage::Tournament(Box::new(update)));
            state.followers.values().for_each(|it| it.outbox.push_shared(&frame));
            self.waker.wake();
        }
        ran.ok()
    }

    #[cfg(test)]
    pub(crate) fn break_by_panic(&self) {
        self.with_state(|_| panic!("a test breaks the tournament"));
    }

    /// Returns whether the tournament broke and its tables are still to be closed, once.
    pub(crate) fn take_left_tables(&self) -> bool {
        std::mem::take(&mut lock(&self.state).leaves_tables)
    }

    /// Begins a journal with all that the tournament is.
    fn begin_journal(&self, state: &mut TournamentState) {
        let Some(store) = &self.store else { return };
        let journal = store.begin_tournament(Arc::clone(&self.waker));
        let saved = Box::new(self.saved.clone());
        let mut seq = journal.change_tournament(TournamentWrite::Open(saved));
        let lines = state.runner.lines().to_vec();
        if !lines.is_empty() {
            let tournament = self.saved.id;
            let change = TournamentWrite::Lines { tournament, first: 0, lines };
            seq = journal.change_tournament(change);
        }
        state.gate.start_recording(journal, seq);
        self.store_lines(state, Vec::new(), state.runner.is_closed());
    }

    /// Stores the tournament anew once the store records again, sends what waited for a disk that
    /// failed, and tells the organisers.
    pub(super) fn on_store_state_changed(&self, is_recording: bool) {
        self.with_state(|state| {
            let is_lost = state.gate.journal().is_some_and(|journal| journal.is_lost());
            if is_lost && is_recording {
                self.begin_journal(state);
            }
            self.tell_recording(state, recording_status(is_recording));
            self.release_committed(state);
        });
        self.waker.wake();
    }

    /// Tells the organisers that answers wait for a slow disk, or that this is over.
    pub(super) fn on_disk_speed_changed(&self, is_slow: bool) {
        self.with_state(|state| {
            let is_unrecorded = state.recording == RecordingStatus::Unrecorded;
            let status = if is_slow { RecordingStatus::Slow } else { RecordingStatus::Recorded };
            if !is_unrecorded {
                self.tell_recording(state, status);
            }
        });
    }

    pub(crate) const fn name(&self) -> &TournamentName {
        &self.saved.name
    }

    pub(super) const fn id(&self) -> i64 {
        self.saved.id
    }

    pub(super) const fn saved(&self) -> &SavedTournament {
        &self.saved
    }

    pub(super) fn is_organised_by(&self, key: Fingerprint) -> bool {
        self.with_state(|state| state.runner.organiser() == key).unwrap_or(false)
    }

    /// Returns whether a table of a tournament with this name is of this one.
    pub(super) fn has_table(&self, name: &TournamentName, opened: ServerInstant) -> bool {
        self.saved.name == *name && self.saved.has_table_of(opened)
    }

    /// Returns whether the driver still has to carry out effects of it, or clients wait for the disk.
    pub(super) fn has_work(&self) -> bool {
        let state = lock(&self.state);
        let is_settled = state.gate.is_empty() && state.gate.is_settled();
        if state.is_broken { state.leaves_tables } else { !state.jobs.is_empty() || !is_settled }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.with_state(|state| state.runner.is_closed()).unwrap_or(true)
    }

    /// Returns how many have entered, and how many tables are open.
    pub(super) fn counts(&self) -> (usize, usize) {
        let counts = |runner: &TournamentRunner| (runner.entrants().count(), runner.open_tables());
        self.with_state(|state| counts(&state.runner)).unwrap_or_default()
    }

    /// Returns whether the archive has the record of the tournament for everybody.
    pub(crate) fn has_public_record(&self) -> bool {
        let is_stored =
            |state: &mut TournamentState| state.runner.is_closed() && state.gate.is_committed();
        let is_public = !self.saved.settings.options.private && self.saved.pin.is_none();
        is_public && self.with_state(is_stored).unwrap_or(false)
    }

    /// Returns its line of the list, unless it is private.
    pub(super) fn summary(&self) -> Option<TournamentSummary> {
        if self.saved.settings.options.private {
            return None;
        }
        self.with_state(|state| state.runner.summary(self.saved.pin.is_some()))
    }

    fn now(&self) -> TournamentInstant {
        TournamentInstant::from_server(self.clock.now(), self.saved.epoch)
    }

    /// Returns an instant of the tournament on the server's clock.
    pub(super) fn server_instant(&self, at: TournamentInstant) -> ServerInstant {
        at.to_server(self.saved.epoch)
    }

    pub(super) fn is_operator(&self, key: Fingerprint) -> bool {
        self.operators.contains(&key)
    }

    /// Applies an event; `reply_to` is answered, once what follows from the event is on the disk.
    pub(crate) fn apply(&self, event: Event, reply_to: Option<&Arc<Outbox>>) {
        self.with_state(|state| {
            let effects = state.runner.apply(self.now(), event);
            self.carry_out(state, effects, reply_to);
        });
    }

    fn carry_out(
        &self,
        state: &mut TournamentState,
        effects: Effects,
        reply_to: Option<&Arc<Outbox>>,
    ) {
        let mut lines = Vec::new();
        let mut outgoing = Vec::new();
        let mut is_closed = false;
        for effect in effects.0 {
            match effect {
                Effect::Append(line) => lines.push(line),
                Effect::Reply(update) => {
                    let to = reply_to.map(|to| Outgoing::To(Arc::clone(to), Box::new(update)));
                    outgoing.extend(to);
                }
                Effect::Broadcast(update) => {
                    let message = ServerMessage::Tournament(Box::new(update));
                    outgoing.push(Outgoing::All(SharedFrame::new(message)));
                }
                Effect::NotifyKey(key) => outgoing.push(Outgoing::You(key)),
                Effect::Closed => {
                    is_closed = true;
                    state.boards.clear();
                }
                Effect::DropBoard(board) => {
                    state.boards.remove(&board);
                }
                Effect::Job(job) => {
                    if let TableJob::Call { key, .. } = &job {
                        state.pending_calls.insert(*key);
                    }
                    state.jobs.push(job);
                }
            }
        }
        self.store_lines(state, lines, is_closed);
        outgoing.into_iter().for_each(|outgoing| state.gate.push(outgoing));
        state.is_head_due = true;
        self.release_committed(state);
        self.waker.wake();
    }

    fn store_lines(&self, state: &mut TournamentState, lines: Vec<LogLine>, is_closed: bool) {
        let Some(journal) = state.gate.journal().cloned() else { return };
        let tournament = self.saved.id;
        if !lines.is_empty() {
            let first = state.runner.lines().len() - lines.len();
            let change = TournamentWrite::Lines { tournament, first, lines };
            state.gate.wait_for(journal.change_tournament(change));
        }
        if is_closed {
            let ended = self.environment.calendar();
            let outcome = state.runner.outcome();
            let change = TournamentWrite::Close { tournament, ended, outcome };
            state.gate.wait_for(journal.change_tournament(change));
        }
    }

    /// Carries out what is due; returns what the driver is to do, and when this is to be called again.
    pub(crate) fn on_wake(self: &Arc<Self>) -> (Vec<TournamentJob>, Option<ServerInstant>) {
        let deadline = self.with_state(|state| state.runner.deadline()).flatten();
        if deadline.is_some_and(|deadline| deadline <= self.now()) && !self.is_closed() {
            self.apply(Event::Tick, None);
        }
        let woken = self.with_state(|state| {
            self.release_committed(state);
            let head_due = self.send_head(state);
            (std::mem::take(&mut state.jobs), state.runner.deadline(), head_due)
        });
        let (jobs, deadline, head_due) = woken.unwrap_or_default();
        let job = |job| TournamentJob { tournament: Arc::clone(self), job };
        let deadline = deadline.map(|deadline| self.server_instant(deadline));
        (jobs.into_iter().map(job).collect(), deadline.into_iter().chain(head_due).min())
    }

    /// Returns nothing if the tournament is broken.
    pub(super) fn board_source(&self, board: BoardKey) -> Option<BoardSource> {
        self.with_state(|state| state.runner.board_source(board))
    }

    pub(super) fn set_board(&self, board: BoardKey, drawn: Option<GeneratedBoard>) {
        let is_drawn = drawn.is_some();
        self.with_state(|state| {
            // One that is asked for no more is dropped already.
            if let Some(drawn) = drawn.filter(|_| state.runner.awaits_board(board)) {
                state.boards.insert(board, Arc::new(drawn));
            }
        });
        self.apply(Event::BoardDrawn { board, is_drawn }, None);
    }

    pub(super) fn board(&self, board: BoardKey) -> Option<Arc<GeneratedBoard>> {
        lock(&self.state).boards.get(&board).cloned()
    }

    pub(super) fn set_rating(&self, board: BoardKey, best: MoveBounds) {
        lock(&self.state).ratings.insert(board, best);
    }

    pub(super) fn rating(&self, board: BoardKey) -> Option<MoveBounds> {
        lock(&self.state).ratings.get(&board).copied()
    }

    /// Returns the seats of a table as a room reserves them.
    pub(super) fn reserved_seats(&self, seats: &[EntrantId]) -> Vec<ReservedSeat> {
        let reserved = self.with_state(|state| {
            let seat = |&entrant: &EntrantId| reserved_seat(&state.runner, entrant);
            seats.iter().filter_map(seat).collect()
        });
        reserved.unwrap_or_default()
    }

    pub(super) fn reserved_seat_of(&self, key: Fingerprint) -> Option<ReservedSeat> {
        self.with_state(|state| reserved_seat(&state.runner, state.runner.entrants().of_key(key)?))
            .flatten()
    }

    /// Calls an entrant to its table, whose room has its seat.
    pub(super) fn send_call(&self, key: Fingerprint, call: TableCall) {
        self.with_state(|state| {
            state.pending_calls.remove(&key);
            state.gate.push(Outgoing::Call(key, call));
            self.release_committed(state);
        });
    }

    pub(super) fn on_board_ended(&self, key: ResultKey, result: BoardResult) {
        self.apply(Event::BoardEnded { key, result }, None);
    }

    pub(super) fn on_table_closed(&self, room: RoomCode) {
        self.with_state(|state| state.seat_addresses.retain(|_, seat| seat.room != room));
        self.apply(Event::TableClosed { room }, None);
    }

    /// Takes over the tables of an earlier server.
    pub(super) fn adopt(&self, tables: Vec<RecoveredTable>) {
        let results = self.with_state(|state| std::mem::take(&mut state.stored_results));
        let results = results.unwrap_or_default();
        self.apply(Event::Recovered { tables, results }, None);
    }
}

fn reserved_seat(runner: &TournamentRunner, entrant: EntrantId) -> Option<ReservedSeat> {
    let profile = runner.entrants().get(entrant)?;
    Some(ReservedSeat {
        entrant,
        key: profile.key,
        name: profile.name.clone(),
        bot: !matches!(profile.kind, PlayerKind::Human),
    })
}

const fn recording_status(is_recording: bool) -> RecordingStatus {
    if is_recording { RecordingStatus::Recorded } else { RecordingStatus::Unrecorded }
}

impl From<&SavedTournament> for TournamentConfig {
    fn from(saved: &SavedTournament) -> Self {
        Self {
            name: saved.name.clone(),
            plan: saved.plan.clone(),
            settings: saved.settings.clone(),
            secret: saved.secret.clone(),
            founder: saved.founder,
        }
    }
}
