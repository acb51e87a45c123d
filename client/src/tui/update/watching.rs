//! Watching others race.

use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{Model, Question, around};
use crate::tui::update::{heat, lobby};
use crate::tui::view;
use crossterm::event::{KeyCode, KeyEvent};

pub(super) fn press(model: &mut Model, key: KeyEvent) {
    if matches!(key.code, KeyCode::Right | KeyCode::PageDown) {
        return turn(model, true);
    }
    if matches!(key.code, KeyCode::Left | KeyCode::PageUp) {
        return turn(model, false);
    }
    match keymap::list(key) {
        Some(ListKey::Up) => turn(model, false),
        Some(ListKey::Down | ListKey::Take) => turn(model, true),
        Some(ListKey::Letter('t')) if model.heat().is_some_and(|heat| !heat.is_player()) => {
            lobby::toggle_seat(model);
        }
        Some(ListKey::Back | ListKey::Letter('q')) => heat::ask(model, Question::Leave),
        Some(ListKey::Letter(_)) | None => {}
    }
}

fn turn(model: &mut Model, forward: bool) {
    let pages = view::pages(model);
    if let Some(heat) = model.heat_mut() {
        heat.panel.page = around(heat.panel.page, pages, forward);
    }
}
