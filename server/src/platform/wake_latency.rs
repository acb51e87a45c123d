//! Wake latency: how long a task waits between being woken and being polled.

use crate::platform::clock::Clock;
use crate::platform::lock::lock;
use gridrace_shared::util::time::ServerInstant;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

const NEVER: u64 = u64::MAX;

/// Wakes a task, and measures how long it waits for its turn.
#[derive(Debug)]
pub(crate) struct WakeLatency {
    clock: Clock,
    /// The task's own waker. It stays from one turn to the next: a task is polled with the same one
    /// until it moves to another runtime.
    task: Mutex<Waker>,
    /// The first wake-up since the last turn began.
    woken: AtomicU64,
    /// The wake-up that led to the present turn.
    turn: AtomicU64,
}

impl WakeLatency {
    pub(crate) fn new(clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            clock,
            task: Mutex::new(Waker::noop().clone()),
            woken: AtomicU64::new(NEVER),
            turn: AtomicU64::new(clock.now().0),
        })
    }

    /// Returns when the task was woken for its present turn.
    pub(crate) fn woken_at(&self) -> ServerInstant {
        ServerInstant(self.turn.load(Ordering::Relaxed))
    }

    /// Wraps `future` so that only this waker wakes it.
    pub(crate) fn measure<F: Future>(
        self: &Arc<Self>,
        future: F,
    ) -> impl Future<Output = F::Output> {
        let (mut future, latency) = (Box::pin(future), Arc::clone(self));
        let waker = Waker::from(Arc::clone(self));
        let mut task = Waker::noop().clone();
        std::future::poll_fn(move |context| {
            if !task.will_wake(context.waker()) {
                task.clone_from(context.waker());
                lock(&latency.task).clone_from(&task);
            }
            latency.begin_turn();
            future.as_mut().poll(&mut Context::from_waker(&waker))
        })
    }

    fn begin_turn(&self) {
        let woken = self.woken.swap(NEVER, Ordering::Relaxed);
        // A task that is polled without a wake-up hasn't waited.
        let since = if woken == NEVER { self.clock.now().0 } else { woken };
        self.turn.store(since, Ordering::Relaxed);
    }
}

impl Wake for WakeLatency {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.woken.load(Ordering::Relaxed) == NEVER {
            self.woken.store(self.clock.now().0, Ordering::Relaxed);
        }
        // Not under the lock: a task that ends here may wake itself.
        let task = lock(&self.task).clone();
        task.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, poll_fn};
    use std::task::Poll;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn latency_counts_from_the_first_wake_up() {
        let clock = Clock::start();
        let latency = WakeLatency::new(clock);
        let mut work = Box::pin(latency.measure(pending::<()>()));
        for millis in [7, 9, 11] {
            Arc::clone(&latency).wake();
            tokio::time::advance(Duration::from_millis(millis)).await;
            Arc::clone(&latency).wake();
            poll_fn(|context| Poll::Ready(work.as_mut().poll(context).is_pending())).await;
            let waited = clock.now().since(latency.woken_at());
            assert_eq!(waited, Duration::from_millis(millis));
        }
    }

    #[derive(Default)]
    struct Wakes(AtomicU64);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn each_wake_up_reaches_the_task_that_polled_last() {
        let latency = WakeLatency::new(Clock::start());
        let mut work = Box::pin(latency.measure(pending::<()>()));
        let tasks = [Arc::new(Wakes::default()), Arc::default()];
        for (n, wakes) in [(0, 1), (0, 2), (1, 1), (0, 3)] {
            let waker = Waker::from(Arc::clone(&tasks[n]));
            assert!(work.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            Arc::clone(&latency).wake();
            assert_eq!(tasks[n].0.load(Ordering::Relaxed), wakes);
        }
    }
}
