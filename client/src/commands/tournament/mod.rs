//! `gridrace tournament`.

mod bots;
mod documents;
mod enter;
mod export;
mod following;
#[cfg(feature = "host")]
pub(super) mod host;
mod list;
mod organise;
mod past;
mod show;
mod verify;

pub(super) use bots::run as run_bots;
pub use organise::new_tournament;

use crate::cli::args::tournament::{Tournament, TournamentCommand};
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::SettingsFile;
use crate::cli::signals;

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
