//! The screen, opened by several commands.

use crate::cli::args::Cli;
use crate::cli::exit_code::{Exit, Failure};
use crate::cli::identity_file;
use crate::net::Connection;
use crate::tui::effect::Exit as ScreenExit;
use crate::tui::launch::Start;
use crate::tui::local_server::StartServer;
use crate::tui::runtime;
use anyhow::Context;
use std::io::{self, IsTerminal};

/// Starts the server of the home screen's choices.
#[cfg(feature = "host")]
const START_SERVER: StartServer = crate::commands::host::start_for_screen;
#[cfg(not(feature = "host"))]
const START_SERVER: StartServer = crate::tui::local_server::no_host;

/// Returns whether input and output are a terminal.
pub fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Returns an error where there is no terminal.
pub fn require_terminal() -> Result<(), Failure> {
    if has_terminal() {
        return Ok(());
    }
    let why = "playing needs a terminal; gridrace bot and gridrace demo need none";
    Err(Failure::said(Exit::Failure, why))
}

/// Runs the screen until the player ends it.
///
/// # Errors
/// [`Failure`] where there is no terminal, the key can't be read, the terminal fails, or a signal
/// ended the screen.
pub async fn run(start: Start, cli: &Cli) -> Result<(), Failure> {
    run_on(start, None, cli).await
}

/// Like [`run`], on a connection that is already open.
///
/// # Errors
/// As [`run`].
pub async fn run_on(
    start: Start,
    connection: Option<Connection>,
    cli: &Cli,
) -> Result<(), Failure> {
    require_terminal()?;
    let key = identity_file::of_this_machine()
        .map_err(|why| Failure::said(Exit::Failure, why.to_string()))?;
    let tcp = cli.trust.tcp()?;
    let ended =
        runtime::run(start, cli.display.settings(), key, tcp, START_SERVER, connection).await;
    match ended.context("the screen ended")? {
        ScreenExit::Quit => Ok(()),
        ScreenExit::Interrupted | ScreenExit::Terminated => {
            Err(Failure::said(Exit::Interrupted, "interrupted"))
        }
    }
}
