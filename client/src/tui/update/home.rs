//! The home screen.

use crate::tui::effect::{Effect, Exit};
use crate::tui::keymap::{self, ListKey};
use crate::tui::local_server::{ServerPlace, StartServerError};
use crate::tui::model::{
    Goal, HomeChoice, Intent, Model, NewRoom, OFFERS, Question, Screen, around, offer,
};
use crate::tui::update::{heat, hosting, join, stats};
use crossterm::event::{KeyCode, KeyEvent};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::client::Role;

/// The bots against which "play now" plays: one to beat, one to follow, one to admire.
const OPPONENTS: [Skill; 3] = [Skill::Beginner, Skill::Casual, Skill::Steady];

pub(super) fn press(model: &mut Model, key: KeyEvent) {
    model.notice = None;
    if matches!(key.code, KeyCode::Left | KeyCode::Right) {
        model.offer = around(model.offer, OFFERS.len(), key.code == KeyCode::Right);
        return;
    }
    let Screen::Home(home) = &mut model.screen else { return };
    let choice = match keymap::list(key) {
        Some(key @ (ListKey::Up | ListKey::Down)) => {
            home.chosen = around(home.chosen, HomeChoice::ALL.len(), key == ListKey::Down);
            None
        }
        Some(ListKey::Take) => HomeChoice::ALL.get(home.chosen).copied(),
        Some(ListKey::Back) => Some(HomeChoice::Quit),
        Some(ListKey::Letter(letter)) => {
            HomeChoice::ALL.into_iter().find(|choice| choice.words().0 == letter)
        }
        None => None,
    };
    match choice {
        Some(HomeChoice::Play) => play(model),
        Some(HomeChoice::Host) => join::open_host_form(model),
        Some(HomeChoice::Join) => join::open_form(model, Role::Player),
        Some(HomeChoice::Watch) => join::open_form(model, Role::Spectator),
        Some(HomeChoice::Stats) => stats::open(model),
        Some(HomeChoice::Quit) if model.own_server.is_some() => heat::ask(model, Question::Quit),
        Some(HomeChoice::Quit) => model.emit(Effect::Exit(Exit::Quit)),
        None => {}
    }
}

/// Opens what was asked for on the server that was started in this program.
pub(super) fn hosted(model: &mut Model, outcome: Result<ServerPlace, StartServerError>) {
    let goal = model.opening.take();
    let Some(goal) = goal.filter(|_| model.hosting) else {
        // Escape was pressed in the meantime.
        return model.emit(Effect::Unhost);
    };
    match outcome {
        Ok(place) => hosting::open_on(model, place, goal),
        Err(error) => join::failed_to_host(model, error.to_string()),
    }
}

fn play(model: &mut Model) {
    let Some(spec) = offer(model.offer) else { return };
    let room = NewRoom {
        options: HeatOptions { private: true, ..HeatOptions::new(spec) },
        seed: None,
        bots: OPPONENTS.to_vec(),
        start: true,
    };
    race_alone(model, room);
}

/// Opens a room that nobody else joins on a server in this program, and starts its heat.
pub(super) fn race_alone(model: &mut Model, room: NewRoom) {
    let (name, intent) = (model.settings.name.clone(), Intent::Open(Box::new(room)));
    model.screen = Screen::Waiting("Starting a server in this program");
    let goal = Goal { address: String::new(), name, variant: 1, intent, pin: None };
    hosting::start_server(model, goal, false);
}
