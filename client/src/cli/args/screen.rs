//! Options of every command that races on the screen.

use super::connection::ConnectionArgs;
use super::discovery::DiscoveryArgs;
use super::display::DisplayArgs;
use super::headings::SHARED_OPTIONS;
use crate::cli::settings_file::SettingsFile;
use crate::tui::settings::Settings;
use gridrace_shared::heat::player_name::PlayerName;

/// The player's name, how the program shows itself, and how it meets servers.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = SHARED_OPTIONS)]
pub struct ScreenArgs {
    /// Play under this name [default: your login name]
    #[arg(long, env = "GRIDRACE_NAME")]
    pub name: Option<PlayerName>,
    /// How the program shows itself.
    #[command(flatten)]
    pub display: DisplayArgs,
    #[command(flatten)]
    pub connection: ConnectionArgs,
    #[command(flatten)]
    pub discovery: DiscoveryArgs,
}

impl ScreenArgs {
    /// Returns what the player chose; what is left open is as the environment and the terminal
    /// say.
    pub fn settings(&self, file: &SettingsFile) -> Settings {
        let settings = self.display.settings();
        let name = self.name.as_ref().map_or(settings.name, ToString::to_string);
        let (keys, servers) = (file.keys.clone(), file.servers.clone());
        let mdns = !self.discovery.no_mdns;
        Settings { name, puzzle: file.puzzle(), keys, servers, mdns, ..settings }
    }
}
