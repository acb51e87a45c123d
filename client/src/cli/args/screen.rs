//! Options of every command that races on the screen.

use super::SHARED_OPTIONS;
use super::connection::Connection;
use super::display::Display;
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
    pub display: Display,
    /// How servers are met.
    #[command(flatten)]
    pub connection: Connection,
}

impl ScreenArgs {
    /// Settles what is left open by the environment and the terminal.
    pub fn settings(&self) -> Settings {
        let mut settings = self.display.settings();
        if let Some(name) = &self.name {
            settings.name = name.to_string();
        }
        settings
    }
}
