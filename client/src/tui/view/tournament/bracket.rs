//! A bracket, drawn as a tree: a column for each level, the lower bracket below the upper one.

use crate::display::canvas::{Canvas, line};
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::tui::model::TournamentModel;
use gridrace_shared::tournament::draw::bracket::{Bracket, BracketMatch, Source};
use gridrace_shared::tournament::ids::EntrantId;
use gridrace_shared::tournament::stage_state::StageState;
use ratatui::layout::Rect;

/// Columns of a name, of the boards won, and of a level with the lines to the next.
const NAME: usize = 12;
const WON: usize = 3;
const LEVEL: u16 = 18;
/// Lines of a match: both sides and a blank one.
const PITCH: usize = 3;

/// Where a match stands: its column, and the line of its first side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BracketPlace {
    level: usize,
    line: usize,
}

/// A bracket's matches with their places.
struct BracketLayout {
    places: Vec<BracketPlace>,
    height: usize,
    levels: usize,
}

/// A bracket that is drawn, and what its matches show.
struct BracketDrawing<'a> {
    tournament: &'a TournamentModel,
    /// The first line in sight.
    first: usize,
    bracket: &'a Bracket,
    layout: &'a BracketLayout,
    stage: Option<&'a StageState>,
}

/// Returns how many lines the bracket has.
pub(super) fn height(tournament: &TournamentModel) -> usize {
    tournament.view.log.bracket().map_or(0, |(_, bracket)| BracketLayout::of(&bracket).height)
}

/// Returns the last column from which on the bracket is drawn: with it the final is in sight.
pub(super) fn last_column(tournament: &TournamentModel, area: Rect) -> usize {
    let bracket = tournament.view.log.bracket();
    bracket
        .map_or(0, |(_, bracket)| BracketLayout::of(&bracket).levels.saturating_sub(columns(area)))
}

/// Returns how many columns of the bracket fit.
fn columns(area: Rect) -> usize {
    usize::from(area.width / LEVEL).max(1)
}

/// Draws the bracket from its line `first` on.
pub(super) fn draw(
    tournament: &TournamentModel,
    first: usize,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let log = &tournament.view.log;
    let Some((number, bracket)) = log.bracket().filter(|(_, it)| !it.matches().is_empty()) else {
        canvas.text(line(area, 0), "The bracket follows its draw.", Look::Faint);
        return;
    };
    let (bracket, layout) = (&bracket, &BracketLayout::of(&bracket));
    let stage = log.tournament().stages().get(number);
    let drawing = BracketDrawing { tournament, first, bracket, layout, stage };
    let shown = columns(area);
    let column = tournament.column.min(layout.levels.saturating_sub(shown));
    for (number, place) in layout.places.iter().enumerate() {
        let Some(level) = place.level.checked_sub(column).filter(|level| *level < shown) else {
            continue;
        };
        let x = area.x + u16::try_from(level).unwrap_or(0) * LEVEL;
        let width = area.right().saturating_sub(x).min(LEVEL);
        let column = Rect { x, width, ..area };
        draw_match(&drawing, number, canvas, column);
        draw_branch(&drawing, number, canvas, column);
    }
}

impl BracketLayout {
    /// Puts each match in the middle of those that its sides come from; those of the lower bracket
    /// stand below all of the upper one.
    fn of(bracket: &Bracket) -> Self {
        let matches = bracket.matches();
        let is_lower = lower_matches(bracket);
        let mut places: Vec<BracketPlace> = Vec::with_capacity(matches.len());
        let mut ends = [0, 0];
        // The lower bracket begins below the first level of the upper one.
        let first_level = matches.iter().filter(|it| it.level == 1).count();
        ends[1] = (first_level.max(1)) * PITCH + 1;
        for (number, it) in matches.iter().enumerate() {
            let lane = is_lower[number];
            let above = it.sources.iter().filter_map(|source| match source {
                Source::Winner(from) if is_lower[*from] == lane => places.get(*from),
                Source::Reset(_) => number.checked_sub(1).and_then(|last| places.get(last)),
                Source::Winner(_) | Source::Seed(_) | Source::Loser(_) => None,
            });
            let above: Vec<usize> = above.map(|place: &BracketPlace| place.line).collect();
            let end = &mut ends[usize::from(lane)];
            let line = match above.len() {
                0 => {
                    let line = *end;
                    *end += PITCH;
                    line
                }
                count => above.iter().sum::<usize>() / count,
            };
            *end = (*end).max(line + PITCH);
            places.push(BracketPlace { level: usize::from(it.level).saturating_sub(1), line });
        }
        let height = places.iter().map(|place| place.line + PITCH - 1).max().unwrap_or(0);
        let levels = places.iter().map(|place| place.level + 1).max().unwrap_or(0);
        Self { places, height, levels }
    }
}

/// Says which matches are of the lower bracket: those into which losers fall, and what follows
/// from them alone.
fn lower_matches(bracket: &Bracket) -> Vec<bool> {
    let mut is_lower: Vec<bool> = Vec::new();
    for it in bracket.matches() {
        let falls = it.sources.iter().any(|source| matches!(source, Source::Loser(_)));
        let mut winners = it.sources.iter().filter_map(|source| {
            if let Source::Winner(from) = source { is_lower.get(*from) } else { None }
        });
        let follows = winners.clone().count() == 2 && winners.all(|lower| *lower);
        is_lower.push(falls || follows);
    }
    is_lower
}

fn draw_match(drawing: &BracketDrawing<'_>, number: usize, canvas: &mut Canvas<'_>, area: Rect) {
    let BracketDrawing { tournament, first, bracket, layout, stage } = *drawing;
    let at = layout.places[number].line;
    let decision = bracket.decision(number);
    let won = boards_won(stage, number);
    let sources = bracket.matches().get(number).map(|it| it.sources);
    for (index, side) in bracket.sides(number).into_iter().enumerate() {
        let Some(row) = row(first, at + index, area) else { continue };
        let (name, is_known) = match (side, decision, sources.map(|it| it[index])) {
            (Some(entrant), _, _) => (tournament.view.log.name(entrant), true),
            // A side that no entrant can come from any more.
            (None, Some(_), _) => ("-".to_owned(), false),
            (None, None, Some(Source::Loser(from))) => (format!("loser at {}", from + 1), false),
            (None, None, Some(Source::Winner(from))) => (format!("winner at {}", from + 1), false),
            (None, None, Some(Source::Seed(_))) => ("bye".to_owned(), false),
            (None, None, Some(Source::Reset(_)) | None) => ("if needed".to_owned(), false),
        };
        let has_won = decision.is_some_and(|it| it.winner.is_some() && it.winner == side);
        let is_own = side.is_some() && side == tournament.view.you.entrant;
        let look = match (is_known, is_own, decision.is_some(), has_won) {
            (false, ..) => Look::Faint,
            (true, true, ..) => Look::Own,
            (true, false, true, true) => Look::Strong,
            (true, false, true, false) => Look::Faint,
            (true, false, false, _) => Look::Text,
        };
        let boards = side.and_then(|side| won.iter().find(|(id, _)| *id == side));
        let boards = boards.map_or_else(String::new, |(_, won)| won.to_string());
        let text = format!("{} {boards:>width$}", safe_text::column(&name, NAME), width = WON - 1);
        let text = safe_text::text(&text, row.width.into());
        canvas.text(Rect { width: row.width.min(15), ..row }, &text, look);
    }
    // Sides that aren't known yet name the match by its table.
    let is_named = |it: &BracketMatch| {
        it.sources.contains(&Source::Winner(number)) || it.sources.contains(&Source::Loser(number))
    };
    if decision.is_none()
        && bracket.matches().iter().any(is_named)
        && let Some(row) = row(first, at + 2, area)
    {
        let text = format!("table {}", number + 1);
        canvas.text(Rect { width: row.width.min(15), ..row }, &text, Look::Faint);
    }
}

/// Returns how many boards each side of a match has won.
fn boards_won(stage: Option<&StageState>, number: usize) -> Vec<(EntrantId, usize)> {
    let Some(stage) = stage else { return Vec::new() };
    let Ok(number) = u16::try_from(number) else { return Vec::new() };
    let mut rounds = stage.rounds().iter().rev();
    let found = rounds.find_map(|round| Some((round, round.draw.table(number)?)));
    let Some((round, table)) = found else { return Vec::new() };
    let winner = |board| {
        let result = round.result(number, board).filter(|_| !round.is_void(board))?;
        let first = result.rows.first().filter(|(_, outcome)| outcome.has_finished())?;
        Some(first.0)
    };
    let winners: Vec<EntrantId> = (0..stage.stage().boards).filter_map(winner).collect();
    let count = |seat: &EntrantId| winners.iter().filter(|winner| *winner == seat).count();
    table.seats.iter().map(|seat| (*seat, count(seat))).collect()
}

/// Draws the line from a match to the one that its winner goes to.
fn draw_branch(drawing: &BracketDrawing<'_>, number: usize, canvas: &mut Canvas<'_>, area: Rect) {
    let BracketDrawing { first, bracket, layout, .. } = *drawing;
    let next = bracket.matches().iter().position(|it| it.sources.contains(&Source::Winner(number)));
    let Some(next) = next else { return };
    let (from, to) = (layout.places[number], layout.places[next]);
    if to.level != from.level + 1 || area.width < LEVEL {
        return;
    }
    let [left, up, right, down] = [1, 2, 4, 8];
    let pieces = canvas.theme.symbols.links.open;
    let piece = |canvas: &mut Canvas<'_>, at: usize, x: u16, number: usize| {
        let Some(y) = at.checked_sub(first).and_then(|y| u16::try_from(y).ok()) else { return };
        if y < area.height {
            let cell = Rect { x: area.x + x, y: area.y + y, width: 1, height: 1 };
            canvas.text(cell, pieces[number], Look::Line);
        }
    };
    // From the middle of the match, which is its first line, to that of the next.
    let (start, end) = (from.line, to.line);
    piece(canvas, start, 15, left + right);
    if start == end {
        piece(canvas, start, 16, left + right);
        return piece(canvas, start, 17, left + right);
    }
    piece(canvas, start, 16, left + if start < end { down } else { up });
    for at in start.min(end) + 1..start.max(end) {
        piece(canvas, at, 16, up + down);
    }
    // Where two branches meet, both draw the same.
    let corner = match is_joined(bracket, layout, next) {
        true => up + down + right,
        false => right + if start < end { up } else { down },
    };
    piece(canvas, end, 16, corner);
    piece(canvas, end, 17, left + right);
}

/// Says whether lines come to a match from above and from below.
fn is_joined(bracket: &Bracket, layout: &BracketLayout, number: usize) -> bool {
    let to = layout.places[number];
    let sources =
        bracket.matches().get(number).map(|it| it.sources).unwrap_or([Source::Seed(0); 2]);
    let lines = sources.iter().filter_map(|source| match source {
        Source::Winner(from) => layout.places.get(*from),
        Source::Seed(_) | Source::Loser(_) | Source::Reset(_) => None,
    });
    let lines: Vec<usize> =
        lines.filter(|from| from.level + 1 == to.level).map(|from| from.line).collect();
    lines.iter().any(|line| *line < to.line) && lines.iter().any(|line| *line > to.line)
}

/// Returns the line of the screen on which a line of the bracket stands, if it is in sight.
fn row(first: usize, at: usize, area: Rect) -> Option<Rect> {
    let index = u16::try_from(at.checked_sub(first)?).ok()?;
    (index < area.height).then(|| line(area, index))
}
