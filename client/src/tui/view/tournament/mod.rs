//! The tournament: where it stands, what the player does next, and standings, bracket, tables,
//! entrants and log.

mod bracket;
mod lists;
mod organiser;

pub(super) use organiser::{draw_line, draw_menu};

use crate::display::canvas::{Canvas, Segment, below, fitting, line, middle, scrolled, width_of};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::display::tournament_text;
use crate::tui::keymap::Scope;
use crate::tui::model::{ChooseTournament, Model, TournamentModel, TournamentPart};
use crate::tui::view::key_labels::label;
use crate::tui::view::pages;
use gridrace_shared::protocol::tournament::TournamentPhase;
use gridrace_shared::tournament::ids::EntrantId;
use gridrace_shared::tournament::log::Presence;
use gridrace_shared::tournament::plan::Format;
use gridrace_shared::tournament_view::EntrantSeat;
use ratatui::layout::Rect;

/// Lines above the part that is shown, and the blank one where there is room.
const HEAD_LINES: u16 = 3;
/// From this height on there is a blank line above the part.
const AIRY: u16 = 16;
/// Columns of the list of tournaments.
const LIST_WIDTH: u16 = 76;
/// Columns from which on another part stands beside the one that is shown, those that it has, and
/// those between both.
const WITH_BESIDE: u16 = 150;
const BESIDE_WIDTH: u16 = 60;
const BESIDE_GAP: u16 = 4;
/// Columns in which every part's title stands.
const WITH_TITLES: u16 = 50;
/// Lines that the chosen tournament has below the list.
const CHOSEN_LINES: u16 = 3;
/// How many opponents are named.
const NAMED_OPPONENTS: usize = 3;

pub(super) fn draw(model: &Model, canvas: &mut Canvas<'_>, body: Rect) {
    let Some(tournament) = &model.tournament else { return };
    let (text, look) = status(model, tournament, body.width);
    canvas.text(line(body, 0), &safe_text::text(&text, body.width.into()), look);
    let (text, look) = match invitation(model, tournament, body.width) {
        Some(text) => (text, Look::Own),
        None => own_line(model, tournament, body.width),
    };
    canvas.text(line(body, 1), &safe_text::text(&text, body.width.into()), look);
    draw_titles(tournament, canvas, line(body, head_lines(body) - 1));
    let (area, beside) = part_areas(body);
    if let Some(beside) = beside {
        draw_beside(tournament, canvas, beside);
    }
    let row = tournament.row_of(rows_in(tournament, area));
    match tournament.part {
        TournamentPart::Standings => lists::draw_standings(tournament, row, canvas, area),
        TournamentPart::Bracket => bracket::draw(tournament, row, canvas, area),
        TournamentPart::Tables => {
            let keys = [",", "."].map(|key| label(model, Scope::Tournament, key));
            lists::draw_tables(tournament, row, [&keys[0], &keys[1]], canvas, area);
        }
        TournamentPart::Entrants => lists::draw_entrants(tournament, row, canvas, area),
        TournamentPart::Log => lists::draw_log(tournament, row, canvas, area),
    }
}

/// Draws the standings beside all other parts, and beside these the latest lines of the log; so where
/// there are no standings yet.
fn draw_beside(tournament: &TournamentModel, canvas: &mut Canvas<'_>, area: Rect) {
    let is_early = tournament.view.log.standings().is_empty();
    let is_log = match tournament.part {
        TournamentPart::Standings => true,
        TournamentPart::Bracket | TournamentPart::Tables | TournamentPart::Entrants => is_early,
        TournamentPart::Log => false,
    };
    let part = if is_log { TournamentPart::Log } else { TournamentPart::Standings };
    canvas.text(line(area, 0), part.title(), Look::Strong);
    let area = below(area, 2);
    if is_log {
        lists::draw_log(tournament, usize::MAX, canvas, area);
    } else {
        lists::draw_standings(tournament, 0, canvas, area);
    }
}

/// Returns the last column from which on the bracket is drawn.
pub(super) fn last_bracket_column(model: &Model) -> usize {
    let (area, _) = part_areas(pages::body(model));
    model.tournament.as_ref().map_or(0, |it| bracket::last_column(it, area))
}

/// Returns how many rows the part that is shown has to scroll through.
pub(super) fn rows(model: &Model) -> usize {
    let (area, _) = part_areas(pages::body(model));
    model.tournament.as_ref().map_or(0, |it| rows_in(it, area))
}

fn rows_in(tournament: &TournamentModel, area: Rect) -> usize {
    let height = usize::from(area.height);
    // A cursor goes through all rows; without one, the last row in sight is the last.
    let scrolls = |rows: usize| (rows + 1).saturating_sub(height).max(1);
    let log = &tournament.view.log;
    match tournament.part {
        TournamentPart::Standings => scrolls(lists::standing_lines(tournament)),
        TournamentPart::Bracket => scrolls(bracket::height(tournament)),
        TournamentPart::Tables => tournament.tables().len(),
        TournamentPart::Entrants => log.profiles().count(),
        TournamentPart::Log => lists::log_rows(tournament, area),
    }
}

const fn head_lines(body: Rect) -> u16 {
    if body.height >= AIRY { HEAD_LINES + 1 } else { HEAD_LINES }
}

/// Returns where the part that is shown stands, and on a wide screen what stands beside it.
fn part_areas(body: Rect) -> (Rect, Option<Rect>) {
    let air = if body.height >= AIRY { 1 } else { 0 };
    let area = below(body, head_lines(body) + air);
    if body.width < WITH_BESIDE {
        return (area, None);
    }
    let part = Rect { width: area.width - BESIDE_WIDTH - BESIDE_GAP, ..area };
    (part, Some(Rect { x: area.right() - BESIDE_WIDTH, width: BESIDE_WIDTH, ..area }))
}

/// Says how far the tournament is, and when it goes on.
fn status(model: &Model, tournament: &TournamentModel, width: u16) -> (String, Look) {
    let view = &tournament.view;
    let head = &view.head;
    let plan = view.log.tournament().plan();
    let phase = tournament_text::phase(plan, head);
    let counts = head.counts;
    match (head.phase, head.paused, head.go) {
        (TournamentPhase::Over, _, _) => (champion(tournament, width), Look::Mark),
        (_, true, _) => (format!("paused by the organiser; {phase}"), Look::Bad),
        (TournamentPhase::Entries | TournamentPhase::CheckIn, ..) => {
            let entered = format::counted(counts.entrants.into(), "player", "players");
            (format!("{phase}: {entered}, {} here", counts.present), Look::Strong)
        }
        (TournamentPhase::Break | TournamentPhase::Pause, _, Some(go)) => {
            let left = go.since(model.tournament_now(tournament));
            let place = phase.strip_prefix("next: ").unwrap_or(&phase);
            let go = format!("GO in {}", format::minutes_left(left));
            let texts = [format!("{go}: {place}"), format!("{go}: {}", short(place))];
            (fitting(width, texts), Look::Strong)
        }
        (TournamentPhase::Racing, ..) => {
            // Of a single table its row says whether it is done.
            let done = format!("{} of {} tables are done", counts.tables_done, counts.tables);
            let all = (counts.tables > 1).then(|| format!("racing: {phase}; {done}"));
            let texts = [format!("racing: {phase}"), format!("racing: {}", short(&phase))];
            (fitting(width, all.into_iter().chain(texts)), Look::Strong)
        }
        _ => (phase, Look::Strong),
    }
}

/// Shortens what is said of a round and a board for a narrow screen.
fn short(place: &str) -> String {
    place.replace("stage ", "st. ").replace("round ", "r. ").replace("board ", "b. ")
}

fn champion(tournament: &TournamentModel, width: u16) -> String {
    let log = &tournament.view.log;
    let names = log.tournament().champions();
    let names: Vec<String> = names.into_iter().map(|entrant| log.name(entrant)).collect();
    match names.as_slice() {
        [] => "The tournament is over.".to_owned(),
        [one] => {
            let won = format!("{one} has won.");
            fitting(width, [format!("The tournament is over. {won}"), format!("Over: {won}"), won])
        }
        several => format!("The tournament is over. The first: {}", several.join(", ")),
    }
}

/// Says to the organiser, on whose machine the server runs, how others enter.
fn invitation(model: &Model, tournament: &TournamentModel, width: u16) -> Option<String> {
    let view = &tournament.view;
    let is_open = matches!(view.head.phase, TournamentPhase::Entries | TournamentPhase::CheckIn);
    let address = model.invitation.first().filter(|_| is_open && view.you.organiser)?;
    let command = format!("tournament enter {} {address}", view.name);
    let long = format!("Others enter with  gridrace {command}");
    let key = model.key(Scope::Tournament, "i");
    Some(fitting(width, [format!("{long}   {key}: link for phones"), long, command]))
}

/// Says what the player does next.
fn own_line(model: &Model, tournament: &TournamentModel, width: u16) -> (String, Look) {
    let key = |default| model.key(Scope::Tournament, default);
    let view = &tournament.view;
    let is_over = view.head.phase == TournamentPhase::Over;
    let Some(entrant) = view.you.entrant else {
        let text = match (view.you.organiser, is_over) {
            (true, _) if width < WITH_TITLES => {
                format!("You are the organiser: {} commands.", key("m"))
            }
            (true, _) => format!("You are the organiser: {} opens the commands.", key("m")),
            (false, true) => "You watched.".to_owned(),
            (false, false) if tournament.takes_entries() => {
                format!("You watch: {} to take part.", key("e"))
            }
            (false, false) => "You watch: entries are closed.".to_owned(),
        };
        return (text, Look::Faint);
    };
    let place = view.log.standings().iter().find(|row| row.entrant == entrant);
    if let (true, Some(row)) = (is_over, place) {
        let place = format::ordinal(row.place);
        return (format!("You are {place} of {}.", view.log.standings().len()), Look::Own);
    }
    match view.you.presence {
        Some(Presence::Entered) if view.head.phase != TournamentPhase::Entries => {
            return (format!("Say that you are here: {} checks in.", key("c")), Look::Mark);
        }
        Some(Presence::Withdrawn) => {
            return (format!("You are withdrawn: {} checks you in again.", key("c")), Look::Bad);
        }
        Some(Presence::Disqualified) => {
            return ("You are disqualified.".to_owned(), Look::Bad);
        }
        Some(Presence::Entered | Presence::Present) | None => {}
    }
    if view.log.latest_round().is_none() {
        let text = "You have entered: your table comes to you when the round is drawn.";
        let short = "You have entered.";
        let text = if width_of(text) <= width { text } else { short };
        return (text.to_owned(), Look::Own);
    }
    (next_table(tournament, entrant, width), Look::Own)
}

/// Says at which table the player sits, and whom they meet there.
fn next_table(tournament: &TournamentModel, entrant: EntrantId, width: u16) -> String {
    let log = &tournament.view.log;
    match log.seat(entrant) {
        EntrantSeat::Table { number, seats, is_complete } => {
            let others: Vec<String> =
                seats.iter().filter(|seat| **seat != entrant).map(|seat| log.name(*seat)).collect();
            let table = number + 1;
            let texts = (0..=NAMED_OPPONENTS).rev().map(|named| {
                let whom = opponents(&others, named);
                if is_complete {
                    format!("Your table is done; table {table} with {whom}")
                } else {
                    format!("You meet {whom} at table {table}")
                }
            });
            fitting(width, texts)
        }
        EntrantSeat::Bye => match format_of_round(tournament) {
            Some(Format::Swiss { .. }) => "A bye: it counts as a match won.".to_owned(),
            _ => "A bye: you go on without racing.".to_owned(),
        },
        EntrantSeat::None => without_table(tournament).to_owned(),
    }
}

fn format_of_round(tournament: &TournamentModel) -> Option<Format> {
    let log = &tournament.view.log;
    log.latest_round().and_then(|key| log.round(key)).map(|(stage, _)| stage.stage().format)
}

/// Says why the player has no table in the latest round.
fn without_table(tournament: &TournamentModel) -> &'static str {
    // All who have reached a later stage have a table in its first round.
    let begins_later_stage =
        tournament.view.log.latest_round().is_some_and(|key| key.stage > 0 && key.round == 0);
    match format_of_round(tournament) {
        Some(Format::Arena { .. }) => "You wait for a table.",
        Some(Format::LastOut { .. } | Format::Heats { .. } | Format::Knockout | Format::Double) => {
            "You race no more in this stage."
        }
        Some(_) if begins_later_stage => "You race no more in this stage.",
        // A later round may have one, as for a late entrant.
        Some(Format::Series { .. } | Format::Swiss { .. } | Format::RoundRobin { .. }) | None => {
            "You have no seat in this round."
        }
    }
}

/// Names the first of the opponents, and counts the others.
fn opponents(others: &[String], named: usize) -> String {
    let more = others.len().saturating_sub(named);
    let names = others.iter().take(named).cloned().collect::<Vec<_>>().join(", ");
    match (names.is_empty(), more) {
        (_, 0) => names,
        (true, more) => format::counted(more, "other", "others"),
        (false, more) => format!("{names} and {more} more"),
    }
}

/// Draws the titles of all parts, or where they don't fit that of the one that is shown.
fn draw_titles(tournament: &TournamentModel, canvas: &mut Canvas<'_>, row: Rect) {
    let parts = tournament.parts();
    let at = parts.iter().position(|part| *part == tournament.part).unwrap_or(0);
    if row.width < WITH_TITLES {
        let [right, left] = canvas.theme.symbols.hint;
        let title = format!(" {} ", tournament.part.title());
        let count = format!("  {}/{}", at + 1, parts.len());
        let segments = [
            (left, Look::Key),
            (title.as_str(), Look::Strong),
            (right, Look::Key),
            (&count, Look::Faint),
        ];
        canvas.segments(row, &segments);
        return;
    }
    let mut segments: Vec<Segment<'_>> = Vec::new();
    for part in &parts {
        let look = if *part == tournament.part { Look::Cursor } else { Look::Faint };
        segments.extend([(part.title(), look), ("   ", Look::Text)]);
    }
    canvas.segments(row, &segments);
}

/// Draws the list of a server's tournaments.
pub(super) fn choose(
    model: &Model,
    choose: &ChooseTournament,
    canvas: &mut Canvas<'_>,
    body: Rect,
) {
    let area = middle(body, LIST_WIDTH, body.height);
    if choose.tournaments.is_empty() {
        let area = below(area, area.height / 3);
        canvas.centred(line(area, 0), "No tournament is listed there.", Look::Text);
        let key = label(model, Scope::Lists, "o");
        let offer = [("Press ", Look::Text), (&*key, Look::Key), (" to open one.", Look::Text)];
        canvas.centred_segments(line(area, 1), &offer);
        canvas.centred(line(area, 3), "Private ones are reached by name.", Look::Faint);
        return;
    }
    canvas.text(line(area, 0), "Which tournament?", Look::Strong);
    let list = below(area, 2);
    // A narrow row cuts names and titles: the chosen one stands in full below the list.
    let is_wide = area.width >= WITH_TITLES;
    let apart = if is_wide { 0 } else { CHOSEN_LINES.min(list.height.saturating_sub(1)) };
    let list = Rect { height: list.height - apart, ..list };
    if let Some(it) = choose.tournaments.get(choose.chosen)
        && !is_wide
    {
        let title = it.title.as_ref().map(|title| format!(": {title}")).unwrap_or_default();
        let text = safe_text::text(&format!("{}{title}; {}", it.name, it.plan), usize::MAX);
        canvas.wrapped(below(area, 2 + list.height), &text, Look::Faint);
    }
    for (row, it, chosen) in scrolled(list, 1, &choose.tournaments, choose.chosen) {
        let cursor = canvas.cursor(chosen);
        let look = if chosen { Look::Cursor } else { Look::Text };
        let name = safe_text::column(it.name.as_str(), 14);
        let plan = safe_text::column(&it.plan, 18);
        let (phase, phase_look) = match it.phase {
            TournamentPhase::Entries | TournamentPhase::CheckIn => ("open", Look::Good),
            TournamentPhase::Over => ("over", Look::Faint),
            TournamentPhase::Waiting
            | TournamentPhase::Break
            | TournamentPhase::Racing
            | TournamentPhase::Pause => ("runs", Look::Faint),
        };
        let (phase, count) = (format!(" {phase:<5}"), format!("{:>5}", it.entrants));
        let pin = if it.needs_pin { "  PIN" } else { "" };
        let mut segments: Vec<Segment<'_>> =
            vec![(cursor, Look::Cursor), (" ", Look::Text), (&name, look)];
        if area.width >= WITH_TITLES {
            segments.extend([(" ", Look::Text), (plan.as_str(), Look::Text)]);
        }
        segments.extend([(phase.as_str(), phase_look), (&count, Look::Text), (pin, Look::Faint)]);
        let x = canvas.segments(row, &segments) + 2;
        let rest = Rect { x, width: row.right().saturating_sub(x), ..row };
        if let Some(title) = &it.title {
            canvas.text(rest, &safe_text::text(title.as_str(), rest.width.into()), Look::Faint);
        }
    }
}
