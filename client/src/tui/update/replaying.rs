//! Playing a heat again.

use crate::families::input::MouseAction;
use crate::tui::effect::{Effect, Exit};
use crate::tui::keymap::{self, ReplayKey};
use crate::tui::model::{DEAD_KEY, Model, Replaying, around};
use crate::tui::update::practice;
use crate::tui::view;
use crossterm::event::KeyEvent;
use gridrace_shared::util::time::Millis;

/// How far the arrow keys go, and with shift.
const STEP: Millis = Millis(5_000);
const FAR: Millis = Millis(30_000);

pub(super) fn tick(model: &mut Model) {
    let now = model.now;
    if let Some(replaying) = model.replaying_mut() {
        replaying.tick(now);
    }
}

pub(super) fn press(model: &mut Model, key: KeyEvent) {
    let Some(key) = keymap::replay(key) else { return model.ignore(DEAD_KEY) };
    if key == ReplayKey::Quit {
        if !practice::back_to_stats(model) {
            model.emit(Effect::Exit(Exit::Quit));
        }
        return;
    }
    // What has gone by until now was at the speed until now.
    tick(model);
    let pages = view::pages(model);
    let Some(replaying) = model.replaying_mut() else { return };
    match key {
        ReplayKey::Pause => replaying.pause(),
        ReplayKey::Go { forward, far } => {
            go(replaying, forward, if far { FAR } else { STEP });
        }
        ReplayKey::Event { forward } => replaying.step(forward),
        ReplayKey::Speed { faster } => replaying.change_speed(faster),
        ReplayKey::Percent(percent) => replaying.seek_percent(percent),
        ReplayKey::Player { forward } => replaying.choose(forward),
        ReplayKey::All => replaying.alone = None,
        ReplayKey::Page { forward } => turn(replaying, pages, forward),
        ReplayKey::Quit => {}
    }
}

/// Goes to where the line of time is clicked.
pub(super) fn mouse(model: &mut Model, action: MouseAction, column: u16, row: u16) {
    let at = match action {
        MouseAction::Press | MouseAction::Drag => view::time_at(model, column, row),
        MouseAction::Release => None,
    };
    if let (Some(at), Some(replaying)) = (at, model.replaying_mut()) {
        replaying.seek(at);
    }
}

fn go(replaying: &mut Replaying, forward: bool, step: Millis) {
    let at = replaying.playback.at();
    replaying.seek(if forward { at + step } else { at.since(step) });
}

fn turn(replaying: &mut Replaying, pages: usize, forward: bool) {
    let panel = &mut replaying.heat.panel;
    panel.page = around(panel.page, pages, forward);
}
