//! The boards of heats, drawn outside every heat: two bounded lanes with workers of their own.

use crate::platform::environment::hold_up;
use crate::race::{BoardError, BoardRequest, Event};
use crate::room::Room;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::knowledge::Drawn;
use gridrace_shared::util::seed::Seed;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use tokio::sync::{Semaphore, mpsc};
use tracing::error;

/// Quick boards that may wait to be drawn: a start of every third heat at the same instant. Most
/// are drawn within a millisecond.
const QUICK: usize = 2_048;
/// Large boards that may: the largest take seconds each.
const SLOW: usize = 256;

/// The largest Numberlink that goes with the quick ones, in cells: 12×12. What is larger
/// takes seconds, which nobody with a quick board should wait for.
const QUICK_CELLS: usize = 144;

/// A board that is to be drawn.
#[derive(Debug)]
pub struct DrawJob {
    /// The heat that is to get it, if it is still there.
    pub heat: Weak<Room>,
    /// Which board.
    pub commission: BoardRequest,
}

/// A way to draw the board of a seed, unless it is told in between that nobody waits for it
/// any more.
trait Draw: Fn(&PuzzleSpec, &Seed, &dyn Fn() -> bool) -> Option<Drawn> + Send + Sync + 'static {}

impl<D> Draw for D where
    D: Fn(&PuzzleSpec, &Seed, &dyn Fn() -> bool) -> Option<Drawn> + Send + Sync + 'static
{
}

/// A handle on the workers, who end with its last handle.
#[derive(Debug, Clone)]
pub struct Drawers {
    quick: Lane<DrawJob>,
    slow: Lane<DrawJob>,
}

impl Drawers {
    /// Starts a worker for every core but one, which is left to the races, and one at least
    /// for each lane: half of them for quick boards, so that slow ones never hold these up.
    #[must_use]
    pub fn start() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let quick = (cores / 2).max(1);
        let slow = cores.saturating_sub(1 + quick).max(1);
        Self::with([quick, slow], Drawn::of_while)
    }

    /// Starts so many workers for quick boards and for slow ones, who draw in this way.
    fn with<D>(workers: [usize; 2], draw: D) -> Self
    where
        D: Draw,
    {
        let draw = Arc::new(draw);
        let open = |queue, workers| {
            let (lane, places) = Lane::new(queue);
            tokio::spawn(work(places, lane.waiting(), workers, Arc::clone(&draw)));
            lane
        };
        let [quick, slow] = workers;
        Self { quick: open(QUICK, quick), slow: open(SLOW, slow) }
    }

    /// Takes a job, and says whether there was room for it. A heat's job takes the place of
    /// one of the same heat that still waits, and which the heat has given up.
    #[must_use]
    pub fn submit(&self, job: DrawJob) -> bool {
        let lane = match job.commission.spec {
            PuzzleSpec::Link(spec) if spec.size().cells() > QUICK_CELLS => &self.slow,
            PuzzleSpec::Link(_) | PuzzleSpec::Slide(_) => &self.quick,
        };
        let heat = Weak::clone(&job.heat);
        lane.put(job, |other| Weak::ptr_eq(&other.heat, &heat))
    }
}

type Waiting<J> = Arc<Mutex<VecDeque<J>>>;

/// Jobs in the order of their coming, each heat's at one place.
#[derive(Debug)]
struct Lane<J> {
    waiting: Waiting<J>,
    /// As many as jobs wait; closed with the last handle.
    places: mpsc::Sender<()>,
}

impl<J> Clone for Lane<J> {
    fn clone(&self) -> Self {
        Self { waiting: self.waiting(), places: self.places.clone() }
    }
}

impl<J> Lane<J> {
    /// Makes a lane, and what is told of each of its places that is taken.
    fn new(queue: usize) -> (Self, mpsc::Receiver<()>) {
        let (places, taken) = mpsc::channel(queue);
        let waiting = Arc::default();
        (Self { waiting, places }, taken)
    }

    fn waiting(&self) -> Waiting<J> {
        Arc::clone(&self.waiting)
    }

    fn put(&self, job: J, replaces: impl Fn(&J) -> bool) -> bool {
        let mut waiting = lock(&self.waiting);
        if let Some(other) = waiting.iter_mut().find(|other| replaces(other)) {
            *other = job;
            return true;
        }
        let has_room = self.places.try_send(()).is_ok();
        if has_room {
            waiting.push_back(job);
        }
        has_room
    }
}

fn lock<J>(waiting: &Mutex<VecDeque<J>>) -> MutexGuard<'_, VecDeque<J>> {
    // Nothing in here panics half-way, so a poisoned lock holds whole jobs.
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn work<D>(
    mut places: mpsc::Receiver<()>,
    waiting: Waiting<DrawJob>,
    workers: usize,
    draw: Arc<D>,
) where
    D: Draw,
{
    let workers = Arc::new(Semaphore::new(workers));
    while let Some(()) = places.recv().await {
        let Ok(worker) = Arc::clone(&workers).acquire_owned().await else {
            return;
        };
        // Only now, so that a job may be replaced as long as nobody works at it.
        let Some(job) = lock(&waiting).pop_front() else {
            continue;
        };
        let draw = Arc::clone(&draw);
        tokio::spawn(async move {
            answer(job, draw).await;
            drop(worker);
        });
    }
}

async fn answer<D>(job: DrawJob, draw: Arc<D>)
where
    D: Draw,
{
    let DrawJob { heat, commission } = job;
    let BoardRequest { ticket, spec, seed } = commission;
    let asked = Weak::clone(&heat);
    let is_awaited = move || {
        let heat = asked.upgrade();
        heat.is_some_and(|heat| heat.awaits_drawing(ticket))
    };
    if !is_awaited() {
        return;
    }
    let drawn = hold_up(move || draw(&spec, &seed, &is_awaited)).await;
    let outcome = match drawn {
        Ok(Some(drawn)) => Ok(drawn),
        // The heat has given it up.
        Ok(None) => return,
        Err(_) => {
            error!(%spec, "whoever draws boards broke on a seed");
            Err(BoardError::Broken)
        }
    };
    if let Some(heat) = heat.upgrade() {
        heat.apply(Event::Drawn { ticket, outcome });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::Hub;
    use crate::platform::clock::Clock;
    use crate::platform::rng;
    use crate::platform::shards::Shards;
    use crate::race::RaceConfig;
    use crate::room::outbox::Outbox;
    use crate::room::services::Services;
    use crate::tables::TableStore;
    use crate::telemetry::metrics::Metrics;
    use gridrace_shared::heat::name::PlayerId;
    use gridrace_shared::heat::options::HeatOptions;
    use gridrace_shared::protocol::server::{Refusal, ServerMessage};
    use gridrace_shared::protocol::snapshot::Phase;

    /// Waits for a message that the heat sends.
    async fn wait_for(outbox: &Outbox, wanted: impl Fn(&ServerMessage) -> bool) {
        loop {
            outbox.ready().await;
            let frames = outbox.take().frames;
            if frames.iter().any(|frame| wanted(frame.message())) {
                return;
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_start_leads_to_the_countdown_once_the_board_is_drawn() {
        let (hub, _) = Hub::new(Clock::start(), TableStore::default(), Vec::new()).unwrap();
        let options = HeatOptions::new("slide:3x3".parse().unwrap());
        let heat = hub.open(options, None).unwrap();
        let outbox = Arc::new(Outbox::default());
        let name = "Anna".parse().unwrap();
        let by = heat
            .join(&outbox, crate::race::Newcomer::person(name), crate::platform::rng::token())
            .unwrap();
        heat.apply(Event::Start { by });
        let counts = |message: &ServerMessage| {
            matches!(message, ServerMessage::Phase(Phase::Countdown { .. }))
        };
        wait_for(&outbox, counts).await;
    }

    /// Opens a heat of a puzzle with these drawers, and has it started.
    fn started(drawers: &Drawers, spec: &str) -> (Arc<Room>, Arc<Outbox>) {
        let services = Services {
            drawers: drawers.clone(),
            ..Services::start(TableStore::default(), Metrics::new(), Shards::default())
        };
        let config = |epoch| RaceConfig {
            code: "KQZT".parse().unwrap(),
            epoch,
            options: HeatOptions::new(spec.parse().unwrap()),
            secret: rng::draw(None),
            pin: None,
        };
        let heat = Room::open(Clock::start(), services, Arc::default(), config).unwrap();
        let outbox = Arc::new(Outbox::default());
        let name = "Anna".parse().unwrap();
        let by = heat
            .join(&outbox, crate::race::Newcomer::person(name), crate::platform::rng::token())
            .unwrap();
        heat.apply(Event::Start { by });
        (heat, outbox)
    }

    #[tokio::test]
    async fn a_heat_whose_board_finds_no_room_is_back_in_its_lobby() {
        let full = || Lane::new(1).0; // closed, as nobody receives
        let (quick, slow) = (full(), full());
        let (heat, outbox) = started(&Drawers { quick, slow }, "slide:3x3");
        let refused =
            |message: &ServerMessage| matches!(message, ServerMessage::Refused(Refusal::NotDrawn));
        wait_for(&outbox, refused).await;
        assert_eq!(heat.summary().map(|heat| heat.in_lobby), Some(true));
    }

    #[tokio::test]
    async fn quick_boards_are_drawn_while_slow_ones_have_all_their_workers() {
        let (gate, closed) = std::sync::mpsc::channel::<()>();
        let closed = Mutex::new(closed);
        let (began, mut begun) = mpsc::unbounded_channel();
        let drawers = Drawers::with([1, 1], move |spec, seed, _: &dyn Fn() -> bool| {
            if spec.to_string() == "link:20x20" {
                began.send(()).ok();
                // Until the test lets it go on.
                closed.lock().unwrap().recv().ok();
            }
            Some(Drawn::of(&"slide:3x3".parse().unwrap(), seed))
        });
        let slow: Vec<_> = (0..6).map(|_| started(&drawers, "link:20x20")).collect();
        begun.recv().await.unwrap();
        let counts = |message: &ServerMessage| {
            matches!(message, ServerMessage::Phase(Phase::Countdown { .. }))
        };
        for spec in ["slide:16x16", "link:12x12", "link:5x5:hard"] {
            wait_for(&started(&drawers, spec).1, counts).await;
        }
        // One is worked at, and none of the others was.
        assert!(begun.try_recv().is_err());
        assert_eq!(lock(&drawers.slow.waiting).len(), 5);
        drop(gate);
        for (_, outbox) in &slow {
            wait_for(outbox, counts).await;
        }
    }

    #[tokio::test]
    async fn a_board_that_nobody_waits_for_any_more_is_given_up() {
        let (told, mut tells) = mpsc::unbounded_channel();
        let drawers = Drawers::with([1, 1], move |spec, seed, go_on: &dyn Fn() -> bool| {
            if spec.to_string() == "slide:3x3" {
                return Some(Drawn::of(spec, seed));
            }
            told.send("began").ok();
            while go_on() {
                std::thread::yield_now();
            }
            told.send("gave up").ok();
            None
        });
        let (heat, _outbox) = started(&drawers, "link:9x9");
        assert_eq!(tells.recv().await, Some("began"));
        assert!(tells.try_recv().is_err());
        let by = PlayerId(1);
        heat.apply(Event::Leave { by });
        assert!(heat.close_if_empty());
        assert_eq!(tells.recv().await, Some("gave up"));
        // The one worker of its lane is free again.
        let counts = |message: &ServerMessage| {
            matches!(message, ServerMessage::Phase(Phase::Countdown { .. }))
        };
        wait_for(&started(&drawers, "slide:3x3").1, counts).await;
    }

    #[test]
    fn a_heat_has_one_place_however_often_it_starts_and_the_rest_keep_their_order() {
        let (lane, _taken) = Lane::new(3);
        let put = |heat: char, ticket: u32| lane.put((heat, ticket), |&(other, _)| other == heat);
        assert!(put('A', 1) && put('B', 1) && put('A', 2) && put('A', 3) && put('C', 1));
        assert!(!put('D', 1));
        assert!(put('B', 2));
        let waiting: Vec<_> = lock(&lane.waiting).iter().copied().collect();
        assert_eq!(waiting, [('A', 3), ('B', 2), ('C', 1)]);
    }
}
