//! House bots: members of a room without a socket.

use crate::background::solver_tables::SolverTables;
use crate::platform;
use crate::platform::clock::Clock;
use crate::platform::environment::Environment;
use crate::room::outbox::Outbox;
use gridrace_shared::bot::{Bot, Decision, Skill};
use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat_view::Optimistic;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::{Phase, Snapshot};
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::solver::budget::Unsolved;
use gridrace_shared::util::time::ServerInstant;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::Sleep;
use tracing::{debug, warn};

/// Bounds how many bots decide at the same instant, in all rooms: one less than there are cores,
/// so that a server full of strong bots slows its bots down and not its races.
#[derive(Debug, Clone)]
pub struct ThinkPermits {
    permits: Arc<Semaphore>,
    environment: Environment,
    tables: SolverTables,
}

impl ThinkPermits {
    pub fn for_this_machine(environment: Environment, tables: SolverTables) -> Self {
        let cores = platform::cores();
        let permits = Arc::new(Semaphore::new(cores.saturating_sub(1).max(1)));
        Self { permits, environment, tables }
    }
}

/// How late a move may be for the next ones to catch up: longer than a decision takes. What takes longer
/// is an outage, after which the pace starts anew.
const MAX_CATCH_UP: Duration = Duration::from_millis(500);

/// Plays a move in the bot's room.
pub type PlayMove = Box<dyn Fn(Seq, Move) + Send + Sync>;

pub struct BotSeat {
    pub room: RoomCode,
    pub id: PlayerId,
    pub skill: Skill,
    pub play: PlayMove,
    pub clock: Clock,
}

/// Runs a bot behind an outbox, heat after heat, until the outbox ends.
pub async fn run(seat: BotSeat, outbox: Arc<Outbox>, permits: ThinkPermits) {
    debug!(room = %seat.room, bot = %seat.id, skill = %seat.skill, "house bot started");
    let mut bot = HouseBot { seat, permits, turn: TurnState::Idle, due: None };
    loop {
        // Messages first: a bot that is told that the heat is over plays no further move.
        tokio::select! {
            biased;
            () = outbox.ready() => {
                let batch = outbox.take(ServerInstant::default());
                batch.messages.iter().for_each(|message| bot.on_message(message));
                if batch.ending.is_some() {
                    return;
                }
            }
            event = bot.turn.next_event() => bot.advance(event),
        }
    }
}

struct HouseBot {
    seat: BotSeat,
    permits: ThinkPermits,
    turn: TurnState,
    /// When the latest move of the race that was chosen is due, or was.
    due: Option<ServerInstant>,
}

struct BoardView {
    policy: Bot,
    play: Optimistic,
}

type Decided = Result<(Box<BoardView>, Result<Decision, Unsolved>), JoinError>;

enum TurnState {
    Idle,
    Deciding(JoinHandle<Decided>),
    /// It has chosen a move, and waits as long as its skill takes.
    Delaying(Box<BoardView>, Move, Pin<Box<Sleep>>),
    AwaitingAnswer(Box<BoardView>),
}

enum TurnEvent {
    Decided(Decided),
    DelayElapsed,
}

impl TurnState {
    /// Waits for the end of the present state; for ever if a message ends it. Cancel safe.
    async fn next_event(&mut self) -> TurnEvent {
        match self {
            Self::Deciding(task) => TurnEvent::Decided(task.await.and_then(|decided| decided)),
            Self::Delaying(_, _, time) => {
                time.await;
                TurnEvent::DelayElapsed
            }
            Self::Idle | Self::AwaitingAnswer(_) => std::future::pending().await,
        }
    }

    fn take(&mut self) -> Self {
        std::mem::replace(self, Self::Idle)
    }
}

impl HouseBot {
    fn advance(&mut self, event: TurnEvent) {
        match (event, self.turn.take()) {
            (TurnEvent::Decided(Ok((view, Ok(decision)))), _) => {
                // The pace of its skill, whatever the decision and the answer to the last move took.
                let now = self.seat.clock.now();
                let delay = |due: ServerInstant| now.since(due).saturating_sub(MAX_CATCH_UP);
                let last = self.due.map_or(now, |due| due + delay(due));
                let due = *self.due.insert(last + Duration::from_millis(decision.after.0));
                let time = Box::pin(tokio::time::sleep_until(self.seat.clock.timer(due)));
                self.turn = TurnState::Delaying(view, decision.play, time);
            }
            (TurnEvent::Decided(Ok((_, Err(error)))), _) => {
                warn!(room = %self.seat.room, bot = %self.seat.id, %error, "house bot found no move");
            }
            (TurnEvent::Decided(Err(error)), _) => {
                warn!(room = %self.seat.room, bot = %self.seat.id, %error, "house bot panicked");
            }
            (TurnEvent::DelayElapsed, TurnState::Delaying(mut view, play, _)) => {
                let Some(seq) = view.play.play(play.clone()) else {
                    warn!(room = %self.seat.room, bot = %self.seat.id, "house bot chose no legal move");
                    return;
                };
                self.turn = TurnState::AwaitingAnswer(view);
                (self.seat.play)(seq, play);
            }
            (
                TurnEvent::DelayElapsed,
                TurnState::Idle | TurnState::Deciding(_) | TurnState::AwaitingAnswer(_),
            ) => {}
        }
    }

    fn on_message(&mut self, message: &ServerMessage) {
        if let ServerMessage::Phase(phase) = message {
            self.on_phase(phase);
        } else if let ServerMessage::Joined { room, .. } = message {
            self.resume_race(room);
        } else if let ServerMessage::Accepted { seq, moves, .. } = message {
            self.on_answer(|play| play.accepted(*seq, *moves));
        } else if let ServerMessage::Rejected { seq, .. } = message {
            // Nothing but the bot itself changes its board, so this is rare.
            self.on_answer(|play| play.rejected(*seq));
        }
    }

    fn on_phase(&mut self, phase: &Phase) {
        match phase {
            Phase::Running { start, .. } => {
                self.due = None;
                let policy = self.policy(start);
                let play = Optimistic::new(start.clone());
                self.decide(Box::new(BoardView { policy, play }));
            }
            Phase::Lobby | Phase::Drawing | Phase::Countdown { .. } | Phase::Over(_) => {
                self.turn = TurnState::Idle;
            }
        }
    }

    /// Continues a heat that began under another server.
    fn resume_race(&mut self, heat: &Snapshot) {
        if let (Some(seat), Phase::Running { start, .. }) = (&heat.seat, &heat.phase) {
            let policy = self.policy(start);
            let mut play = Optimistic::new(seat.board.clone());
            play.resync(seat);
            self.decide(Box::new(BoardView { policy, play }));
        }
    }

    /// Makes the bot that this seat has on a board: the same after a restart of the server.
    fn policy(&self, start: &Board) -> Bot {
        Bot::of_seat(self.seat.skill, start, self.seat.id.0)
    }

    /// Applies the answer to a move, and decides on the next one.
    fn on_answer(&mut self, apply: impl FnOnce(&mut Optimistic)) {
        match self.turn.take() {
            TurnState::AwaitingAnswer(mut view) => {
                apply(&mut view.play);
                if view.play.is_settled() {
                    self.decide(view);
                } else {
                    self.turn = TurnState::AwaitingAnswer(view);
                }
            }
            other @ (TurnState::Idle | TurnState::Deciding(_) | TurnState::Delaying(..)) => {
                self.turn = other;
            }
        }
    }

    /// Decides on a blocking thread: a deep search takes milliseconds.
    fn decide(&mut self, mut view: Box<BoardView>) {
        if view.play.board().is_solved() {
            self.turn = TurnState::Idle;
            return;
        }
        let ThinkPermits { permits, environment, tables } = self.permits.clone();
        self.turn = TurnState::Deciding(tokio::spawn(async move {
            let permit = permits.acquire_owned().await;
            let decided = environment.spawn_blocking(move || {
                let decision = view.policy.decide(view.play.board(), &tables.solvers());
                drop(permit);
                (view, decision)
            });
            decided.await
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::room::services::Services;
    use gridrace_shared::puzzle::MoveCount;
    use gridrace_shared::puzzle::id::PuzzleId;
    use gridrace_shared::util::time::HeatInstant;
    use tokio::sync::mpsc;

    #[tokio::test(start_paused = true)]
    async fn a_bot_keeps_its_pace_whatever_the_answers_to_its_moves_take() {
        const ANSWER: Duration = Duration::from_millis(20);
        let services = Services::for_test();
        let start: Board = "slide:4x4#friday".parse::<PuzzleId>().unwrap().board().unwrap();
        let (id, skill) = (PlayerId(1), Skill::Expert);
        let (played, mut moves) = mpsc::unbounded_channel();
        let clock = services.clock;
        let play: PlayMove = Box::new(move |seq, play| drop(played.send((clock.now(), seq, play))));
        let outbox = Arc::new(Outbox::default());
        let seat = BotSeat { room: "KQZT".parse().unwrap(), id, skill, play, clock };
        let bot = tokio::spawn(run(seat, Arc::clone(&outbox), services.think_permits.clone()));
        let (go, ends) = (HeatInstant(0), HeatInstant(u64::MAX));
        outbox.push(ServerMessage::Phase(Phase::Running { go, ends, start: start.clone() }));
        let (mut policy, mut board) = (Bot::of_seat(skill, &start, id.0), start);
        let (mut due, mut count) = (clock.now(), MoveCount::default());
        for _ in 0..10 {
            let decision = policy.decide(&board, &services.tables.solvers()).unwrap();
            due = due + Duration::from_millis(decision.after.0);
            let (at, seq, play) = moves.recv().await.unwrap();
            assert_eq!((at, &play), (due, &decision.play), "{seq:?}");
            count += board.play(&play).unwrap();
            tokio::time::sleep(ANSWER).await;
            outbox.push(ServerMessage::Accepted { seq, at: HeatInstant(0), moves: count });
        }
        bot.abort();
    }
}
