//! A bot whose connection is lost comes back to its seat by itself.

use super::{BotPlayer, Flow, Stage, players};
use crate::bot::BotError;
use crate::bot::racing::Racing;
use crate::cli::report::Report;
use crate::net::clock;
use crate::net::{self, Connection, NetError, Network};
use crate::session::ResumeTicket;
use crate::session::backoff;
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::resume_token::ResumeToken;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::close::CloseCode;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::{Phase, Snapshot};
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// How long a bot looks for its server at least: longer than one that is started anew is away.
/// Where seats are kept for longer, it looks as long.
const PATIENCE: Duration = Duration::from_secs(120);

/// Messages that may come between a seat and what it is taken up by: none does, or a few.
const AHEAD: usize = 16;

/// What comes of one attempt.
enum Attempt<N: Network> {
    Back(Box<Connection<N>>, Box<Snapshot>),
    Later(NetError),
}

impl<N: Network> BotPlayer<N> {
    /// Takes the seat up again after the connection broke, or passes on why that can't be.
    pub(super) async fn come_back(
        &mut self,
        error: BotError,
        stay: bool,
        over: &mpsc::Sender<Report>,
        stop: &mut watch::Receiver<bool>,
    ) -> Result<Flow, BotError> {
        let may_return = match &error {
            BotError::Net(why) => why.may_retry(),
            BotError::Dismissed(farewell) => CloseCode::from(*farewell).may_retry(),
            BotError::Refused(_)
            | BotError::Rejected(_)
            | BotError::Unsolved(_)
            | BotError::Thoughtless => false,
        };
        let Some(key) = self.key.clone().filter(|_| may_return) else {
            return Err(error);
        };
        self.network.tells(format_args!("{}: {error}; coming back", self.name()));
        self.connection.hang_up().await;
        let grace = Duration::from_secs(self.setup.options.grace_seconds.into());
        let last = clock::instant() + PATIENCE.max(grace);
        let mut wish = match error {
            BotError::Net(why) => why.wish(),
            BotError::Dismissed(farewell) => NetError::Dismissed(farewell).wish(),
            BotError::Refused(_)
            | BotError::Rejected(_)
            | BotError::Unsolved(_)
            | BotError::Thoughtless => None,
        };
        let mut attempt = 0;
        loop {
            let pause = backoff::pause(attempt, wish.take(), |bound| self.network.below(bound));
            tokio::select! {
                biased;
                () = super::asked(stop) => return Ok(Flow::Done),
                () = tokio::time::sleep(pause) => {}
            }
            match knock(&self.network, &self.address, &key).await? {
                Attempt::Back(connection, heat) => {
                    self.connection = *connection;
                    self.confirms = true;
                    match self.find_heat(*heat, stay, over).await {
                        // Lost again as soon as it was back.
                        Err(BotError::Net(why)) if why.may_retry() && clock::instant() < last => {
                            attempt = attempt.saturating_add(1);
                        }
                        outcome => return outcome,
                    }
                }
                Attempt::Later(why) if clock::instant() >= last => return Err(why.into()),
                Attempt::Later(why) => {
                    wish = why.wish();
                    attempt = attempt.saturating_add(1);
                }
            }
        }
    }

    /// Goes on with the heat as it is by now.
    async fn find_heat(
        &mut self,
        heat: Snapshot,
        stay: bool,
        over: &mpsc::Sender<Report>,
    ) -> Result<Flow, BotError> {
        let same = self.setup.number == heat.setup.number;
        if !same && self.report(None, stay, over).await == Flow::Done {
            return Ok(Flow::Done);
        }
        self.set_up(heat.setup);
        self.roster = heat.roster;
        match (heat.phase, heat.seat) {
            (Phase::Running { start, .. }, Some(seat)) => {
                if !(same && matches!(self.stage, Stage::Racing(_))) {
                    self.racers = players(&self.roster);
                    self.stage =
                        Stage::Racing(Racing::new(start, self.brain.mind(self.setup.number)));
                }
                self.follow(&seat, Racing::come_back).await?;
            }
            (Phase::Running { .. }, None) => self.stage = Stage::Waiting,
            (Phase::Over(_), _) if same && matches!(self.stage, Stage::Over(_)) => {}
            (
                phase @ (Phase::Lobby | Phase::Drawing | Phase::Countdown { .. } | Phase::Over(_)),
                _,
            ) => {
                return self.enter_phase(phase, stay, over).await;
            }
        }
        Ok(Flow::Go)
    }

    /// Waits for what the seat is taken up by: a bot is in once it could come back.
    pub(super) async fn wait_for_key(&mut self) -> Result<(), BotError> {
        while self.key.is_none() && self.ahead.len() < AHEAD {
            let message = self.connection.next().await?;
            if let ServerMessage::Token { code, player, token } = message {
                self.take_key(code, player, token).await?;
            } else {
                self.ahead.push_back(message);
            }
        }
        Ok(())
    }

    /// Keeps what takes up the seat, and says so where another was shown for it.
    pub(super) async fn take_key(
        &mut self,
        code: RoomCode,
        player: PlayerId,
        token: ResumeToken,
    ) -> Result<(), BotError> {
        self.key = Some(ResumeTicket { code, player, token });
        if std::mem::take(&mut self.confirms) {
            self.connection.send(&ClientMessage::Confirm).await?;
        }
        Ok(())
    }
}

/// Connects once, and asks for the seat.
async fn knock<N: Network>(
    network: &N,
    address: &str,
    key: &ResumeTicket,
) -> Result<Attempt<N>, BotError> {
    match ask(network, address, key).await {
        Ok(attempt) => Ok(attempt),
        Err(BotError::Net(why)) if why.may_retry() => Ok(Attempt::Later(why)),
        Err(BotError::Dismissed(farewell)) if CloseCode::from(farewell).may_retry() => {
            Ok(Attempt::Later(NetError::Dismissed(farewell)))
        }
        Err(error) => Err(error),
    }
}

async fn ask<N: Network>(
    network: &N,
    address: &str,
    key: &ResumeTicket,
) -> Result<Attempt<N>, BotError> {
    let mut connection = net::connect_over(network, address).await?;
    connection.send(&key.request()).await?;
    loop {
        match connection.next().await? {
            ServerMessage::Joined { heat, .. } => {
                return Ok(Attempt::Back(Box::new(connection), heat));
            }
            ServerMessage::Refused(Refusal::TooFast | Refusal::Busy) => {
                return Ok(Attempt::Later(NetError::TimedOut));
            }
            ServerMessage::Refused(refusal) => return Err(BotError::Refused(refusal)),
            ServerMessage::Goodbye(farewell) => return Err(BotError::Dismissed(farewell)),
            ServerMessage::Welcome { .. }
            | ServerMessage::Pong { .. }
            | ServerMessage::Heats(_)
            | ServerMessage::Token { .. }
            | ServerMessage::Roster(_)
            | ServerMessage::Setup(_)
            | ServerMessage::Phase(_)
            | ServerMessage::Accepted { .. }
            | ServerMessage::Rejected { .. }
            | ServerMessage::Resync(_)
            | ServerMessage::Results(_)
            | ServerMessage::Unrecorded
            | ServerMessage::Recorded
            | ServerMessage::Standings(_)
            | ServerMessage::Moves(_)
            | ServerMessage::Hint { .. }
            | ServerMessage::Rated { .. } => {}
        }
    }
}
