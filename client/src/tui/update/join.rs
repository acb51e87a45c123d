//! The form and the list by which the player joins a heat.

use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{Choose, FormKey, Intent, JoinForm, Model, Screen, around};
use crate::tui::update::connection;
use crossterm::event::KeyEvent;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::RoomSummary;

/// Sets out as the command line says; the form is there in case something is wrong.
pub(super) fn begin(
    model: &mut Model,
    address: &str,
    code: Option<RoomCode>,
    role: Role,
    pin: Option<&Pin>,
) {
    let form = JoinForm::new(address, code, &model.settings.name, role).with_pin(pin);
    model.screen = Screen::Join(form);
    submit(model);
}

pub(super) fn open_form(model: &mut Model, role: Role) {
    model.screen = Screen::Join(JoinForm::new("", None, &model.settings.name, role));
}

/// Takes a key of the form.
pub(super) fn press_form(model: &mut Model, key: KeyEvent) {
    let Screen::Join(form) = &mut model.screen else { return };
    if form.busy {
        // Only the way back is open until the server answers.
        return connection::press_waiting(model, key);
    }
    match form.form.key(key) {
        FormKey::Taken => {}
        FormKey::Cancel => connection::go_home(model, None),
        FormKey::Submit => submit(model),
    }
}

/// Takes a key of the list.
pub(super) fn press_list(model: &mut Model, key: KeyEvent) {
    let Screen::Choose(choose) = &mut model.screen else { return };
    let (role, count) = (choose.role, choose.heats.len());
    match keymap::list(key) {
        Some(ListKey::Up | ListKey::Letter('k')) => {
            choose.chosen = around(choose.chosen, count, false);
        }
        Some(ListKey::Down | ListKey::Letter('j')) => {
            choose.chosen = around(choose.chosen, count, true);
        }
        Some(ListKey::Take) => {
            if let Some(heat) = choose.heats.get(choose.chosen)
                && !model.connection.state.awaiting
            {
                let code = heat.code;
                request(model, Intent::Join { code, role });
            }
        }
        Some(ListKey::Letter('r')) => request(model, Intent::List { role }),
        Some(ListKey::Back | ListKey::Letter('q')) => {
            let mut form = choose.form.clone();
            form.busy = false;
            connection::back_to_form(model, form);
        }
        Some(ListKey::Letter(_)) | None => {}
    }
}

/// Takes in which heats there are: the only one is joined at once.
pub(super) fn listed(model: &mut Model, heats: Vec<RoomSummary>) {
    model.connection.state.awaiting = false;
    let Some(Intent::List { role }) = model.connection.goal.as_ref().map(|goal| &goal.intent)
    else {
        return;
    };
    let role = *role;
    let Some(form) = model.join_form().cloned() else { return };
    match (&model.screen, heats.as_slice()) {
        (Screen::Join(_), [only]) => request(model, Intent::Join { code: only.code, role }),
        _ => model.screen = Screen::Choose(Choose { heats, chosen: 0, role, form }),
    }
}

/// Asks the server for what one wants of it now.
fn request(model: &mut Model, intent: Intent) {
    let Some(goal) = &mut model.connection.goal else { return };
    goal.intent = intent;
    model.connection.state.awaiting = true;
    let request = goal.request();
    model.send(request);
}

fn submit(model: &mut Model) {
    let Screen::Join(form) = &mut model.screen else { return };
    let Some(goal) = form.goal() else { return };
    form.busy = true;
    model.settings.name.clone_from(&goal.name);
    connection::dial(model, goal);
}
