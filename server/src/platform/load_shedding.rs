//! How long clients wait for their turn, and which moves are taken on when that is too long.
//!
//! A task that is woken waits until those before it on its thread have had their turn: its
//! [`Wait`] knows since when. When everybody's wait has been too long for a while, the thread has
//! more to do than it can, and a queue that stands gains nobody anything. Then standings, which
//! are most of what is written, wake their readers less and less often: they go with whatever
//! these are told next. Where that isn't enough, moves that have waited too long already are
//! refused before they cost anything, and the others are as quick as ever. That a wait counts
//! when it stays, and not when it peaks, is the idea of CoDel (Nichols and Jacobson,
//! "Controlling queue delay", 2012).

use crate::platform::clock::Clock;
use crate::platform::environment;
use futures_util::task::AtomicWaker;
use gridrace_shared::util::time::ServerInstant;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Wake, Waker};

/// How long a move may have waited for its turn where the server is behind, in microseconds. It
/// waits up to as long twice more, for its heat and for its answer, and some 20 ms for its group
/// in the journal: all of that is below 50 ms.
const LONG: u64 = 5_000;
/// How long waits are long before something gives way, in microseconds: first standings, a step
/// at a time, and then moves. The machine may have been busy with something else for a moment,
/// and who came meanwhile is soon served.
const FOR: u64 = 50_000;
/// How far apart the standings of a heat that wake their readers lie, in microseconds, at each
/// step; how often there are any is the race's.
const SPACINGS: [u64; 4] = [0, 250_000, 500_000, 1_000_000];
/// How long waits aren't long before standings take a step back, in microseconds: so slowly that
/// whoever wakes too many again does it seldom.
const CALM: u64 = 5_000_000;
/// How long after the last refusal a server is still behind, in microseconds.
const AFTER: u64 = 1_000_000;
/// How long after the last move that was taken on the next one is, however long it waited, in
/// microseconds: where it is the machine that gives the server too little time, refusing mends
/// nothing, and races must go on. A server that is merely behind takes on more than that.
const TRICKLE: u64 = 20_000;
/// No instant.
const NEVER: u64 = u64::MAX;

thread_local! {
    /// Each thread has a queue of its own.
    static HERE: Waits = const { Waits::new() };
}

/// Says whether a move is taken on, on this thread, that has waited since an instant.
pub(crate) fn take_on(since: ServerInstant, now: ServerInstant) -> bool {
    // A simulated network wakes a task from outside its host, by another clock than the host's.
    if environment::is_on() {
        return true;
    }
    HERE.with(|waits| waits.take_on(since, now))
}

/// Says whether standings of a heat may wake their readers on this thread now, as others did
/// then. The heats' turns come one after the other, as they began.
pub(crate) fn may_wake(epoch: ServerInstant, then: ServerInstant, now: ServerInstant) -> bool {
    let spacing = HERE.with(|waits| waits.spacing(now));
    let turn = |at: ServerInstant| at.0.saturating_sub(epoch.0).checked_div(spacing);
    spacing == 0 || turn(then) != turn(now)
}

/// What is known of the waits on one thread.
#[derive(Debug)]
struct Waits {
    /// Since when every wait was long and nothing has given way.
    long_since: Cell<Option<ServerInstant>>,
    /// How far standings have given way.
    step: Cell<usize>,
    /// When waits were last long for a while, or standings took a step back.
    stepped: Cell<ServerInstant>,
    /// When a move was last refused.
    refused: Cell<Option<ServerInstant>>,
    /// When one was last taken on.
    taken: Cell<Option<ServerInstant>>,
}

impl Waits {
    const fn new() -> Self {
        Self {
            long_since: Cell::new(None),
            step: Cell::new(0),
            stepped: Cell::new(ServerInstant(0)),
            refused: Cell::new(None),
            taken: Cell::new(None),
        }
    }

    fn take_on(&self, since: ServerInstant, now: ServerInstant) -> bool {
        if now.0.saturating_sub(since.0) <= LONG {
            self.long_since.set(None);
            self.taken.set(Some(now));
            return true;
        }
        let ago = |instant: ServerInstant| now.0.checked_sub(instant.0);
        let long_for = self.long_since.get().and_then(ago);
        if long_for.is_none() {
            self.long_since.set(Some(now));
        }
        let gives_way = long_for.is_some_and(|ago| ago >= FOR);
        let is_last = self.step.get() == SPACINGS.len() - 1;
        if gives_way && !is_last {
            self.step.set(self.step.get() + 1);
            self.long_since.set(Some(now));
        }
        if gives_way {
            self.stepped.set(now);
        }
        let refused = self.refused.get().and_then(ago);
        let is_behind = gives_way && is_last || refused.is_some_and(|ago| ago < AFTER);
        let taken = self.taken.get().and_then(ago);
        let refuses = is_behind && taken.is_some_and(|ago| ago < TRICKLE);
        let last = if refuses { &self.refused } else { &self.taken };
        last.set(Some(now));
        !refuses
    }

    fn spacing(&self, now: ServerInstant) -> u64 {
        let calm = now.0.saturating_sub(self.stepped.get().0) / CALM;
        let step = self.step.get().saturating_sub(calm as usize);
        self.step.set(step);
        self.stepped.update(|stepped| ServerInstant(stepped.0 + calm * CALM));
        SPACINGS[step]
    }
}

/// Wakes a task, and knows since when that waits for its turn.
#[derive(Debug)]
pub(crate) struct Wait {
    clock: Clock,
    task: AtomicWaker,
    /// When it was woken first since its last turn began.
    woken: AtomicU64,
    /// When it was woken for the turn that is on.
    turn: AtomicU64,
}

impl Wait {
    pub(crate) fn new(clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            clock,
            task: AtomicWaker::new(),
            woken: AtomicU64::new(NEVER),
            turn: AtomicU64::new(clock.now().0),
        })
    }

    /// Returns since when the task has waited whose turn it is.
    pub(crate) fn since(&self) -> ServerInstant {
        ServerInstant(self.turn.load(Ordering::Relaxed))
    }

    /// Has a future woken by this alone.
    pub(crate) fn of<F: Future>(self: &Arc<Self>, future: F) -> impl Future<Output = F::Output> {
        let (mut future, wait) = (Box::pin(future), Arc::clone(self));
        let waker = Waker::from(Arc::clone(self));
        std::future::poll_fn(move |context| {
            wait.task.register(context.waker());
            wait.begin();
            future.as_mut().poll(&mut Context::from_waker(&waker))
        })
    }

    fn begin(&self) {
        let woken = self.woken.swap(NEVER, Ordering::Relaxed);
        // Who is polled without being woken hasn't waited.
        let since = if woken == NEVER { self.clock.now().0 } else { woken };
        self.turn.store(since, Ordering::Relaxed);
    }
}

impl Wake for Wait {
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

    const MILLI: u64 = 1_000;

    /// Asks once a millisecond for moves that have waited so long, and counts those taken on.
    fn taken_on(waits: &Waits, from: u64, millis: u64, waited: u64) -> usize {
        (from..from + millis)
            .filter(|at| {
                waits.take_on(ServerInstant((at - waited) * MILLI), ServerInstant(at * MILLI))
            })
            .count()
    }

    #[test]
    fn a_wait_that_peaks_changes_nothing_and_one_that_stays_refuses_in_the_end() {
        let waits = Waits::new();
        assert_eq!(taken_on(&waits, 1_000, 50, 80), 50);
        assert_eq!(taken_on(&waits, 1_050, 1, 5), 1);
        assert_eq!(waits.spacing(ServerInstant(1_050 * MILLI)), 0);
        assert_eq!(taken_on(&waits, 1_100, 200, 80), 200);
        assert_eq!(taken_on(&waits, 1_300, 100, 80), 5, "a trickle");
    }

    #[test]
    fn while_the_server_is_behind_those_who_waited_little_are_taken_on() {
        let waits = Waits::new();
        taken_on(&waits, 1_000, 202, 80);
        assert_eq!(taken_on(&waits, 1_202, 100, 5), 100);
        assert_eq!(taken_on(&waits, 1_302, 100, 6), 5, "a trickle");
        assert_eq!(taken_on(&waits, 1_402, 100, 5), 100);
    }

    #[test]
    fn standings_give_way_a_step_at_a_time_before_moves_do_and_come_back_slowly() {
        let waits = Waits::new();
        let mut at = 1_000;
        for spacing in SPACINGS {
            assert_eq!(taken_on(&waits, at, 50, 80), 50);
            assert_eq!(waits.spacing(ServerInstant(at * MILLI)), spacing);
            at += 50;
        }
        let last = at - 50;
        let after = |millis: u64| waits.spacing(ServerInstant((last + millis) * MILLI));
        let calm = CALM / MILLI;
        assert_eq!(after(calm - 1), SPACINGS[3]);
        assert_eq!(after(calm), SPACINGS[2]);
        assert_eq!(after(2 * calm - 1), SPACINGS[2]);
        assert_eq!(after(9 * calm), SPACINGS[0]);
    }

    #[test]
    fn a_second_without_a_refusal_ends_it() {
        let waits = Waits::new();
        taken_on(&waits, 1_000, 202, 80);
        assert_eq!(taken_on(&waits, 1_202, 1_000, 1), 1_000);
        assert_eq!(taken_on(&waits, 2_202, 50, 80), 50);
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_counts_from_the_first_time_that_the_task_was_woken() {
        let clock = Clock::start();
        let wait = Wait::new(clock);
        let mut work = Box::pin(wait.of(pending::<()>()));
        for millis in [7, 9, 11] {
            Arc::clone(&wait).wake();
            tokio::time::advance(Duration::from_millis(millis)).await;
            Arc::clone(&wait).wake();
            poll_fn(|context| Poll::Ready(work.as_mut().poll(context).is_pending())).await;
            assert_eq!(clock.now().0 - wait.since().0, millis * MILLI);
        }
    }
}
