//! A tournament that a command follows.

use crate::cli::args::connection::ConnectionArgs;
use crate::cli::exit_code::Failure;
use crate::net::Tcp;
use crate::session::{SessionError, TournamentEvent, TournamentSession};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::tournament::ids::TournamentName;

/// Follows a tournament without a screen.
pub(super) async fn follow(
    connection: &ConnectionArgs,
    (name, address): (TournamentName, String),
    pin: Option<Pin>,
    key: Option<Key>,
) -> Result<TournamentSession, Failure> {
    let tcp: Tcp = connection.tcp()?;
    let key = key.map(|key| (key, false));
    let session = TournamentSession::follow(&tcp, &address, name, pin, key).await;
    session.map_err(|error| Failure::of_session(&address, error))
}

/// Waits until the whole log is loaded.
pub(super) async fn load(session: &mut TournamentSession) -> Result<(), SessionError> {
    session.load_pages();
    while !session.view().is_loaded() {
        match session.next().await? {
            TournamentEvent::View(_)
            | TournamentEvent::Resumed
            | TournamentEvent::Joined
            | TournamentEvent::Refused(_) => {}
        }
    }
    Ok(())
}

/// Returns the player's key, which commands and entries need.
pub(super) fn needed_key(connection: &ConnectionArgs) -> Result<Key, Failure> {
    connection.key()?.ok_or_else(|| {
        Failure::other(
            "a tournament knows you by your key, and --identity or GRIDRACE_KEY says to use none",
        )
    })
}
