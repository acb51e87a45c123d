//! What every stage of a heat shares.

use crate::families;
use crate::tui::effect::Effect;
use crate::tui::keymap::{self, RaceKey};
use crate::tui::model::{Model, Overlay, Question};
use crate::tui::update::results;
use crossterm::event::KeyEvent;

pub(super) fn enter(model: &mut Model) -> Vec<Effect> {
    // A question or form of the phase before has lost its meaning; the help has not.
    if !matches!(model.overlay, Some(Overlay::Help | Overlay::Confirm(Question::Leave))) {
        model.overlay = None;
    }
    results::check(model)
}

/// Takes a key while the board is drawn or the countdown runs.
pub(super) fn press_countdown(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    match keymap::race(key) {
        Some(RaceKey::Leave | RaceKey::Escape) => ask(model, Question::Leave),
        Some(RaceKey::Reverse) => reverse(model),
        Some(RaceKey::Board(_) | RaceKey::Hint | RaceKey::GiveUp) | None => Vec::new(),
    }
}

/// Asks before it is done.
pub(super) fn ask(model: &mut Model, question: Question) -> Vec<Effect> {
    model.overlay = Some(Overlay::Confirm(question));
    Vec::new()
}

/// Turns the direction keys around.
pub(super) fn reverse(model: &mut Model) -> Vec<Effect> {
    if !model.puzzle().is_some_and(|spec| families::is_reversible(&spec)) {
        return Vec::new();
    }
    model.settings.reversed = !model.settings.reversed;
    model.notice(if model.settings.reversed {
        "Direction keys move the blank now."
    } else {
        "Direction keys move the tile now."
    });
    Vec::new()
}
