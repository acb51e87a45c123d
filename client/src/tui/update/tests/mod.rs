//! Updates: keys become effects, and messages change the model.

mod connection;
mod joining;
mod link;
mod lobby;
mod nearby;
mod practice;
mod racing;
mod recording;
mod resume;
mod tournament;
mod tutorial;

use super::*;
use crate::net::NetError;
use crate::test_support::{self as fx, hear, letter, press as key, received};
use crate::tui::effect::Effect::{self, Send};
use crate::tui::model::{
    ConnectionStatus, HeatModel, KEYS_REST, Model, Question, Screen, SeedCheck,
};
use crate::tui::view;
use crossterm::event::KeyModifiers;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::{RoomCode, Seq};
use gridrace_shared::heat::options::{HeatOptions, HintRule};
use gridrace_shared::heat_view::OwnRace;
use gridrace_shared::protocol::client::{ClientMessage, Entrant, Role};
use gridrace_shared::protocol::server::{Farewell, Moved, Refusal, Rejection, ServerMessage};
use gridrace_shared::protocol::snapshot::{Ban, HeatResult, Phase, RoomPhase, RoomSummary};
use gridrace_shared::puzzle::{Board, Move, MoveCount};
use gridrace_shared::util::clock_estimate::ClockEstimate;
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant};
use std::io::ErrorKind;
use std::time::Duration;

const LOST: NetError = NetError::Lost(ErrorKind::ConnectionReset);

fn later(model: &mut Model, span: Duration, message: Event) -> Vec<Effect> {
    update(model, model.now + span, message)
}

fn tell(model: &mut Model, message: Event) -> Vec<Effect> {
    later(model, Duration::ZERO, message)
}

fn heat(model: &Model) -> &HeatModel {
    model.shown_heat().expect("a heat")
}

fn race(model: &Model) -> &OwnRace {
    heat(model).race().expect("a race")
}

fn board(model: &Model) -> Board {
    race(model).play.board().clone()
}

fn moves(commands: &[Effect]) -> Vec<Seq> {
    let mut seqs = Vec::new();
    for command in commands {
        if let Send(ClientMessage::Move { seq, .. }) = command {
            seqs.push(*seq);
        }
    }
    seqs
}

/// Returns what is to be done besides keeping the race that ended so.
fn besides_keeping(mut effects: Vec<Effect>) -> Vec<Effect> {
    effects.retain(|effect| !matches!(effect, Effect::Races(_)));
    effects
}

fn lobby(role: Role) -> Model {
    fx::in_heat("slide:4x4", role, Phase::Lobby)
}

/// On the way into a heat, or to the list of rooms, of a server.
fn joining(code: Option<RoomCode>) -> Model {
    let mut model = fx::model();
    let address = "10.0.0.7".to_owned();
    let role = Role::Player;
    let commands =
        begin(&mut model, Start::Join { address, code, pin: None, role, big_screen: false });
    assert!(matches!(commands.as_slice(), [Effect::Connect { .. }]));
    model
}

fn connected(server: &str) -> Event {
    Event::Connection(ConnectionEvent::Connected { server: server.to_owned() })
}

fn lost(why: NetError) -> Event {
    Event::Connection(ConnectionEvent::Lost(why))
}

fn joined(role: Role, phase: Phase) -> ServerMessage {
    let heat = Box::new(fx::snapshot("slide:4x4", role, phase));
    ServerMessage::Joined { you: fx::ME, room: heat }
}

/// Does something with the mouse over a cell of one's own board.
fn mouse(model: &mut Model, button: MouseAction, at: (usize, usize)) -> Vec<Effect> {
    let size = match board(model) {
        Board::Slide(board) => board.size(),
        Board::Link(drawing) => drawing.puzzle().size(),
    };
    let cell = size.cell(at.0, at.1);
    let places = (0..model.size.height).flat_map(|y| (0..model.size.width).map(move |x| (x, y)));
    let mut places = places.filter(|&(x, y)| view::cell_at(model, x, y) == Some(cell));
    let (column, row) = places.next().expect("the cell is shown");
    tell(model, Event::Mouse { action: button, column, row })
}
