//! The connection: connecting, keep-alive, loss, reconnecting.

use crate::net::NetError;
use crate::session::Retry;
use crate::tui::effect::Effect;
use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{
    Connection, ConnectionStatus, Goal, Home, Intent, JoinForm, JoinFormError, Model, Screen,
};
use crate::tui::update::racing;
use crossterm::event::KeyEvent;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::Farewell;
use gridrace_shared::util::time::{ClientInstant, ClockEstimate};
use std::io::ErrorKind;

/// How many quick pings come first, so that the offset is known well before GO.
const QUICK_PINGS: u8 = 5;
/// Microseconds between the first pings.
const QUICK_PING_MICROS: u64 = 150_000;
/// Microseconds between pings: the offset stays fresh, and a lost connection shows soon.
const PING_MICROS: u64 = 2_000_000;
/// Microseconds of silence, pings unanswered, after which the connection is dead.
const SILENCE_MICROS: u64 = 10_000_000;

pub(super) fn dial(model: &mut Model, goal: Goal) -> Vec<Effect> {
    let address = goal.address.clone();
    model.clock = ClockEstimate::default();
    model.connection = Connection {
        status: ConnectionStatus::Dialling,
        goal: Some(goal),
        ..Connection::default()
    };
    vec![Effect::Connect { address }]
}

/// Sends the first request, for the seat if there is one to resume.
pub(super) fn connected(model: &mut Model, server: String) -> Vec<Effect> {
    let connection = &mut model.connection;
    connection.server = server;
    connection.status = ConnectionStatus::Up;
    connection.new_clock = true;
    connection.heard = model.now;
    connection.next_ping = model.now;
    connection.quick_pings = QUICK_PINGS;
    let Some(goal) = &connection.goal else {
        connection.status = ConnectionStatus::Idle;
        return vec![Effect::Disconnect];
    };
    let entry = goal.request();
    let request = connection.state.resume_request().unwrap_or(entry);
    connection.state.awaiting = true;
    let mut commands = ping(model);
    commands.push(Effect::Send(request));
    commands
}

/// Reacts to a connection that failed or was lost.
pub(super) fn lost(model: &mut Model, why: NetError) -> Vec<Effect> {
    let goal = model.connection.goal.clone();
    let in_heat = model.heat().is_some();
    match (goal, in_heat) {
        (None, _) => Vec::new(),
        (Some(goal), true) => match model.connection.state.lost(why) {
            Some(retry) => reconnect(model, &goal, why, retry),
            None => give_up(model, &goal, why),
        },
        (Some(goal), false) => give_up(model, &goal, why),
    }
}

/// Notes when the next attempt begins.
pub(super) fn pausing(model: &mut Model, next: ClientInstant) -> Vec<Effect> {
    if let ConnectionStatus::Lost { until, .. } = &mut model.connection.status {
        *until = Some(next);
    }
    Vec::new()
}

/// Tries again later to resume the seat.
pub(super) fn resume_later(model: &mut Model) -> Vec<Effect> {
    let mut commands = vec![Effect::Disconnect];
    commands.extend(lost(model, NetError::TimedOut));
    commands
}

/// Sends what is due, and gives up a silent connection.
pub(super) fn tick(model: &mut Model) -> Vec<Effect> {
    if model.connection.status != ConnectionStatus::Up {
        return Vec::new();
    }
    if model.now.0.saturating_sub(model.connection.heard.0) > SILENCE_MICROS {
        let mut commands = vec![Effect::Disconnect];
        commands.extend(lost(model, NetError::Lost(ErrorKind::TimedOut)));
        return commands;
    }
    let mut commands = racing::send_due(model);
    if model.now >= model.connection.next_ping {
        commands.extend(ping(model));
    }
    commands
}

/// Disconnects and goes home, showing what went wrong.
pub(super) fn go_home(model: &mut Model, complaint: Option<String>) -> Vec<Effect> {
    model.screen = Screen::Home(Home::default());
    model.overlay = None;
    model.connection = Connection::default();
    model.invitation.clear();
    if let Some(complaint) = complaint {
        model.complain(complaint);
        // The player may not have looked while attempts failed: this stays until a key.
        if let Some(notice) = &mut model.notice {
            notice.until = ClientInstant(u64::MAX);
        }
    }
    let mut commands = vec![Effect::Disconnect];
    if std::mem::take(&mut model.hosting) {
        commands.push(Effect::Unhost);
    }
    commands
}

/// Takes a key while connecting.
pub(super) fn press_waiting(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    match keymap::list(key) {
        Some(ListKey::Back | ListKey::Letter('q')) => go_home(model, None),
        Some(ListKey::Up | ListKey::Down | ListKey::Take | ListKey::Letter(_)) | None => Vec::new(),
    }
}

fn ping(model: &mut Model) -> Vec<Effect> {
    let connection = &mut model.connection;
    let pause = if connection.quick_pings > 0 { QUICK_PING_MICROS } else { PING_MICROS };
    connection.quick_pings = connection.quick_pings.saturating_sub(1);
    connection.next_ping = ClientInstant(model.now.0.saturating_add(pause));
    vec![Effect::Send(ClientMessage::Ping { sent: model.now })]
}

fn reconnect(model: &mut Model, goal: &Goal, why: NetError, retry: Retry) -> Vec<Effect> {
    let Retry { attempt, wish } = retry;
    let own = model.hosting || !model.invitation.is_empty();
    if own && model.connection.state.farewell == Some(Farewell::ShuttingDown) {
        // The server runs in this program, and doesn't come back before the program does.
        return go_home(model, Some("The server has shut down.".to_owned()));
    }
    if attempt == 0 {
        // An overlay of before may be about a heat that is gone; one opened later stays.
        model.overlay = None;
        model.connection.lost_at = model.now;
    }
    model.connection.status = ConnectionStatus::Lost { attempt, why, until: None };
    vec![Effect::Retry { address: goal.address.clone(), attempt, wish }]
}

/// Goes back to the form that led here, and says why there.
fn give_up(model: &mut Model, goal: &Goal, why: NetError) -> Vec<Effect> {
    let text = match (model.connection.state.farewell, why) {
        (Some(farewell), NetError::Closed { .. }) => farewell.to_string(),
        _ => why.to_string(),
    };
    let form = match (&model.screen, &goal.intent) {
        (Screen::Join(form), _) => Some(form.clone()),
        (Screen::Choose(choose), _) => Some(choose.form.clone()),
        (Screen::Waiting(_), Intent::Join { code, role }) => Some(
            JoinForm::new(&goal.address, Some(*code), &goal.name, *role)
                .with_pin(goal.pin.as_ref()),
        ),
        (Screen::Waiting(_), Intent::List { role }) => {
            Some(JoinForm::new(&goal.address, None, &goal.name, *role).with_pin(goal.pin.as_ref()))
        }
        (Screen::Waiting(_), Intent::Open { .. })
        | (Screen::Home(_) | Screen::Heat(_) | Screen::Replay(_), _) => None,
    };
    let Some(mut form) = form else {
        return go_home(model, Some(text));
    };
    form.fail(field_of(why), text);
    model.screen = Screen::Join(form);
    model.connection = Connection::default();
    vec![Effect::Disconnect]
}

/// Returns the field of the form that is to blame, if one is.
const fn field_of(why: NetError) -> Option<JoinFormError> {
    match why {
        NetError::Address(_)
        | NetError::Unknown
        | NetError::Unreachable(_)
        | NetError::Untrusted(_)
        | NetError::NoTls
        | NetError::NotPlain
        | NetError::NotGridrace
        | NetError::Version { .. }
        | NetError::TimedOut => Some(JoinFormError::Address),
        NetError::Unavailable { .. }
        | NetError::Dismissed(_)
        | NetError::Lost(_)
        | NetError::Closed { .. }
        | NetError::Malformed => None,
    }
}
