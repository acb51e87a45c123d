//! The lists of a tournament: standings, tables, entrants, log.

use crate::display::canvas::{Canvas, Segment, below, line, scrolled, width_of, wrap};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::display::tournament_text;
use crate::tui::model::TournamentModel;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::protocol::tournament::{SeatRow, TableRow};
use gridrace_shared::tournament::ids::EntrantId;
use gridrace_shared::tournament::plan::Format;
use gridrace_shared::tournament::public_log::{LogAuthor, LogLine};
use gridrace_shared::tournament::rank::Ranked;
use ratatui::layout::Rect;

/// Columns of a score.
const SCORE: u16 = 9;
/// Columns of an entry's number and of an instant of the log; and where there are few columns.
const LOG: [usize; 2] = [5, 8];
const NARROW_LOG: [usize; 2] = [4, 5];
/// The most columns of the entrants: a state far from its name is not read with it.
const ENTRANTS: u16 = 76;
/// Columns from which on the log's are wide.
const WIDE: u16 = 50;
/// The widest name in a list.
const NAME: u16 = 26;
/// Columns of a table's number, and of all in its row but the players and its state.
const TABLE: usize = 4;
const TABLE_COLUMNS: u16 = 9;

/// Returns how many lines the standings have, those of the teams included.
pub(super) fn standing_lines(tournament: &TournamentModel) -> usize {
    let teams = tournament.view.log.tournament().team_standings();
    let teams = teams.map_or(0, |teams| teams.len() + 2);
    tournament.view.log.standings().len() + 1 + teams
}

/// Draws the standings with a heading, and those of the teams behind them; one's own row is always in
/// sight.
pub(super) fn draw_standings(
    tournament: &TournamentModel,
    first: usize,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let log = &tournament.view.log;
    let standings = log.standings();
    let Some(best) = standings.first() else {
        let text = if tournament.view.is_loaded() {
            "Standings follow the first draw."
        } else {
            "Loading the log"
        };
        canvas.text(line(area, 0), text, Look::Faint);
        return;
    };
    let unit = tournament_text::score_unit(best.score);
    let heading = Rect { width: area.width.min(name_width(area) + SCORE + 6), ..line(area, 0) };
    canvas.text(heading, "     player", Look::Faint);
    canvas.right(heading, unit, Look::Faint);
    let teams = log.tournament().team_standings().unwrap_or_default();
    let height = usize::from(area.height.saturating_sub(1));
    let own = tournament.view.you.entrant;
    let own_row = standings.iter().position(|row| Some(row.entrant) == own);
    for (y, index) in (1..).zip(first..first.saturating_add(height)) {
        let row = line(area, y);
        if let Some(ranked) = standings.get(index) {
            draw_standing(tournament, ranked, canvas, row);
        } else if let Some(team) =
            index.checked_sub(standings.len() + 2).and_then(|it| teams.get(it))
        {
            let text = format!("{:>4} {}", team.place, team.team);
            canvas.text(row, &text, Look::Text);
            let score = tournament_text::score(team.score);
            canvas.right(Rect { width: heading.width, ..row }, &score, Look::Text);
        } else if index == standings.len() + 1 && !teams.is_empty() {
            canvas.text(row, "Teams", Look::Strong);
        }
    }
    // One's own row stands in the last line where it is out of sight.
    if let Some(own_row) = own_row.filter(|row| !(first..first + height).contains(row)) {
        let row = line(area, area.height.saturating_sub(1));
        canvas.text(row, &" ".repeat(row.width.into()), Look::Text);
        draw_standing(tournament, &standings[own_row], canvas, row);
    }
}

fn name_width(area: Rect) -> u16 {
    NAME.min(area.width.saturating_sub(SCORE + 6))
}

fn draw_standing(tournament: &TournamentModel, row: &Ranked, canvas: &mut Canvas<'_>, area: Rect) {
    let is_own = tournament.view.you.entrant == Some(row.entrant);
    let look = if is_own { Look::Own } else { Look::Text };
    let place = format!("{:>4} ", row.place);
    let width = name_width(area);
    let name = player(tournament, row.entrant, width);
    canvas.segments(area, &[(place.as_str(), Look::Faint), (name.as_str(), look)]);
    let score = tournament_text::score(row.score);
    let end = Rect { width: area.width.min(width + SCORE + 6), ..area };
    canvas.right(end, &score, if row.started { look } else { Look::Faint });
    // What the boards of the latest stage brought in, where there is room.
    let rest =
        Rect { x: end.right() + 2, width: area.right().saturating_sub(end.right() + 2), ..area };
    if rest.width > SCORE && area.width > end.width + SCORE {
        let boards = board_times(tournament, row.entrant);
        let text = safe_text::text(&boards, rest.width.into());
        canvas.text(rest, &text, Look::Faint);
    }
}

/// Returns an entrant's name with the team's tag before it.
fn player(tournament: &TournamentModel, entrant: EntrantId, width: u16) -> String {
    let log = &tournament.view.log;
    let team = log.profile(entrant).and_then(|profile| profile.team.as_ref());
    let name = match team {
        Some(team) => format!("{team} {}", log.name(entrant)),
        None => log.name(entrant),
    };
    safe_text::column(&name, width.into())
}

/// Returns the outcomes of an entrant in the latest round.
fn board_times(tournament: &TournamentModel, entrant: EntrantId) -> String {
    let log = &tournament.view.log;
    let Some((stage, round)) = log.latest_round().and_then(|key| log.round(key)) else {
        return String::new();
    };
    let table = round.draw.tables.iter().find(|table| table.seats.contains(&entrant));
    let Some(table) = table else { return String::new() };
    let boards = (0..stage.stage().boards).filter_map(|board| {
        let result = round.result(table.number, board)?;
        let outcome = tournament_text::outcome(result.outcome(entrant));
        Some(if round.is_void(board) { "void".to_owned() } else { outcome })
    });
    boards.collect::<Vec<_>>().join("  ")
}

/// Draws the tables of a round; of the latest, the cursor's can be watched.
pub(super) fn draw_tables(
    tournament: &TournamentModel,
    chosen: usize,
    [earlier, later]: [&str; 2],
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let (rounds, tables) = (tournament.rounds().len(), tournament.tables());
    let area = match tournament.shown_round().filter(|_| rounds > 1) {
        Some(key) => {
            let round = tournament_text::round(tournament.view.log.tournament().plan(), key);
            let round = format!("{round}  ");
            let keys = format!("{earlier} {later}");
            let segments = [
                (round.as_str(), Look::Strong),
                (&keys, Look::Key),
                (" other rounds", Look::Faint),
            ];
            canvas.segments(line(area, 0), &segments);
            below(area, 1)
        }
        None => area,
    };
    if tables.is_empty() {
        let text = match tournament.view.head.round {
            Some(_) => "Loading the tables",
            None => "Tables follow the first draw.",
        };
        canvas.text(line(area, 0), text, Look::Faint);
        return;
    }
    let list = match tables.get(chosen) {
        Some(table) => draw_cut_seats(tournament, table, canvas, area),
        None => area,
    };
    for (row, table, is_chosen) in scrolled(list, 1, &tables, chosen) {
        draw_table(tournament, table, is_chosen, canvas, row);
    }
}

/// Draws all players of the table under the cursor at the lower end, where its row has no room for
/// them; returns what is left of the area.
fn draw_cut_seats(
    tournament: &TournamentModel,
    table: &TableRow,
    canvas: &mut Canvas<'_>,
    area: Rect,
) -> Rect {
    let (state, _) = table_state(tournament, table);
    let seats = seats(tournament, table, canvas.theme.symbols.dot);
    let room = area.width.saturating_sub(width_of(&state) + TABLE_COLUMNS);
    let text = format!("Table {}: {seats}", number(tournament, table));
    let lines = wrap(&text, area.width.into()).len();
    let lines = u16::try_from(lines).unwrap_or(u16::MAX).min(area.height / 2);
    if width_of(&seats) <= room || lines == 0 {
        return area;
    }
    let list = Rect { height: area.height - lines, ..area };
    canvas.wrapped(below(area, list.height), &text, Look::Faint);
    list
}

/// Returns the number of a table. In an arena, whose rounds go on at the same time, its round's comes before.
fn number(tournament: &TournamentModel, table: &TableRow) -> String {
    let stages = tournament.view.log.tournament().plan().stages();
    let stage = stages.get(usize::from(table.round.stage));
    let is_arena = stage.is_some_and(|it| matches!(it.format, Format::Arena { .. }));
    let number = table.number + 1;
    if is_arena { format!("{}.{number}", table.round.round + 1) } else { number.to_string() }
}

/// Returns all players of a table, the best on the latest board first.
fn seats(tournament: &TournamentModel, table: &TableRow, dot: &str) -> String {
    let mut seats: Vec<&SeatRow> = table.seats.iter().collect();
    let latest = |seat: &&SeatRow| seat.outcomes.iter().flatten().last().map(|it| it.order());
    seats.sort_by_key(|seat| latest(seat).unwrap_or((u8::MAX, 0)));
    let seats: Vec<String> = seats.into_iter().map(|it| seat(tournament, it)).collect();
    safe_text::text(&seats.join(&format!(" {dot} ")), usize::MAX)
}

fn draw_table(
    tournament: &TournamentModel,
    table: &TableRow,
    is_chosen: bool,
    canvas: &mut Canvas<'_>,
    row: Rect,
) {
    let cursor = canvas.cursor(is_chosen);
    let look = if is_chosen { Look::Cursor } else { Look::Text };
    let (state, state_look) = table_state(tournament, table);
    let end = canvas.right(row, &state, state_look);
    let left = Rect { width: end.saturating_sub(row.x + 1), ..row };
    let number = format!(" {:>TABLE$}  ", number(tournament, table));
    let x = canvas.segments(left, &[(cursor, Look::Cursor), (&number, look)]);
    let left = Rect { x, width: left.right().saturating_sub(x), ..left };
    let seats = seats(tournament, table, canvas.theme.symbols.dot);
    let seats = safe_text::text(&seats, left.width.into());
    let own = tournament.view.you.entrant;
    let is_own = table.seats.iter().any(|seat| Some(seat.entrant) == own);
    canvas.text(left, &seats, if is_own { Look::Own } else { Look::Text });
}

/// Returns a player of a table with the boards that are raced.
fn seat(tournament: &TournamentModel, seat: &SeatRow) -> String {
    let name = tournament.view.log.name(seat.entrant);
    let outcomes: Vec<String> =
        seat.outcomes.iter().flatten().map(|it| tournament_text::outcome(*it)).collect();
    if outcomes.is_empty() {
        return name;
    }
    format!("{name} {}", outcomes.join(" "))
}

fn table_state(tournament: &TournamentModel, table: &TableRow) -> (String, Look) {
    if table.walkover {
        return ("bye".to_owned(), Look::Faint);
    }
    let log = &tournament.view.log;
    let is_complete = log.round(table.round).and_then(|(stage, round)| {
        let drawn = round.draw.table(table.number)?;
        Some(stage.is_table_complete(round, drawn))
    });
    match (is_complete, table.room) {
        (Some(true), _) => ("done".to_owned(), Look::Good),
        (_, Some(code)) => (format!("open {code}"), Look::Mark),
        (_, None) => ("waits".to_owned(), Look::Faint),
    }
}

/// Draws who has entered, and who is here.
pub(super) fn draw_entrants(
    tournament: &TournamentModel,
    chosen: usize,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let area = Rect { width: area.width.min(ENTRANTS), ..area };
    let view = &tournament.view;
    let profiles: Vec<_> = view.log.profiles().collect();
    if profiles.is_empty() {
        canvas.text(line(area, 0), "Nobody has entered yet.", Look::Faint);
        return;
    }
    for (row, profile, is_chosen) in scrolled(area, 1, &profiles, chosen) {
        let cursor = canvas.cursor(is_chosen);
        let is_own = view.you.entrant == Some(profile.entrant);
        let look = match (is_chosen, is_own) {
            (true, _) => Look::Cursor,
            (false, true) => Look::Own,
            (false, false) => Look::Text,
        };
        let presence = view.log.presence(profile.entrant);
        let is_here = view.log.tournament().is_present(profile.entrant);
        let text = presence.map_or("", |it| tournament_text::presence(it, is_here));
        let state_look = if is_here { Look::Good } else { Look::Faint };
        let kind = if profile.kind == PlayerKind::Human { "" } else { "bot  " };
        let state = format!("{kind}{text}");
        let end = canvas.right(row, &state, state_look);
        let left = Rect { width: end.saturating_sub(row.x + 1), ..row };
        let name = player(tournament, profile.entrant, left.width.saturating_sub(2));
        let segments: [Segment<'_>; 3] = [(cursor, Look::Cursor), (" ", Look::Text), (&name, look)];
        canvas.segments(left, &segments);
    }
}

/// Returns how many lines of the log may be the first in sight: behind the last of these, all fit.
pub(super) fn log_rows(tournament: &TournamentModel, area: Rect) -> usize {
    let lines = tournament.view.log.lines();
    let mut room = usize::from(area.height);
    let fits = |line: &&LogLine| {
        let height = log_text(tournament, line, area.width).len();
        room.checked_sub(height).map(|left| room = left).is_some()
    };
    let last = lines.iter().rev().take_while(fits).count();
    (lines.len() + 1).saturating_sub(last.max(1)).max(1)
}

/// Draws the log from its line `first` on, the latest line last; a long line has as many rows as it
/// needs.
pub(super) fn draw_log(
    tournament: &TournamentModel,
    first: usize,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let log = &tournament.view.log;
    if log.is_empty() {
        canvas.text(line(area, 0), "Nothing has happened yet.", Look::Faint);
        return;
    }
    let [count_columns, at_columns] = log_columns(area.width);
    let first = first.min(log_rows(tournament, area) - 1);
    // Entries are numbered as the organiser's command takes them back.
    let mut number = log.lines().iter().take(first).filter(|it| it.entry().is_some()).count();
    let mut y = 0;
    for entry in log.lines().iter().skip(first) {
        if y >= area.height {
            break;
        }
        let counts = entry.entry().is_some();
        number += usize::from(counts);
        let count = if counts { number.to_string() } else { String::new() };
        let at = format::minutes(entry.at.since_epoch());
        let before = format!("{count:>count_columns$} {at:>at_columns$}  ");
        let x = canvas.segments(line(area, y), &[(&before, Look::Faint)]);
        let is_server = entry.by == LogAuthor::Server;
        let look = if is_server { Look::Faint } else { Look::Text };
        for text in log_text(tournament, entry, area.width) {
            let row = line(area, y);
            canvas.text(Rect { x, width: row.right().saturating_sub(x), ..row }, &text, look);
            y += 1;
        }
    }
}

const fn log_columns(width: u16) -> [usize; 2] {
    if width < WIDE { NARROW_LOG } else { LOG }
}

/// Returns the rows of a line of the log.
fn log_text(tournament: &TournamentModel, entry: &LogLine, width: u16) -> Vec<String> {
    let [count, at] = log_columns(width);
    let by = tournament_text::author(&tournament.view, entry);
    let by = by.map(|by| format!(" by {by}")).unwrap_or_default();
    let text = format!("{}{by}", tournament_text::log_line(&tournament.view.log, entry));
    let text = safe_text::text(&text, usize::MAX);
    wrap(&text, usize::from(width).saturating_sub(count + at + 3))
}
