//! The names of keys on the screen: the player's own, as short as the terminal's signs allow.

use crate::display::safe_text;
use crate::display::symbols::Symbols;
use crate::families::input::ARROWS;
use crate::tui::keymap::Scope;
use crate::tui::model::Model;

/// The keys that go left and right, which are shown as one.
pub(super) const SIDEWAYS: &str = "left right";
/// Keys whose names are shorter on the screen than in the settings file.
const SHORT: [(&str, &str); 3] =
    [("backspace", "bksp"), ("page-up", "pgup"), ("page-down", "pgdn")];

/// Returns the names of the player's keys in place of default ones: directions in one word where
/// each is a sign or letter, others with spaces between.
pub(super) fn labels(model: &Model, scope: Option<Scope>, keys: &str) -> String {
    let symbols = model.theme().symbols;
    let bound = scope.map_or(keys.into(), |scope| model.settings.keys.labels(scope, keys));
    if bound == ARROWS {
        return symbols.arrows.to_owned();
    }
    let labels: Vec<&str> = bound.split(' ').map(|key| sign(key, symbols)).collect();
    let is_short = labels.iter().all(|label| safe_text::cells(label) == 1);
    let gap = if is_short && matches!(keys, ARROWS | SIDEWAYS) { "" } else { " " };
    labels.join(gap)
}

/// Returns the name of one key of the player's.
pub(super) fn label(model: &Model, scope: Scope, key: &str) -> String {
    labels(model, Some(scope), key)
}

fn sign<'a>(key: &'a str, symbols: &Symbols) -> &'a str {
    const SIGNS: [(&str, &str); 4] = [("left", "←"), ("up", "↑"), ("right", "→"), ("down", "↓")];
    let signs = if symbols.is_ascii { &[][..] } else { &SIGNS };
    let known = signs.iter().chain(&SHORT).find(|(name, _)| *name == key);
    known.map_or(key, |(_, sign)| sign)
}
