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

use crate::cli::args::tournament::{TournamentArgs, TournamentSubcommand};
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::SettingsFile;
use crate::cli::signals;

pub async fn run(args: &TournamentArgs, file: &SettingsFile) -> Result<(), Failure> {
    let work = async {
        match &args.command {
            TournamentSubcommand::New(args) => organise::open(args, file).await,
            TournamentSubcommand::List(args) => list::run(args, file).await,
            TournamentSubcommand::Show(args) => show::run(args, file).await,
            TournamentSubcommand::Enter(args) => enter::enter(args, file).await,
            TournamentSubcommand::Watch(args) => enter::watch(args, file).await,
            TournamentSubcommand::Command(args) => organise::command(args, file).await,
            TournamentSubcommand::Export(args) => export::run(args, file).await,
            TournamentSubcommand::Verify(args) => verify::run(args),
        }
    };
    tokio::select! {
        outcome = work => outcome,
        interrupted = signals::asked() => Err(interrupted),
    }
}
