//! The host's menu, the members it is about, and the line that is announced.

use crate::display::canvas::{Canvas, Segment, hidden, line, middle, scrolled};
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::tui::keymap::Scope;
use crate::tui::model::{Form, HeatModel, HostAction, MemberAction, Model, liftable_bans};
use crate::tui::view::forms;
use crate::tui::view::key_labels::label;
use gridrace_shared::heat::player_kind::PlayerKind;
use ratatui::layout::Rect;

/// Columns of the boxes.
const MENU_WIDTH: u16 = 46;
const ANNOUNCEMENT_WIDTH: u16 = 70;
/// Digits of a key's fingerprint beside a name.
const KEY_DIGITS: usize = 8;

pub(super) fn draw(
    model: &Model,
    heat: &HeatModel,
    chosen: usize,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let actions = HostAction::available(heat);
    let title = if heat.is_host() { "You are the host" } else { "You are an operator" };
    let inside = list_box(canvas, area, title, (actions.len(), chosen));
    let key = |action: &HostAction| {
        label(model, Scope::HostMenu, action.words().0.encode_utf8(&mut [0; 4]))
    };
    let width = actions.iter().map(|action| safe_text::cells(&key(action))).max().unwrap_or(1);
    for (row, action, is_chosen) in scrolled(inside, 1, &actions, chosen) {
        let (_, name) = action.words();
        canvas.menu_row(row, &safe_text::column(&key(action), width), name, is_chosen);
    }
}

pub(super) fn draw_members(
    heat: &HeatModel,
    action: MemberAction,
    chosen: usize,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let members = action.candidates(heat);
    let inside = list_box(canvas, area, action.title(), (members.len(), chosen));
    if members.is_empty() {
        canvas.text(line(inside, 0), "There is no one else.", Look::Faint);
        return;
    }
    for (row, member, is_chosen) in scrolled(inside, 1, &members, chosen) {
        let cursor = canvas.cursor(is_chosen);
        let look = if is_chosen { Look::Cursor } else { Look::Text };
        let note = match (member.connected, member.kind) {
            (false, _) => " away",
            (true, PlayerKind::Human) => "",
            (true, PlayerKind::Bot | PlayerKind::HouseBot(_)) => " bot",
        };
        let space = usize::from(row.width).saturating_sub(2 + note.len());
        let name = safe_text::text(member.name.as_str(), space);
        let segments =
            [(cursor, Look::Cursor), (" ", Look::Text), (name.as_str(), look), (note, Look::Faint)];
        canvas.segments(row, &segments);
    }
}

pub(super) fn draw_bans(heat: &HeatModel, chosen: usize, canvas: &mut Canvas<'_>, area: Rect) {
    let bans = liftable_bans(heat);
    let inside = list_box(canvas, area, "Whose ban is lifted?", (bans.len(), chosen));
    if bans.is_empty() {
        canvas.text(line(inside, 0), "No key is banned.", Look::Faint);
        return;
    }
    for (row, ban, is_chosen) in scrolled(inside, 1, &bans, chosen) {
        let cursor = canvas.cursor(is_chosen);
        let look = if is_chosen { Look::Cursor } else { Look::Text };
        // Members may have had the same name: the key tells them apart.
        let key: String = ban.key.to_string().chars().take(KEY_DIGITS).collect();
        let note = format!("  key {key}{}", canvas.theme.symbols.ellipsis);
        let space = usize::from(row.width).saturating_sub(2 + safe_text::cells(&note));
        let name = safe_text::text(ban.name.as_str(), space);
        let segments: [Segment<'_>; 4] =
            [(cursor, Look::Cursor), (" ", Look::Text), (&name, look), (&note, Look::Faint)];
        canvas.segments(row, &segments);
    }
}

pub(super) fn draw_announcement(form: &Form, canvas: &mut Canvas<'_>, area: Rect) {
    let area = middle(area, ANNOUNCEMENT_WIDTH.min(area.width - 2), 5);
    let inside = canvas.framed(area, "Announce to everybody");
    if let Some(field) = form.fields.first() {
        forms::draw_value(field, true, canvas, line(inside, 0));
    }
    let last = line(inside, 2);
    if let Some(error) = form.error() {
        canvas.text(last, &safe_text::text(error, last.width.into()), Look::Bad);
        return;
    }
    let keys = [
        ("enter", Look::Key),
        (" send   ", Look::Faint),
        ("esc", Look::Key),
        (" back", Look::Faint),
    ];
    canvas.segments(last, &keys);
}

/// Draws a box for a list, as high as the screen lets it be beside the first and the last line; returns its inside.
fn list_box(
    canvas: &mut Canvas<'_>,
    area: Rect,
    title: &str,
    (count, chosen): (usize, usize),
) -> Rect {
    let lines = u16::try_from(count.max(1)).unwrap_or(u16::MAX).saturating_add(2);
    // The last line has the keys.
    let area = middle(area, MENU_WIDTH.min(area.width - 2), lines.min(area.height - 2));
    let inside = canvas.framed(area, title);
    if let Some(hidden) = hidden(inside, count, chosen) {
        canvas.foot(inside, &hidden);
    }
    inside
}
