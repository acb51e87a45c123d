//! Requests before a session: connecting, entering a room, single requests.

use crate::net::{self, Connection, NetError, Network};
use crate::session::backoff;
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::server::{Farewell, Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::Snapshot;
use gridrace_shared::protocol::tournament::{TournamentError, TournamentUpdate};
use gridrace_shared::util::seed::Seed;
use std::time::Duration;

/// How long to wait if the server says that clients enter too fast.
const TOO_FAST_PAUSE: Duration = Duration::from_secs(1);
/// How many times to try to enter, with another name or after a pause.
const MAX_ENTRY_ATTEMPTS: u32 = 64;
/// How often to connect again to a server that is full and says when to try.
const MAX_BUSY_RETRIES: u32 = 8;

/// The error that ends a session or a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The connection can't be made, or is lost.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The server refused the entry or the request.
    #[error("{0}")]
    Refused(Refusal),
    /// The server ended the connection.
    #[error("{0}")]
    Dismissed(Farewell),
    /// The server refused a request about a tournament.
    #[error("{0}")]
    Tournament(TournamentError),
}

/// Connects; to a server that is full and says when to try again, then.
pub(super) async fn connect<N: Network>(
    network: &N,
    address: &str,
) -> Result<Connection<N>, NetError> {
    let mut attempt = 0;
    loop {
        let error = match net::connect_over(network, address).await {
            Err(error) if error.wish().is_some() && attempt < MAX_BUSY_RETRIES => error,
            outcome => return outcome,
        };
        network.notify(format_args!("{error}; waiting"));
        let pause = backoff::pause(attempt, error.wish(), |bound| network.random_below(bound));
        tokio::time::sleep(pause).await;
        attempt += 1;
    }
}

/// Sends a request and returns what `pick` takes out of the first message it accepts.
///
/// # Errors
/// [`SessionError`] if the server refuses the request, ends the connection, or it is lost.
pub async fn request<N: Network, T>(
    connection: &mut Connection<N>,
    request: &ClientMessage,
    pick: impl Fn(ServerMessage) -> Option<T>,
) -> Result<T, SessionError> {
    connection.send(request).await?;
    loop {
        let message = connection.next().await?;
        if let ServerMessage::Refused(why) = message {
            // The proof of a key is checked apart: the server serves the client all the same.
            if why != Refusal::Unproven {
                return Err(SessionError::Refused(why));
            }
            connection.notify(format_args!("{why}; continuing without an identity"));
        } else if let ServerMessage::Goodbye(farewell) = message {
            return Err(SessionError::Dismissed(farewell));
        } else if let ServerMessage::Tournament(update) = &message
            && let TournamentUpdate::Refused(why) = **update
        {
            return Err(SessionError::Tournament(why));
        } else if let Some(answer) = pick(message) {
            return Ok(answer);
        }
    }
}

/// The answer to an entry.
#[derive(Debug)]
pub struct Joined {
    /// The name under which the client joined.
    pub name: String,
    /// The client's number in the room.
    pub you: PlayerId,
    /// The room as it is.
    pub snapshot: Snapshot,
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
    /// Join an open room.
    Join {
        /// The room's code.
        code: RoomCode,
        /// As player or spectator.
        role: Role,
        /// Its PIN, if it has one.
        pin: Option<Pin>,
    },
}

impl Entry {
    /// Joins a room without a PIN as a player.
    pub const fn join(code: RoomCode) -> Self {
        Self::Join { code, role: Role::Player, pin: None }
    }

    /// Enters as a program, under the first of these names that is free.
    ///
    /// # Errors
    /// [`SessionError`], among them the refusal if no name is free or no seat is left.
    pub async fn enter<N: Network>(
        &self,
        connection: &mut Connection<N>,
        mut names: impl FnMut() -> String,
    ) -> Result<Joined, SessionError> {
        let mut name = names();
        let mut last = Refusal::NameTaken;
        for _ in 0..MAX_ENTRY_ATTEMPTS {
            let entry = self.request(name.clone(), true);
            let joined = request(connection, &entry, |message| {
                if let ServerMessage::Joined { you, room } = message {
                    Some((you, *room))
                } else {
                    None
                }
            });
            match joined.await {
                Ok((you, snapshot)) => return Ok(Joined { name, you, snapshot }),
                Err(SessionError::Refused(why @ Refusal::NameTaken)) => {
                    (name, last) = (names(), why);
                }
                Err(SessionError::Refused(why @ Refusal::TooFast)) => {
                    tokio::time::sleep(TOO_FAST_PAUSE).await;
                    last = why;
                }
                Err(error) => return Err(error),
            }
        }
        Err(SessionError::Refused(last))
    }

    /// Returns the request; `bot` says whether a program plays.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::address::Address;
    use crate::net::clock::Clock;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A network on which every server is full for the first visits.
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

        fn random_below(&self, _: u64) -> u64 {
            0
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_server_is_asked_again_when_it_says_a_bounded_number_of_times() {
        for (full_for, visits) in [(0, 1), (3, 4), (u32::MAX, MAX_BUSY_RETRIES + 1)] {
            let network = Full { full_for, ..Full::default() };
            let before = Clock::instant();
            assert!(connect(&network, "10.0.0.7").await.is_err());
            assert_eq!(network.visits.load(Ordering::Relaxed), visits);
            let waited = Clock::instant() - before;
            assert!(waited >= Duration::from_secs(7) * (visits - 1), "{waited:?}");
        }
    }
}
