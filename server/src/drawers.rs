//! The boards of heats, drawn outside every heat: a few workers and a bounded queue.

use crate::heat::Heat;
use crate::race::{Commission, DrawFault, Event};
use std::sync::{Arc, Weak};
use tokio::sync::{Semaphore, mpsc};
use tracing::error;

/// Boards that may wait to be drawn: a start of every sixteenth heat at the same instant.
/// Most are drawn within a millisecond, the largest within seconds.
const QUEUE: usize = 256;

/// A board that is to be drawn.
#[derive(Debug)]
pub struct DrawJob {
    /// The heat that is to get it, if it is still there.
    pub heat: Weak<Heat>,
    /// Which board.
    pub commission: Commission,
}

/// A handle on the workers, who end with its last handle.
#[derive(Debug, Clone)]
pub struct Drawers(mpsc::Sender<DrawJob>);

impl Drawers {
    /// Starts a worker for every core but one, which is left to the races.
    #[must_use]
    pub fn start() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let (jobs, waiting) = mpsc::channel(QUEUE);
        tokio::spawn(work(waiting, cores.saturating_sub(1).max(1)));
        Self(jobs)
    }

    /// Takes a job, and says whether there was room for it.
    #[must_use]
    pub fn submit(&self, job: DrawJob) -> bool {
        self.0.try_send(job).is_ok()
    }
}

async fn work(mut jobs: mpsc::Receiver<DrawJob>, workers: usize) {
    let workers = Arc::new(Semaphore::new(workers));
    while let Some(job) = jobs.recv().await {
        let Ok(worker) = Arc::clone(&workers).acquire_owned().await else {
            return;
        };
        tokio::spawn(async move {
            draw(job).await;
            drop(worker);
        });
    }
}

async fn draw(job: DrawJob) {
    let DrawJob { heat, commission } = job;
    let Commission { ticket, spec, seed } = commission;
    let is_awaited = |heat: &Arc<Heat>| heat.awaits_drawing(ticket);
    if !heat.upgrade().as_ref().is_some_and(is_awaited) {
        return;
    }
    let drawn = tokio::task::spawn_blocking(move || spec.board(&seed)).await;
    let outcome = drawn.map_err(|_| {
        error!(%spec, "whoever draws boards broke on a seed");
        DrawFault::Broken
    });
    if let Some(heat) = heat.upgrade() {
        heat.apply(Event::Drawn { ticket, outcome });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::entropy;
    use crate::hub::Hub;
    use crate::outbox::Outbox;
    use crate::pools::Pools;
    use crate::race::RaceConfig;
    use crate::tables::TableStore;
    use gridrace_shared::options::HeatOptions;
    use gridrace_shared::protocol::client::Role;
    use gridrace_shared::protocol::heat::Phase;
    use gridrace_shared::protocol::server::{Refusal, ServerMessage};

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
        let by = heat.join(&outbox, name, false, Role::Player).unwrap();
        heat.apply(Event::Start { by });
        let counts = |message: &ServerMessage| {
            matches!(message, ServerMessage::Phase(Phase::Countdown { .. }))
        };
        wait_for(&outbox, counts).await;
    }

    #[tokio::test]
    async fn a_heat_whose_board_finds_no_room_is_back_in_its_lobby() {
        let full = Drawers(mpsc::channel(1).0);
        let pools = Pools {
            drawers: full,
            ..Pools::start(TableStore::default())
        };
        let config = |epoch| RaceConfig {
            code: "KQZT".parse().unwrap(),
            epoch,
            options: HeatOptions::new("slide:3x3".parse().unwrap()),
            draw: entropy::draw(None),
        };
        let heat = Heat::open(Clock::start(), pools, config).unwrap();
        let outbox = Arc::new(Outbox::default());
        let name = "Anna".parse().unwrap();
        let by = heat.join(&outbox, name, false, Role::Player).unwrap();
        heat.apply(Event::Start { by });
        let refused =
            |message: &ServerMessage| matches!(message, ServerMessage::Refused(Refusal::NotDrawn));
        wait_for(&outbox, refused).await;
        assert_eq!(heat.summary().map(|heat| heat.in_lobby), Some(true));
    }
}
