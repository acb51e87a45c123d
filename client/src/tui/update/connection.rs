//! The connection: connecting, keep-alive, loss, reconnecting.

use crate::display::format;
use crate::net::NetError;
use crate::net::address::Address;
use crate::net::own_addresses::is_this_machine;
use crate::session::Retry;
use crate::tui::effect::Effect;
use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{
    ConnectionModel, ConnectionStatus, DEAD_KEY, Goal, Home, JoinForm, JoinFormError, Model,
    Overlay, Screen,
};
use crate::tui::update::{racing, table};
use crossterm::event::KeyEvent;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::Farewell;
use gridrace_shared::util::clock_estimate::ClockEstimate;
use gridrace_shared::util::time::ClientInstant;
use std::io::ErrorKind;
use std::time::Duration;

/// How many quick pings come first, so that the offset is known well before GO.
const QUICK_PINGS: u8 = 5;
/// The time between the first pings.
const QUICK_PING_INTERVAL: Duration = Duration::from_millis(150);
/// The time between pings: the offset stays fresh, and a lost connection shows soon.
const PING_INTERVAL: Duration = Duration::from_secs(2);
/// The longest silence, pings unanswered, before the connection counts as dead.
const MAX_SILENCE: Duration = Duration::from_secs(10);

pub(super) fn dial(model: &mut Model, goal: Goal) {
    let address = goal.address.clone();
    model.clock = ClockEstimate::default();
    model.connection = ConnectionModel {
        status: ConnectionStatus::Dialling,
        goal: Some(goal),
        ..ConnectionModel::default()
    };
    model.emit(Effect::Connect { address });
}

/// Sends the first request, for the seat if there is one to resume.
pub(super) fn connected(model: &mut Model, server: String) {
    let connection = &mut model.connection;
    connection.server = server;
    connection.status = ConnectionStatus::Up;
    connection.new_clock = true;
    connection.heard = model.now;
    connection.next_ping = model.now;
    connection.quick_pings = QUICK_PINGS;
    let Some(goal) = &connection.goal else {
        connection.status = ConnectionStatus::Idle;
        return model.emit(Effect::Disconnect);
    };
    let (entry, is_tournament) = (goal.request(), goal.intent.is_tournament());
    let resume = connection.state.resume_request();
    let address = goal.address.parse::<Address>().ok().filter(is_this_machine);
    let port = address.filter(|it| !it.is_secure()).map(|it| it.port());
    // What tournaments answer is their own; a seat at a table is resumed besides.
    connection.state.awaiting = !is_tournament || resume.is_some();
    ping(model);
    if let Some(own) = model.own_server.as_ref().filter(|_| model.is_on_own_server()) {
        model.invitation.clone_from(&own.invitation);
    }
    if let Some(port) = port.filter(|_| !model.is_on_own_server() && model.invitation.is_empty()) {
        model.emit(Effect::FindOwnAddresses { port });
    }
    match (is_tournament, resume) {
        (true, resume) => {
            model.send(entry);
            resume.into_iter().for_each(|resume| model.send(resume));
        }
        (false, resume) => model.send(resume.unwrap_or(entry)),
    }
}

/// Takes in at which addresses others reach the server on this machine.
pub(super) fn found_own_addresses(model: &mut Model, addresses: Vec<String>) {
    let goal = model.connection.goal.as_ref().and_then(|goal| goal.address.parse().ok());
    if goal.as_ref().is_some_and(is_this_machine) && model.invitation.is_empty() {
        model.is_loopback_only = addresses.is_empty();
        model.invitation = addresses;
    }
}

/// Reacts to a connection that failed or was lost.
pub(super) fn lost(model: &mut Model, why: NetError) {
    let Some(goal) = model.connection.goal.clone() else { return };
    let comes_back = model.shown_heat().is_some() || model.tournament.is_some();
    match comes_back.then(|| model.connection.state.lost(why)).flatten() {
        Some(retry) => reconnect(model, &goal, why, retry),
        None => give_up(model, &goal, why),
    }
}

/// Notes when the next attempt begins.
pub(super) fn pausing(model: &mut Model, next: ClientInstant) {
    if let ConnectionStatus::Lost { until, .. } = &mut model.connection.status {
        *until = Some(next);
    }
}

/// Tries again later to resume the seat.
pub(super) fn resume_later(model: &mut Model) {
    model.emit(Effect::Disconnect);
    lost(model, NetError::TimedOut);
}

/// Sends what is due, and gives up a silent connection.
pub(super) fn tick(model: &mut Model) {
    if model.connection.status != ConnectionStatus::Up {
        return;
    }
    if model.now.since(model.connection.heard) > MAX_SILENCE {
        model.emit(Effect::Disconnect);
        return lost(model, NetError::Lost(ErrorKind::TimedOut));
    }
    racing::send_due(model);
    if model.now >= model.connection.next_ping {
        ping(model);
    }
}

/// Leaves the room, and the server as well if it was started for this room.
pub(super) fn leave(model: &mut Model) {
    if model.tournament.is_some() {
        return table::leave_room(model);
    }
    let on_own_server = model.own_server.as_ref().is_some_and(|server| {
        model.connection.goal.as_ref().is_some_and(|goal| goal.address == server.address)
    });
    model.send(ClientMessage::Leave);
    go_home(model, None);
    if on_own_server {
        model.notice("The server keeps running until this program ends.");
    }
}

/// Disconnects and goes home, showing what went wrong.
pub(super) fn go_home(model: &mut Model, complaint: Option<String>) {
    disconnect(model);
    model.screen = Screen::Home(Home::at(model.home_choice));
    if let Some(complaint) = complaint {
        model.rest_keys();
        model.complain(complaint);
        // The player may not have looked while attempts failed: this stays until a key.
        if let Some(notice) = &mut model.notice {
            notice.until = ClientInstant(u64::MAX);
        }
    }
}

/// Disconnects, forgets what was about the connection, and stops the server that was started for the
/// room.
fn disconnect(model: &mut Model) {
    model.overlay = None;
    model.notice = None;
    model.announcement = None;
    model.tournament = None;
    model.connection = ConnectionModel::default();
    model.invitation.clear();
    model.is_loopback_only = false;
    model.opening = None;
    model.emit(Effect::Disconnect);
    if std::mem::take(&mut model.hosting) {
        model.emit(Effect::StopServer);
    }
}

/// Disconnects and shows a form, which says what went wrong.
pub(super) fn back_to_form(model: &mut Model, form: JoinForm) {
    let is_in_room = model.shown_heat().is_some() || model.tournament.is_some();
    if is_in_room && form.error().is_some() {
        model.rest_keys();
    }
    disconnect(model);
    model.screen = Screen::Join(JoinForm { busy: false, ..form });
}

/// Takes a key while connecting: only the way back is open, to the form that led here if there is
/// one.
pub(super) fn press_waiting(model: &mut Model, key: KeyEvent) {
    if !matches!(keymap::list(key), Some(ListKey::Back | ListKey::Letter('q'))) {
        return model.ignore(DEAD_KEY);
    }
    match model.join_form().cloned() {
        Some(form) => back_to_form(model, form),
        None => go_home(model, None),
    }
}

fn ping(model: &mut Model) {
    let connection = &mut model.connection;
    let pause = if connection.quick_pings > 0 { QUICK_PING_INTERVAL } else { PING_INTERVAL };
    connection.quick_pings = connection.quick_pings.saturating_sub(1);
    connection.next_ping = model.now + pause;
    model.send(ClientMessage::Ping { sent: model.now });
}

fn reconnect(model: &mut Model, goal: &Goal, why: NetError, retry: Retry) {
    let Retry { attempt, wish } = retry;
    if model.is_on_own_server() && model.connection.state.farewell == Some(Farewell::ShuttingDown) {
        // The server runs in this program, and doesn't come back before the program does.
        return go_home(model, Some("The server has shut down.".to_owned()));
    }
    if attempt == 0 {
        // An overlay of before may be about a heat that is gone, but what is typed isn't lost; one
        // opened later stays.
        if !model.overlay.as_ref().is_some_and(Overlay::takes_text) {
            model.close_overlay();
        }
        model.connection.lost_at = model.now;
    }
    model.connection.status = ConnectionStatus::Lost { attempt, why, until: None };
    if let Some(tournament) = &mut model.tournament {
        (tournament.is_current, tournament.follow_refusals) = (false, 0);
    }
    model.emit(Effect::Retry { address: goal.address.clone(), attempt, wish });
}

/// Goes back to the form that led to the server, and says why there.
fn give_up(model: &mut Model, goal: &Goal, why: NetError) {
    let text = match (model.connection.state.farewell, why) {
        (Some(farewell), NetError::Closed { .. }) => format::sentence(&farewell.to_string()),
        _ => format::sentence(&why.at(&goal.address)),
    };
    let is_on_the_way = matches!(model.screen, Screen::Waiting(_) | Screen::ChooseTournament(_));
    let new_form = || JoinForm::of_goal(goal).filter(|_| is_on_the_way);
    let Some(mut form) = model.join_form().cloned().or_else(new_form) else {
        return go_home(model, Some(text));
    };
    let is_temporary = matches!(
        why,
        NetError::Unavailable { .. }
            | NetError::Dismissed(_)
            | NetError::Lost(_)
            | NetError::Closed { .. }
            | NetError::Malformed
    );
    form.fail((!is_temporary).then_some(JoinFormError::Address), text);
    back_to_form(model, form);
}
