//! What a heat does about an event.

use super::{Link, Room, State};
use crate::background::WorkerPanicked;
use crate::background::board_pool::BoardJob;
use crate::background::hint_pool::{HintJob, SolvedHint};
use crate::background::rating_pool::RatingJob;
use crate::platform::load_shedding;
use crate::race::{BoardError, BoardRequest, Effect, Effects, Event, HintError, HintRequest};
use crate::room::commit_gate::OutputSeq;
use crate::room::house_bot;
use crate::room::outbox::{Ending, Outbox};
use gridrace_shared::heat::standings::{self, Standing};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::puzzle::{Board, PuzzleSpec};
use std::sync::Arc;
use std::time::Duration;
use tracing::{debug, error, info};

impl State {
    /// Says whether an event is a move that was played before.
    pub(super) fn repeats(&self, event: &Event) -> bool {
        let Event::Move { by, seq, .. } = event else {
            return false;
        };
        self.persisted.race.has_played(*by, *seq)
    }
}

impl Room {
    /// Does one thing that the race wants done, which comes at this place in the order.
    pub(super) fn execute(self: &Arc<Self>, state: &mut State, order: OutputSeq, effect: Effect) {
        match effect {
            Effect::Send { to, message } => state.send(order, to, message),
            Effect::Broadcast { to, message } => state.broadcast(order, to, message),
            Effect::Standings(standings) => {
                let now = self.clock.now();
                let wakes = load_shedding::may_wake(self.epoch, state.shown, now);
                if wakes {
                    state.shown = now;
                }
                let skipped = state.show(order, ServerMessage::Standings(standings), wakes);
                self.services.metrics.skip(skipped);
            }
            Effect::Release { member } => state.release(order, member, Ending::Released),
            Effect::Dismiss { member, why } => state.release(order, member, Ending::Farewell(why)),
            Effect::Prepare { spec } => self.services.shelf.prepare(&spec),
            Effect::GenerateBoard(request) => self.generate_board(request),
            Effect::Solve(request) => self.solve(request),
            Effect::Rate { number, spec, board } => self.rate(number, spec, board),
            Effect::RunBot { id, skill } => {
                let outbox = Arc::new(Outbox::default());
                state
                    .members
                    .insert(id, Link { outbox: Arc::clone(&outbox), house: true, since: order });
                let think_permits = self.services.think_permits.clone();
                self.home().spawn(house_bot::run(
                    Arc::clone(self),
                    id,
                    skill,
                    outbox,
                    think_permits,
                ));
            }
            Effect::Ended => self.log_end(state),
        }
    }

    /// Counts the answers to moves; `repeats` says whether the one that came had been played.
    pub(super) fn judge(&self, effects: &Effects, repeats: bool) {
        for effect in &effects.0 {
            if let Effect::Send { message, .. } = effect {
                self.services.metrics.judge(message, repeats);
            }
        }
    }

    /// Requests a board; if the queue is full the answer is sent at once, but not under the lock.
    fn generate_board(self: &Arc<Self>, request: BoardRequest) {
        let BoardRequest { ticket, spec, seed } = request;
        let (room, awaiting) = (Arc::downgrade(self), Arc::downgrade(self));
        let job = BoardJob {
            room: self.code,
            spec,
            seed,
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
        if self.services.drawers.submit(job).is_err() {
            self.apply_later(Event::Drawn { ticket, outcome: Err(BoardError::Busy) });
        }
    }

    /// Asks the solver for a hint; if the queue is full the answer is sent at once, but not under
    /// the lock.
    fn solve(self: &Arc<Self>, request: HintRequest) {
        let HintRequest { player, number, after, board, before, known } = request;
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
            room.apply_later(Event::Hinted { by: player, number, after, outcome });
        };
        let busy = answer.clone();
        let reply = move |hint: Result<_, _>| {
            answer(hint.map_err(|WorkerPanicked| HintError::Busy));
        };
        if self.services.hints.submit(HintJob { board, before, known }, Box::new(reply)).is_err() {
            busy(Err(HintError::Busy));
        }
    }

    /// Requests the rating of a heat's board; if the queue is full the board stays unrated.
    fn rate(self: &Arc<Self>, number: u32, spec: PuzzleSpec, board: Board) {
        // After a restart there are no tables yet, and the rating pool would build them last.
        self.services.shelf.prepare(&spec);
        let (room, awaiting) = (Arc::downgrade(self), Arc::downgrade(self));
        let is_wanted = move || awaiting.upgrade().is_some_and(|room| room.awaits_rating(number));
        let job = RatingJob { spec, board, is_wanted: Box::new(is_wanted) };
        let reply = move |rating: Result<_, WorkerPanicked>| match (rating, room.upgrade()) {
            // Not on the worker's thread, which may be preempted while it holds the lock.
            (Ok(Some(best)), Some(room)) => room.apply_later(Event::Rated { number, best }),
            (Ok(_), _) => {}
            (Err(WorkerPanicked), _) => {
                error!(%spec, number, "board rating panicked; board stays unrated");
            }
        };
        if self.services.raters.submit(job, Box::new(reply)).is_err() {
            debug!(room = %self.code, number, "rating queue full; board stays unrated");
        }
    }

    /// Applies an event in a task of the room's runtime.
    fn apply_later(self: &Arc<Self>, event: Event) {
        let room = Arc::clone(self);
        self.home().spawn(async move { room.apply(event) });
    }

    fn log_end(&self, state: &State) {
        let finished = state.persisted.race.result().map_or(0, |result| {
            let finished = |row: &&Standing| matches!(row.state, standings::State::Finished { .. });
            result.standings.iter().filter(finished).count()
        });
        info!(
            heat = %self.code,
            number = state.persisted.race.number(),
            spec = %state.persisted.race.spec(),
            players = state.persisted.race.players(),
            finished,
            "heat over"
        );
    }
}
