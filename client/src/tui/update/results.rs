//! The end of a heat.

use crate::tui::effect::Effect;
use crate::tui::keymap::{self, ListKey, Scope};
use crate::tui::model::{DEAD_KEY, HeatModel, Model, Question, ResultsPart, around};
use crate::tui::update::{connection, heat, practice, requests, watching};
use crate::tui::view;
use crossterm::event::{KeyCode, KeyEvent};
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::Refusal;
use gridrace_shared::protocol::snapshot::OwnResult;
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::seed::Seed;

pub(super) fn press(model: &mut Model, key: KeyEvent) {
    let is_of_board = matches!(
        key.code,
        KeyCode::Left | KeyCode::Right | KeyCode::Up | KeyCode::Down | KeyCode::Enter
    );
    let rests = |heat: &HeatModel| model.now < heat.panel.results.board_keys_rest_until;
    if is_of_board && model.shown_heat().is_some_and(rests) {
        return;
    }
    if matches!(key.code, KeyCode::Left | KeyCode::Right) {
        return turn_columns(model, key.code == KeyCode::Right);
    }
    match keymap::list_with_letters(key) {
        Some(moved @ (ListKey::Up | ListKey::Down)) => scroll(model, moved == ListKey::Down),
        // Space draws links: pressed as the heat ends, it must not take everybody to the lobby.
        Some(ListKey::Take) if key.code == KeyCode::Char(' ') => model.ignore(DEAD_KEY),
        Some(ListKey::Take | ListKey::Letter('r')) => rematch(model),
        Some(ListKey::Letter('t')) => take_seat(model),
        Some(ListKey::Letter('z')) => watching::toggle_big_screen(model),
        Some(ListKey::Letter('s')) => show(model, ResultsPart::Solution),
        Some(ListKey::Letter('f')) => show(model, ResultsPart::Checks),
        Some(ListKey::Letter('c')) => copy(model),
        Some(ListKey::Back) if !shows_places(model) => show(model, ResultsPart::Places),
        Some(ListKey::Letter('b')) => practice::race_best(model),
        Some(ListKey::Back | ListKey::Letter('q')) if model.loses_room() > 0 => {
            heat::ask(model, Question::Leave);
        }
        // Nothing is lost that is not over.
        Some(ListKey::Back | ListKey::Letter('q')) => connection::leave(model),
        Some(ListKey::Letter(_)) | None => model.ignore(DEAD_KEY),
    }
}

/// Only takes a seat, never leaves it: a hint key pressed as the heat ends must not give it up.
fn take_seat(model: &mut Model) {
    if model.shown_heat().is_some_and(|heat| heat.is_player()) {
        model.ignore(DEAD_KEY);
    } else {
        heat::toggle_seat(model);
    }
}

/// Asks for what the results need beside the result: the board of the revealed seed, unless it is
/// compared already, and what the server keeps of this player.
pub(super) fn begin(model: &mut Model) {
    let Some(heat) = model.joined_heat_mut() else { return };
    let Some(result) = heat.result() else { return };
    let is_own = result.standings.iter().any(|row| row.player == heat.you);
    let (spec, seed) = (heat.raced_setup().options.spec, result.reveal.seed.clone());
    let is_compared = heat.panel.results.check.board.is_some();
    let knows_own = heat.panel.results.kept_as.is_some();
    if !is_compared {
        model.emit(Effect::Draw { spec, seed });
    }
    if is_own && !knows_own {
        model.connection.awaits_own_results = true;
        model.send(ClientMessage::Results);
    }
}

/// Takes what the server keeps of this player.
pub(super) fn own_results(model: &mut Model, results: &[OwnResult]) {
    model.connection.awaits_own_results = false;
    if let Some(HeatModel { view, panel, .. }) = model.joined_heat_mut()
        && view.result().is_some()
    {
        panel.results.take_own_results(view, results);
    }
}

/// Says whether a refusal answers the request for one's own results, without which the screen
/// does: the server keeps none, or knows no key of this client.
pub(super) fn is_own_results_refusal(model: &mut Model, why: Refusal) -> bool {
    let refuses =
        matches!(why, Refusal::NoResults | Refusal::Nobody | Refusal::TooFast | Refusal::Busy);
    refuses && std::mem::take(&mut model.connection.awaits_own_results)
}

/// Takes a board that was drawn, unless it is one of another heat.
pub(super) fn drawn(model: &mut Model, spec: PuzzleSpec, seed: &Seed, drawn: &GeneratedBoard) {
    if let Some(HeatModel { view, panel, .. }) = model.joined_heat_mut()
        && view.raced_setup().options.spec == spec
        && let Some(result) = view.result()
        && result.reveal.seed == *seed
    {
        panel.results.compare(result, drawn);
    }
}

/// Says that this player wants a rematch and is ready for it, or takes that back. At the host's
/// word all go to the lobby at once, where those who want the rematch are ready; of a host who
/// plays alone, or against bots, the heat begins.
fn rematch(model: &mut Model) {
    let Some(heat) = model.shown_heat() else { return };
    let is_ready = heat.me().is_some_and(|me| me.ready);
    let is_alone = heat.plays_alone();
    let (leads, plays) = (heat.has_host_powers(), heat.is_player());
    if leads || (plays && !is_ready) {
        requests::request(model, ClientMessage::Rematch);
    }
    if leads && plays {
        let begin =
            if is_alone { ClientMessage::Start } else { ClientMessage::Ready { ready: true } };
        requests::request(model, begin);
    } else if plays && is_ready {
        requests::request(model, ClientMessage::Ready { ready: false });
    } else if !leads && !plays {
        heat::point_to_seat(model, Scope::Results);
    }
}

fn shows_places(model: &Model) -> bool {
    model.shown_heat().is_some_and(|heat| heat.panel.results.part == ResultsPart::Places)
}

/// Shows a part of the results, or the places again where it is shown already.
fn show(model: &mut Model, part: ResultsPart) {
    let Some(heat) = model.joined_heat_mut() else { return };
    let page = &mut heat.panel.results;
    let is_known = part != ResultsPart::Solution || page.solution.is_some();
    let shown = if page.part == part || !is_known { ResultsPart::Places } else { part };
    if std::mem::replace(&mut page.part, shown) == shown {
        model.ignore(DEAD_KEY);
    }
}

/// Copies the line to share, and shows it in full: no terminal says whether it took it.
fn copy(model: &mut Model) {
    if let Some(text) = view::share_line(model) {
        model.emit(Effect::Copy(text));
        model.notice("Sent to the clipboard.");
        if let Some(heat) = model.joined_heat_mut() {
            heat.panel.results.part = ResultsPart::Share;
        }
    }
}

fn turn_columns(model: &mut Model, forward: bool) {
    let pages = view::column_pages(model);
    if let Some(heat) = model.joined_heat_mut() {
        let page = &mut heat.panel.results;
        page.columns = around(page.columns.min(pages - 1), pages, forward);
    }
}

fn scroll(model: &mut Model, down: bool) {
    let (rows, in_sight) = view::result_rows(model);
    if let Some(heat) = model.joined_heat_mut() {
        let page = &mut heat.panel.results;
        let step = if down { page.scroll + 1 } else { page.scroll.saturating_sub(1) };
        page.scroll = step.min(rows.saturating_sub(in_sight));
    }
}
