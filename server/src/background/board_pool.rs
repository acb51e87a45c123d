//! The board generators: two bounded queues, each with its own workers.

use crate::background::{QueueFull, WorkerPanicked};
use crate::platform::environment::Environment;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::seed::Seed;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Semaphore, mpsc};
use tracing::error;

/// Requests that may wait in the queue of small boards: one for every third room at the same
/// instant. Most boards take less than a millisecond.
const SMALL_BOARD_QUEUE: usize = 2_048;
/// Requests that may wait in the queue of large boards: the largest take seconds each.
const LARGE_BOARD_QUEUE: usize = 256;

/// A request for a board.
pub(crate) struct BoardJob {
    /// The room that asks: it has one place in the queue, and a later request takes it over.
    pub(crate) room: RoomCode,
    pub(crate) spec: PuzzleSpec,
    pub(crate) seed: Seed,
    /// Whether the answer is still wanted. Asked before and during the work.
    pub(crate) is_wanted: Box<dyn Fn() -> bool + Send>,
    /// Takes the board. Dropped without a call if the board is no longer wanted.
    pub(crate) reply: Box<dyn FnOnce(Result<GeneratedBoard, WorkerPanicked>) + Send>,
}

impl fmt::Debug for BoardJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The seed is secret.
        f.debug_struct("BoardJob").field("room", &self.room).finish_non_exhaustive()
    }
}

/// A board generator, which stops with `None` once its third argument returns false.
type Generator =
    dyn Fn(&PuzzleSpec, &Seed, &dyn Fn() -> bool) -> Option<GeneratedBoard> + Send + Sync;

/// A handle on the workers, which end with the last handle.
#[derive(Debug, Clone)]
pub(crate) struct BoardPool {
    small: BoardQueue,
    large: BoardQueue,
}

impl BoardPool {
    /// Starts a worker for each core but one, which is left to the races, and at least one for
    /// each queue. Half of them serve small boards only. Must be called inside a tokio runtime.
    pub(crate) fn start(environment: &Environment) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let small = (cores / 2).max(1);
        let large = cores.saturating_sub(1 + small).max(1);
        Self::with_generator(environment, [small, large], GeneratedBoard::of_while)
    }

    /// Starts this many workers for small and for large boards.
    fn with_generator(
        environment: &Environment,
        workers: [usize; 2],
        generate: impl Fn(&PuzzleSpec, &Seed, &dyn Fn() -> bool) -> Option<GeneratedBoard>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let generate: Arc<Generator> = Arc::new(generate);
        let open = |capacity, workers| {
            let (queue, places) = BoardQueue::new(capacity);
            let waiting = Arc::clone(&queue.waiting);
            let generate = Arc::clone(&generate);
            tokio::spawn(dispatch(environment.clone(), places, waiting, workers, generate));
            queue
        };
        let [small, large] = workers;
        Self { small: open(SMALL_BOARD_QUEUE, small), large: open(LARGE_BOARD_QUEUE, large) }
    }

    /// A pool whose queues are full.
    #[cfg(test)]
    pub(crate) fn full() -> Self {
        let full = || BoardQueue::new(1).0; // closed, as its receiver is dropped
        Self { small: full(), large: full() }
    }

    /// Queues a job in place of one of the same room that still waits.
    pub(crate) fn submit(&self, job: BoardJob) -> Result<(), QueueFull> {
        let queue = if job.spec.is_costly_to_generate() { &self.large } else { &self.small };
        queue.put(job)
    }
}

type Waiting = Arc<Mutex<VecDeque<BoardJob>>>;

/// Jobs in the order of their arrival, at most one a room.
#[derive(Debug, Clone)]
struct BoardQueue {
    waiting: Waiting,
    /// Holds one item for each job that waits; closes with the last handle.
    places: mpsc::Sender<()>,
}

impl BoardQueue {
    /// Makes a queue, and the receiver of an item for each job.
    fn new(capacity: usize) -> (Self, mpsc::Receiver<()>) {
        let (places, taken) = mpsc::channel(capacity);
        (Self { waiting: Arc::default(), places }, taken)
    }

    fn put(&self, job: BoardJob) -> Result<(), QueueFull> {
        let mut waiting = lock(&self.waiting);
        if let Some(other) = waiting.iter_mut().find(|other| other.room == job.room) {
            *other = job;
            return Ok(());
        }
        if self.places.try_send(()).is_err() {
            return Err(QueueFull);
        }
        waiting.push_back(job);
        Ok(())
    }
}

fn lock(waiting: &Mutex<VecDeque<BoardJob>>) -> MutexGuard<'_, VecDeque<BoardJob>> {
    // No code under the lock panics between two changes, so a poisoned lock holds whole jobs.
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn dispatch(
    environment: Environment,
    mut places: mpsc::Receiver<()>,
    waiting: Waiting,
    workers: usize,
    generate: Arc<Generator>,
) {
    let workers = Arc::new(Semaphore::new(workers));
    while let Some(()) = places.recv().await {
        let Ok(worker) = Arc::clone(&workers).acquire_owned().await else {
            return;
        };
        // Taken only now, so that a job can be replaced until a worker begins it.
        let Some(job) = lock(&waiting).pop_front() else {
            continue;
        };
        let (environment, generate) = (environment.clone(), Arc::clone(&generate));
        tokio::spawn(async move {
            run(&environment, job, generate).await;
            drop(worker);
        });
    }
}

async fn run(environment: &Environment, job: BoardJob, generate: Arc<Generator>) {
    let BoardJob { room, spec, seed, is_wanted, reply } = job;
    if !is_wanted() {
        return;
    }
    match environment.spawn_blocking(move || generate(&spec, &seed, &is_wanted)).await {
        Ok(Some(drawn)) => reply(Ok(drawn)),
        Ok(None) => {} // no longer wanted
        Err(_) => {
            error!(%room, %spec, "board generator panicked");
            reply(Err(WorkerPanicked));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use tokio::sync::oneshot;

    type Answer = oneshot::Receiver<Result<GeneratedBoard, WorkerPanicked>>;

    fn job(room: u32, spec: &str) -> (BoardJob, Answer) {
        let (reply, answer) = oneshot::channel();
        let job = BoardJob {
            room: RoomCode::from_number(room),
            spec: spec.parse().unwrap(),
            seed: "friday".parse().unwrap(),
            is_wanted: Box::new(|| true),
            reply: Box::new(move |drawn| drop(reply.send(drawn))),
        };
        (job, answer)
    }

    fn submit(pool: &BoardPool, room: u32, spec: &str) -> Answer {
        let (job, answer) = job(room, spec);
        pool.submit(job).unwrap();
        answer
    }

    #[tokio::test]
    async fn small_boards_are_generated_while_large_ones_hold_all_their_workers() {
        let (gate, closed) = std::sync::mpsc::channel::<()>();
        let closed = Mutex::new(closed);
        let (began, mut begun) = mpsc::unbounded_channel();
        let pool = BoardPool::with_generator(
            &Environment::default(),
            [1, 1],
            move |spec, seed, _: &dyn Fn() -> bool| {
                if spec.to_string() == "link:20x20" {
                    began.send(()).ok();
                    // Blocks until the test drops the gate.
                    closed.lock().unwrap().recv().ok();
                }
                Some(GeneratedBoard::of(&"slide:3x3".parse().unwrap(), seed))
            },
        );
        let large: Vec<_> = (0..6).map(|room| submit(&pool, room, "link:20x20")).collect();
        begun.recv().await.unwrap();
        for spec in ["slide:16x16", "link:12x12", "link:5x5:hard"] {
            submit(&pool, 6, spec).await.unwrap().unwrap();
        }
        // One is in work, and none of the others.
        assert!(begun.try_recv().is_err());
        assert_eq!(lock(&pool.large.waiting).len(), 5);
        drop(gate);
        for answer in large {
            answer.await.unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn a_board_that_is_no_longer_wanted_is_given_up() {
        let (told, mut tells) = mpsc::unbounded_channel();
        let pool = BoardPool::with_generator(
            &Environment::default(),
            [1, 1],
            move |spec, seed, go_on: &dyn Fn() -> bool| {
                if spec.to_string() == "slide:3x3" {
                    return Some(GeneratedBoard::of(spec, seed));
                }
                told.send("began").ok();
                while go_on() {
                    std::thread::yield_now();
                }
                told.send("gave up").ok();
                None
            },
        );
        let is_wanted = Arc::new(AtomicBool::new(true));
        let (mut wanted, answer) = job(1, "link:9x9");
        let asked = Arc::clone(&is_wanted);
        wanted.is_wanted = Box::new(move || asked.load(Ordering::Relaxed));
        pool.submit(wanted).unwrap();
        assert_eq!(tells.recv().await, Some("began"));
        assert!(tells.try_recv().is_err());
        is_wanted.store(false, Ordering::Relaxed);
        assert_eq!(tells.recv().await, Some("gave up"));
        assert!(answer.await.is_err());
        // The only worker of the queue is free again.
        submit(&pool, 2, "slide:3x3").await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_panic_of_the_generator_is_an_answer() {
        let broken = |_: &PuzzleSpec, _: &Seed, _: &dyn Fn() -> bool| panic!("the test wants it");
        let pool = BoardPool::with_generator(&Environment::default(), [1, 1], broken);
        assert_eq!(submit(&pool, 1, "slide:3x3").await.unwrap().err(), Some(WorkerPanicked));
    }

    #[test]
    fn a_room_has_one_place_and_the_others_keep_their_order() {
        let (queue, _taken) = BoardQueue::new(3);
        let put = |room: u32, spec: &str| queue.put(job(room, spec).0).is_ok();
        assert!(put(1, "slide:3x3") && put(2, "slide:3x3"));
        assert!(put(1, "slide:4x4") && put(1, "slide:5x5") && put(3, "slide:3x3"));
        assert!(!put(4, "slide:3x3"));
        assert!(put(2, "slide:4x4"));
        let waiting: Vec<_> =
            lock(&queue.waiting).iter().map(|job| (job.room, job.spec.to_string())).collect();
        let expected = [(1, "slide:5x5"), (2, "slide:4x4"), (3, "slide:3x3")]
            .map(|(room, spec)| (RoomCode::from_number(room), spec.to_owned()));
        assert_eq!(waiting, expected);
    }
}
