//! A player who goes astray by one move and asks for a hint, over and over, as fast as the
//! server lets anybody.

use super::Answers;
use crate::link::{Link, Way};
use crate::pending::Pending;
use anyhow::bail;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::protocol::client::{ClientMessage, Entrant};
use gridrace_shared::protocol::server::{Refusal, Rejection, ServerMessage};
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::puzzle::Board;
use gridrace_shared::util::seed::{PortableRng, Seed};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

/// Between two questions: with a move before each, the server takes sixty messages a second.
const ASK_EVERY: Duration = Duration::from_millis(40);
/// The boards on which a hint is the most work: the solvers spend their whole budget.
const BOARDS: [&str; 3] = ["slide:4x4", "slide:5x5", "link:20x20:classic"];

/// A player in a heat of its own.
#[derive(Debug)]
pub(super) struct Asker {
    link: Link,
    board: Board,
    chance: PortableRng,
    next: Seq,
    pending: Pending,
    /// A hint was asked for, and isn't answered.
    waits: bool,
}

impl Asker {
    /// Opens a heat and waits until it runs.
    pub(super) async fn enter(way: Way, n: usize) -> anyhow::Result<Self> {
        let mut link = Link::greet(way).await?;
        let options = HeatOptions {
            countdown_seconds: 1,
            time_limit_seconds: 7_200,
            hints: HintRule::Free,
            ..HeatOptions::new(BOARDS[n % BOARDS.len()].parse()?)
        };
        let seed: Seed = format!("asker-{n}").parse()?;
        let open = ClientMessage::Open {
            entrant: Entrant { name: "Asker".to_owned(), bot: false },
            options,
            seed: Some(seed.clone()),
            pin: None,
        };
        link.say(&open).await?;
        let board = loop {
            match link.hear().await? {
                ServerMessage::Joined { .. } => link.say(&ClientMessage::Start).await?,
                ServerMessage::Phase(Phase::Running { start, .. }) => break start,
                ServerMessage::Refused(why) => bail!("refused: {why}"),
                _ => {}
            }
        };
        Ok(Self {
            link,
            board,
            chance: seed.rng("load", "asker"),
            next: Seq(1),
            pending: Pending::default(),
            waits: false,
        })
    }

    /// Asks while it is told to.
    pub(super) async fn ask(
        mut self,
        mut on: watch::Receiver<bool>,
        answers: Answers,
    ) -> anyhow::Result<()> {
        let mut beat = interval(ASK_EVERY);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let asks = *on.borrow();
            tokio::select! {
                message = self.link.hear() => self.take_in(&message?, &answers)?,
                _ = beat.tick(), if asks => self.go_astray_and_ask().await?,
                told = on.changed() => told?,
            }
        }
    }

    fn take_in(&mut self, message: &ServerMessage, answers: &Answers) -> anyhow::Result<()> {
        match message {
            ServerMessage::Hint { .. }
            | ServerMessage::Refused(
                Refusal::HintBusy | Refusal::HintPending | Refusal::HintUnsolved(_),
            ) => {
                answers.count();
                self.waits = false;
            }
            ServerMessage::Accepted { seq, .. } => {
                self.pending.acknowledge(*seq, 0);
            }
            ServerMessage::Rejected { seq, why: Rejection::Busy } => self.pending.refuse(*seq),
            ServerMessage::Refused(why) => bail!("refused: {why}"),
            ServerMessage::Rejected { why, .. } => bail!("rejected: {why}"),
            ServerMessage::Goodbye(farewell) => bail!("{farewell}"),
            _ => {}
        }
        Ok(())
    }

    async fn go_astray_and_ask(&mut self) -> anyhow::Result<()> {
        if self.waits {
            return Ok(());
        }
        if let Some((seq, play)) = self.pending.send_again(0) {
            self.link.write(&ClientMessage::Move { seq, play }).await?;
        } else if self.pending.len() == 0 {
            let mut moves = self.board.legal_moves();
            let pick = self.chance.below(u32::try_from(moves.len())?) as usize;
            let play = moves.swap_remove(pick);
            self.board.play(&play)?;
            let seq = self.next;
            self.next = seq.next();
            self.pending.send(seq, play.clone(), 0);
            self.link.write(&ClientMessage::Move { seq, play }).await?;
        }
        self.waits = true;
        self.link.say(&ClientMessage::Hint).await
    }
}
