//! A player who leaves the solution by a move and asks for a hint, over and over.

use super::Answers;
use anyhow::bail;
use gridrace_client::net::Tcp;
use gridrace_client::session::{Entry, Session, SessionEvent};
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::heat_view::HeatChange;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::{Refusal, Rejection};
use gridrace_shared::puzzle::HintStyle;
use gridrace_shared::util::seed::{PortableRng, Seed};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

/// Between two requests: with a move before each, below the server's limit of messages.
const ASK_EVERY: Duration = Duration::from_millis(40);
/// The boards on which a hint is the most work: the solvers spend their whole budget.
const BOARDS: [&str; 3] = ["slide:4x4", "slide:5x5", "link:20x20:classic"];

/// A player alone in a room.
#[derive(Debug)]
pub(super) struct Asker {
    session: Session,
    chance: PortableRng,
    /// A hint was asked for, and isn't answered.
    waits: bool,
}

impl Asker {
    /// Opens a room and waits until its heat runs.
    pub(super) async fn enter(server: SocketAddr, n: usize) -> anyhow::Result<Self> {
        let options = HeatOptions {
            countdown_seconds: 1,
            time_limit_seconds: 7_200,
            hints: HintRule::Free,
            ..HeatOptions::new(BOARDS[n % BOARDS.len()].parse()?)
        };
        let seed: Seed = format!("asker-{n}").parse()?;
        let chance = seed.rng("load", "asker");
        let entry = Entry::Open { options, seed: Some(seed), pin: None };
        let (address, name) = (format!("ws://{server}"), || "Asker".to_owned());
        let mut session = Session::enter(&Tcp::default(), &address, &entry, name, None).await?;
        session.send(ClientMessage::Start);
        while session.view().race().is_none() {
            session.next().await?;
        }
        Ok(Self { session, chance, waits: false })
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
                event = self.session.next() => self.on_event(event?, &answers)?,
                _ = beat.tick(), if asks && !self.waits => self.stray_and_ask()?,
                told = on.changed() => told?,
            }
        }
    }

    fn on_event(&mut self, event: SessionEvent, answers: &Answers) -> anyhow::Result<()> {
        match event {
            SessionEvent::View(HeatChange::Hint)
            | SessionEvent::Refused(
                Refusal::HintBusy | Refusal::HintPending | Refusal::HintUnsolved(_),
            ) => {
                answers.count();
                self.waits = false;
            }
            SessionEvent::Resumed => self.waits = false,
            SessionEvent::Refused(why) => bail!("refused: {why}"),
            SessionEvent::View(HeatChange::Rejected(_, why)) if why != Rejection::Busy => {
                bail!("rejected: {why}")
            }
            SessionEvent::View(_) | SessionEvent::Tournament => {}
        }
        Ok(())
    }

    fn stray_and_ask(&mut self) -> anyhow::Result<()> {
        if let Some(race) = self.session.view().race().filter(|race| race.play.is_settled()) {
            let mut moves = race.play.board().legal_moves();
            let pick = self.chance.below(u32::try_from(moves.len())?) as usize;
            self.session.play(moves.swap_remove(pick));
        }
        self.waits = true;
        self.session.send(ClientMessage::Hint { style: HintStyle::Shortest });
        Ok(())
    }
}
