//! A player that loses its connection with each kill, and compares the seat that it resumes.

use anyhow::{Context, bail, ensure};
use gridrace_client::net::Tcp;
use gridrace_client::session::{Entry, Session, SessionEvent};
use gridrace_shared::heat::ids::{RoomCode, Seq};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::heat_view::{HeatChange, HeatPhase};
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::Rejection;
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::puzzle::Board;
use gridrace_shared::solver::budget::{Aim, HINT_BUDGET};
use gridrace_shared::solver::plan::{Plan, SolverResources};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

/// How often the witness moves: slow enough to race for as long as the bots do.
const MOVE_EVERY: Duration = Duration::from_millis(120);

/// What the witness reports while it races.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct News {
    pub(crate) races: bool,
    /// How often it has resumed its seat.
    pub(crate) resumed: u32,
}

/// The witness of one heat.
#[derive(Debug)]
pub(crate) struct Witness {
    session: Session,
    /// The boards after each move; the first is the start.
    boards: Vec<Board>,
    plan: Option<Plan>,
    /// The last move that was acknowledged.
    acknowledged: Seq,
    /// How many others must be in the room before it starts the heat.
    others: usize,
    news: watch::Sender<News>,
}

impl Witness {
    /// Opens a room that waits for `others`.
    pub(crate) async fn enter(
        address: SocketAddr,
        news: watch::Sender<News>,
        others: usize,
    ) -> anyhow::Result<Self> {
        let options = HeatOptions {
            countdown_seconds: 1,
            grace_seconds: 120,
            ..HeatOptions::new("slide:4x4".parse()?)
        };
        let entry = Entry::Open { options, seed: None, pin: None };
        let name = || "Witness".to_owned();
        let address = format!("ws://{address}");
        let session = Session::enter(&Tcp::default(), &address, &entry, name, None).await?;
        let (boards, plan, acknowledged) = (Vec::new(), None, Seq(0));
        Ok(Self { session, boards, plan, acknowledged, others, news })
    }

    pub(crate) const fn code(&self) -> RoomCode {
        self.session.view().code
    }

    /// Races to the end of the heat, and returns how many moves were acknowledged.
    pub(crate) async fn race(&mut self) -> anyhow::Result<u32> {
        let mut beat = interval(MOVE_EVERY);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                event = self.session.next() => self.on_event(event?)?,
                _ = beat.tick(), if self.session.is_up() => self.play()?,
            }
            if let Some(result) = self.session.view().result() {
                self.check(result)?;
                return Ok(self.acknowledged.0);
            }
        }
    }

    pub(crate) async fn leave(self) {
        self.session.leave().await;
    }

    fn on_event(&mut self, event: SessionEvent) -> anyhow::Result<()> {
        match event {
            SessionEvent::View(HeatChange::Roster) => self.start_if_all_joined(),
            SessionEvent::View(HeatChange::Rejected(seq, why)) if why != Rejection::Busy => {
                bail!("move {seq}: {why}")
            }
            SessionEvent::Resumed => self.news.send_modify(|news| news.resumed += 1),
            SessionEvent::View(_) | SessionEvent::Refused(_) | SessionEvent::Tournament => {}
        }
        self.compare()
    }

    fn start_if_all_joined(&mut self) {
        let view = self.session.view();
        let all = view.roster.members.len() == self.others + 1;
        if all && matches!(view.phase, HeatPhase::Lobby) {
            self.session.send(ClientMessage::Start);
        }
    }

    /// Checks that every acknowledged move is still played, and that the board is as remembered.
    fn compare(&mut self) -> anyhow::Result<()> {
        let Some(race) = self.session.view().race() else {
            return Ok(());
        };
        if self.boards.is_empty() {
            self.boards.push(race.start.clone());
            self.news.send_modify(|news| news.races = true);
        }
        let (seq, known) = (race.play.acknowledged(), self.acknowledged);
        ensure!(
            seq >= known,
            "an acknowledged move is lost: at move {seq}, {known} was acknowledged"
        );
        let last = race.play.last().0 as usize;
        ensure!(self.boards.get(last) == Some(race.play.board()), "another board at move {last}");
        self.acknowledged = seq;
        if last + 1 < self.boards.len() {
            self.boards.truncate(last + 1);
            self.plan = None;
        }
        Ok(())
    }

    /// Plays the next move, ahead of the answers.
    fn play(&mut self) -> anyhow::Result<()> {
        let Some(race) = self.session.view().race() else {
            return Ok(());
        };
        let board = race.play.board();
        if self.plan.is_none() {
            let plan = Plan::plan(board, Aim::Short, HINT_BUDGET, &SolverResources::none());
            self.plan = Some(plan.context("no plan")?);
        }
        let hint = self.plan.as_mut().and_then(|plan| plan.next(board));
        if let Some(play) = hint.and_then(|hint| hint.play(board)) {
            self.session.play(play).context("the plan has no legal move")?;
            self.boards.extend(self.session.view().race().map(|race| race.play.board().clone()));
        }
        Ok(())
    }

    /// Checks that all have finished, and the witness with at least the acknowledged moves.
    fn check(&self, result: &HeatResult) -> anyhow::Result<()> {
        let finished = |state| matches!(state, RaceState::Finished { .. });
        let all = result.standings.iter().all(|row| finished(row.state));
        ensure!(all, "not all have finished: {:?}", result.standings);
        let own = self.session.view().my_standing();
        let own = own.context("the witness is not in the standings")?;
        ensure!(own.moves.acts >= self.acknowledged.0, "moves are lost: {own:?}");
        Ok(())
    }
}
