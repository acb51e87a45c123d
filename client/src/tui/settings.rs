//! How the program shows itself and answers to keys, as the command line and the
//! environment say.

use crate::display::theme::Appearance;

/// What the player chose before the program started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// What the theme is chosen by.
    pub appearance: Appearance,
    /// Whether a direction key says where the blank goes, not the tile.
    pub reversed: bool,
    /// The name under which the player joins.
    pub name: String,
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

/// What the command line says; the environment decides the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices {
    /// The theme.
    pub theme: ThemeChoice,
    /// Whether the terminal said that its background is light; nothing if it wasn't asked or
    /// didn't answer.
    pub light_background: Option<bool>,
    /// Draw only ASCII, whatever the locale.
    pub ascii: bool,
    /// Direction keys move the blank.
    pub reversed: bool,
    /// The player's name; the login name otherwise.
    pub name: Option<String>,
}

/// The name of somebody who gave none.
const NAMELESS: &str = "player";

impl Settings {
    /// Settles what the command line leaves open by the variables of the environment.
    #[must_use]
    pub fn new(choices: &Choices, variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
        let name = choices.name.clone().or_else(|| set("USER")).or_else(|| set("USERNAME"));
        Self {
            appearance: Appearance {
                light: match choices.theme {
                    ThemeChoice::Light => true,
                    ThemeChoice::Dark => false,
                    ThemeChoice::Auto => choices
                        .light_background
                        .unwrap_or_else(|| set("COLORFGBG").is_some_and(|value| is_light(&value))),
                },
                color: set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb"),
                ascii: choices.ascii || !locale.is_some_and(|locale| is_utf8(&locale)),
            },
            reversed: choices.reversed,
            name: name.filter(|name| is_name(name)).unwrap_or_else(|| NAMELESS.to_owned()),
        }
    }
}

/// `COLORFGBG` is `15;0` or `0;default;15`: the last part is the background, and only
/// white and light grey are light.
fn is_light(colorfgbg: &str) -> bool {
    matches!(colorfgbg.rsplit(';').next(), Some("7" | "15"))
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

fn is_name(text: &str) -> bool {
    text.parse::<gridrace_shared::heat::player_name::PlayerName>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settle(choices: &Choices, variables: &[(&str, &str)]) -> Settings {
        Settings::new(choices, |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_locale_without_utf_8_draws_ascii() {
        let ascii = |variables| settle(&Choices::default(), variables).appearance.ascii;
        assert!(!ascii(&[("LANG", "en_GB.UTF-8")]));
        assert!(!ascii(&[("LC_ALL", "C.utf8"), ("LANG", "C")]));
        assert!(ascii(&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")]));
        assert!(ascii(&[]));
    }

    #[test]
    fn no_color_counts_only_when_it_says_something() {
        let color = |variables| settle(&Choices::default(), variables).appearance.color;
        assert!(color(&[("NO_COLOR", "")]));
        assert!(!color(&[("NO_COLOR", "1")]));
    }

    #[test]
    fn the_background_is_the_last_part_of_colorfgbg() {
        let light = |value| settle(&Choices::default(), &[("COLORFGBG", value)]).appearance.light;
        assert!(light("0;default;15"));
        assert!(!light("15;0"));
        let asked = Choices { light_background: Some(false), ..Choices::default() };
        assert!(!settle(&asked, &[("COLORFGBG", "0;15")]).appearance.light);
        let dark = Choices { theme: ThemeChoice::Dark, ..Choices::default() };
        assert!(!settle(&dark, &[("COLORFGBG", "0;15")]).appearance.light);
    }

    #[test]
    fn a_login_name_that_is_no_name_is_not_taken() {
        let name = |value| settle(&Choices::default(), &[("USER", value)]).name;
        assert_eq!(name("anna"), "anna");
        assert_eq!(name("\u{1b}[2J"), "player");
        assert_eq!(name(""), "player");
    }
}
