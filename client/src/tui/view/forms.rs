//! The forms and lists through which a player joins a heat.

use crate::display::canvas::{Canvas, below, indent, line, middle, scrolled};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::tui::keymap::Scope;
use crate::tui::model::{
    Choose, ConnectionStatus, Field, FieldKind, Form, JoinForm, Model, Purpose,
};
use crate::tui::view::key_labels::label;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::{RoomPhase, RoomSummary};
use ratatui::layout::Rect;
use unicode_segmentation::UnicodeSegmentation;

/// Columns of a label.
const LABEL: usize = 14;
/// Columns of a value with notes beside it.
const VALUE: u16 = 14;
/// Columns of a form, and of the list.
const WIDTH: u16 = 60;
const LIST_WIDTH: u16 = 76;
/// Columns in which every note stands beside its value in full.
const WITH_NOTES: u16 = 54;

pub(crate) fn join(model: &Model, join: &JoinForm, canvas: &mut Canvas<'_>, body: Rect) {
    let lines = u16::try_from(join.form.fields.len()).unwrap_or(0);
    let pitch = if body.height >= 2 * lines + 3 { 2 } else { 1 };
    let area = middle(body, WIDTH, pitch * lines + 3);
    form(&join.form, canvas, area, pitch);
    // What is wrong may take all lines below.
    let y = area.y + pitch * lines + 1;
    let last = Rect { y, height: body.bottom().saturating_sub(y), ..area };
    if join.busy {
        let ellipsis = canvas.theme.symbols.ellipsis;
        let what = match model.connection.status {
            ConnectionStatus::Up => "Joining",
            ConnectionStatus::Idle | ConnectionStatus::Dialling | ConnectionStatus::Lost { .. } => {
                "Connecting"
            }
        };
        let what = match (&join.purpose, model.opening.is_some()) {
            (_, true) => "Starting a server in this program",
            (Purpose::Host(_), _) => "Opening a room",
            (Purpose::OpenTournament, _) => "Opening a tournament",
            (Purpose::Join(_) | Purpose::Tournament { .. }, _) => what,
        };
        let text = format!("{what}{ellipsis}");
        canvas.text(last, &text, Look::Own);
    } else if let Some(error) = join.error() {
        canvas.wrapped(last, error, Look::Bad);
    } else if let Some(note) = note_apart(&join.form, area) {
        canvas.text(last, note, Look::Faint);
    }
}

/// Draws a form's lines, `pitch` lines apart; if not all fit, those up to the one that
/// is filled in.
pub(crate) fn form(form: &Form, canvas: &mut Canvas<'_>, area: Rect, pitch: u16) {
    for (row, field, focused) in scrolled(area, pitch, &form.fields, form.focus) {
        let focus = match (focused, form.replaces_value()) {
            (false, _) => Focus::None,
            (true, false) => Focus::Cursor,
            (true, true) => Focus::Selected,
        };
        draw_field(field, focus, canvas, row);
    }
}

/// Returns the note on the line that is filled in, where there is no room for it beside.
pub(crate) fn note_apart(form: &Form, area: Rect) -> Option<&'static str> {
    let field = form.fields.get(form.focus)?;
    (area.width < WITH_NOTES && !field.note.is_empty()).then_some(field.note)
}

/// Draws the list of a server's heats.
pub(crate) fn choose(model: &Model, choose: &Choose, canvas: &mut Canvas<'_>, body: Rect) {
    let area = middle(body, LIST_WIDTH, body.height);
    if choose.rooms.is_empty() {
        let area = below(area, area.height / 3);
        canvas.centred(line(area, 0), "No room is open there.", Look::Text);
        let key = label(model, Scope::Lists, "h");
        let offer = [("Press ", Look::Text), (&*key, Look::Key), (" to open one.", Look::Text)];
        canvas.centred_segments(line(area, 1), &offer);
        canvas.centred(line(area, 3), "Private rooms are joined by their code.", Look::Faint);
        return;
    }
    let title = match choose.role {
        Role::Player => "Which room?",
        Role::Spectator => "Which room to watch?",
    };
    canvas.text(line(area, 0), title, Look::Strong);
    let is_narrow = area.width < WITH_NOTES;
    let list = below(area, if is_narrow { 1 } else { 2 });
    let pitch = if is_narrow { 2 } else { 1 };
    for (row, room, chosen) in scrolled(list, pitch, &choose.rooms, choose.chosen) {
        if is_narrow {
            draw_room_in_two_lines(room, chosen, canvas, Rect { height: 2, ..row });
        } else {
            draw_room(room, chosen, canvas, row);
        }
    }
}

/// Draws a room in one line, the name last.
fn draw_room(room: &RoomSummary, chosen: bool, canvas: &mut Canvas<'_>, row: Rect) {
    let spec = format!("  {:<16}", room.spec.to_string());
    let people = format!("{:<11}", format::counted(room.people.into(), "person", "people"));
    let (phase, phase_look) = phase(room.phase);
    let phase = format!("{phase:<9}");
    let x = draw_code(room, chosen, canvas, row);
    let rest = indent(row, x - row.x);
    let facts =
        [(spec.as_str(), Look::Text), (people.as_str(), Look::Text), (phase.as_str(), phase_look)];
    let x = canvas.segments(rest, &facts);
    draw_room_name(room, canvas, indent(row, x - row.x));
}

/// Draws a room in two lines, so that its name has room on a narrow screen.
fn draw_room_in_two_lines(room: &RoomSummary, chosen: bool, canvas: &mut Canvas<'_>, area: Rect) {
    let first = line(area, 0);
    let x = draw_code(room, chosen, canvas, first) + 2;
    draw_room_name(room, canvas, indent(first, x - first.x));
    let people = format::counted(room.people.into(), "person", "people");
    let (phase, phase_look) = phase(room.phase);
    let facts = format!("{} {people} ", room.spec);
    let second = indent(line(area, 1), 2);
    canvas.segments(second, &[(&facts, Look::Faint), (phase, phase_look)]);
}

/// Draws the cursor and the code; returns the column behind them.
fn draw_code(room: &RoomSummary, chosen: bool, canvas: &mut Canvas<'_>, row: Rect) -> u16 {
    let cursor = canvas.cursor(chosen);
    let look = if chosen { Look::Cursor } else { Look::Text };
    let code = room.code.to_string();
    canvas.segments(row, &[(cursor, Look::Cursor), (" ", Look::Text), (&code, look)])
}

/// Draws the room's name, and why it can't be entered just so.
fn draw_room_name(room: &RoomSummary, canvas: &mut Canvas<'_>, area: Rect) {
    let name = match (&room.name, &room.host) {
        (Some(name), _) => name.to_string(),
        (None, Some(host)) => format!("{host}'s room"),
        (None, None) => String::new(),
    };
    let note = match (room.needs_pin, room.full) {
        (true, _) => "  PIN",
        (false, true) => "  full",
        (false, false) => "",
    };
    let space = usize::from(area.width).saturating_sub(note.len());
    let name = safe_text::text(&name, space);
    canvas.segments(area, &[(name.as_str(), Look::Text), (note, Look::Faint)]);
}

/// Returns the word for a room's phase; one in which a player could still race stands out.
pub(super) const fn phase(phase: RoomPhase) -> (&'static str, Look) {
    match phase {
        RoomPhase::Lobby => ("lobby", Look::Good),
        RoomPhase::Racing => ("racing", Look::Faint),
        RoomPhase::Results => ("results", Look::Faint),
    }
}

pub(crate) fn waiting(model: &Model, what: &str, canvas: &mut Canvas<'_>, body: Rect) {
    let area = middle(body, body.width, 2);
    let text = format!("{what}{}", canvas.theme.symbols.ellipsis);
    canvas.centred(line(area, 0), &text, Look::Strong);
    if let Some(goal) = &model.connection.goal {
        let address = safe_text::text(&goal.address, body.width.into());
        canvas.centred(line(area, 1), &address, Look::Faint);
    }
}

/// Whether a field is filled in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Focus {
    None,
    /// What is typed is added to the value.
    Cursor,
    /// What is typed replaces the value.
    Selected,
}

fn draw_field(field: &Field, focus: Focus, canvas: &mut Canvas<'_>, row: Rect) {
    let focused = focus != Focus::None;
    let cursor = canvas.cursor(focused);
    let label = format!("{:<LABEL$}", field.label);
    let look = if focused { Look::Cursor } else { Look::Faint };
    let segments = [(cursor, Look::Cursor), (" ", Look::Text), (label.as_str(), look)];
    let x = canvas.segments(row, &segments);
    let area = Rect { x, width: row.right().saturating_sub(x), ..row };
    let x = draw_value(field, focused, canvas, area);
    if focus == Focus::Selected
        && let FieldKind::Text { .. } = field.kind
    {
        canvas.reverse(Rect { width: x - 1 - area.x, ..area });
    }
    // Notes stand in a column of their own, unless the value is too long.
    let x = (area.x + VALUE).max(x + 1);
    let rest = Rect { x, width: row.right().saturating_sub(x), ..row };
    let (note, look) = match field.error {
        Some(_) => ("wrong", Look::Bad),
        None if row.width < WITH_NOTES => return,
        None => (field.note, Look::Faint),
    };
    canvas.text(rest, &safe_text::text(note, rest.width.into()), look);
}

/// Draws a value; of a long one, the part with the cursor.
pub(super) fn draw_value(field: &Field, focused: bool, canvas: &mut Canvas<'_>, area: Rect) -> u16 {
    match &field.kind {
        FieldKind::Text { input, .. } => {
            let space = usize::from(area.width.saturating_sub(1));
            let hidden = input.visual_scroll(space);
            let mut columns = 0;
            let shown = input.value().graphemes(true).skip_while(|grapheme| {
                let is_hidden = columns < hidden;
                columns += safe_text::cells(grapheme);
                is_hidden
            });
            let x = canvas.text(area, &shown.collect::<String>(), Look::Strong);
            if focused {
                let cursor = u16::try_from(input.visual_cursor() - hidden).unwrap_or(0);
                canvas.reverse(Rect { x: area.x + cursor, y: area.y, width: 1, height: 1 });
            }
            x + 1
        }
        FieldKind::Choice { .. } => {
            let [left, right] = if focused { ["< ", " >"] } else { ["", ""] };
            canvas.segments(
                area,
                &[(left, Look::Faint), (field.value(), Look::Strong), (right, Look::Faint)],
            )
        }
    }
}
