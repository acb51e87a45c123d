//! The end of a heat.

use crate::tui::effect::Effect;
use crate::tui::keymap::{self, ListKey};
use crate::tui::model::{Heat, Model, Question};
use crate::tui::update::{heat, lobby};
use crossterm::event::KeyEvent;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::seed::Seed;

pub(super) fn press(model: &mut Model, key: KeyEvent) {
    match keymap::list(key) {
        Some(ListKey::Up | ListKey::Letter('k')) => scroll(model, false),
        Some(ListKey::Down | ListKey::Letter('j')) => scroll(model, true),
        Some(ListKey::Take | ListKey::Letter('r')) => rematch(model),
        Some(ListKey::Letter('t')) => take_seat(model),
        Some(ListKey::Letter('s')) => turn(model),
        Some(ListKey::Back | ListKey::Letter('q')) if model.loses_room() > 0 => {
            heat::ask(model, Question::Leave);
        }
        // Nothing is lost that is not over.
        Some(ListKey::Back | ListKey::Letter('q')) => heat::leave(model),
        Some(ListKey::Letter(_)) | None => {}
    }
}

/// Only takes a seat, never leaves it: a hint key pressed as the heat ends must not give it up.
fn take_seat(model: &mut Model) {
    if !model.heat().is_some_and(|heat| heat.is_player()) {
        lobby::toggle_seat(model);
    }
}

/// Asks for the board of the revealed seed, unless it is compared already.
pub(super) fn check(model: &mut Model) {
    let Some(heat) = model.heat() else { return };
    let Some(result) = heat.result() else { return };
    if heat.panel.results.check.board.is_some() {
        return;
    }
    let spec = heat.raced_setup().options.spec;
    let seed = result.reveal.seed.clone();
    model.emit(Effect::Draw { spec, seed });
}

/// Takes a board that was drawn, unless it is one of another heat.
pub(super) fn drawn(model: &mut Model, spec: PuzzleSpec, seed: &Seed, drawn: &GeneratedBoard) {
    if let Some(Heat { view, panel }) = model.heat_mut()
        && view.raced_setup().options.spec == spec
        && let Some(result) = view.result()
        && result.reveal.seed == *seed
    {
        panel.results.compare(result, drawn);
    }
}

fn rematch(model: &mut Model) {
    if model.heat().is_some_and(|heat| heat.is_host()) {
        model.send(ClientMessage::Rematch);
    } else {
        model.notice("The host opens the next heat.");
    }
}

/// Shows the solution if there is one, or the standings again.
fn turn(model: &mut Model) {
    if let Some(heat) = model.heat_mut() {
        let page = &mut heat.panel.results;
        page.shows_solution = page.solution.is_some() && !page.shows_solution;
    }
}

fn scroll(model: &mut Model, down: bool) {
    if let Some(Heat { view, panel }) = model.heat_mut()
        && let Some(result) = view.result()
    {
        let (page, last) = (&mut panel.results, result.standings.len().saturating_sub(1));
        let step = if down { page.scroll + 1 } else { page.scroll.saturating_sub(1) };
        page.scroll = step.min(last);
    }
}
