//! The connection: made, kept alive, lost, made again.

use crate::net::NetError;
use crate::tui::effect::Command;
use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{
    Errand, Goal, Home, JoinForm, JoinFormError, Line, Link, Model, Return, Screen,
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
/// Microseconds between pings: the offset stays fresh, and a line that is lost shows soon.
const PING_MICROS: u64 = 2_000_000;
/// Microseconds without a word, pings unanswered, after which the connection is dead.
const SILENCE_MICROS: u64 = 10_000_000;

/// Sets out for a server.
pub(super) fn dial(model: &mut Model, goal: Goal) -> Vec<Command> {
    let address = goal.address.clone();
    model.clock = ClockEstimate::default();
    model.link = Link { line: Line::Dialling, goal: Some(goal), ..Link::default() };
    vec![Command::Connect { address }]
}

/// Says why one came, now that the connection stands: for one's seat, if there is one.
pub(super) fn connected(model: &mut Model, server: String) -> Vec<Command> {
    let in_heat = model.heat().is_some();
    let link = &mut model.link;
    link.server = server;
    link.farewell = None;
    link.line = Line::Up;
    link.new_clock = true;
    link.heard = model.now;
    link.next_ping = model.now;
    link.quick_pings = QUICK_PINGS;
    let Some(goal) = &link.goal else {
        link.line = Line::Idle;
        return vec![Command::Disconnect];
    };
    link.asked = true;
    let request = match link.key.as_ref().filter(|_| in_heat) {
        Some(key) => {
            link.way_back = Return::Asked;
            Command::Send(key.request())
        }
        None => Command::Send(goal.request()),
    };
    let mut commands = ping(model);
    commands.push(request);
    commands
}

/// Takes in that there is no connection, or no longer.
pub(super) fn lost(model: &mut Model, why: NetError) -> Vec<Command> {
    let goal = model.link.goal.clone();
    let in_heat = model.heat().is_some();
    match (goal, in_heat) {
        (None, _) => Vec::new(),
        (Some(goal), true) if why.may_retry() => retry(model, &goal, why),
        (Some(goal), _) => give_up(model, &goal, why),
    }
}

/// Takes in when the next attempt comes.
pub(super) fn pausing(model: &mut Model, next: ClientInstant) -> Vec<Command> {
    if let Line::Lost { until, .. } = &mut model.link.line {
        *until = Some(next);
    }
    Vec::new()
}

/// Tries again later to take up the seat.
pub(super) fn resume_later(model: &mut Model) -> Vec<Command> {
    let mut commands = vec![Command::Disconnect];
    commands.extend(lost(model, NetError::TimedOut));
    commands
}

/// Sends what is due, and notices silence.
pub(super) fn tick(model: &mut Model) -> Vec<Command> {
    if model.link.line != Line::Up {
        return Vec::new();
    }
    if model.now.0.saturating_sub(model.link.heard.0) > SILENCE_MICROS {
        let mut commands = vec![Command::Disconnect];
        commands.extend(lost(model, NetError::Lost(ErrorKind::TimedOut)));
        return commands;
    }
    let mut commands = racing::send_due(model);
    if model.now >= model.link.next_ping {
        commands.extend(ping(model));
    }
    commands
}

/// Goes home, away from any server, with what went wrong.
pub(super) fn go_home(model: &mut Model, complaint: Option<String>) -> Vec<Command> {
    model.screen = Screen::Home(Home::default());
    model.overlay = None;
    model.link = Link::default();
    model.invitation.clear();
    if let Some(complaint) = complaint {
        model.complain(complaint);
        // Nobody may have looked while attempts failed: this waits for a key.
        if let Some(notice) = &mut model.notice {
            notice.until = ClientInstant(u64::MAX);
        }
    }
    let mut commands = vec![Command::Disconnect];
    if std::mem::take(&mut model.hosting) {
        commands.push(Command::Unhost);
    }
    commands
}

/// Takes a key while a server is waited for.
pub(super) fn press_waiting(model: &mut Model, key: KeyEvent) -> Vec<Command> {
    match keymap::list(key) {
        Some(ListKey::Back | ListKey::Letter('q')) => go_home(model, None),
        Some(ListKey::Up | ListKey::Down | ListKey::Take | ListKey::Letter(_)) | None => Vec::new(),
    }
}

fn ping(model: &mut Model) -> Vec<Command> {
    let link = &mut model.link;
    let pause = if link.quick_pings > 0 { QUICK_PING_MICROS } else { PING_MICROS };
    link.quick_pings = link.quick_pings.saturating_sub(1);
    link.next_ping = ClientInstant(model.now.0.saturating_add(pause));
    vec![Command::Send(ClientMessage::Ping { sent: model.now })]
}

fn retry(model: &mut Model, goal: &Goal, why: NetError) -> Vec<Command> {
    // A connection that breaks before one is back in the heat is one more that failed.
    let attempt = model.link.attempts;
    model.link.attempts = attempt.saturating_add(1);
    let own = model.hosting || !model.invitation.is_empty();
    if own && model.link.farewell == Some(Farewell::ShuttingDown) {
        // The server of this program itself, which doesn't come back before the program does.
        return go_home(model, Some("The server has shut down.".to_owned()));
    }
    if attempt == 0 {
        // What was open spoke of a heat that may be gone; what is opened since stays.
        model.overlay = None;
        model.link.lost_at = model.now;
    }
    model.link.line = Line::Lost { attempt, why, until: None };
    model.link.asked = false;
    model.link.way_back = Return::None;
    let wish = match (why, model.link.farewell) {
        (NetError::Closed { .. }, Some(farewell)) => NetError::Turned(farewell).wish(),
        _ => why.wish(),
    };
    vec![Command::Retry { address: goal.address.clone(), attempt, wish }]
}

/// Goes back to where the way began, and says why there.
fn give_up(model: &mut Model, goal: &Goal, why: NetError) -> Vec<Command> {
    let text = match (model.link.farewell, why) {
        (Some(farewell), NetError::Closed { .. }) => farewell.to_string(),
        _ => why.to_string(),
    };
    let form = match (&model.screen, &goal.errand) {
        (Screen::Join(form), _) => Some(form.clone()),
        (Screen::Choose(choose), _) => Some(choose.form.clone()),
        (Screen::Waiting(_), Errand::Join { code, role }) => Some(
            JoinForm::new(&goal.address, Some(*code), &goal.name, *role)
                .with_pin(goal.pin.as_ref()),
        ),
        (Screen::Waiting(_), Errand::List { role }) => {
            Some(JoinForm::new(&goal.address, None, &goal.name, *role).with_pin(goal.pin.as_ref()))
        }
        (Screen::Waiting(_), Errand::Open { .. })
        | (Screen::Home(_) | Screen::Heat(_) | Screen::Replay(_), _) => None,
    };
    let Some(mut form) = form else {
        return go_home(model, Some(text));
    };
    form.fail(fault_of(why), text);
    model.screen = Screen::Join(form);
    model.link = Link::default();
    vec![Command::Disconnect]
}

/// Returns the line of the form that led there, where it is to blame.
const fn fault_of(why: NetError) -> Option<JoinFormError> {
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
        | NetError::Turned(_)
        | NetError::Lost(_)
        | NetError::Closed { .. }
        | NetError::Malformed => None,
    }
}
