//! Updates that all phases of a heat share.

use crate::families;
use crate::tui::keymap::{self, RaceKey, Scope};
use crate::tui::model::{DEAD_KEY, Model, Overlay, Question};
use crate::tui::update::requests;
use crossterm::event::KeyEvent;
use gridrace_shared::protocol::client::ClientMessage;

/// What is said of a key that is pressed before GO.
const EARLY_KEY: &str = "The race hasn't begun.";

/// Takes a key while the board is drawn or the countdown runs.
pub(super) fn press_countdown(model: &mut Model, key: KeyEvent) {
    match keymap::race(key) {
        Some(RaceKey::Leave | RaceKey::Escape) => ask(model, Question::Leave),
        Some(RaceKey::Reverse) => reverse(model),
        Some(
            RaceKey::Board(_)
            | RaceKey::Hint
            | RaceKey::HintStyle
            | RaceKey::Numbers
            | RaceKey::Skip
            | RaceKey::GiveUp,
        )
        | None => {
            model.ignore(EARLY_KEY);
        }
    }
}

pub(super) fn ask(model: &mut Model, question: Question) {
    model.overlay = Some(Overlay::Confirm(question));
}

/// Takes a seat or gives it back; in the lobby, or for the next heat.
pub(super) fn toggle_seat(model: &mut Model) {
    let Some(heat) = model.shown_heat() else { return };
    let Some(me) = heat.me() else { return };
    let seated = me.next_seat || heat.is_player();
    let request = if seated { ClientMessage::LeaveSeat } else { ClientMessage::TakeSeat };
    requests::request(model, request);
}

/// Says to a spectator which key takes the seat that a key needs; a tournament gives the seats of its
/// tables itself.
pub(super) fn point_to_seat(model: &mut Model, scope: Scope) {
    if model.shown_heat().is_some_and(|heat| heat.setup.table.is_some()) {
        return model.ignore(DEAD_KEY);
    }
    let seat = model.key(scope, "t");
    model.notice(format!("Take a seat first: press {seat}."));
}

pub(super) fn reverse(model: &mut Model) {
    if !model.puzzle().is_some_and(|spec| families::info(&spec).is_reversible) {
        return model.ignore(DEAD_KEY);
    }
    model.settings.reversed = !model.settings.reversed;
    model.notice(if model.settings.reversed {
        "Direction keys move the blank now."
    } else {
        "Direction keys move the tile now."
    });
}
