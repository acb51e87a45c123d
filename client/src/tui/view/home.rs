//! The home screen.

use crate::display::canvas::{Canvas, line, middle};
use crate::display::theme::Look;
use crate::families;
use crate::tui::model::{Home, HomeChoice, Model};
use ratatui::layout::Rect;

/// Columns of the list.
const WIDTH: u16 = 42;
/// Columns of a choice's name.
const NAME: usize = 10;

/// Lines for the puzzle, with the blank one above it.
const PUZZLE: u16 = 2;

pub(crate) fn draw(model: &Model, home: &Home, canvas: &mut Canvas<'_>, body: Rect) {
    let count = u16::try_from(HomeChoice::ALL.len()).unwrap_or(0);
    let pitch = if body.height >= 2 * count + 4 { 2 } else { 1 };
    let area = middle(body, WIDTH, pitch * count + PUZZLE);
    for (index, choice) in HomeChoice::ALL.into_iter().enumerate() {
        let row = line(area, u16::try_from(index).unwrap_or(0) * pitch);
        let chosen = index == home.chosen;
        let cursor = if chosen { canvas.theme.symbols.cursor } else { " " };
        let (key, name, what) = choice.words();
        let look = if chosen { Look::Cursor } else { Look::Text };
        let (key, name) = (key.to_string(), format!("{name:NAME$}"));
        let segments = [
            (cursor, Look::Cursor),
            (" ", Look::Text),
            (key.as_str(), Look::Key),
            ("  ", Look::Text),
            (name.as_str(), look),
            (what, Look::Faint),
        ];
        canvas.segments(row, &segments);
    }
    if let Some(spec) = model.puzzle() {
        let [right, left] = canvas.theme.symbols.hint;
        let name = format!(" {} ", families::title(&spec));
        let segments = [
            ("     puzzle    ", Look::Faint),
            (left, Look::Key),
            (name.as_str(), Look::Own),
            (right, Look::Key),
        ];
        canvas.segments(line(area, pitch * count + PUZZLE - 1), &segments);
    }
}
