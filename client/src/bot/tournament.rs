//! A bot in a tournament: it enters, checks in, and plays at its tables until the tournament is closed.

use super::player::{BotPlayer, stopped};
use super::{BotConfig, BotError};
use crate::net::clock::{Clock, sleep_until};
use crate::net::{Network, Tcp};
use crate::session::{SessionError, TournamentEvent, TournamentSession};
use gridrace_shared::protocol::client::Entrant;
use gridrace_shared::protocol::server::Farewell;
use gridrace_shared::protocol::tournament::{TournamentError, TournamentPhase, TournamentRequest};
use gridrace_shared::tournament::ids::TeamTag;
use gridrace_shared::tournament::log::Presence;
use gridrace_shared::tournament_view::TournamentChange;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How long to wait before a request is repeated for which the server had no time.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// How many names are tried, and how often a busy server is asked.
const MAX_ENTRY_ATTEMPTS: u32 = 64;

/// A bot that follows a tournament.
#[derive(Debug)]
pub struct TournamentBot<N: Network = Tcp> {
    session: TournamentSession<N>,
    config: BotConfig,
    entrant: Entrant,
    /// Whether the bot has said that it is there.
    said_here: bool,
    /// Whether the bot takes back a withdrawal: one from before it came. One that the organiser orders
    /// later stands.
    comes_back: bool,
    /// When the bot asks for its seat again, if it was refused.
    rejoin_at: Option<Instant>,
    /// Whether it has entered by this program.
    is_new: bool,
}

impl<N: Network> TournamentBot<N> {
    /// Enters the tournament that `session` follows with the bot's key, under the first of these names
    /// that is free. A bot whose key has entered before goes on as that entrant.
    ///
    /// # Errors
    /// [`BotError`], among them the refusal if the tournament takes no entries.
    pub async fn enter(
        session: TournamentSession<N>,
        team: Option<TeamTag>,
        mut names: impl FnMut() -> String,
        config: BotConfig,
    ) -> Result<Self, BotError> {
        let entrant = Entrant { name: names(), bot: true };
        let (said_here, comes_back, rejoin_at) = (false, true, None);
        let is_new = session.view().you.entrant.is_none();
        let mut bot = Self { session, config, entrant, said_here, comes_back, rejoin_at, is_new };
        let mut last = TournamentError::PlayerNameTaken;
        for _ in 0..MAX_ENTRY_ATTEMPTS {
            if bot.session.view().you.entrant.is_some() {
                return Ok(bot);
            }
            let (Entrant { name, bot: is_bot }, team) = (bot.entrant.clone(), team.clone());
            bot.session.request(TournamentRequest::Enter { name, bot: is_bot, team });
            match bot.entered().await? {
                None => {}
                Some(why @ TournamentError::PlayerNameTaken) => {
                    (bot.entrant.name, last) = (names(), why);
                }
                Some(why @ (TournamentError::TooFast | TournamentError::Busy)) => {
                    tokio::time::sleep(RETRY_PAUSE).await;
                    last = why;
                }
                Some(why) => return Err(SessionError::Tournament(why).into()),
            }
        }
        Err(SessionError::Tournament(last).into())
    }

    /// Withdraws a bot that has entered just now, where others couldn't: one that had entered before stays.
    ///
    /// # Errors
    /// [`BotError`] if the server or the connection ends the session.
    pub async fn take_back_entry(mut self) -> Result<(), BotError> {
        if self.is_new {
            self.session.request(TournamentRequest::Withdraw);
            while self.session.view().you.presence != Some(Presence::Withdrawn) {
                match self.session.next().await? {
                    TournamentEvent::View(TournamentChange::Refused(why)) => {
                        return Err(SessionError::Tournament(why).into());
                    }
                    // The request may be lost with the connection.
                    TournamentEvent::Resumed => {
                        self.session.request(TournamentRequest::Withdraw);
                    }
                    TournamentEvent::View(_)
                    | TournamentEvent::Joined
                    | TournamentEvent::Refused(_) => {}
                }
            }
        }
        self.session.close().await;
        Ok(())
    }

    /// Returns the bot's name; not yet safe to print.
    pub fn name(&self) -> &str {
        &self.entrant.name
    }

    /// Plays until the tournament is closed, or `stop` becomes true: as long as results may be
    /// corrected, a board may be raced again. Returns the session, which still follows the
    /// tournament.
    ///
    /// # Errors
    /// [`BotError`] if the server or the connection ends the session.
    pub async fn play(
        mut self,
        mut stop: watch::Receiver<bool>,
    ) -> Result<TournamentSession<N>, BotError> {
        self.check_in();
        self.comes_back = false;
        while !self.session.view().head.closed {
            let rejoin_at = self.rejoin_at;
            let was_in = self.session.view().you.presence == Some(Presence::Present);
            let event = tokio::select! {
                biased;
                () = stopped(&mut stop) => break,
                event = self.session.next() => event?,
                () = sleep_until(rejoin_at) => {
                    self.join();
                    continue;
                }
            };
            match event {
                TournamentEvent::View(TournamentChange::Called(_)) => self.join(),
                TournamentEvent::Resumed => {
                    self.said_here = false;
                    self.check_in();
                    if was_in {
                        self.return_after_absence();
                    }
                }
                TournamentEvent::View(TournamentChange::Head | TournamentChange::You) => {
                    self.check_in();
                }
                TournamentEvent::Joined => self = self.play_table(&mut stop).await?,
                // The room may not be open yet, or not any more: then there is another call.
                TournamentEvent::Refused(_) => {
                    self.rejoin_at = Some(Clock::instant() + RETRY_PAUSE);
                }
                // A check-in that came too late or too early.
                TournamentEvent::View(_) => {}
            }
        }
        Ok(self.session)
    }

    /// Waits for the answer to an entry: nothing if it was taken.
    async fn entered(&mut self) -> Result<Option<TournamentError>, BotError> {
        loop {
            match self.session.next().await? {
                TournamentEvent::View(TournamentChange::Refused(why)) => return Ok(Some(why)),
                // The request may be lost with the connection.
                TournamentEvent::Resumed => return Ok(None),
                _ if self.session.view().you.entrant.is_some() => return Ok(None),
                TournamentEvent::View(_)
                | TournamentEvent::Joined
                | TournamentEvent::Refused(_) => {}
            }
        }
    }

    /// Says that the bot is there, where that is asked for.
    fn check_in(&mut self) {
        let view = self.session.view();
        let is_asked = match view.you.presence {
            Some(Presence::Entered) => {
                !matches!(view.head.phase, TournamentPhase::Entries | TournamentPhase::Over)
            }
            Some(Presence::Withdrawn) => {
                self.comes_back && view.head.phase != TournamentPhase::Over
            }
            Some(Presence::Present | Presence::Disqualified) | None => false,
        };
        if !is_asked {
            self.said_here = false;
        } else if !std::mem::replace(&mut self.said_here, true) {
            self.session.request(TournamentRequest::CheckIn);
        }
    }

    /// Checks in after an outage before which the bot was in: it may have been absent too often to be
    /// drawn, which the server tells like a withdrawal.
    fn return_after_absence(&mut self) {
        if self.session.view().head.phase != TournamentPhase::Over {
            self.session.request(TournamentRequest::CheckIn);
        }
    }

    /// Asks for the seat that waits.
    fn join(&mut self) {
        self.rejoin_at = None;
        if let Some(call) = self.session.view().call {
            self.session.join(call, self.entrant.clone());
        }
    }

    /// Plays at the table that was joined until it is closed.
    async fn play_table(self, stop: &mut watch::Receiver<bool>) -> Result<Self, BotError> {
        let Self { session, config, entrant, said_here, comes_back, is_new, .. } = self;
        let session = match session.into_table() {
            Ok(table) => {
                let (table, ended) = BotPlayer::new(table, config.clone()).play_table(stop).await;
                match ended {
                    // The seat may be lost: the tournament calls to it again.
                    Ok(())
                    | Err(BotError::Session(
                        SessionError::Dismissed(Farewell::TableClosed) | SessionError::Refused(_),
                    )) => {}
                    Err(error) => return Err(error),
                }
                let left = SessionError::Dismissed(Farewell::TableClosed);
                table.into_tournament().ok_or(left)?
            }
            Err(session) => *session,
        };
        Ok(Self { session, config, entrant, said_here, comes_back, rejoin_at: None, is_new })
    }
}
