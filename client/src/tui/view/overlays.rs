//! Overlays: help, questions, the options, the choice of a bot.

use crate::display::canvas::{Canvas, below, line, middle};
use crate::display::theme::Look;
use crate::families;
use crate::tui::model::{HeatPhase, Model, OptionsForm, Overlay};
use crate::tui::view::{forms, help, host_menu, invitation, questions, tournament};
use gridrace_shared::bot::Skill;
use ratatui::layout::Rect;

/// Columns of the boxes.
const OPTIONS_WIDTH: u16 = 62;
const BOTS_WIDTH: u16 = 40;

pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    match &model.overlay {
        None => {}
        Some(Overlay::Help) => help::draw(model, canvas, area),
        Some(Overlay::Confirm(question)) => questions::draw(model, *question, canvas, area),
        Some(Overlay::Options(form)) => options(model, form, canvas, area),
        Some(Overlay::Bots) => bots(model, canvas, area),
        Some(Overlay::Announcement(form)) => host_menu::draw_announcement(form, canvas, area),
        Some(Overlay::Invitation { chosen }) => invitation::draw(model, *chosen, canvas, area),
        Some(Overlay::Organiser { chosen }) => tournament::draw_menu(*chosen, canvas, area),
        Some(Overlay::OrganiserLine(form)) => tournament::draw_line(form, canvas, area),
        Some(Overlay::HostMenu { chosen }) => {
            if let Some(heat) = model.shown_heat() {
                host_menu::draw(model, heat, *chosen, canvas, area);
            }
        }
        Some(Overlay::Bans { chosen }) => {
            if let Some(heat) = model.shown_heat() {
                host_menu::draw_bans(heat, *chosen, canvas, area);
            }
        }
        Some(Overlay::Members { action, chosen }) => {
            if let Some(heat) = model.shown_heat() {
                host_menu::draw_members(heat, *action, *chosen, canvas, area);
            }
        }
    }
}

fn options(model: &Model, form: &OptionsForm, canvas: &mut Canvas<'_>, area: Rect) {
    let lines = u16::try_from(form.form.fields.len()).unwrap_or(0);
    let in_lobby = model.shown_heat().is_some_and(|heat| matches!(heat.phase, HeatPhase::Lobby));
    let title = if in_lobby { "Options of the heat" } else { "Options of the next heat" };
    // Below the lines, the note where it has no room beside, and the keys; or what is wrong.
    let foot = 1 + u16::from(area.width < OPTIONS_WIDTH);
    let inside = canvas.framed(middle(area, OPTIONS_WIDTH, lines + foot + 2), title);
    let space = inside.height.saturating_sub(foot).min(lines);
    let fields = Rect { height: space, ..inside };
    forms::form(&form.form, canvas, fields, 1);
    let foot = below(inside, space);
    if let Some(error) = form.form.error() {
        canvas.wrapped(foot, error, Look::Bad);
        return;
    }
    let last = line(foot, foot.height.saturating_sub(1));
    if let Some(note) = forms::note_apart(&form.form, inside)
        && foot.height > 1
    {
        canvas.text(foot, note, Look::Faint);
    }
    let keys = [
        ("enter", Look::Key),
        (" set   ", Look::Faint),
        ("esc", Look::Key),
        (" back", Look::Faint),
    ];
    canvas.segments(last, &keys);
}

fn bots(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(spec) = model.puzzle() else {
        return;
    };
    let lines = u16::try_from(Skill::ALL.len()).unwrap_or(0);
    let box_area = middle(area, BOTS_WIDTH.min(area.width - 2), lines + 2);
    let inside = canvas.framed(box_area, "How strong a bot?");
    for (index, skill) in (0u16..).zip(Skill::ALL) {
        let key = (index + 1).to_string();
        let name = format!("  {:<12}", skill.into_str());
        // Tenths a second.
        let pace = 10_000 / skill.millis_each(&spec).max(1);
        let what = families::info(&spec).pace;
        let pace = format!("{:>2}.{} {what}", pace / 10, pace % 10);
        let segments =
            [(key.as_str(), Look::Key), (name.as_str(), Look::Text), (pace.as_str(), Look::Faint)];
        canvas.segments(line(inside, index), &segments);
    }
}
