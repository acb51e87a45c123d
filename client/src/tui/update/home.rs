//! The home screen.

use crate::display::format;
use crate::net::nearby::{NearbyEntry, NearbyOffer};
use crate::tui::effect::{Effect, Exit};
use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{
    DEAD_KEY, Goal, HomeChoice, Intent, JoinForm, Model, NewRoom, Preview, Question, Screen, around,
};
use crate::tui::own_server::{ServerPlace, StartServerError};
use crate::tui::update::{heat, hosting, join, stats};
use crossterm::event::{KeyCode, KeyEvent};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::seed::Seed;

/// The bots against which "play now" plays: one to beat, one to follow, one to admire.
const OPPONENTS: [Skill; 3] = [Skill::Beginner, Skill::Casual, Skill::Steady];

/// Which board of a puzzle is shown beside the choices.
const PREVIEW_SEED: &str = "gridrace";

pub(super) fn press(model: &mut Model, key: KeyEvent) {
    model.notice = None;
    if matches!(key.code, KeyCode::Left | KeyCode::Right) {
        model.offer = around(model.offer, model.offers(), key.code == KeyCode::Right);
        return;
    }
    let Screen::Home(home) = &mut model.screen else { return };
    let listed = keymap::list(key);
    let is_cursor = matches!(listed, Some(ListKey::Up | ListKey::Down));
    let choice = match listed {
        Some(key @ (ListKey::Up | ListKey::Down)) => {
            let count = HomeChoice::ALL.len() + model.nearby.len();
            home.chosen = around(home.chosen, count, key == ListKey::Down);
            None
        }
        Some(ListKey::Take) => match home.chosen_entry() {
            Some(number) => return join_nearby(model, number),
            None => HomeChoice::ALL.get(home.chosen).copied(),
        },
        Some(ListKey::Back) => Some(HomeChoice::Quit),
        Some(ListKey::Letter(letter)) => {
            HomeChoice::ALL.into_iter().find(|choice| choice.words().0 == letter)
        }
        None => None,
    };
    model.home_choice = choice.unwrap_or(model.home_choice);
    match choice {
        Some(HomeChoice::Play) => play(model),
        Some(HomeChoice::Learn) => model.screen = Screen::Tutorial,
        Some(HomeChoice::Host) => join::open_host_form(model),
        Some(HomeChoice::Join) => join::open_form(model, Role::Player),
        Some(HomeChoice::Watch) => join::open_form(model, Role::Spectator),
        Some(HomeChoice::Tournament) => join::open_tournament_form(model),
        Some(HomeChoice::Stats) => stats::open(model),
        Some(HomeChoice::Quit) if model.own_server.is_some() => heat::ask(model, Question::Quit),
        Some(HomeChoice::Quit) => model.emit(Effect::Exit(Exit::Quit)),
        None if is_cursor => {}
        None => model.ignore(DEAD_KEY),
    }
}

/// Asks for a board of the offered puzzle, to be shown beside the choices.
pub(super) fn tick(model: &mut Model) {
    let Some(spec) = model.offered().filter(|_| matches!(model.screen, Screen::Home(_))) else {
        return;
    };
    if model.preview.as_ref().is_none_or(|preview| preview.spec != spec)
        && let Ok(seed) = PREVIEW_SEED.parse()
    {
        model.preview = Some(Preview { spec, board: None });
        model.emit(Effect::Draw { spec, seed });
    }
}

/// Takes in the board beside the choices: of a Numberlink with its links.
pub(super) fn drawn(model: &mut Model, spec: PuzzleSpec, seed: &Seed, drawn: &GeneratedBoard) {
    let preview = model.preview.as_mut().filter(|preview| preview.spec == spec);
    if let Some(preview) = preview.filter(|_| seed.to_string() == PREVIEW_SEED) {
        preview.board = Some(drawn.solved().unwrap_or_else(|| drawn.board.clone()));
    }
}

/// Takes in what is nearby; the cursor stays at its entry.
pub(super) fn found_nearby(model: &mut Model, entries: Vec<NearbyEntry>) {
    if let Screen::Home(home) = &mut model.screen
        && let Some(number) = home.chosen_entry()
    {
        let chosen = model.nearby.get(number);
        let is_chosen = |entry: &NearbyEntry| chosen.is_some_and(|it| it.is_same(entry));
        home.chosen = match entries.iter().position(is_chosen) {
            Some(number) => HomeChoice::ALL.len() + number,
            // The entry under the cursor is gone.
            None if entries.is_empty() => 0,
            None => HomeChoice::ALL.len(),
        };
    }
    model.nearby = entries;
}

/// Joins a room nearby, or goes to a tournament.
fn join_nearby(model: &mut Model, number: usize) {
    let Screen::Home(home) = &model.screen else { return };
    let Some(entry) = model.nearby.get(number) else { return };
    let (address, player) = (entry.address.to_string(), &model.settings.name);
    let form = match &entry.offer {
        NearbyOffer::Room { code, .. } => JoinForm::new(&address, Some(*code), player, home.role),
        NearbyOffer::Tournament { name, .. } => {
            JoinForm::tournament(&address, &name.to_string(), player)
        }
    };
    join::begin(model, form);
}

/// Opens what was asked for on the server that was started in this program.
pub(super) fn server_started(model: &mut Model, outcome: Result<ServerPlace, StartServerError>) {
    let goal = model.opening.take();
    let Some(goal) = goal.filter(|_| model.hosting) else {
        // Escape was pressed in the meantime.
        return model.emit(Effect::StopServer);
    };
    match outcome {
        Ok(place) => hosting::open_on(model, place, goal),
        Err(error) => join::failed_to_host(model, format::sentence(&error.to_string())),
    }
}

fn play(model: &mut Model) {
    let Some(spec) = model.offered() else { return };
    let room = NewRoom {
        options: HeatOptions { private: true, ..HeatOptions::new(spec) },
        seed: None,
        bots: OPPONENTS.to_vec(),
        image: None,
        start: true,
    };
    race_alone(model, room);
}

/// Opens a private room on a server in this program, and starts its heat.
pub(super) fn race_alone(model: &mut Model, room: NewRoom) {
    let (name, intent) = (model.settings.name.clone(), Intent::Open(Box::new(room)));
    model.screen = Screen::Waiting("Starting a server in this program");
    let goal = Goal { address: String::new(), name, variant: 1, intent, pin: None };
    hosting::start_server(model, goal, false);
}
