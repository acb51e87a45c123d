//! How a bot gets into a heat.

use super::BotError;
use crate::net::{Connection, Network};
use gridrace_shared::name::{HeatCode, PlayerId};
use gridrace_shared::options::HeatOptions;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::heat::Snapshot;
use gridrace_shared::protocol::pin::Pin;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::seed::Seed;
use std::time::Duration;

/// How long to wait when the server says that somebody comes in too fast.
const ENTRY_PAUSE: Duration = Duration::from_secs(1);
/// How often to come in again then, and how many names to try.
const ENTRY_ATTEMPTS: u32 = 64;

/// How a bot gets into a heat.
#[derive(Debug, Clone)]
pub enum Entry {
    /// It opens one, as its host.
    Open {
        /// The options.
        options: HeatOptions,
        /// The seed, where it is set.
        seed: Option<Seed>,
    },
    /// It joins one.
    Join {
        /// Which.
        code: HeatCode,
        /// Its PIN, if it has one.
        pin: Option<Pin>,
    },
}

impl Entry {
    /// Gets in under the first of these names that is free, and returns the heat as it is.
    ///
    /// # Errors
    /// [`BotError`], among them the refusal where no name is free or no seat left.
    pub(super) async fn take<N: Network>(
        &self,
        connection: &mut Connection<N>,
        mut names: impl FnMut() -> String,
    ) -> Result<(PlayerId, Snapshot), BotError> {
        let mut name = names();
        for _ in 0..ENTRY_ATTEMPTS {
            connection.send(&self.message(&name)).await?;
            match answer(connection).await? {
                Ok(entered) => return Ok(entered),
                Err(Refusal::NameTaken) => name = names(),
                Err(Refusal::TooFast) => tokio::time::sleep(ENTRY_PAUSE).await,
                Err(refusal) => return Err(BotError::Refused(refusal)),
            }
        }
        Err(BotError::Refused(Refusal::NameTaken))
    }

    fn message(&self, name: &str) -> ClientMessage {
        let entrant = Entrant {
            name: name.to_owned(),
            bot: true,
        };
        match self {
            Self::Open { options, seed } => ClientMessage::Open {
                entrant,
                options: options.clone(),
                seed: seed.clone(),
                pin: None,
            },
            Self::Join { code, pin } => ClientMessage::Join {
                code: *code,
                entrant,
                role: Role::Player,
                pin: pin.clone(),
            },
        }
    }
}

/// Waits for the answer to `open` or `join`.
async fn answer<N: Network>(
    connection: &mut Connection<N>,
) -> Result<Result<(PlayerId, Snapshot), Refusal>, BotError> {
    loop {
        match connection.next().await? {
            ServerMessage::Joined { you, heat } => return Ok(Ok((you, *heat))),
            // The bot gets in all the same: mostly a proxy hides how the server was dialled.
            ServerMessage::Refused(Refusal::Unproven) => {
                connection.tell(format_args!("{}; nobody knows the bot", Refusal::Unproven));
            }
            ServerMessage::Refused(refusal) => return Ok(Err(refusal)),
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
