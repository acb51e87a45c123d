//! Worker threads that run only on idle cores, with a watchdog for busy machines.
//!
//! The workers have the scheduling policy `SCHED_IDLE`: they get what no other thread wants of a
//! core. Where all cores are busy that is next to nothing, and a thread that has it can't raise
//! itself without privileges. So if no worker makes progress for a while, the watchdog, a thread
//! of low but ordinary priority, runs the oldest job a second time, and the next ones, until the
//! workers make progress.

use crate::background::WorkerPanicked;
use crate::platform::environment::Environment;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tracing::{error, warn};

#[cfg(test)]
mod tests;

/// What the threads of a pool run.
pub(crate) trait Worker: Send + Sync + 'static {
    type Job: Send + Sync + 'static;
    type Output;

    /// Runs a job, perhaps on two threads at once. A long job calls `report_progress` now and
    /// then.
    fn run(&self, job: &Self::Job, report_progress: &dyn Fn()) -> Self::Output;
}

/// Takes the output of a job. Called once.
type Reply<O> = Box<dyn FnOnce(Result<O, WorkerPanicked>) + Send>;

/// A handle on the threads, which end with the last handle.
pub(crate) struct IdlePool<W: Worker>(Arc<Host<W>>);

enum Host<W: Worker> {
    Threads(Arc<Shared<W>>),
    /// A simulation has no threads: each job runs at once.
    Inline(Arc<W>, Environment),
}

struct Shared<W: Worker> {
    worker: W,
    capacity: usize,
    jobs: Mutex<Jobs<W>>,
    /// Notified of a new job and of the end, for the workers.
    work: Condvar,
    /// Notified of the same, for the watchdog.
    watch: Condvar,
    /// Notified of each job that is done.
    done: Condvar,
    /// How often the workers have reported progress.
    progress: AtomicU64,
}

struct Jobs<W: Worker> {
    waiting: VecDeque<Arc<Job<W>>>,
    running: Vec<Arc<Job<W>>>,
    closed: bool,
}

struct Job<W: Worker> {
    job: W::Job,
    /// None once the job is done.
    reply: Mutex<Option<Reply<W::Output>>>,
}

impl<W: Worker> Jobs<W> {
    /// Returns the oldest job that isn't done.
    fn oldest(&self) -> Option<&Arc<Job<W>>> {
        let running = self.running.iter().find(|job| !job.is_done());
        running.or_else(|| self.waiting.front())
    }

    fn start_next(&mut self) -> Option<Arc<Job<W>>> {
        let job = self.waiting.pop_front()?;
        self.running.push(Arc::clone(&job));
        Some(job)
    }

    /// Starts the oldest job that isn't done, again if a worker runs it.
    fn start_oldest(&mut self) -> Option<Arc<Job<W>>> {
        let running = self.running.iter().find(|job| !job.is_done());
        running.cloned().or_else(|| self.start_next())
    }
}

impl<W: Worker> Job<W> {
    fn is_done(&self) -> bool {
        self.reply().is_none()
    }

    fn reply(&self) -> MutexGuard<'_, Option<Reply<W::Output>>> {
        self.reply.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Worker> IdlePool<W> {
    /// Starts this many workers, and a watchdog that takes over if they make no progress for
    /// `watchdog_delay`. At most `capacity` jobs wait. Must be called inside a tokio runtime.
    pub(crate) fn start(
        environment: &Environment,
        name: &str,
        worker: W,
        workers: usize,
        capacity: usize,
        watchdog_delay: Duration,
    ) -> Self {
        if environment.is_simulated() {
            return Self(Arc::new(Host::Inline(Arc::new(worker), environment.clone())));
        }
        let shared = Arc::new(Shared::new(worker, capacity));
        for _ in 0..workers {
            spawn(name, &shared, Shared::run_worker);
        }
        spawn(name, &shared, move |shared| shared.run_watchdog(watchdog_delay));
        Self(Arc::new(Host::Threads(shared)))
    }

    /// Queues a job.
    ///
    /// # Errors
    /// The reply if the queue is full.
    pub(crate) fn submit(
        &self,
        job: W::Job,
        reply: Reply<W::Output>,
    ) -> Result<(), Reply<W::Output>> {
        match &*self.0 {
            Host::Threads(shared) => shared.submit(job, reply),
            Host::Inline(worker, environment) => {
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
        if let Host::Threads(shared) = &*self.0 {
            let is_busy = |jobs: &mut Jobs<_>| jobs.oldest().is_some();
            drop(shared.done.wait_timeout_while(shared.jobs(), timeout, is_busy));
        }
    }
}

impl<W: Worker> Shared<W> {
    fn new(worker: W, capacity: usize) -> Self {
        let jobs = Jobs { waiting: VecDeque::new(), running: Vec::new(), closed: false };
        Self {
            worker,
            capacity,
            jobs: Mutex::new(jobs),
            work: Condvar::new(),
            watch: Condvar::new(),
            done: Condvar::new(),
            progress: AtomicU64::new(0),
        }
    }

    fn jobs(&self) -> MutexGuard<'_, Jobs<W>> {
        // No job runs under the lock.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn submit(&self, job: W::Job, reply: Reply<W::Output>) -> Result<(), Reply<W::Output>> {
        let mut jobs = self.jobs();
        if jobs.waiting.len() >= self.capacity {
            return Err(reply);
        }
        jobs.waiting.push_back(Arc::new(Job { job, reply: Mutex::new(Some(reply)) }));
        drop(jobs);
        self.work.notify_one();
        self.watch.notify_one();
        Ok(())
    }

    fn close(&self) {
        let mut jobs = self.jobs();
        jobs.closed = true;
        let left = std::mem::take(&mut jobs.waiting);
        drop(jobs);
        drop(left);
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

    fn next_job(&self) -> Option<Arc<Job<W>>> {
        let is_idle = |jobs: &mut Jobs<_>| {
            // A worker that wakes up makes progress, even if another one was quicker.
            self.report_progress();
            !jobs.closed && jobs.waiting.is_empty()
        };
        let waited = self.work.wait_while(self.jobs(), is_idle);
        let mut jobs = waited.unwrap_or_else(PoisonError::into_inner);
        jobs.start_next()
    }

    fn run_watchdog(&self, delay: Duration) {
        set_low_priority();
        let mut stuck_at = None;
        while let Some(job) = self.overdue_job(delay, &mut stuck_at) {
            self.run(&job, &|| ());
        }
    }

    /// Waits until the workers have made no progress for this long while there was work, and
    /// returns the oldest job then. `stuck_at` is the progress at which they were last found so.
    fn overdue_job(&self, delay: Duration, stuck_at: &mut Option<u64>) -> Option<Arc<Job<W>>> {
        let mut jobs = self.jobs();
        loop {
            let is_idle = |jobs: &mut Jobs<_>| !jobs.closed && jobs.oldest().is_none();
            let waited = self.watch.wait_while(jobs, is_idle);
            jobs = waited.unwrap_or_else(PoisonError::into_inner);
            if jobs.closed {
                return None;
            }
            let progress = self.progress.load(Ordering::Acquire);
            if *stuck_at == Some(progress) {
                if let Some(job) = jobs.start_oldest() {
                    return Some(job);
                }
                // The last job was done a moment ago.
                continue;
            }
            let is_open = |jobs: &mut Jobs<_>| !jobs.closed;
            let waited = self.watch.wait_timeout_while(jobs, delay, is_open);
            jobs = waited.unwrap_or_else(PoisonError::into_inner).0;
            let is_stuck = progress == self.progress.load(Ordering::Acquire);
            *stuck_at = is_stuck.then_some(progress);
        }
    }

    fn report_progress(&self) {
        self.progress.fetch_add(1, Ordering::AcqRel);
    }

    fn run(&self, job: &Arc<Job<W>>, report_progress: &dyn Fn()) {
        let output = catch(|| self.worker.run(&job.job, report_progress));
        let reply = job.reply().take();
        if let Some(reply) = reply
            && catch(|| reply(output)).is_err()
        {
            error!("the reply to a job panicked");
        }
        self.jobs().running.retain(|running| !Arc::ptr_eq(running, job));
        self.done.notify_all();
    }
}

/// Catches a panic. A job is not used again after one, and what jobs share recovers by itself.
fn catch<T>(work: impl FnOnce() -> T) -> Result<T, WorkerPanicked> {
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

impl<W: Worker> Drop for Host<W> {
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
fn set_idle_priority() {
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
/// each thread has a niceness of its own.
pub(crate) fn set_low_priority() {
    #[cfg(target_os = "linux")]
    {
        /// That of a batch job by custom.
        const NICENESS: i32 = 10;
        rustix::process::nice(NICENESS).ok();
    }
}
