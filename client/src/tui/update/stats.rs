//! The screen of the player's own races.

use crate::practice::kept_races::RaceChange;
use crate::tui::effect::Effect;
use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{DEAD_KEY, Model, Question, Screen, StatsPage};
use crate::tui::race_keeper::{RaceRequest, ReplayUse};
use crate::tui::update::{connection, heat};
use crate::tui::view;
use crossterm::event::{KeyCode, KeyEvent};

/// The races by which page up and down go.
const PAGE: usize = 10;

/// Shows the player's own races, once they are read.
pub(super) fn open(model: &mut Model) {
    model.screen = Screen::Stats(Box::default());
    model.emit(Effect::Races(RaceRequest::List));
}

#[expect(clippy::wildcard_enum_match_arm, reason = "most keys mean nothing here")]
pub(super) fn press(model: &mut Model, key: KeyEvent) {
    let shows_races = view::shows_races(model);
    let Screen::Stats(stats) = &mut model.screen else { return };
    if is_of_races(key) && stats.chosen_race().is_none() {
        return model.ignore(DEAD_KEY);
    }
    if is_of_races(key) && !shows_races {
        // What a key is about must be in sight before it does anything.
        stats.page = StatsPage::Races;
        return;
    }
    match key.code {
        KeyCode::Left => return stats.turn_puzzle(false),
        KeyCode::Right => return stats.turn_puzzle(true),
        KeyCode::PageUp => return stats.go(false, PAGE),
        KeyCode::PageDown => return stats.go(true, PAGE),
        KeyCode::Home => return stats.go(false, usize::MAX),
        KeyCode::End => return stats.go(true, usize::MAX),
        KeyCode::Tab => return stats.turn_page(),
        _ => {}
    }
    match keymap::list_with_letters(key) {
        Some(moved @ (ListKey::Up | ListKey::Down)) => stats.go(moved == ListKey::Down, 1),
        Some(ListKey::Letter('t')) => stats.turn_span(),
        Some(ListKey::Letter('s')) => stats.turn_sort(),
        Some(ListKey::Take) => read_replay(model, ReplayUse::Watch),
        Some(ListKey::Letter('g')) => read_replay(model, ReplayUse::Ghost),
        Some(ListKey::Letter('x')) => {
            change(model, |counts, _| RaceChange::Count(!counts));
        }
        Some(ListKey::Letter('m')) => {
            change(model, |_, marked| RaceChange::Mark(!marked));
        }
        Some(ListKey::Letter('d')) => {
            if let Some(number) = stats.chosen_race().map(|race| race.number) {
                heat::ask(model, Question::DeleteRace(number));
            }
        }
        Some(ListKey::Back | ListKey::Letter('q')) => connection::go_home(model, None),
        Some(ListKey::Letter(_)) | None => model.ignore(DEAD_KEY),
    }
}

/// Says whether a key is about the list of races.
#[expect(clippy::wildcard_enum_match_arm, reason = "most keys aren't")]
fn is_of_races(key: KeyEvent) -> bool {
    match key.code {
        KeyCode::PageUp | KeyCode::PageDown | KeyCode::Home | KeyCode::End => true,
        KeyCode::Tab => false,
        _ => match keymap::list_with_letters(key) {
            Some(ListKey::Up | ListKey::Down | ListKey::Take) => true,
            Some(ListKey::Letter(letter)) => "sgxmd".contains(letter),
            Some(ListKey::Back) | None => false,
        },
    }
}

fn read_replay(model: &mut Model, use_: ReplayUse) {
    let Screen::Stats(stats) = &model.screen else { return };
    if let Some(number) = stats.chosen_race().map(|race| race.number) {
        model.emit(Effect::Races(RaceRequest::Replay(number, use_)));
    }
}

/// Changes the race under the cursor, by whether it counts and whether it is marked.
fn change(model: &mut Model, change: impl FnOnce(bool, bool) -> RaceChange) {
    let Screen::Stats(stats) = &model.screen else { return };
    if let Some(race) = stats.chosen_race() {
        let request = RaceRequest::Change(race.number, change(race.counts, race.marked));
        model.emit(Effect::Races(request));
    }
}
