//! Layout that depends on the size of the screen: pages of boards and columns, hidden rows, and
//! pictures.

use crate::tui::model::{Model, ResultsPart, Screen};
use crate::tui::view::{areas, big_screen, racing, replaying, results, stats, watching};
use ratatui::layout::Rect;

/// Returns on how many pages the boards are that are watched or replayed; 1 at least.
pub fn pages(model: &Model) -> usize {
    let body = body(model);
    if let Screen::Replay(replaying) = &model.screen {
        return replaying::pages(replaying, body);
    }
    model.shown_heat().map_or(1, |heat| match heat.watching() {
        Some(boards) if is_big(model, body) => big_screen::pages(heat, boards, body).0,
        _ => watching::pages(heat, body),
    })
}

/// Returns how many of the pages of the big screen turn by themselves; 1 at least.
pub fn turning_pages(model: &Model) -> usize {
    let body = body(model);
    let boards = model.shown_heat().filter(|_| is_big(model, body));
    let boards = boards.and_then(|heat| Some((heat, heat.watching()?)));
    boards.map_or(1, |(heat, boards)| big_screen::pages(heat, boards, body).1)
}

/// Says whether the screen is laid out for a hall.
pub(super) fn is_big(model: &Model, body: Rect) -> bool {
    let shows_places =
        model.shown_heat().is_some_and(|heat| heat.panel.results.part == ResultsPart::Places);
    model.shows_big_screen() && shows_places && big_screen::fits(body)
}

/// Returns on how many pages the columns of the results are; 1 at least.
pub fn column_pages(model: &Model) -> usize {
    let body = body(model);
    let result = model.shown_heat().and_then(|heat| heat.result()).filter(|_| !is_big(model, body));
    result.map_or(1, |result| results::column_pages(result, body))
}

/// Returns how many rows the results have, and how many of them are in sight.
pub fn result_rows(model: &Model) -> (usize, usize) {
    let body = body(model);
    let rows = |heat| Some(results::rows(heat, heat.result()?, body));
    model.shown_heat().and_then(rows).unwrap_or_default()
}

/// Says whether the list of the player's own races is in sight.
pub fn shows_races(model: &Model) -> bool {
    matches!(&model.screen, Screen::Stats(stats) if stats::shows_races(stats, body(model)))
}

/// Says whether the tiles of the player's own board show a picture, at this size and in these colours.
pub fn shows_picture(model: &Model) -> bool {
    let is_large_enough = |heat| racing::shows_picture(body(model), heat);
    model.theme().shows_pictures() && model.shown_heat().is_some_and(is_large_enough)
}

/// Returns the area of the screen's content.
pub(super) fn body(model: &Model) -> Rect {
    areas::body(Rect::new(0, 0, model.size.width, model.size.height))
}
