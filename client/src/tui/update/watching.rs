//! Watching others race.

use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{DEAD_KEY, Model, Question, around};
use crate::tui::update::heat;
use crate::tui::view;
use crossterm::event::{KeyCode, KeyEvent};
use std::time::Duration;

/// How long a page of the big screen stands: long enough to find a board.
const PAGE_SHOWN: Duration = Duration::from_secs(8);
/// How long it stands after a key: the player wants to look.
const PAGE_SHOWN_AFTER_KEY: Duration = Duration::from_secs(30);

pub(super) fn press(model: &mut Model, key: KeyEvent) {
    let until = model.now + PAGE_SHOWN_AFTER_KEY;
    if let Some(heat) = model.joined_heat_mut() {
        heat.panel.page_until = Some(until);
    }
    if matches!(key.code, KeyCode::Right | KeyCode::PageDown) {
        return turn(model, true);
    }
    if matches!(key.code, KeyCode::Left | KeyCode::PageUp) {
        return turn(model, false);
    }
    match keymap::list(key) {
        Some(ListKey::Up) => turn(model, false),
        Some(ListKey::Down | ListKey::Take) => turn(model, true),
        Some(ListKey::Letter('t')) if model.shown_heat().is_some_and(|heat| !heat.is_player()) => {
            heat::toggle_seat(model);
        }
        Some(ListKey::Letter('z')) => toggle_big_screen(model),
        Some(ListKey::Back | ListKey::Letter('q')) => heat::ask(model, Question::Leave),
        Some(ListKey::Letter(_)) | None => model.ignore(DEAD_KEY),
    }
}

/// Shows the room for a hall, or as to any spectator again; a player's screen stays as it is.
pub(super) fn toggle_big_screen(model: &mut Model) {
    if model.shown_heat().is_some_and(|heat| !heat.is_player()) {
        model.big_screen = !model.big_screen;
    } else {
        model.ignore(DEAD_KEY);
    }
}

/// Turns the page of the big screen once it has stood for long enough.
pub(super) fn tick(model: &mut Model) {
    let (pages, now) = (view::turning_pages(model), model.now);
    let until = now + PAGE_SHOWN;
    let Some(heat) = model.joined_heat_mut().filter(|heat| heat.watching().is_some()) else {
        return;
    };
    let panel = &mut heat.panel;
    let is_due = *panel.page_until.get_or_insert(until) <= now;
    if is_due {
        panel.page_until = Some(until);
        panel.page = if panel.page + 1 < pages { panel.page + 1 } else { 0 };
    }
}

fn turn(model: &mut Model, forward: bool) {
    let pages = view::pages(model);
    if let Some(heat) = model.joined_heat_mut() {
        heat.panel.page = around(heat.panel.page, pages, forward);
    }
}
