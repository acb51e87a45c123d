//! The options of the next heat, and the way back to the lobby.

use super::event::QueuedHeat;
use super::{Audience, Effects, HeatSecret, Race};
use crate::race::phase::RacePhase;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::util::time::Millis;

impl Race {
    /// Sets the options and a new secret, or queues them for the next heat. Players agreed to other
    /// options, so no client is ready any more.
    pub(super) fn set_options(
        &mut self,
        by: PlayerId,
        options: HeatOptions,
        secret: HeatSecret,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        self.check_options(by, &options)?;
        self.queued = Some(QueuedHeat { options, secret });
        match self.phase {
            RacePhase::Lobby => {
                self.members.reset_ready();
                self.take_queued(out);
            }
            RacePhase::Over(_) => self.members.reset_ready(),
            RacePhase::Drawing | RacePhase::Countdown { .. } | RacePhase::Running(_) => {
                out.broadcast(Audience::All, ServerMessage::Setup(self.setup()));
                return Ok(());
            }
        }
        out.broadcast(Audience::All, ServerMessage::Setup(self.setup()));
        self.send_roster(out);
        Ok(())
    }

    /// Returns why a member may not set these options.
    pub fn check_options(&self, by: PlayerId, options: &HeatOptions) -> Result<(), Refusal> {
        self.require_host(by)?;
        options.check().map_err(Refusal::Options)
    }

    /// Returns whether the next heat races on the secret that comes with this member's rematch.
    pub fn takes_secret_of_rematch(&self, by: PlayerId) -> bool {
        let is_over = matches!(self.phase, RacePhase::Over(_));
        is_over && self.queued.is_none() && self.has_host_powers(by)
    }

    /// Goes back to the lobby for the host, or notes that another player is ready for that.
    pub(super) fn rematch(
        &mut self,
        by: Option<PlayerId>,
        secret: HeatSecret,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        let RacePhase::Over(over) = &mut self.phase else {
            return Err(Refusal::WrongPhase);
        };
        let Some(by) =
            by.filter(|by| self.members.host != Some(*by) && !self.members.is_operator(*by))
        else {
            self.open_next_heat(secret, out);
            return Ok(());
        };
        let member = self.members.get_mut(by).ok_or(Refusal::NoSuchPlayer)?;
        if member.role != Role::Player {
            return Err(Refusal::NotSeated);
        }
        over.next_secret.get_or_insert(secret);
        if !std::mem::replace(&mut member.ready, true) {
            self.send_roster(out);
        }
        Ok(())
    }

    /// Goes back to the lobby once all people who play are ready for the next heat.
    pub(super) fn rematch_if_all_are_ready(&mut self, out: &mut Effects) {
        if let RacePhase::Over(over) = &mut self.phase
            && self.members.all_want_rematch()
            && let Some(secret) = over.next_secret.take()
        {
            self.open_next_heat(secret, out);
        }
    }

    /// Cancels the start: no player is left, or there is no board. Spectators who wait for a seat
    /// get it now.
    pub(super) fn cancel_start(&mut self, out: &mut Effects) {
        self.members.reset_ready();
        self.return_to_lobby(out);
    }

    /// Goes back to the lobby of the heat whose start was cancelled.
    pub(super) fn return_to_lobby(&mut self, out: &mut Effects) {
        self.phase = RacePhase::Lobby;
        self.members.seat_queued();
        out.broadcast(Audience::All, ServerMessage::Phase(Phase::Lobby));
        if self.queued.is_some() {
            self.members.reset_ready();
            self.take_queued(out);
            out.broadcast(Audience::All, ServerMessage::Setup(self.setup()));
        }
        self.send_roster(out);
    }

    /// Goes back to the lobby for the next heat, with what is queued for it. Gone members are
    /// removed, and spectators who wait for a seat get it. Those who said so are ready.
    ///
    /// The phase is sent first, so that the old result is never checked against the new commitment.
    fn open_next_heat(&mut self, secret: HeatSecret, out: &mut Effects) {
        self.number = self.number.saturating_add(1);
        self.secret = secret;
        self.outage = Millis(0);
        self.members.remove_gone();
        self.members.seat_queued();
        self.phase = RacePhase::Lobby;
        out.broadcast(Audience::All, ServerMessage::Phase(Phase::Lobby));
        self.take_queued(out);
        out.broadcast(Audience::All, ServerMessage::Setup(self.setup()));
        self.send_roster(out);
    }

    /// Takes over the queued options in the lobby.
    ///
    /// If bots are no longer allowed, house bots are removed, and clients' bots become spectators;
    /// one for which there is no place left is released.
    fn take_queued(&mut self, out: &mut Effects) {
        let Some(QueuedHeat { options, secret }) = self.queued.take() else {
            return;
        };
        self.options = options;
        self.secret = secret;
        if !self.options.bots_allowed {
            self.unseat_bots(out);
        }
    }
}
