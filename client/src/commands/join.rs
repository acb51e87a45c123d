//! `gridrace join` and `gridrace watch`.

use crate::cli::args::place::RoomPlace;
use crate::cli::args::screen::ScreenArgs;
use crate::cli::exit_code::Failure;
use crate::cli::settings_file::SettingsFile;
use crate::commands::find_server::{self, FoundServer, ServerSearchResult};
use crate::commands::screen;
use crate::net::{self, Tcp, nearby};
use crate::tui::launch::Start;
use gridrace_shared::protocol::client::Role;

/// Joins a room, as a player or to watch. Connects before the screen opens, so that the
/// exit code can tell whether there is a server.
pub async fn run(
    place: &RoomPlace,
    role: Role,
    big_screen: bool,
    screen: &ScreenArgs,
    file: &SettingsFile,
) -> Result<(), Failure> {
    let tcp: Tcp = screen.connection.tcp()?;
    let FoundServer { address, connection } =
        match find_server::find(place, &tcp, !screen.discovery.no_mdns).await? {
            ServerSearchResult::Server(found) => found,
            ServerSearchResult::Several(servers) => {
                let start = Start::Nearby { entries: nearby::entries(&servers), role };
                return screen::run(start, screen, file).await;
            }
        };
    let connection = match connection {
        Some(connection) => *connection,
        None => net::connect_aloud(&tcp, &address)
            .await
            .map_err(|error| Failure::at(&address, error))?,
    };
    let (code, pin) = (place.code, place.pin.clone());
    let start = Start::Join { address, code, role, pin, big_screen };
    screen::run_on(start, Some(connection), screen, file).await
}
