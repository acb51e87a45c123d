//! One run: connect, be seated, start, settle, measure.

use crate::clock::Clock;
use crate::field::{Field, PLAYERS};
use crate::racer::{Kit, Racer};
use crate::report::{Report, Times};
use crate::served::Served;
use crate::tally::Tally;
use anyhow::Context;
use gridrace_shared::puzzle::PuzzleSpec;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Players that connect at the same time.
const AT_ONCE: usize = 64;
/// How long it may take until all are seated, and until all race.
const PATIENCE: Duration = Duration::from_secs(180);
/// How long a race settles before it is measured.
const SETTLE: Duration = Duration::from_secs(2);
/// Messages a second that the server takes from one player: more than any player here sends.
const CLIENT_RATE: &str = "1000000";

/// What is to be put on a server.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    pub(crate) pace: Pace,
    pub(crate) measured: Duration,
    pub(crate) spec: PuzzleSpec,
    pub(crate) journal: bool,
    pub(crate) server: Vec<String>,
}

/// How fast a player moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// As fast as the server acknowledges, with so many moves on their way.
    Saturated { window: usize },
    /// A move each such span.
    Every(Duration),
    /// Not at all: everybody sits in the lobby.
    Idle,
}

/// What tells the players of a run when to start and to stop, and counts who races.
#[derive(Debug, Clone)]
pub(crate) struct Signals {
    stage: watch::Receiver<Stage>,
    has_started: bool,
    running: Arc<AtomicUsize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Seating,
    Racing,
    Over,
}

/// What players are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Start,
    Stop,
}

impl Signals {
    /// Waits for the start, and after it for the end of the run.
    pub(crate) async fn next(&mut self) -> Signal {
        let after = if self.has_started {
            Stage::Racing
        } else {
            Stage::Seating
        };
        // A run that is gone is over.
        let stage = self
            .stage
            .wait_for(|&stage| stage > after)
            .await
            .map_or(Stage::Over, |stage| *stage);
        if stage == Stage::Over {
            return Signal::Stop;
        }
        self.has_started = true;
        Signal::Start
    }

    /// Counts one more who races.
    pub(crate) fn run(&self) {
        self.running.fetch_add(1, Ordering::Relaxed);
    }
}

/// Puts load on a server of its own.
pub(crate) async fn run(load: &Load) -> anyhow::Result<Report> {
    let folder = load.journal.then(tempfile::tempdir).transpose()?;
    let mut arguments = vec!["--client-rate".to_owned(), CLIENT_RATE.to_owned()];
    match &folder {
        Some(folder) => {
            arguments.extend(["--data".to_owned(), folder.path().display().to_string()]);
        }
        None => arguments.push("--ephemeral".to_owned()),
    }
    arguments.extend(load.server.iter().cloned());
    let mut served = Served::gridrace(&arguments).await?;

    let (stage, watched) = watch::channel(Stage::Seating);
    let tally = Arc::new(Tally::new()?);
    let running = Arc::new(AtomicUsize::new(0));
    let kit = Kit {
        address: served.address,
        spec: load.spec,
        pace: load.pace,
        clock: Clock::start(),
        tally: Arc::clone(&tally),
        signals: Signals {
            stage: watched,
            has_started: false,
            running: Arc::clone(&running),
        },
    };
    let empty = served.usage()?;
    let (mut racers, seated) = seat(&kit, load.connections).await?;
    let full = served.usage()?;

    if load.pace != Pace::Idle {
        stage.send_replace(Stage::Racing);
        let all = async {
            while running.load(Ordering::Relaxed) < seated {
                sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::select! {
            all = timeout(PATIENCE, all) => all.context("not all heats began")?,
            Some(ended) = racers.join_next() => ended?.context("a player fell out")?,
        }
    }
    sleep(SETTLE).await;

    let (before, began) = (served.usage()?, kit.clock.micros());
    tally.measure(true);
    sleep(load.measured).await;
    tally.measure(false);
    let (after, ended) = (served.usage()?, kit.clock.micros());
    served.still_runs()?;
    stage.send_replace(Stage::Over);
    let mut lost = 0;
    while let Some(ended) = racers.join_next().await {
        if let Err(error) = ended? {
            if lost == 0 {
                eprintln!("the first player who fell out: {error:#}");
            }
            lost += 1;
        }
    }

    let seconds = (ended - began) as f64 / 1e6;
    let cpu_micros = (after.cpu_nanos - before.cpu_nanos) as f64 / 1e3;
    let moves = tally.acknowledged();
    Ok(Report {
        name: load.name(),
        connections: load.connections,
        seconds,
        moves,
        lost,
        moves_per_second: moves as f64 / seconds,
        cpu_share: cpu_micros / 1e6 / seconds,
        cpu_micros_per_move: (moves > 0).then(|| cpu_micros / moves as f64),
        connect_cpu_micros: (full.cpu_nanos - empty.cpu_nanos) as f64
            / 1e3
            / load.connections as f64,
        bytes_per_connection: full.resident.saturating_sub(empty.resident)
            / load.connections as u64,
        ack_micros: Times::of(&tally.acks()?),
        lag_micros: Times::of(&tally.lags()?),
    })
}

/// Seats everybody, eight to a heat, and lets them race when they are told to.
async fn seat(
    kit: &Kit,
    connections: usize,
) -> anyhow::Result<(JoinSet<anyhow::Result<()>>, usize)> {
    let gate = Arc::new(Semaphore::new(AT_ONCE));
    let (sat, mut seats) = tokio::sync::mpsc::channel(AT_ONCE);
    let mut racers = JoinSet::new();
    for number in 0..connections {
        if number % PLAYERS != 0 {
            continue;
        }
        let players = PLAYERS.min(connections - number);
        let field = Arc::new(Field::new(players));
        for seat in 0..players {
            let (kit, field) = (kit.clone(), Arc::clone(&field));
            let (gate, sat) = (Arc::clone(&gate), sat.clone());
            racers.spawn(async move {
                // Whoever opens the heat goes first, or the others would hold all turns.
                let turn = if seat == 0 {
                    Some(gate.acquire_owned().await?)
                } else {
                    None
                };
                let racer = Racer::enter(kit, field, number + seat, seat).await?;
                drop(turn);
                sat.send(()).await.ok(); // the run has failed already
                racer.race().await
            });
        }
    }
    drop(sat);
    let all = async {
        for _ in 0..connections {
            seats.recv().await.context("a player found no seat")?;
        }
        anyhow::Ok(())
    };
    tokio::select! {
        all = timeout(PATIENCE, all) => all.context("not all are seated in time")??,
        Some(ended) = racers.join_next() => ended?.context("a player found no seat")?,
    }
    Ok((racers, connections))
}

impl Load {
    /// Names the run by what it does.
    pub(crate) fn name(&self) -> String {
        let pace = match self.pace {
            Pace::Saturated { window } => format!("saturated, {window} on their way"),
            Pace::Every(pause) => format!("{:.1} moves/s", 1.0 / pause.as_secs_f64()),
            Pace::Idle => "idle".to_owned(),
        };
        let journal = if self.journal { ", journal" } else { "" };
        format!("{} x {pace}{journal}", self.connections)
    }
}
