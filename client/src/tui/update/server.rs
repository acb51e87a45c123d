//! Messages of the server.

use crate::display::format;
use crate::session::{Entered, Refused, ResumeTicket};
use crate::tui::model::{
    ConnectionStatus, Goal, HeatModel, Intent, JoinForm, JoinFormError, Model, NewRoom, Overlay,
    Screen,
};
use crate::tui::update::{connection, host_menu, join, practice, racing, results};
use crate::tui::update::{table, tournament};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat_view::HeatChange;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::server::{
    Farewell, RecordingStatus, Refusal, Rejection, ServerMessage,
};
use gridrace_shared::protocol::snapshot::{Setup, Snapshot};
use gridrace_shared::util::clock_estimate::{ClockEstimate, PingTimes};
use gridrace_shared::util::time::ClientInstant;

/// Applies a message that arrived at an instant.
pub(super) fn received(model: &mut Model, arrived: ClientInstant, message: ServerMessage) {
    model.connection.heard = model.now;
    let chosen = host_menu::chosen_entry(model);
    match message {
        ServerMessage::Pong { sent, received, replied } => {
            learn(model, PingTimes { sent, received, replied, arrived });
        }
        ServerMessage::Rooms(rooms) => join::listed(model, rooms),
        ServerMessage::Results(results) => results::own_results(model, &results),
        ServerMessage::Joined { you, room } => joined(model, you, *room),
        ServerMessage::Token { code, player, token } => {
            let ticket = ResumeTicket { code, player, token };
            if let Some(confirmation) = model.connection.state.ticket(ticket) {
                model.send(confirmation);
            }
        }
        ServerMessage::Refused(why) => refused(model, why),
        ServerMessage::Goodbye(farewell) => goodbye(model, farewell),
        ServerMessage::Tournament(update) => tournament::updated(model, *update),
        ServerMessage::Welcome { .. } | ServerMessage::Replay(_) => {}
        ServerMessage::Roster(_)
        | ServerMessage::Setup(_)
        | ServerMessage::Phase(_)
        | ServerMessage::Accepted { .. }
        | ServerMessage::Rejected { .. }
        | ServerMessage::Resync(_)
        | ServerMessage::Standings(_)
        | ServerMessage::Moves(_)
        | ServerMessage::Hint { .. }
        | ServerMessage::Rated { .. }
        | ServerMessage::Recording(_)
        | ServerMessage::BoardQueue { .. }
        | ServerMessage::Boards(_)
        | ServerMessage::Closing(_)
        | ServerMessage::Announcement { .. }
        | ServerMessage::HostInfo { .. }
        | ServerMessage::Image(_) => apply(model, &message),
    }
    host_menu::keep_chosen(model, chosen);
}

/// Applies a message about the heat.
fn apply(model: &mut Model, message: &ServerMessage) {
    let now = model.now;
    if let ServerMessage::Phase(phase) = message {
        table::phase_changes(model, phase);
    }
    practice::before(model, message);
    if let (ServerMessage::Recording(status), Some(tournament)) = (message, &mut model.tournament) {
        tournament.recording = *status;
        tell_recording(model, "tournament", *status);
    }
    let Some(heat) = model.joined_heat_mut() else { return };
    let (host, setup) = (heat.roster.host, heat.setup.clone());
    let change = heat.apply(now, message);
    practice::after(model, change);
    table::arrange(model);
    match change {
        HeatChange::Roster => tell_host(model, host),
        HeatChange::Setup => tell_setup(model, &setup),
        HeatChange::Announcement => {
            if let Some(heat) = model.shown_heat()
                && let Some((by, text)) = &heat.announcement
            {
                let line = format!("{}: {text}", heat.name(*by).name);
                model.announce(line);
            }
        }
        HeatChange::Phase => enter_phase(model),
        HeatChange::Accepted | HeatChange::Resynced => racing::send_due(model),
        HeatChange::Rejected(seq, why) => {
            if why != Rejection::Busy {
                model.complain(format!("Move {seq} taken back: {why}."));
            }
        }
        // An organiser has been told already.
        HeatChange::Recording(status) if model.tournament.is_none() => {
            tell_recording(model, "heat", status);
        }
        HeatChange::None
        | HeatChange::Closing
        | HeatChange::HostInfo
        | HeatChange::Image
        | HeatChange::BoardQueue
        | HeatChange::Standings
        | HeatChange::Boards
        | HeatChange::Hint
        | HeatChange::Recording(_)
        | HeatChange::Rated => {}
    }
}

/// Says what the server's disk does to the record of a heat or tournament.
fn tell_recording(model: &mut Model, what: &str, status: RecordingStatus) {
    match status {
        RecordingStatus::Recorded => {
            model.notice(format!("The server's disk works again: the {what} is recorded."));
        }
        RecordingStatus::Slow => {
            model.complain("The server's disk is slow: answers wait for it.");
        }
        RecordingStatus::Unrecorded => {
            model.complain(format!(
                "The server's disk is full or fails: the {what} isn't recorded."
            ));
        }
        RecordingStatus::Damaged => {
            model.complain("The server goes on from an earlier state: the last moves may be lost.");
        }
    }
}

/// Names the new host, if another was before.
fn tell_host(model: &mut Model, before: Option<PlayerId>) {
    let Some(heat) = model.shown_heat() else { return };
    match heat.roster.host {
        Some(host) if Some(host) == before => {}
        Some(host) if host == heat.you => model.notice("You are the host now."),
        Some(host) => {
            let text = format!("{} is the host now.", heat.name(host).name);
            model.notice(text);
        }
        None => {}
    }
}

/// Says what the host has decided: what comes next, or that the start is held.
fn tell_setup(model: &mut Model, before: &Setup) {
    let Some(heat) = model.shown_heat() else { return };
    let setup = &heat.setup;
    let text = if setup.held_by != before.held_by {
        match setup.held_by {
            Some(holder) if holder == heat.you => {
                "You hold the start: only you begin the next heat.".to_owned()
            }
            Some(holder) => format!("{} holds the start.", heat.name(holder).name),
            None => "The start is no longer held.".to_owned(),
        }
    } else if let Some(queued) = setup.queued.as_ref().filter(|_| setup.queued != before.queued) {
        format!("Next heat: {}.", queued.spec)
    } else {
        return;
    };
    model.notice(text);
}

fn enter_phase(model: &mut Model) {
    // What lies over a tournament isn't about the room behind it.
    let Some(heat) = model.shown_heat() else { return };
    let is_racing = heat.race().is_some();
    if !model.overlay.as_ref().is_some_and(|overlay| overlay.outlives_phase(is_racing)) {
        model.close_overlay();
    }
    let until = model.late_keys_end();
    if let Some(heat) = model.joined_heat_mut().filter(|heat| heat.is_player()) {
        heat.panel.results.board_keys_rest_until = until;
    }
    results::begin(model);
}

fn learn(model: &mut Model, ping: PingTimes) {
    if std::mem::take(&mut model.connection.new_clock) {
        model.clock = ClockEstimate::default();
    }
    model.clock.learn(ping);
}

/// Enters a heat, or comes back to it. What was to follow on opening it follows now.
fn joined(model: &mut Model, you: PlayerId, snapshot: Snapshot) {
    if model.connection.state.joined() == Entered::Resumed {
        resumed(model, snapshot);
        // Meanwhile another table may wait, to which the player was called before the seat was back.
        return table::call_again(model);
    }
    if model.tournament.is_some() {
        let heat = HeatModel::new(you, snapshot, model.settings.image.clone());
        table::joined(model, heat);
        // Between two boards the last one's results are there already.
        return results::begin(model);
    }
    let Some(goal) = &mut model.connection.goal else {
        return model.send(ClientMessage::Leave);
    };
    let by_key = snapshot.seat.is_some();
    let heat = HeatModel::new(you, snapshot, model.settings.image.clone());
    let again = matches!(model.screen, Screen::Heat(_));
    let name = goal.name();
    let renamed = goal.variant > 1;
    let role = match &goal.intent {
        Intent::Open(_) => Role::Player,
        Intent::Join { role, .. } | Intent::List { role } => *role,
        Intent::Tournaments | Intent::Follow(_) | Intent::OpenTournament(_) => Role::Spectator,
    };
    let intent = std::mem::replace(&mut goal.intent, Intent::Join { code: heat.code, role });
    model.screen = Screen::Heat(Box::new(heat));
    practice::follow(model);
    if by_key {
        model.notice("Back in your seat.");
    } else if again {
        let (newcomer, lost) = match role {
            Role::Player => ("new player", "seat"),
            Role::Spectator => ("spectator", "place"),
        };
        model.notice(format!("Back as a {newcomer}, {name}: your old {lost} is gone."));
    } else if renamed {
        model.notice(format!("That name was taken: you are {name} here."));
    }
    let Intent::Open(room) = intent else {
        return results::begin(model);
    };
    let NewRoom { options, bots, start, seed, image } = *room;
    model.connection.own_seed = seed.map(|seed| (options, seed));
    if let Some(image) = image {
        model.send(ClientMessage::Image { image: Some(image.into()) });
    }
    for skill in bots {
        model.send(ClientMessage::AddBot { skill });
    }
    if start {
        model.send(ClientMessage::Start);
    }
}

/// Comes back to the seat: unanswered moves are sent again.
fn resumed(model: &mut Model, snapshot: Snapshot) {
    practice::before_resume(model, &snapshot);
    let Some(heat) = model.joined_heat_mut() else {
        return model.send(ClientMessage::Leave);
    };
    let phase_of = |heat: &HeatModel| (heat.setup.number, std::mem::discriminant(&heat.phase));
    let (before, phase) = (phase_of(heat), snapshot.phase.clone());
    heat.resume(snapshot);
    let back = if heat.only_watches() { "Back in the room." } else { "Back in your seat." };
    let is_new_phase = phase_of(heat) != before;
    if is_new_phase {
        table::phase_changes(model, &phase);
    }
    practice::follow(model);
    model.notice(back);
    if is_new_phase {
        enter_phase(model);
    } else {
        results::begin(model);
    }
    racing::send_due(model);
}

fn refused(model: &mut Model, why: Refusal) {
    match model.connection.state.refused(why) {
        Refused::Proof => {
            model.complain("The server doesn't accept your key: you race without one.");
        }
        Refused::ResumeForNow => connection::resume_later(model),
        Refused::Resume | Refused::Entry if model.tournament.is_some() => {
            table::refused_seat(model, why);
        }
        Refused::Resume => refused_resume(model, why),
        Refused::Entry => refused_entry(model, why),
        Refused::Request if results::is_own_results_refusal(model, why) => {}
        Refused::Request => refused_request(model, why),
    }
}

fn refused_request(model: &mut Model, why: Refusal) {
    apply(model, &ServerMessage::Refused(why));
    if let (Refusal::Options(error), Some(Overlay::Options(form))) = (why, &mut model.overlay) {
        form.blame(error);
    }
    model.complain(format::sentence(&why.to_string()));
}

/// Goes to the form that leads back into the room, as the server doesn't give the seat back.
fn refused_resume(model: &mut Model, why: Refusal) {
    let (role, lost, newcomer) = if model.shown_heat().is_some_and(HeatModel::only_watches) {
        (Role::Spectator, "place", "again as a spectator")
    } else {
        (Role::Player, "seat", "as a new player")
    };
    let text = if why == Refusal::NotResumed {
        format!("Your {lost} is gone: it was kept for a while, and then given up. Join {newcomer}?")
    } else {
        format::sentence(&why.to_string())
    };
    let Some((goal, code)) =
        model.connection.goal.clone().zip(model.shown_heat().map(|heat| heat.code))
    else {
        return connection::go_home(model, Some(text));
    };
    let form = JoinForm::new(&goal.address, Some(code), &goal.name, role);
    let mut form = form.with_pin(goal.pin.as_ref());
    form.fail(None, text);
    connection::back_to_form(model, form);
}

/// Goes back to the form, as the server refused the entry or the list.
fn refused_entry(model: &mut Model, why: Refusal) {
    let Some(goal) = &mut model.connection.goal else { return };
    if why == Refusal::NameTaken && goal.next_variant() {
        // Often it is this player's own seat, whose connection was lost.
        model.connection.state.awaiting = true;
        let request = goal.request();
        return model.send(request);
    }
    let text = format::sentence(&why.to_string());
    let Some(mut form) = model.join_form().cloned() else {
        return connection::go_home(model, Some(text));
    };
    let needs_pin = matches!(why, Refusal::NeedsPin | Refusal::WrongPin);
    if matches!(model.screen, Screen::Choose(_)) && !needs_pin {
        return join::back_to_list(model, text);
    }
    if let Some(Goal { intent: Intent::Join { code, .. }, .. }) = &model.connection.goal {
        form.form.fill(JoinFormError::Room as usize, code.to_string());
    }
    let field = if matches!(why, Refusal::NoSuchRoom | Refusal::Options(_)) {
        Some(JoinFormError::Room)
    } else if why == Refusal::WrongPin {
        Some(JoinFormError::Pin)
    } else if matches!(why, Refusal::Name(_) | Refusal::NameTaken) {
        Some(JoinFormError::Name)
    } else {
        None
    };
    form.fail(field, text);
    if why == Refusal::WrongPin {
        form.form.fill(JoinFormError::Pin as usize, String::new());
    }
    if why == Refusal::NeedsPin {
        form.form.focus = JoinFormError::Pin as usize;
    }
    connection::back_to_form(model, form);
}

/// Goes home if the host kicked or banned the player. Otherwise the close that follows decides.
fn goodbye(model: &mut Model, farewell: Farewell) {
    if farewell.keeps_connection() && model.tournament.is_some() {
        table::table_closed(model);
        if farewell == Farewell::SameBoards {
            model.complain(format::sentence(&farewell.to_string()));
        }
        return;
    }
    model.connection.state.farewell = Some(farewell);
    if let (Farewell::Superseded, Some(recorder)) = (farewell, &mut model.practice.recorder) {
        recorder.supersede();
    }
    let text = format::sentence(&farewell.to_string());
    if matches!(farewell, Farewell::Kicked | Farewell::Banned) || farewell.keeps_connection() {
        connection::go_home(model, Some(text));
    } else if model.connection.status == ConnectionStatus::Up {
        model.complain(text);
    }
}
