//! What each command does, up to the screen or the tool that does it.

use crate::cli::args::host::Host;
use crate::cli::args::replay::Replay;
use crate::cli::args::screen::ScreenArgs;
use crate::cli::args::{Cli, Command};
use crate::cli::exit_code::Failure;
#[cfg(feature = "host")]
use crate::commands::{demo, host, play};
use crate::commands::{join, results, screen};
use crate::tui::launch::Start;
use anyhow::Context;
use clap::Parser;
use gridrace_shared::protocol::client::Role;

pub fn run(cli: &Cli) -> Result<(), Failure> {
    match &cli.command {
        Some(Command::Solve(args)) => crate::commands::solve::run(args),
        Some(Command::Tables(args)) => crate::commands::tables::run(args),
        Some(Command::New(args)) => crate::commands::new::run(args),
        Some(Command::Verify(args)) => crate::commands::verify::run(args),
        Some(Command::Export(args)) => crate::commands::export::run(args),
        Some(Command::Replay(args)) => replay(args),
        Some(Command::Results(args)) => block_on(results::run(args)),
        Some(Command::Bot(args)) => block_on(crate::commands::bot::run(args)),
        #[cfg(feature = "host")]
        Some(Command::Demo(args)) => block_on(demo::run(args)),
        #[cfg(feature = "host")]
        Some(Command::Play(args)) => block_on(play::run(args)),
        #[cfg(feature = "host")]
        Some(Command::Host(args)) => block_on(host::run(args)),
        #[cfg(not(feature = "host"))]
        Some(Command::Demo(_) | Command::Play(_) | Command::Host(_)) => {
            Err(crate::tui::local_server::StartServerError::NoHost.into())
        }
        Some(Command::Join(args)) => {
            let role = if args.watch { Role::Spectator } else { Role::Player };
            block_on(join::run(&args.place.read()?, role, &args.screen))
        }
        Some(Command::Watch(args)) => {
            block_on(join::run(&args.place.read()?, Role::Spectator, &args.screen))
        }
        None if screen::has_terminal() => {
            let pin = Host::from_environment().map_err(Failure::usage)?.pin;
            block_on(screen::run(Start::Home { pin }, &cli.screen))
        }
        // As if the demo had been asked for, with all its defaults.
        None => run(&Cli::parse_from(["gridrace", "demo"])),
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
fn replay(args: &Replay) -> Result<(), Failure> {
    let Some(heat) = &args.heat else {
        return crate::commands::replay::list(&args.place, args.json);
    };
    let replay = args.place.replay(heat)?;
    if args.json || !screen::has_terminal() {
        return crate::commands::replay::print(&replay, args.json);
    }
    let screen = ScreenArgs { display: args.display.clone(), ..ScreenArgs::default() };
    block_on(screen::run(Start::Replay(Box::new(replay)), &screen))
}
