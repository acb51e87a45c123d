//! The form and the list by which one joins somebody else's heat.

use crate::tui::effect::Effect;
use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{Choose, FormKey, Intent, JoinForm, Model, Screen, around};
use crate::tui::update::connection;
use crossterm::event::KeyEvent;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::HeatSummary;

/// Sets out as the command line says; the form is there in case something is wrong.
pub(super) fn begin(
    model: &mut Model,
    address: &str,
    code: Option<RoomCode>,
    role: Role,
    pin: Option<&Pin>,
) -> Vec<Effect> {
    let form = JoinForm::new(address, code, &model.settings.name, role).with_pin(pin);
    model.screen = Screen::Join(form);
    submit(model)
}

pub(super) fn open_form(model: &mut Model, role: Role) -> Vec<Effect> {
    let form = JoinForm::new("", None, &model.settings.name, role);
    model.screen = Screen::Join(form);
    Vec::new()
}

/// Takes a key of the form.
pub(super) fn press_form(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    let Screen::Join(form) = &mut model.screen else {
        return Vec::new();
    };
    if form.busy {
        // Only the way back is open until the server answers.
        return connection::press_waiting(model, key);
    }
    match form.form.key(key) {
        FormKey::Taken => Vec::new(),
        FormKey::Cancel => connection::go_home(model, None),
        FormKey::Submit => submit(model),
    }
}

/// Takes a key of the list.
pub(super) fn press_list(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    match keymap::list(key) {
        Some(ListKey::Up | ListKey::Letter('k')) => step(model, false),
        Some(ListKey::Down | ListKey::Letter('j')) => step(model, true),
        Some(ListKey::Take) => take(model),
        Some(ListKey::Letter('r')) => ask_again(model),
        Some(ListKey::Back | ListKey::Letter('q')) => back_to_form(model),
        Some(ListKey::Letter(_)) | None => Vec::new(),
    }
}

/// Takes in which heats there are: the only one is joined at once.
pub(super) fn listed(model: &mut Model, heats: Vec<HeatSummary>) -> Vec<Effect> {
    model.connection.state.awaiting = false;
    let Some(Intent::List { role }) =
        model.connection.goal.as_ref().map(|goal| goal.intent.clone())
    else {
        return Vec::new();
    };
    let form = match &model.screen {
        Screen::Join(form) => form.clone(),
        Screen::Choose(choose) => choose.form.clone(),
        Screen::Home(_) | Screen::Waiting(_) | Screen::Heat(_) | Screen::Replay(_) => {
            return Vec::new();
        }
    };
    match (&model.screen, heats.as_slice()) {
        (Screen::Join(_), [only]) => join(model, only.code, role),
        _ => {
            model.screen = Screen::Choose(Choose { heats, chosen: 0, role, form });
            Vec::new()
        }
    }
}

/// Says to the server which heat to join.
pub(super) fn join(model: &mut Model, code: RoomCode, role: Role) -> Vec<Effect> {
    let Some(goal) = &mut model.connection.goal else {
        return Vec::new();
    };
    goal.intent = Intent::Join { code, role };
    model.connection.state.awaiting = true;
    vec![Effect::Send(goal.request())]
}

/// Goes back to the form, and away from the server.
pub(super) fn back_to_form(model: &mut Model) -> Vec<Effect> {
    let Screen::Choose(choose) = &model.screen else {
        return Vec::new();
    };
    let mut form = choose.form.clone();
    form.busy = false;
    model.screen = Screen::Join(form);
    model.connection = crate::tui::model::Connection::default();
    vec![Effect::Disconnect]
}

fn submit(model: &mut Model) -> Vec<Effect> {
    let Screen::Join(form) = &mut model.screen else {
        return Vec::new();
    };
    let Some(goal) = form.goal() else {
        return Vec::new();
    };
    form.busy = true;
    model.settings.name.clone_from(&goal.name);
    connection::dial(model, goal)
}

fn step(model: &mut Model, forward: bool) -> Vec<Effect> {
    if let Screen::Choose(choose) = &mut model.screen {
        choose.chosen = around(choose.chosen, choose.heats.len(), forward);
    }
    Vec::new()
}

fn take(model: &mut Model) -> Vec<Effect> {
    let Screen::Choose(choose) = &model.screen else {
        return Vec::new();
    };
    let (role, heat) = (choose.role, choose.heats.get(choose.chosen));
    match heat.map(|heat| heat.code) {
        Some(code) if !model.connection.state.awaiting => join(model, code, role),
        Some(_) | None => Vec::new(),
    }
}

fn ask_again(model: &mut Model) -> Vec<Effect> {
    let Screen::Choose(choose) = &model.screen else {
        return Vec::new();
    };
    let Some(goal) = &mut model.connection.goal else {
        return Vec::new();
    };
    goal.intent = Intent::List { role: choose.role };
    model.connection.state.awaiting = true;
    vec![Effect::Send(goal.request())]
}
