//! Work for the time that nobody else wants, and that gets on all the same.
//!
//! Its threads take only what of a core is left over. Where every core is busy with something
//! else, that is next to nothing, and the system gives a thread its place back only to whoever
//! may do anything. So where none of them has got on for a while, one more thread, which steps
//! back less, does the oldest job over again, and the next ones, until they do get on.

use crate::platform::environment::{hold_up, is_on};
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tracing::{error, warn};

#[cfg(test)]
mod tests;

/// What such threads do.
pub(crate) trait Labour: Send + Sync + 'static {
    /// What there is to do.
    type Job: Send + Sync + 'static;
    /// What comes of it.
    type Fruit;

    /// Does a job, perhaps on two threads at once. What takes long says now and then that it
    /// gets on.
    fn labour(&self, job: &Self::Job, gets_on: &dyn Fn()) -> Self::Fruit;

    /// Takes what has come of a job: once for each, and nothing where the work broke.
    fn reap(&self, job: &Self::Job, fruit: Option<Self::Fruit>);
}

/// A handle on the threads, which end with the last one.
pub(crate) struct Spare<L: Labour>(Arc<Way<L>>);

enum Way<L: Labour> {
    Threads(Arc<Desk<L>>),
    /// In a simulation there is no thread: each job is done in one go.
    Here(Arc<L>),
}

struct Desk<L: Labour> {
    labour: L,
    /// How many jobs may wait.
    most: usize,
    jobs: Mutex<Jobs<L::Job>>,
    /// Told that a job waits, or that nobody will bring one any more.
    comes: Condvar,
    /// Told the same, for the thread that steps in.
    watch: Condvar,
    /// Told that a job is done.
    done: Condvar,
    /// How often those have got on who take what is left over.
    steps: AtomicU64,
}

struct Jobs<J> {
    waiting: VecDeque<Arc<Job<J>>>,
    begun: Vec<Arc<Job<J>>>,
    closed: bool,
}

struct Job<J> {
    what: J,
    is_done: AtomicBool,
}

impl<J> Jobs<J> {
    /// Returns the oldest job that isn't done.
    fn oldest(&self) -> Option<&Arc<Job<J>>> {
        let begun = self.begun.iter().find(|job| !job.is_done());
        begun.or_else(|| self.waiting.front())
    }

    /// Begins the next one.
    fn begin(&mut self) -> Option<Arc<Job<J>>> {
        let job = self.waiting.pop_front()?;
        self.begun.push(Arc::clone(&job));
        Some(job)
    }

    /// Begins the oldest that isn't done, over again where somebody else has begun it.
    fn begin_oldest(&mut self) -> Option<Arc<Job<J>>> {
        let begun = self.begun.iter().find(|job| !job.is_done());
        begun.cloned().or_else(|| self.begin())
    }
}

impl<J> Job<J> {
    fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }
}

impl<L: Labour> Spare<L> {
    /// Starts so many threads, and the one that steps in where they don't get on for so long.
    /// So many jobs may wait. Must be called inside a tokio runtime.
    pub(crate) fn start(
        name: &str,
        labour: L,
        workers: usize,
        most: usize,
        patience: Duration,
    ) -> Self {
        if is_on() {
            return Self(Arc::new(Way::Here(Arc::new(labour))));
        }
        let desk = Arc::new(Desk::new(labour, most));
        for _ in 0..workers {
            spawn(name, &desk, Desk::work);
        }
        spawn(name, &desk, move |desk| desk.step_in(patience));
        Self(Arc::new(Way::Threads(desk)))
    }

    /// Takes a job, or hands it back where too many wait.
    ///
    /// # Errors
    /// The job itself.
    pub(crate) fn submit(&self, what: L::Job) -> Result<(), L::Job> {
        match &*self.0 {
            Way::Threads(desk) => desk.submit(what),
            Way::Here(labour) => {
                let labour = Arc::clone(labour);
                drop(hold_up(move || {
                    let fruit = attempt(|| labour.labour(&what, &|| ()));
                    labour.reap(&what, fruit);
                }));
                Ok(())
            }
        }
    }

    /// Waits, for so long at most, until nothing is left to work on. For threads of their own.
    pub(crate) fn wait_until_done(&self, at_most: Duration) {
        if let Way::Threads(desk) = &*self.0 {
            let is_left = |jobs: &mut Jobs<_>| jobs.oldest().is_some();
            drop(desk.done.wait_timeout_while(desk.jobs(), at_most, is_left));
        }
    }
}

impl<L: Labour> Desk<L> {
    fn new(labour: L, most: usize) -> Self {
        Self {
            labour,
            most,
            jobs: Mutex::new(Jobs { waiting: VecDeque::new(), begun: Vec::new(), closed: false }),
            comes: Condvar::new(),
            watch: Condvar::new(),
            done: Condvar::new(),
            steps: AtomicU64::new(0),
        }
    }

    fn jobs(&self) -> MutexGuard<'_, Jobs<L::Job>> {
        // No work is done under the lock.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn submit(&self, what: L::Job) -> Result<(), L::Job> {
        let mut jobs = self.jobs();
        if jobs.waiting.len() >= self.most {
            return Err(what);
        }
        let is_done = AtomicBool::new(false);
        jobs.waiting.push_back(Arc::new(Job { what, is_done }));
        drop(jobs);
        self.comes.notify_one();
        self.watch.notify_one();
        Ok(())
    }

    fn close(&self) {
        let mut jobs = self.jobs();
        jobs.closed = true;
        let left = std::mem::take(&mut jobs.waiting);
        drop(jobs);
        drop(left);
        self.comes.notify_all();
        self.watch.notify_all();
        self.done.notify_all();
    }

    /// Does one job after another in the time that is left over.
    fn work(&self) {
        step_back();
        while let Some(job) = self.begin() {
            self.get_done(&job, &|| self.get_on());
            self.get_on();
        }
    }

    fn begin(&self) -> Option<Arc<Job<L::Job>>> {
        let is_idle = |jobs: &mut Jobs<_>| {
            // Whoever comes to look gets on, if somebody else was quicker, too.
            self.get_on();
            !jobs.closed && jobs.waiting.is_empty()
        };
        let waited = self.comes.wait_while(self.jobs(), is_idle);
        let mut jobs = waited.unwrap_or_else(PoisonError::into_inner);
        jobs.begin()
    }

    /// Does what the others don't get on with, less far back than they are.
    fn step_in(&self, patience: Duration) {
        step_back_less();
        let mut stuck = None;
        while let Some(job) = self.overdue(patience, &mut stuck) {
            self.get_done(&job, &|| ());
        }
    }

    /// Waits until the others have got nowhere for so long while there was something to do, and
    /// returns the oldest job then; `stuck` is where they were when they were found so last.
    fn overdue(&self, patience: Duration, stuck: &mut Option<u64>) -> Option<Arc<Job<L::Job>>> {
        let mut jobs = self.jobs();
        loop {
            let is_idle = |jobs: &mut Jobs<_>| !jobs.closed && jobs.oldest().is_none();
            let waited = self.watch.wait_while(jobs, is_idle);
            jobs = waited.unwrap_or_else(PoisonError::into_inner);
            if jobs.closed {
                return None;
            }
            let steps = self.steps.load(Ordering::Acquire);
            if *stuck == Some(steps) {
                if let Some(job) = jobs.begin_oldest() {
                    return Some(job);
                }
                // It has been done this very moment.
                continue;
            }
            let is_open = |jobs: &mut Jobs<_>| !jobs.closed;
            let waited = self.watch.wait_timeout_while(jobs, patience, is_open);
            jobs = waited.unwrap_or_else(PoisonError::into_inner).0;
            let is_stuck = steps == self.steps.load(Ordering::Acquire);
            *stuck = is_stuck.then_some(steps);
        }
    }

    fn get_on(&self) {
        self.steps.fetch_add(1, Ordering::AcqRel);
    }

    fn get_done(&self, job: &Arc<Job<L::Job>>, gets_on: &dyn Fn()) {
        let fruit = attempt(|| self.labour.labour(&job.what, gets_on));
        let is_first = !job.is_done.swap(true, Ordering::AcqRel);
        if is_first && attempt(|| self.labour.reap(&job.what, fruit)).is_none() {
            error!("what came of a job is lost");
        }
        self.jobs().begun.retain(|begun| !Arc::ptr_eq(begun, job));
        self.done.notify_all();
    }
}

/// Does something that may break. Nothing of a job's is looked at again then, and whatever it
/// shares mends itself.
fn attempt<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

fn spawn<L: Labour>(name: &str, desk: &Arc<Desk<L>>, work: impl FnOnce(&Desk<L>) + Send + 'static) {
    let (desk, runtime) = (Arc::clone(desk), Handle::current());
    let thread = std::thread::Builder::new().name(name.to_owned());
    let work = move || {
        // What comes of a job may begin tasks.
        let _runtime = runtime.enter();
        work(&desk);
    };
    if let Err(error) = thread.spawn(work) {
        warn!(%error, name, "there is one thread less to work in the background");
    }
}

impl<L: Labour> Clone for Spare<L> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<L: Labour> Drop for Way<L> {
    fn drop(&mut self) {
        match self {
            Self::Threads(desk) => desk.close(),
            Self::Here(_) => {}
        }
    }
}

impl<L: Labour> fmt::Debug for Spare<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spare").finish_non_exhaustive()
    }
}

/// Lets everybody else go first, on Linux. A nice thread isn't enough: it keeps the core for the
/// milliseconds of its turn, and a move comes upon it three times, where it is heard, written
/// down and answered. One that takes what is left makes room at once.
fn step_back() {
    #[cfg(target_os = "linux")]
    {
        use thread_priority::{
            NormalThreadSchedulePolicy::Idle, ThreadPriority, ThreadSchedulePolicy,
            set_thread_priority_and_policy, thread_native_id,
        };
        let (own, least) = (thread_native_id(), ThreadPriority::Min);
        let idle = ThreadSchedulePolicy::Normal(Idle);
        // Refused, it works as fast as the others play.
        set_thread_priority_and_policy(own, least, idle).ok();
    }
}

/// Lets others go first, and still gets a tenth of what one of them gets. On Linux: there each
/// thread has a niceness of its own.
pub(crate) fn step_back_less() {
    #[cfg(target_os = "linux")]
    {
        /// As much as a batch job takes by custom.
        const NICENESS: i32 = 10;
        rustix::process::nice(NICENESS).ok();
    }
}
