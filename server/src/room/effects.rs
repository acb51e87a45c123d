//! Executes the race's effects.

use super::{Room, RoomState, Subscriber};
use crate::background::WorkerPanicked;
use crate::background::board_pool::BoardJob;
use crate::background::hint_pool::{HintJob, SolvedHint};
use crate::background::rating_pool::RatingJob;
use crate::race::hint_plans::{HintAsked, HintStep};
use crate::race::{
    Audience, BoardError, BoardRequest, Effect, Effects, Event, HeatEvent, HeatRecord, HintError,
    HintRequest,
};
use crate::room::commit_gate::OutputSeq;
use crate::room::house_bot::{self, BotSeat};
use crate::room::outbox::{Ending, Outbox};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::standings::{self, Standing};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::puzzle::{Board, PuzzleSpec};
use gridrace_shared::solver::plan::HintAnswer;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tracing::{debug, error, info};

impl Room {
    /// Executes the effects of an event: starts the work that stays in the server at once, and
    /// holds what leaves it until the event is durable.
    pub(super) fn execute(self: &Arc<Self>, state: &mut RoomState, effects: Effects) {
        let mut hints = Vec::new();
        let outgoing = effects.0.into_iter().filter_map(|effect| {
            if let Effect::FindHint(request) = effect {
                hints.push(*request);
                None
            } else {
                self.start_work(state, effect)
            }
        });
        let outgoing = outgoing.collect();
        self.defer_until_committed(state, outgoing);
        // A hint by a plan that is known is the next event.
        for request in hints {
            let (player, number) = (request.player, request.number);
            let step = state.hint_plans.start(request);
            self.advance_hint(state, player, number, step);
        }
    }

    /// Starts work inside the server, or hands back an effect that leaves it.
    fn start_work(self: &Arc<Self>, state: &mut RoomState, effect: Effect) -> Option<Effect> {
        match effect {
            Effect::PrepareSolver { spec } => self.services.tables.prepare(&spec),
            Effect::GenerateBoard(request) => self.generate_board(request, state.host_address()),
            Effect::RateBoard { number, spec, board } => self.rate_board(number, spec, board),
            Effect::RunBot { id, skill } => self.run_bot(state, id, skill),
            Effect::MoveAnswered { verdict, .. } => self.services.metrics.count_move(verdict),
            ended @ Effect::Heat(HeatEvent::Ended(_)) => {
                state.hint_plans.clear();
                return Some(ended);
            }
            outgoing @ (Effect::Send { .. }
            | Effect::Broadcast { .. }
            | Effect::Standings(_)
            | Effect::DelayedStandings(_)
            | Effect::Release { .. }
            | Effect::Dismiss { .. }
            | Effect::FindHint(_)
            | Effect::Table(_)) => return Some(outgoing),
            Effect::Heat(_) => {}
        }
        None
    }

    pub(super) fn deliver(&self, state: &mut RoomState, seq: OutputSeq, effect: Effect) {
        match effect {
            Effect::Send { to, message } => state.send(seq, to, message),
            Effect::Broadcast { to, message } => {
                if let ServerMessage::Roster(_) = message {
                    state.readers.schedule(self.services.clock.now(), false);
                }
                state.broadcast(seq, to, message);
            }
            Effect::Standings(standings) => {
                let has_ended = state.latest_standings.update(standings);
                state.readers.schedule(self.services.clock.now(), has_ended);
            }
            Effect::DelayedStandings(standings) => {
                let has_ended = state.delayed_standings.update(standings);
                state.readers.schedule(self.services.clock.now(), has_ended);
            }
            Effect::Release { member } => state.unsubscribe(seq, member, Ending::Released),
            Effect::Dismiss { member, why } => {
                state.unsubscribe(seq, member, Ending::Farewell(why));
            }
            Effect::Heat(HeatEvent::Ended(record)) => log_end(&record),
            Effect::Table(report) => self.services.table_reports.send(report),
            Effect::PrepareSolver { .. }
            | Effect::GenerateBoard(_)
            | Effect::FindHint(_)
            | Effect::RateBoard { .. }
            | Effect::RunBot { .. }
            | Effect::Heat(_)
            | Effect::MoveAnswered { .. } => {}
        }
    }

    fn run_bot(self: &Arc<Self>, state: &mut RoomState, id: PlayerId, skill: Skill) {
        let outbox = Arc::new(Outbox::default());
        let since = state.gate.next_seq();
        let subscriber = Subscriber::new(Arc::clone(&outbox), true, since);
        state.subscribers.insert(id, subscriber);
        let permits = self.services.think_permits.clone();
        let room = Arc::clone(self);
        let play = Box::new(move |seq, play| room.apply(Event::Move { by: id, seq, play }));
        let clock = self.services.clock;
        let seat = BotSeat { room: self.code, id, skill, play, clock };
        self.runtime().spawn(house_bot::run(seat, outbox, permits));
    }

    /// Requests a board; if the queue is full the answer is sent at once, but not under the lock.
    fn generate_board(self: &Arc<Self>, request: BoardRequest, from: Option<IpAddr>) {
        let BoardRequest { ticket, spec, seed } = request;
        let (room, awaiting) = (Arc::downgrade(self), Arc::downgrade(self));
        let queued = Arc::downgrade(self);
        let latest = Arc::new(AtomicU32::new(0));
        let job = BoardJob {
            room: Some(self.code),
            from,
            spec,
            seed,
            on_place: Box::new(move |ahead| {
                latest.store(ahead, Ordering::Relaxed);
                if let Some(room) = queued.upgrade() {
                    let (queued, latest) = (Arc::clone(&room), Arc::clone(&latest));
                    room.runtime().spawn(async move { queued.show_board_place(ticket, &latest) });
                }
            }),
            is_wanted: Box::new(move || {
                awaiting.upgrade().is_some_and(|room| room.awaits_drawing(ticket))
            }),
            reply: Box::new(move |drawn| {
                if let Some(room) = room.upgrade() {
                    let outcome = drawn.map_err(|WorkerPanicked| BoardError::Broken);
                    room.apply(Event::Drawn { ticket, outcome });
                }
            }),
        };
        if self.services.boards.submit(job).is_err() {
            let room = Arc::clone(self);
            let busy = Event::Drawn { ticket, outcome: Err(BoardError::Busy) };
            self.runtime().spawn(async move { room.apply(busy) });
        }
    }

    /// Tells the members how many boards are drawn before theirs. Reads the latest place under the
    /// room's lock, because the tasks that are spawned for two places may run in either order.
    pub(super) fn show_board_place(self: &Arc<Self>, ticket: u32, latest: &AtomicU32) {
        self.with_state(|state| {
            let ahead = latest.load(Ordering::Relaxed);
            let is_awaited = state.persisted.race.awaits_board(ticket);
            let is_told = state.board_place == Some((ticket, ahead));
            if !state.closed && !state.frozen && is_awaited && !is_told {
                state.board_place = Some((ticket, ahead));
                let message = ServerMessage::BoardQueue { ahead };
                self.execute(
                    state,
                    Effects(vec![Effect::Broadcast { to: Audience::All, message }]),
                );
            }
        });
    }

    /// Answers a hint, or asks the solver.
    fn advance_hint(
        self: &Arc<Self>,
        state: &mut RoomState,
        by: PlayerId,
        number: u32,
        step: HintStep,
    ) {
        match step {
            HintStep::Answer(outcome) => {
                self.transition(state, self.now(), Event::Hinted { by, number, outcome });
            }
            HintStep::Solve(request, attempt) => self.find_hint(request, attempt),
        }
    }

    /// Asks the solver for a hint; if the queue is full the answer is sent at once, but not under
    /// the lock.
    fn find_hint(self: &Arc<Self>, request: HintRequest, attempt: u8) {
        let HintRequest { player, style, number, after, board, before, known } = request;
        let room = Arc::clone(self);
        let answer = move |hint: Result<SolvedHint, HintError>| {
            let (outcome, thought, nodes) = match hint {
                Ok(SolvedHint { answer, thought, nodes }) => {
                    (answer.map_err(HintError::Unsolved), thought, nodes.0)
                }
                Err(error) => (Err(error), Duration::ZERO, 0),
            };
            room.services.metrics.hint(&outcome, thought, nodes);
            // Not on the worker's thread, which may be preempted while it holds the lock.
            let solved = Arc::clone(&room);
            room.runtime().spawn(async move {
                solved.on_plan(player, number, (after, style, attempt), outcome);
            });
        };
        let busy = answer.clone();
        let reply = move |hint: Result<_, _>| {
            answer(hint.map_err(|WorkerPanicked| HintError::Busy));
        };
        let job = HintJob { board, before, style, known };
        if self.services.hints.submit(job, Box::new(reply)).is_err() {
            busy(Err(HintError::Busy));
        }
    }

    /// Takes the solver's answer on the board after some move of a player.
    fn on_plan(
        self: &Arc<Self>,
        player: PlayerId,
        number: u32,
        asked: HintAsked,
        outcome: Result<HintAnswer, HintError>,
    ) {
        self.with_state(|state| {
            // What is due may end the heat.
            self.apply_at(state, self.now(), Event::Tick);
            let race = &state.persisted.race;
            if !state.closed
                && !state.frozen
                && let Some(request) = race.pending_hint(player, number)
            {
                let is_here = race.is_connected(player);
                let step = state.hint_plans.take_answer(request, asked, outcome, is_here);
                self.advance_hint(state, player, number, step);
            }
        });
    }

    /// Requests the rating of a heat's board; if the queue is full the board stays unrated.
    fn rate_board(self: &Arc<Self>, number: u32, spec: PuzzleSpec, board: Board) {
        self.services.metrics.count_board_rating();
        let (room, awaiting) = (Arc::downgrade(self), Arc::downgrade(self));
        let is_wanted = move || awaiting.upgrade().is_some_and(|room| room.awaits_rating(number));
        let job = RatingJob { spec, board, is_wanted: Box::new(is_wanted) };
        let reply = move |rating: Result<_, WorkerPanicked>| match (rating, room.upgrade()) {
            // Not on the worker's thread, which may be preempted while it holds the lock.
            (Ok(Some(best)), Some(room)) => {
                let rated = Arc::clone(&room);
                room.runtime().spawn(async move { rated.rate(number, best) });
            }
            (Ok(_), _) => {}
            (Err(WorkerPanicked), _) => {
                error!(%spec, number, "board rating panicked; board stays unrated");
            }
        };
        if self.services.ratings.submit(job, Box::new(reply)).is_err() {
            debug!(room = %self.code, number, "rating queue full; board stays unrated");
        }
    }
}

fn log_end(record: &HeatRecord) {
    let HeatRecord { code, number, options, result, .. } = record;
    let finished = |row: &&Standing| matches!(row.state, standings::RaceState::Finished { .. });
    let finished = result.standings.iter().filter(finished).count();
    let (spec, players) = (&options.spec, result.standings.len());
    info!(room = %code, number, %spec, players, finished, "heat over");
}
