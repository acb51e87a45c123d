//! Work for the time that nobody else wants, and that gets on all the same.
//!
//! Its threads take only what of a core is left over. Where every core is busy with something
//! else, that is next to nothing, and the system gives a thread its place back only to whoever
//! may do anything. So where none of them has got on for a while, one more thread, which steps
//! back less, does the oldest job over again, and the next ones, until they do get on.

use crate::simulated::{hold_up, is_on};
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tracing::warn;

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

    /// Returns it, so that nobody else begins it.
    fn take_oldest(&mut self) -> Option<Arc<Job<J>>> {
        let begun = self.begun.iter().find(|job| !job.is_done());
        begun.cloned().or_else(|| self.waiting.pop_front())
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

    /// Waits, for so long at most, until nothing is left to do. For threads of their own.
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
            jobs: Mutex::new(Jobs {
                waiting: VecDeque::new(),
                begun: Vec::new(),
                closed: false,
            }),
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
            self.jobs().begun.retain(|begun| !Arc::ptr_eq(begun, &job));
            self.get_on();
        }
    }

    fn begin(&self) -> Option<Arc<Job<L::Job>>> {
        let is_idle = |jobs: &mut Jobs<_>| !jobs.closed && jobs.waiting.is_empty();
        let waited = self.comes.wait_while(self.jobs(), is_idle);
        let mut jobs = waited.unwrap_or_else(PoisonError::into_inner);
        let job = jobs.waiting.pop_front()?;
        jobs.begun.push(Arc::clone(&job));
        Some(job)
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
                return jobs.take_oldest();
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

    fn get_done(&self, job: &Job<L::Job>, gets_on: &dyn Fn()) {
        let fruit = attempt(|| self.labour.labour(&job.what, gets_on));
        if !job.is_done.swap(true, Ordering::AcqRel) {
            self.labour.reap(&job.what, fruit);
            // Whoever waits looks at the jobs under the lock, and is not to miss this.
            drop(self.jobs());
            self.done.notify_all();
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// Longer than a test lasts.
    const LONG: Duration = Duration::from_secs(3_600);

    /// Says which jobs are begun and done. The first is held up until it is told to go on, the
    /// one that is none breaks.
    struct Slow {
        begun: Sender<u32>,
        go_on: Mutex<Option<Receiver<()>>>,
        done: Sender<(u32, Option<u32>)>,
    }

    impl Labour for Slow {
        type Job = u32;
        type Fruit = u32;

        fn labour(&self, &job: &u32, _: &dyn Fn()) -> u32 {
            self.begun.send(job).ok(); // a test that listens no more knows enough
            let go_on = self.go_on.lock().unwrap().take();
            if let Some(go_on) = go_on {
                go_on.recv().unwrap();
            }
            assert_ne!(job, 0, "the work breaks, as the test wants it");
            job * 10
        }

        fn reap(&self, &job: &u32, fruit: Option<u32>) {
            self.done.send((job, fruit)).unwrap();
        }
    }

    struct World {
        spare: Spare<Slow>,
        begun: Receiver<u32>,
        go_on: Sender<()>,
        done: Receiver<(u32, Option<u32>)>,
    }

    fn world(most: usize, patience: Duration) -> World {
        let (begins, begun) = channel();
        let (go_on, told) = channel();
        let (ends, done) = channel();
        let slow = Slow {
            begun: begins,
            go_on: Mutex::new(Some(told)),
            done: ends,
        };
        let spare = Spare::start("slow", slow, 1, most, patience);
        World {
            spare,
            begun,
            go_on,
            done,
        }
    }

    #[tokio::test]
    async fn as_many_jobs_wait_as_may_and_the_others_come_back() {
        let world = world(64, LONG);
        assert_eq!(world.spare.submit(1), Ok(()));
        assert_eq!(world.begun.recv(), Ok(1));
        let refused = (2..1_000).filter(|&job| world.spare.submit(job).is_err());
        assert!(refused.eq(66..1_000));
        world.go_on.send(()).unwrap();
        let done: Vec<u32> = world.done.iter().take(65).map(|(job, _)| job).collect();
        assert!(done.into_iter().eq(1..66));
    }

    #[tokio::test]
    async fn work_that_breaks_takes_no_other_with_it() {
        let world = world(64, LONG);
        world.go_on.send(()).unwrap();
        for job in [1, 0, 2] {
            world.spare.submit(job).unwrap();
        }
        let done: Vec<_> = world.done.iter().take(3).collect();
        assert_eq!(done, [(1, Some(10)), (0, None), (2, Some(20))]);
    }

    #[tokio::test]
    async fn what_gets_nowhere_is_done_by_another_and_once() {
        let world = world(64, Duration::from_millis(1));
        // The first is begun, and held up; whoever steps in does it, and all that come.
        for job in 1..=3 {
            world.spare.submit(job).unwrap();
            assert_eq!(world.done.recv(), Ok((job, Some(job * 10))));
        }
        world.spare.wait_until_done(LONG);
        world.go_on.send(()).unwrap();
        drop(world.spare);
        // The first is finished a second time, and nobody hears of it, as long as there is a
        // thread.
        assert_eq!(world.done.iter().count(), 0);
        assert_eq!(world.begun.iter().filter(|&job| job == 1).count(), 2);
    }

    #[tokio::test]
    async fn nobody_steps_in_for_whoever_gets_on() {
        let world = world(100, LONG);
        world.go_on.send(()).unwrap();
        for job in 1..=100 {
            world.spare.submit(job).unwrap();
        }
        world.spare.wait_until_done(LONG);
        drop(world.spare);
        assert!(world.begun.iter().eq(1..=100));
        assert!(world.done.iter().map(|(job, _)| job).eq(1..=100));
    }
}
