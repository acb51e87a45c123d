//! Peers that cost a server much, and can be paused.

mod asker;
mod flooder;

use anyhow::Context;
use asker::Asker;
use clap::ValueEnum;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// How long it may take until all race: large boards are generated one after the other.
const START_TIMEOUT: Duration = Duration::from_secs(120);

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Requests for hints, each on its own board that is hard to plan for
    Hints,
    /// Floods of several kinds, from peers that reconnect when they are closed
    Floods,
}

#[derive(Debug)]
pub(crate) struct Peers {
    /// One thread. That of floods has a low priority: in production they would run on other
    /// machines.
    runtime: Runtime,
    tasks: JoinSet<anyhow::Result<()>>,
    on: watch::Sender<bool>,
    answers: Answers,
}

/// How count answers they have received.
#[derive(Debug, Clone, Default)]
struct Answers(Arc<AtomicU64>);

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Hints => "who ask for hints",
            Self::Floods => "who flood",
        }
    }

    pub(crate) const fn answers(self) -> &'static str {
        match self {
            Self::Hints => "requests for hints were answered",
            Self::Floods => "floods were closed or turned away",
        }
    }
}

impl Peers {
    /// Connects the peers, which are paused at first.
    pub(crate) async fn connect(
        kind: Kind,
        count: usize,
        server: SocketAddr,
    ) -> anyhow::Result<Self> {
        let (on, watched) = watch::channel(false);
        let answers = Answers::default();
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .on_thread_start(move || match kind {
                Kind::Hints => {}
                Kind::Floods => lower_priority(),
            })
            .enable_all()
            .build()?;
        let mut tasks = JoinSet::new();
        let (connected, mut all) = mpsc::channel(count.max(1));
        for n in 0..count {
            let (watched, answers, connected) =
                (watched.clone(), answers.clone(), connected.clone());
            match kind {
                Kind::Hints => tasks.spawn_on(
                    async move {
                        let asker = Asker::enter(server, n).await?;
                        connected.send(()).await?;
                        asker.ask(watched, answers).await
                    },
                    runtime.handle(),
                ),
                Kind::Floods => tasks.spawn_on(
                    async move {
                        connected.send(()).await?;
                        flooder::flood(server, n, watched, answers).await
                    },
                    runtime.handle(),
                ),
            };
        }
        drop(connected);
        let all_connected = async {
            for _ in 0..count {
                all.recv().await.context("a peer failed")?;
            }
            anyhow::Ok(())
        };
        let outcome = timeout(START_TIMEOUT, all_connected).await;
        if !matches!(outcome, Ok(Ok(())))
            && let Some(ended) = tasks.try_join_next()
        {
            ended??;
        }
        outcome.context("not all peers connected in time")??;
        Ok(Self { runtime, tasks, on, answers })
    }

    pub(crate) fn set_active(&self, on: bool) {
        self.on.send_replace(on);
    }

    pub(crate) fn answers(&self) -> u64 {
        self.answers.0.load(Ordering::Relaxed)
    }

    /// Ends them, with the error of one that failed before.
    pub(crate) async fn leave(mut self) -> anyhow::Result<()> {
        while let Some(ended) = self.tasks.try_join_next() {
            ended??;
        }
        self.tasks.shutdown().await;
        self.runtime.shutdown_background();
        Ok(())
    }
}

/// Lowers the thread's priority: on Linux each thread has its own niceness.
fn lower_priority() {
    /// The usual niceness of a batch job.
    const NICENESS: i32 = 10;
    rustix::process::nice(NICENESS).ok(); // if refused, they slow down the players a little
}

impl Answers {
    fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
