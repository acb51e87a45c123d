//! One run: its load, and its report.

use crate::measured_server::MeasuredServer;
use crate::report::RunReport;
use gridrace_shared::puzzle::PuzzleSpec;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

/// How long a race settles before it is measured.
pub(crate) const SETTLE: Duration = Duration::from_secs(2);

/// The load of a run.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    pub(crate) pace: Pace,
    pub(crate) measured: Duration,
    pub(crate) spec: PuzzleSpec,
    pub(crate) journal: bool,
    /// The server has the first core, and this program the others.
    pub(crate) apart: bool,
    /// The server keeps its limits, and trusts this program as a proxy.
    pub(crate) strict: bool,
    /// Processes that spin beside the server.
    pub(crate) busy: usize,
    /// The share of a core to which the server is held.
    pub(crate) cpu_share: Option<f64>,
    pub(crate) server: Vec<String>,
}

/// How fast a player moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// As fast as the server acknowledges, with `window` moves in flight.
    Saturated { window: usize },
    /// One move per interval, however fast they are answered.
    Every(Duration),
    /// Not at all, though the heats run.
    Idle,
}

/// What tells the players of a run when to start and to stop, and counts who races.
#[derive(Debug, Clone)]
pub(crate) struct Signals {
    stage: watch::Receiver<RunStage>,
    has_started: bool,
    running: Arc<AtomicUsize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RunStage {
    Seating,
    Racing,
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Start,
    Stop,
}

impl Signals {
    pub(crate) fn new(stage: watch::Receiver<RunStage>) -> Self {
        Self { stage, has_started: false, running: Arc::default() }
    }

    pub(crate) fn running(&self) -> usize {
        self.running.load(Ordering::Relaxed)
    }

    /// Waits for the start, and after it for the end of the run.
    pub(crate) async fn next(&mut self) -> Signal {
        let after = if self.has_started { RunStage::Racing } else { RunStage::Seating };
        // A dropped sender means that the run is over.
        let stage = self
            .stage
            .wait_for(|&stage| stage > after)
            .await
            .map_or(RunStage::Over, |stage| *stage);
        if stage == RunStage::Over {
            return Signal::Stop;
        }
        self.has_started = true;
        Signal::Start
    }

    /// Counts one more player that races.
    pub(crate) fn run(&self) {
        self.running.fetch_add(1, Ordering::Relaxed);
    }
}

/// Puts load on its own server.
pub(crate) async fn run(load: &Load) -> anyhow::Result<RunReport> {
    let mut server = MeasuredServer::begin(load).await?;
    sleep(SETTLE).await;
    let span = server.measure(load.measured).await?;
    let seating = server.seating();
    let ended = server.end().await?;
    Ok(RunReport::of(load.name(), load.offered_per_second(), seating, &span, ended))
}

impl Load {
    pub(crate) fn name(&self) -> String {
        let pace = match self.pace {
            Pace::Saturated { window } => format!("saturated, {window} in flight"),
            Pace::Every(pause) => format!("{:.0}/s", 1.0 / pause.as_secs_f64()),
            Pace::Idle => "idle".to_owned(),
        };
        let journal = if self.journal { ", journal" } else { "" };
        let share = self.cpu_share.map(|share| format!(", held to {share:.2} core"));
        let busy = (self.busy > 0).then(|| format!(", {} busy", self.busy));
        let (share, busy) = (share.unwrap_or_default(), busy.unwrap_or_default());
        format!("{} x {pace}{journal}{share}{busy}", self.connections)
    }

    /// Returns how many moves a second the players are to make, if that doesn't depend on the
    /// server.
    pub(crate) fn offered_per_second(&self) -> Option<f64> {
        match self.pace {
            Pace::Every(pause) => Some(self.connections as f64 / pause.as_secs_f64()),
            Pace::Saturated { .. } | Pace::Idle => None,
        }
    }
}
