//! One's own race.

use crate::families::input::{InputAction, MouseAction};
use crate::tui::effect::Effect;
use crate::tui::keymap::{self, RaceKey};
use crate::tui::model::{Heat, Model, Question, RacingMut};
use crate::tui::update::heat;
use crate::tui::view;
use crossterm::event::KeyEvent;
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::heat_view::OwnRace;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::puzzle::Move;

pub(super) fn press(model: &mut Model, key: KeyEvent) -> Vec<Effect> {
    match keymap::race(key) {
        Some(RaceKey::Board(key)) => act(model, |RacingMut { race, input }, reversed| {
            input.key(race.play.board(), key, reversed)
        }),
        Some(RaceKey::Hint) => ask_for_hint(model),
        Some(RaceKey::Reverse) => heat::reverse(model),
        Some(RaceKey::GiveUp) => ask_to_give_up(model),
        Some(RaceKey::Escape) => escape(model),
        Some(RaceKey::Leave) => heat::ask(model, Question::Leave),
        None => Vec::new(),
    }
}

/// Takes the mouse, over the board or beside it.
pub(super) fn mouse(model: &mut Model, action: MouseAction, column: u16, row: u16) -> Vec<Effect> {
    let at = view::cell_at(model, column, row);
    act(model, |RacingMut { race, input }, _| input.mouse(race.play.board(), action, at))
}

/// Sends the moves that may leave by now, unanswered ones of an earlier connection included. The
/// server plays none twice.
pub(super) fn send_due(model: &mut Model) -> Vec<Effect> {
    let now = model.now;
    if !model.connection.is_heard() {
        return Vec::new();
    }
    let Some(race) = model.heat_mut().and_then(|heat| heat.race_mut()) else {
        return Vec::new();
    };
    std::iter::from_fn(|| race.next_to_send(now)).map(Effect::Send).collect()
}

/// Applies an action of the input.
fn act(model: &mut Model, act: impl FnOnce(RacingMut<'_>, bool) -> InputAction) -> Vec<Effect> {
    let reversed = model.settings.reversed;
    let Some(racing) = model.heat_mut().and_then(Heat::racing_mut) else {
        return Vec::new();
    };
    if !racing.race.is_on() {
        return Vec::new();
    }
    match act(racing, reversed) {
        InputAction::None => Vec::new(),
        InputAction::Play(play) => send_move(model, play),
        InputAction::Notice(why) => {
            model.notice(why);
            Vec::new()
        }
    }
}

/// Drops what the input holds, or else asks whether to leave.
fn escape(model: &mut Model) -> Vec<Effect> {
    if let Some(racing) = model.heat_mut().and_then(Heat::racing_mut)
        && racing.input.cancel()
    {
        return Vec::new();
    }
    heat::ask(model, Question::Leave)
}

/// Plays a move at once, and sends it. Without a connection it is sent once there is one again,
/// if the server keeps the seat.
fn send_move(model: &mut Model, play: Move) -> Vec<Effect> {
    let connection = &model.connection;
    let (heard, kept) = (connection.is_heard(), connection.state.keeps_seat());
    if !heard && !kept {
        return Vec::new();
    }
    let Some(race) = model.heat_mut().and_then(|heat| heat.race_mut()) else {
        return Vec::new();
    };
    if !race.is_on() {
        return Vec::new();
    }
    let made = race.play.play(play);
    if made.is_none() && !heard && race.play.is_full() {
        model.notice("No more moves without a connection.");
    }
    send_due(model)
}

fn ask_for_hint(model: &mut Model) -> Vec<Effect> {
    let up = model.connection.is_heard();
    let Some(heat) = model.heat_mut() else {
        return Vec::new();
    };
    let rule = heat.raced_setup().options.hints;
    let Some(race) = heat.race_mut() else {
        return Vec::new();
    };
    if rule == HintRule::Off {
        model.complain("This heat is without hints.");
        return Vec::new();
    }
    // Another hint about the same board would say the same, and cost again.
    if !up || !race.is_on() || race.hints.pending || race.hint().is_some() {
        return Vec::new();
    }
    race.hints.pending = true;
    vec![Effect::Send(ClientMessage::Hint)]
}

fn ask_to_give_up(model: &mut Model) -> Vec<Effect> {
    if model.heat().and_then(|heat| heat.race()).is_some_and(OwnRace::is_on) {
        return heat::ask(model, Question::GiveUp);
    }
    Vec::new()
}
