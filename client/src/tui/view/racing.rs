//! The player's own race: the board, the numbers, the rivals.

use crate::display::canvas::{Canvas, Segment, below, indent, line, width_of};
use crate::display::format;
use crate::display::theme::Look;
use crate::families;
use crate::families::face::{Face, Grid, PanelPlacement};
use crate::families::family_ui::Advice;
use crate::tui::model::{HeatModel, Model};
use crate::tui::view::{finished_picture, progress_chart, standings, tutorial};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::heat_view::OwnRace;
use gridrace_shared::protocol::snapshot::ClosingReason;
use gridrace_shared::util::time::Millis;
use ratatui::layout::Rect;

/// The widest panel: longer bars tell no more.
const WIDEST: u16 = 72;
/// Below this height of the panel every line counts.
const AIRY: u16 = 14;
/// Below this width of the panel words are short.
const WORDY: u16 = 24;
/// The same where all facts share one line.
const WORDY_ROW: u16 = 72;
/// Lines of the facts in an airy panel, with the blank one below.
const FACTS: u16 = 6;
/// The most lines that a hint's reason takes where every line counts, and the least height of the
/// panel for that.
const REASON_LINES: u16 = 2;
const REASON_HEIGHT: u16 = 9;

/// Returns where the board of the player's own race is.
pub(crate) fn grid(body: Rect, heat: &HeatModel) -> Option<Grid> {
    let race = heat.race()?;
    Some(arrange(body, &*face(heat, race, None), heat.standings.len()).grid)
}

/// Says whether the board of the player's own race, which has a picture, is large enough to show it.
pub(crate) fn shows_picture(body: Rect, heat: &HeatModel) -> bool {
    let is_shown = |race| {
        let face = face(heat, race, None);
        face.shows_picture(arrange(body, &*face, heat.standings.len()).grid.style)
    };
    heat.board_picture().is_some() && heat.race().is_some_and(is_shown)
}

/// Returns the face of the player's own board, with the hint and what the input holds.
fn face<'a>(heat: &'a HeatModel, race: &'a OwnRace, motion: Option<u16>) -> Box<dyn Face + 'a> {
    let hint = race.hint().map(|given| &given.hint);
    heat.panel.input.face(race.play.board(), hint, race.is_on(), motion)
}

/// Returns the hint in words, while it applies to the board.
fn advice(race: &OwnRace) -> Option<Advice> {
    let given = race.hint()?;
    families::advice(race.play.board(), &given.hint, given.distance_change)
}

pub(crate) fn draw(
    model: &Model,
    heat: &HeatModel,
    race: &OwnRace,
    canvas: &mut Canvas<'_>,
    body: Rect,
) {
    draw_board(model, heat, race, canvas, body);
    if let Some(tutorial) = &model.tutorial {
        let panel = arrange(body, &*face(heat, race, None), heat.standings.len()).panel;
        return tutorial::draw_panel(model, heat, race, tutorial, canvas, panel);
    }
    draw_panel(model, heat, race, canvas, body);
}

pub(super) fn draw_board(
    model: &Model,
    heat: &HeatModel,
    race: &OwnRace,
    canvas: &mut Canvas<'_>,
    body: Rect,
) {
    let face = face(heat, race, model.motion(heat));
    let grid = arrange(body, &*face, heat.standings.len()).grid;
    face.draw(canvas, &grid);
    if heat.panel.feedback.is_lit(model.now) {
        canvas.reverse(grid.area);
    } else if model.ignored_words().is_some()
        && let Some(border) = grid.border()
    {
        canvas.outlined(border, Look::Bad);
    }
}

/// Says whether this player's race is over, and the heat is about to end as only bots still race.
pub(crate) fn only_bots_race(heat: &HeatModel) -> bool {
    let closes = heat.closing.is_some_and(|closing| closing.why == ClosingReason::OnlyBots);
    closes && heat.race().is_some_and(|race| !race.is_on())
}

/// Draws the places of all, which for the people are the results.
pub(crate) fn draw_places(heat: &HeatModel, canvas: &mut Canvas<'_>, body: Rect) {
    let mine = heat.my_standing().filter(|standing| standing.state != RaceState::Dnf);
    let headline = match mine.map(|standing| standing.place) {
        Some(place) => {
            let (place, of) = (format::ordinal(place), heat.standings.len());
            format!("You have finished, and are {place} of {of}.")
        }
        None => "You did not finish.".to_owned(),
    };
    canvas.text(line(body, 0), &headline, Look::Strong);
    let used = if body.height >= AIRY { 2 } else { 1 };
    standings::draw(heat, canvas, below(body, used));
}

pub(super) fn draw_panel(
    model: &Model,
    heat: &HeatModel,
    race: &OwnRace,
    canvas: &mut Canvas<'_>,
    body: Rect,
) {
    let face = face(heat, race, None);
    let Arrangement { grid, panel, is_beside } = arrange(body, &*face, heat.standings.len());
    let least = if is_beside { WORDY } else { WORDY_ROW };
    let facts = facts(model, heat, race, panel.width >= least);
    let used =
        if is_beside { stacked(canvas, panel, &facts) } else { in_a_row(canvas, panel, &facts) };
    let mut rest = below(panel, used);
    if grid.is_cut() && is_beside && rest.height > 1 {
        rest.height -= 1;
        canvas.text(line(panel, panel.height - 1), "board is cut", Look::Faint);
    }
    let elapsed = model.heat_now(heat).since(race.go);
    draw_rivals(heat, Some(heat.you), elapsed, canvas, rest);
}

/// Draws the standings, and below them everybody's progress over time where there is room, that of
/// `own` above the others, and the finished picture of a heat that has one.
pub(crate) fn draw_rivals(
    heat: &HeatModel,
    own: Option<PlayerId>,
    elapsed: Millis,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let count = u16::try_from(heat.standings.len()).unwrap_or(u16::MAX);
    let chart = |pitch: u16| area.height.checked_sub(count.checked_mul(pitch)?.checked_add(1)?);
    let with_chart = [3, 2, 1].into_iter().find_map(|pitch| {
        let height = chart(pitch).filter(|&height| height >= progress_chart::LEAST_HEIGHT)?;
        Some((pitch * count, height.min(progress_chart::MOST_HEIGHT)))
    });
    match with_chart.filter(|_| area.width >= progress_chart::LEAST_WIDTH) {
        Some((height, chart)) => {
            standings::draw(heat, canvas, Rect { height, ..area });
            let area = Rect { height: chart, ..below(area, height + 1) };
            let area = finished_picture::draw(canvas, area);
            progress_chart::draw(heat, own, elapsed, canvas, area);
        }
        None => standings::draw(heat, canvas, area),
    }
}

/// Where board and panel are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrangement {
    pub grid: Grid,
    pub panel: Rect,
    /// Whether the panel is beside the board; otherwise below.
    pub is_beside: bool,
}

/// Lays out a board as large as it gets and the panel for `rows` rows of standings, in the middle
/// of the body.
pub(crate) fn arrange(body: Rect, face: &dyn Face, rows: usize) -> Arrangement {
    let arrangements = face.arrangements();
    let fits = |&&(style, panel): &&(usize, PanelPlacement)| {
        let (width, height) = Grid::extent(face, style);
        match panel {
            PanelPlacement::Beside(least) => {
                width + face.metrics(style).gap + least <= body.width && height <= body.height
            }
            PanelPlacement::Below(least) => width <= body.width && height + least <= body.height,
        }
    };
    let best = arrangements.iter().find(fits).or(arrangements.last());
    match best.copied().unwrap_or((0, PanelPlacement::Beside(0))) {
        (style, PanelPlacement::Beside(least)) => place_beside(body, face, style, least, rows),
        (style, PanelPlacement::Below(least)) => place_below(body, face, style, least),
    }
}

fn place_beside(body: Rect, face: &dyn Face, style: usize, least: u16, rows: usize) -> Arrangement {
    let gap = face.metrics(style).gap;
    let space = Rect { width: body.width.saturating_sub(least + gap), ..body };
    let mut grid = Grid::new(space, face, style);
    let width = body.width.saturating_sub(grid.area.width + gap).min(WIDEST);
    let rows = u16::try_from(rows).unwrap_or(u16::MAX);
    let needed = rows.saturating_add(FACTS + 1 + progress_chart::LEAST_HEIGHT);
    let height = if body.height < AIRY { body.height } else { grid.area.height.max(needed) };
    let height = height.min(body.height);
    let x = body.x + body.width.saturating_sub(grid.area.width + gap + width) / 2;
    let y = body.y + (body.height - height) / 2;
    (grid.area.x, grid.area.y) = (x, y + height.saturating_sub(grid.area.height) / 2);
    let panel = Rect { x: (grid.area.right() + gap).min(body.right()), y, width, height };
    Arrangement { grid, panel: panel.intersection(body), is_beside: true }
}

fn place_below(body: Rect, face: &dyn Face, style: usize, least: u16) -> Arrangement {
    let space = Rect { height: body.height.saturating_sub(least), ..body };
    let mut grid = Grid::new(space, face, style);
    grid.area.x = body.x + body.width.saturating_sub(grid.area.width) / 2;
    let y = grid.area.bottom();
    let panel = Rect { y, height: body.bottom().saturating_sub(y), ..body };
    Arrangement { grid, panel, is_beside: false }
}

/// The facts about the player's own race, one short line each.
struct Facts {
    clock: String,
    limit: String,
    /// The player's place of how many.
    place: Option<String>,
    moves: String,
    hints: String,
    state: Option<(String, Look)>,
    /// What else there is to say of a hint, in many words and in few.
    more: Option<(String, Option<&'static str>)>,
    outage: Option<String>,
}

fn facts(model: &Model, heat: &HeatModel, race: &OwnRace, wordy: bool) -> Facts {
    let now = race.solved_at.unwrap_or_else(|| model.heat_now(heat));
    let elapsed = now.since(race.go);
    let taken = race.hints.taken;
    let penalty = format::penalty(race.hints.penalty);
    // Where words are short, the distance is said already, and the tiles are not.
    let more = |advice: Advice| {
        let says_tiles = wordy || advice.short_why.is_some();
        (if says_tiles { advice.why } else { advice.what }, advice.short_why)
    };
    let hints = match (taken, race.hints.pending) {
        (_, true) => "hint is coming".to_owned(),
        (0, false) if wordy => "no hints taken".to_owned(),
        (0, false) => "no hints".to_owned(),
        (taken, false) => format!("{}{penalty}", format::counted(taken.into(), "hint", "hints")),
    };
    Facts {
        clock: format::clock(elapsed),
        limit: format!("of {}", format::minutes(race.ends.since(race.go))),
        place: heat.my_standing().map(|mine| format!("{} of {}", mine.place, heat.standings.len())),
        moves: families::moves(race.play.board(), race.play.count().moves, elapsed, wordy),
        hints,
        more: advice(race).map(more),
        state: state(heat, race, elapsed, wordy),
        outage: format::outage(heat.outage)
            .map(|outage| if wordy { format!("{outage}; clocks were paused") } else { outage }),
    }
}

/// Returns the present state of the player's own race in words.
fn state(heat: &HeatModel, race: &OwnRace, elapsed: Millis, wordy: bool) -> Option<(String, Look)> {
    let standing = heat.my_standing();
    let solved = race.play.board().is_solved();
    let is_provisional = standing.is_some_and(|standing| standings::is_provisional(heat, standing));
    let so_far = if is_provisional { " so far" } else { "" };
    match standing.map(|standing| (standing.state, standing.place)) {
        Some((RaceState::Finished { time }, place)) if wordy => {
            Some((format!("Solved in {time}, {}{so_far}", format::ordinal(place)), Look::Good))
        }
        Some((RaceState::Finished { .. }, place)) => {
            let mark = if is_provisional { standings::PROVISIONAL } else { "" };
            Some((format!("solved, place {place}{mark}"), Look::Good))
        }
        Some((RaceState::Dnf, _)) => Some(("out of the race".to_owned(), Look::Bad)),
        Some((RaceState::Racing, _)) | None if solved && wordy => {
            Some((format!("Solved in {elapsed}"), Look::Good))
        }
        Some((RaceState::Racing, _)) | None if solved => Some(("solved".to_owned(), Look::Good)),
        Some((RaceState::Racing, _)) | None => {
            let Some(advice) = advice(race) else {
                return heat.panel.input.status(race.play.board());
            };
            let text = if wordy { advice.what } else { advice.short };
            Some((text, Look::Mark))
        }
    }
}

/// Writes the facts one below the other; returns how many lines that took.
fn stacked(canvas: &mut Canvas<'_>, area: Rect, facts: &Facts) -> u16 {
    draw_clock(canvas, line(area, 0), facts);
    canvas.text(line(area, 1), &facts.moves, Look::Text);
    if area.height < AIRY {
        return stacked_tight(canvas, area, facts);
    }
    canvas.text(line(area, 2), &facts.hints, Look::Text);
    let mut used = 3;
    if let Some((text, look)) = &facts.state {
        used += canvas.wrapped(below(area, used), text, *look);
    }
    if let Some((text, _)) = &facts.more {
        used += canvas.wrapped(below(area, used), text, Look::Text);
    }
    if let Some(outage) = &facts.outage {
        used += canvas.wrapped(below(area, used), outage, Look::Mark);
    }
    (used + 1).max(FACTS)
}

/// Writes the third line and those below it where every line counts: what happens now stands in
/// the place of the hints.
fn stacked_tight(canvas: &mut Canvas<'_>, area: Rect, facts: &Facts) -> u16 {
    let (text, look) = match &facts.state {
        Some((text, look)) => (text.as_str(), *look),
        None => (facts.hints.as_str(), Look::Text),
    };
    canvas.text(line(area, 2), text, look);
    let rest = below(area, 3);
    if let Some((long, Some(short))) = &facts.more {
        let reason = Rect { height: REASON_LINES.min(rest.height), ..rest };
        if width_of(long) <= area.width * REASON_LINES && area.height >= REASON_HEIGHT {
            return 3 + canvas.wrapped(reason, long, Look::Text);
        }
        canvas.text(line(rest, 0), short, Look::Text);
    } else if let Some(outage) = &facts.outage {
        canvas.text(line(rest, 0), outage, Look::Mark);
    }
    4
}

/// Writes the clock with the limit and the place; where they don't all fit, without the limit.
fn draw_clock(canvas: &mut Canvas<'_>, row: Rect, facts: &Facts) {
    let place = facts.place.as_deref().unwrap_or_default();
    let end = canvas.right(row, place, Look::Own);
    let row = Rect { width: end.saturating_sub(row.x), ..row };
    let x = canvas.text(row, &facts.clock, Look::Strong);
    let rest = indent(row, (x + 1).saturating_sub(row.x));
    let least = width_of(&facts.limit) + u16::from(!place.is_empty());
    if rest.width >= least {
        canvas.text(rest, &facts.limit, Look::Faint);
    }
}

/// Writes the facts into one line, the place at its end; and the reason for a hint below.
fn in_a_row(canvas: &mut Canvas<'_>, area: Rect, facts: &Facts) -> u16 {
    let row = line(area, 0);
    let end = canvas.right(row, facts.place.as_deref().unwrap_or_default(), Look::Own);
    let row = Rect { width: end.saturating_sub(row.x + 1), ..row };
    let gap: Segment<'_> = ("   ", Look::Text);
    let mut segments = vec![(facts.clock.as_str(), Look::Strong), gap, (&facts.moves, Look::Text)];
    segments.extend([
        gap,
        match &facts.state {
            Some((text, look)) => (text.as_str(), *look),
            None => (facts.hints.as_str(), Look::Text),
        },
    ]);
    if let Some(outage) = &facts.outage {
        segments.extend([gap, (outage, Look::Mark)]);
    }
    canvas.segments(row, &segments);
    let Some((long, Some(short))) = &facts.more else {
        return 1;
    };
    let fits = width_of(long) <= area.width;
    canvas.text(line(area, 1), if fits { long } else { short }, Look::Text);
    2
}
