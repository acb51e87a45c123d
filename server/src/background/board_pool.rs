//! The board generators: two bounded queues, each with its own workers.

use crate::background::{QueueFull, WorkerPanicked};
use crate::platform;
use crate::platform::environment::Environment;
use crate::platform::lock::lock;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::seed::Seed;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tracing::error;

/// Requests that may wait in the queue of small boards: one for every third room at the same
/// instant. Most boards take less than a millisecond.
const SMALL_BOARD_QUEUE: usize = 2_048;
/// Requests that may wait in the queue of large boards: the largest take seconds each.
const LARGE_BOARD_QUEUE: usize = 256;

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

/// A board generator, which stops with `None` once its third argument returns false.
type Generator =
    dyn Fn(&PuzzleSpec, &Seed, &dyn Fn() -> bool) -> Option<GeneratedBoard> + Send + Sync;

/// A handle on the pool, which ends with the last handle.
#[derive(Clone)]
pub(crate) struct BoardPool {
    small: Arc<BoardQueue>,
    large: Arc<BoardQueue>,
}

impl BoardPool {
    /// Starts a worker for each core but one, which is left to the races, and at least one for
    /// each queue. Half of them serve small boards only. Must be called inside a tokio runtime.
    pub(crate) fn start(environment: &Environment) -> Self {
        let cores = platform::cores();
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
        let queue = |capacity, workers| {
            Arc::new(BoardQueue {
                capacity,
                waiting: Mutex::default(),
                workers: Semaphore::new(workers),
                generate: Arc::clone(&generate),
                environment: environment.clone(),
                runtime: Handle::current(),
            })
        };
        let [small, large] = workers;
        Self { small: queue(SMALL_BOARD_QUEUE, small), large: queue(LARGE_BOARD_QUEUE, large) }
    }

    #[cfg(test)]
    pub(crate) fn full() -> Self {
        let mut pool = Self::start(&Environment::default());
        for queue in [&mut pool.small, &mut pool.large] {
            Arc::get_mut(queue).unwrap().capacity = 0;
        }
        pool
    }

    /// Queues a job in place of one of the same room that still waits.
    pub(crate) fn submit(&self, job: BoardJob) -> Result<(), QueueFull> {
        let queue = if job.spec.is_costly_to_generate() { &self.large } else { &self.small };
        queue.submit(job)
    }
}

impl fmt::Debug for BoardPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The jobs hold secret seeds.
        f.debug_struct("BoardPool").finish_non_exhaustive()
    }
}

/// Jobs in the order of their arrival, at most one a room, and the workers that serve them.
struct BoardQueue {
    capacity: usize,
    waiting: Mutex<VecDeque<BoardJob>>,
    /// A permit for each worker.
    workers: Semaphore,
    generate: Arc<Generator>,
    environment: Environment,
    runtime: Handle,
}

impl BoardQueue {
    fn submit(self: &Arc<Self>, job: BoardJob) -> Result<(), QueueFull> {
        let mut waiting = lock(&self.waiting);
        if let Some(other) = waiting.iter_mut().find(|other| other.room == job.room) {
            *other = job;
            return Ok(());
        }
        if waiting.len() >= self.capacity {
            return Err(QueueFull);
        }
        waiting.push_back(job);
        drop(waiting);
        let queue = Arc::clone(self);
        self.runtime.spawn(async move { queue.run_next().await });
        Ok(())
    }

    /// Runs the first job, once a worker is free.
    async fn run_next(&self) {
        let worker = self.workers.acquire().await;
        // Taken only now, so that a job can be replaced until a worker begins it.
        let job = lock(&self.waiting).pop_front();
        if let Some(BoardJob { room, spec, seed, is_wanted, reply }) = job
            && is_wanted()
        {
            let generate = Arc::clone(&self.generate);
            let work = move || generate(&spec, &seed, &is_wanted);
            match self.environment.spawn_blocking(work).await {
                Ok(Some(drawn)) => reply(Ok(drawn)),
                Ok(None) => {} // no longer wanted
                Err(_) => {
                    error!(%room, %spec, "board generator panicked");
                    reply(Err(WorkerPanicked));
                }
            }
        }
        drop(worker);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};
    use tokio::sync::{mpsc, oneshot};

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
        let (go_on, paused) = std::sync::mpsc::channel::<()>();
        let paused = Mutex::new(paused);
        let (began, mut begun) = mpsc::unbounded_channel();
        let pool = BoardPool::with_generator(
            &Environment::default(),
            [1, 1],
            move |spec, seed, _: &dyn Fn() -> bool| {
                if spec.to_string() == "link:20x20" {
                    began.send(()).ok();
                    // Blocks until the test drops the sender.
                    paused.lock().unwrap().recv().ok();
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
        drop(go_on);
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

    #[tokio::test]
    async fn a_room_has_one_place_and_the_others_keep_their_order() {
        let mut pool = BoardPool::with_generator(&Environment::default(), [0, 0], |_, _, _| None);
        Arc::get_mut(&mut pool.small).unwrap().capacity = 3;
        let submit = |room: u32, spec: &str| pool.submit(job(room, spec).0).is_ok();
        assert!(submit(1, "slide:3x3") && submit(2, "slide:3x3"));
        assert!(submit(1, "slide:4x4") && submit(1, "slide:5x5") && submit(3, "slide:3x3"));
        assert!(!submit(4, "slide:3x3"));
        assert!(submit(2, "slide:4x4"));
        let waiting = lock(&pool.small.waiting);
        let waiting: Vec<_> = waiting.iter().map(|job| (job.room, job.spec.to_string())).collect();
        let expected = [(1, "slide:5x5"), (2, "slide:4x4"), (3, "slide:3x3")]
            .map(|(room, spec)| (RoomCode::from_number(room), spec.to_owned()));
        assert_eq!(waiting, expected);
    }
}
