//! The screen, opened by several commands.

use crate::cli::args::screen::ScreenArgs;
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::SettingsFile;
#[cfg(feature = "host")]
use crate::cli::signals;
#[cfg(feature = "host")]
use crate::commands::own_server;
#[cfg(feature = "host")]
use crate::host::embedded_server;
use crate::net::Connection;
use crate::practice::kept_races::KeptRaces;
use crate::tui::effect::Exit as ScreenExit;
use crate::tui::launch::Start;
use crate::tui::own_server::{OwnServer, StartServerError};
use crate::tui::runtime;
use crate::tui::settings::Settings;
use anyhow::Context;
use futures_util::future::BoxFuture;
use std::io::{self, IsTerminal};

pub fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

pub fn require_terminal() -> Result<(), Failure> {
    if has_terminal() {
        return Ok(());
    }
    Err(Failure::other("this command needs a terminal; gridrace bot and gridrace demo need none"))
}

/// Runs the screen until the player or a signal ends it.
pub async fn run(start: Start, args: &ScreenArgs, file: &SettingsFile) -> Result<(), Failure> {
    run_on(start, None, args, file).await
}

/// Like [`run`], on a connection that is already open.
pub async fn run_on(
    start: Start,
    connection: Option<Connection>,
    args: &ScreenArgs,
    file: &SettingsFile,
) -> Result<(), Failure> {
    require_terminal()?;
    let (key, tcp) = (args.connection.key()?, args.connection.tcp()?);
    let races = KeptRaces::of_this_account();
    let image = args.display.image().map_err(Failure::other)?;
    let settings = Settings { image, ..args.settings(file) };
    let ended = runtime::run(start, settings, key, tcp, start_server, connection, races).await;
    match ended.context("the screen ended: the terminal failed")? {
        ScreenExit::Quit => Ok(()),
        ScreenExit::Interrupted => Err(Failure::interrupted()),
    }
}

/// Starts the server of the home screen's choices.
#[cfg(feature = "host")]
fn start_server(lan: bool) -> BoxFuture<'static, Result<OwnServer, StartServerError>> {
    Box::pin(async move {
        let hosted = if lan {
            own_server::start_from_environment().map_err(|failure| failure.why.to_string())
        } else {
            embedded_server::host().map_err(|error| error.to_string())
        };
        let hosted = hosted.map_err(StartServerError::Failed)?;
        let place = own_server::place(&hosted);
        let stop = Box::pin(signals::or_interrupted(hosted.stop()));
        Ok(OwnServer { place, stop })
    })
}

#[cfg(not(feature = "host"))]
fn start_server(_: bool) -> BoxFuture<'static, Result<OwnServer, StartServerError>> {
    Box::pin(std::future::ready(Err(StartServerError::NoHost)))
}
