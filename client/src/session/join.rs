//! How a bot gets into a heat.

use crate::bot::BotError;
use crate::net::{self, Connection, NetError, Network};
use crate::session::backoff;
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::Snapshot;
use gridrace_shared::util::seed::Seed;
use std::time::Duration;

/// How long to wait when the server says that somebody comes in too fast.
const ENTRY_PAUSE: Duration = Duration::from_secs(1);
/// How often to come in again then, and how many names to try.
const ENTRY_ATTEMPTS: u32 = 64;

/// How often to come again where a server is full and says when.
const KNOCKS: u32 = 8;

/// Connects; where the server is full and says when to come again, then.
pub(crate) async fn dial<N: Network>(
    network: &N,
    address: &str,
) -> Result<Connection<N>, NetError> {
    let mut attempt = 0;
    loop {
        let why = match net::connect_over(network, address).await {
            Err(why) if why.wish().is_some() && attempt < KNOCKS => why,
            outcome => return outcome,
        };
        network.tells(format_args!("{why}; waiting"));
        let pause = backoff::pause(attempt, why.wish(), |bound| network.below(bound));
        tokio::time::sleep(pause).await;
        attempt += 1;
    }
}

/// How to enter a room.
#[derive(Debug, Clone)]
pub enum Entry {
    /// Open one, as its host.
    Open {
        /// The options of its heat.
        options: HeatOptions,
        /// The seed, if the host sets it.
        seed: Option<Seed>,
        /// The PIN that others need, if there is to be one.
        pin: Option<Pin>,
    },
    /// Join one.
    Join {
        /// Its code.
        code: RoomCode,
        /// As player or spectator.
        role: Role,
        /// Its PIN, if it has one.
        pin: Option<Pin>,
    },
}

impl Entry {
    /// Joins a room without a PIN as a player.
    #[must_use]
    pub const fn join(code: RoomCode) -> Self {
        Self::Join { code, role: Role::Player, pin: None }
    }

    /// Gets in under the first of these names that is free, and returns the heat as it is.
    ///
    /// # Errors
    /// [`BotError`], among them the refusal where no name is free or no seat left.
    pub(crate) async fn take<N: Network>(
        &self,
        connection: &mut Connection<N>,
        mut names: impl FnMut() -> String,
    ) -> Result<(PlayerId, Snapshot), BotError> {
        let mut name = names();
        for _ in 0..ENTRY_ATTEMPTS {
            connection.send(&self.request(name.clone(), true)).await?;
            match answer(connection).await? {
                Ok(entered) => return Ok(entered),
                Err(Refusal::NameTaken) => name = names(),
                Err(Refusal::TooFast) => tokio::time::sleep(ENTRY_PAUSE).await,
                Err(refusal) => return Err(BotError::Refused(refusal)),
            }
        }
        Err(BotError::Refused(Refusal::NameTaken))
    }

    /// Returns the request; `bot` says whether a program plays.
    #[must_use]
    pub fn request(&self, name: String, bot: bool) -> ClientMessage {
        let entrant = Entrant { name, bot };
        match self.clone() {
            Self::Open { options, seed, pin } => {
                ClientMessage::Open { entrant, options, seed, pin }
            }
            Self::Join { code, role, pin } => ClientMessage::Join { code, entrant, role, pin },
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::address::Address;
    use crate::net::clock;
    use gridrace_shared::protocol::server::Farewell;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A network on which every server is full, for so many visits.
    #[derive(Debug, Clone, Default)]
    struct Full {
        visits: Arc<AtomicU32>,
        full_for: u32,
    }

    impl Network for Full {
        type Stream = tokio::io::DuplexStream;

        async fn dial(&self, _: &Address) -> Result<Self::Stream, NetError> {
            if self.visits.fetch_add(1, Ordering::Relaxed) < self.full_for {
                return Err(NetError::Dismissed(Farewell::Busy { retry_seconds: 7 }));
            }
            Err(NetError::NotGridrace)
        }

        fn below(&self, _: u64) -> u64 {
            0
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_full_is_asked_again_when_it_says_and_not_for_ever() {
        for (full_for, visits) in [(0, 1), (3, 4), (u32::MAX, KNOCKS + 1)] {
            let network = Full { full_for, ..Full::default() };
            let before = clock::instant();
            assert!(dial(&network, "10.0.0.7").await.is_err());
            assert_eq!(network.visits.load(Ordering::Relaxed), visits);
            let waited = clock::instant() - before;
            assert!(waited >= Duration::from_secs(7) * (visits - 1), "{waited:?}");
        }
    }
}
