//! `gridrace tournament`.

mod bots;
mod documents;
mod enter;
mod export;
#[cfg(feature = "host")]
pub(super) mod host;
mod list;
mod organise;
mod show;
mod verify;

pub(super) use bots::run as run_bots;
pub use organise::new_tournament;

use crate::cli::args::connection::Connection;
use crate::cli::args::tournament::{Tournament, TournamentCommand};
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::SettingsFile;
use crate::cli::signals;
use crate::net::Tcp;
use crate::session::{SessionError, TournamentEvent, TournamentSession};
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::tournament::ids::TournamentName;

/// Carries out the command.
pub async fn run(args: &Tournament, file: &SettingsFile) -> Result<(), Failure> {
    let work = async {
        match &args.command {
            TournamentCommand::New(args) => organise::open(args, file).await,
            TournamentCommand::List(args) => list::run(args, file).await,
            TournamentCommand::Show(args) => show::run(args, file).await,
            TournamentCommand::Enter(args) => enter::enter(args, file).await,
            TournamentCommand::Watch(args) => enter::watch(args, file).await,
            TournamentCommand::Command(args) => organise::command(args, file).await,
            TournamentCommand::Export(args) => export::run(args, file).await,
            TournamentCommand::Verify(args) => verify::run(args),
        }
    };
    tokio::select! {
        outcome = work => outcome,
        interrupted = signals::asked() => Err(interrupted),
    }
}

/// Follows a tournament without a screen.
async fn follow(
    connection: &Connection,
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
async fn load(session: &mut TournamentSession) -> Result<(), SessionError> {
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
fn needed_key(connection: &Connection) -> Result<Key, Failure> {
    connection.key()?.ok_or_else(|| {
        Failure::other(
            "a tournament knows you by your key, and --identity or GRIDRACE_KEY says to use none",
        )
    })
}
