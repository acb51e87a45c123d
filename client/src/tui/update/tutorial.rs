//! The tutorial: it asks for a hint by method after each move, and plays a step that is skipped.

use crate::families;
use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{DEAD_KEY, HeatModel, Model, NewRoom, Screen, Tutorial};
use crate::tui::update::requests::is_heard_or_complain;
use crate::tui::update::{connection, home, lobby, racing};
use crossterm::event::{KeyCode, KeyEvent};
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::puzzle::HintStyle;
use std::time::Duration;

/// After how long a hint is asked for again that the server refused.
const ASK_AGAIN: Duration = Duration::from_millis(500);

/// Takes a key on the first page.
pub(super) fn press_intro(model: &mut Model, key: KeyEvent) {
    match keymap::list(key) {
        Some(ListKey::Take) => begin(model),
        Some(ListKey::Back | ListKey::Letter('q')) => connection::go_home(model, None),
        Some(ListKey::Up | ListKey::Down | ListKey::Letter(_)) | None => model.ignore(DEAD_KEY),
    }
}

fn begin(model: &mut Model) {
    let tutorial = Tutorial::default();
    let Some((options, seed)) = tutorial.board() else { return };
    model.tutorial = Some(Box::new(tutorial));
    let room = NewRoom { options, seed: Some(seed), bots: Vec::new(), image: None, start: true };
    home::race_alone(model, room);
}

/// Takes a key at the end of a lesson. Enter alone leads on: other keys may be meant for the board.
pub(super) fn press_end(model: &mut Model, key: KeyEvent) {
    match keymap::list(key) {
        Some(ListKey::Take) if key.code == KeyCode::Enter => go_on(model),
        Some(ListKey::Back | ListKey::Letter('q')) => connection::leave(model),
        Some(_) | None => model.ignore(DEAD_KEY),
    }
}

/// Begins the lesson after this one, in the same room; or ends the tutorial.
fn go_on(model: &mut Model) {
    let Some(tutorial) = &model.tutorial else { return };
    let next = tutorial.next();
    let Some((options, seed)) = next.board() else {
        return connection::leave(model);
    };
    if !is_heard_or_complain(model) {
        return;
    }
    model.tutorial = Some(Box::new(next));
    model.send(ClientMessage::Rematch);
    lobby::send_options(model, options, Some(seed));
    model.send(ClientMessage::Start);
}

/// Takes in the hint for the present board, or asks for it; goes on with a step that is skipped.
pub(super) fn follow(model: &mut Model) {
    let (now, is_up) = (model.now, model.connection.is_heard());
    let reversed = model.settings.reversed;
    let Some(tutorial) = &mut model.tutorial else { return };
    let Screen::Heat(heat) = &mut model.screen else {
        // While the room opens, the lesson is still to come; else the player left.
        if !matches!(model.screen, Screen::Waiting(_)) {
            model.tutorial = None;
        }
        return;
    };
    let HeatModel { view, panel, .. } = &mut **heat;
    let Some(race) = view.race_mut().filter(|race| race.is_on()) else { return };
    let Some(given) = race.hint() else {
        let last = race.play.last();
        let waits = |(seq, at)| seq == last && now < at + ASK_AGAIN;
        if is_up
            && race.play.is_settled()
            && !race.hints.pending
            && !tutorial.asked.is_some_and(waits)
        {
            race.hints.pending = true;
            tutorial.asked = Some((last, now));
            model.send(ClientMessage::Hint { style: HintStyle::Method });
        }
        return;
    };
    let board = race.play.board();
    let Some(lesson) = panel.input.lesson(board, &given.hint, reversed) else { return };
    let skips = tutorial.skipping.as_ref() == Some(&lesson.step);
    let moves = if skips { families::shown_moves(board, &given.hint) } else { Vec::new() };
    if !skips {
        tutorial.skipping = None;
    }
    tutorial.lesson = Some(lesson);
    moves.into_iter().for_each(|play| racing::send_move(model, play));
}
