//! What every stage of a heat shares.

use crate::tui::effect::Command;
use crate::tui::keymap::{self, RaceKey};
use crate::tui::model::{Model, Overlay, Question, can_reverse};
use crate::tui::update::results;
use crossterm::event::KeyEvent;

/// Reacts to another phase.
pub(super) fn enter(model: &mut Model) -> Vec<Command> {
    // A question or form of the phase before has lost its meaning; the help has not.
    if !matches!(model.overlay, Some(Overlay::Help | Overlay::Confirm(Question::Leave))) {
        model.overlay = None;
    }
    results::check(model)
}

/// Takes a key while the board is drawn or the countdown runs.
pub(super) fn press_countdown(model: &mut Model, key: KeyEvent) -> Vec<Command> {
    match keymap::race(key) {
        Some(RaceKey::Leave | RaceKey::Escape) => ask(model, Question::Leave),
        Some(RaceKey::Reverse) => reverse(model),
        Some(RaceKey::Hand(_) | RaceKey::Hint | RaceKey::GiveUp) | None => Vec::new(),
    }
}

/// Asks before it is done.
pub(super) fn ask(model: &mut Model, question: Question) -> Vec<Command> {
    model.overlay = Some(Overlay::Confirm(question));
    Vec::new()
}

/// Turns the direction keys around.
pub(super) fn reverse(model: &mut Model) -> Vec<Command> {
    if !model.puzzle().is_some_and(|spec| can_reverse(&spec)) {
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
