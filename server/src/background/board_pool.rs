//! The board generators: two bounded queues, each with its own workers and with turns by address.

use crate::background::board_stock::BoardStock;
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
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tracing::error;

/// Requests that may wait in a queue: those of 32 addresses with as many rooms as one may open.
const QUEUE: usize = 2_048;
/// Rooms with fewer requests ahead are told of each that is done, others of each tenth: telling
/// all would cost more the longer the queue is.
const PLACES_TOLD_EXACTLY: u32 = 10;

pub(crate) struct BoardJob {
    /// The room that asks: it has one place in the queue, and a later request takes it over. Nothing
    /// for a round of a tournament.
    pub(crate) room: Option<RoomCode>,
    /// The address of the room's host, which has its turn after each other one has had one; nothing
    /// for this machine, a room without a host and a round of a tournament.
    pub(crate) from: Option<IpAddr>,
    pub(crate) spec: PuzzleSpec,
    pub(crate) seed: Seed,
    /// Whether the answer is still wanted. Asked before and during the work.
    pub(crate) is_wanted: Box<dyn Fn() -> bool + Send>,
    /// Takes how many requests are ahead, whenever that changes; 0 is not told at first. Called
    /// under the queue's lock.
    pub(crate) on_place: Box<dyn Fn(u32) + Send>,
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
    stock: BoardStock,
}

impl BoardPool {
    /// Starts a worker for each core but one, which is left to the races, and at least one for
    /// each queue. A quarter of the cores serves small boards, most of which take less than a
    /// millisecond. Must be called inside a tokio runtime.
    pub(crate) fn start(environment: &Environment, stock: BoardStock) -> Self {
        let workers = workers(platform::cores());
        Self::with_generator(environment, workers, stock, GeneratedBoard::of_while)
    }

    /// Starts this many workers for small and for large boards.
    fn with_generator(
        environment: &Environment,
        workers: [usize; 2],
        stock: BoardStock,
        generate: impl Fn(&PuzzleSpec, &Seed, &dyn Fn() -> bool) -> Option<GeneratedBoard>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let generate: Arc<Generator> = Arc::new(generate);
        let [small, large] = workers.map(|workers| {
            Arc::new(BoardQueue {
                capacity: QUEUE,
                waiting: Mutex::default(),
                workers: Semaphore::new(workers),
                generate: Arc::clone(&generate),
                environment: environment.clone(),
                runtime: Handle::current(),
            })
        });
        Self { small, large, stock }
    }

    #[cfg(test)]
    pub(crate) fn full() -> Self {
        let mut pool = Self::start(&Environment::default(), BoardStock::empty());
        for queue in [&mut pool.small, &mut pool.large] {
            Arc::get_mut(queue).unwrap().capacity = 0;
        }
        pool
    }

    /// Makes a pool without workers, in which jobs wait.
    #[cfg(test)]
    pub(crate) fn without_workers(stock: BoardStock) -> Self {
        Self::with_generator(&Environment::default(), [0, 0], stock, |_, _, _| None)
    }

    /// Returns the boards that are drawn ahead.
    pub(crate) const fn stock(&self) -> &BoardStock {
        &self.stock
    }

    /// Queues a job in place of one of the same room that still waits, unless its board is there
    /// already.
    pub(crate) fn submit(&self, job: BoardJob) -> Result<(), QueueFull> {
        let queue = if job.spec.is_costly_to_generate() { &self.large } else { &self.small };
        if let Some(board) = self.stock.claim(&job.spec, &job.seed) {
            // The reply may take a lock that the caller holds.
            queue.runtime.spawn(async move { (job.reply)(Ok(board)) });
            return Ok(());
        }
        queue.submit(job)
    }
}

/// Returns the workers for small and for large boards on this many cores.
fn workers(cores: usize) -> [usize; 2] {
    let small = (cores / 4).max(1);
    [small, cores.saturating_sub(1 + small).max(1)]
}

impl fmt::Debug for BoardPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The jobs hold secret seeds.
        f.debug_struct("BoardPool").finish_non_exhaustive()
    }
}

/// Jobs, at most one a room, and the workers that serve them.
struct BoardQueue {
    capacity: usize,
    waiting: Mutex<WaitingJobs>,
    /// A permit for each worker.
    workers: Semaphore,
    generate: Arc<Generator>,
    environment: Environment,
    runtime: Handle,
}

/// Jobs by the address that asks, each with its place in the queue: the addresses take turns, and
/// the jobs of each keep their order.
#[derive(Default)]
struct WaitingJobs {
    /// The address whose turn it is comes first. None has no jobs.
    turns: VecDeque<(Option<IpAddr>, VecDeque<WaitingJob>)>,
    in_work: u32,
}

struct WaitingJob {
    job: BoardJob,
    /// The place that was told last.
    told: u32,
}

impl WaitingJobs {
    fn len(&self) -> usize {
        self.turns.iter().map(|(_, jobs)| jobs.len()).sum()
    }

    fn job_of(&mut self, room: RoomCode) -> Option<&mut WaitingJob> {
        let mut jobs = self.turns.iter_mut().flat_map(|(_, jobs)| jobs);
        jobs.find(|waiting| waiting.job.room == Some(room))
    }

    fn push(&mut self, job: BoardJob) {
        let (room, from) = (job.room, job.from);
        let waiting = WaitingJob { job, told: 0 };
        match self.turns.iter_mut().find(|(address, _)| *address == from) {
            Some((_, jobs)) => jobs.push_back(waiting),
            None => self.turns.push_back((from, VecDeque::from([waiting]))),
        }
        self.tell_places(|job| job.room == room && room.is_some());
    }

    /// Takes the next job into work.
    fn begin_next(&mut self) -> Option<BoardJob> {
        let (from, mut jobs) = self.turns.pop_front()?;
        let next = jobs.pop_front();
        if !jobs.is_empty() {
            self.turns.push_back((from, jobs));
        }
        self.in_work += 1;
        let WaitingJob { job, told } = next?;
        if told > 0 {
            (job.on_place)(0);
        }
        Some(job)
    }

    fn end_work(&mut self) {
        self.in_work = self.in_work.saturating_sub(1);
        self.tell_places(|_| true);
    }

    /// Tells jobs how many are before them, those in work included, if that has changed.
    fn tell_places(&mut self, to: impl Fn(&BoardJob) -> bool) {
        let mut place = self.in_work;
        // In each round every address has a turn.
        for round in 0.. {
            let mut is_over = true;
            for (_, jobs) in &mut self.turns {
                let Some(waiting) = jobs.get_mut(round) else { continue };
                is_over = false;
                let is_exact = place < PLACES_TOLD_EXACTLY || waiting.told == 0;
                let is_due = is_exact || place.is_multiple_of(PLACES_TOLD_EXACTLY);
                if is_due && place != waiting.told && to(&waiting.job) {
                    waiting.told = place;
                    (waiting.job.on_place)(place);
                }
                place += 1;
            }
            if is_over {
                return;
            }
        }
    }
}

impl BoardQueue {
    fn submit(self: &Arc<Self>, job: BoardJob) -> Result<(), QueueFull> {
        let mut waiting = lock(&self.waiting);
        if let Some(other) = job.room.and_then(|room| waiting.job_of(room)) {
            // The later request is told the place anew.
            let room = job.room;
            (other.job, other.told) = (job, 0);
            waiting.tell_places(|job| job.room == room);
            return Ok(());
        }
        if waiting.len() >= self.capacity {
            return Err(QueueFull);
        }
        waiting.push(job);
        drop(waiting);
        let queue = Arc::clone(self);
        self.runtime.spawn(async move { queue.run_next().await });
        Ok(())
    }

    /// Runs the first job, once a worker is free.
    async fn run_next(&self) {
        let worker = self.workers.acquire().await;
        // Taken only now, so that a job can be replaced until a worker begins it.
        let job = lock(&self.waiting).begin_next();
        if let Some(BoardJob { room, spec, seed, is_wanted, reply, .. }) = job
            && is_wanted()
        {
            let generate = Arc::clone(&self.generate);
            let work = move || generate(&spec, &seed, &is_wanted);
            match self.environment.spawn_blocking(work).await {
                Ok(Some(drawn)) => reply(Ok(drawn)),
                Ok(None) => {} // no longer wanted
                Err(_) => {
                    error!(?room, %spec, "board generator panicked");
                    reply(Err(WorkerPanicked));
                }
            }
        }
        lock(&self.waiting).end_work();
        drop(worker);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::background::board_stock::tests as stock;
    use gridrace_shared::util::time::ServerInstant;
    use std::net::Ipv4Addr;
    use std::sync::atomic::{AtomicBool, Ordering};
    use tokio::sync::{mpsc, oneshot};

    type Answer = oneshot::Receiver<Result<GeneratedBoard, WorkerPanicked>>;

    fn job(room: u32, spec: &str) -> (BoardJob, Answer) {
        let (reply, answer) = oneshot::channel();
        let job = BoardJob {
            room: Some(RoomCode::from_number(room)),
            from: None,
            spec: spec.parse().unwrap(),
            seed: "friday".parse().unwrap(),
            is_wanted: Box::new(|| true),
            on_place: Box::new(|_| ()),
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
            BoardStock::empty(),
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
            BoardStock::empty(),
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
        let pool =
            BoardPool::with_generator(&Environment::default(), [1, 1], BoardStock::empty(), broken);
        assert_eq!(submit(&pool, 1, "slide:3x3").await.unwrap().err(), Some(WorkerPanicked));
    }

    fn address(n: u8) -> Option<IpAddr> {
        Some(Ipv4Addr::new(10, 0, 0, n).into())
    }

    #[tokio::test]
    async fn a_room_has_one_place_and_the_others_keep_their_order() {
        let mut pool = BoardPool::without_workers(BoardStock::empty());
        Arc::get_mut(&mut pool.small).unwrap().capacity = 3;
        let submit = |room: u32, spec: &str| pool.submit(job(room, spec).0).is_ok();
        assert!(submit(1, "slide:3x3") && submit(2, "slide:3x3"));
        assert!(submit(1, "slide:4x4") && submit(1, "slide:5x5") && submit(3, "slide:3x3"));
        assert!(!submit(4, "slide:3x3"));
        assert!(submit(2, "slide:4x4"));
        let mut waiting = lock(&pool.small.waiting);
        let next = || waiting.begin_next().map(|job| (job.room, job.spec.to_string()));
        let expected = [(1, "slide:5x5"), (2, "slide:4x4"), (3, "slide:3x3")]
            .map(|(room, spec)| (Some(RoomCode::from_number(room)), spec.to_owned()));
        assert!(std::iter::from_fn(next).eq(expected));
    }

    #[tokio::test]
    async fn a_stranger_s_board_waits_for_one_of_an_address_with_sixty_four() {
        let pool = BoardPool::without_workers(BoardStock::empty());
        let submit = |room: u32, from| {
            pool.submit(BoardJob { from, ..job(room, "link:20x20").0 }).unwrap();
        };
        (0..64).for_each(|room| submit(room, address(1)));
        submit(64, address(2));
        submit(65, address(2));
        submit(66, address(3));
        let mut waiting = lock(&pool.large.waiting);
        let next = || waiting.begin_next().and_then(|job| job.room);
        let order: Vec<RoomCode> = std::iter::from_fn(next).collect();
        let expected = [0, 64, 66, 1, 65].into_iter().chain(2..64).map(RoomCode::from_number);
        assert!(order.into_iter().eq(expected));
    }

    #[tokio::test]
    async fn rooms_are_told_how_many_boards_are_ahead() {
        let (told, mut tells) = mpsc::unbounded_channel();
        let pool = BoardPool::without_workers(BoardStock::empty());
        let submit = |room: u32, from| {
            let told = told.clone();
            let on_place = Box::new(move |ahead| told.send((room, ahead)).unwrap());
            pool.submit(BoardJob { from, on_place, ..job(room, "link:20x20").0 }).unwrap();
        };
        let mut news = || std::iter::from_fn(|| tells.try_recv().ok()).collect::<Vec<_>>();
        // The first is not behind any other.
        submit(0, address(1));
        assert_eq!(news(), []);
        (1..25).for_each(|room| submit(room, address(1)));
        assert_eq!(news(), (1..25).map(|room| (room, room)).collect::<Vec<_>>());
        let work = |step: fn(&mut WaitingJobs)| step(&mut lock(&pool.large.waiting));
        // What is in work is ahead as well.
        work(|waiting| assert!(waiting.begin_next().is_some()));
        assert_eq!(news(), []);
        work(WaitingJobs::end_work);
        let near = (1..=10).map(|room| (room, room - 1));
        assert_eq!(news(), near.chain([(11, 10), (21, 20)]).collect::<Vec<_>>());
        // A stranger has its turn after the one whose turn it is.
        submit(30, address(2));
        assert_eq!(news(), [(30, 1)]);
        work(|waiting| assert!(waiting.begin_next().is_some()));
        let code = |waiting: &mut WaitingJobs| waiting.begin_next().unwrap().room.unwrap();
        assert_eq!(code(&mut lock(&pool.large.waiting)), RoomCode::from_number(30));
        assert_eq!(news(), [(30, 0)]);
        // A later request of a room hears at once where it is.
        submit(5, address(1));
        assert_eq!(news(), [(5, 5)]);
    }

    #[test]
    fn large_boards_have_most_of_the_cores() {
        let split = [1, 2, 4, 8, 16].map(workers);
        assert_eq!(split, [[1, 1], [1, 1], [1, 2], [2, 5], [4, 11]]);
    }

    #[tokio::test]
    async fn a_board_that_was_drawn_ahead_is_there_at_once() {
        let stock = stock::full();
        let spec: PuzzleSpec = "link:20x20".parse().unwrap();
        let seed = stock.take_seed(&spec, None, ServerInstant(0)).unwrap();
        let pool = BoardPool::without_workers(stock);
        let (job, answer) = job(1, "link:20x20");
        pool.submit(BoardJob { seed, ..job }).unwrap();
        assert_eq!(lock(&pool.large.waiting).len(), 0);
        answer.await.unwrap().unwrap();
    }
}
