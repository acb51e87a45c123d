//! The server's own bots: members like everybody else, without a socket.

use crate::background::solver_tables::SolverTables;
use crate::platform::environment::hold_up;
use crate::platform::rng;
use crate::race::Event;
use crate::room::Room;
use crate::room::outbox::Outbox;
use gridrace_shared::bot::{Bot, Decision, Skill};
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::{Phase, Snapshot};
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::solver::budget::Unsolved;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::Sleep;
use tracing::{debug, warn};

/// How many bots may think at the same instant, of all heats: one a core but one, so that
/// a server full of masters slows its bots down and not its races.
#[derive(Debug, Clone)]
pub struct ThinkPermits {
    places: Arc<Semaphore>,
    shelf: SolverTables,
}

impl ThinkPermits {
    /// Makes room for as many as this machine's cores carry. They think with what is on
    /// the shelf.
    #[must_use]
    pub fn for_this_machine(shelf: SolverTables) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { places: Arc::new(Semaphore::new(cores.saturating_sub(1).max(1))), shelf }
    }
}

/// Plays heat after heat behind an outbox, until the outbox ends.
pub async fn run(
    heat: Arc<Room>,
    id: PlayerId,
    skill: Skill,
    outbox: Arc<Outbox>,
    think_permits: ThinkPermits,
) {
    debug!(heat = %heat.code(), bot = %id, %skill, "a bot takes its seat");
    let mut player = Player { heat, id, skill, think_permits, hand: Hand::Resting };
    loop {
        // News come first: a bot that is told that the heat is over plays no further move.
        tokio::select! {
            biased;
            () = outbox.ready() => {
                let news = outbox.take();
                news.frames.iter().for_each(|frame| player.listen(frame.message()));
                if news.ending.is_some() {
                    return;
                }
            }
            done = player.hand.done() => player.advance(done),
        }
    }
}

struct Player {
    heat: Arc<Room>,
    id: PlayerId,
    skill: Skill,
    think_permits: ThinkPermits,
    hand: Hand,
}

/// One heat as the bot sees it.
struct Sight {
    mind: Bot,
    board: Board,
    /// The number of the last move that was accepted.
    seq: Seq,
}

type Thought = Result<(Box<Sight>, Result<Decision, Unsolved>), JoinError>;

/// What the bot is at.
enum Hand {
    /// There is no race, or none any more.
    Resting,
    /// It decides on a move.
    Thinking(JoinHandle<Thought>),
    /// It has decided, and takes the time that its skill takes.
    Reaching(Box<Sight>, Move, Pin<Box<Sleep>>),
    /// The move is sent, and not answered yet.
    Sent(Box<Sight>, Move),
}

/// What has come to its end in the bot's hand.
enum Done {
    Thought(Thought),
    Reached,
}

impl Hand {
    /// Waits for what the bot is at; for ever while it rests or waits for an answer. Safe
    /// to cancel.
    async fn done(&mut self) -> Done {
        match self {
            Self::Thinking(thought) => Done::Thought(thought.await.and_then(|thought| thought)),
            Self::Reaching(_, _, time) => {
                time.await;
                Done::Reached
            }
            Self::Resting | Self::Sent(..) => std::future::pending().await,
        }
    }

    fn take(&mut self) -> Self {
        std::mem::replace(self, Self::Resting)
    }
}

impl Player {
    fn advance(&mut self, done: Done) {
        match (done, self.hand.take()) {
            (Done::Thought(Ok((sight, Ok(decision)))), _) => {
                let time = Box::pin(tokio::time::sleep(Duration::from_millis(decision.after.0)));
                self.hand = Hand::Reaching(sight, decision.play, time);
            }
            (Done::Thought(Ok((_, Err(error)))), _) => {
                warn!(heat = %self.heat.code(), bot = %self.id, %error, "a bot is at a loss");
            }
            (Done::Thought(Err(error)), _) => {
                warn!(heat = %self.heat.code(), bot = %self.id, %error, "a bot lost its mind");
            }
            (Done::Reached, Hand::Reaching(sight, play, _)) => {
                let seq = sight.seq.next();
                self.hand = Hand::Sent(sight, play.clone());
                self.heat.apply(Event::Move { by: self.id, seq, play });
            }
            (Done::Reached, Hand::Resting | Hand::Thinking(_) | Hand::Sent(..)) => {}
        }
    }

    fn listen(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Phase(phase) => self.follow(phase),
            ServerMessage::Joined { heat, .. } => self.resume_race(heat),
            ServerMessage::Accepted { seq, .. } => self.accepted(*seq),
            ServerMessage::Rejected { seq, .. } => self.rejected(*seq),
            ServerMessage::Welcome { .. }
            | ServerMessage::Pong { .. }
            | ServerMessage::Heats(_)
            | ServerMessage::Token { .. }
            | ServerMessage::Refused(_)
            | ServerMessage::Resync(_)
            | ServerMessage::Roster(_)
            | ServerMessage::Setup(_)
            | ServerMessage::Standings(_)
            | ServerMessage::Moves(_)
            | ServerMessage::Hint { .. }
            | ServerMessage::Rated { .. }
            | ServerMessage::Results(_)
            | ServerMessage::Unrecorded
            | ServerMessage::Recorded
            | ServerMessage::Goodbye(_) => {}
        }
    }

    fn follow(&mut self, phase: &Phase) {
        match phase {
            Phase::Running { start, .. } => {
                let mind = Bot::new(self.skill, &rng::seed());
                self.think(Box::new(Sight { mind, board: start.clone(), seq: Seq(0) }));
            }
            Phase::Lobby | Phase::Drawing | Phase::Countdown { .. } | Phase::Over(_) => {
                self.hand = Hand::Resting;
            }
        }
    }

    /// Takes up a race that began under another server.
    fn resume_race(&mut self, heat: &Snapshot) {
        if let Some(seat) = &heat.seat {
            self.think(Box::new(Sight {
                mind: Bot::new(self.skill, &rng::seed()),
                board: seat.board.clone(),
                seq: seat.seq,
            }));
        }
    }

    fn accepted(&mut self, seq: Seq) {
        if let Some((mut sight, play)) = self.answered(seq) {
            sight.seq = seq;
            if sight.board.play(&play).is_ok() {
                self.think(sight);
            }
        }
    }

    /// Thinks again: nothing but the bot itself changes its board, so this is rare.
    fn rejected(&mut self, seq: Seq) {
        if let Some((sight, _)) = self.answered(seq) {
            self.think(sight);
        }
    }

    /// Takes the move that is sent out of the hand, if the answer is about it.
    fn answered(&mut self, seq: Seq) -> Option<(Box<Sight>, Move)> {
        match self.hand.take() {
            Hand::Sent(sight, play) if sight.seq.next() == seq => Some((sight, play)),
            other @ (Hand::Resting | Hand::Thinking(_) | Hand::Reaching(..) | Hand::Sent(..)) => {
                self.hand = other;
                None
            }
        }
    }

    /// Thinks where it holds up no socket: a deep look takes milliseconds.
    fn think(&mut self, mut sight: Box<Sight>) {
        if sight.board.is_solved() {
            self.hand = Hand::Resting;
            return;
        }
        let ThinkPermits { places, shelf } = self.think_permits.clone();
        self.hand = Hand::Thinking(tokio::spawn(async move {
            let place = places.acquire_owned().await;
            let decided = hold_up(move || {
                let decision = sight.mind.decide(&sight.board, &shelf.solvers());
                drop(place);
                (sight, decision)
            });
            decided.await
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::{Hub, StandingRoom};
    use crate::platform::clock::Clock;
    use crate::race::Newcomer;
    use crate::tables::TableStore;
    use gridrace_shared::heat::options::HeatOptions;
    use gridrace_shared::heat::standings::State;
    use gridrace_shared::protocol::client::Role;
    use gridrace_shared::protocol::snapshot::HeatResult;

    /// Waits for the end of the heat as somebody who watches it.
    async fn result(outbox: &Outbox) -> HeatResult {
        loop {
            outbox.ready().await;
            for frame in outbox.take().frames {
                if let ServerMessage::Phase(Phase::Over(result)) = frame.message() {
                    return result.clone();
                }
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn bots_play_heat_after_heat_until_everybody_has_left() {
        let options = HeatOptions::new("slide:3x3".parse().unwrap());
        let bots = vec![Skill::Master, Skill::Beginner];
        let standing = StandingRoom { options, seed: None, bots, pin: None };
        let (hub, codes) = Hub::new(Clock::start(), TableStore::default(), vec![standing]).unwrap();
        let heat = hub.find(codes[0]).unwrap();
        let outbox = Arc::new(Outbox::default());
        let name = "Anna".parse().unwrap();
        let by = heat
            .join(
                &outbox,
                Newcomer { role: Role::Spectator, ..Newcomer::person(name) },
                crate::platform::rng::token(),
            )
            .unwrap();
        for _ in 0..2 {
            heat.apply(Event::Start { by });
            let standings = result(&outbox).await.standings;
            let finished = |state| matches!(state, State::Finished { .. });
            assert!(standings.iter().all(|row| finished(row.state)), "{standings:?}");
            let secret = rng::draw(None);
            heat.apply(Event::Rematch { by: Some(by), secret });
        }
        heat.apply(Event::Leave { by });
        hub.close_if_empty(&heat);
        while Arc::strong_count(&heat) > 1 {
            tokio::task::yield_now().await;
        }
    }
}
