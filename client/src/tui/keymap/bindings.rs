//! Actions and their keys, which the player may change.
//!
//! The program knows each action by its first default key. A [`Keymap`] translates the player's
//! keys into those as they come in, and back where a screen shows them.

use crate::families::input::ARROWS;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The screens that have keys of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Home,
    /// A server's rooms, and lists that lie over a screen.
    Lists,
    Race,
    Lobby,
    Watch,
    Results,
    Replay,
    Stats,
    HostMenu,
    Questions,
    Tournament,
}

/// Something that a key does on a screen, and its default keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Action {
    pub name: &'static str,
    /// With spaces between; the program knows the action by the first.
    keys: &'static str,
}

const fn action(name: &'static str, keys: &'static str) -> Action {
    Action { name, keys }
}

const HOME: &[Action] = &[
    action("play", "p"),
    action("learn", "l"),
    action("host", "h"),
    action("join", "j"),
    action("watch", "w"),
    action("tournament", "t"),
    action("stats", "s"),
    action("leave", "q"),
];

const LISTS: &[Action] = &[
    action("watch", "w"),
    action("host", "h"),
    action("enter", "e"),
    action("open", "o"),
    action("up", "k"),
    action("down", "j"),
    action("leave", "q"),
];

const RACE: &[Action] = &[
    action("left", "left a h"),
    action("right", "right d l"),
    action("up", "up w k"),
    action("down", "down s j"),
    action("grip", "space enter"),
    action("back", "backspace delete"),
    action("clear", "c"),
    action("undo", "u"),
    action("next", "tab"),
    action("previous", "shift-tab"),
    action("hint", "t"),
    action("hint-style", "o"),
    action("numbers", "p"),
    action("skip", "n"),
    action("reverse", "x"),
    action("give-up", "g"),
    action("view", "v"),
    action("menu", "m"),
    action("leave", "q"),
];

const LOBBY: &[Action] = &[
    action("ready", "r"),
    action("start", "s"),
    action("add-bot", "b"),
    action("options", "o"),
    action("kick", "d"),
    action("seat", "t"),
    action("invitation", "i"),
    action("big-screen", "z"),
    action("reverse", "x"),
    action("up", "k"),
    action("down", "j"),
    action("menu", "m"),
    action("leave", "q"),
];

const WATCH: &[Action] =
    &[action("seat", "t"), action("big-screen", "z"), action("menu", "m"), action("leave", "q")];

const RESULTS: &[Action] = &[
    action("rematch", "r"),
    action("solution", "s"),
    action("checks", "f"),
    action("race-best", "b"),
    action("copy", "c"),
    action("seat", "t"),
    action("big-screen", "z"),
    action("up", "k"),
    action("down", "j"),
    action("menu", "m"),
    action("leave", "q"),
];

const REPLAY: &[Action] = &[
    action("pause", "space enter"),
    action("back", "left"),
    action("forward", "right"),
    action("event-before", ", <"),
    action("event-after", ". >"),
    action("faster", "+ = up"),
    action("slower", "- _ down"),
    action("next-player", "n tab"),
    action("previous-player", "p shift-tab"),
    action("all", "a"),
    action("leave", "q"),
];

const STATS: &[Action] = &[
    action("ghost", "g"),
    action("sort", "s"),
    action("span", "t"),
    action("count", "x"),
    action("mark", "m"),
    action("delete", "d"),
    action("up", "k"),
    action("down", "j"),
    action("leave", "q"),
];

const HOST_MENU: &[Action] = &[
    action("start", "s"),
    action("end", "e"),
    action("hold", "h"),
    action("options", "o"),
    action("announce", "a"),
    action("kick", "k"),
    action("ban", "b"),
    action("hand-over", "g"),
    action("unban", "u"),
    action("menu", "m"),
    action("leave", "q"),
];

const QUESTIONS: &[Action] = &[action("yes", "y"), action("no", "n")];

const TOURNAMENT: &[Action] = &[
    action("enter", "e"),
    action("check-in", "c"),
    action("withdraw", "w"),
    action("table", "t"),
    action("earlier", ","),
    action("later", "."),
    action("invitation", "i"),
    action("menu", "m"),
    action("up", "k"),
    action("down", "j"),
    action("leave", "q"),
];

/// The direction keys, which have the names of their actions.
const DIRECTIONS: &str = "left up down right";

/// The keys that help is on, everywhere.
const HELP_KEYS: &str = "? f1";
/// The keys that lists are gone through by.
const LIST_KEYS: &str = "up down enter space tab shift-tab left right page-up page-down";
/// Those of a tournament's screen, digits apart.
const TOURNAMENT_KEYS: &str =
    "up down enter space tab shift-tab left right page-up page-down home end";
const DIGITS: &str = "0 1 2 3 4 5 6 7 8 9";

impl Scope {
    pub const ALL: [Self; 11] = [
        Self::Home,
        Self::Lists,
        Self::Lobby,
        Self::Race,
        Self::Watch,
        Self::Results,
        Self::Replay,
        Self::Stats,
        Self::HostMenu,
        Self::Questions,
        Self::Tournament,
    ];

    /// Returns the name that the settings file has for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Home => "home",
            Self::Lists => "lists",
            Self::HostMenu => "host-menu",
            Self::Questions => "questions",
            Self::Race => "race",
            Self::Lobby => "lobby",
            Self::Watch => "watch",
            Self::Results => "results",
            Self::Replay => "replay",
            Self::Stats => "stats",
            Self::Tournament => "tournament",
        }
    }

    pub const fn actions(self) -> &'static [Action] {
        match self {
            Self::Home => HOME,
            Self::Lists => LISTS,
            Self::HostMenu => HOST_MENU,
            Self::Questions => QUESTIONS,
            Self::Race => RACE,
            Self::Lobby => LOBBY,
            Self::Watch => WATCH,
            Self::Results => RESULTS,
            Self::Replay => REPLAY,
            Self::Stats => STATS,
            Self::Tournament => TOURNAMENT,
        }
    }

    /// Returns the keys that keep their meaning.
    fn fixed(self) -> impl Iterator<Item = Key> {
        let (some, others) = match self {
            Self::Race => (DIGITS, ""),
            Self::Replay => (DIGITS, "home end page-up page-down"),
            Self::Stats => (LIST_KEYS, "home end"),
            // A bot's skill is chosen by its digit.
            Self::Lists => (LIST_KEYS, DIGITS),
            Self::Home | Self::HostMenu | Self::Lobby | Self::Watch | Self::Results => {
                (LIST_KEYS, "")
            }
            Self::Questions => ("enter", ""),
            Self::Tournament => (DIGITS, TOURNAMENT_KEYS),
        };
        ["esc", HELP_KEYS, some, others].into_iter().flat_map(keys)
    }
}

impl FromStr for Scope {
    type Err = BindingError;

    fn from_str(text: &str) -> Result<Self, BindingError> {
        let scope = Self::ALL.into_iter().find(|scope| scope.name() == text);
        scope.ok_or_else(|| BindingError::Scope(text.to_owned()))
    }
}

impl Action {
    fn defaults(self) -> impl Iterator<Item = Key> {
        keys(self.keys)
    }
}

/// Reads keys of the tables above.
fn keys(text: &'static str) -> impl Iterator<Item = Key> {
    text.split_whitespace().filter_map(|key| key.parse().ok())
}

/// A key without its modifiers; a letter stands for its capital, too, which is the same with
/// shift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key(KeyCode);

/// A key's name in the settings file, and in [`Keymap::label`].
const NAMED: [(&str, KeyCode); 17] = [
    ("space", KeyCode::Char(' ')),
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("shift-tab", KeyCode::BackTab),
    ("backspace", KeyCode::Backspace),
    ("bksp", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("page-up", KeyCode::PageUp),
    ("page-down", KeyCode::PageDown),
];

/// The last of the function keys.
const FUNCTION_KEYS: u8 = 12;

/// An error in the player's key bindings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BindingError {
    #[error("there are no keys for {0:?}; there are keys for {scopes}", scopes = list(Scope::ALL.into_iter().map(Scope::name)))]
    Scope(String),
    #[error("there is no action {name}; {} has {actions}", scope.name(), actions = list(scope.actions().iter().map(|action| action.name)))]
    Action { scope: Scope, name: String },
    #[error(
        "{0:?} is no key: it is a letter or sign, {named}, or f2 to f{FUNCTION_KEYS}",
        named = list(NAMED.iter().map(|(name, _)| *name).filter(|name| !["bksp", "esc"].contains(name)))
    )]
    Key(String),
    #[error("{0} has no key")]
    None(String),
    #[error("{key} is kept for what it does everywhere on this screen, so {action} can't have it")]
    Fixed { key: Key, action: &'static str },
    #[error("{key} would be {first} and {second}: give one of them another key")]
    Conflict { key: Key, first: &'static str, second: &'static str },
}

impl BindingError {
    /// Says whether an action has a key that is another's as well.
    pub fn is_conflict_of(&self, action: &str) -> bool {
        matches!(self, Self::Conflict { first, second, .. } if *first == action || *second == action)
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// The keys that the player has bound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keymap(BTreeMap<(Scope, &'static str), Vec<Key>>);

impl Keymap {
    /// Gives an action these keys in place of its defaults.
    pub fn bind(&mut self, scope: Scope, name: &str, names: &[&str]) -> Result<(), BindingError> {
        let action = scope.actions().iter().find(|action| action.name == name);
        let action = action.ok_or_else(|| BindingError::Action { scope, name: name.to_owned() })?;
        let keys: Vec<Key> = names.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
        if keys.is_empty() {
            return Err(BindingError::None(name.to_owned()));
        }
        if let Some(&key) = keys.iter().find(|key| scope.fixed().any(|fixed| fixed == **key)) {
            return Err(BindingError::Fixed { key, action: action.name });
        }
        self.0.insert((scope, action.name), keys);
        Ok(())
    }

    /// Checks that no key of a screen has two meanings.
    pub fn check(&self, scope: Scope) -> Result<(), BindingError> {
        let mut taken: Vec<(Key, &'static str)> = Vec::new();
        for &action in scope.actions() {
            for key in self.keys(scope, action) {
                let first =
                    taken.iter().find(|(known, name)| *known == key && *name != action.name);
                if let Some(&(_, first)) = first {
                    return Err(BindingError::Conflict { key, first, second: action.name });
                }
                taken.push((key, action.name));
            }
        }
        Ok(())
    }

    /// Returns the key by which the program knows what a key does; none where it does nothing.
    pub fn translate(&self, scope: Scope, event: KeyEvent) -> Option<KeyEvent> {
        let is_chord = event.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        if is_chord || self.0.is_empty() {
            return Some(event);
        }
        let key = Key::of(event.code);
        let bound =
            |action: &&Action| self.bound(scope, **action).is_some_and(|keys| keys.contains(&key));
        if let Some(action) = scope.actions().iter().find(bound) {
            return action.defaults().next().map(|known| known.pressed_like(event));
        }
        // A default key whose action has other keys by now.
        let is_freed = scope.actions().iter().any(|action| {
            self.bound(scope, *action).is_some() && action.defaults().any(|default| default == key)
        });
        (!is_freed).then_some(event)
    }

    /// Returns the name of the key that does what a key does by default.
    pub fn label(&self, scope: Scope, default: &str) -> String {
        let Ok(key) = default.parse::<Key>() else { return default.to_owned() };
        let mut actions = scope.actions().iter();
        let action = actions.find(|action| action.defaults().any(|known| known == key));
        match action.and_then(|action| self.bound(scope, *action)?.first()) {
            Some(bound) => bound.to_string(),
            None => default.to_owned(),
        }
    }

    /// Returns the player's keys in place of default ones, with spaces between; the direction
    /// keys together are [`ARROWS`]. What is no key stays as it is.
    pub fn labels<'a>(&self, scope: Scope, keys: &'a str) -> Cow<'a, str> {
        let is_bound = self.0.keys().any(|(bound, _)| *bound == scope);
        if !is_bound {
            return Cow::Borrowed(keys);
        }
        let keys = match keys {
            ARROWS if scope == Scope::Race && self.binds_directions() => DIRECTIONS,
            ARROWS => return Cow::Borrowed(keys),
            keys => keys,
        };
        let labels = keys.split(' ').map(|key| self.label(scope, key));
        Cow::Owned(labels.collect::<Vec<_>>().join(" "))
    }

    /// Says whether the direction keys of a race are the player's own.
    pub fn binds_directions(&self) -> bool {
        DIRECTIONS.split(' ').any(|name| self.0.contains_key(&(Scope::Race, name)))
    }

    /// Returns the bindings that the player has made: screen, action and keys.
    pub fn iter(&self) -> impl Iterator<Item = (Scope, &'static str, &[Key])> {
        self.0.iter().map(|(&(scope, action), keys)| (scope, action, keys.as_slice()))
    }

    fn bound(&self, scope: Scope, action: Action) -> Option<&[Key]> {
        self.0.get(&(scope, action.name)).map(Vec::as_slice)
    }

    fn keys(&self, scope: Scope, action: Action) -> Vec<Key> {
        self.bound(scope, action).map_or_else(|| action.defaults().collect(), <[Key]>::to_vec)
    }
}

impl Key {
    fn of(code: KeyCode) -> Self {
        if let KeyCode::Char(letter) = code {
            Self(KeyCode::Char(letter.to_ascii_lowercase()))
        } else {
            Self(code)
        }
    }

    /// Returns this key, with shift where another is pressed with shift.
    fn pressed_like(self, event: KeyEvent) -> KeyEvent {
        let capital = matches!(event.code, KeyCode::Char(letter) if letter.is_ascii_uppercase());
        let shift = if capital { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
        let code = if let KeyCode::Char(letter) = self.0
            && capital
        {
            KeyCode::Char(letter.to_ascii_uppercase())
        } else {
            self.0
        };
        KeyEvent { code, modifiers: event.modifiers | shift, ..event }
    }
}

impl FromStr for Key {
    type Err = BindingError;

    fn from_str(text: &str) -> Result<Self, BindingError> {
        let lower = text.to_ascii_lowercase();
        if let Some(&(_, code)) = NAMED.iter().find(|(name, _)| *name == lower) {
            return Ok(Self(code));
        }
        let mut letters = lower.chars();
        if let (Some(letter), None) = (letters.next(), letters.next())
            && letter.is_ascii_graphic()
        {
            return Ok(Self(KeyCode::Char(letter)));
        }
        let function = lower.strip_prefix('f').and_then(|number| number.parse().ok());
        match function {
            Some(number @ 1..=FUNCTION_KEYS) => Ok(Self(KeyCode::F(number))),
            Some(_) | None => Err(BindingError::Key(text.to_owned())),
        }
    }
}

impl fmt::Display for Key {
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other key can be read")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = NAMED.iter().find(|(_, code)| *code == self.0) {
            return f.write_str(name);
        }
        match self.0 {
            KeyCode::Char(letter) => write!(f, "{letter}"),
            KeyCode::F(number) => write!(f, "f{number}"),
            code => write!(f, "{code:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::model::{HomeChoice, HostAction, MemberAction};

    fn press(code: KeyCode) -> KeyEvent {
        KeyEvent::new(code, KeyModifiers::NONE)
    }

    fn bound(scope: Scope, bindings: &[(&str, &[&str])]) -> Result<Keymap, BindingError> {
        let mut keymap = Keymap::default();
        for (action, keys) in bindings {
            keymap.bind(scope, action, keys)?;
        }
        keymap.check(scope).map(|()| keymap)
    }

    #[test]
    fn the_default_keys_are_sound() {
        for scope in Scope::ALL {
            assert_eq!(Keymap::default().check(scope), Ok(()));
            for action in scope.actions() {
                let named = action.keys.split_whitespace().count();
                assert_eq!(action.defaults().count(), named, "{}", action.name);
            }
        }
    }

    /// Without its action a letter could be bound to something else and be out of reach.
    #[test]
    fn every_letter_that_a_screen_takes_has_an_action() {
        for (scope, source) in [
            (Scope::Lobby, include_str!("../update/lobby.rs")),
            (Scope::Watch, include_str!("../update/watching.rs")),
            (Scope::Results, include_str!("../update/results.rs")),
            (Scope::Stats, include_str!("../update/stats.rs")),
            (Scope::Lists, include_str!("../update/join.rs")),
            (Scope::Tournament, include_str!("../update/tournament.rs")),
        ] {
            for letter in source.split("Letter('").skip(1).filter_map(|rest| rest.chars().next()) {
                let key = Key(KeyCode::Char(letter));
                let has_it = |action: &Action| action.defaults().any(|known| known == key);
                assert!(scope.actions().iter().any(has_it), "{} {letter}", scope.name());
            }
        }
    }

    #[test]
    fn every_choice_of_the_home_screen_and_the_host_s_menu_has_an_action() {
        let members = [MemberAction::Kick, MemberAction::Ban, MemberAction::HandOver];
        let of_host = [
            HostAction::Start,
            HostAction::ToLobby,
            HostAction::EndHeat,
            HostAction::Hold,
            HostAction::Release,
            HostAction::Options,
            HostAction::Announce,
            HostAction::Unban,
        ];
        let of_host = of_host.into_iter().chain(members.map(HostAction::Member));
        let home = HomeChoice::ALL.map(|choice| (Scope::Home, choice.words().0));
        let menu = of_host.map(|action| (Scope::HostMenu, action.words().0));
        for (scope, letter) in home.into_iter().chain(menu) {
            let key = Key(KeyCode::Char(letter));
            let has_it = |action: &Action| action.defaults().any(|known| known == key);
            assert!(scope.actions().iter().any(has_it), "{} {letter}", scope.name());
        }
    }

    #[test]
    fn the_documentation_has_every_action() {
        let page = include_str!("../../../../docs/playing.md");
        for scope in Scope::ALL {
            let names = scope.actions().iter().map(|action| format!("`{}`", action.name));
            let names = names.collect::<Vec<_>>().join(" ");
            let row = format!("| `[keys.{}]` | {names} |", scope.name());
            assert!(page.contains(&row), "{row}");
        }
    }

    #[test]
    fn a_bound_key_does_what_the_default_did_and_that_does_nothing() {
        let keymap =
            bound(Scope::Race, &[("hint", &["y"]), ("left", &["j"]), ("down", &["down"])]).unwrap();
        let translated = |code| keymap.translate(Scope::Race, press(code)).map(|event| event.code);
        assert_eq!(translated(KeyCode::Char('y')), Some(KeyCode::Char('t')));
        assert_eq!(translated(KeyCode::Char('t')), None);
        assert_eq!(translated(KeyCode::Char('j')), Some(KeyCode::Left));
        assert_eq!(translated(KeyCode::Left), None);
        assert_eq!(translated(KeyCode::Char('u')), Some(KeyCode::Char('u')));
        // Another screen keeps its keys.
        let elsewhere = keymap.translate(Scope::Lobby, press(KeyCode::Char('t')));
        assert_eq!(elsewhere, Some(press(KeyCode::Char('t'))));
    }

    #[test]
    fn shift_goes_with_the_key() {
        let keymap = bound(Scope::Race, &[("left", &["f"]), ("undo", &["z"])]).unwrap();
        let capital = keymap.translate(Scope::Race, press(KeyCode::Char('F'))).unwrap();
        assert_eq!((capital.code, capital.modifiers), (KeyCode::Left, KeyModifiers::SHIFT));
        let undo = keymap.translate(Scope::Race, press(KeyCode::Char('Z'))).unwrap();
        assert_eq!(undo.code, KeyCode::Char('U'));
    }

    #[test]
    fn a_chord_is_never_bound() {
        let keymap = bound(Scope::Race, &[("hint", &["c"]), ("clear", &["y"])]).unwrap();
        let quit = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(keymap.translate(Scope::Race, quit), Some(quit));
    }

    #[test]
    fn keys_are_shown_as_they_are_bound() {
        let keymap =
            bound(Scope::Race, &[("hint", &["y"]), ("left", &["space"]), ("grip", &["enter"])])
                .unwrap();
        assert_eq!(keymap.label(Scope::Race, "t"), "y");
        assert_eq!(keymap.label(Scope::Race, "a"), "space");
        assert_eq!(keymap.label(Scope::Race, "q"), "q");
        assert_eq!(keymap.labels(Scope::Race, ARROWS), "space up down right");
        assert_eq!(keymap.labels(Scope::Race, "bksp c t"), "bksp c y");
        assert_eq!(keymap.labels(Scope::Replay, ARROWS), ARROWS);
    }

    #[test]
    fn what_can_t_be_bound_is_refused() {
        let refused = |name, keys: &[&str]| bound(Scope::Race, &[(name, keys)]).unwrap_err();
        assert!(matches!(refused("hnit", &["h"]), BindingError::Action { .. }));
        assert!(matches!(refused("hint", &["ctrl-h"]), BindingError::Key(_)));
        assert!(matches!(refused("hint", &[]), BindingError::None(_)));
        assert!(matches!(refused("hint", &["esc"]), BindingError::Fixed { .. }));
        assert!(matches!(refused("hint", &["5"]), BindingError::Fixed { .. }));
        let conflict =
            BindingError::Conflict { key: Key(KeyCode::Char('u')), first: "undo", second: "hint" };
        assert_eq!(refused("hint", &["u"]), conflict);
        // The key was given away first.
        assert!(bound(Scope::Race, &[("hint", &["u"]), ("undo", &["z"])]).is_ok());
    }
}
