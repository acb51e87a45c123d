//! The form and the list by which the player joins a room.

use crate::display::format;
use crate::session::tournament_message;
use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{
    Choose, ChooseTournament, DEAD_KEY, FollowGoal, FormKey, Intent, JoinForm, JoinFormError,
    Model, NewRoom, Purpose, Screen, around,
};
use crate::tui::update::{connection, hosting};
use crossterm::event::KeyEvent;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::client::{ClientMessage, Role};
use gridrace_shared::protocol::snapshot::RoomSummary;
use gridrace_shared::protocol::tournament::{
    TournamentError, TournamentRequest, TournamentSummary,
};
use std::time::Duration;

/// Between two requests for a server's list: a room that opens shows soon, and the server's rate
/// limit for requests is far away.
const REFRESH: Duration = Duration::from_secs(2);

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
    let Some(spec) = model.offered() else { return };
    let room = NewRoom::new(HeatOptions::new(spec));
    let form = JoinForm::host(&model.defaults.host_address, room, &model.settings.name);
    model.screen = Screen::Join(form.with_pin(model.defaults.host_pin.as_ref()));
}

pub(super) fn open_tournament_form(model: &mut Model) {
    let form = JoinForm::tournament(&model.defaults.join_address, "", &model.settings.name);
    model.screen = Screen::Join(form);
}

/// Says at the form why no server could be started in this program.
pub(super) fn failed_to_host(model: &mut Model, error: String) {
    let Some(mut form) = model.join_form().cloned() else {
        return connection::go_home(model, Some(error));
    };
    form.fail(None, error);
    connection::back_to_form(model, form);
}

/// Asks for the list again when it is time.
pub(super) fn tick(model: &mut Model) {
    let is_heard = model.connection.is_heard();
    let is_listed = matches!(model.screen, Screen::Choose(_));
    if is_listed && is_heard && model.next_rooms <= model.now {
        model.next_rooms = model.now + REFRESH;
        model.send(ClientMessage::Rooms);
    }
    if let Screen::ChooseTournament(choose) = &mut model.screen
        && is_heard
        && choose.refresh <= model.now
    {
        choose.refresh = model.now + REFRESH;
        model.send(tournament_message(TournamentRequest::List));
    }
}

/// Takes a key of the form.
pub(super) fn press_form(model: &mut Model, key: KeyEvent) {
    let Screen::Join(form) = &mut model.screen else { return };
    if form.busy {
        return connection::press_waiting(model, key);
    }
    match form.form.key(key) {
        FormKey::Taken => {}
        FormKey::Cancel => cancel(model),
        FormKey::Submit => submit(model),
    }
}

/// Leaves a form. The form of a new tournament leads back to the server's list of tournaments, the others
/// to the home screen.
fn cancel(model: &mut Model) {
    let Screen::Join(form) = &model.screen else { return };
    let address = form.form.value(0);
    if form.purpose == Purpose::OpenTournament && !address.is_empty() {
        // A link's own room or tournament isn't what the list is of.
        let link = model.settings.servers.resolve_link(address);
        let address = link.map_or_else(|_| address.to_owned(), |link| link.address.to_string());
        let list = JoinForm::tournament(&address, "", &model.settings.name);
        return begin(model, list);
    }
    model.home_choice = form.purpose.home_choice();
    connection::go_home(model, None);
}

/// Takes a key of the list.
pub(super) fn press_list(model: &mut Model, key: KeyEvent) {
    let Screen::Choose(choose) = &mut model.screen else { return };
    let (role, count) = (choose.role, choose.rooms.len());
    match keymap::list_with_letters(key) {
        Some(moved @ (ListKey::Up | ListKey::Down)) => {
            choose.chosen = around(choose.chosen, count, moved == ListKey::Down);
        }
        Some(ListKey::Take) => enter(model, role),
        Some(ListKey::Letter('w')) => enter(model, Role::Spectator),
        Some(ListKey::Letter('h')) => host_there(model),
        Some(ListKey::Back | ListKey::Letter('q')) => {
            let form = choose.form.clone();
            connection::back_to_form(model, form);
        }
        Some(ListKey::Letter(_)) | None => model.ignore(DEAD_KEY),
    }
}

/// Joins the room under the cursor.
fn enter(model: &mut Model, role: Role) {
    let Screen::Choose(choose) = &model.screen else { return };
    match choose.rooms.get(choose.chosen).map(|room| room.code) {
        Some(code) if model.connection.is_heard() => request(model, Intent::Join { code, role }),
        Some(_) | None => model.ignore(DEAD_KEY),
    }
}

/// Opens a room on the server whose list is shown.
fn host_there(model: &mut Model) {
    if let Some(spec) = model.offered()
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
            model.next_rooms = model.now + REFRESH;
            model.screen = Screen::Choose(Choose { rooms, chosen: 0, role, form });
        }
    }
}

/// Shows the list again, with what went wrong with the room that was chosen from it.
pub(super) fn back_to_list(model: &mut Model, why: String) {
    let Screen::Choose(choose) = &mut model.screen else { return };
    let role = choose.role;
    model.next_rooms = model.now;
    if let Some(goal) = &mut model.connection.goal {
        goal.intent = Intent::List { role };
        goal.variant = 1;
    }
    model.complain(why);
}

/// Takes in which tournaments there are.
pub(super) fn tournaments_listed(model: &mut Model, tournaments: Vec<TournamentSummary>) {
    let wanted = model.connection.goal.as_ref().map(|goal| &goal.intent);
    if !matches!(wanted, Some(Intent::Tournaments)) {
        return;
    }
    if let Screen::ChooseTournament(choose) = &mut model.screen {
        return choose.update(tournaments);
    }
    let refresh = model.now + REFRESH;
    let choose = ChooseTournament { tournaments, chosen: 0, refresh };
    model.screen = Screen::ChooseTournament(choose);
}

/// Takes a key of the list of tournaments.
pub(super) fn press_tournaments(model: &mut Model, key: KeyEvent) {
    let Screen::ChooseTournament(choose) = &mut model.screen else { return };
    let count = choose.tournaments.len();
    match keymap::list_with_letters(key) {
        Some(moved @ (ListKey::Up | ListKey::Down)) => {
            choose.chosen = around(choose.chosen, count, moved == ListKey::Down);
        }
        Some(ListKey::Take | ListKey::Letter('w')) => follow_chosen(model, false),
        Some(ListKey::Letter('e')) => follow_chosen(model, true),
        Some(ListKey::Letter('o')) => {
            let address = goal_address(model);
            let form = JoinForm::open_tournament(&address, &model.settings.name);
            connection::back_to_form(model, form);
        }
        Some(ListKey::Back | ListKey::Letter('q')) => {
            let address = goal_address(model);
            let form = JoinForm::tournament(&address, "", &model.settings.name);
            connection::back_to_form(model, form);
        }
        Some(ListKey::Letter(_)) | None => model.ignore(DEAD_KEY),
    }
}

fn goal_address(model: &Model) -> String {
    model.connection.goal.as_ref().map(|goal| goal.address.clone()).unwrap_or_default()
}

/// Follows the tournament under the cursor.
fn follow_chosen(model: &mut Model, enters: bool) {
    let Screen::ChooseTournament(choose) = &model.screen else { return };
    if let Some(tournament) = choose.tournaments.get(choose.chosen)
        && model.connection.is_heard()
        && let Some(goal) = &mut model.connection.goal
    {
        let entry = enters.then_some(None);
        goal.intent = Intent::Follow(FollowGoal { name: tournament.name.clone(), entry });
        let request = goal.request();
        model.send(request);
    }
}

/// Goes back to the form, as the server doesn't let the client follow or open the tournament.
pub(super) fn refused_tournament(model: &mut Model, why: TournamentError) {
    let text = format::sentence(&why.to_string());
    let Some(goal) = model.connection.goal.clone() else { return };
    let form = model.join_form().cloned().or_else(|| JoinForm::of_goal(&goal));
    let Some(mut form) = form else { return connection::go_home(model, Some(text)) };
    let is_pin = matches!(why, TournamentError::NeedsPin | TournamentError::WrongPin);
    let is_name = matches!(why, TournamentError::NoSuchTournament | TournamentError::NameTaken);
    let name_field = is_name.then_some(JoinFormError::Room);
    let field = if is_pin { Some(JoinFormError::Pin) } else { name_field };
    form.fail(field, text);
    if why == TournamentError::WrongPin {
        form.form.fill(JoinFormError::Pin as usize, String::new());
    }
    connection::back_to_form(model, form);
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
