//! The player's own race: the board, the numbers, the rivals.

use crate::display::canvas::{Canvas, Segment, below, line, width_of};
use crate::display::format;
use crate::display::theme::Look;
use crate::families;
use crate::families::face::{Face, Grid, Panel};
use crate::families::family_ui::Advice;
use crate::tui::model::{Heat, Model};
use crate::tui::view::standings;
use gridrace_shared::heat::standings::State;
use gridrace_shared::heat_view::OwnRace;
use gridrace_shared::protocol::snapshot::ClosingReason;
use gridrace_shared::util::time::Millis;
use ratatui::layout::Rect;

/// The widest panel: longer bars tell no more.
const WIDEST: u16 = 64;
/// Below this height of the panel every line counts.
const AIRY: u16 = 14;
/// Below this width of the panel words are short.
const WORDY: u16 = 24;
/// The same where all facts share one line.
const WORDY_ROW: u16 = 72;

/// Returns where the board of the player's own race is.
pub(crate) fn grid(body: Rect, heat: &Heat) -> Option<Grid> {
    let race = heat.race()?;
    Some(arrange(body, &*face(heat, race)).0)
}

/// Returns the face of the player's own board, with the hint and what the input holds.
fn face<'a>(heat: &'a Heat, race: &'a OwnRace) -> Box<dyn Face + 'a> {
    let hint = race.hint().map(|given| &given.hint);
    heat.panel.input.face(race.play.board(), hint, race.is_on())
}

/// Returns the hint in words, while it applies to the board.
fn advice(race: &OwnRace) -> Option<Advice> {
    let given = race.hint()?;
    families::advice(race.play.board(), &given.hint, given.distance_change)
}

pub(crate) fn draw(
    model: &Model,
    heat: &Heat,
    race: &OwnRace,
    canvas: &mut Canvas<'_>,
    body: Rect,
) {
    let face = face(heat, race);
    let (grid, panel, beside) = arrange(body, &*face);
    face.draw(canvas, &grid);
    let least = if beside { WORDY } else { WORDY_ROW };
    let facts = facts(model, heat, race, panel.width >= least);
    let used =
        if beside { stacked(canvas, panel, &facts) } else { in_a_row(canvas, panel, &facts) };
    standings::draw(heat, canvas, below(panel, used));
    if grid.is_cut() && beside {
        let last = line(panel, panel.height.saturating_sub(1));
        canvas.text(last, "board is cut", Look::Faint);
    }
}

/// Says whether this player's race is over, and the heat is about to end as only bots still race.
pub(crate) fn only_bots_race(heat: &Heat) -> bool {
    let closes = heat.closing.is_some_and(|closing| closing.why == ClosingReason::OnlyBots);
    closes && heat.race().is_some_and(|race| !race.is_on())
}

/// Draws the places of all, which for the people are the results.
pub(crate) fn draw_places(heat: &Heat, canvas: &mut Canvas<'_>, body: Rect) {
    let mine = heat.my_standing().filter(|standing| standing.state != State::Dnf);
    let headline = match mine.map(|standing| standing.place) {
        Some(1) => "You lead.".to_owned(),
        Some(place) => format!("You are at place {place} of {}.", heat.standings.len()),
        None => "You did not finish.".to_owned(),
    };
    canvas.text(line(body, 0), &headline, Look::Strong);
    let used = if body.height >= AIRY { 2 } else { 1 };
    standings::draw(heat, canvas, below(body, used));
}

/// Lays out board and panel; says whether the panel is beside the board.
pub(crate) fn arrange(body: Rect, face: &dyn Face) -> (Grid, Rect, bool) {
    let arrangements = face.arrangements();
    let fits = |&&(style, panel): &&(usize, Panel)| {
        let (width, height) = Grid::extent(face, style);
        match panel {
            Panel::Beside(least) => {
                width + face.metrics(style).gap + least <= body.width && height <= body.height
            }
            Panel::Below(least) => width <= body.width && height + least <= body.height,
        }
    };
    let best = arrangements.iter().find(fits).or(arrangements.last());
    let &(style, panel) = best.unwrap_or(&(0, Panel::Beside(0)));
    place(body, face, style, panel)
}

fn place(body: Rect, face: &dyn Face, style: usize, panel: Panel) -> (Grid, Rect, bool) {
    let gap = face.metrics(style).gap;
    match panel {
        Panel::Beside(least) => {
            let space = Rect { width: body.width.saturating_sub(least + gap), ..body };
            let grid = Grid::new(space, face, style);
            let x = (grid.area.right() + gap).min(body.right());
            (grid, Rect { x, width: (body.right() - x).min(WIDEST), ..body }, true)
        }
        Panel::Below(least) => {
            let space = Rect { height: body.height.saturating_sub(least), ..body };
            let grid = Grid::new(space, face, style);
            let y = grid.area.bottom();
            (grid, Rect { y, height: body.bottom().saturating_sub(y), ..body }, false)
        }
    }
}

/// The facts about the player's own race, one short line each.
struct Facts {
    clock: String,
    limit: String,
    moves: String,
    hints: String,
    state: Option<(String, Look)>,
    /// What else there is to say of a hint, in many words and in few.
    more: Option<(String, Option<&'static str>)>,
    outage: Option<String>,
}

fn facts(model: &Model, heat: &Heat, race: &OwnRace, wordy: bool) -> Facts {
    let now = race.solved_at.unwrap_or_else(|| model.heat_now(heat));
    let elapsed = now.since(race.go);
    let taken = race.hints.taken;
    let penalty = format::penalty(race.hints.penalty);
    let hints = match (taken, race.hints.pending) {
        (_, true) => "hint is coming".to_owned(),
        (0, false) => "no hints taken".to_owned(),
        (taken, false) => format!("{}{penalty}", format::counted(taken.into(), "hint", "hints")),
    };
    Facts {
        clock: format::clock(elapsed),
        limit: format!("of {}", format::minutes(race.ends.since(race.go).0 / 1_000)),
        moves: families::moves(race.play.board(), race.play.count().moves, elapsed, wordy),
        hints,
        more: advice(race).map(|advice| (advice.why, advice.short_why)),
        state: state(heat, race, elapsed, wordy),
        outage: format::outage(heat.outage),
    }
}

/// Returns the present state of the player's own race in words.
fn state(heat: &Heat, race: &OwnRace, elapsed: Millis, wordy: bool) -> Option<(String, Look)> {
    let standing = heat.my_standing();
    let solved = race.play.board().is_solved();
    let is_provisional = standing.is_some_and(|standing| standings::is_provisional(heat, standing));
    let so_far = if is_provisional { " so far" } else { "" };
    match standing.map(|standing| (standing.state, standing.place)) {
        Some((State::Finished { time }, place)) if wordy => {
            Some((format!("Solved in {time}, place {place}{so_far}"), Look::Good))
        }
        Some((State::Finished { .. }, place)) => {
            let mark = if is_provisional { standings::PROVISIONAL } else { "" };
            Some((format!("solved, place {place}{mark}"), Look::Good))
        }
        Some((State::Dnf, _)) => Some(("out of the race".to_owned(), Look::Bad)),
        Some((State::Racing, _)) | None if solved && wordy => {
            Some((format!("Solved in {elapsed}"), Look::Good))
        }
        Some((State::Racing, _)) | None if solved => Some(("solved".to_owned(), Look::Good)),
        Some((State::Racing, _)) | None => {
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
    canvas.segments(
        line(area, 0),
        &[(&facts.clock, Look::Strong), (" ", Look::Text), (&facts.limit, Look::Faint)],
    );
    let outage = facts.outage.as_deref();
    canvas.text(line(area, 1), &facts.moves, Look::Text);
    let (text, look) = match &facts.state {
        // Where lines are dear, what happens now stands in the place of the hints.
        Some((text, look)) if area.height < AIRY => (text.as_str(), *look),
        Some(_) | None => (facts.hints.as_str(), Look::Text),
    };
    canvas.text(line(area, 2), text, look);
    if area.height < AIRY {
        if !brief(canvas, line(area, 3), facts) {
            canvas.text(line(area, 3), outage.unwrap_or_default(), Look::Mark);
        }
        return 4;
    }
    if let Some((text, look)) = &facts.state {
        canvas.text(line(area, 3), text, *look);
    }
    if let Some((text, _)) = &facts.more {
        canvas.text(line(area, 4), text, Look::Text);
    }
    let Some(outage) = outage else {
        return 6;
    };
    canvas.text(line(area, 5), outage, Look::Mark);
    7
}

/// Writes the facts into one line.
fn in_a_row(canvas: &mut Canvas<'_>, area: Rect, facts: &Facts) -> u16 {
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
    canvas.segments(line(area, 0), &segments);
    1 + u16::from(brief(canvas, line(area, 1), facts))
}

/// Writes why a hint says what it says where lines are dear: in many words where they fit,
/// else in few. Says whether there was anything to write.
fn brief(canvas: &mut Canvas<'_>, row: Rect, facts: &Facts) -> bool {
    let Some((long, Some(short))) = &facts.more else {
        return false;
    };
    let fits = width_of(long) <= row.width;
    canvas.text(row, if fits { long } else { short }, Look::Text);
    true
}
