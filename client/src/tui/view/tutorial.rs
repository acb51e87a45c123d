//! The tutorial: its first page, the step beside the board, and the end of a lesson.

use crate::display::canvas::{Canvas, below, line, middle};
use crate::display::theme::Look;
use crate::tui::keymap::Scope;
use crate::tui::model::{HeatModel, Model, Tutorial};
use crate::tui::view::key_labels::label;
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::heat_view::OwnRace;
use ratatui::layout::Rect;

/// Columns of a page's text.
const WIDTH: u16 = 64;
/// Below this height of a page there are no blank lines.
const AIRY: u16 = 14;
/// The most keys that are named one by one.
const MOST_KEYS: usize = 12;

/// It fits into the smallest terminal as a whole.
const INTRO: [&str; 4] = [
    "You learn to solve any sliding puzzle and to find the links of a Numberlink.",
    "Numbers slide into order, row by row, the blank last.",
    "There is no clock. Beside the board stands the next step: what to do, why, and by which keys.",
    "Moves of your own are fine, and steps that you skip are played for you.",
];

/// What is said at the end of each lesson, and what comes next.
const ENDS: [[&str; 3]; Tutorial::COUNT] = [
    [
        "Rows from the top, the last two tiles of a row together; then the last two rows by columns; \
         then the last three tiles. It solves every size.",
        "Shorter ways do two steps at once. That comes with practice.",
        "Next: Numberlink. Links join equal letters, fill every cell, and never cross.",
    ],
    [
        "Look at corners first, then at ends and cells without a choice, then at what another way \
         would cut off.",
        "What to try next: Play now, against bots. In every race t is a hint, and o changes between \
         the shortest way and these steps.",
        "gridrace solve --solver human --trace shows each step for any board.",
    ],
];

pub(crate) fn draw_intro(canvas: &mut Canvas<'_>, body: Rect) {
    draw_page(canvas, body, "Learn to solve a board", &INTRO);
}

/// Draws the page after a lesson.
pub(crate) fn draw_end(heat: &HeatModel, tutorial: &Tutorial, canvas: &mut Canvas<'_>, body: Rect) {
    let mine = heat.result().and_then(|result| {
        result.standings.iter().find(|row| row.player == heat.you).map(|row| row.state)
    });
    let heading = match mine {
        Some(RaceState::Finished { .. }) => "Solved!",
        Some(RaceState::Racing | RaceState::Dnf) | None => "You skipped the rest of this lesson.",
    };
    if let Some(texts) = ENDS.get(tutorial.number) {
        draw_page(canvas, body, heading, texts);
    }
}

fn draw_page(canvas: &mut Canvas<'_>, body: Rect, heading: &str, texts: &[&str]) {
    let gap = u16::from(body.height >= AIRY);
    let lines = texts.iter().map(|text| {
        let width = usize::from(WIDTH.min(body.width));
        let lines = crate::display::canvas::wrap(text, width).len();
        u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(gap)
    });
    let height = lines.fold(1 + gap, u16::saturating_add);
    let mut area = middle(body, WIDTH, height);
    canvas.text(line(area, 0), heading, Look::Strong);
    area = below(area, 1 + gap);
    for text in texts {
        let used = canvas.wrapped(area, text, Look::Text);
        area = below(area, used + gap);
    }
}

/// Draws the step of the method beside the board.
pub(super) fn draw_panel(
    model: &Model,
    heat: &HeatModel,
    race: &OwnRace,
    tutorial: &Tutorial,
    canvas: &mut Canvas<'_>,
    panel: Rect,
) {
    let now = race.hint().and_then(|given| {
        let reversed = model.settings.reversed;
        heat.panel.input.lesson(race.play.board(), &given.hint, reversed)
    });
    let Some(lesson) = now.as_ref().or(tutorial.lesson.as_ref()) else {
        canvas.text(line(panel, 0), "The first step is coming.", Look::Faint);
        return;
    };
    let gap = u16::from(panel.height >= AIRY);
    let mut area = panel;
    let mut write = |text: &str, look: Look, gap: u16| {
        let used = canvas.wrapped(area, text, look);
        area = below(area, used + gap);
    };
    write(&lesson.step, Look::Strong, gap);
    // Between a move and the hint after it the keys are those of the move.
    if now.is_some() && !lesson.keys.is_empty() {
        let labels = lesson.keys.iter().map(|key| label(model, Scope::Race, key));
        let mut keys = labels.take(MOST_KEYS).collect::<Vec<_>>().join(" ");
        if lesson.keys.len() > MOST_KEYS {
            keys.push_str(" ...");
        }
        write(&format!("Press {keys}"), Look::Mark, 0);
    }
    write(&lesson.act, Look::Text, gap);
    if tutorial.has_strayed {
        write("That was a move of your own: the method goes on from here.", Look::Own, gap);
    }
    write(&lesson.why, Look::Text, gap);
}
