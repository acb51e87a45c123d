//! Worker threads that run only on idle cores, with a watchdog for busy machines.
//!
//! The workers have the scheduling policy `SCHED_IDLE`: they get what no other thread wants of a
//! core. Where all cores are busy that is next to nothing, and a thread that has it can't raise
//! itself without privileges. So if no worker makes progress for a while, the watchdog, a thread
//! of low but ordinary priority, runs the oldest job a second time, and the next ones, until the
//! workers make progress.

use crate::background::{QueueFull, WorkerPanicked};
use crate::platform::environment::Environment;
use crate::platform::lock::lock;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tracing::{error, warn};

#[cfg(test)]
mod tests;

/// The work of the threads of a pool.
pub(crate) trait Worker: Send + Sync + 'static {
    type Job: Send + Sync + 'static;
    type Output;

    /// Runs a job, perhaps on two threads at once. A long job calls `report_progress` now and
    /// then.
    fn run(&self, job: &Self::Job, report_progress: &(dyn Fn() + Sync)) -> Self::Output;
}

/// Takes the output of a job. Called once.
type Reply<O> = Box<dyn FnOnce(Result<O, WorkerPanicked>) + Send>;

/// A handle on the threads, which end with the last handle.
pub(crate) struct IdlePool<W: Worker>(Arc<PoolHost<W>>);

enum PoolHost<W: Worker> {
    Threads(Arc<Shared<W>>),
    /// A simulation has no threads: each job runs at once.
    Inline(Arc<W>, Environment),
}

struct Shared<W: Worker> {
    worker: W,
    capacity: usize,
    queue: Mutex<Queue<W>>,
    /// Notified of a new job and of the end, for the workers.
    work: Condvar,
    /// Notified of the same, for the watchdog.
    watch: Condvar,
    /// Notified of each job that is done.
    done: Condvar,
    /// How often the workers have reported progress.
    progress: AtomicU64,
}

struct Queue<W: Worker> {
    /// The jobs that aren't done, the oldest first.
    jobs: VecDeque<QueuedJob<W>>,
    closed: bool,
}

struct QueuedJob<W: Worker> {
    job: Arc<W::Job>,
    reply: Reply<W::Output>,
    is_started: bool,
}

impl<W: Worker> Queue<W> {
    fn waiting(&self) -> usize {
        self.jobs.iter().filter(|job| !job.is_started).count()
    }

    /// Starts the oldest job that waits or, if `again`, one that a worker runs.
    fn start_oldest(&mut self, again: bool) -> Option<Arc<W::Job>> {
        let oldest = self.jobs.iter_mut().find(|job| again || !job.is_started)?;
        oldest.is_started = true;
        Some(Arc::clone(&oldest.job))
    }
}

impl<W: Worker> IdlePool<W> {
    /// Starts this many workers, and a watchdog that takes over if they make no progress for
    /// `watchdog_delay`. At most `capacity` jobs wait. Must be called inside a tokio runtime.
    pub(crate) fn new(
        environment: &Environment,
        name: &str,
        worker: W,
        workers: usize,
        capacity: usize,
        watchdog_delay: Duration,
    ) -> Self {
        if environment.is_simulated() {
            return Self(Arc::new(PoolHost::Inline(Arc::new(worker), environment.clone())));
        }
        let shared = Arc::new(Shared::new(worker, capacity));
        for _ in 0..workers {
            spawn(name, &shared, Shared::run_worker);
        }
        spawn(name, &shared, move |shared| shared.run_watchdog(watchdog_delay));
        Self(Arc::new(PoolHost::Threads(shared)))
    }

    /// Queues a job; `reply` takes its output on the thread that runs it.
    pub(crate) fn submit(&self, job: W::Job, reply: Reply<W::Output>) -> Result<(), QueueFull> {
        match &*self.0 {
            PoolHost::Threads(shared) => shared.submit(job, reply),
            PoolHost::Inline(worker, environment) => {
                let worker = Arc::clone(worker);
                drop(environment.spawn_blocking(move || {
                    reply(catch(|| worker.run(&job, &|| ())));
                }));
                Ok(())
            }
        }
    }

    /// Blocks until no job waits or runs, for `timeout` at most.
    pub(crate) fn wait_until_idle(&self, timeout: Duration) {
        if let PoolHost::Threads(shared) = &*self.0 {
            let is_busy = |queue: &mut Queue<_>| !queue.jobs.is_empty();
            drop(shared.done.wait_timeout_while(lock(&shared.queue), timeout, is_busy));
        }
    }
}

impl<W: Worker> Shared<W> {
    fn new(worker: W, capacity: usize) -> Self {
        Self {
            worker,
            capacity,
            queue: Mutex::new(Queue { jobs: VecDeque::new(), closed: false }),
            work: Condvar::new(),
            watch: Condvar::new(),
            done: Condvar::new(),
            progress: AtomicU64::new(0),
        }
    }

    fn submit(&self, job: W::Job, reply: Reply<W::Output>) -> Result<(), QueueFull> {
        let mut queue = lock(&self.queue);
        if queue.waiting() >= self.capacity {
            return Err(QueueFull);
        }
        queue.jobs.push_back(QueuedJob { job: Arc::new(job), reply, is_started: false });
        drop(queue);
        self.work.notify_one();
        self.watch.notify_one();
        Ok(())
    }

    /// Drops the jobs that wait, and ends the threads.
    fn close(&self) {
        let mut queue = lock(&self.queue);
        queue.closed = true;
        let jobs = std::mem::take(&mut queue.jobs);
        let (started, waiting): (_, VecDeque<_>) = jobs.into_iter().partition(|job| job.is_started);
        queue.jobs = started;
        drop(queue);
        drop(waiting);
        self.work.notify_all();
        self.watch.notify_all();
        self.done.notify_all();
    }

    fn run_worker(&self) {
        set_idle_priority();
        while let Some(job) = self.next_job() {
            self.run(&job, &|| self.report_progress());
            self.report_progress();
        }
    }

    fn next_job(&self) -> Option<Arc<W::Job>> {
        let is_idle = |queue: &mut Queue<_>| {
            // A worker that wakes up makes progress, even if another one was quicker.
            self.report_progress();
            !queue.closed && queue.waiting() == 0
        };
        let waited = self.work.wait_while(lock(&self.queue), is_idle);
        let mut queue = waited.unwrap_or_else(PoisonError::into_inner);
        queue.start_oldest(false)
    }

    /// Runs the oldest job whenever the workers have made no progress for `delay` while there was
    /// work, and the next ones until they make progress.
    fn run_watchdog(&self, delay: Duration) {
        set_low_priority();
        // The progress at which the workers were found stuck.
        let mut stuck_at = None;
        loop {
            let is_idle = |queue: &mut Queue<_>| !queue.closed && queue.jobs.is_empty();
            let waited = self.watch.wait_while(lock(&self.queue), is_idle);
            let mut queue = waited.unwrap_or_else(PoisonError::into_inner);
            if queue.closed {
                return;
            }
            let progress = self.progress();
            if stuck_at == Some(progress) {
                let oldest = queue.start_oldest(true);
                drop(queue);
                if let Some(job) = oldest {
                    self.run(&job, &|| ());
                }
            } else {
                let is_open = |queue: &mut Queue<_>| !queue.closed;
                drop(self.watch.wait_timeout_while(queue, delay, is_open));
                stuck_at = Some(progress).filter(|&progress| progress == self.progress());
            }
        }
    }

    fn progress(&self) -> u64 {
        self.progress.load(Ordering::Acquire)
    }

    fn report_progress(&self) {
        self.progress.fetch_add(1, Ordering::AcqRel);
    }

    /// Runs a job, and replies unless another thread has done so.
    fn run(&self, job: &Arc<W::Job>, report_progress: &(dyn Fn() + Sync)) {
        let output = catch(|| self.worker.run(job, report_progress));
        let mut queue = lock(&self.queue);
        let place = queue.jobs.iter().position(|queued| Arc::ptr_eq(&queued.job, job));
        let done = place.and_then(|place| queue.jobs.remove(place));
        drop(queue);
        self.done.notify_all();
        if let Some(QueuedJob { reply, .. }) = done
            && catch(|| reply(output)).is_err()
        {
            // The threads have the pool's name.
            error!(pool = std::thread::current().name(), "the reply to a job panicked");
        }
    }
}

/// Catches a panic. A job is not used again after one, and what jobs share recovers by itself.
pub(super) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, WorkerPanicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| WorkerPanicked)
}

fn spawn<W: Worker>(
    name: &str,
    shared: &Arc<Shared<W>>,
    work: impl FnOnce(&Shared<W>) + Send + 'static,
) {
    let (shared, runtime) = (Arc::clone(shared), Handle::current());
    let thread = std::thread::Builder::new().name(name.to_owned());
    let work = move || {
        // A reply may spawn tasks.
        let _runtime = runtime.enter();
        work(&shared);
    };
    if let Err(error) = thread.spawn(work) {
        warn!(%error, name, "failed to start a background thread");
    }
}

impl<W: Worker> Clone for IdlePool<W> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<W: Worker> Drop for PoolHost<W> {
    fn drop(&mut self) {
        match self {
            Self::Threads(shared) => shared.close(),
            Self::Inline(..) => {}
        }
    }
}

impl<W: Worker> fmt::Debug for IdlePool<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdlePool").finish_non_exhaustive()
    }
}

/// Sets the scheduling policy `SCHED_IDLE`, on Linux. A nice thread isn't enough: it keeps the
/// core for the milliseconds of its time slice, and a move needs the core three times: to be
/// read, written to the journal, and answered. An idle thread is preempted at once.
pub(super) fn set_idle_priority() {
    #[cfg(target_os = "linux")]
    {
        use thread_priority::{
            NormalThreadSchedulePolicy::Idle, ThreadPriority, ThreadSchedulePolicy,
            set_thread_priority_and_policy, thread_native_id,
        };
        let (own, least) = (thread_native_id(), ThreadPriority::Min);
        let idle = ThreadSchedulePolicy::Normal(Idle);
        // If it is refused, the thread keeps the ordinary priority.
        set_thread_priority_and_policy(own, least, idle).ok();
    }
}

/// Lowers the priority of this thread to a tenth of an ordinary one's share, on Linux: there,
/// each thread has its own niceness.
fn set_low_priority() {
    #[cfg(target_os = "linux")]
    {
        /// That of a batch job by custom.
        const NICENESS: i32 = 10;
        rustix::process::nice(NICENESS).ok();
    }
}
