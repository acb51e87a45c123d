//! How the program shows itself: options of every command that has a screen.

use crate::tui::settings::{Choices, Settings, ThemeChoice};
use gridrace_shared::heat::player_name::PlayerName;
use std::time::Duration;
use terminal_colorsaurus::{QueryOptions, ThemeMode, theme_mode};

/// The time a terminal has to answer: enough for a slow remote shell. One that doesn't know the
/// question answers at once.
const BACKGROUND_TIMEOUT: Duration = Duration::from_millis(500);

/// How the program shows itself, and under which name one plays.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Display and keys")]
pub struct Display {
    /// Draw with ASCII characters only
    #[arg(long, global = true, env = "GRIDRACE_ASCII")]
    ascii: bool,
    /// Choose the colours for a light or a dark background
    #[arg(long, global = true, value_enum, default_value_t, env = "GRIDRACE_THEME")]
    theme: ThemeChoice,
    /// Draw without colours; so does a NO_COLOR in the environment
    #[arg(long, global = true)]
    no_color: bool,
    /// Let direction keys say where the blank goes, instead of the tile
    #[arg(long, global = true, env = "GRIDRACE_REVERSE_KEYS")]
    reverse_keys: bool,
    /// Play under this name [default: your login name]
    #[arg(long, global = true, env = "GRIDRACE_NAME")]
    name: Option<PlayerName>,
}

impl Display {
    /// Settles what the command line leaves open by the environment.
    pub fn settings(&self) -> Settings {
        let choices = Choices {
            theme: self.theme,
            light_background: self.ask_background(),
            ascii: self.ascii,
            reversed: self.reverse_keys,
            name: self.name.as_ref().map(ToString::to_string),
        };
        Settings::new(&choices, |variable| match variable {
            "NO_COLOR" if self.no_color => Some("1".to_owned()),
            _ => std::env::var(variable).ok(),
        })
    }

    /// Asks the terminal whether its background is light, if the colours depend on it.
    fn ask_background(&self) -> Option<bool> {
        let is_set = |variable| std::env::var_os(variable).is_some_and(|value| !value.is_empty());
        if self.theme != ThemeChoice::Auto || self.no_color || is_set("NO_COLOR") {
            return None;
        }
        let mut options = QueryOptions::default();
        options.timeout = BACKGROUND_TIMEOUT;
        let mode = theme_mode(options).ok()?;
        Some(mode == ThemeMode::Light)
    }

    /// Returns the name given on the command line, where there is one.
    pub fn name(&self) -> Option<&PlayerName> {
        self.name.as_ref()
    }
}
