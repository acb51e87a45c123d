//! Jobs that wait, break, or are begun by a thread that gets nowhere.

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

/// What a test hears of a [`Slow`], and how it lets the first job go on.
struct Ears {
    begun: Receiver<u32>,
    go_on: Sender<()>,
    done: Receiver<(u32, Option<u32>)>,
}

fn slow() -> (Slow, Ears) {
    let (begins, begun) = channel();
    let (go_on, told) = channel();
    let (ends, done) = channel();
    let slow = Slow { begun: begins, go_on: Mutex::new(Some(told)), done: ends };
    let ears = Ears { begun, go_on, done };
    (slow, ears)
}

/// Starts one thread, for which nobody steps in.
fn start(most: usize) -> (Spare<Slow>, Ears) {
    let (slow, ears) = slow();
    (Spare::start("slow", slow, 1, most, LONG), ears)
}

#[tokio::test]
async fn as_many_jobs_wait_as_may_and_the_others_come_back() {
    let (spare, ears) = start(64);
    assert_eq!(spare.submit(1), Ok(()));
    assert_eq!(ears.begun.recv(), Ok(1));
    let refused = (2..1_000).filter(|&job| spare.submit(job).is_err());
    assert!(refused.eq(66..1_000));
    ears.go_on.send(()).unwrap();
    let done: Vec<u32> = ears.done.iter().take(65).map(|(job, _)| job).collect();
    assert!(done.into_iter().eq(1..66));
}

#[tokio::test]
async fn work_that_breaks_takes_no_other_with_it() {
    let (spare, ears) = start(64);
    ears.go_on.send(()).unwrap();
    for job in [1, 0, 2] {
        spare.submit(job).unwrap();
    }
    let done: Vec<_> = ears.done.iter().take(3).collect();
    assert_eq!(done, [(1, Some(10)), (0, None), (2, Some(20))]);
}

#[tokio::test]
async fn what_gets_nowhere_is_done_by_another_and_once() {
    let (slow, Ears { begun, go_on, done }) = slow();
    let desk = Arc::new(Desk::new(slow, 64));
    desk.submit(1).unwrap();
    spawn("slow", &desk, Desk::work);
    // The first is begun, and held up; whoever steps in does it, and all that come.
    assert_eq!(begun.recv(), Ok(1));
    spawn("quick", &desk, |desk| {
        desk.step_in(Duration::from_millis(1));
    });
    let spare = Spare(Arc::new(Way::Threads(desk)));
    assert_eq!(done.recv(), Ok((1, Some(10))));
    for job in 2..=3 {
        spare.submit(job).unwrap();
        assert_eq!(done.recv(), Ok((job, Some(job * 10))));
    }
    spare.wait_until_done(LONG);
    go_on.send(()).unwrap();
    drop(spare);
    // The first is finished a second time, and nobody hears of it, as long as there is a thread.
    assert_eq!(done.iter().count(), 0);
    assert!(begun.iter().eq(1..=3));
}

#[tokio::test]
async fn nobody_steps_in_for_whoever_gets_on() {
    let (spare, ears) = start(100);
    ears.go_on.send(()).unwrap();
    for job in 1..=100 {
        spare.submit(job).unwrap();
    }
    spare.wait_until_done(LONG);
    drop(spare);
    assert!(ears.begun.iter().eq(1..=100));
    assert!(ears.done.iter().map(|(job, _)| job).eq(1..=100));
}
