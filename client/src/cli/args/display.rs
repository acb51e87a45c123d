//! Options of the display, for every command that has a screen.

use super::headings::SHARED_OPTIONS;
use crate::display::graphics::GraphicsChoice;
use crate::display::own_image::{OwnImage, OwnImageError};
use crate::display::theme::{Colors, TileScheme};
use crate::tui::settings::Settings;
use clap::ArgAction;
use clap::builder::BoolishValueParser;
use gridrace_shared::puzzle::HintStyle;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use terminal_colorsaurus::{QueryOptions, ThemeMode, theme_mode};

/// The time a terminal has to answer: enough for a slow remote shell. One that doesn't know the
/// question answers at once.
const BACKGROUND_TIMEOUT: Duration = Duration::from_millis(500);

/// How the program shows itself.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = SHARED_OPTIONS)]
pub struct DisplayArgs {
    /// Draw with ASCII characters only [default: where the locale isn't UTF-8]
    #[arg(long, env = "GRIDRACE_ASCII", value_name = SWITCH, value_parser = switch(),
          num_args = 0..=1, require_equals = true, default_missing_value = "true",
          hide_possible_values = true, hide_short_help = true)]
    ascii: Option<bool>,
    /// Choose the colours for a light or a dark background
    #[arg(long, value_enum, default_value_t, env = "GRIDRACE_THEME", hide_short_help = true)]
    theme: ThemeChoice,
    /// Draw without colours; so does a NO_COLOR in the environment
    #[arg(long, env = "GRIDRACE_NO_COLOR", value_name = SWITCH, value_parser = switch(),
          action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", default_value = "false",
          hide_possible_values = true, hide_short_help = true)]
    no_color: bool,
    /// Draw with this many colours
    #[arg(long, value_enum, default_value_t, env = "GRIDRACE_COLORS", hide_short_help = true)]
    colors: ColorChoice,
    /// Colour the tiles of the sliding puzzle by where they belong
    #[arg(long, value_enum, default_value_t, env = "GRIDRACE_TILES", hide_short_help = true)]
    tiles: TileScheme,
    /// Show the middle of this PNG, JPEG, WebP or GIF on tiles that have a picture, to you alone;
    /// with play, they have one; "" for none
    #[arg(long, env = "GRIDRACE_IMAGE", value_name = "FILE", hide_short_help = true)]
    image: Option<OsString>,
    /// Draw the picture on tiles with the terminal's graphics, or with half blocks
    #[arg(long, value_enum, default_value_t, env = "GRIDRACE_GRAPHICS", hide_short_help = true)]
    graphics: GraphicsChoice,
    /// Show how tiles slide
    #[arg(long, env = "GRIDRACE_ANIMATION", value_name = SWITCH, value_parser = switch(),
          action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", default_value = "true",
          hide_possible_values = true, hide_short_help = true)]
    animation: bool,
    /// Flash the board when it is solved
    #[arg(long, env = "GRIDRACE_FLASH", value_name = SWITCH, value_parser = switch(),
          action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", default_value = "true",
          hide_possible_values = true, hide_short_help = true)]
    flash: bool,
    /// Ring the terminal's bell when the board is solved
    #[arg(long, env = "GRIDRACE_BELL", value_name = SWITCH, value_parser = switch(),
          action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", default_value = "true",
          hide_possible_values = true, hide_short_help = true)]
    bell: bool,
    /// Ask for hints of this style: shortest, the solver's way; method, the next step of the way in
    /// which a person solves any board
    #[arg(long, default_value_t, env = "GRIDRACE_HINT_STYLE", hide_short_help = true)]
    hint_style: HintStyle,
    /// Let direction keys say where the blank goes, instead of the tile
    #[arg(long, env = "GRIDRACE_REVERSE_KEYS", value_name = SWITCH, value_parser = switch(),
          action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_missing_value = "true", default_value = "false",
          hide_possible_values = true, hide_short_help = true)]
    reverse_keys: bool,
}

/// The value of an option that is on or off; the option alone is on.
const SWITCH: &str = "true|false";

fn switch() -> BoolishValueParser {
    BoolishValueParser::new()
}

/// Which background the colours are made for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ThemeChoice {
    /// As the terminal or `COLORFGBG` says, else dark.
    #[default]
    Auto,
    /// Dark letters on a light background.
    Light,
    /// Light letters on a dark background.
    Dark,
}

/// How many colours are drawn with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// As many as the terminal has, by `COLORTERM` and `TERM`
    #[default]
    Auto,
    None,
    #[value(name = "16")]
    Named,
    #[value(name = "256")]
    Indexed,
    /// All of them, 24 bits
    True,
}

impl DisplayArgs {
    /// Settles what the command line leaves open by the environment.
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::from_environment(|variable| match variable {
            "NO_COLOR" if self.no_color => Some("1".to_owned()),
            _ => std::env::var(variable).ok(),
        });
        let appearance = &mut settings.appearance;
        appearance.colors = self.colors.or(appearance.colors);
        appearance.tiles = self.tiles;
        let answer = self.ask_background(appearance.colors);
        appearance.light = self.theme.is_light(answer, appearance.light);
        if let Some(ascii) = self.ascii {
            appearance.ascii = ascii;
        }
        settings.graphics = self.graphics;
        settings.hint_style = self.hint_style;
        settings.reversed = self.reverse_keys;
        settings.animation = self.animation;
        settings.flash = self.flash;
        settings.bell = self.bell;
        settings
    }

    /// Reads the player's own image, if there is one.
    pub fn image(&self) -> Result<Option<OwnImage>, OwnImageError> {
        self.image_file().map(OwnImage::read).transpose()
    }

    /// Returns the file of the player's own image, if there is one.
    pub fn image_file(&self) -> Option<&Path> {
        self.image.as_deref().filter(|file| !file.is_empty()).map(Path::new)
    }

    /// Asks the terminal whether its background is light, if the colours depend on it.
    fn ask_background(&self, colors: Colors) -> Option<bool> {
        if self.theme != ThemeChoice::Auto || colors == Colors::None {
            return None;
        }
        let mut options = QueryOptions::default();
        options.timeout = BACKGROUND_TIMEOUT;
        let mode = theme_mode(options).ok()?;
        Some(mode == ThemeMode::Light)
    }
}

impl ColorChoice {
    /// Returns what was chosen, or else what the environment says.
    const fn or(self, from_environment: Colors) -> Colors {
        match self {
            Self::Auto => from_environment,
            Self::None => Colors::None,
            Self::Named => Colors::Named,
            Self::Indexed => Colors::Indexed,
            Self::True => Colors::True,
        }
    }
}

impl ThemeChoice {
    /// Says whether the background is light, by the terminal's answer or else the environment.
    fn is_light(self, answer: Option<bool>, from_environment: bool) -> bool {
        match self {
            Self::Light => true,
            Self::Dark => false,
            Self::Auto => answer.unwrap_or(from_environment),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_comes_before_the_terminal_s_answer_and_that_before_the_environment() {
        assert!(!ThemeChoice::Dark.is_light(Some(true), true));
        assert!(!ThemeChoice::Auto.is_light(Some(false), true));
        assert!(ThemeChoice::Auto.is_light(None, true));
    }
}
