//! What the boards of heats need: one thread that finds it out, after everybody else.

use crate::heat::Heat;
use crate::hints::HintPool;
use crate::race::Event;
use crate::shelf::Shelf;
use crate::simulated;
use crate::tables::step_back;
use gridrace_shared::hint::rate;
use gridrace_shared::puzzle::{Board, PuzzleSpec};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Weak;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tokio::runtime::Handle;
use tracing::{debug, error, warn};

/// Boards that may wait: half as many as there may be heats, half a megabyte.
const QUEUE: usize = 2_048;

/// A board whose moves are to be found out.
#[derive(Debug)]
pub struct RateJob {
    /// The heat that is to get the answer, if it is still there.
    pub heat: Weak<Heat>,
    /// Which heat of the group it is for.
    pub number: u32,
    /// Of which puzzle the board is.
    pub spec: PuzzleSpec,
    /// The board.
    pub board: Board,
}

/// A handle on the thread, which ends with its last handle.
#[derive(Debug, Clone)]
pub struct Raters(Way);

#[derive(Debug, Clone)]
enum Way {
    Thread(SyncSender<RateJob>),
    /// In a simulation there is no thread: hints come first all the same, as a board is
    /// rated in one go.
    Here(Shelf),
}

impl Raters {
    /// Starts the thread. It lets hints, and whoever else wants a core, go first. Must be
    /// called inside a tokio runtime.
    #[must_use]
    pub fn start(shelf: Shelf, hints: HintPool) -> Self {
        if simulated::is_on() {
            return Self(Way::Here(shelf));
        }
        let (sender, jobs) = sync_channel(QUEUE);
        let runtime = Handle::current();
        let thread = std::thread::Builder::new().name("raters".to_owned());
        let work = move || {
            let _runtime = runtime.enter();
            step_back();
            work(&jobs, |job| {
                rate_board(job, &shelf, || hints.wait_while_busy());
            });
        };
        if let Err(error) = thread.spawn(work) {
            warn!(%error, "there is no thread to rate boards");
        }
        Self(Way::Thread(sender))
    }

    /// Takes a job, and says whether there was room for it.
    #[must_use]
    pub fn submit(&self, job: RateJob) -> bool {
        match &self.0 {
            Way::Thread(sender) => sender.try_send(job).is_ok(),
            Way::Here(shelf) => {
                let shelf = shelf.clone();
                tokio::spawn(async move { rate_board(job, &shelf, || ()) });
                true
            }
        }
    }
}

/// Does one job after another, whatever becomes of each.
fn work(jobs: &Receiver<RateJob>, rate: impl Fn(RateJob)) {
    while let Ok(job) = jobs.recv() {
        let (number, spec) = (job.number, job.spec);
        // Nothing of a job's is looked at again, and whatever it shares mends itself.
        if catch_unwind(AssertUnwindSafe(|| rate(job))).is_err() {
            error!(%spec, number, "the solver broke on a board, which has no rating");
        }
    }
}

fn rate_board(job: RateJob, shelf: &Shelf, let_others_go_first: impl Fn()) {
    let RateJob {
        heat,
        number,
        spec,
        board,
    } = job;
    let awaited = || {
        heat.upgrade()
            .is_some_and(|heat| heat.awaits_rating(number))
    };
    if !awaited() {
        return;
    }
    shelf.wait_for(&spec);
    let go_on = || {
        let_others_go_first();
        awaited()
    };
    if !go_on() {
        return;
    }
    match rate(&board, &shelf.solvers(), &go_on) {
        Ok(Some(best)) => {
            if let Some(heat) = heat.upgrade() {
                heat.apply(Event::Rated { number, best });
            }
        }
        Ok(None) => debug!(%spec, number, "nobody waits for a rating any more"),
        Err(error) => debug!(%spec, %error, "a board has no rating"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::entropy;
    use crate::hub::Hub;
    use crate::metrics::Metrics;
    use crate::tables::TableStore;
    use gridrace_shared::options::HeatOptions;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    fn job(heat: &Weak<Heat>, number: u32) -> RateJob {
        let spec: PuzzleSpec = "slide:3x3".parse().unwrap();
        RateJob {
            heat: Weak::clone(heat),
            number,
            spec,
            board: spec.board(&"friday".parse().unwrap()),
        }
    }

    #[test]
    fn a_job_that_breaks_takes_no_other_with_it() {
        let (sender, jobs) = sync_channel(QUEUE);
        let raters = Raters(Way::Thread(sender));
        for number in 1..=3 {
            assert!(raters.submit(job(&Weak::new(), number)));
        }
        drop(raters);
        let done = Mutex::new(Vec::new());
        work(&jobs, |job| {
            assert_ne!(job.number, 2, "the solver broke, as the test wants it");
            done.lock().unwrap().push(job.number);
        });
        assert_eq!(done.into_inner().unwrap(), [1, 3]);
    }

    /// Lets a heat come to GO.
    async fn start(heat: &Arc<Heat>, by: gridrace_shared::name::PlayerId) {
        heat.apply(Event::Start { by });
        while heat.phase_name() != "countdown" {
            tokio::task::yield_now().await;
        }
        // Longer than any countdown.
        tokio::time::advance(Duration::from_secs(60)).await;
        heat.apply(Event::Tick);
    }

    /// Says whether work was begun on a heat's board: then its tables stand.
    fn is_begun(heat: &Arc<Heat>, number: u32) -> bool {
        let tables = TableStore::default();
        let shelf = Shelf::of(tables.clone());
        let hints = HintPool::start(shelf.clone(), Metrics::new());
        rate_board(job(&Arc::downgrade(heat), number), &shelf, || {
            hints.wait_while_busy();
        });
        tables.snapshot().iter().count() > 0
    }

    #[tokio::test(start_paused = true)]
    async fn no_work_is_done_for_whom_no_rating_can_reach() {
        let (hub, _) = Hub::new(Clock::start(), TableStore::default(), Vec::new()).unwrap();
        let options = HeatOptions::new("slide:3x3".parse().unwrap());
        let heat = hub.open(options, None).unwrap();
        let name = "Anna".parse().unwrap();
        let outbox = Arc::default();
        let by = heat
            .join(
                &outbox,
                crate::race::Newcomer::person(name),
                crate::entropy::token(),
            )
            .unwrap();
        start(&heat, by).await;
        assert!(is_begun(&heat, 1));
        assert!(!is_begun(&heat, 2));
        heat.apply(Event::GiveUp { by });
        assert!(is_begun(&heat, 1));
        let draw = entropy::draw(None);
        heat.apply(Event::Rematch { by: Some(by), draw });
        assert!(!is_begun(&heat, 1));
        start(&heat, by).await;
        assert!(is_begun(&heat, 2));
        heat.close();
        assert!(!is_begun(&heat, 2));
    }
}
