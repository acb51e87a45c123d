//! Requests about tournaments.

use super::requests::RequestHandler;
use crate::hub::{NewTournament, Requester};
use crate::platform::rate_limit_key::rate_limit_key;
use crate::tournament::Event;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::tournament::{TournamentError, TournamentRequest, TournamentUpdate};
use gridrace_shared::util::time::ServerInstant;

impl RequestHandler {
    pub(super) fn tournament(&mut self, request: TournamentRequest, now: ServerInstant) {
        let update = match self.grant_tournament(request, now) {
            Ok(update) => update,
            Err(error) => Some(TournamentUpdate::Refused(error)),
        };
        if let Some(update) = update {
            self.send(ServerMessage::Tournament(Box::new(update)));
        }
    }

    /// Returns the answer, unless the tournament gives it itself.
    fn grant_tournament(
        &mut self,
        request: TournamentRequest,
        now: ServerInstant,
    ) -> Result<Option<TournamentUpdate>, TournamentError> {
        let state = std::sync::Arc::clone(&self.state);
        let tournaments = &state.hub.tournaments;
        match request {
            TournamentRequest::List => {
                return Ok(Some(TournamentUpdate::List(tournaments.list())));
            }
            TournamentRequest::Open { name, plan, settings, pin } => {
                let (founder, _) = self.key()?;
                self.take_attempt(now).map_err(|_| TournamentError::TooFast)?;
                let new = NewTournament { name, plan, settings, pin, founder };
                let opened = state.hub.open_tournament(new)?;
                self.following = None;
                self.following = Some(opened.follow(&self.requester(), None)?);
            }
            TournamentRequest::Follow { name, pin } => {
                let found = tournaments.find(&name).ok_or(TournamentError::NoSuchTournament)?;
                // The one before is followed until then.
                self.following = Some(found.follow(&self.requester(), pin.as_ref())?);
            }
            TournamentRequest::Unfollow => {
                self.following.take().ok_or(TournamentError::NotFollowing)?;
                return Ok(Some(TournamentUpdate::Done));
            }
            TournamentRequest::Enter { name, bot, team } => {
                let (by, is_bot) = self.key()?;
                let name: PlayerName = name.parse().map_err(TournamentError::PlayerName)?;
                // As in rooms: a client with a bot's key is a bot.
                self.apply_tournament(Event::Enter { by, name, bot: bot || is_bot, team })?;
            }
            TournamentRequest::CheckIn => {
                let (by, _) = self.key()?;
                self.apply_tournament(Event::CheckIn { by })?;
            }
            TournamentRequest::Withdraw => {
                let (by, _) = self.key()?;
                self.apply_tournament(Event::Withdraw { by })?;
            }
            TournamentRequest::Page { of, from } => {
                let following = self.following.as_ref().ok_or(TournamentError::NotFollowing)?;
                following.tournament.send_page(&self.requester(), of, from);
            }
            TournamentRequest::Command { command, confirmed } => {
                let (by, _) = self.key()?;
                let is_operator = state.hub.services.operators.contains(&by);
                let event = Event::Command { by, is_operator, command, confirmed };
                self.apply_tournament(event)?;
            }
            TournamentRequest::Past { before } => self.past_tournaments(before, now)?,
        }
        Ok(None)
    }

    fn apply_tournament(&self, event: Event) -> Result<(), TournamentError> {
        let following = self.following.as_ref().ok_or(TournamentError::NotFollowing)?;
        following.tournament.apply(event, Some(&self.outbox));
        Ok(())
    }

    /// Returns the client's key, and whether it is a bot's.
    fn key(&self) -> Result<(Fingerprint, bool), TournamentError> {
        self.proven_key().ok_or(TournamentError::NeedsKey)
    }

    fn requester(&self) -> Requester {
        Requester {
            key: self.proven_key().map(|(key, _)| key),
            address: rate_limit_key(self.peer),
            own_address: self.own_address(),
            outbox: std::sync::Arc::clone(&self.outbox),
        }
    }
}
