//! The choice of a line, for the host's menu and the organiser's.

use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{DEAD_KEY, Model, Overlay, around};
use crossterm::event::KeyEvent;

/// Takes a key of a menu whose lines have these letters: moves the cursor, closes the menu, or returns
/// the number of the line that is chosen.
pub(super) fn choose_line(model: &mut Model, key: KeyEvent, letters: &[char]) -> Option<usize> {
    let Some(Overlay::HostMenu { chosen } | Overlay::Organiser { chosen }) = &mut model.overlay
    else {
        return None;
    };
    match keymap::list(key) {
        Some(moved @ (ListKey::Up | ListKey::Down)) => {
            *chosen = around(*chosen, letters.len(), moved == ListKey::Down);
        }
        Some(ListKey::Take) => return Some(*chosen),
        Some(ListKey::Back | ListKey::Letter('q' | keymap::HOST_MENU)) => model.overlay = None,
        letter @ (Some(ListKey::Letter(_)) | None) => {
            let line = letters.iter().position(|&it| letter == Some(ListKey::Letter(it)));
            if line.is_none() {
                model.ignore(DEAD_KEY);
            }
            return line;
        }
    }
    None
}
