//! The form and the list by which the player joins a heat.

use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{Choose, FormKey, Intent, JoinForm, Model, NewRoom, Screen, around, offer};
use crate::tui::update::{connection, hosting};
use crossterm::event::KeyEvent;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::snapshot::RoomSummary;
use gridrace_shared::util::time::ClientInstant;

/// Microseconds between two looks at a server's list: a room that opens shows soon, and the
/// server's rate limit for requests is far away.
const REFRESH_MICROS: u64 = 2_000_000;

/// Sets out as the command line says; the form is there in case something is wrong.
pub(super) fn begin(model: &mut Model, form: JoinForm) {
    model.screen = Screen::Join(form);
    submit(model);
}

pub(super) fn open_form(model: &mut Model, role: Role) {
    let form = JoinForm::new(&model.defaults.join_address, None, &model.settings.name, role);
    model.screen = Screen::Join(form);
}

/// Opens the form of a new room: on this machine or on a server, as the program was started.
pub(super) fn open_host_form(model: &mut Model) {
    let Some(spec) = offer(model.offer) else { return };
    let room = NewRoom::new(HeatOptions::new(spec));
    let form = JoinForm::host(&model.defaults.host_address, room, &model.settings.name);
    model.screen = Screen::Join(form.with_pin(model.defaults.host_pin.as_ref()));
}

/// Says at the form why no server could be started in this program.
pub(super) fn failed_to_host(model: &mut Model, error: String) {
    let Some(mut form) = model.join_form().cloned() else {
        return connection::go_home(model, Some(error));
    };
    form.fail(None, error);
    connection::back_to_form(model, form);
}

/// Looks at the list again when it is time.
pub(super) fn tick(model: &mut Model) {
    let is_heard = model.connection.is_heard();
    if let Screen::Choose(choose) = &mut model.screen
        && is_heard
        && choose.refresh <= model.now
    {
        choose.refresh = ClientInstant(model.now.0.saturating_add(REFRESH_MICROS));
        model.send(ClientMessage::Rooms);
    }
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
    let (role, count) = (choose.role, choose.rooms.len());
    match keymap::list(key) {
        Some(ListKey::Up | ListKey::Letter('k')) => {
            choose.chosen = around(choose.chosen, count, false);
        }
        Some(ListKey::Down | ListKey::Letter('j')) => {
            choose.chosen = around(choose.chosen, count, true);
        }
        Some(ListKey::Take) => enter(model, role),
        Some(ListKey::Letter('w')) => enter(model, Role::Spectator),
        Some(ListKey::Letter('h')) => host_there(model),
        Some(ListKey::Back | ListKey::Letter('q')) => {
            let mut form = choose.form.clone();
            form.busy = false;
            connection::back_to_form(model, form);
        }
        Some(ListKey::Letter(_)) | None => {}
    }
}

/// Joins the room under the cursor.
fn enter(model: &mut Model, role: Role) {
    let Screen::Choose(choose) = &model.screen else { return };
    if let Some(room) = choose.rooms.get(choose.chosen)
        && model.connection.is_heard()
    {
        let code = room.code;
        request(model, Intent::Join { code, role });
    }
}

/// Opens a room on the server whose list is shown.
fn host_there(model: &mut Model) {
    if let Some(spec) = offer(model.offer)
        && model.connection.is_heard()
    {
        // A PIN in the form is that of another's room.
        model.connection.goal.iter_mut().for_each(|goal| goal.pin = None);
        request(model, Intent::Open(Box::new(NewRoom::new(HeatOptions::new(spec)))));
    }
}

/// Takes in which rooms there are: the only one is joined at once.
pub(super) fn listed(model: &mut Model, rooms: Vec<RoomSummary>) {
    let Some(Intent::List { role }) = model.connection.goal.as_ref().map(|goal| &goal.intent)
    else {
        // A room was chosen in the meantime.
        return;
    };
    let role = *role;
    model.connection.state.awaiting = false;
    if let Screen::Choose(choose) = &mut model.screen {
        return choose.update(rooms);
    }
    let Some(form) = model.join_form().cloned() else { return };
    match rooms.as_slice() {
        [only] => request(model, Intent::Join { code: only.code, role }),
        _ => {
            let refresh = ClientInstant(model.now.0.saturating_add(REFRESH_MICROS));
            model.screen = Screen::Choose(Choose { rooms, chosen: 0, role, form, refresh });
        }
    }
}

/// Shows the list again, with what went wrong with the room that was chosen from it.
pub(super) fn back_to_list(model: &mut Model, why: String) {
    let Screen::Choose(choose) = &mut model.screen else { return };
    let role = choose.role;
    choose.refresh = model.now;
    if let Some(goal) = &mut model.connection.goal {
        goal.intent = Intent::List { role };
        goal.variant = 1;
    }
    model.complain(why);
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
    let Some(goal) = form.goal(&model.settings.servers) else { return };
    let hosts_here = form.hosts_here();
    form.busy = true;
    model.settings.name.clone_from(&goal.name);
    if hosts_here {
        hosting::host_here(model, goal);
    } else {
        connection::dial(model, goal);
    }
}
