//! Settings of the display and the keys, from the command line, the environment and the settings
//! file.

use crate::display::graphics::GraphicsChoice;
use crate::display::own_image::OwnImage;
use crate::display::theme::{Appearance, Colors, TileScheme};
use crate::net::address::ServerNames;
use crate::tui::keymap::Keymap;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::puzzle::{HintStyle, PuzzleSpec};

/// What the player chose before the program started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub appearance: Appearance,
    /// Whether a direction key says where the blank goes, not the tile.
    pub reversed: bool,
    /// The style of hints that the player asks for, where the host leaves it to the players.
    pub hint_style: HintStyle,
    /// Whether tiles are seen to slide.
    pub animation: bool,
    /// Whether the board flashes when it is solved.
    pub flash: bool,
    /// Whether the terminal's bell rings when it is solved.
    pub bell: bool,
    /// What the tiles show to this player in heats with a picture.
    pub image: Option<OwnImage>,
    /// What tiles with a picture are drawn with.
    pub graphics: GraphicsChoice,
    pub name: String,
    /// The puzzle that the home screen offers first.
    pub puzzle: Option<PuzzleSpec>,
    /// The keys that the player has bound.
    pub keys: Keymap,
    /// The player's own names of servers.
    pub servers: ServerNames,
    /// Whether the home screen looks for rooms on the local network.
    pub mdns: bool,
}

/// The name of a player who gave none.
const NAMELESS: &str = "player";

impl Settings {
    /// Returns what pictures are drawn with: half blocks where none are shown.
    pub fn graphics_choice(&self) -> GraphicsChoice {
        let Appearance { colors, ascii, .. } = self.appearance;
        if colors < Colors::Indexed || ascii { GraphicsChoice::Blocks } else { self.graphics }
    }

    /// Reads what the variables of the environment say; the command line may say otherwise.
    #[must_use]
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
        let locale = locale.unwrap_or_default().to_ascii_lowercase();
        let name = set("USER").or_else(|| set("USERNAME"));
        let name = name.filter(|name| name.parse::<PlayerName>().is_ok());
        // `COLORFGBG` is `15;0` or `0;default;15`: the last part is the background, and only
        // white and light grey are light.
        let ground = set("COLORFGBG").unwrap_or_default();
        Self {
            appearance: Appearance {
                light: matches!(ground.rsplit(';').next(), Some("7" | "15")),
                colors: colors_of(set),
                ascii: !(locale.contains("utf-8") || locale.contains("utf8")),
                tiles: TileScheme::default(),
            },
            reversed: false,
            hint_style: HintStyle::default(),
            animation: true,
            flash: true,
            bell: true,
            image: None,
            graphics: GraphicsChoice::default(),
            name: name.unwrap_or_else(|| NAMELESS.to_owned()),
            puzzle: None,
            keys: Keymap::default(),
            servers: ServerNames::default(),
            mdns: true,
        }
    }
}

/// Returns the colours that the terminal has, as its name says and `COLORTERM`, which ssh loses.
fn colors_of(set: impl Fn(&str) -> Option<String>) -> Colors {
    /// Terminals with true colours whose names don't say so.
    const WITH_TRUE_COLORS: [&str; 6] =
        ["alacritty", "foot", "ghostty", "kitty", "wezterm", "iterm"];
    let term = set("TERM").unwrap_or_default();
    if set("NO_COLOR").is_some() || term == "dumb" {
        return Colors::None;
    }
    let is_claimed = set("COLORTERM").is_some_and(|it| it == "truecolor" || it == "24bit");
    // GNU screen hands the variable down from the terminal around it, and misreads true colours.
    let is_screen = term.starts_with("screen") && set("TMUX").is_none();
    let is_known = WITH_TRUE_COLORS.iter().any(|name| term.contains(name));
    if (is_claimed && !is_screen)
        || is_known
        || term.contains("direct")
        || set("WT_SESSION").is_some()
    {
        Colors::True
    } else if term.contains("256") || is_claimed {
        Colors::Indexed
    } else {
        Colors::Named
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settle(variables: &[(&str, &str)]) -> Settings {
        Settings::from_environment(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_locale_without_utf_8_draws_ascii() {
        let ascii = |variables| settle(variables).appearance.ascii;
        assert!(!ascii(&[("LANG", "en_GB.UTF-8")]));
        assert!(!ascii(&[("LC_ALL", "C.utf8"), ("LANG", "C")]));
        assert!(ascii(&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")]));
        assert!(ascii(&[]));
    }

    #[test]
    fn no_color_counts_only_when_it_says_something() {
        let colors = |variables| settle(variables).appearance.colors;
        assert_ne!(colors(&[("NO_COLOR", "")]), Colors::None);
        assert_eq!(colors(&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]), Colors::None);
    }

    #[test]
    fn colours_are_as_many_as_the_terminal_has() {
        let truecolor = ("COLORTERM", "truecolor");
        for (variables, expected) in [
            (&[("TERM", "dumb")][..], Colors::None),
            (&[("TERM", "linux")], Colors::Named),
            (&[("TERM", "xterm")], Colors::Named),
            (&[("TERM", "xterm-256color")], Colors::Indexed),
            (&[("TERM", "xterm-256color"), truecolor], Colors::True),
            (&[("TERM", "xterm-kitty")], Colors::True),
            (&[("TERM", "xterm-direct")], Colors::True),
            (&[("TERM", "screen-256color"), truecolor], Colors::Indexed),
            (&[("TERM", "screen-256color"), truecolor, ("TMUX", "/tmp/s")], Colors::True),
            (&[("WT_SESSION", "1")], Colors::True),
        ] {
            assert_eq!(settle(variables).appearance.colors, expected, "{variables:?}");
        }
    }

    #[test]
    fn the_background_is_the_last_part_of_colorfgbg() {
        let light = |value| settle(&[("COLORFGBG", value)]).appearance.light;
        assert!(light("0;default;15"));
        assert!(!light("15;0"));
    }

    #[test]
    fn a_login_name_that_is_no_name_is_not_taken() {
        let name = |value| settle(&[("USER", value)]).name;
        assert_eq!(name("anna"), "anna");
        assert_eq!(name("\u{1b}[2J"), "player");
        assert_eq!(name(""), "player");
    }
}
