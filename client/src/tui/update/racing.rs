//! One's own race.

use crate::tui::effect::Command;
use crate::tui::event::Button;
use crate::tui::keymap::{self, RaceKey};
use crate::tui::model::{Act, Heat, Model, Question, Racing, Stage};
use crate::tui::update::heat;
use crate::tui::view;
use crossterm::event::KeyEvent;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::heat::standings::State;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::Rejection;
use gridrace_shared::protocol::snapshot::{GivenHint, OwnSeat};
use gridrace_shared::puzzle::{Move, MoveCount};
use gridrace_shared::util::time::{ClientInstant, Millis};

/// Microseconds until a move is sent again that the server was too busy for.
const BUSY_MICROS: u64 = 500_000;

/// Takes a key.
pub(super) fn press(model: &mut Model, key: KeyEvent) -> Vec<Command> {
    match keymap::race(key) {
        Some(RaceKey::Hand(key)) => {
            act(model, |racing, reversed| racing.hand.key(racing.play.board(), key, reversed))
        }
        Some(RaceKey::Hint) => ask_for_hint(model),
        Some(RaceKey::Reverse) => heat::reverse(model),
        Some(RaceKey::GiveUp) => ask_to_give_up(model),
        Some(RaceKey::Escape) => escape(model),
        Some(RaceKey::Leave) => heat::ask(model, Question::Leave),
        None => Vec::new(),
    }
}

/// Takes the mouse, over the board or beside it.
pub(super) fn mouse(model: &mut Model, button: Button, column: u16, row: u16) -> Vec<Command> {
    let at = view::cell_at(model, column, row);
    act(model, |racing, _| racing.hand.mouse(racing.play.board(), button, at))
}

/// Takes in that moves were played: the next may leave.
pub(super) fn accepted(model: &mut Model, seq: Seq, at: Millis, moves: MoveCount) -> Vec<Command> {
    let Some(Stage::Racing(racing)) = model.heat_mut().map(|heat| &mut heat.stage) else {
        return Vec::new();
    };
    racing.play.accepted(seq, moves);
    if racing.play.is_settled() && racing.play.board().is_solved() {
        racing.solved_at.get_or_insert(at);
    }
    send_due(model)
}

/// Takes in that a move wasn't played. What the server was too busy for is sent again.
pub(super) fn rejected(model: &mut Model, seq: Seq, why: Rejection) -> Vec<Command> {
    let again_at = ClientInstant(model.now.0.saturating_add(BUSY_MICROS));
    let Some(Stage::Racing(racing)) = model.heat_mut().map(|heat| &mut heat.stage) else {
        return Vec::new();
    };
    if why == Rejection::Busy {
        racing.hold(seq, again_at);
        return Vec::new();
    }
    racing.take_back(seq);
    model.complain(format!("Move {seq} taken back: {why}."));
    Vec::new()
}

/// Takes in how far one is, as the server says, and sends again what follows on from there.
pub(super) fn resync(model: &mut Model, seat: OwnSeat) -> Vec<Command> {
    let Some(Stage::Racing(racing)) = model.heat_mut().map(|heat| &mut heat.stage) else {
        return Vec::new();
    };
    racing.resync(seat);
    send_due(model)
}

/// Sends the moves that may leave by now, also those that the server hasn't answered on an
/// earlier connection: none is played twice.
pub(super) fn send_due(model: &mut Model) -> Vec<Command> {
    let now = model.now;
    if !model.link.is_heard() {
        return Vec::new();
    }
    let Some(Stage::Racing(racing)) = model.heat_mut().map(|heat| &mut heat.stage) else {
        return Vec::new();
    };
    std::iter::from_fn(|| racing.leave(now))
        .map(|(seq, play)| Command::Send(ClientMessage::Move { seq, play }))
        .collect()
}

/// Takes in a hint.
pub(super) fn hinted(racing: &mut Racing, given: GivenHint, taken: u16, penalty: Millis) {
    racing.hints.pending = false;
    racing.hints.latest = Some(given);
    racing.hints.taken = taken;
    racing.hints.penalty = penalty;
    if let Some(hint) = racing.hint().map(|given| given.hint.clone()) {
        racing.hand.heed(racing.play.board(), &hint);
    }
}

/// Takes over from the standings what only the server knows of one's own race.
pub(super) fn follow_standings(heat: &mut Heat) {
    let Some(standing) = heat.my_standing().cloned() else {
        return;
    };
    if let Stage::Racing(racing) = &mut heat.stage {
        racing.out = racing.out || standing.state == State::Dnf;
        racing.hints.taken = racing.hints.taken.max(standing.hints);
        racing.hints.penalty = racing.hints.penalty.max(standing.penalty);
    }
}

/// Lets the hand act, and does what comes of it.
fn act(model: &mut Model, act: impl FnOnce(&mut Racing, bool) -> Act) -> Vec<Command> {
    let reversed = model.settings.reversed;
    let Some(Stage::Racing(racing)) = model.heat_mut().map(|heat| &mut heat.stage) else {
        return Vec::new();
    };
    if !racing.is_on() {
        return Vec::new();
    }
    match act(racing, reversed) {
        Act::Nothing => Vec::new(),
        Act::Play(play) => send_move(model, play),
        Act::Say(why) => {
            model.notice(why);
            Vec::new()
        }
    }
}

/// Puts down what is held, or else asks whether to leave.
fn escape(model: &mut Model) -> Vec<Command> {
    if let Some(Stage::Racing(racing)) = model.heat_mut().map(|heat| &mut heat.stage)
        && racing.hand.put_down()
    {
        return Vec::new();
    }
    heat::ask(model, Question::Leave)
}

/// Plays a move at once, and sends it; without a connection, as long as the seat is kept,
/// once there is one again.
fn send_move(model: &mut Model, play: Move) -> Vec<Command> {
    let link = &model.link;
    let (heard, kept) = (link.is_heard(), link.keeps_seat());
    if !heard && !kept {
        return Vec::new();
    }
    let Some(Stage::Racing(racing)) = model.heat_mut().map(|heat| &mut heat.stage) else {
        return Vec::new();
    };
    if !racing.is_on() {
        return Vec::new();
    }
    let made = racing.play.play(play);
    if made.is_none() && !heard && racing.play.is_full() {
        model.notice("No more moves without a connection.");
    }
    send_due(model)
}

fn ask_for_hint(model: &mut Model) -> Vec<Command> {
    let up = model.link.is_heard();
    let Some(heat) = model.heat_mut() else {
        return Vec::new();
    };
    let rule = heat.raced_setup().options.hints;
    let Stage::Racing(racing) = &mut heat.stage else {
        return Vec::new();
    };
    if rule == HintRule::Off {
        model.complain("This heat is without hints.");
        return Vec::new();
    }
    // The one there is still holds: another would say the same, and cost again.
    if !up || !racing.is_on() || racing.hints.pending || racing.hint().is_some() {
        return Vec::new();
    }
    racing.hints.pending = true;
    vec![Command::Send(ClientMessage::Hint)]
}

fn ask_to_give_up(model: &mut Model) -> Vec<Command> {
    match model.heat().map(|heat| &heat.stage) {
        Some(Stage::Racing(racing)) if racing.is_on() => heat::ask(model, Question::GiveUp),
        _ => Vec::new(),
    }
}
