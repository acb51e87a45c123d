//! The end of a heat: places, and the seed with its check.

use crate::display::canvas::{Canvas, below, line};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::families;
use crate::families::face::Grid;
use crate::tui::model::Heat;
use crate::tui::view::standings;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::standings::{Standing, State};
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::puzzle::Board;
use gridrace_shared::puzzle::MoveBounds;
use ratatui::layout::Rect;

/// Columns of the table, and from which width on they are shown.
const PLACE: usize = 4;
const TIME: usize = 11;
const GAP: usize = 10;
const MOVES: usize = 12;
const BEST: usize = 8;
const HINTS: usize = 11;
const WITH_BEST: u16 = 36;
const WITH_GAP: u16 = 50;
const WITH_MOVES: u16 = 62;
const WITH_HINTS: u16 = 72;
/// From which width on whole words say what the board needs.
const WORDY: u16 = 60;
/// Lines below the table, where there is room and where there isn't.
const PROOF: u16 = 6;
const SHORT_PROOF: u16 = 2;
const ROOMY_HEIGHT: u16 = 16;

pub(crate) fn draw(heat: &Heat, result: &HeatResult, canvas: &mut Canvas<'_>, body: Rect) {
    if let (Some(solution), true) =
        (&heat.panel.results.solution, heat.panel.results.shows_solution)
    {
        draw_solution(solution, canvas, body);
        return;
    }
    let roomy = body.height >= ROOMY_HEIGHT;
    let proof = if roomy { PROOF } else { SHORT_PROOF };
    let air = u16::from(roomy);
    canvas.text(line(body, 0), &headline(heat), Look::Strong);
    if let (Some(outage), true) = (format::outage(heat.outage), roomy) {
        let text = format!("The {outage}, which is in nobody's time.");
        canvas.text(line(body, 1), &text, Look::Mark);
    }
    if let Some(best) = result.best {
        canvas.right(line(body, 0), &needs(heat, best, body.width), Look::Text);
    }
    let table = below(body, 1 + air);
    let height = table.height.saturating_sub(proof + air);
    let table = Rect { height, ..table };
    draw_table(heat, result, canvas, table);
    let area = below(body, body.height.saturating_sub(proof));
    if roomy {
        draw_proof(heat, result, canvas, area);
    } else {
        draw_short_proof(heat, result, canvas, area);
    }
}

/// Draws the board with its solution, as large as it fits below its title, or without it; what
/// is too large is cut.
fn draw_solution(solution: &Board, canvas: &mut Canvas<'_>, body: Rect) {
    let face = families::face(solution, None);
    let fits = |area: Rect| {
        (0..face.styles()).find(|&style| {
            let (width, height) = Grid::extent(&*face, style);
            width <= area.width && height <= area.height
        })
    };
    let (area, style) = match fits(below(body, 1)) {
        Some(style) => (below(body, 1), style),
        None => (body, fits(body).unwrap_or(face.styles().saturating_sub(1))),
    };
    if area != body {
        canvas.text(line(body, 0), "A solution", Look::Strong);
    }
    face.draw(canvas, &Grid::new(area, &*face, style));
}

fn headline(heat: &Heat) -> String {
    let mine = heat.my_standing();
    let winner = heat.standings.first().filter(|first| first.state != State::Dnf);
    match (mine, winner) {
        (Some(mine), _) if mine.state == State::Dnf => "You did not finish.".to_owned(),
        (Some(mine), _) if mine.place == 1 => "You won!".to_owned(),
        (Some(mine), _) => format!("You came in at place {}.", mine.place),
        (None, Some(first)) => {
            format!("{} won.", safe_text::text(&heat.name(first.player).name, 30))
        }
        (None, None) => "Nobody finished.".to_owned(),
    }
}

/// Returns what the board needs, as well as that is known.
fn needs(heat: &Heat, best: MoveBounds, width: u16) -> String {
    let has = families::info(&heat.raced_setup().options.spec).best;
    let most = format::counted(best.at_most as usize, "move", "moves");
    match (best.is_optimal(), width >= WORDY) {
        (true, true) => format!("{has} {most}."),
        (false, true) => format!("{has} {} to {most}.", best.at_least),
        (true, false) => format!("best {}", best.at_most),
        (false, false) => format!("best {}-{}", best.at_least, best.at_most),
    }
}

fn draw_table(heat: &Heat, result: &HeatResult, canvas: &mut Canvas<'_>, area: Rect) {
    let name = name_width(area.width, result);
    let counted = families::info(&heat.raced_setup().options.spec).counts.to_owned();
    let best = format!("{}best", canvas.theme.symbols.times);
    let rest = columns(area.width, result, ["gap".to_owned(), counted, best, "hints".to_owned()]);
    let heading = format!("{:>PLACE$}  {:<name$}{:>TIME$}{rest}", "", "", "time");
    canvas.text(line(area, 0), &heading, Look::Faint);
    let list = below(area, 1);
    let space = usize::from(list.height);
    let rows = &result.standings;
    let first = heat.panel.results.scroll.min(rows.len().saturating_sub(space));
    for (row, standing) in (0u16..).zip(rows.iter().skip(first).take(space)) {
        draw_row(heat, result, standing, canvas, line(list, row));
    }
}

/// Returns which of the columns gap, moves, best and hints are shown, and their widths.
fn shown_columns(width: u16, result: &HeatResult) -> [(bool, usize); 4] {
    [
        (width >= WITH_GAP, GAP),
        (width >= WITH_MOVES, MOVES),
        (width >= WITH_BEST && result.best.is_some(), BEST),
        (width >= WITH_HINTS, HINTS),
    ]
}

/// Writes the cells of the columns that are shown.
fn columns(width: u16, result: &HeatResult, cells: [String; 4]) -> String {
    let columns = shown_columns(width, result).into_iter().zip(cells);
    let shown = columns.filter(|((is_shown, _), _)| *is_shown);
    shown.map(|((_, width), cell)| format!("{cell:>width$}")).collect()
}

fn draw_row(
    heat: &Heat,
    result: &HeatResult,
    standing: &Standing,
    canvas: &mut Canvas<'_>,
    row: Rect,
) {
    let name = name_width(row.width, result);
    let tag = heat.name(standing.player);
    let note = match () {
        () if tag.is_bot() => " bot",
        () if standing.is_inhuman(&heat.raced_setup().options.spec, tag.kind) => " too fast",
        () => "",
    };
    let short = safe_text::text(&tag.name, name.saturating_sub(note.len()));
    let out = standing.state == State::Dnf;
    let look = match (standing.player == heat.you, out) {
        (true, _) => Look::Own,
        (false, true) => Look::Faint,
        (false, false) => Look::Text,
    };
    let place = if out { canvas.theme.symbols.none.to_owned() } else { standing.place.to_string() };
    let place = format!("{place:>PLACE$}  ");
    let fill = " ".repeat(name.saturating_sub(safe_text::cells(&short) + note.len()));
    let time = match standing.state {
        State::Dnf => format!("DNF {}%", format::percent(standing)),
        State::Finished { .. } | State::Racing => standings::state(standing),
    };
    let time = format!("{time:>TIME$}");
    let none = || canvas.theme.symbols.none.to_owned();
    let times = result.best.and_then(|best| best.efficiency(standing));
    let leader = result.standings.first();
    let rest = columns(
        row.width,
        result,
        [
            leader.map(|leader| format::gap(standing, leader)).unwrap_or_default(),
            format!("{}/{}", standing.moves.moves, standing.moves.acts),
            times.map_or_else(none, |times| times.to_string()),
            format!("{}{}", standing.hints, format::penalty(standing.penalty)),
        ],
    );
    let segments = [
        (place.as_str(), look),
        (short.as_str(), look),
        (note, Look::Faint),
        (fill.as_str(), Look::Text),
        (time.as_str(), look),
        (rest.as_str(), Look::Text),
    ];
    canvas.segments(row, &segments);
}

/// What is left for the name when the other columns have theirs.
fn name_width(width: u16, result: &HeatResult) -> usize {
    let columns = shown_columns(width, result).into_iter().filter(|(is_shown, _)| *is_shown);
    let taken: usize = columns.map(|(_, width)| width).sum();
    usize::from(width).saturating_sub(PLACE + 2 + TIME + taken).min(24)
}

fn draw_proof(heat: &Heat, result: &HeatResult, canvas: &mut Canvas<'_>, area: Rect) {
    let reveal = &result.reveal;
    let puzzle = format!("{}#{}", heat.raced_setup().options.spec, reveal.seed);
    let set = if heat.raced_setup().seed == SeedOrigin::Host { "  set by the host" } else { "" };
    let salt = reveal.salt.to_string();
    let wide = usize::from(area.width).saturating_sub(12);
    let puzzle = safe_text::text(&puzzle, wide);
    canvas.segments(
        line(area, 0),
        &[("board       ", Look::Faint), (&puzzle, Look::Text), (set, Look::Mark)],
    );
    canvas.segments(line(area, 1), &[("salt        ", Look::Faint), (&salt, Look::Text)]);
    let check = heat.panel.results.check;
    let first = if check.commitment {
        "They give the commitment that was published before the start."
    } else {
        "They DON'T give the commitment that was published before the start!"
    };
    let second = match check.board {
        None => "Checking that the seed draws the board that was raced ...",
        Some(true) => "The seed draws the board that was raced.",
        Some(false) => "The seed DOESN'T draw the board that was raced!",
    };
    draw_check(canvas, line(area, 2), Some(check.commitment), first);
    draw_check(canvas, line(area, 3), check.board, second);
    if let Some(text) = next_words(heat) {
        canvas.text(line(area, 5), &safe_text::text(&text, area.width.into()), Look::Faint);
    }
}

fn draw_short_proof(heat: &Heat, result: &HeatResult, canvas: &mut Canvas<'_>, area: Rect) {
    let set = if heat.raced_setup().seed == SeedOrigin::Host { " (set by host)" } else { "" };
    let seed = format!("seed {}{set}", result.reveal.seed);
    canvas.text(line(area, 0), &safe_text::text(&seed, area.width.into()), Look::Text);
    let check = heat.panel.results.check;
    let text = match (check.commitment, check.board) {
        (false, _) => "NOT what was promised before!",
        (true, None) => "checking the board ...",
        (true, Some(true)) => "as was promised before the start",
        (true, Some(false)) => "NOT the board that was raced!",
    };
    let good = if check.commitment { check.board } else { Some(false) };
    draw_check(canvas, line(area, 1), good, text);
}

fn draw_check(canvas: &mut Canvas<'_>, row: Rect, good: Option<bool>, text: &str) {
    let [yes, no] = canvas.theme.symbols.check;
    let (mark, look, words) = match good {
        None => (" ", Look::Faint, Look::Faint),
        Some(true) => (yes, Look::Good, Look::Text),
        Some(false) => (no, Look::Bad, Look::Bad),
    };
    canvas.segments(row, &[(mark, look), (" ", Look::Text), (text, words)]);
}

fn next_words(heat: &Heat) -> Option<String> {
    if heat.is_host() {
        return Some("Press r for a rematch: the same people, a new seed.".to_owned());
    }
    let host = heat.name(heat.roster.host?).name;
    Some(format!("{} may open a rematch.", safe_text::text(&host, 30)))
}
