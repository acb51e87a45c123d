//! A tournament: its updates and its keys.

use crate::display::{format, tournament_text};
use crate::session::{is_refused_for_now, tournament_message};
use crate::tui::keymap::{self, ListKey, Scope};
use crate::tui::model::{
    ConnectionStatus, DEAD_KEY, FormKey, Goal, Intent, Model, Overlay, Question, Screen,
    TournamentModel, TournamentPart, around, command_form, organiser_commands,
};
use crate::tui::update::connection;
use crate::tui::update::requests::NO_CONNECTION;
use crate::tui::update::{heat, join, menu, table};
use crate::tui::view;
use crossterm::event::{KeyCode, KeyEvent};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::RecordingStatus;
use gridrace_shared::protocol::tournament::{
    CommandQuestion, TournamentCommand, TournamentError, TournamentHead, TournamentPhase,
    TournamentRequest, TournamentSnapshot, TournamentUpdate,
};
use gridrace_shared::tournament::log::Presence;
use gridrace_shared::tournament_view::{TournamentChange, parse_command};
use std::time::Duration;

/// The pause before a tournament is asked for again that may not be followed for now, and how often
/// that doubles.
const FOLLOW_PAUSE: Duration = Duration::from_secs(1);
const MAX_FOLLOW_DOUBLINGS: u32 = 5;
/// Rows that page up and down go.
const PAGE_ROWS: usize = 8;

/// Takes in an update of the server's.
pub(super) fn updated(model: &mut Model, update: TournamentUpdate) {
    let is_current = model.tournament.as_ref().is_some_and(|tournament| tournament.is_current);
    if let TournamentUpdate::List(list) = update {
        join::tournaments_listed(model, list);
    } else if let TournamentUpdate::Snapshot(snapshot) = update {
        followed(model, *snapshot);
    } else if let (TournamentUpdate::Refused(why), false) = (&update, is_current) {
        refused_follow(model, *why);
    } else if let Some(tournament) = &mut model.tournament {
        let before = tournament.view.head.clone();
        let change = tournament.view.apply(model.now, update);
        tournament.follow_phase();
        let view = &tournament.view;
        if is_reopened(&before, &view.head)
            && let Some(board) = tournament_text::board(view.log.tournament().plan(), &view.head)
        {
            model.announce(format::sentence(&format!("{board} is raced again")));
        }
        react(model, change);
    }
    ask_for_page(model);
}

/// Returns whether an earlier board of the same round is next. Once all boards of a round are raced, the
/// head has the first one, in another phase.
fn is_reopened(before: &TournamentHead, head: &TournamentHead) -> bool {
    let was_done = matches!(before.phase, TournamentPhase::Over | TournamentPhase::Waiting);
    head.phase == TournamentPhase::Pause
        && head.round == before.round
        && (was_done || head.board < before.board)
}

/// Takes in that the server doesn't let the client follow the tournament: one that it followed
/// before is asked for again, unless that makes no sense.
fn refused_follow(model: &mut Model, why: TournamentError) {
    let followed = model.tournament.as_mut().filter(|_| is_refused_for_now(why));
    let Some(tournament) = followed else {
        return join::refused_tournament(model, why);
    };
    let pause = FOLLOW_PAUSE * (1 << tournament.follow_refusals.min(MAX_FOLLOW_DOUBLINGS));
    tournament.follow_at = Some(model.now + pause);
    tournament.follow_refusals += 1;
    if tournament.follow_refusals == 1 {
        model.complain(format::sentence(&why.to_string()));
    }
}

/// Follows a tournament, or goes on with it on another connection.
fn followed(model: &mut Model, snapshot: TournamentSnapshot) {
    model.connection.state.attempts = 0;
    let entrant = snapshot.you.entrant;
    match &mut model.tournament {
        Some(tournament) => {
            tournament.view.resume(snapshot);
            (tournament.is_current, tournament.follow_at) = (true, None);
            tournament.follow_refusals = 0;
            tournament.recording = RecordingStatus::Recorded;
        }
        None => {
            model.tournament = Some(Box::new(TournamentModel::new(snapshot)));
            model.screen = Screen::Tournament;
            model.overlay = None;
        }
    }
    let Some(goal) = &mut model.connection.goal else { return };
    if let Intent::OpenTournament(new) = &goal.intent {
        let follow = crate::tui::model::FollowGoal { name: new.name.clone(), entry: None };
        goal.intent = Intent::Follow(follow);
    }
    let wants_entry = matches!(&goal.intent, Intent::Follow(goal) if goal.entry.is_some());
    if wants_entry && entrant.is_none() {
        enter(model);
    }
}

fn react(model: &mut Model, change: TournamentChange) {
    match change {
        TournamentChange::Called(call) => table::go_to(model, call),
        TournamentChange::You => tell_entry(model),
        TournamentChange::Announced(line) => model.announce(format!("Organiser: {}", line.text)),
        TournamentChange::Corrected(key, reason) => {
            model.announce(format!("Corrected: {key}: {reason}"));
        }
        TournamentChange::Done => {
            let Some(tournament) = &mut model.tournament else { return };
            if tournament.asked.take().is_some() {
                model.notice("Done.");
            }
        }
        TournamentChange::Refused(why) => refused(model, why),
        TournamentChange::NeedsConfirmation(question) => {
            let Some(tournament) = &mut model.tournament else { return };
            tournament.asked = Some(question);
            heat::ask(model, Question::Discard);
        }
        TournamentChange::None
        | TournamentChange::Head
        | TournamentChange::Log
        | TournamentChange::Tables => {}
    }
}

/// Says what the player is in the tournament now.
fn tell_entry(model: &mut Model) {
    let check_in = model.key(Scope::Tournament, "c");
    let Some(tournament) = &mut model.tournament else { return };
    let has_entered = std::mem::take(&mut tournament.enters);
    let text = match tournament.view.you.presence {
        Some(Presence::Entered) if has_entered => "You have entered.".to_owned(),
        Some(Presence::Present) if has_entered => {
            "You have entered, and are checked in.".to_owned()
        }
        Some(Presence::Withdrawn) => format!("You are withdrawn: {check_in} checks you in again."),
        Some(Presence::Disqualified) => "The organiser has disqualified you.".to_owned(),
        Some(Presence::Entered | Presence::Present) | None => return,
    };
    model.notice(text);
}

fn refused(model: &mut Model, why: TournamentError) {
    let Some(tournament) = &mut model.tournament else { return };
    tournament.asked = None;
    let was_entering = std::mem::take(&mut tournament.enters);
    if let Some(goal) = &mut model.connection.goal
        && was_entering
        && why == TournamentError::PlayerNameTaken
        && goal.next_variant()
    {
        return enter(model);
    }
    model.complain(format::sentence(&why.to_string()));
}

/// Sends a request, or tells the player that the server doesn't hear it.
fn request(model: &mut Model, request: TournamentRequest) {
    if is_heard_or_complain(model) {
        model.send(tournament_message(request));
    }
}

/// Says whether requests about the tournament reach it, and tells the player where they don't.
pub(super) fn is_heard_or_complain(model: &mut Model) -> bool {
    let is_heard = is_heard(model);
    if !is_heard {
        model.complain(NO_CONNECTION);
    }
    is_heard
}

/// Says whether requests about the tournament reach it.
fn is_heard(model: &Model) -> bool {
    let is_current = model.tournament.as_ref().is_some_and(|tournament| tournament.is_current);
    is_current && model.connection.status == ConnectionStatus::Up
}

/// Asks for the page that is wanted next.
fn ask_for_page(model: &mut Model) {
    let now = model.now;
    let is_heard = is_heard(model);
    let tournament = model.tournament.as_mut().filter(|_| is_heard);
    if let Some(page) = tournament.and_then(|it| it.view.next_request(now)) {
        request(model, page);
    }
}

fn enter(model: &mut Model) {
    let Some(goal) = &mut model.connection.goal else { return };
    let name = goal.name();
    let Intent::Follow(follow) = &mut goal.intent else { return };
    let team = follow.entry.get_or_insert(None).clone();
    let is_heard = is_heard(model);
    model.tournament.iter_mut().for_each(|tournament| tournament.enters = is_heard);
    request(model, TournamentRequest::Enter { name, bot: false, team });
}

/// Follows the tournament, and rejoins its table, once the pause before that is over.
pub(super) fn tick(model: &mut Model) {
    let now = model.now;
    let is_up = model.connection.status == ConnectionStatus::Up;
    let Some(tournament) = &mut model.tournament else { return };
    let follows = tournament.follow_at.take_if(|at| *at <= now).is_some();
    let rejoins = tournament.rejoin_at.take_if(|at| *at <= now).is_some();
    let goal = model.connection.goal.as_ref().filter(|_| follows && is_up);
    if let Some(follow) = goal.map(Goal::request) {
        model.send(follow);
    }
    if rejoins && is_up {
        table::call_again(model);
    }
    table::arrange(model);
    ask_for_page(model);
}

/// Takes a key of the tournament's screen.
#[expect(clippy::wildcard_enum_match_arm, reason = "most keys mean nothing here")]
pub(super) fn press(model: &mut Model, key: KeyEvent) {
    let Some(tournament) = &mut model.tournament else { return };
    let sideways = matches!(key.code, KeyCode::Left | KeyCode::Right);
    if sideways && tournament.part == TournamentPart::Bracket {
        let is_right = key.code == KeyCode::Right;
        return turn_bracket(model, is_right);
    }
    match key.code {
        KeyCode::Tab | KeyCode::Right => return turn(tournament, true),
        KeyCode::BackTab | KeyCode::Left => return turn(tournament, false),
        KeyCode::PageDown => return scroll(model, PAGE_ROWS, true),
        KeyCode::PageUp => return scroll(model, PAGE_ROWS, false),
        KeyCode::Home => return scroll(model, usize::MAX, false),
        KeyCode::End => return scroll(model, usize::MAX, true),
        KeyCode::Char(digit) if digit.is_ascii_digit() => return choose_part(tournament, digit),
        _ => {}
    }
    match keymap::list_with_letters(key) {
        Some(moved @ (ListKey::Up | ListKey::Down)) => scroll(model, 1, moved == ListKey::Down),
        Some(ListKey::Take) => watch(model),
        Some(ListKey::Letter('t')) => show_table(model),
        Some(ListKey::Letter(letter @ (',' | '.')))
            if tournament.part == TournamentPart::Tables =>
        {
            tournament.turn_rounds(letter == ',');
        }
        Some(ListKey::Letter('e')) => enter_if_new(model),
        Some(ListKey::Letter('c')) => request(model, TournamentRequest::CheckIn),
        Some(ListKey::Letter('w')) if tournament.view.you.entrant.is_some() => {
            heat::ask(model, Question::Withdraw);
        }
        Some(ListKey::Letter('i')) => model.overlay = Some(Overlay::Invitation { chosen: 0 }),
        Some(ListKey::Letter('m')) => open_menu(model),
        Some(ListKey::Back | ListKey::Letter('q')) => heat::ask(model, Question::Unfollow),
        Some(ListKey::Letter(_)) | None => model.ignore(DEAD_KEY),
    }
}

fn turn(tournament: &mut TournamentModel, forward: bool) {
    let parts = tournament.parts();
    let at = parts.iter().position(|part| *part == tournament.part).unwrap_or(0);
    if let Some(&part) = parts.get(around(at, parts.len(), forward)) {
        tournament.choose(part);
    }
}

fn choose_part(tournament: &mut TournamentModel, digit: char) {
    let index = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()?.checked_sub(1));
    if let Some(&part) = index.and_then(|index| tournament.parts().get(index).copied()).as_ref() {
        tournament.choose(part);
    }
}

fn scroll(model: &mut Model, rows: usize, down: bool) {
    let last = view::tournament_rows(model).saturating_sub(1);
    let Some(tournament) = &mut model.tournament else { return };
    let row = tournament.row.min(last);
    let row = if down { row.saturating_add(rows) } else { row.saturating_sub(rows) };
    // At its end, the log goes on with the lines that come.
    let follows = down && row >= last && tournament.part == TournamentPart::Log;
    tournament.row = if follows { usize::MAX } else { row.min(last) };
}

/// Watches the table under the cursor, or goes to one's own.
fn watch(model: &mut Model) {
    let Some(tournament) = &model.tournament else { return };
    if tournament.part == TournamentPart::Tables && tournament.rounds_back > 0 {
        return model.complain("This round is over.");
    }
    let Some(table) = tournament.chosen_table() else { return show_table(model) };
    let Some(code) = table.room else { return model.complain("Nobody races at this table now.") };
    if tournament.room() == Some(code) || tournament.view.call.map(|call| call.code) == Some(code) {
        return show_table(model);
    }
    if tournament.heat.is_some() {
        let table = model.key(Scope::Tournament, "t");
        return model.complain(format!("You sit at a table of this round: {table} shows it."));
    }
    table::join(model, code, Role::Spectator);
}

/// Scrolls the bracket by a column.
fn turn_bracket(model: &mut Model, forward: bool) {
    let last = view::last_bracket_column(model);
    let Some(tournament) = &mut model.tournament else { return };
    // The screen may have become wider.
    let column = tournament.column.min(last);
    tournament.column = if forward { (column + 1).min(last) } else { column.saturating_sub(1) };
}

/// Shows the player's own table.
fn show_table(model: &mut Model) {
    let Some(tournament) = &mut model.tournament else { return };
    if tournament.heat.is_some() {
        tournament.wants_table = Some(true);
        return table::arrange(model);
    }
    match tournament.view.call {
        Some(call) => table::go_to(model, call),
        None => model.notice("No table waits for you now."),
    }
}

fn enter_if_new(model: &mut Model) {
    let Some(tournament) = &model.tournament else { return };
    match tournament.view.you.entrant {
        Some(_) => model.notice("You have entered already."),
        None => enter(model),
    }
}

fn open_menu(model: &mut Model) {
    let Some(tournament) = &model.tournament else { return };
    if tournament.view.you.organiser {
        model.overlay = Some(Overlay::Organiser { chosen: 0 });
    } else {
        model.notice("Only the organiser directs the tournament.");
    }
}

/// Takes a key of the organiser's menu: a command's letter, or the cursor.
pub(super) fn press_menu(model: &mut Model, key: KeyEvent) {
    let letters: Vec<char> = organiser_commands().map(|(letter, _)| letter).collect();
    let line = menu::choose_line(model, key, &letters);
    let command = line.and_then(|line| organiser_commands().nth(line));
    if let (Some((_, form)), Some(tournament)) = (command, &model.tournament) {
        model.overlay = Some(Overlay::OrganiserLine(command_form(tournament, form)));
    }
}

/// Takes a key of the line of a command.
pub(super) fn press_line(model: &mut Model, key: KeyEvent) {
    let Some(Overlay::OrganiserLine(form)) = &mut model.overlay else { return };
    match form.key(key) {
        FormKey::Taken => {}
        FormKey::Cancel => model.overlay = None,
        FormKey::Submit => {
            let Some(tournament) = &model.tournament else { return };
            match parse_command(&tournament.view, form.value(0)) {
                Ok(command) => {
                    if is_heard_or_complain(model) {
                        model.overlay = None;
                        send_command(model, command, false);
                    }
                }
                Err(error) => form.blame(0, error.to_string()),
            }
        }
    }
}

fn send_command(model: &mut Model, command: TournamentCommand, confirmed: bool) {
    if let Some(tournament) = &mut model.tournament {
        let (command, first) = (command.clone(), Vec::new());
        tournament.asked = Some(CommandQuestion { command, discards: 0, unraced: 0, first });
    }
    request(model, TournamentRequest::Command { command, confirmed });
}

/// Sends the command again that the server asked about.
pub(super) fn confirmed(model: &mut Model) {
    let asked = model.tournament.as_mut().and_then(|tournament| tournament.asked.take());
    if let Some(CommandQuestion { command, .. }) = asked {
        send_command(model, command, true);
    }
}

pub(super) fn withdraw(model: &mut Model) {
    request(model, TournamentRequest::Withdraw);
}

/// Stops following, and goes home.
pub(super) fn unfollow(model: &mut Model) {
    let is_over = model
        .tournament
        .as_ref()
        .is_some_and(|tournament| tournament.view.head.phase == TournamentPhase::Over);
    connection::go_home(model, None);
    if !is_over && model.own_server.is_some() {
        model.notice("The tournament goes on as long as this program runs.");
    }
}
