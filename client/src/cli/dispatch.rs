//! Dispatch: runs the command that the command line names.

use crate::cli::args::Command;
use crate::cli::args::host::HostArgs;
use crate::cli::args::replay::ReplayArgs;
use crate::cli::args::screen::ScreenArgs;
use crate::cli::command_line::CommandLine;
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::SettingsFile;
use crate::commands::replay::{NotADataFolder, ReplaySource};
#[cfg(feature = "host")]
use crate::commands::{demo, play};
use crate::commands::{host, join, results, screen};
use crate::tui::launch::Start;
use anyhow::Context;
use gridrace_shared::protocol::client::Role;
use std::ffi::OsString;

pub fn run(line: &CommandLine) -> Result<(), Failure> {
    let (cli, file) = (&line.cli, &line.file);
    match &cli.command {
        Some(Command::Solve(args)) => crate::commands::solve::run(args),
        Some(Command::Check(args)) => crate::commands::check::run(args),
        Some(Command::Tables(args)) => crate::commands::tables::run(args),
        Some(Command::New(args)) => crate::commands::new::run(args),
        Some(Command::Verify(args)) => block_on(crate::commands::verify::run(args, &file.servers)),
        Some(Command::Export(args)) => block_on(crate::commands::export::run(args, &file.servers)),
        Some(Command::Stats(args)) => crate::commands::stats::run(args),
        Some(Command::Config(args)) => crate::commands::config::run(args, line),
        Some(Command::Replay(args)) => block_on(replay(args, file)),
        Some(Command::Results(args)) => block_on(results::run(args, &file.servers)),
        Some(Command::Bot(args)) => block_on(crate::commands::bot::run(args, &file.servers)),
        Some(Command::Tournament(args)) => block_on(crate::commands::tournament::run(args, file)),
        #[cfg(feature = "host")]
        Some(Command::Demo(args)) => block_on(demo::run(args)),
        #[cfg(feature = "host")]
        Some(Command::Play(args)) => block_on(play::run(args, file)),
        #[cfg(feature = "host")]
        Some(Command::Tutorial(args)) => block_on(screen::run(Start::Tutorial, &args.screen, file)),
        Some(Command::Host(args)) => block_on(host::run(args, file)),
        #[cfg(not(feature = "host"))]
        Some(Command::Demo(_) | Command::Play(_) | Command::Tutorial(_)) => {
            Err(crate::tui::own_server::StartServerError::NoHost.into())
        }
        Some(Command::Join(args)) => {
            let role = if args.watch { Role::Spectator } else { Role::Player };
            block_on(join::run(&args.place.read(&file.servers)?, role, false, &args.screen, file))
        }
        Some(Command::Watch(args)) => {
            let place = args.place.read(&file.servers)?;
            block_on(join::run(&place, Role::Spectator, args.big, &args.screen, file))
        }
        None if screen::has_terminal() => {
            let pin = HostArgs::from_environment().map_err(Failure::usage)?.pin;
            block_on(screen::run(Start::Home { pin }, &cli.screen, file))
        }
        // As if the demo had been asked for, with all its defaults.
        None => {
            let words = ["gridrace", "demo"].map(OsString::from);
            run(&CommandLine::parse(words, Ok(file.clone())).map_err(Failure::usage)?)
        }
    }
}

fn block_on(command: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("can't start")?;
    let outcome = runtime.block_on(command);
    // A deep look of a bot, or a read of the terminal, may still be on its way.
    runtime.shutdown_background();
    outcome
}

/// Plays a replay, or prints its events if asked to or without a terminal.
async fn replay(args: &ReplayArgs, file: &SettingsFile) -> Result<(), Failure> {
    let heat = match &args.heat {
        Some(name) if args.list => {
            let error = NotADataFolder { option: "--list", name: name.clone() };
            return Err(Failure::usage(error));
        }
        Some(heat) => heat,
        None => return crate::commands::replay::list(&args.place, args.json),
    };
    let (connection, servers) = (&args.connection, &file.servers);
    let replay = ReplaySource { data_dir: &args.place, connection, servers }.replay(heat).await?;
    if args.json || !screen::has_terminal() {
        return crate::commands::replay::print(&replay, args.json);
    }
    let (display, connection) = (args.display.clone(), connection.clone());
    let screen = ScreenArgs { display, connection, ..ScreenArgs::default() };
    screen::run(Start::Replay(Box::new(replay)), &screen, file).await
}
