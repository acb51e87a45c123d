//! Opening a room on a server in this program.

use crate::tui::effect::Effect;
use crate::tui::model::{Goal, Intent, Model};
use crate::tui::own_server::ServerPlace;
use crate::tui::update::connection;
use gridrace_shared::protocol::client::Role;

/// Opens a room on the server that the program was started as, or on one that is started for it.
pub(super) fn host_here(model: &mut Model, goal: Goal) {
    match model.own_server.clone() {
        Some(place) => open_on(model, place, goal),
        None => start_server(model, goal, true),
    }
}

pub(super) fn start_server(model: &mut Model, goal: Goal, lan: bool) {
    model.hosting = true;
    model.opening = Some(goal);
    model.emit(Effect::StartServer { lan });
}

pub(super) fn open_on(model: &mut Model, place: ServerPlace, mut goal: Goal) {
    let ServerPlace { address, invitation, waiting, usage: _ } = place;
    if let Some(code) = waiting {
        goal.intent = Intent::Join { code, role: Role::Player };
    }
    model.invitation = invitation;
    connection::dial(model, Goal { address, ..goal });
}
