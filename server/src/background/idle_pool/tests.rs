//! Jobs that wait, panic, or are started by a worker that makes no progress.

use super::*;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Longer than a test lasts.
const LONG: Duration = Duration::from_secs(3_600);

/// Reports which jobs begin. The first one blocks until the test lets it go on, job 0 panics.
struct SlowWorker {
    begun: Sender<u32>,
    go_on: Mutex<Option<Receiver<()>>>,
}

impl Worker for SlowWorker {
    type Job = u32;
    type Output = u32;

    fn run(&self, &job: &u32, _: &(dyn Fn() + Sync)) -> u32 {
        self.begun.send(job).ok(); // the test may have ended
        let go_on = self.go_on.lock().unwrap().take();
        if let Some(go_on) = go_on {
            go_on.recv().unwrap();
        }
        assert_ne!(job, 0, "the test wants it");
        job * 10
    }
}

type Done = (u32, Result<u32, WorkerPanicked>);

/// The test's side of a [`SlowWorker`].
struct Control {
    begun: Receiver<u32>,
    go_on: Sender<()>,
    sender: Sender<Done>,
    done: Receiver<Done>,
}

impl Control {
    fn reply(&self, job: u32) -> Reply<u32> {
        let done = self.sender.clone();
        Box::new(move |output| done.send((job, output)).unwrap())
    }

    fn submit(&self, pool: &IdlePool<SlowWorker>, job: u32) -> bool {
        pool.submit(job, self.reply(job)).is_ok()
    }
}

fn slow_worker() -> (SlowWorker, Control) {
    let (begins, begun) = channel();
    let (go_on, told) = channel();
    let (sender, done) = channel();
    let worker = SlowWorker { begun: begins, go_on: Mutex::new(Some(told)) };
    (worker, Control { begun, go_on, sender, done })
}

/// Starts one thread, whose watchdog never wakes.
fn start(capacity: usize) -> (IdlePool<SlowWorker>, Control) {
    let (worker, control) = slow_worker();
    (IdlePool::new(&Environment::default(), "slow", worker, 1, capacity, LONG), control)
}

#[tokio::test]
async fn a_full_queue_refuses_jobs() {
    let (pool, control) = start(64);
    assert!(control.submit(&pool, 1));
    assert_eq!(control.begun.recv(), Ok(1));
    let refused = (2..1_000).filter(|&job| !control.submit(&pool, job));
    assert!(refused.eq(66..1_000));
    control.go_on.send(()).unwrap();
    let done: Vec<u32> = control.done.iter().take(65).map(|(job, _)| job).collect();
    assert!(done.into_iter().eq(1..66));
}

#[tokio::test]
async fn a_panic_ends_only_its_own_job() {
    let (pool, control) = start(64);
    control.go_on.send(()).unwrap();
    for job in [1, 0, 2] {
        assert!(control.submit(&pool, job));
    }
    let done: Vec<_> = control.done.iter().take(3).collect();
    assert_eq!(done, [(1, Ok(10)), (0, Err(WorkerPanicked)), (2, Ok(20))]);
}

#[tokio::test]
async fn the_watchdog_does_a_stuck_job_and_it_is_answered_once() {
    let (worker, control) = slow_worker();
    let shared = Arc::new(Shared::new(worker, 64));
    assert!(shared.submit(1, control.reply(1)).is_ok());
    spawn("slow", &shared, Shared::run_worker);
    // The first job has begun and blocks.
    assert_eq!(control.begun.recv(), Ok(1));
    spawn("watchdog", &shared, |shared| shared.run_watchdog(Duration::from_millis(1)));
    let pool = IdlePool(Arc::new(PoolHost::Threads(shared)));
    assert_eq!(control.done.recv(), Ok((1, Ok(10))));
    for job in 2..=3 {
        assert!(control.submit(&pool, job));
        assert_eq!(control.done.recv(), Ok((job, Ok(job * 10))));
    }
    pool.wait_until_idle(LONG);
    control.go_on.send(()).unwrap();
    drop(pool);
    // The worker finishes the first job a second time, without an answer.
    drop(control.sender);
    assert_eq!(control.done.iter().count(), 0);
    assert!(control.begun.iter().eq(1..=3));
}

#[tokio::test]
async fn the_watchdog_does_nothing_while_the_worker_makes_progress() {
    let (pool, control) = start(100);
    control.go_on.send(()).unwrap();
    for job in 1..=100 {
        assert!(control.submit(&pool, job));
    }
    pool.wait_until_idle(LONG);
    drop(pool);
    drop(control.sender);
    assert!(control.begun.iter().eq(1..=100));
    assert!(control.done.iter().map(|(job, _)| job).eq(1..=100));
}
