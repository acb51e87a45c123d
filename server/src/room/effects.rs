//! What a heat does about an event.

use super::{Link, Room, State};
use crate::background::board_pool::DrawJob;
use crate::background::hint_pool::HintJob;
use crate::background::rating_pool::RateJob;
use crate::platform::load_shedding;
use crate::race::{BoardError, BoardRequest, Effect, Effects, Event, HintError};
use crate::room::commit_gate::OutputSeq;
use crate::room::house_bot;
use crate::room::outbox::{Ending, Outbox};
use gridrace_shared::heat::standings::{self, Standing};
use gridrace_shared::protocol::server::ServerMessage;
use std::sync::Arc;
use std::time::Duration;
use tracing::{debug, info};

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
            Effect::GenerateBoard(commission) => self.draw(commission),
            Effect::Solve(question) => {
                self.solve(HintJob { heat: Arc::clone(self), question: Box::new(question) })
            }
            Effect::Rate { number, spec, board } => {
                self.rate(RateJob { heat: Arc::downgrade(self), number, spec, board })
            }
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

    /// Has a board drawn; where too many wait, the answer comes at once, but never under
    /// the lock.
    fn draw(self: &Arc<Self>, commission: BoardRequest) {
        let ticket = commission.ticket;
        let heat = Arc::downgrade(self);
        if !self.services.drawers.submit(DrawJob { heat, commission }) {
            let heat = Arc::clone(self);
            let outcome = Err(BoardError::Busy);
            self.home().spawn(async move { heat.apply(Event::Drawn { ticket, outcome }) });
        }
    }

    /// Hands a board to the hint pool; a full one answers at once, but never under the lock.
    fn solve(&self, job: HintJob) {
        if let Err(HintJob { heat, question }) = self.services.hints.submit(job) {
            let busy: Result<(), _> = Err(HintError::Busy);
            self.services.metrics.hint(&busy, Duration::ZERO, 0);
            self.home().spawn(async move {
                heat.apply(Event::Hinted {
                    by: question.player,
                    number: question.number,
                    after: question.after,
                    outcome: Err(HintError::Busy),
                });
            });
        }
    }

    /// Hands the board of a heat to the raters; where they are full it stays unrated.
    fn rate(&self, job: RateJob) {
        // A server that comes back has none yet, and raters would build them last of all.
        self.services.shelf.prepare(&job.spec);
        if !self.services.raters.submit(job) {
            debug!(heat = %self.code, "too many boards wait for their rating");
        }
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
