//! The home screen.

use crate::display::canvas::{Canvas, below, line, middle, scrolled};
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::families;
use crate::families::face::Grid;
use crate::net::nearby::NearbyOffer;
use crate::tui::keymap::Scope;
use crate::tui::model::{Home, HomeChoice, Model};
use crate::tui::view::forms::phase;
use crate::tui::view::key_labels::label;
use gridrace_shared::protocol::tournament::TournamentPhase;
use ratatui::layout::{Rect, Size};

/// Columns of the list.
const WIDTH: u16 = 42;
/// Columns of a choice's name.
const NAME: usize = 12;

/// Lines for the puzzle, with the blank one above it.
const PUZZLE: u16 = 2;

/// Columns between the choices and the board, the least that the board takes, and the largest.
const PREVIEW_GAP: u16 = 6;
const LEAST_PREVIEW: u16 = 20;
const MOST_PREVIEW: Size = Size { width: 64, height: 32 };

/// The most rooms nearby that the choices make room for, and the columns of one.
const MAX_NEARBY: usize = 4;
const NEARBY_WIDTH: u16 = 56;
/// Columns of a code with its puzzle, or of a tournament's name.
const NEARBY_NAME: usize = 17;

pub(crate) fn draw(model: &Model, home: &Home, canvas: &mut Canvas<'_>, body: Rect) {
    let body = draw_preview(model, canvas, body);
    let count = u16::try_from(HomeChoice::ALL.len()).unwrap_or(0);
    let nearby = nearby_lines(model);
    // The blank line gives way to a room nearby.
    let puzzle_lines = if nearby > 0 && body.height <= count + PUZZLE { 1 } else { PUZZLE };
    let pitch = if body.height >= 2 * count + 4 + nearby { 2 } else { 1 };
    let all = middle(body, WIDTH, pitch * count + puzzle_lines + nearby);
    let area = Rect { height: all.height.min(pitch * count + puzzle_lines), ..all };
    draw_nearby(
        model,
        home,
        canvas,
        Rect { width: body.width, x: body.x, ..below(all, area.height) },
    );
    let keys = HomeChoice::ALL
        .map(|choice| label(model, Scope::Home, choice.words().0.encode_utf8(&mut [0; 4])));
    let key_width = keys.iter().map(|key| safe_text::cells(key)).max().unwrap_or(1);
    for (index, (choice, key)) in HomeChoice::ALL.into_iter().zip(&keys).enumerate() {
        let row = line(area, u16::try_from(index).unwrap_or(0) * pitch);
        let chosen = index == home.chosen;
        let cursor = canvas.cursor(chosen);
        let (_, name, what) = choice.words();
        let look = if chosen { Look::Cursor } else { Look::Text };
        let (key, name) = (safe_text::column(key, key_width), format!("{name:NAME$}"));
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
        // Where the columns of the choices leave too little room, the words come closer.
        let room = usize::from(area.width).saturating_sub(safe_text::cells(&name) + 2);
        let blank = (key_width + 4).min(room.saturating_sub("puzzle ".len()));
        let wide = NAME.min(room.saturating_sub(blank));
        let puzzle = format!("{:blank$}{:<wide$}", "", "puzzle");
        let segments = [
            (puzzle.as_str(), Look::Faint),
            (left, Look::Key),
            (name.as_str(), Look::Own),
            (right, Look::Key),
        ];
        canvas.segments(line(area, pitch * count + puzzle_lines - 1), &segments);
    }
}

/// Draws the board of the offered puzzle at the right, as large as there is room; returns the area that
/// is left for the choices.
fn draw_preview(model: &Model, canvas: &mut Canvas<'_>, body: Rect) -> Rect {
    let choices = if model.nearby.is_empty() { WIDTH } else { NEARBY_WIDTH };
    let rest = body.width.saturating_sub(choices + PREVIEW_GAP);
    let most = Size {
        width: rest.min(MOST_PREVIEW.width),
        height: body.height.saturating_sub(2).min(MOST_PREVIEW.height),
    };
    let preview = model.preview.as_ref().and_then(|preview| preview.board.as_ref());
    let Some(board) = preview.filter(|_| rest >= LEAST_PREVIEW) else { return body };
    let face = families::face(board, None);
    let extent = |style: usize| Grid::extent(&*face, style);
    let fits = |&style: &usize| extent(style).0 <= most.width && extent(style).1 <= most.height;
    let Some(style) = (0..face.styles()).find(fits) else { return body };
    let (width, height) = extent(style);
    let all = middle(body, choices + PREVIEW_GAP + width, body.height);
    let area = Rect { x: all.right().saturating_sub(width), width, ..all };
    face.draw(canvas, &Grid::new(middle(area, width, height), &*face, style));
    Rect { width: choices, ..all }
}

/// Returns the lines that rooms nearby take: none without any, or with a heading and a blank line.
fn nearby_lines(model: &Model) -> u16 {
    match u16::try_from(model.nearby.len().min(MAX_NEARBY)).unwrap_or(0) {
        0 => 0,
        rooms => rooms + 2,
    }
}

/// Draws the rooms nearby below the choices, with as much around them as there is room for.
fn draw_nearby(model: &Model, home: &Home, canvas: &mut Canvas<'_>, area: Rect) {
    if model.nearby.is_empty() {
        return;
    }
    let area = middle(area, NEARBY_WIDTH, area.height);
    let shown = u16::try_from(model.nearby.len().min(MAX_NEARBY)).unwrap_or(0);
    let above = area.height.saturating_sub(shown).min(2);
    if above > 0 {
        canvas.text(line(area, above - 1), "on this network", Look::Faint);
    }
    let chosen = home.chosen_entry();
    let rows = scrolled(below(area, above), 1, &model.nearby, chosen.unwrap_or(0));
    for (row, entry, is_first) in rows {
        let is_chosen = is_first && chosen.is_some();
        let cursor = canvas.cursor(is_chosen);
        let look = if is_chosen { Look::Cursor } else { Look::Text };
        let (name, what, (phase, phase_look)) = match &entry.offer {
            NearbyOffer::Room { code, spec, phase: room } => {
                (code.to_string(), spec.to_string(), phase(*room))
            }
            NearbyOffer::Tournament { name, phase } => {
                let is_open = matches!(phase, TournamentPhase::Entries | TournamentPhase::CheckIn);
                let phase = if is_open { ("entries", Look::Good) } else { ("runs", Look::Faint) };
                (name.to_string(), String::new(), phase)
            }
        };
        let name = safe_text::text(&name, NEARBY_NAME);
        let space = NEARBY_NAME.saturating_sub(safe_text::cells(&name));
        let what = safe_text::column(&format!("  {what}"), space);
        let phase = format!(" {phase:<8}");
        let segments = [
            (cursor, Look::Cursor),
            (" ", Look::Text),
            (name.as_str(), look),
            (what.as_str(), Look::Text),
            (phase.as_str(), phase_look),
        ];
        let x = canvas.segments(row, &segments);
        let rest = Rect { x, width: row.right().saturating_sub(x), ..row };
        let address = safe_text::text(&entry.address.to_string(), rest.width.into());
        canvas.text(rest, &address, Look::Faint);
    }
}
