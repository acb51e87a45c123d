//! The solver pool: a few workers and a bounded queue, outside every heat.

use crate::background::idle_pool::{Labour, Spare};
use crate::background::solver_tables::Shelf;
use crate::race::{Event, HintError, HintRequest};
use crate::room::Room;
use crate::telemetry::metrics::Metrics;
use gridrace_shared::solver::hint::{Answer, Spent, Unsolved};
use std::sync::Arc;
use std::time::Duration;

/// Requests that may wait: what the workers answer within a few seconds.
const QUEUE: usize = 64;
/// How long the workers may get nowhere, until a thread that takes more steps in: some hints of
/// the worst boards.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long work that is less urgent waits for hints at most, at a time: it is to get on
/// where hints are asked for without a pause, too.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// A question of a player's.
#[derive(Debug)]
pub struct HintJob {
    /// The heat that is to get the answer.
    pub heat: Arc<Room>,
    /// What is asked.
    pub question: Box<HintRequest>,
}

/// A handle on the pool; the pool ends with its last handle.
#[derive(Debug, Clone)]
pub struct HintPool(Spare<Hints>);

impl HintPool {
    /// Starts a pool with a worker for every core but one. Races go first: a hint may take a
    /// moment longer, a move may not. Must be called inside a tokio runtime.
    #[must_use]
    pub fn start(shelf: Shelf, metrics: Metrics) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let workers = cores.saturating_sub(1).max(1);
        let hints = Hints { shelf, metrics };
        Self(Spare::start("hints", hints, workers, QUEUE, PATIENCE))
    }

    /// Takes a job, or hands it back where the queue is full.
    ///
    /// # Errors
    /// The job itself.
    pub fn submit(&self, job: HintJob) -> Result<(), HintJob> {
        self.0.submit(job)
    }

    /// Waits, for a second at most, while hints are asked for. For threads of their own.
    pub fn wait_while_busy(&self) {
        self.0.wait_until_done(LONGEST_WAIT);
    }
}

/// How hints are found.
struct Hints {
    shelf: Shelf,
    metrics: Metrics,
}

/// What the solver says, how long it thought, and what that took.
type Thought = (Result<Answer, Unsolved>, Duration, Spent);

impl Labour for Hints {
    type Job = HintJob;
    type Fruit = Thought;

    fn labour(&self, job: &HintJob, _: &dyn Fn()) -> Thought {
        let HintRequest { board, before, known, .. } = &*job.question;
        let clock = job.heat.clock();
        let (began, mut spent) = (clock.now(), Spent::default());
        let solvers = self.shelf.solvers();
        let answer = Answer::find_counting(board, before.as_ref(), known, &solvers, &mut spent);
        let thought = Duration::from_micros(clock.now().0 - began.0);
        (answer, thought, spent)
    }

    fn reap(&self, job: &HintJob, thought: Option<Thought>) {
        let (outcome, thought, spent) = match thought {
            Some((answer, thought, spent)) => (answer.map_err(HintError::Unsolved), thought, spent),
            // The solver broke on this board; whoever waits is told at least that.
            None => (Err(HintError::Busy), Duration::ZERO, Spent::default()),
        };
        self.metrics.hint(&outcome, thought, spent.0);
        let event = Event::Hinted {
            by: job.question.player,
            number: job.question.number,
            after: job.question.after,
            outcome,
        };
        // A thread that steps back is not to hold a heat's lock.
        let heat = Arc::clone(&job.heat);
        job.heat.home().spawn(async move { heat.apply(event) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::Hub;
    use crate::platform::clock::Clock;
    use crate::room::outbox::Outbox;
    use crate::tables::TableStore;
    use gridrace_shared::heat::options::HeatOptions;
    use gridrace_shared::protocol::server::ServerMessage;
    use gridrace_shared::solver::hint::Hint;

    fn heat() -> (Hub, Arc<Room>) {
        let (hub, _) = Hub::new(Clock::start(), TableStore::default(), Vec::new()).unwrap();
        let options = HeatOptions {
            countdown_seconds: 1,
            ..HeatOptions::new("slide:16x16".parse().unwrap())
        };
        let heat = hub.open(options, None).unwrap();
        (hub, heat)
    }

    #[tokio::test]
    async fn a_hint_comes_back_on_the_largest_board() {
        let (_hub, heat) = heat();
        let outbox = Arc::new(Outbox::default());
        let by = heat
            .join(
                &outbox,
                crate::race::Newcomer::person("Anna".parse().unwrap()),
                crate::platform::rng::token(),
            )
            .unwrap();
        heat.apply(Event::Start { by });
        let mut asked = false;
        loop {
            outbox.ready().await;
            for frame in outbox.take().frames {
                let message = frame.message();
                assert!(!matches!(message, ServerMessage::Refused(_)), "{message:?}");
                if let ServerMessage::Hint { hint, taken, .. } = message {
                    let Hint::Slide(hint) = hint else { panic!("{hint:?}") };
                    assert!(0 < hint.at_least && hint.at_least <= hint.at_most);
                    assert_eq!(*taken, 1);
                    return;
                }
                let runs = matches!(message, ServerMessage::Standings(_));
                if runs && !std::mem::replace(&mut asked, true) {
                    heat.apply(Event::Hint { by });
                }
            }
        }
    }
}
