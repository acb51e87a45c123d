//! The home screen.

use crate::tui::effect::{Effect, Exit};
use crate::tui::keymap::{self, ListKey};
use crate::tui::local_server::{ServerPlace, StartServerError};
use crate::tui::model::{Goal, HomeChoice, Intent, Model, OFFERS, Screen, around, offer};
use crate::tui::update::{connection, join};
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
        Some(HomeChoice::Play) => host(model, false),
        Some(HomeChoice::Host) => host(model, true),
        Some(HomeChoice::Join) => join::open_form(model, Role::Player),
        Some(HomeChoice::Watch) => join::open_form(model, Role::Spectator),
        Some(HomeChoice::Quit) => model.emit(Effect::Exit(Exit::Quit)),
        None => {}
    }
}

/// Opens a heat on the server that was started in this program.
pub(super) fn hosted(model: &mut Model, outcome: Result<ServerPlace, StartServerError>) {
    if !model.hosting {
        // Escape was pressed in the meantime.
        return model.emit(Effect::Unhost);
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
    connection::dial(model, Goal { address: place.address, name, variant: 1, intent, pin: None });
}

fn host(model: &mut Model, lan: bool) {
    model.hosting = true;
    model.screen = Screen::Waiting("Starting a server in this program");
    model.emit(Effect::Host { lan });
}
