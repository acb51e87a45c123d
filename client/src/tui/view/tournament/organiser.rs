//! The organiser's commands, and the line in which one is given.

use crate::display::canvas::{Canvas, below, hidden, line, middle, scrolled};
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::tui::model::{Form, organiser_commands};
use crate::tui::view::forms;
use gridrace_shared::tournament_view::CommandForm;
use ratatui::layout::Rect;

/// Columns of the boxes.
const MENU_WIDTH: u16 = 62;
const LINE_WIDTH: u16 = 76;
/// Columns of a command's name.
const NAME: usize = 15;
/// Columns in which each command's name and what it does stand on a line. In fewer, that of the chosen
/// one stands below all names.
const WITH_WHAT: u16 = 56;
/// Lines of what the chosen command does.
const WHAT_LINES: u16 = 2;

pub fn draw_menu(chosen: usize, canvas: &mut Canvas<'_>, area: Rect) {
    let commands: Vec<(char, CommandForm)> = organiser_commands().collect();
    let lines = u16::try_from(commands.len()).unwrap_or(u16::MAX).saturating_add(2);
    // The last line has the keys.
    let area = middle(area, MENU_WIDTH.min(area.width - 2), lines.min(area.height - 2));
    let inside = canvas.framed(area, "You direct the tournament");
    let is_wide = inside.width >= WITH_WHAT;
    let apart = if is_wide { 0 } else { WHAT_LINES.min(inside.height.saturating_sub(1)) };
    let list = Rect { height: inside.height - apart, ..inside };
    if let Some(hidden) = hidden(list, commands.len(), chosen) {
        canvas.foot(inside, &hidden);
    }
    if let Some((_, form)) = commands.get(chosen)
        && !is_wide
    {
        canvas.wrapped(below(inside, list.height), form.what, Look::Faint);
    }
    for (row, (key, form), is_chosen) in scrolled(list, 1, &commands, chosen) {
        let name = format!("{:<NAME$}", form.name);
        let x = canvas.menu_row(row, &key.to_string(), &name, is_chosen);
        if is_wide {
            let rest = Rect { x, width: row.right().saturating_sub(x), ..row };
            canvas.text(rest, &safe_text::text(form.what, rest.width.into()), Look::Faint);
        }
    }
}

/// Draws the line of a command, how it is written, and what is wrong with it.
pub fn draw_line(form: &Form, canvas: &mut Canvas<'_>, area: Rect) {
    let area = middle(area, LINE_WIDTH.min(area.width - 2), 7);
    let inside = canvas.framed(area, "Command");
    if let Some(field) = form.fields.first() {
        forms::draw_value(field, true, canvas, line(inside, 0));
    }
    let below = Rect { y: inside.y + 2, height: 2.min(inside.height), ..inside };
    if let Some(error) = form.error() {
        canvas.wrapped(below, error, Look::Bad);
    } else if let Some(arguments) = form.fields.first().map(|field| field.note) {
        canvas.wrapped(below, arguments, Look::Faint);
    }
    let keys = [
        ("enter", Look::Key),
        (" do it   ", Look::Faint),
        ("esc", Look::Key),
        (" back", Look::Faint),
    ];
    canvas.segments(line(inside, 4), &keys);
}
