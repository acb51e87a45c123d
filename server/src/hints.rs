//! The solver pool: a few workers and a bounded queue, outside every heat.

use crate::heat::Heat;
use crate::race::{Event, HintFault};
use gridrace_shared::hint::{Guide, HINT_BUDGET};
use gridrace_shared::name::PlayerId;
use gridrace_shared::puzzle::Board;
use std::sync::Arc;
use tokio::sync::{Semaphore, mpsc};

/// Requests that may wait: what the workers answer within a second on the largest board.
const QUEUE: usize = 64;
/// How deep a hint looks for a shorter way, in moves: what a glance can follow.
const SIGHT: u8 = 8;

/// A board to plan for.
#[derive(Debug)]
pub struct HintJob {
    /// The heat that is to get the answer.
    pub heat: Arc<Heat>,
    /// For whom.
    pub player: PlayerId,
    /// Which heat of the group it is for.
    pub number: u32,
    /// The board.
    pub board: Board,
}

/// A handle on the pool; the pool ends with its last handle.
#[derive(Debug, Clone)]
pub struct HintPool(mpsc::Sender<HintJob>);

impl HintPool {
    /// Starts a pool with a worker for every core but one, which is left to the races.
    #[must_use]
    pub fn start() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let (sender, jobs) = mpsc::channel(QUEUE);
        tokio::spawn(work(jobs, cores.saturating_sub(1).max(1)));
        Self(sender)
    }

    /// Takes a job, or hands it back where the queue is full.
    ///
    /// # Errors
    /// The job itself.
    pub fn submit(&self, job: HintJob) -> Result<(), HintJob> {
        self.0.try_send(job).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(job) | mpsc::error::TrySendError::Closed(job) => job,
        })
    }
}

async fn work(mut jobs: mpsc::Receiver<HintJob>, workers: usize) {
    let workers = Arc::new(Semaphore::new(workers));
    while let Some(job) = jobs.recv().await {
        let Ok(worker) = Arc::clone(&workers).acquire_owned().await else {
            return;
        };
        tokio::spawn(async move {
            answer(job).await;
            drop(worker);
        });
    }
}

async fn answer(job: HintJob) {
    let HintJob {
        heat,
        player,
        number,
        board,
    } = job;
    let planned = tokio::task::spawn_blocking(move || Guide::plan(&board, SIGHT, HINT_BUDGET));
    let outcome = match planned.await {
        Ok(planned) => planned.map_err(HintFault::Unsolved),
        // The solver broke on this board; whoever waits is told at least that.
        Err(_) => Err(HintFault::Busy),
    };
    heat.apply(Event::Hinted {
        by: player,
        number,
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
    use gridrace_shared::options::HeatOptions;
    use gridrace_shared::protocol::client::Role;
    use gridrace_shared::protocol::server::ServerMessage;

    fn heat() -> (Hub, Arc<Heat>) {
        let (hub, _) = Hub::new(Clock::start(), TableStore::default(), Vec::new()).unwrap();
        let options = HeatOptions::new("slide:16x16".parse().unwrap());
        let heat = hub.open(options, None).unwrap();
        (hub, heat)
    }

    #[tokio::test]
    async fn a_full_queue_hands_the_job_back() {
        let (_hub, heat) = heat();
        let pool = HintPool::start();
        let spec: gridrace_shared::puzzle::PuzzleSpec = "slide:3x3".parse().unwrap();
        let board = spec.board(&"friday".parse().unwrap());
        let job = |player| HintJob {
            heat: Arc::clone(&heat),
            player: PlayerId(player),
            number: 1,
            board: board.clone(),
        };
        // The workers have no turn before this test waits for something.
        let taken = (0..)
            .take_while(|&player| pool.submit(job(player)).is_ok())
            .count();
        assert_eq!(taken, QUEUE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_hint_comes_back_on_the_largest_board() {
        let (_hub, heat) = heat();
        let outbox = Arc::new(Outbox::default());
        let by = heat
            .join(&outbox, "Anna".parse().unwrap(), false, Role::Player)
            .unwrap();
        heat.apply(Event::Start { by });
        let mut asked = false;
        loop {
            outbox.ready().await;
            for frame in outbox.take().frames {
                let message = frame.message();
                assert!(!matches!(message, ServerMessage::Refused(_)), "{message:?}");
                if let ServerMessage::Hint { hint, taken, .. } = message {
                    assert!(hint.remaining > 0);
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
