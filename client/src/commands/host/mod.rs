//! `gridrace host`.

#[cfg(feature = "host")]
mod serve;

use crate::cli::args::host::HostArgs;
use crate::cli::args::place::server;
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::SettingsFile;
use crate::commands::screen;
use crate::net;
use crate::tui::launch::Start;

/// Opens a room for the network, or one on another server.
pub async fn run(args: &HostArgs, file: &SettingsFile) -> Result<(), Failure> {
    args.options().check().map_err(Failure::usage)?;
    if args.tournament.is_none() && args.schedule.is_given() {
        return Err(Failure::usage(
            "--check-in, --pause, --break and --max-entrants are of a tournament: give --tournament PLAN",
        ));
    }
    if let Some(address) = &args.on {
        let address = server(address, &file.servers).map_err(Failure::usage)?;
        return open_on(args, &address.to_string(), file).await;
    }
    #[cfg(feature = "host")]
    return serve::run(args, file).await;
    #[cfg(not(feature = "host"))]
    Err(crate::tui::own_server::StartServerError::NoHost.into())
}

/// Opens a room on another server. Connects before the screen opens, so that the exit code can
/// tell whether there is a server.
async fn open_on(args: &HostArgs, address: &str, file: &SettingsFile) -> Result<(), Failure> {
    let room = Box::new(args.room().map_err(Failure::usage)?);
    let connection = net::connect_aloud(&args.screen.connection.tcp()?, address).await;
    let connection = connection.map_err(|error| Failure::at(address, error))?;
    let start = Start::Open { address: address.to_owned(), room, pin: args.pin.clone() };
    screen::run_on(start, Some(connection), &args.screen, file).await
}
