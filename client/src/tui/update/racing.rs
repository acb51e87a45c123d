//! Keys and mouse while this player races.

use crate::families::input::{InputAction, MouseAction};
use crate::families::{self, BoardInput};
use crate::tui::effect::Effect;
use crate::tui::keymap::{self, RaceKey};
use crate::tui::model::{DEAD_KEY, HeatModel, Model, Question, Screen};
use crate::tui::update::requests::NO_CONNECTION;
use crate::tui::update::{heat, requests, watching};
use crate::tui::view;
use crossterm::event::KeyEvent;
use gridrace_shared::heat::options::{HintRule, HintStyles};
use gridrace_shared::heat_view::OwnRace;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::puzzle::{Board, HintStyle, Move};

const DEAD_CLICK: &str = "A click there does nothing.";

pub(super) fn press(model: &mut Model, key: KeyEvent) {
    if keymap::is_view(key) {
        return toggle_view(model);
    }
    if model.shown_heat().is_some_and(HeatModel::views_others) {
        return watching::press(model, key);
    }
    match keymap::race(key) {
        Some(RaceKey::Board(key)) => {
            act(model, Some(DEAD_KEY), |input, board, reversed| input.key(board, key, reversed));
        }
        Some(RaceKey::Hint) => ask_for_hint(model),
        Some(RaceKey::HintStyle) => change_hint_style(model),
        Some(RaceKey::Numbers) => show_numbers(model),
        Some(RaceKey::Skip) => skip_step(model),
        Some(RaceKey::GiveUp) if is_racing(model) && model.tutorial.is_some() => {
            // A lesson is skipped without a question: nothing is lost.
            requests::request(model, ClientMessage::GiveUp);
        }
        Some(RaceKey::Reverse) => heat::reverse(model),
        Some(RaceKey::GiveUp) if is_racing(model) => heat::ask(model, Question::GiveUp),
        Some(RaceKey::Escape) => escape(model),
        Some(RaceKey::Leave) => heat::ask(model, Question::Leave),
        Some(RaceKey::GiveUp) | None => model.ignore(DEAD_KEY),
    }
}

/// Shows the others' boards, or the own one again.
fn toggle_view(model: &mut Model) {
    let Some(heat) = model.joined_heat_mut() else { return };
    if heat.watched().is_some() {
        heat.panel.views_others = !heat.panel.views_others;
        heat.panel.page = 0;
    } else if heat.race().is_some_and(|race| !race.is_on()) {
        model.notice("The host doesn't let finishers watch.");
    } else {
        model.ignore(DEAD_KEY);
    }
}

fn is_racing(model: &Model) -> bool {
    model.shown_heat().and_then(|heat| heat.race()).is_some_and(OwnRace::is_on)
}

/// Takes the mouse, over the board or beside it.
pub(super) fn mouse(model: &mut Model, action: MouseAction, column: u16, row: u16) {
    let at = view::cell_at(model, column, row);
    // Beside the board, and where the mouse is only moved or let go, nothing is expected.
    let dead = (action == MouseAction::Press && at.is_some()).then_some(DEAD_CLICK);
    act(model, dead, |input, board, _| input.mouse(board, action, at));
}

/// Sends the moves that may leave by now, unanswered ones of an earlier connection included. The
/// server plays none twice.
pub(super) fn send_due(model: &mut Model) {
    let now = model.now;
    if !model.connection.is_heard() {
        return;
    }
    while let Some(message) =
        model.joined_heat_mut().and_then(|heat| heat.race_mut()?.next_to_send(now))
    {
        model.send(message);
    }
}

/// Applies an action of the input, or says that there is none, if there are words for that.
fn act(
    model: &mut Model,
    dead: Option<&'static str>,
    act: impl FnOnce(&mut BoardInput, &Board, bool) -> InputAction,
) {
    let reversed = model.settings.reversed;
    let Some(HeatModel { view, panel, .. }) = model.joined_heat_mut() else { return };
    let Some(race) = view.race().filter(|race| race.is_on()) else {
        dead.into_iter().for_each(|words| model.ignore(words));
        return;
    };
    let before = panel.input.clone();
    match act(&mut panel.input, race.play.board(), reversed) {
        InputAction::None if before == panel.input => {
            dead.into_iter().for_each(|words| model.ignore(words));
        }
        InputAction::None => {}
        InputAction::Play(play) => send_move(model, play),
        InputAction::Notice(why) => model.notice(why),
    }
}

/// Drops what the input holds in a race that is on, or else asks whether to leave.
fn escape(model: &mut Model) {
    let drops =
        is_racing(model) && model.joined_heat_mut().is_some_and(|heat| heat.panel.input.cancel());
    if !drops {
        heat::ask(model, Question::Leave);
    }
}

/// Plays a move at once, and sends it. Without a connection it is sent once there is one again,
/// if the server keeps the seat.
pub(super) fn send_move(model: &mut Model, play: Move) {
    note_in_tutorial(model, &play);
    let connection = &model.connection;
    let (heard, kept) = (connection.is_heard(), connection.state.keeps_seat());
    let now = model.now;
    let Some(HeatModel { view, panel, .. }) = model.joined_heat_mut() else { return };
    let race = view.race_mut().filter(|race| race.is_on() && (heard || kept));
    let Some(race) = race else { return };
    let made = race.play.play(play);
    let is_solved = made.is_some() && race.play.board().is_solved();
    if made.is_some() {
        panel.feedback.moved(now);
    } else if !heard && race.play.is_full() {
        model.notice("No more moves until the connection is back.");
    }
    if is_solved {
        celebrate(model);
    }
    send_due(model);
}

/// Flashes and rings, as the player wants it.
fn celebrate(model: &mut Model) {
    let now = model.now;
    if model.settings.flash
        && let Some(heat) = model.joined_heat_mut()
    {
        heat.panel.feedback.solved(now);
    }
    if model.settings.bell {
        model.emit(Effect::Bell);
    }
}

fn ask_for_hint(model: &mut Model) {
    let (up, style) = (model.connection.is_heard(), model.settings.hint_style);
    let Some(heat) = model.joined_heat_mut() else { return };
    let rule = heat.raced_setup().options.hints;
    let Some(race) = heat.race_mut() else { return };
    if rule == HintRule::Off {
        return model.complain("This heat has no hints.");
    }
    // Another hint about the same board would say the same, and cost again.
    let may_ask = race.is_on() && !race.hints.pending && race.hint().is_none();
    if may_ask && up {
        race.hints.pending = true;
        model.send(ClientMessage::Hint { style });
    } else if may_ask {
        model.complain(NO_CONNECTION);
    } else {
        model.ignore(DEAD_KEY);
    }
}

/// Shows or hides the numbers on the tiles of a picture.
fn show_numbers(model: &mut Model) {
    let colors = model.settings.appearance.colors;
    if !view::shows_picture(model) {
        return model.ignore(DEAD_KEY);
    }
    if let Some(heat) = model.joined_heat_mut() {
        heat.picture.numbers = Some(!heat.shows_numbers(colors));
    }
}

/// Asks for hints of the other style from now on, if the host leaves that to the players. The hint
/// on the screen is put away, so that one of the other style can be had of the same board.
fn change_hint_style(model: &mut Model) {
    if model.tutorial.is_some() {
        return model.complain("The tutorial always gives hints by the method.");
    }
    let style = model.settings.hint_style.other();
    let Some(heat) = model.joined_heat_mut() else { return };
    let options = &heat.raced_setup().options;
    let is_fixed = options.hints == HintRule::Off || options.hint_styles != HintStyles::Any;
    match heat.race_mut().filter(|race| race.is_on()) {
        Some(_) if is_fixed => return model.complain("The host has fixed the hints."),
        Some(race) => race.hints.latest = None,
        None => return model.ignore(DEAD_KEY),
    }
    model.settings.hint_style = style;
    model.notice(match style {
        HintStyle::Shortest => "Hints are now the shortest way.",
        HintStyle::Method => "Hints are now steps of the method.",
    });
}

/// Lets the tutorial play what is left of the step that it shows.
fn skip_step(model: &mut Model) {
    let Some(tutorial) = &mut model.tutorial else { return model.ignore(DEAD_KEY) };
    tutorial.skipping = tutorial.lesson.as_ref().map(|lesson| lesson.step.clone());
}

/// Notes in a lesson whether a move is the hint's, before it is played.
fn note_in_tutorial(model: &mut Model, play: &Move) {
    let Some(tutorial) = &mut model.tutorial else { return };
    let Screen::Heat(heat) = &model.screen else { return };
    if let Some(race) = heat.view.race()
        && let Some(given) = race.hint()
    {
        tutorial.has_strayed = !families::is_hinted(race.play.board(), &given.hint, play);
    }
}
