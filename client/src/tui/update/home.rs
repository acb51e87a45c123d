//! The home screen.

use crate::tui::effect::{Effect, Exit};
use crate::tui::keymap::{self, ListKey};
use crate::tui::local_server::{ServerPlace, StartServerError};
use crate::tui::model::{Goal, Home, HomeChoice, Intent, Model, OFFERS, Screen, around, offer};
use crate::tui::update::{connection, join};
use crossterm::event::{KeyCode, KeyEvent};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::client::Role;

/// The bots against which "play now" plays: one to beat, one to follow, one to admire.
const OPPONENTS: [Skill; 3] = [Skill::Beginner, Skill::Casual, Skill::Steady];

pub(super) fn press(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    model.notice = None;
    if matches!(key.code, KeyCode::Left | KeyCode::Right) {
        model.offer = around(model.offer, OFFERS.len(), key.code == KeyCode::Right);
        return Vec::new();
    }
    match keymap::list(key) {
        Some(ListKey::Up) => step(model, false),
        Some(ListKey::Down) => step(model, true),
        Some(ListKey::Take) => take_chosen(model),
        Some(ListKey::Back) => vec![Effect::Exit(Exit::Quit)],
        Some(ListKey::Letter(letter)) => take_letter(model, letter),
        None => Vec::new(),
    }
}

/// Opens a heat on the server that was started in this program.
pub(super) fn hosted(
    model: &mut Model,
    outcome: Result<ServerPlace, StartServerError>,
) -> Vec<Effect> {
    if !model.hosting {
        // Escape was pressed in the meantime.
        return vec![Effect::Unhost];
    }
    let place = match outcome {
        Ok(place) => place,
        Err(error) => return connection::go_home(model, Some(error.to_string())),
    };
    let Some(spec) = offer(model.offer) else {
        return connection::go_home(model, None);
    };
    let alone = place.invitation.is_empty();
    model.invitation = place.invitation;
    let intent = Intent::Open {
        options: HeatOptions { private: alone, ..HeatOptions::new(spec) },
        seed: None,
        bots: if alone { OPPONENTS.to_vec() } else { Vec::new() },
        start: alone,
    };
    let name = model.settings.name.clone();
    connection::dial(model, Goal { address: place.address, name, variant: 1, intent, pin: None })
}

fn step(model: &mut Model, forward: bool) -> Vec<Effect> {
    if let Screen::Home(home) = &mut model.screen {
        home.chosen = around(home.chosen, HomeChoice::ALL.len(), forward);
    }
    Vec::new()
}

fn take_chosen(model: &mut Model) -> Vec<Effect> {
    let Screen::Home(Home { chosen }) = model.screen else {
        return Vec::new();
    };
    HomeChoice::ALL.get(chosen).map_or_else(Vec::new, |choice| take(model, *choice))
}

fn take_letter(model: &mut Model, letter: char) -> Vec<Effect> {
    let choice = HomeChoice::ALL.into_iter().find(|choice| choice.key() == letter);
    choice.map_or_else(Vec::new, |choice| take(model, choice))
}

fn take(model: &mut Model, choice: HomeChoice) -> Vec<Effect> {
    match choice {
        HomeChoice::Play => host(model, false),
        HomeChoice::Host => host(model, true),
        HomeChoice::Join => join::open_form(model, Role::Player),
        HomeChoice::Watch => join::open_form(model, Role::Spectator),
        HomeChoice::Quit => vec![Effect::Exit(Exit::Quit)],
    }
}

fn host(model: &mut Model, lan: bool) -> Vec<Effect> {
    model.hosting = true;
    model.screen = Screen::Waiting("Starting a server in this program");
    vec![Effect::Host { lan }]
}
