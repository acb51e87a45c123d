//! `gridrace join` and `gridrace watch`.

use crate::cli::args::place::Place;
use crate::cli::args::screen::ScreenArgs;
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::SettingsFile;
use crate::commands::screen;
use crate::net::{self, Tcp};
use crate::tui::launch::Start;
use gridrace_shared::protocol::client::Role;

/// Joins a heat, as a player or to watch. Connects before the screen opens, so that the
/// exit code can tell whether there is a server.
pub async fn run(
    place: &Place,
    role: Role,
    big_screen: bool,
    screen: &ScreenArgs,
    file: &SettingsFile,
) -> Result<(), Failure> {
    let address = place.address();
    let tcp: Tcp = screen.connection.tcp()?;
    let connection = net::connect_aloud(&tcp, &address).await;
    let connection = connection.map_err(|error| Failure::at(&address, error))?;
    let (code, pin) = (place.code, place.pin.clone());
    let start = Start::Join { address, code, role, pin, big_screen };
    screen::run_on(start, Some(connection), screen, file).await
}
