//! The end of a heat.

use crate::tui::effect::Command;
use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{Heat, Model, Question, Stage};
use crate::tui::update::{heat, lobby};
use crossterm::event::KeyEvent;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::seed::Seed;

/// Takes a key.
pub(super) fn press(model: &mut Model, key: KeyEvent) -> Vec<Command> {
    match keymap::list(key) {
        Some(ListKey::Up | ListKey::Letter('k')) => scroll(model, false),
        Some(ListKey::Down | ListKey::Letter('j')) => scroll(model, true),
        Some(ListKey::Take | ListKey::Letter('r')) => rematch(model),
        Some(ListKey::Letter('t')) => take_seat(model),
        Some(ListKey::Letter('s')) => turn(model),
        Some(ListKey::Back | ListKey::Letter('q')) => heat::ask(model, Question::Leave),
        Some(ListKey::Letter(_)) | None => Vec::new(),
    }
}

/// Only takes a seat: whoever still asks for a hint as the heat ends keeps theirs.
fn take_seat(model: &mut Model) -> Vec<Command> {
    if model.heat().is_some_and(Heat::is_player) {
        return Vec::new();
    }
    lobby::toggle_seat(model)
}

/// Asks for the board of the revealed seed, where it is to be compared.
pub(super) fn check(model: &Model) -> Vec<Command> {
    let Some(heat) = model.heat() else {
        return Vec::new();
    };
    match &heat.stage {
        Stage::Results(results) if results.check.board.is_none() => vec![Command::Draw {
            spec: heat.raced_setup().options.spec,
            seed: results.result.reveal.seed.clone(),
        }],
        Stage::Results(_)
        | Stage::Lobby(_)
        | Stage::Drawing
        | Stage::Countdown { .. }
        | Stage::Racing(_)
        | Stage::Watching(_) => Vec::new(),
    }
}

/// Takes in a board that was drawn: one of another heat tells nothing of this one.
pub(super) fn drawn(
    model: &mut Model,
    spec: PuzzleSpec,
    seed: &Seed,
    drawn: &GeneratedBoard,
) -> Vec<Command> {
    if let Some(heat) = model.heat_mut() {
        let of_this_heat = heat.raced_setup().options.spec == spec;
        if let Stage::Results(results) = &mut heat.stage
            && of_this_heat
            && results.result.reveal.seed == *seed
        {
            results.compare(drawn);
        }
    }
    Vec::new()
}

fn rematch(model: &mut Model) -> Vec<Command> {
    if model.heat().is_some_and(Heat::is_host) {
        return vec![Command::Send(ClientMessage::Rematch)];
    }
    model.notice("The host opens the next heat.");
    Vec::new()
}

/// Shows the solution, where there is one to show, or the places again.
fn turn(model: &mut Model) -> Vec<Command> {
    if let Some(Stage::Results(results)) = model.heat_mut().map(|heat| &mut heat.stage) {
        results.shows_solution = results.solution.is_some() && !results.shows_solution;
    }
    Vec::new()
}

fn scroll(model: &mut Model, down: bool) -> Vec<Command> {
    if let Some(Stage::Results(results)) = model.heat_mut().map(|heat| &mut heat.stage) {
        let last = results.result.standings.len().saturating_sub(1);
        let step = if down { results.scroll + 1 } else { results.scroll.saturating_sub(1) };
        results.scroll = step.min(last);
    }
    Vec::new()
}
