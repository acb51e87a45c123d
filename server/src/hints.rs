//! The solver pool: a few workers and a bounded queue, outside every heat.

use crate::heat::Heat;
use crate::metrics::Metrics;
use crate::race::{Event, HintFault, Question};
use crate::shelf::Shelf;
use crate::simulated::hold_up;
use crate::tables::step_back_once;
use gridrace_shared::hint::{Answer, Spent};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};

/// Requests that may wait: what the workers answer within a few seconds.
const QUEUE: usize = 64;
/// How long work that is less urgent waits for hints at most, at a time: it is to get on
/// where hints are asked for without a pause, too.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// A question of a player's.
#[derive(Debug)]
pub struct HintJob {
    /// The heat that is to get the answer.
    pub heat: Arc<Heat>,
    /// What is asked.
    pub question: Box<Question>,
}

/// A handle on the pool; the pool ends with its last handle.
#[derive(Debug, Clone)]
pub struct HintPool {
    jobs: mpsc::Sender<(HintJob, Place)>,
    at_work: Arc<AtWork>,
}

/// How many questions wait or are being answered.
#[derive(Debug, Default)]
struct AtWork {
    count: Mutex<usize>,
    none: Condvar,
}

/// One of those; dropping it is the end of it.
#[derive(Debug)]
struct Place(Arc<AtWork>);

impl HintPool {
    /// Starts a pool with a worker for every core but one, which is left to the races.
    #[must_use]
    pub fn start(shelf: Shelf, metrics: Metrics) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let (jobs, waiting) = mpsc::channel(QUEUE);
        tokio::spawn(work(
            waiting,
            shelf,
            metrics,
            cores.saturating_sub(1).max(1),
        ));
        Self {
            jobs,
            at_work: Arc::default(),
        }
    }

    /// Takes a job, or hands it back where the queue is full.
    ///
    /// # Errors
    /// The job itself.
    pub fn submit(&self, job: HintJob) -> Result<(), HintJob> {
        let place = Place::new(&self.at_work);
        self.jobs
            .try_send((job, place))
            .map_err(|refused| match refused {
                mpsc::error::TrySendError::Full((job, _))
                | mpsc::error::TrySendError::Closed((job, _)) => job,
            })
    }

    /// Waits, for a second at most, while hints are asked for. For threads of their own.
    pub fn wait_while_busy(&self) {
        let AtWork { count, none } = &*self.at_work;
        let count = count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = none.wait_timeout_while(count, LONGEST_WAIT, |count| *count > 0);
        drop(waited);
    }
}

impl Place {
    fn new(at_work: &Arc<AtWork>) -> Self {
        *at_work.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Self(Arc::clone(at_work))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.none.notify_all();
    }
}

async fn work(
    mut jobs: mpsc::Receiver<(HintJob, Place)>,
    shelf: Shelf,
    metrics: Metrics,
    workers: usize,
) {
    let workers = Arc::new(Semaphore::new(workers));
    while let Some((job, place)) = jobs.recv().await {
        let Ok(worker) = Arc::clone(&workers).acquire_owned().await else {
            return;
        };
        let (shelf, metrics) = (shelf.clone(), metrics.clone());
        tokio::spawn(async move {
            answer(job, shelf, &metrics).await;
            drop((worker, place));
        });
    }
}

async fn answer(job: HintJob, shelf: Shelf, metrics: &Metrics) {
    let HintJob { heat, question } = job;
    let Question {
        player,
        number,
        after,
        board,
        before,
        known,
    } = *question;
    let clock = heat.clock();
    let asked = move || {
        // Races go first: a hint may take a moment longer, a move may not.
        step_back_once();
        let (began, mut spent) = (clock.now(), Spent::default());
        let solvers = shelf.solvers();
        let answer = Answer::find_counting(&board, before.as_ref(), &known, &solvers, &mut spent);
        let thought = Duration::from_micros(clock.now().0 - began.0);
        (answer, thought, spent)
    };
    let (outcome, thought, spent) = match hold_up(asked).await {
        Ok((answer, thought, spent)) => (answer.map_err(HintFault::Unsolved), thought, spent),
        // The solver broke on this board; whoever waits is told at least that.
        Err(_) => (Err(HintFault::Busy), Duration::ZERO, Spent::default()),
    };
    metrics.hint(&outcome, thought, spent.0);
    heat.apply(Event::Hinted {
        by: player,
        number,
        after,
        outcome,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::hub::Hub;
    use crate::outbox::Outbox;
    use crate::tables::TableStore;
    use gridrace_shared::hint::Hint;
    use gridrace_shared::known::Known;
    use gridrace_shared::name::{PlayerId, Seq};
    use gridrace_shared::options::HeatOptions;
    use gridrace_shared::protocol::server::ServerMessage;

    fn heat() -> (Hub, Arc<Heat>) {
        let (hub, _) = Hub::new(Clock::start(), TableStore::default(), Vec::new()).unwrap();
        let options = HeatOptions::new("slide:16x16".parse().unwrap());
        let heat = hub.open(options, None).unwrap();
        (hub, heat)
    }

    #[tokio::test]
    async fn of_a_thousand_requests_as_many_wait_as_the_queue_holds_and_the_others_come_back() {
        let (_hub, heat) = heat();
        let pool = HintPool::start(Shelf::of(TableStore::default()), Metrics::new());
        let spec: gridrace_shared::puzzle::PuzzleSpec = "slide:3x3".parse().unwrap();
        let board = spec.board(&"friday".parse().unwrap());
        let job = |player| HintJob {
            heat: Arc::clone(&heat),
            question: Box::new(Question {
                player: PlayerId(player),
                number: 1,
                after: Seq(0),
                board: board.clone(),
                before: None,
                known: Known::Slide,
            }),
        };
        // The workers have no turn before this test waits for something.
        let taken = (0..1_000)
            .filter(|&player| pool.submit(job(player)).is_ok())
            .count();
        assert_eq!(taken, QUEUE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_hint_comes_back_on_the_largest_board() {
        let (_hub, heat) = heat();
        let outbox = Arc::new(Outbox::default());
        let by = heat
            .join(
                &outbox,
                crate::race::Newcomer::person("Anna".parse().unwrap()),
                crate::entropy::token(),
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
                    let Hint::Slide(hint) = hint else {
                        panic!("{hint:?}")
                    };
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
