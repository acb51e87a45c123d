//! The chart of all players' progress over time: one line each, the leader's and one's own above
//! the others.

use crate::display::canvas::{Canvas, below, indent, line};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::tui::model::HeatModel;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::util::time::Millis;
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::widgets::canvas::{Canvas as Plot, Line, Points};

/// The least and the most lines and the least columns of a chart with its heading and labels.
pub(crate) const LEAST_HEIGHT: u16 = 8;
pub(crate) const MOST_HEIGHT: u16 = 20;
pub(crate) const LEAST_WIDTH: u16 = 28;
/// The shortest time that fills the width: a line isn't stretched more at the start.
const LEAST_TIME: Millis = Millis(20_000);
/// The most columns of a name in the heading.
const NAME: usize = 10;
/// Columns of the heading of the player's own race.
const HEADING_WIDTH: u16 = 29;
/// Columns of `100%` and the space after it.
const LABELS: u16 = 5;
/// The dots of a line that stands for one without a colour: of the leader's, and of the others'.
const MANY_DOTS: u64 = 48;
const FEW_DOTS: u64 = 16;
/// The height of the chart, in thousandths of progress.
const FULL: f64 = 1_000.0;

/// Draws the progress of all up to a time after GO, that of `own` above the others.
pub(crate) fn draw(
    heat: &HeatModel,
    own: Option<PlayerId>,
    elapsed: Millis,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    if area.height < LEAST_HEIGHT || area.width < LEAST_WIDTH {
        return;
    }
    draw_heading(heat, own, canvas, line(area, 0));
    let plot = indent(below(area, 1), LABELS);
    let plot = Rect { height: plot.height - 1, ..plot };
    let span = elapsed.max(LEAST_TIME);
    draw_labels(canvas, area, plot, span);
    let leader = heat.standings.first().map(|standing| standing.player);
    let ascii = canvas.theme.symbols.is_ascii;
    let others = heat.standings.iter().map(|standing| standing.player);
    let others = others.filter(|&player| Some(player) != leader && Some(player) != own);
    let dots = |count| (!canvas.theme.has_colors()).then_some(count);
    let leader = leader.filter(|&leader| Some(leader) != own);
    let layers = [
        (others.collect::<Vec<_>>(), Look::Line, '.', dots(FEW_DOTS)),
        (leader.into_iter().collect(), Look::Mark, '+', dots(MANY_DOTS)),
        (own.into_iter().collect(), Look::Own, '#', None),
    ];
    for (players, look, symbol, dots) in layers {
        let marker = if ascii { Marker::Custom(symbol) } else { Marker::Braille };
        let color = canvas.theme.style(look).fg.unwrap_or(Color::Reset);
        let lines: Vec<Vec<(f64, f64)>> =
            players.iter().map(|&player| points(heat, player, elapsed, dots)).collect();
        let chart = Plot::default()
            .marker(marker)
            .x_bounds([0.0, seconds(span)])
            .y_bounds([0.0, FULL])
            .paint(|context| {
                for points in &lines {
                    if dots.is_some() {
                        context.draw(&Points { coords: points, color });
                        continue;
                    }
                    for two in points.windows(2) {
                        let ((x1, y1), (x2, y2)) = (two[0], two[1]);
                        context.draw(&Line { x1, y1, x2, y2, color });
                    }
                }
            });
        canvas.overlay(chart, plot);
    }
}

/// Returns a player's line, from the start up to now or the finish; or `dots` dots of it, evenly
/// over the time.
fn points(
    heat: &HeatModel,
    player: PlayerId,
    elapsed: Millis,
    dots: Option<u64>,
) -> Vec<(f64, f64)> {
    let Some(known) = heat.progress.player(player) else {
        return Vec::new();
    };
    let point = |at: Millis, progress: u16| (seconds(at), f64::from(progress).min(FULL));
    if let Some(dots) = dots {
        let times = (0..=dots).map(|dot| Millis(elapsed.0 / dots * dot));
        return times.map(|at| point(at, known.at(at))).collect();
    }
    let mut points = vec![point(Millis(0), 0)];
    // A replay knows what comes later.
    let past = known.points.iter().take_while(|(at, _)| *at <= elapsed);
    points.extend(past.map(|&(at, progress)| point(at, progress)));
    if let Some(&(_, last)) = points.last()
        && last < FULL
    {
        points.push((seconds(elapsed), last));
    }
    points
}

fn draw_heading(heat: &HeatModel, own: Option<PlayerId>, canvas: &mut Canvas<'_>, row: Rect) {
    let gap = if row.width < HEADING_WIDTH { " " } else { "  " };
    let x = canvas.segments(row, &[("progress", Look::Strong), (gap, Look::Text)]);
    let name = own.map(|own| match own == heat.you {
        true => format!("you{gap}"),
        false => format!("{}{gap}", safe_text::text(&heat.name(own).name, NAME)),
    });
    let mut legend = match heat.standings.len() {
        ..=1 => Vec::new(),
        2.. => vec![("leader", Look::Mark), (gap, Look::Text), ("others", Look::Faint)],
    };
    if let Some(name) = &name {
        legend.insert(0, (name, Look::Own));
    }
    canvas.segments(indent(row, x - row.x), &legend);
}

fn draw_labels(canvas: &mut Canvas<'_>, area: Rect, plot: Rect, span: Millis) {
    let middle = plot.y + plot.height / 2;
    for (y, label) in [(plot.y, "100%"), (middle, "50%"), (plot.bottom() - 1, "0%")] {
        let place = Rect { x: area.x, y, width: LABELS - 1, height: 1 };
        canvas.right(place, label, Look::Faint);
    }
    let times = Rect { y: plot.bottom(), height: 1, ..plot };
    canvas.text(times, "0:00", Look::Faint);
    canvas.right(times, &format::minutes(span), Look::Faint);
}

/// As a coordinate; a day in milliseconds is exact in 32 bits, and the rest is cut off.
fn seconds(span: Millis) -> f64 {
    f64::from(u32::try_from(span.0).unwrap_or(u32::MAX)) / 1_000.0
}
