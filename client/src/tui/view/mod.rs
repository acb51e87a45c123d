//! What the screen shows: a pure function of the model.

mod big_screen;
mod countdown;
mod forms;
pub(crate) mod frame;
mod home;
mod host_menu;
mod lobby;
pub(crate) mod overlays;
mod podium;
mod progress_chart;
mod racing;
mod replaying;
mod results;
mod room_status;
mod solo;
pub(crate) mod standings;
mod stats;
#[cfg(test)]
mod tests;
mod watching;

use crate::display::canvas::Canvas;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::tui::model::{Heat, Model, ResultsPart, Screen, Stage};
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::Millis;
use ratatui::Frame;
use ratatui::layout::{Rect, Size};

/// The smallest terminal on which everything fits.
pub const LEAST_SIZE: Size = Size { width: 40, height: 12 };

pub fn view(model: &Model, frame: &mut Frame<'_>) {
    let area = frame.area();
    let mut canvas = Canvas::new(frame.buffer_mut(), model.theme());
    if area.width < LEAST_SIZE.width || area.height < LEAST_SIZE.height {
        too_small(&mut canvas, area);
    } else {
        draw(model, &mut canvas, area);
        overlays::draw(model, &mut canvas, area);
    }
    safe_text::screen(frame.buffer_mut(), model.settings.appearance.ascii);
}

/// Returns the cell of the player's own board that is shown at a cell of the screen.
pub fn cell_at(model: &Model, column: u16, row: u16) -> Option<Cell> {
    let heat = model.heat()?;
    racing::grid(frame::body(screen(model)), heat)?.cell_at(column, row)
}

/// Returns on how many pages the boards are that are watched or replayed; 1 at least.
pub fn pages(model: &Model) -> usize {
    let body = frame::body(screen(model));
    if let Screen::Replay(replaying) = &model.screen {
        return replaying::pages(replaying, body);
    }
    model.heat().map_or(1, |heat| match heat.watching() {
        Some(boards) if is_big(model, body) => big_screen::pages(heat, boards, body).0,
        _ => watching::pages(heat, body),
    })
}

/// Returns how many of the pages of the big screen turn by themselves; 1 at least.
pub fn turning_pages(model: &Model) -> usize {
    let body = frame::body(screen(model));
    let boards = model.heat().filter(|_| is_big(model, body));
    let boards = boards.and_then(|heat| Some((heat, heat.watching()?)));
    boards.map_or(1, |(heat, boards)| big_screen::pages(heat, boards, body).1)
}

/// Says whether the screen is laid out for a hall.
fn is_big(model: &Model, body: Rect) -> bool {
    let shows_places =
        model.heat().is_some_and(|heat| heat.panel.results.part == ResultsPart::Places);
    model.shows_big_screen() && shows_places && big_screen::fits(body)
}

/// Returns on how many pages the columns of the results are; 1 at least.
pub fn column_pages(model: &Model) -> usize {
    let body = frame::body(screen(model));
    let result = model.heat().and_then(|heat| heat.result()).filter(|_| !is_big(model, body));
    result.map_or(1, |result| results::column_pages(result, body))
}

/// Returns how many rows the results have, and how many of them are in sight.
pub fn result_rows(model: &Model) -> (usize, usize) {
    let body = frame::body(screen(model));
    let rows = |heat| Some(results::rows(heat, heat.result()?, body));
    model.heat().and_then(rows).unwrap_or_default()
}

/// Returns the result of the heat as one line to be pasted elsewhere.
pub fn share_line(model: &Model) -> Option<String> {
    results::share_line::text(model.heat()?, model.theme().symbols)
}

/// Returns the instant of a replay that the line of time has at a cell of the screen.
pub fn time_at(model: &Model, column: u16, row: u16) -> Option<Millis> {
    replaying::time_at(model, frame::body(screen(model)), column, row)
}

fn screen(model: &Model) -> Rect {
    Rect::new(0, 0, model.size.width, model.size.height)
}

fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    frame::draw(model, canvas, area);
    let body = frame::body(area);
    match &model.screen {
        Screen::Home(home) => home::draw(model, home, canvas, body),
        Screen::Join(form) => forms::join(model, form, canvas, body),
        Screen::Choose(choose) => forms::choose(choose, canvas, body),
        Screen::Waiting(what) => forms::waiting(model, what, canvas, body),
        Screen::Replay(replaying) => replaying::draw(replaying, canvas, body),
        Screen::Heat(heat) if is_big(model, body) => match &heat.stage {
            Stage::Lobby => big_screen::draw_lobby(model, heat, canvas, body),
            Stage::Watching(boards) => big_screen::draw_race(model, heat, boards, canvas, body),
            Stage::Over(ended) => big_screen::draw_results(heat, &ended.result, canvas, body),
            Stage::Drawing { .. } | Stage::Countdown { .. } | Stage::Racing(_) => {
                draw_stage(model, heat, canvas, body);
            }
        },
        Screen::Stats(stats) => stats::draw(stats, canvas, body),
        Screen::Heat(heat) => draw_stage(model, heat, canvas, body),
    }
}

fn draw_stage(model: &Model, heat: &Heat, canvas: &mut Canvas<'_>, body: Rect) {
    match &heat.stage {
        Stage::Lobby => lobby::draw(model, heat, canvas, body),
        Stage::Drawing { ahead } => countdown::draw_wait(heat, *ahead, canvas, body),
        Stage::Countdown { go } => countdown::draw(model, heat, *go, canvas, body),
        Stage::Racing(race) => match heat.watching() {
            Some(boards) => watching::draw(model, heat, boards, canvas, body),
            None if racing::only_bots_race(heat) => racing::draw_places(heat, canvas, body),
            None => racing::draw(model, heat, race, canvas, body),
        },
        Stage::Watching(boards) => watching::draw(model, heat, boards, canvas, body),
        Stage::Over(ended) => results::draw(heat, &ended.result, canvas, body),
    }
}

fn too_small(canvas: &mut Canvas<'_>, area: Rect) {
    let lines = ["too small", "40x12 is needed"];
    let top = area.y + area.height.saturating_sub(2) / 2;
    for (row, line) in (top..).zip(lines) {
        canvas.centred(Rect { y: row, height: 1, ..area }, line, Look::Strong);
    }
}
