//! Messages of the server.

use crate::session::{Entered, Refused, ResumeTicket};
use crate::tui::effect::Effect;
use crate::tui::model::{
    Connection, ConnectionStatus, Heat, Intent, JoinFormError, Model, Overlay, Screen,
};
use crate::tui::update::{connection, heat, join, racing, results};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat_view::Change;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::{Farewell, Refusal, Rejection, ServerMessage};
use gridrace_shared::protocol::snapshot::Snapshot;
use gridrace_shared::util::time::{ClientInstant, ClockEstimate, PingTimes};

/// How many names are tried if the first is taken.
const NAME_VARIANTS: u32 = 6;

/// Applies a message that arrived at an instant.
pub(super) fn received(
    model: &mut Model,
    arrived: ClientInstant,
    message: ServerMessage,
) -> Vec<Effect> {
    model.connection.heard = model.now;
    if let ServerMessage::Pong { sent, received, replied } = message {
        learn(model, PingTimes { sent, received, replied, arrived })
    } else if let ServerMessage::Heats(heats) = message {
        join::listed(model, heats)
    } else if let ServerMessage::Joined { you, heat } = message {
        joined(model, you, *heat)
    } else if let ServerMessage::Token { code, player, token } = message {
        let confirmation = model.connection.state.ticket(ResumeTicket { code, player, token });
        confirmation.map(Effect::Send).into_iter().collect()
    } else if let ServerMessage::Refused(why) = message {
        refused(model, why)
    } else if let ServerMessage::Goodbye(farewell) = message {
        goodbye(model, farewell)
    } else {
        apply(model, &message)
    }
}

/// Applies a message about the heat.
fn apply(model: &mut Model, message: &ServerMessage) -> Vec<Effect> {
    let now = model.now;
    let Some(heat) = model.heat_mut() else {
        return Vec::new();
    };
    let was_host = heat.is_host();
    match heat.apply(now, message) {
        Change::Roster => {
            if heat.is_host() && !was_host {
                model.notice("You are the host now.");
            }
            Vec::new()
        }
        Change::Phase => heat::enter(model),
        Change::Accepted | Change::Resynced => racing::send_due(model),
        Change::Rejected(seq, why) => {
            if why != Rejection::Busy {
                model.complain(format!("Move {seq} taken back: {why}."));
            }
            Vec::new()
        }
        Change::Recording => {
            if heat.unrecorded {
                model.complain("The server's disk is full or fails: the heat isn't recorded.");
            } else {
                model.notice("The server's disk has room again: the heat is recorded.");
            }
            Vec::new()
        }
        Change::None
        | Change::Setup
        | Change::Standings
        | Change::Boards
        | Change::Hint
        | Change::Rated => Vec::new(),
    }
}

fn learn(model: &mut Model, ping: PingTimes) -> Vec<Effect> {
    if std::mem::take(&mut model.connection.new_clock) {
        model.clock = ClockEstimate::default();
    }
    model.clock.learn(ping);
    Vec::new()
}

/// Enters a heat, or comes back to it. What was to follow on opening it follows now.
fn joined(model: &mut Model, you: PlayerId, snapshot: Snapshot) -> Vec<Effect> {
    if model.connection.state.joined() == Entered::Resumed {
        return resumed(model, snapshot);
    }
    let Some(goal) = &mut model.connection.goal else {
        return vec![Effect::Send(ClientMessage::Leave)];
    };
    let by_key = snapshot.seat.is_some();
    let heat = Heat::new(you, snapshot);
    let again = matches!(model.screen, Screen::Heat(_));
    let name = goal.name();
    let renamed = goal.variant > 1;
    let role = match &goal.intent {
        Intent::Open { .. } => Role::Player,
        Intent::Join { role, .. } | Intent::List { role } => *role,
    };
    let intent = std::mem::replace(&mut goal.intent, Intent::Join { code: heat.code, role });
    model.screen = Screen::Heat(Box::new(heat));
    if by_key {
        model.notice("Back in your seat.");
    } else if again {
        model.notice(format!("Back as a new player, {name}; the old seat can't be taken back."));
    } else if renamed {
        model.notice(format!("That name was taken: you are {name} here."));
    }
    let check = results::check(model);
    match intent {
        Intent::Open { bots, start, seed, .. } => {
            model.connection.own_seed = seed;
            let bots = bots.into_iter().map(|skill| ClientMessage::AddBot { skill });
            bots.chain(start.then_some(ClientMessage::Start)).map(Effect::Send).collect()
        }
        Intent::Join { .. } | Intent::List { .. } => check,
    }
}

/// Comes back to the seat: unanswered moves are sent again.
fn resumed(model: &mut Model, snapshot: Snapshot) -> Vec<Effect> {
    let Some(heat) = model.heat_mut() else {
        return vec![Effect::Send(ClientMessage::Leave)];
    };
    heat.resume(snapshot);
    model.notice("Back in your seat.");
    let mut commands = results::check(model);
    commands.extend(racing::send_due(model));
    commands
}

fn refused(model: &mut Model, why: Refusal) -> Vec<Effect> {
    match model.connection.state.refused(why) {
        Refused::Proof => {
            let text = "Nobody knows you here: the proof of your key does not hold.";
            model.complain(text);
            Vec::new()
        }
        Refused::ResumeForNow => connection::resume_later(model),
        Refused::Resume => refused_resume(model, why),
        Refused::Entry => refused_entry(model, why),
        Refused::Request => refused_request(model, why),
    }
}

fn refused_request(model: &mut Model, why: Refusal) -> Vec<Effect> {
    apply(model, &ServerMessage::Refused(why));
    if let (Refusal::Options(error), Some(Overlay::Options(form))) = (why, &mut model.overlay) {
        form.blame(error);
    }
    model.complain(sentence(&why.to_string()));
    Vec::new()
}

/// Goes home, as the server doesn't give the seat back.
fn refused_resume(model: &mut Model, why: Refusal) -> Vec<Effect> {
    let text = if why == Refusal::NotResumed {
        "Your seat is gone: it was kept for a while, and then given up.".to_owned()
    } else {
        sentence(&why.to_string())
    };
    connection::go_home(model, Some(text))
}

/// Goes back to the form, as the server refused the entry or the list.
fn refused_entry(model: &mut Model, why: Refusal) -> Vec<Effect> {
    let Some(goal) = &mut model.connection.goal else {
        return Vec::new();
    };
    if why == Refusal::NameTaken && goal.variant < NAME_VARIANTS {
        // Often it is one's own seat, whose connection was lost.
        goal.variant += 1;
        model.connection.state.awaiting = true;
        return vec![Effect::Send(goal.request())];
    }
    let text = sentence(&why.to_string());
    let mut form = match &model.screen {
        Screen::Join(form) => form.clone(),
        Screen::Choose(choose) => choose.form.clone(),
        Screen::Home(_) | Screen::Waiting(_) | Screen::Heat(_) | Screen::Replay(_) => {
            return connection::go_home(model, Some(text));
        }
    };
    let field = if why == Refusal::NoSuchHeat {
        Some(JoinFormError::Code)
    } else if why == Refusal::WrongPin {
        Some(JoinFormError::Pin)
    } else if matches!(why, Refusal::Name(_) | Refusal::NameTaken) {
        Some(JoinFormError::Name)
    } else {
        None
    };
    form.fail(field, text);
    model.screen = Screen::Join(form);
    model.connection = Connection::default();
    vec![Effect::Disconnect]
}

/// Goes home if the host sent the player away. Otherwise the close that follows decides.
fn goodbye(model: &mut Model, farewell: Farewell) -> Vec<Effect> {
    model.connection.state.farewell = Some(farewell);
    match farewell {
        Farewell::Kicked => connection::go_home(model, Some(sentence(&farewell.to_string()))),
        Farewell::ShuttingDown
        | Farewell::TooSlow
        | Farewell::Flooding
        | Farewell::Malformed
        | Farewell::Silent
        | Farewell::Superseded
        | Farewell::Version { .. }
        | Farewell::Busy { .. }
        | Farewell::Broken => {
            if model.connection.status == ConnectionStatus::Up {
                model.complain(sentence(&farewell.to_string()));
            }
            Vec::new()
        }
    }
}

/// Makes an error's text a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String =
        letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
