//! The organiser: a connection that commands, and waits for what it commands to happen.

use super::counting::Counters;
use anyhow::{Context, bail};
use gridrace_client::net::Tcp;
use gridrace_client::session::{NewTournament, TournamentEvent, TournamentSession};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::protocol::tournament::{
    TournamentCommand, TournamentError, TournamentHead, TournamentPhase, TournamentRequest,
};
use gridrace_shared::tournament::ids::{RoundKey, TournamentName};
use gridrace_shared::tournament::log::LogEntry;
use gridrace_shared::tournament::plan::TournamentPlan;
use gridrace_shared::tournament::public_log::LogLine;
use gridrace_shared::tournament::settings::TournamentSettings;
use gridrace_shared::tournament_view::{TournamentChange, TournamentView};
use gridrace_shared::util::time::TournamentInstant;
use std::net::SocketAddr;
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Organiser {
    session: TournamentSession,
}

/// How long a round took beside its boards.
#[derive(Debug)]
pub(super) struct RoundTimes {
    pub(super) round: RoundKey,
    pub(super) tables: u16,
    /// The GO of its first board.
    pub(super) go: TournamentInstant,
    /// From when the last player was told that the last board is over until the organiser knew.
    pub(super) known: Option<Duration>,
}

/// The answer to a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OrganiserAnswer {
    Done,
    Refused(TournamentError),
    /// So many results would be discarded.
    NeedsConfirmation(u32),
}

impl Organiser {
    pub(super) async fn open(
        address: SocketAddr,
        name: &TournamentName,
        plan: TournamentPlan,
        settings: TournamentSettings,
    ) -> anyhow::Result<Self> {
        let new = NewTournament { name: name.clone(), plan, settings, pin: None };
        let (tcp, address) = (Tcp::default(), format!("ws://{address}"));
        let key = (Key::from_bytes([99; 32]), false);
        let mut session = TournamentSession::open(&tcp, &address, new, key).await?;
        session.load_pages();
        Ok(Self { session })
    }

    pub(super) const fn view(&self) -> &TournamentView {
        self.session.view()
    }

    pub(super) async fn begin(&mut self) -> anyhow::Result<()> {
        self.command(TournamentCommand::Begin, false).await?.done("begin")
    }

    /// Ends the tournament: its secret is revealed, and nothing is corrected any more.
    pub(super) async fn end(&mut self) -> anyhow::Result<()> {
        self.command(TournamentCommand::End { reason: None }, true).await?.done("end")
    }

    pub(super) async fn until_entered(&mut self, entrants: u32) -> anyhow::Result<()> {
        self.until(|view| u32::from(view.head.counts.entrants) >= entrants).await
    }

    /// Waits until another board is raced than the one given, and returns which one.
    pub(super) async fn until_racing(
        &mut self,
        after: Option<(RoundKey, u8)>,
    ) -> anyhow::Result<(RoundKey, u8)> {
        let raced = |head: &TournamentHead| {
            let is_racing = head.phase == TournamentPhase::Racing;
            head.round.filter(|_| is_racing).map(|round| (round, head.board))
        };
        let is_over = |head: &TournamentHead| head.phase == TournamentPhase::Over;
        let is_next = |board: Option<_>| board.is_some() && board != after;
        self.until(|view| is_over(&view.head) || is_next(raced(&view.head))).await?;
        raced(&self.view().head).context("the tournament is over before the last kill")
    }

    /// Waits for the end, and says of each round how soon its boards began and its results were known.
    pub(super) async fn until_over(
        &mut self,
        counters: &Counters,
    ) -> anyhow::Result<Vec<RoundTimes>> {
        let mut rounds: Vec<RoundTimes> = Vec::new();
        loop {
            let TournamentHead { phase, round, go, counts, board, .. } =
                self.session.view().head.clone();
            let is_new = rounds.last().map(|last| last.round) != round;
            if phase == TournamentPhase::Racing
                && is_new
                && board == 0
                && let (Some(round), Some(go)) = (round, go)
            {
                rounds.push(RoundTimes { round, tables: counts.tables, go, known: None });
            }
            let is_raced = matches!(phase, TournamentPhase::Waiting | TournamentPhase::Over);
            if let Some(last) = rounds.last_mut().filter(|_| is_raced) {
                last.known = last.known.or_else(|| counters.since_last_board());
            }
            if phase == TournamentPhase::Over {
                return Ok(rounds);
            }
            self.session.next().await?;
        }
    }

    /// Returns when a round was drawn last.
    pub(super) fn drawn_at(&self, round: RoundKey) -> Option<TournamentInstant> {
        let is_draw = |line: &&LogLine| matches!(line.entry(), Some(LogEntry::Draw { key, .. }) if key.round == round);
        self.view().log.lines().iter().rev().find(is_draw).map(|line| line.at)
    }

    /// Waits until something holds of the tournament.
    pub(super) async fn until(
        &mut self,
        holds: impl Fn(&TournamentView) -> bool,
    ) -> anyhow::Result<()> {
        while !holds(self.session.view()) {
            self.session.next().await?;
        }
        Ok(())
    }

    /// Waits until the latest entry of the log that is meant is loaded, and returns its number, from 0.
    pub(super) async fn until_logged(
        &mut self,
        is_meant: impl Fn(&LogEntry) -> bool,
    ) -> anyhow::Result<u32> {
        let number = |view: &TournamentView| {
            let entries = view.log.tournament().log();
            entries.iter().rposition(&is_meant).and_then(|number| u32::try_from(number).ok())
        };
        self.until(|view| view.is_loaded() && number(view).is_some()).await?;
        number(self.view()).context("the entry is gone")
    }

    /// Gives a command. One whose answer was lost with the connection is given again.
    pub(super) async fn command(
        &mut self,
        command: TournamentCommand,
        confirmed: bool,
    ) -> anyhow::Result<OrganiserAnswer> {
        self.request(TournamentRequest::Command { command, confirmed }).await
    }

    pub(super) async fn request(
        &mut self,
        request: TournamentRequest,
    ) -> anyhow::Result<OrganiserAnswer> {
        loop {
            self.session.request(request.clone());
            if let Some(answer) = next_answer(&mut self.session).await? {
                return Ok(answer);
            }
        }
    }

    /// Loads the whole log.
    pub(super) async fn into_log(mut self) -> anyhow::Result<Vec<LogLine>> {
        self.until(TournamentView::is_loaded).await?;
        let log = self.session.view().log.lines().to_vec();
        self.session.close().await;
        Ok(log)
    }
}

impl OrganiserAnswer {
    /// Fails unless the command was carried out.
    pub(super) fn done(self, what: &str) -> anyhow::Result<()> {
        match self {
            Self::Done => Ok(()),
            other => Err(anyhow::anyhow!("{other:?}")).with_context(|| what.to_owned()),
        }
    }
}

/// Waits for the answer to a request.
pub(super) async fn answer(session: &mut TournamentSession) -> anyhow::Result<OrganiserAnswer> {
    next_answer(session).await?.context("the connection was lost")
}

/// Waits for the answer to a request; none if it was lost with the connection.
async fn next_answer(session: &mut TournamentSession) -> anyhow::Result<Option<OrganiserAnswer>> {
    loop {
        match session.next().await? {
            TournamentEvent::View(TournamentChange::Done) => {
                return Ok(Some(OrganiserAnswer::Done));
            }
            TournamentEvent::View(TournamentChange::Refused(why)) => {
                return Ok(Some(OrganiserAnswer::Refused(why)));
            }
            TournamentEvent::View(TournamentChange::NeedsConfirmation(asked)) => {
                return Ok(Some(OrganiserAnswer::NeedsConfirmation(asked.discards)));
            }
            TournamentEvent::Resumed => return Ok(None),
            TournamentEvent::View(_) | TournamentEvent::Joined => {}
            TournamentEvent::Refused(why) => bail!("the server refused: {why}"),
        }
    }
}
