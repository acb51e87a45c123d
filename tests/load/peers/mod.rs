//! Peers who want much of a server, and can be told to hold still.

mod asker;
mod flooder;

use crate::link::Way;
use anyhow::Context;
use asker::Asker;
use clap::ValueEnum;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// How long it may take until all race: large boards are drawn one after the other.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Hints, each on a board of its own that is hard to plan for
    Hints,
    /// Nothing: they flood, each in its own way, and come back when they are closed
    Floods,
}

#[derive(Debug)]
pub(crate) struct Peers {
    /// A thread of their own. That of floods steps back: elsewhere they would be on other
    /// machines.
    runtime: Runtime,
    tasks: JoinSet<anyhow::Result<()>>,
    on: watch::Sender<bool>,
    answers: Answers,
}

/// What they have been answered, in all.
#[derive(Debug, Clone, Default)]
struct Answers(Arc<AtomicU64>);

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Hints => "who ask for hints",
            Self::Floods => "who flood",
        }
    }

    /// Names what they are answered.
    pub(crate) const fn answers(self) -> &'static str {
        match self {
            Self::Hints => "requests for hints were answered",
            Self::Floods => "floods were closed or turned away",
        }
    }
}

impl Peers {
    /// Lets so many come, who hold still at first.
    pub(crate) async fn come(kind: Kind, many: usize, server: SocketAddr) -> anyhow::Result<Self> {
        let (on, watched) = watch::channel(false);
        let answers = Answers::default();
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .on_thread_start(move || match kind {
                Kind::Hints => {}
                Kind::Floods => step_back(),
            })
            .enable_all()
            .build()?;
        let mut tasks = JoinSet::new();
        let (here, mut all) = mpsc::channel(many.max(1));
        for n in 0..many {
            let (watched, answers, here) = (watched.clone(), answers.clone(), here.clone());
            let from = Some(address(n));
            let way = Way { server, from };
            match kind {
                Kind::Hints => tasks.spawn_on(
                    async move {
                        let asker = Asker::enter(way, n).await?;
                        here.send(()).await?;
                        asker.ask(watched, answers).await
                    },
                    runtime.handle(),
                ),
                Kind::Floods => tasks.spawn_on(
                    async move {
                        here.send(()).await?;
                        flooder::flood(way, n, watched, answers).await
                    },
                    runtime.handle(),
                ),
            };
        }
        drop(here);
        let everybody = async {
            for _ in 0..many {
                all.recv().await.context("a peer fell out")?;
            }
            anyhow::Ok(())
        };
        let came = timeout(PATIENCE, everybody).await;
        if !matches!(came, Ok(Ok(())))
            && let Some(ended) = tasks.try_join_next()
        {
            ended??;
        }
        came.context("not all peers are there in time")??;
        Ok(Self { runtime, tasks, on, answers })
    }

    /// Lets them want what they want, or hold still.
    pub(crate) fn turn(&self, on: bool) {
        self.on.send_replace(on);
    }

    /// Counts what they have been answered so far.
    pub(crate) fn answers(&self) -> u64 {
        self.answers.0.load(Ordering::Relaxed)
    }

    /// Sends them home; who fell out before says why.
    pub(crate) async fn leave(mut self) -> anyhow::Result<()> {
        while let Some(ended) = self.tasks.try_join_next() {
            ended??;
        }
        self.tasks.shutdown().await;
        self.runtime.shutdown_background();
        Ok(())
    }
}

/// Lets everybody else go first: on Linux each thread has a niceness of its own.
fn step_back() {
    /// As much as a batch job takes by custom.
    const NICENESS: i32 = 10;
    rustix::process::nice(NICENESS).ok(); // refused, they are in the players' way a little
}

/// Returns the address from which one of them comes, of those for examples (RFC 5737).
fn address(n: usize) -> Ipv4Addr {
    Ipv4Addr::new(203, 0, 113, n as u8)
}

impl Answers {
    fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
