//! What a bot reports of the heats that it raced, and when it is to leave.

use super::{BotPlayer, Flow, Stage};
use crate::cli::report::Report;
use crate::net::Network;
use gridrace_shared::heat::player_name::NAME_GRAPHEMES;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::{HeatResult, Member, Roster};
use gridrace_shared::puzzle::MoveBounds;
use tokio::sync::{mpsc, watch};

impl<N: Network> BotPlayer<N> {
    /// Returns the bot's name, fit to be printed.
    #[must_use]
    pub fn name(&self) -> String {
        let mut members = self.roster.members.iter();
        let me = members.find(|member| member.id == self.you);
        let name = me.map_or_else(|| self.you.to_string(), |me| me.name.to_string());
        crate::display::safe_text::text(&name, NAME_GRAPHEMES)
    }

    /// Takes in how a heat ended. Its report waits a little for what the board needs.
    pub(super) async fn end(
        &mut self,
        result: HeatResult,
        stay: bool,
        over: &mpsc::Sender<Report>,
    ) -> Flow {
        self.stage = Stage::over();
        if !self.racers.iter().any(|member| member.id == self.you) {
            return Flow::Go;
        }
        let best = result.best;
        self.unreported = Some(result);
        match best {
            Some(best) => self.report(Some(best), stay, over).await,
            None => Flow::Go,
        }
    }

    /// Reports the last heat, if that is still to be done.
    pub(super) async fn report(
        &mut self,
        best: Option<MoveBounds>,
        stay: bool,
        over: &mpsc::Sender<Report>,
    ) -> Flow {
        let Some(result) = self.unreported.take() else {
            return Flow::Go;
        };
        let result = HeatResult { best: best.or(result.best), ..result };
        let checked = Report::checked(self.code, &self.setup, &self.racers, &result);
        let Some(report) = checked.await else {
            return Flow::Done;
        };
        match over.send(report).await {
            Ok(()) if stay => Flow::Go,
            // Nobody listens any more.
            Ok(()) | Err(_) => Flow::Done,
        }
    }
}

/// Waits until the bot is asked to leave; an end of the sender means the same.
pub(super) async fn asked(stop: &mut watch::Receiver<bool>) {
    while !*stop.borrow_and_update() {
        if stop.changed().await.is_err() {
            return;
        }
    }
}

/// Returns those who have a seat.
pub(super) fn players(roster: &Roster) -> Vec<Member> {
    roster.members.iter().filter(|member| member.role == Role::Player).cloned().collect()
}
