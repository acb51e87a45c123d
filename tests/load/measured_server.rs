//! A server whose players are seated and race, which can be measured several times.

use crate::competing_load::CompetingLoad;
use crate::disk_probe;
use crate::heat_players::{HeatPlayers, PLAYERS};
use crate::move_rate::MoveRate;
use crate::racer::{Kit, Racer};
use crate::run::{Load, Pace, RunStage, Signals};
use crate::server_process::{ServerProcess, Usage, own_nanos};
use crate::tally::{Counts, Tally};
use anyhow::Context;
use gridrace_client::net::clock::Clock;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OnceCell, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Players that connect at the same time.
const AT_ONCE: usize = 64;
/// How long it may take until all are seated, and until all race.
const START_TIMEOUT: Duration = Duration::from_secs(180);
/// How often to check whether all race.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The server's limit of messages a second from one player: more than any player sends.
const CLIENT_RATE: &str = "1000000";
/// The server's limit of new connections a second: more than there ever are.
const ARRIVAL_RATE: &str = "1000000";

/// A server, and its players.
#[derive(Debug)]
pub(crate) struct MeasuredServer {
    competing_load: CompetingLoad,
    process: ServerProcess,
    /// Deleted at the end, with what the server has written.
    _folder: Option<tempfile::TempDir>,
    clock: Clock,
    move_rate: MoveRate,
    tally: Arc<Tally>,
    stage: watch::Sender<RunStage>,
    racers: JoinSet<anyhow::Result<usize>>,
    seating: Seating,
}

/// The cost of seating all players.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seating {
    pub(crate) connections: usize,
    empty: Usage,
    full: Usage,
    /// The disk's own time for a sync, in microseconds, if there is a journal.
    pub(crate) sync_micros: Option<u64>,
}

#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(crate) seconds: f64,
    /// The server's processor time, without the rating of boards.
    pub(crate) cpu_nanos: u64,
    /// That of the rating of boards.
    pub(crate) rating_nanos: u64,
    pub(crate) own_nanos: u64,
    /// What the server wrote to disks.
    pub(crate) disk_bytes: u64,
    /// How often the server synced its disk, if it says so.
    pub(crate) syncs: Option<u64>,
    /// The server's resident memory at the end.
    pub(crate) resident: u64,
    pub(crate) counts: Counts,
}

/// The result of a run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ended {
    pub(crate) lost: u64,
    /// Moves that were never acknowledged.
    pub(crate) unanswered: u64,
}

impl MeasuredServer {
    /// Starts a server, seats all players, starts their heats, and then the competing load.
    pub(crate) async fn begin(load: &Load) -> anyhow::Result<Self> {
        let folder = load.journal.then(tempfile::tempdir).transpose()?;
        let mut arguments = Vec::new();
        match &folder {
            Some(folder) => {
                arguments.extend(["--data".to_owned(), folder.path().display().to_string()]);
            }
            None => arguments.push("--ephemeral".to_owned()),
        }
        let bounds = if load.strict {
            ["--trust-proxy=here"].as_slice()
        } else {
            &["--client-rate", CLIENT_RATE, "--arrival-rate", ARRIVAL_RATE]
        };
        arguments.extend(bounds.iter().copied().map(str::to_owned));
        arguments.extend(load.server.iter().cloned());
        let process = if load.apart {
            ServerProcess::gridrace_apart(&arguments).await?
        } else {
            ServerProcess::gridrace(&arguments).await?
        };

        let (stage, watched) = watch::channel(RunStage::Seating);
        let move_rate = MoveRate::default();
        if let Pace::Every(pause) = load.pace {
            move_rate.set(pause);
        }
        let kit = Kit {
            address: process.address,
            spec: load.spec,
            pace: load.pace,
            clock: Clock::start(),
            move_rate: move_rate.clone(),
            tally: Arc::new(Tally::new()?),
            signals: Signals::new(watched),
        };
        let probed = folder.as_ref().map(|folder| disk_probe::sync_micros(folder.path()));
        let sync_micros = probed.transpose()?;
        let empty = process.usage()?;
        let mut racers = seat(&kit, load.connections).await?;
        let full = process.usage()?;
        stage.send_replace(RunStage::Racing);
        let all = async {
            while kit.signals.running() < load.connections {
                sleep(LOOK_EVERY).await;
            }
        };
        tokio::select! {
            all = timeout(START_TIMEOUT, all) => all.context("not all heats began")?,
            Some(ended) = racers.join_next() => {
                ended?.context("a player fell out")?;
            }
        }
        process.check_thread_names()?;
        Ok(Self {
            competing_load: CompetingLoad::start(load, &process)?,
            process,
            _folder: folder,
            clock: kit.clock,
            move_rate,
            tally: kit.tally,
            stage,
            racers,
            seating: Seating { connections: load.connections, empty, full, sync_micros },
        })
    }

    /// Measures for a time from now on.
    pub(crate) async fn measure(&mut self, time: Duration) -> anyhow::Result<Span> {
        measure(&mut self.process, &self.tally, self.clock, time).await
    }

    /// Waits for the answers to all last moves, and ends the players.
    pub(crate) async fn end(mut self) -> anyhow::Result<Ended> {
        drop(self.competing_load);
        self.stage.send_replace(RunStage::Over);
        let mut end = Ended::default();
        while let Some(ended) = self.racers.join_next().await {
            match ended? {
                Ok(unanswered) => end.unanswered += unanswered as u64,
                Err(error) => {
                    if end.lost == 0 {
                        eprintln!("the first player who fell out: {error:#}");
                    }
                    end.lost += 1;
                }
            }
        }
        Ok(end)
    }

    pub(crate) const fn seating(&self) -> Seating {
        self.seating
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.process.address
    }

    pub(crate) const fn move_rate(&self) -> &MoveRate {
        &self.move_rate
    }
}

impl Seating {
    /// That of the bare echo.
    pub(crate) const fn of_echo(connections: usize, empty: Usage, full: Usage) -> Self {
        Self { connections, empty, full, sync_micros: None }
    }

    /// Returns the server's processor time for each player, in microseconds.
    pub(crate) fn connect_cpu_micros(&self) -> f64 {
        let nanos = self.full.cpu_nanos.saturating_sub(self.empty.cpu_nanos);
        nanos as f64 / 1e3 / self.connections as f64
    }

    /// Returns what the server's resident memory grew by for each player, until all had a seat.
    pub(crate) const fn bytes_per_connection(&self) -> u64 {
        self.growth(self.full.resident)
    }

    /// Returns what it grew by for each player up to this.
    pub(crate) const fn growth(&self, resident: u64) -> u64 {
        resident.saturating_sub(self.empty.resident) / self.connections as u64
    }
}

impl Span {
    pub(crate) fn add(&mut self, other: &Self) {
        self.seconds += other.seconds;
        self.cpu_nanos += other.cpu_nanos;
        self.rating_nanos += other.rating_nanos;
        self.disk_bytes += other.disk_bytes;
        self.syncs = self.syncs.zip(other.syncs).map(|(one, other)| one + other);
        self.resident = self.resident.max(other.resident);
        self.own_nanos += other.own_nanos;
        self.counts.add(&other.counts);
    }
}

/// Measures a server for a time from now on.
pub(crate) async fn measure(
    process: &mut ServerProcess,
    tally: &Tally,
    clock: Clock,
    time: Duration,
) -> anyhow::Result<Span> {
    // Outside of what is measured, as it costs something.
    let synced = process.syncs().await?;
    let (before, own) = (process.usage()?, own_nanos()?);
    tally.begin();
    let began = clock.now().0;
    sleep(time).await;
    tally.end();
    let ended = clock.now().0;
    let after = process.usage()?;
    let own_nanos = own_nanos()?.saturating_sub(own);
    let syncs = process.syncs().await?.zip(synced).map(|(after, before)| after - before);
    process.still_runs()?;
    Ok(Span {
        seconds: (ended - began) as f64 / 1e6,
        cpu_nanos: after.cpu_nanos.saturating_sub(before.cpu_nanos),
        rating_nanos: after.rating_nanos.saturating_sub(before.rating_nanos),
        own_nanos,
        disk_bytes: after.disk_bytes.saturating_sub(before.disk_bytes),
        syncs,
        resident: after.resident,
        counts: tally.counts()?,
    })
}

/// Seats all players, eight to a heat; they race at the signal.
async fn seat(kit: &Kit, connections: usize) -> anyhow::Result<JoinSet<anyhow::Result<usize>>> {
    let permits = Arc::new(Semaphore::new(AT_ONCE / PLAYERS));
    let (sat, mut seats) = tokio::sync::mpsc::channel(AT_ONCE);
    let mut racers = JoinSet::new();
    for number in (0..connections).step_by(PLAYERS) {
        let players = PLAYERS.min(connections - number);
        let heat = Arc::new(HeatPlayers::new(players));
        // A heat's players share a permit, or those that wait for its code would hold all permits.
        let permit = Arc::new(OnceCell::new());
        for seat in 0..players {
            let (kit, heat) = (kit.clone(), Arc::clone(&heat));
            let (permits, permit, sat) = (Arc::clone(&permits), Arc::clone(&permit), sat.clone());
            racers.spawn(async move {
                permit.get_or_try_init(|| permits.acquire_owned()).await?;
                let racer = Racer::enter(kit, heat, number + seat, seat).await?;
                drop(permit);
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
        all = timeout(START_TIMEOUT, all) => all.context("not all are seated in time")??,
        Some(ended) = racers.join_next() => {
            ended?.context("a player found no seat")?;
        }
    }
    Ok(racers)
}
