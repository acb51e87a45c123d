//! What lies over the screen.

use crate::model::{Model, OptionsForm, Overlay, Question};
use crate::sanitise;
use crate::theme::Look;
use crate::view::forms;
use crate::view::paint::{Paint, line, middle};
use gridrace_shared::bot::Skill;
use ratatui::layout::Rect;

/// Columns of the boxes.
const HELP_WIDTH: u16 = 56;
const QUESTION_WIDTH: u16 = 44;
const OPTIONS_WIDTH: u16 = 62;
const BOTS_WIDTH: u16 = 40;
/// Columns of a key in the help.
const KEY: usize = 16;

/// Draws what lies over the screen, if anything does.
pub(super) fn draw(model: &Model, paint: &mut Paint<'_>, area: Rect) {
    match &model.overlay {
        None => {}
        Some(Overlay::Help) => help(model, paint, area),
        Some(Overlay::Confirm(question)) => confirm(model, *question, paint, area),
        Some(Overlay::Options(form)) => options(form, paint, area),
        Some(Overlay::Bots) => bots(paint, area),
    }
}

fn help(model: &Model, paint: &mut Paint<'_>, area: Rect) {
    let reversed = model.settings.reversed;
    let slide = if reversed {
        "the blank goes there"
    } else {
        "a tile slides that way"
    };
    let rows = [
        ("arrows wasd hjkl", slide),
        ("shift and those", "the whole row or column"),
        ("click", "that tile slides"),
        ("x", "turn the direction keys around"),
        ("t", "hint in a race; else take or leave a seat"),
        ("g", "give up the race"),
        ("enter", "ready, in the lobby"),
        ("s b o d", "host: start, bot, options, send away"),
        ("r", "host: rematch, when the heat is over"),
        ("q esc", "leave; asks first"),
        ("ctrl-z ctrl-c", "suspend; quit at once"),
    ];
    let [yes, _] = paint.theme.symbols.check;
    let height = u16::try_from(rows.len()).unwrap_or(0) + 2;
    let roomy = area.height > height + 3;
    let inside = paint.boxed(
        middle(area, HELP_WIDTH, height + 2 * u16::from(roomy)),
        "Keys",
        Look::Line,
    );
    let inside = Rect {
        x: inside.x + 1,
        width: inside.width.saturating_sub(2),
        ..inside
    };
    for (index, (key, what)) in (0u16..).zip(rows) {
        let key = format!("{key:<KEY$} ");
        paint.bits(
            line(inside, index),
            &[(&key, Look::Key), (what, Look::Text)],
        );
    }
    if roomy {
        let text = format!("[12] is at home {yes}   any key closes this");
        paint.text(line(inside, height - 1), &text, Look::Faint);
    }
}

fn confirm(model: &Model, question: Question, paint: &mut Paint<'_>, area: Rect) {
    let text = match question {
        Question::GiveUp => "Give up this race?".to_owned(),
        Question::Leave if model.hosting => "Leave, and end the heat for all?".to_owned(),
        Question::Leave => "Leave the heat?".to_owned(),
        Question::Quit => "Quit?".to_owned(),
        Question::Kick(player) => {
            let name = model
                .heat()
                .map(|heat| heat.name(player).name)
                .unwrap_or_default();
            format!("Send {} away?", sanitise::text(&name, 20))
        }
    };
    let inside = paint.boxed(
        middle(area, QUESTION_WIDTH.min(area.width - 2), 6),
        "",
        Look::Mark,
    );
    paint.centred(line(inside, 1), &text, Look::Strong);
    let bits = [
        ("y", Look::Key),
        (" yes     ", Look::Text),
        ("n", Look::Key),
        (" no", Look::Text),
    ];
    paint.centred_bits(line(inside, 2), &bits);
}

fn options(form: &OptionsForm, paint: &mut Paint<'_>, area: Rect) {
    let lines = u16::try_from(form.form.fields.len()).unwrap_or(0);
    let inside = paint.boxed(
        middle(area, OPTIONS_WIDTH, lines + 3),
        "Options of the heat",
        Look::Line,
    );
    let inside = Rect {
        x: inside.x + 1,
        width: inside.width.saturating_sub(2),
        ..inside
    };
    forms::form(&form.form, paint, inside, 1);
    let keys = [
        ("enter", Look::Key),
        (" set   ", Look::Faint),
        ("esc", Look::Key),
        (" leave as it was", Look::Faint),
    ];
    paint.bits(line(inside, lines), &keys);
}

fn bots(paint: &mut Paint<'_>, area: Rect) {
    let lines = u16::try_from(Skill::ALL.len()).unwrap_or(0);
    let inside = paint.boxed(
        middle(area, BOTS_WIDTH.min(area.width - 2), lines + 2),
        "How good a bot?",
        Look::Line,
    );
    let inside = Rect {
        x: inside.x + 1,
        width: inside.width.saturating_sub(2),
        ..inside
    };
    for (index, skill) in (0u16..).zip(Skill::ALL) {
        let key = (index + 1).to_string();
        let name = format!("  {:<10}", skill.name());
        let pace = 1_000 / skill.profile().tile_millis.max(1);
        let pace = if pace == 0 {
            "below 2 tiles/s".to_owned()
        } else {
            format!("{pace} tiles/s at most")
        };
        let bits = [
            (key.as_str(), Look::Key),
            (name.as_str(), Look::Text),
            (pace.as_str(), Look::Faint),
        ];
        paint.bits(line(inside, index), &bits);
    }
}
