//! The tables of a tournament: the way to them and back.

use crate::display::format;
use crate::session::ConnectionState;
use crate::tui::model::{ConnectionStatus, Goal, HeatModel, HeatPhase, Model, Screen};
use crate::tui::update::requests::NO_CONNECTION;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::server::Refusal;
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::protocol::tournament::TableCall;
use std::time::Duration;

/// How long the results of a board stay before the tournament's screen is back.
const RESULTS_SHOWN: Duration = Duration::from_secs(8);
/// The pause before a seat is asked for again that was refused.
const REJOIN_PAUSE: Duration = Duration::from_secs(1);

/// Goes to a table, unless the player is there already.
pub(super) fn go_to(model: &mut Model, call: TableCall) {
    if room(model) == Some(call.code) {
        return;
    }
    if model.connection.state.awaiting {
        if let Some(tournament) = &mut model.tournament {
            tournament.missed_call = true;
        }
        return;
    }
    if room(model).is_some() {
        model.send(ClientMessage::Leave);
        left(model);
    }
    join(model, call.code, Role::Player);
}

/// Returns the code of the room that the client is in.
fn room(model: &Model) -> Option<RoomCode> {
    let front = if let Screen::Heat(heat) = &model.screen { Some(heat.code) } else { None };
    front.or_else(|| model.tournament.as_ref().and_then(|tournament| tournament.room()))
}

/// Asks for a place in a room, unless the answer to such a request is still awaited. Without a
/// connection nothing is asked, and so no answer awaited.
pub(super) fn join(model: &mut Model, code: RoomCode, role: Role) {
    if model.connection.status != ConnectionStatus::Up {
        return model.complain(NO_CONNECTION);
    }
    if model.connection.state.awaiting {
        return;
    }
    let Some(goal) = &model.connection.goal else { return };
    let entrant = Entrant { name: goal.name(), bot: false };
    let pin = goal.pin.clone();
    model.connection.state.awaiting = true;
    model.send(ClientMessage::Join { code, entrant, role, pin });
}

/// Takes in that a room of the tournament was joined.
pub(super) fn joined(model: &mut Model, heat: HeatModel) {
    let Some(tournament) = &mut model.tournament else { return };
    tournament.rejoin_at = None;
    tournament.wants_table = None;
    tournament.heat = Some(Box::new(heat));
    let missed_call = std::mem::take(&mut tournament.missed_call);
    arrange(model);
    if missed_call {
        call_again(model);
    }
}

/// Takes in that the seat, or the place of a spectator, is refused for now.
pub(super) fn refused_seat(model: &mut Model, why: Refusal) {
    left(model);
    if why == Refusal::NameTaken && watch_by_next_name(model) {
        return;
    }
    let Some(tournament) = &mut model.tournament else { return };
    tournament.rejoin_at = Some(model.now + REJOIN_PAUSE);
    if why != Refusal::NoSuchRoom && why != Refusal::NotResumed {
        model.complain(format::sentence(&why.to_string()));
    }
}

/// Asks to watch the table under the cursor under the next variant of the name. Returns whether there is
/// one.
fn watch_by_next_name(model: &mut Model) -> bool {
    let code = model.tournament.as_ref().and_then(|tournament| tournament.chosen_table()?.room);
    let has_next = model.connection.goal.as_mut().is_some_and(Goal::next_variant);
    let Some(code) = code.filter(|_| has_next) else { return false };
    join(model, code, Role::Spectator);
    true
}

/// Takes in that the client isn't in a room any more, and shows the tournament.
pub(super) fn left(model: &mut Model) {
    model.connection.state =
        ConnectionState { attempts: model.connection.state.attempts, ..ConnectionState::default() };
    let Some(tournament) = &mut model.tournament else { return };
    tournament.heat = None;
    tournament.wants_table = None;
    if matches!(model.screen, Screen::Heat(_)) {
        model.screen = Screen::Tournament;
        model.overlay = None;
    }
}

/// Takes in that a table is closed.
pub(super) fn table_closed(model: &mut Model) {
    let code = room(model);
    if let Some(tournament) = &mut model.tournament {
        tournament.view.call.take_if(|call| Some(call.code) == code);
    }
    left(model);
    call_again(model);
}

/// Goes to the table that waits for the player, if there is one.
pub(super) fn call_again(model: &mut Model) {
    if let Some(call) = model.tournament.as_ref().and_then(|tournament| tournament.view.call) {
        go_to(model, call);
    }
}

/// Brings the room to the front in which a race begins or ends. Before that [`arrange`] shows it
/// when it is due, as the player may be busy with the tournament.
pub(super) fn phase_changes(model: &mut Model, phase: &Phase) {
    let Some(tournament) = &mut model.tournament else { return };
    tournament.wants_table = None;
    if matches!(phase, Phase::Over(_)) {
        tournament.results_until = model.now + RESULTS_SHOWN;
    }
    if matches!(phase, Phase::Running { .. } | Phase::Over(_))
        && let Some(heat) = tournament.heat.take()
    {
        model.screen = Screen::Heat(heat);
    }
}

/// Shows the room or the tournament, whichever is due.
pub(super) fn arrange(model: &mut Model) {
    let Some(tournament) = &model.tournament else { return };
    let (is_front, heat) = match (&model.screen, &tournament.heat) {
        (Screen::Heat(heat), _) => (true, heat),
        (Screen::Tournament, Some(heat)) => (false, heat),
        _ => return,
    };
    let shows_table = model.shows_table(tournament, heat);
    if shows_table == is_front {
        return;
    }
    // A question or a form isn't taken away by itself, unless a race begins.
    let is_urgent =
        shows_table && matches!(heat.phase, HeatPhase::Racing(_) | HeatPhase::Countdown { .. });
    if model.overlay.is_some() && !is_urgent {
        return;
    }
    model.close_overlay();
    let Some(tournament) = &mut model.tournament else { return };
    if shows_table {
        if let Some(heat) = tournament.heat.take() {
            model.screen = Screen::Heat(heat);
        }
    } else if let Screen::Heat(heat) = std::mem::replace(&mut model.screen, Screen::Tournament) {
        tournament.heat = Some(heat);
    }
}

/// Leaves a room of the tournament: a player's own table only goes out of sight, unless it is raced
/// there.
pub(super) fn leave_room(model: &mut Model) {
    let keeps = model.shown_heat().is_some_and(|heat| heat.is_player() && heat.race().is_none());
    if keeps {
        if let Some(tournament) = &mut model.tournament {
            tournament.wants_table = Some(false);
        }
        return arrange(model);
    }
    model.send(ClientMessage::Leave);
    left(model);
}
