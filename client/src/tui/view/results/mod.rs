//! The end of a heat: the podium, the places, a line to share, and whether it was fair.

pub(super) mod share_line;
mod table;

use crate::display::canvas::{Canvas, below, fitting, line, middle};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::families;
use crate::families::face::Grid;
use crate::practice::ghost::without_ghost;
use crate::tui::keymap::Scope;
use crate::tui::model::{HeatModel, Model, ResultsPart};
use crate::tui::view::key_labels::label;
use crate::tui::view::{podium, solo};
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::protocol::tournament::TournamentPhase;
use gridrace_shared::puzzle::Board;
use gridrace_shared::puzzle::MoveBounds;
use ratatui::layout::Rect;

/// From which width on whole words say what the board needs.
const WORDY: u16 = 60;
/// The widest results: all columns of the table with the longest name.
const MOST_WIDTH: u16 = 120;
/// From this height on there are blank lines between the parts.
const ROOMY_HEIGHT: u16 = 16;
/// Heading and rows that the table keeps beside a podium, if there are as many players.
const LEAST_TABLE: u16 = 6;
/// Columns of a label in the checks.
const LABEL: usize = 12;

pub(crate) fn draw(
    model: &Model,
    heat: &HeatModel,
    result: &HeatResult,
    canvas: &mut Canvas<'_>,
    body: Rect,
) {
    let body = column(body);
    match (heat.panel.results.part, &heat.panel.results.solution) {
        (ResultsPart::Solution, Some(solution)) => draw_solution(solution, canvas, body),
        (ResultsPart::Checks, _) => draw_checks(heat, result, canvas, body),
        (ResultsPart::Share, _) => draw_share(heat, canvas, body),
        (ResultsPart::Places | ResultsPart::Solution, _) => {
            draw_places(model, heat, result, canvas, body);
        }
    }
}

/// Returns on how many pages the columns of the places are; 1 at least.
pub(crate) fn column_pages(result: &HeatResult, body: Rect) -> usize {
    table::page_count(column(body).width, result)
}

/// Returns the middle of an area that is wider than the text needs.
fn column(body: Rect) -> Rect {
    middle(body, body.width.min(MOST_WIDTH), body.height)
}

/// The parts of the places, one below the other.
struct ResultsLayout {
    podium: Podium,
    table: Rect,
    foot: Rect,
}

/// How the first three are shown apart from the table.
enum Podium {
    None,
    Line(Rect),
    Steps(Rect),
}

impl ResultsLayout {
    fn new(heat: &HeatModel, result: &HeatResult, body: Rect) -> Self {
        let air = u16::from(body.height >= ROOMY_HEIGHT);
        let head = 1 + u16::from(remark(heat, result, body.width).is_some());
        // The line to share, the check, and in a roomy place what comes next.
        let foot = if air > 0 { 4 } else { 2 };
        let inner = below(body, head);
        let height = inner.height.saturating_sub(foot + air);
        let inner = Rect { height, ..inner };
        let (podium, used) = Self::podium(&result.standings, inner);
        let foot = below(body, body.height.saturating_sub(foot));
        Self { podium, table: below(inner, used), foot }
    }

    /// Chooses how the first three are shown, and how many lines that takes with the space below.
    fn podium(rows: &[Standing], area: Rect) -> (Podium, u16) {
        let table = u16::try_from(rows.len() + 1).unwrap_or(u16::MAX);
        let spare = u16::from(area.height > table);
        if rows.len() < 2 || podium::finishers(rows).is_empty() {
            return (Podium::None, spare);
        }
        let least = table.min(LEAST_TABLE.max(area.height / 2));
        // With a blank line above where there is room for one.
        for air in [1, 0] {
            let steps = below(area, air);
            let height = steps.height.saturating_sub(least + 1).min(podium::MOST_HEIGHT);
            let steps = Rect { height, ..steps };
            if podium::fits(steps) {
                return (Podium::Steps(steps), air + height + 1);
            }
        }
        // Where all rows are in sight, the table says it.
        if spare > 0 { (Podium::None, spare) } else { (Podium::Line(line(area, 0)), 1) }
    }
}

/// Returns how many rows of the places there are, and how many of them are in sight.
pub(crate) fn rows(heat: &HeatModel, result: &HeatResult, body: Rect) -> (usize, usize) {
    let space = ResultsLayout::new(heat, result, column(body)).table.height.saturating_sub(1);
    (result.standings.len(), space.into())
}

fn draw_places(
    model: &Model,
    heat: &HeatModel,
    result: &HeatResult,
    canvas: &mut Canvas<'_>,
    body: Rect,
) {
    let x = canvas.text(line(body, 0), &headline(heat, result), Look::Strong);
    if let Some(best) = result.best {
        let rest = Rect { x: x + 1, width: body.right().saturating_sub(x + 1), ..line(body, 0) };
        let words = needs(heat, best, body.width);
        if safe_text::cells(&words) <= usize::from(rest.width) {
            canvas.right(rest, &words, Look::Faint);
        }
    }
    if let Some((text, look)) = remark(heat, result, body.width) {
        canvas.text(line(body, 1), &safe_text::text(&text, body.width.into()), look);
    }
    let layout = ResultsLayout::new(heat, result, body);
    match layout.podium {
        Podium::None => {}
        Podium::Line(row) => podium::draw_line(heat, &result.standings, canvas, row),
        Podium::Steps(area) => podium::draw(heat, &result.standings, canvas, area),
    }
    table::draw(heat, result, canvas, layout.table);
    if let Some(text) = share_line::text(heat, canvas.theme.symbols) {
        let text = safe_text::text(&text, usize::from(body.width));
        canvas.text(line(layout.foot, 0), &text, Look::Faint);
    }
    draw_verdict(heat, canvas, line(layout.foot, 1));
    if let Some(text) = next_words(model, heat) {
        let row = line(layout.foot, 3);
        canvas.text(row, &safe_text::text(&text, row.width.into()), Look::Faint);
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

/// Says how one came in, or who won.
fn headline(heat: &HeatModel, result: &HeatResult) -> String {
    let rows = without_ghost(&result.standings);
    let mine = rows.iter().find(|row| row.player == heat.you);
    let winner = rows.first().filter(|first| matches!(first.state, RaceState::Finished { .. }));
    match (mine.map(|mine| (mine, mine.state)), winner) {
        (Some((mine, RaceState::Finished { time })), _) if solo::is_solo(heat) => {
            let moves = format::counted(mine.moves.moves as usize, "move", "moves");
            format!("Solved in {time} with {moves}.")
        }
        (Some((mine, RaceState::Finished { .. })), _) if mine.place == 1 => {
            let second = rows.get(1).filter(|row| matches!(row.state, RaceState::Finished { .. }));
            match second {
                Some(second) => format!("You won, {} ahead.", ahead(mine.state, second.state)),
                None => "You won!".to_owned(),
            }
        }
        (Some((mine, RaceState::Finished { .. })), _) => {
            format!("You finished {} of {}.", format::ordinal(mine.place), rows.len())
        }
        (Some((mine, RaceState::Racing | RaceState::Dnf)), _) => {
            format!("You did not finish: {}% done.", format::percent(mine))
        }
        (None, Some(first)) => {
            format!("{} won.", safe_text::text(&heat.name(first.player).name, 30))
        }
        (None, None) => "No player finished.".to_owned(),
    }
}

/// Returns the time between two finishes, as a gap without its sign.
fn ahead(first: RaceState, second: RaceState) -> String {
    match (first, second) {
        (RaceState::Finished { time: first }, RaceState::Finished { time: second }) => {
            format::seconds(second.since(first))
        }
        _ => String::new(),
    }
}

/// Returns what else is to be said of the result: first what the times can't be understood without.
fn remark(heat: &HeatModel, result: &HeatResult, width: u16) -> Option<(String, Look)> {
    if let Some(outage) = format::outage(heat.outage) {
        return Some((format!("The {outage}; clocks were paused."), Look::Mark));
    }
    if let Some(remark) = solo::remark(heat) {
        return Some(remark);
    }
    let page = &heat.panel.results;
    let mine = result.standings.iter().find(|row| row.player == heat.you);
    let time = mine.and_then(|mine| match mine.state {
        RaceState::Finished { time } => Some(time),
        RaceState::Racing | RaceState::Dnf => None,
    });
    if let (Some(time), Some(earlier)) = (time, page.earlier_best) {
        let is_wordy = width >= WORDY;
        let difference = format::seconds(earlier.since(time).max(time.since(earlier)));
        return Some(match (time < earlier, is_wordy) {
            (true, true) => (
                format!("Personal best on this server: {difference} faster than before."),
                Look::Good,
            ),
            (true, false) => (format!("Personal best: {difference} faster."), Look::Good),
            (false, true) => (
                format!("Your best on this server is {earlier}; this was {difference} slower."),
                Look::Faint,
            ),
            (false, false) => (format!("Your best: {earlier}, {difference} faster."), Look::Faint),
        });
    }
    None
}

/// Returns what the board needs, as well as that is known.
fn needs(heat: &HeatModel, best: MoveBounds, width: u16) -> String {
    let has = families::info(&heat.raced_setup().options.spec).best;
    let most = format::counted(best.at_most as usize, "move", "moves");
    match (best.is_optimal(), width >= WORDY) {
        (true, true) => format!("{has} {most}."),
        (false, true) => format!("{has} {} to {most}.", best.at_least),
        (true, false) => format!("best {}", best.at_most),
        (false, false) => format!("best {}-{}", best.at_least, best.at_most),
    }
}

/// Draws in one line whether the heat was fair, as far as that is known.
fn draw_verdict(heat: &HeatModel, canvas: &mut Canvas<'_>, row: Rect) {
    let check = heat.panel.results.check;
    let wordy = row.width >= WORDY;
    let (good, text) = match (check.commitment, check.board) {
        (false, _) => (Some(false), "Not fair: this isn't the seed that was promised!"),
        (true, Some(false)) => (Some(false), "Not fair: the seed gives another board!"),
        (true, None) => (None, "Checking the board ..."),
        (true, Some(true)) if wordy => {
            (Some(true), "Fair: the seed was promised before the start, and gives this board.")
        }
        (true, Some(true)) => (Some(true), "Fair: seed and board hold."),
    };
    draw_check(canvas, row, good, text);
}

/// Draws what the verdict rests on.
fn draw_checks(heat: &HeatModel, result: &HeatResult, canvas: &mut Canvas<'_>, body: Rect) {
    canvas.text(line(body, 0), "Was it fair?", Look::Strong);
    let reveal = &result.reveal;
    let setup = heat.raced_setup();
    let board = format!("{}#{}", setup.options.spec, reveal.seed);
    let origin = match setup.seed {
        SeedOrigin::Drawn => "chosen by the server",
        SeedOrigin::Host => "set by the host",
    };
    let facts = [
        ("board", board, Look::Text),
        (
            "seed",
            origin.to_owned(),
            if setup.seed == SeedOrigin::Host { Look::Mark } else { Look::Text },
        ),
        ("salt", reveal.salt.to_string(), Look::Text),
        ("commitment", setup.commitment.to_string(), Look::Text),
    ];
    let mut area = below(body, 1 + u16::from(body.height >= ROOMY_HEIGHT));
    for (label, value, look) in facts {
        let label = format!("{label:<LABEL$}");
        let value = safe_text::text(&value, usize::from(body.width).saturating_sub(LABEL));
        canvas.segments(line(area, 0), &[(&label, Look::Faint), (&value, look)]);
        area = below(area, 1);
    }
    let check = heat.panel.results.check;
    let first = if check.commitment {
        "Seed and salt give the commitment that was published before the start."
    } else {
        "Seed and salt DON'T give the commitment that was published before the start!"
    };
    let second = match check.board {
        None => "Checking that the seed gives the board that was raced ...",
        Some(true) => "The seed gives the board that was raced.",
        Some(false) => "The seed DOESN'T give the board that was raced!",
    };
    area = below(area, u16::from(body.height >= ROOMY_HEIGHT));
    for (good, text) in [(Some(check.commitment), first), (check.board, second)] {
        let lines = 1 + u16::from(safe_text::cells(text) + 2 > usize::from(area.width));
        draw_check(canvas, Rect { height: lines.min(area.height), ..area }, good, text);
        area = below(area, lines);
    }
    if result.standings.windows(2).any(|two| is_tie(&two[0], &two[1])) {
        let long = "Of equal times or equal progress, the one that was reached first is before.";
        let texts = [long, "Of equals, the earlier is before."].map(str::to_owned);
        canvas.text(line(area, 0), &fitting(area.width, texts), Look::Faint);
    }
}

/// Says whether two players are parted only by who came first to where both ended.
fn is_tie(one: &Standing, other: &Standing) -> bool {
    one.state == other.state && one.progress == other.progress
}

/// Draws the line to share in full, for terminals that don't take it into the clipboard.
fn draw_share(heat: &HeatModel, canvas: &mut Canvas<'_>, body: Rect) {
    canvas.text(line(body, 0), "Your result in one line", Look::Strong);
    let text = share_line::text(heat, canvas.theme.symbols).unwrap_or_default();
    let area = below(body, 1 + u16::from(body.height >= ROOMY_HEIGHT));
    canvas.wrapped(area, &text, Look::Text);
    let told = "It is in the clipboard, if your terminal allows that; otherwise copy it from here.";
    let foot = below(body, body.height.saturating_sub(3));
    canvas.wrapped(foot, told, Look::Faint);
}

fn draw_check(canvas: &mut Canvas<'_>, row: Rect, good: Option<bool>, text: &str) {
    let [yes, no] = canvas.theme.symbols.check;
    let (mark, look, words) = match good {
        None => (" ", Look::Faint, Look::Faint),
        Some(true) => (yes, Look::Good, Look::Text),
        Some(false) => (no, Look::Bad, Look::Bad),
    };
    let x = canvas.segments(line(row, 0), &[(mark, look), (" ", Look::Text)]);
    canvas.wrapped(Rect { x, width: row.right().saturating_sub(x), ..row }, text, words);
}

/// Says what the key for a rematch does.
fn next_words(model: &Model, heat: &HeatModel) -> Option<String> {
    if heat.setup.table.is_some() {
        let tournament = model.tournament.as_ref();
        let is_over = tournament.is_some_and(|it| it.view.head.phase == TournamentPhase::Over);
        let told = if is_over { "The tournament is over." } else { "The tournament goes on." };
        return Some(told.to_owned());
    }
    let key = label(model, Scope::Results, "r");
    let plays = heat.is_player();
    if heat.has_host_powers() {
        let next = match (plays, heat.plays_alone()) {
            (true, true) => "to race again, on another board",
            (true, false) => "for a rematch: all go to the lobby, where you are ready",
            (false, _) => "for the next heat: all go to the lobby",
        };
        return Some(format!("Press {key} {next}."));
    }
    let me = heat.me().filter(|_| plays)?;
    let comes = "It comes when all who play want it, or the host does.";
    Some(if me.ready {
        format!("You want a rematch. {comes}")
    } else {
        format!("Press {key} for a rematch. {comes}")
    })
}
