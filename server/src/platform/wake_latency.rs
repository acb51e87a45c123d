//! Wake latency: how long a task waits between being woken and being polled.

use crate::platform::clock::Clock;
use futures_util::task::AtomicWaker;
use gridrace_shared::util::time::ServerInstant;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Wake, Waker};

const NEVER: u64 = u64::MAX;

/// Wakes a task, and measures how long it waits for its turn.
#[derive(Debug)]
pub(crate) struct WakeLatency {
    clock: Clock,
    task: AtomicWaker,
    /// The first wake-up since the last turn began.
    woken: AtomicU64,
    /// The wake-up that led to the present turn.
    turn: AtomicU64,
}

impl WakeLatency {
    pub(crate) fn new(clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            clock,
            task: AtomicWaker::new(),
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
        std::future::poll_fn(move |context| {
            latency.task.register(context.waker());
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
        self.task.wake();
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
}
