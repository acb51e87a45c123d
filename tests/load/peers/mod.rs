//! Peers who want much of a server, and can be told to hold still.

mod asker;
mod flooder;

use anyhow::Context;
use asker::Asker;
use clap::ValueEnum;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// How long it may take until all race: large boards are drawn one after the other.
const PATIENCE: Duration = Duration::from_secs(120);

/// What they want.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Hints, each on a board of its own that is hard to plan for
    Hints,
    /// Nothing: they flood, each in its own way, and come back when they are closed
    Floods,
}

/// All of them.
#[derive(Debug)]
pub(crate) struct Peers {
    tasks: JoinSet<anyhow::Result<()>>,
    on: watch::Sender<bool>,
    answers: Answers,
}

/// What they have been answered, in all.
#[derive(Debug, Clone, Default)]
struct Answers(Arc<AtomicU64>);

impl Kind {
    /// Names the peers.
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
            Self::Floods => "floods were closed",
        }
    }
}

impl Peers {
    /// Lets so many come, who hold still at first.
    pub(crate) async fn come(kind: Kind, many: usize, server: SocketAddr) -> anyhow::Result<Self> {
        let (on, watched) = watch::channel(false);
        let answers = Answers::default();
        let mut tasks = JoinSet::new();
        let (here, mut all) = mpsc::channel(many.max(1));
        for n in 0..many {
            let (watched, answers, here) = (watched.clone(), answers.clone(), here.clone());
            match kind {
                Kind::Hints => tasks.spawn(async move {
                    let asker = Asker::enter(server, n).await?;
                    here.send(()).await?;
                    asker.ask(watched, answers).await
                }),
                Kind::Floods => tasks.spawn(async move {
                    here.send(()).await?;
                    flooder::flood(server, n, watched, answers).await
                }),
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
        Ok(Self { tasks, on, answers })
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
        Ok(())
    }
}

impl Answers {
    fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
