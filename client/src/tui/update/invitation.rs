//! The link to the room and its QR code.

use crate::tui::effect::Effect;
use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{DEAD_KEY, Model, Overlay, around};
use crossterm::event::{KeyCode, KeyEvent};

pub(super) fn press(model: &mut Model, key: KeyEvent) {
    let links = model.links();
    let Some(Overlay::Invitation { chosen }) = &mut model.overlay else { return };
    let forward = match (key.code, keymap::list(key)) {
        (KeyCode::Right, _) | (_, Some(ListKey::Down)) => true,
        (KeyCode::Left, _) | (_, Some(ListKey::Up)) => false,
        (_, Some(ListKey::Letter('c'))) => {
            let Some(link) = links.get(*chosen) else { return model.ignore(DEAD_KEY) };
            model.emit(Effect::Copy(link.clone()));
            // No terminal says whether it took it.
            return model.notice("Sent to the clipboard.");
        }
        (_, _) => {
            model.overlay = None;
            return;
        }
    };
    *chosen = around(*chosen, links.len(), forward);
}
