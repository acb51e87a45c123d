//! The view: draws the screen as a pure function of the model.

mod areas;
mod big_screen;
mod countdown;
mod finished_picture;
mod footer_keys;
mod forms;
pub(crate) mod frame;
mod help;
mod home;
mod host_menu;
mod invitation;
mod key_labels;
mod lobby;
mod overlays;
mod pages;
mod podium;
mod progress_chart;
mod questions;
mod racing;
mod replaying;
mod results;
mod room_status;
mod solo;
pub(crate) mod standings;
mod stats;
#[cfg(test)]
mod tests;
mod tournament;
mod tutorial;
mod watching;

use crate::display::canvas::Canvas;
use crate::display::graphics::tile_layer::{PlacedImages, ReadyImages};
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::tui::model::{HeatModel, HeatPhase, Model, Screen};
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::Millis;
use ratatui::Frame;
use ratatui::layout::{Rect, Size};

pub use pages::{column_pages, pages, result_rows, shows_picture, shows_races, turning_pages};

/// The smallest terminal on which everything fits.
pub const LEAST_SIZE: Size = Size { width: 40, height: 12 };

pub fn view(model: &Model, frame: &mut Frame<'_>) {
    // Without images nothing is placed.
    drop(view_with_images(model, frame, None));
}

/// Like [`view`], on a terminal that has images of tiles ready; returns where they are to be shown.
pub fn view_with_images(
    model: &Model,
    frame: &mut Frame<'_>,
    ready: Option<&ReadyImages>,
) -> PlacedImages {
    let area = frame.area();
    let colors = model.settings.appearance.colors;
    let picture = model.shown_heat().and_then(|heat| heat.tile_picture(colors));
    let mut canvas = Canvas::new(frame.buffer_mut(), model.theme()).with_picture(picture);
    canvas = canvas.with_images(ready);
    if is_less_than_least(area.as_size()) {
        too_small(&mut canvas, area);
    } else {
        draw(model, &mut canvas, area);
        overlays::draw(model, &mut canvas, area);
    }
    let placed = canvas.finish();
    safe_text::screen(frame.buffer_mut(), model.settings.appearance.ascii);
    placed.blank(frame.buffer_mut());
    placed
}

/// Says whether the terminal is too small to show the screen.
pub const fn is_too_small(model: &Model) -> bool {
    is_less_than_least(model.size)
}

const fn is_less_than_least(size: Size) -> bool {
    size.width < LEAST_SIZE.width || size.height < LEAST_SIZE.height
}

/// Returns the cell of the player's own board that is shown at a cell of the screen.
pub fn cell_at(model: &Model, column: u16, row: u16) -> Option<Cell> {
    let heat = model.shown_heat()?;
    racing::grid(pages::body(model), heat)?.cell_at(column, row)
}

/// Returns the result of the heat as one line to be pasted elsewhere.
pub fn share_line(model: &Model) -> Option<String> {
    results::share_line::text(model.shown_heat()?, model.theme().symbols)
}

/// Returns the instant of a replay that the line of time has at a cell of the screen.
pub fn time_at(model: &Model, column: u16, row: u16) -> Option<Millis> {
    replaying::time_at(model, pages::body(model), column, row)
}

/// Returns how many rows the part of the tournament that is shown has to scroll through.
pub fn tournament_rows(model: &Model) -> usize {
    tournament::rows(model)
}

/// Returns the last column from which on a tournament's bracket is drawn.
pub fn last_bracket_column(model: &Model) -> usize {
    tournament::last_bracket_column(model)
}

fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    frame::draw(model, canvas, area);
    let body = areas::body(area);
    match &model.screen {
        Screen::Home(home) => home::draw(model, home, canvas, body),
        Screen::Join(form) => forms::join(model, form, canvas, body),
        Screen::Choose(choose) => forms::choose(model, choose, canvas, body),
        Screen::ChooseTournament(choose) => tournament::choose(model, choose, canvas, body),
        Screen::Tournament => tournament::draw(model, canvas, body),
        Screen::Waiting(what) => forms::waiting(model, what, canvas, body),
        Screen::Replay(replaying) => replaying::draw(replaying, canvas, body),
        Screen::Heat(heat) if pages::is_big(model, body) => match &heat.phase {
            HeatPhase::Lobby => big_screen::draw_lobby(model, heat, canvas, body),
            HeatPhase::Watching(boards) => big_screen::draw_race(model, heat, boards, canvas, body),
            HeatPhase::Over(ended) => big_screen::draw_results(heat, &ended.result, canvas, body),
            HeatPhase::Drawing { .. } | HeatPhase::Countdown { .. } | HeatPhase::Racing(_) => {
                draw_phase(model, heat, canvas, body);
            }
        },
        Screen::Stats(stats) => stats::draw(stats, canvas, body),
        Screen::Tutorial => tutorial::draw_intro(canvas, body),
        Screen::Heat(heat) => draw_phase(model, heat, canvas, body),
    }
}

fn draw_phase(model: &Model, heat: &HeatModel, canvas: &mut Canvas<'_>, body: Rect) {
    match &heat.phase {
        HeatPhase::Lobby => lobby::draw(model, heat, canvas, body),
        HeatPhase::Drawing { ahead } => countdown::draw_wait(heat, *ahead, canvas, body),
        HeatPhase::Countdown { go } => countdown::draw(model, heat, *go, canvas, body),
        HeatPhase::Racing(race) => match heat.watching() {
            Some(boards) => watching::draw(model, heat, boards, canvas, body),
            None if racing::only_bots_race(heat) => racing::draw_places(heat, canvas, body),
            None => racing::draw(model, heat, race, canvas, body),
        },
        HeatPhase::Watching(boards) => watching::draw(model, heat, boards, canvas, body),
        HeatPhase::Over(ended) => match &model.tutorial {
            Some(tutorial) => tutorial::draw_end(heat, tutorial, canvas, body),
            None => results::draw(model, heat, &ended.result, canvas, body),
        },
    }
}

fn too_small(canvas: &mut Canvas<'_>, area: Rect) {
    let lines =
        [format!("{}x{} is too small", area.width, area.height), "40x12 is needed".to_owned()];
    let top = area.y + area.height.saturating_sub(2) / 2;
    for (row, line) in (top..).zip(lines) {
        canvas.centred(Rect { y: row, height: 1, ..area }, &line, Look::Strong);
    }
}
