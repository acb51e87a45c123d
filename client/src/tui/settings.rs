//! How the program shows itself and answers to keys, as the command line and the
//! environment say.

use crate::display::theme::Appearance;
use gridrace_shared::heat::player_name::PlayerName;

/// What the player chose before the program started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub appearance: Appearance,
    /// Whether a direction key says where the blank goes, not the tile.
    pub reversed: bool,
    pub name: String,
}

/// The name of a player who gave none.
const NAMELESS: &str = "player";

impl Settings {
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
        let colors = set("COLORFGBG").unwrap_or_default();
        Self {
            appearance: Appearance {
                light: matches!(colors.rsplit(';').next(), Some("7" | "15")),
                color: set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb"),
                ascii: !(locale.contains("utf-8") || locale.contains("utf8")),
            },
            reversed: false,
            name: name.unwrap_or_else(|| NAMELESS.to_owned()),
        }
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
        let color = |variables| settle(variables).appearance.color;
        assert!(color(&[("NO_COLOR", "")]));
        assert!(!color(&[("NO_COLOR", "1")]));
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
