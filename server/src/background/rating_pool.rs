//! What the boards of heats need: found out one after another, after everybody else.

use crate::background::hint_pool::HintPool;
use crate::background::idle_pool::{Labour, Spare};
use crate::background::solver_tables::Shelf;
use crate::race::Event;
use crate::room::Room;
use gridrace_shared::heat::standings::Best;
use gridrace_shared::puzzle::{Board, PuzzleSpec};
use gridrace_shared::solver::hint::rate;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tracing::{debug, error};

/// Boards that may wait: half as many as there may be heats, half a megabyte.
const QUEUE: usize = 2_048;
/// How long the work may get nowhere, until a thread that takes more steps in: nobody waits for a
/// rating who doesn't race or look at results.
const PATIENCE: Duration = Duration::from_secs(10);

/// A board whose moves are to be found out.
#[derive(Debug)]
pub struct RateJob {
    /// The heat that is to get the answer, if it is still there.
    pub heat: Weak<Room>,
    /// Which heat of the group it is for.
    pub number: u32,
    /// Of which puzzle the board is.
    pub spec: PuzzleSpec,
    /// The board.
    pub board: Board,
}

/// A handle on those who find it out, who end with its last handle.
#[derive(Debug, Clone)]
pub struct Raters(Spare<Rating>);

impl Raters {
    /// Starts them. They let hints, and whoever else wants a core, go first. Must be called
    /// inside a tokio runtime.
    #[must_use]
    pub fn start(shelf: Shelf, hints: HintPool) -> Self {
        let rating = Rating { shelf, hints };
        Self(Spare::start("raters", rating, 1, QUEUE, PATIENCE))
    }

    /// Takes a job, and says whether there was room for it.
    #[must_use]
    pub fn submit(&self, job: RateJob) -> bool {
        self.0.submit(job).is_ok()
    }
}

/// How boards are rated.
struct Rating {
    shelf: Shelf,
    hints: HintPool,
}

impl Labour for Rating {
    type Job = RateJob;
    type Fruit = Option<Best>;

    fn labour(&self, job: &RateJob, gets_on: &dyn Fn()) -> Option<Best> {
        let RateJob { heat, number, spec, board } = job;
        let awaited = || heat.upgrade().is_some_and(|heat| heat.awaits_rating(*number));
        if !awaited() {
            return None;
        }
        self.shelf.wait_for(spec);
        let go_on = || {
            gets_on();
            self.hints.wait_while_busy();
            gets_on();
            awaited()
        };
        if !go_on() {
            return None;
        }
        match rate(board, &self.shelf.solvers(), &go_on) {
            Ok(best) => best,
            Err(error) => {
                debug!(%spec, %error, "a board has no rating");
                None
            }
        }
    }

    fn reap(&self, job: &RateJob, rating: Option<Option<Best>>) {
        let RateJob { number, spec, .. } = job;
        match rating {
            Some(Some(best)) => {
                if let Some(heat) = job.heat.upgrade() {
                    let event = Event::Rated { number: *number, best };
                    // A thread that steps back is not to hold a heat's lock.
                    let here = Arc::clone(&heat);
                    here.home().spawn(async move { heat.apply(event) });
                }
            }
            Some(None) => debug!(%spec, number, "nobody waits for a rating any more"),
            None => error!(%spec, number, "the solver broke on a board, which has no rating"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::Hub;
    use crate::platform::clock::Clock;
    use crate::platform::rng;
    use crate::tables::TableStore;
    use crate::telemetry::metrics::Metrics;
    use gridrace_shared::heat::options::HeatOptions;
    use std::time::Duration;

    fn job(heat: &Weak<Room>, number: u32) -> RateJob {
        let spec: PuzzleSpec = "slide:3x3".parse().unwrap();
        RateJob {
            heat: Weak::clone(heat),
            number,
            spec,
            board: spec.board(&"friday".parse().unwrap()),
        }
    }

    /// Lets a heat come to GO.
    async fn start(heat: &Arc<Room>, by: gridrace_shared::heat::name::PlayerId) {
        heat.apply(Event::Start { by });
        while heat.phase_name() != "countdown" {
            tokio::task::yield_now().await;
        }
        // Longer than any countdown.
        tokio::time::advance(Duration::from_secs(60)).await;
        heat.apply(Event::Tick);
    }

    /// Says whether work was begun on a heat's board: then its tables stand.
    fn is_begun(heat: &Arc<Room>, number: u32) -> bool {
        let tables = TableStore::default();
        let shelf = Shelf::of(tables.clone());
        let hints = HintPool::start(shelf.clone(), Metrics::new());
        let job = job(&Arc::downgrade(heat), number);
        Rating { shelf, hints }.labour(&job, &|| ());
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
            .join(&outbox, crate::race::Newcomer::person(name), crate::platform::rng::token())
            .unwrap();
        start(&heat, by).await;
        assert!(is_begun(&heat, 1));
        assert!(!is_begun(&heat, 2));
        heat.apply(Event::GiveUp { by });
        assert!(is_begun(&heat, 1));
        let secret = rng::draw(None);
        heat.apply(Event::Rematch { by: Some(by), secret });
        assert!(!is_begun(&heat, 1));
        start(&heat, by).await;
        assert!(is_begun(&heat, 2));
        heat.close();
        assert!(!is_begun(&heat, 2));
    }
}
