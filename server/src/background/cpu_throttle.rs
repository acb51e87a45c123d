//! Throttles work that no player waits for, while heats run.
//!
//! The processor time of all throttled threads is charged to one account; their whole time where
//! they had to wait for a processor, as what they use then is taken from players. While a heat runs,
//! the threads pause until their share of one core has paid for it; once no heat runs they go on at
//! once.

use crate::platform::clock::Clock;
use crate::platform::cpu_time;
use crate::platform::environment::Environment;
use crate::platform::lock::lock;
use gridrace_shared::util::time::ServerInstant;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// The share of one core that all throttled threads together use while a heat runs, in percent:
/// less than a scheduler's noise beside the moves of a busy server.
const RUNNING_SHARE_PERCENT: u32 = 5;
/// The longest wait of a paused thread before it reports progress and asks whether its work is
/// still wanted: a tenth of the timeout of the ratings' watchdog.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// A handle on the account; clones share it.
#[derive(Clone)]
pub(crate) struct CpuThrottle(Arc<Account>);

struct Account {
    meter: Box<dyn CpuMeter>,
    state: Mutex<ThrottleState>,
    /// Notified when no heat runs any more.
    idle: Condvar,
}

#[derive(Default)]
struct ThrottleState {
    running_heats: usize,
    /// When everything that was used is paid for.
    paid_at: ServerInstant,
}

/// Measures time, and waits.
trait CpuMeter: Send + Sync {
    fn now(&self) -> ServerInstant;

    /// Returns the processor time that the calling thread has used.
    fn thread_time(&self) -> Duration;

    /// Waits until no heat runs, for `timeout` at most.
    fn wait(&self, account: &Account, timeout: Duration);
}

impl CpuThrottle {
    pub(crate) fn new(environment: &Environment, clock: Clock) -> Self {
        Self::with_meter(ThreadMeter { clock, is_simulated: environment.is_simulated() })
    }

    fn with_meter(meter: impl CpuMeter + 'static) -> Self {
        let (state, idle) = (Mutex::default(), Condvar::new());
        Self(Arc::new(Account { meter: Box::new(meter), state, idle }))
    }

    /// Counts a heat as running until the return value is dropped.
    pub(crate) fn start_heat(&self) -> RunningHeat {
        lock(&self.0.state).running_heats += 1;
        RunningHeat(self.clone())
    }

    #[cfg(test)]
    pub(crate) fn running_heats(&self) -> usize {
        lock(&self.0.state).running_heats
    }

    /// Begins to measure the calling thread.
    pub(crate) fn begin_work(&self) -> ThrottledWork<'_> {
        let charged = AtomicU64::new(micros(self.0.meter.thread_time()));
        let resumed = AtomicU64::new(self.0.meter.now().0);
        ThrottledWork { account: &self.0, charged, resumed }
    }
}

/// A heat during which background work is throttled.
pub(crate) struct RunningHeat(CpuThrottle);

impl Drop for RunningHeat {
    fn drop(&mut self) {
        let account = &self.0.0;
        let mut state = lock(&account.state);
        state.running_heats = state.running_heats.saturating_sub(1);
        if state.running_heats == 0 {
            account.idle.notify_all();
        }
    }
}

/// The work of one thread. What it has used at the end is charged as well.
pub(crate) struct ThrottledWork<'a> {
    account: &'a Account,
    /// The thread's processor time up to which it has been charged, in microseconds.
    charged: AtomicU64,
    /// When it went on last, in microseconds of the server's clock.
    resumed: AtomicU64,
}

impl ThrottledWork<'_> {
    /// Charges what the thread has used since the last call, and waits until that is paid for or
    /// no heat runs. Returns false as soon as `should_continue`, which is called after each wait
    /// of [`MAX_WAIT`] at most, does so.
    pub(crate) fn pause(&self, should_continue: &dyn Fn() -> bool) -> bool {
        self.charge();
        while let Some(rest) = self.account.rest() {
            self.account.meter.wait(self.account, rest.min(MAX_WAIT));
            if !should_continue() {
                return false;
            }
        }
        // It used nothing while it waited.
        self.resumed.store(self.account.meter.now().0, Ordering::Relaxed);
        should_continue()
    }

    /// Waits for something else, which uses nothing.
    pub(crate) fn idle(&self, wait: impl FnOnce()) {
        self.charge();
        wait();
        self.resumed.store(self.account.meter.now().0, Ordering::Relaxed);
    }

    fn charge(&self) {
        let used = micros(self.account.meter.thread_time());
        let charged = self.charged.swap(used, Ordering::Relaxed);
        let now = self.account.meter.now().0;
        let resumed = self.resumed.swap(now, Ordering::Relaxed);
        let used = used.saturating_sub(charged).max(now.saturating_sub(resumed));
        self.account.charge(Duration::from_micros(used));
    }
}

impl Drop for ThrottledWork<'_> {
    fn drop(&mut self) {
        self.charge();
    }
}

impl Account {
    fn charge(&self, used: Duration) {
        let mut state = lock(&self.state);
        if state.running_heats > 0 {
            let price = used * 100 / RUNNING_SHARE_PERCENT;
            state.paid_at = state.paid_at.max(self.meter.now()) + price;
        }
    }

    /// Returns how long work must wait; nothing if it may go on.
    fn rest(&self) -> Option<Duration> {
        let state = lock(&self.state);
        let rest = state.paid_at.since(self.meter.now());
        (state.running_heats > 0 && !rest.is_zero()).then_some(rest)
    }
}

struct ThreadMeter {
    clock: Clock,
    /// A simulation's work is part of its one thread, and costs no time.
    is_simulated: bool,
}

impl CpuMeter for ThreadMeter {
    fn now(&self) -> ServerInstant {
        self.clock.now()
    }

    fn thread_time(&self) -> Duration {
        if self.is_simulated { Duration::ZERO } else { cpu_time::thread_time() }
    }

    fn wait(&self, account: &Account, timeout: Duration) {
        let runs = |state: &mut ThrottleState| state.running_heats > 0;
        drop(account.idle.wait_timeout_while(lock(&account.state), timeout, runs));
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

impl fmt::Debug for CpuThrottle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CpuThrottle").finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A machine on which each look at the thread's time costs a slice of it, and waits take no
    /// time of the test.
    #[derive(Clone, Default)]
    pub(crate) struct SimulatedMachine(Arc<Mutex<MachineTimes>>);

    #[derive(Clone, Copy, Default)]
    pub(crate) struct MachineTimes {
        pub(crate) now: Duration,
        /// The processor time of all threads.
        pub(crate) used: Duration,
        pub(crate) waited: Duration,
        pub(crate) waits: u32,
    }

    pub(crate) const SLICE: Duration = Duration::from_millis(30);

    impl SimulatedMachine {
        pub(crate) fn throttle(&self) -> CpuThrottle {
            CpuThrottle::with_meter(self.clone())
        }

        pub(crate) fn times(&self) -> MachineTimes {
            *lock(&self.0)
        }
    }

    impl CpuMeter for SimulatedMachine {
        fn now(&self) -> ServerInstant {
            ServerInstant(0) + self.times().now
        }

        fn thread_time(&self) -> Duration {
            let mut times = lock(&self.0);
            times.now += SLICE;
            times.used += SLICE;
            times.used
        }

        fn wait(&self, _: &Account, timeout: Duration) {
            let mut times = lock(&self.0);
            times.now += timeout;
            times.waited += timeout;
            times.waits += 1;
        }
    }

    #[test]
    fn waiting_for_something_else_uses_nothing() {
        let machine = SimulatedMachine::default();
        let throttle = machine.throttle();
        let _heat = throttle.start_heat();
        let work = throttle.begin_work();
        assert!(work.pause(&|| true));
        let before = machine.times();
        work.idle(|| lock(&machine.0).now += Duration::from_secs(1));
        assert!(work.pause(&|| true));
        // At a share of 5 % that second would have cost twenty.
        assert!(machine.times().waited - before.waited < Duration::from_secs(5));
    }

    #[test]
    fn work_uses_at_most_its_share_while_a_heat_runs_and_all_of_a_core_otherwise() {
        let machine = SimulatedMachine::default();
        let throttle = machine.throttle();
        let work = throttle.begin_work();
        for _ in 0..100 {
            assert!(work.pause(&|| true));
        }
        assert_eq!(machine.times().waits, 0);

        let (first, second) = (throttle.start_heat(), throttle.start_heat());
        let before = machine.times();
        for _ in 0..100 {
            assert!(work.pause(&|| true));
        }
        let after = machine.times();
        let (used, passed) = (after.used - before.used, after.now - before.now);
        assert_eq!(used, SLICE * 100);
        assert!(used * 100 <= passed * RUNNING_SHARE_PERCENT, "{used:?} of {passed:?}");
        assert!(used * 110 > passed * RUNNING_SHARE_PERCENT, "{used:?} of {passed:?}");

        drop(first);
        assert!(work.pause(&|| true));
        assert!(machine.times().waits > after.waits, "another heat still runs");
        drop(second);
        let idle = machine.times();
        assert!(work.pause(&|| true));
        assert_eq!(machine.times().waits, idle.waits);
    }

    #[test]
    fn work_that_waits_for_a_processor_is_charged_for_that_too() {
        let machine = SimulatedMachine::default();
        let throttle = machine.throttle();
        let _heat = throttle.start_heat();
        let work = throttle.begin_work();
        assert!(work.pause(&|| true));
        let before = machine.times();
        lock(&machine.0).now += SLICE * 9;
        assert!(work.pause(&|| true));
        let waited = machine.times().waited - before.waited;
        assert_eq!(waited, SLICE * 10 * 100 / RUNNING_SHARE_PERCENT);
    }

    #[test]
    fn the_end_of_one_job_is_charged_to_the_next() {
        let machine = SimulatedMachine::default();
        let throttle = machine.throttle();
        let _heat = throttle.start_heat();
        for _ in 0..100 {
            // Each ends within its first slice.
            drop(throttle.begin_work());
        }
        let before = machine.times();
        assert!(throttle.begin_work().pause(&|| true));
        let (used, waited) = (SLICE * 100, machine.times().waited - before.waited);
        // The looks at the beginning of the jobs took as long as what is charged.
        assert!(waited + 2 * used >= used * 100 / RUNNING_SHARE_PERCENT, "{waited:?}");
    }

    #[test]
    fn a_pause_ends_once_the_work_is_no_longer_wanted() {
        let machine = SimulatedMachine::default();
        let throttle = machine.throttle();
        let _heat = throttle.start_heat();
        let work = throttle.begin_work();
        for _ in 0..100 {
            work.charge();
        }
        let waits = machine.times().waits;
        assert!(!work.pause(&|| false));
        assert_eq!(machine.times().waits, waits + 1);
    }
}
