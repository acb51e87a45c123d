//! The podium: the first three who finished, on steps.

use crate::display::big_digits::{self, Dots};
use crate::display::canvas::{Canvas, Segment, below, line, middle};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::tui::model::HeatModel;
use gridrace_shared::heat::standings::{RaceState, Standing};
use ratatui::layout::Rect;

/// The fewest lines of a podium: name and time above the steps, and the steps.
pub(crate) const LEAST_HEIGHT: u16 = 6;
/// The most lines that still look like steps.
pub(crate) const MOST_HEIGHT: u16 = 16;
/// Lines of name and time above a step.
const WORDS: u16 = 2;
/// The narrowest and the widest step.
const LEAST_STEP: u16 = 14;
const MOST_STEP: u16 = 32;
/// Columns between steps.
const GAP: u16 = 1;
/// What the steps look like, by place.
const LOOKS: [Look; 3] = [Look::Mark, Look::Text, Look::Faint];

/// Returns those who finished, at most three, by place.
pub(crate) fn finishers(rows: &[Standing]) -> Vec<&Standing> {
    let finished = |row: &&Standing| matches!(row.state, RaceState::Finished { .. });
    rows.iter().filter(finished).take(LOOKS.len()).collect()
}

/// Says whether an area has room for a podium.
pub(crate) const fn fits(area: Rect) -> bool {
    area.height >= LEAST_HEIGHT && area.width >= 3 * LEAST_STEP + 2 * GAP
}

/// Draws the podium in the middle of an area in which it fits: the first in the middle, the
/// second at the left.
pub(crate) fn draw(heat: &HeatModel, rows: &[Standing], canvas: &mut Canvas<'_>, area: Rect) {
    let area = middle(area, area.width, area.height.min(MOST_HEIGHT));
    let step = ((area.width - 2 * GAP) / 3).min(MOST_STEP).min(5 * area.height);
    let block = middle(area, 3 * step + 2 * GAP, area.height);
    let tallest = block.height - WORDS;
    for (index, standing) in finishers(rows).into_iter().enumerate() {
        let (column, height) = match index {
            0 => (1, tallest),
            1 => (0, (2 * tallest).div_ceil(3)),
            _ => (2, tallest.div_ceil(3)),
        };
        let x = block.x + column * (step + GAP);
        let y = block.bottom() - height - WORDS;
        let place = Rect { x, y, width: step, height: height + WORDS };
        let look = LOOKS.get(index).copied().unwrap_or(Look::Text);
        draw_step(heat, standing, look, canvas, place);
    }
}

fn draw_step(
    heat: &HeatModel,
    standing: &Standing,
    look: Look,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let name = safe_text::text(&heat.name(standing.player).name, area.width.into());
    let is_own = standing.player == heat.you;
    canvas.centred(line(area, 0), &name, if is_own { Look::Own } else { Look::Strong });
    if let RaceState::Finished { time } = standing.state {
        canvas.centred(line(area, 1), &time.to_string(), Look::Text);
    }
    let step = below(area, WORDS);
    for row in 0..step.height {
        canvas.text(line(step, row), &" ".repeat(step.width.into()), look);
    }
    let place = standing.place.to_string();
    let is_ascii = canvas.theme.symbols.levels.is_none();
    let dots =
        [Dots::Square, Dots::Half].into_iter().filter(|dots| *dots != Dots::Half || !is_ascii);
    let fitting = dots
        .map(|dots| (dots, big_digits::extent(&place, dots)))
        .find(|(_, extent)| extent.0 < step.width && extent.1 + 2 <= step.height);
    if let Some((dots, (width, height))) = fitting {
        big_digits::draw(canvas, middle(step, width, height), &place, dots, look);
    } else {
        canvas.centred(middle(step, step.width, 1), &place, look);
    }
    canvas.reverse(step);
}

/// Draws the podium in one line: `1 Rover 0:31   2 Anna 1:04`.
pub(crate) fn draw_line(heat: &HeatModel, rows: &[Standing], canvas: &mut Canvas<'_>, row: Rect) {
    let first = finishers(rows);
    let count = u16::try_from(first.len()).unwrap_or(1).max(1);
    let each = usize::from(row.width / count);
    let mut texts = Vec::new();
    for standing in first {
        let RaceState::Finished { time } = standing.state else { continue };
        let time = format::minutes(time);
        let space = each.saturating_sub(time.len() + 5);
        let name = safe_text::text(&heat.name(standing.player).name, space);
        texts.push((format!("{} ", standing.place), name, format!(" {time}  "), standing.player));
    }
    let mut segments: Vec<Segment<'_>> = Vec::new();
    for ((place, name, time, player), look) in texts.iter().zip(LOOKS) {
        let own = if *player == heat.you { Look::Own } else { Look::Text };
        segments.extend([(place.as_str(), look), (name.as_str(), own), (time, Look::Faint)]);
    }
    canvas.segments(row, &segments);
}
