//! A heat: one race behind a short lock, with the outboxes of its members.

mod coming;
mod delivery;
#[cfg(test)]
mod tests;

use crate::bot;
use crate::clock::Clock;
use crate::deserted::Deserted;
use crate::drawers::DrawJob;
use crate::hints::HintJob;
use crate::outbox::{Ending, Outbox};
use crate::pools::Pools;
use crate::race::{Commission, DrawFault, Effect, Effects, Event, HintFault, Race, RaceConfig};
use crate::raters::RateJob;
use gridrace_shared::name::{HeatCode, PlayerId};
use gridrace_shared::options::OptionsFault;
use gridrace_shared::protocol::heat::HeatSummary;
use gridrace_shared::protocol::server::{Farewell, ServerMessage};
use gridrace_shared::time::{Micros, Millis};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;
use tokio::sync::Notify;
use tracing::{debug, error, info, trace};

pub use coming::{NotJoined, NotResumed};

/// One group's heats. Its events are stamped as they take the lock, and no lock lives
/// across an await.
#[derive(Debug)]
pub struct Heat {
    code: HeatCode,
    clock: Clock,
    /// The instant of the server's clock at which the heat's own time began.
    epoch: Micros,
    pools: Pools,
    deserted: Arc<Deserted>,
    state: Mutex<State>,
    /// The deadline moved, or the heat closed.
    moved: Notify,
}

struct State {
    race: Race,
    members: BTreeMap<PlayerId, Link>,
    next_id: u32,
    closed: bool,
}

/// The way to a member.
struct Link {
    outbox: Arc<Outbox>,
    /// A bot of the server's: it ends with its membership. A connection may join again.
    house: bool,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("members", &self.members.len())
            .finish_non_exhaustive()
    }
}

impl Heat {
    /// Opens a heat in its lobby, and starts the task that keeps its deadlines.
    ///
    /// # Errors
    /// The first option that lies outside its bounds.
    pub fn open(
        clock: Clock,
        pools: Pools,
        deserted: Arc<Deserted>,
        config: impl FnOnce(Micros) -> RaceConfig,
    ) -> Result<Arc<Self>, OptionsFault> {
        let epoch = clock.now();
        let config = config(epoch);
        let code = config.code;
        let race = Race::new(config)?;
        let state = State {
            race,
            members: BTreeMap::new(),
            next_id: 1,
            closed: false,
        };
        let heat = Arc::new(Self {
            code,
            clock,
            epoch,
            pools,
            deserted,
            state: Mutex::new(state),
            moved: Notify::new(),
        });
        tokio::spawn(keep_deadlines(Arc::downgrade(&heat), clock));
        Ok(heat)
    }

    /// Returns the server's clock.
    #[must_use]
    pub const fn clock(&self) -> Clock {
        self.clock
    }

    /// Returns the code by which the heat is joined.
    #[must_use]
    pub const fn code(&self) -> HeatCode {
        self.code
    }

    /// Lets an event happen now.
    pub fn apply(self: &Arc<Self>, event: Event) {
        let mut state = self.state();
        self.happen(&mut state, event);
    }

    /// Says whether somebody is here, on this connection.
    #[must_use]
    pub fn has_member(&self, id: PlayerId, outbox: &Arc<Outbox>) -> bool {
        self.state().is_linked(id, outbox)
    }

    /// Counts everybody who is here, the server's bots included.
    #[must_use]
    pub fn members(&self) -> usize {
        self.state().members.len()
    }

    /// Says whether somebody may still want to know what the board of a heat needs.
    #[must_use]
    pub fn awaits_rating(&self, number: u32) -> bool {
        let state = self.state();
        !state.closed && state.race.awaits_rating(number)
    }

    /// Returns the heat's line in the server's list; nothing for a private one.
    #[must_use]
    pub fn summary(&self) -> Option<HeatSummary> {
        let state = self.state();
        (!state.race.is_private() && !state.closed).then(|| state.race.summary())
    }

    /// Says whether a drawing is still waited for.
    #[must_use]
    pub fn awaits_drawing(&self, ticket: u32) -> bool {
        let state = self.state();
        !state.closed && state.race.awaits(ticket)
    }

    /// Closes the heat if nobody from outside is here, and says whether it is closed.
    pub fn close_if_deserted(&self) -> bool {
        let mut state = self.state();
        if state.race.is_deserted() {
            state.close(Ending::Released);
            self.moved.notify_one();
        }
        state.closed
    }

    /// Closes the heat, whoever is here.
    pub fn close(&self) {
        self.state().close(Ending::Released);
        self.moved.notify_one();
    }

    /// Returns the phase's name.
    #[must_use]
    pub fn phase_name(&self) -> &'static str {
        self.state().race.phase_name()
    }

    /// Panics under the lock, as a mistake in the race would.
    #[cfg(test)]
    pub fn break_for_test(&self) {
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _state = self.state();
            panic!("the race broke, as the test wants it");
        }));
        assert!(broken.is_err());
    }

    fn happen(self: &Arc<Self>, state: &mut State, event: Event) {
        self.happen_at(state, self.now(), event);
    }

    fn happen_at(self: &Arc<Self>, state: &mut State, now: Millis, event: Event) {
        if state.closed {
            return;
        }
        if let Event::Move { by, seq, play } = &event {
            trace!(heat = %self.code, player = %by, %seq, ?play, "move");
        }
        let before = state.race.deadline();
        let was_deserted = state.race.is_deserted();
        let Effects(effects) = state.race.apply(now, event);
        for effect in effects {
            self.carry_out(state, effect);
        }
        if state.race.deadline() != before {
            self.moved.notify_one();
        }
        if state.race.is_deserted() && !was_deserted {
            self.deserted.report(self.code);
        }
    }

    fn carry_out(self: &Arc<Self>, state: &mut State, effect: Effect) {
        match effect {
            Effect::Send { to, message } => {
                self.pools.metrics.judge(&message);
                state.send(to, message);
            }
            Effect::Broadcast { to, message } => state.broadcast(to, message),
            Effect::Standings(standings) => state.show(ServerMessage::Standings(standings)),
            Effect::Release { member } => state.release(member, Ending::Released),
            Effect::Dismiss { member, why } => state.release(member, Ending::Farewell(why)),
            Effect::Prepare { spec } => self.pools.shelf.prepare(&spec),
            Effect::Draw(commission) => self.draw(commission),
            Effect::Solve(question) => self.solve(HintJob {
                heat: Arc::clone(self),
                question: Box::new(question),
            }),
            Effect::Rate {
                number,
                spec,
                board,
            } => self.rate(RateJob {
                heat: Arc::downgrade(self),
                number,
                spec,
                board,
            }),
            Effect::RunBot { id, skill } => {
                let outbox = Arc::new(Outbox::default());
                state.members.insert(
                    id,
                    Link {
                        outbox: Arc::clone(&outbox),
                        house: true,
                    },
                );
                let thinkers = self.pools.thinkers.clone();
                tokio::spawn(bot::run(Arc::clone(self), id, skill, outbox, thinkers));
            }
            Effect::Ended => self.log_end(state),
        }
    }

    /// Has a board drawn; where too many wait, the answer comes at once, but never under
    /// the lock.
    fn draw(self: &Arc<Self>, commission: Commission) {
        let ticket = commission.ticket;
        let heat = Arc::downgrade(self);
        if !self.pools.drawers.submit(DrawJob { heat, commission }) {
            let heat = Arc::clone(self);
            let outcome = Err(DrawFault::Busy);
            tokio::spawn(async move { heat.apply(Event::Drawn { ticket, outcome }) });
        }
    }

    /// Hands a board to the hint pool; a full one answers at once, but never under the lock.
    fn solve(&self, job: HintJob) {
        if let Err(HintJob { heat, question }) = self.pools.hints.submit(job) {
            let busy: Result<(), _> = Err(HintFault::Busy);
            self.pools.metrics.hint(&busy, Duration::ZERO);
            tokio::spawn(async move {
                heat.apply(Event::Hinted {
                    by: question.player,
                    number: question.number,
                    after: question.after,
                    outcome: Err(HintFault::Busy),
                });
            });
        }
    }

    /// Hands the board of a heat to the raters; where they are full it stays unrated.
    fn rate(&self, job: RateJob) {
        if !self.pools.raters.submit(job) {
            debug!(heat = %self.code, "too many boards wait for their rating");
        }
    }

    fn log_end(&self, state: &State) {
        let finished = state.race.result().map_or(0, |result| {
            let finished = |row: &&gridrace_shared::standings::Standing| {
                matches!(
                    row.state,
                    gridrace_shared::standings::State::Finished { .. }
                )
            };
            result.standings.iter().filter(finished).count()
        });
        info!(
            heat = %self.code,
            number = state.race.number(),
            spec = %state.race.spec(),
            players = state.race.players(),
            finished,
            "heat over"
        );
    }

    /// Returns the instant that it is on the heat's clock.
    fn now(&self) -> Millis {
        Millis(self.clock.now().0.saturating_sub(self.epoch.0) / 1_000)
    }

    /// Returns the instant of the server's clock at which the next tick is due.
    fn deadline(&self) -> Option<Micros> {
        let deadline = self.state().race.deadline()?;
        Some(Micros(
            self.epoch
                .0
                .saturating_add(deadline.0.saturating_mul(1_000)),
        ))
    }

    /// Takes the lock. A panic under it leaves a race of which half has happened: that
    /// heat is over for everybody, and no other one is touched.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| {
            self.state.clear_poison();
            let mut state = poisoned.into_inner();
            error!(heat = %self.code, "the heat broke");
            state.close(Ending::Farewell(Farewell::ShuttingDown));
            self.moved.notify_one();
            state
        })
    }
}

/// Sends the ticks that the race asks for, until the heat is closed or gone.
async fn keep_deadlines(heat: Weak<Heat>, clock: Clock) {
    loop {
        let Some(here) = heat.upgrade() else { return };
        if here.state().closed {
            return;
        }
        match here.deadline() {
            Some(at) => {
                let tick = tokio::time::timeout_at(clock.timer(at), here.moved.notified()).await;
                if tick.is_err() {
                    here.apply(Event::Tick);
                }
            }
            None => here.moved.notified().await,
        }
    }
}
