//! A heat that is played again: the boards of an instant, and the line of time.

use crate::display::canvas::{Canvas, below, indent, line};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::families;
use crate::families::narration::narrate_record;
use crate::tui::model::{Model, Replaying, SPEEDS, Screen};
use crate::tui::view::{progress_chart, racing, standings, watching};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::standings::Standing;
use gridrace_shared::heat_view::SpectatedBoards;
use gridrace_shared::replay::{Record, RecordKind};
use gridrace_shared::util::time::Millis;
use ratatui::layout::Rect;

/// Below this width words are short.
const WORDY: u16 = 60;
/// Lines below the boards: what happened last, and the line of time.
const FOOT: u16 = 2;
/// Lines of the panel beside one board that the events leave to the standings, at least.
const LEAST_STANDINGS: u16 = 6;

/// Returns on how many pages the boards are; 1 at least.
pub(crate) fn pages(replaying: &Replaying, body: Rect) -> usize {
    let all = replaying.heat.watching().filter(|_| replaying.alone.is_none());
    all.map_or(1, |watching| watching::pages_in(watching, middle(body)))
}

/// Returns the instant that the line of time has at a cell of the screen.
pub(crate) fn time_at(model: &Model, body: Rect, column: u16, row: u16) -> Option<Millis> {
    let Screen::Replay(replaying) = &model.screen else {
        return None;
    };
    let bar = bar(body);
    let inside = (bar.y..bar.bottom()).contains(&row) && (bar.x..bar.right()).contains(&column);
    if !inside {
        return None;
    }
    let (part, whole) = (u64::from(column - bar.x), u64::from(bar.width.max(2) - 1));
    Some(Millis(replaying.playback.end().0 * part / whole))
}

pub(crate) fn draw(replaying: &Replaying, canvas: &mut Canvas<'_>, body: Rect) {
    let Some(watching) = replaying.heat.watching() else {
        return;
    };
    let area = middle(body);
    let alone = replaying.alone.filter(|player| watching.boards.contains_key(player));
    let (pages, cut) = match alone {
        Some(player) => {
            draw_one(replaying, watching, player, canvas, area);
            (1, false)
        }
        None => {
            let at = replaying.playback.at();
            watching::draw_boards(&replaying.heat, watching, at, canvas, area)
        }
    };
    let page = (replaying.heat.panel.page.min(pages.saturating_sub(1)), pages, cut);
    draw_facts(replaying, page, canvas, line(body, 0));
    draw_latest(replaying, canvas, line(body, body.height.saturating_sub(2)));
    canvas.bar(bar(body), replaying.thousandths(), Look::Own);
}

/// Returns the part of the body that the boards have.
fn middle(body: Rect) -> Rect {
    let area = below(body, 1);
    Rect { height: area.height.saturating_sub(FOOT), ..area }
}

fn bar(body: Rect) -> Rect {
    line(body, body.height.saturating_sub(1))
}

/// Where it is, how fast it goes, and what the server was away.
fn draw_facts(
    replaying: &Replaying,
    (page, pages, cut): (usize, usize, bool),
    canvas: &mut Canvas<'_>,
    row: Rect,
) {
    let symbols = canvas.theme.symbols;
    let [plays, stands] = symbols.playing;
    let state = if replaying.playing { plays } else { stands };
    let now = format::clock(replaying.playback.at());
    let end = format!(" of {}", format::clock(replaying.playback.end()));
    let speed = format!("   {}", speed(replaying.speed, symbols.times));
    let wordy = row.width >= WORDY;
    let away = replaying.playback.away();
    let away = if wordy {
        format::outage(away)
    } else {
        format::downtime(away).map(|time| format!("down {time}"))
    };
    let away = away.map_or_else(String::new, |away| format!("   {away}"));
    let over = if replaying.playback.is_over() && wordy { "   the end" } else { "" };
    let cut = if cut { watching::cut_note(wordy) } else { "" };
    canvas.segments(
        row,
        &[
            (state, Look::Mark),
            (" ", Look::Text),
            (&now, Look::Strong),
            (&end, Look::Faint),
            (&speed, Look::Text),
            (over, Look::Good),
            (&away, Look::Bad),
            (cut, Look::Faint),
        ],
    );
    if pages > 1 {
        canvas.right(row, &format!("{}/{pages}", page + 1), Look::Faint);
    }
}

/// Returns a speed as it is written: `1/4×`, `16×`.
fn speed(index: usize, times: &str) -> String {
    match SPEEDS.get(index).copied().unwrap_or(4) {
        quarters @ 0..4 => format!("{}/{}{times}", 1, 4 / quarters.max(1)),
        quarters => format!("{}{times}", quarters / 4),
    }
}

fn draw_latest(replaying: &Replaying, canvas: &mut Canvas<'_>, row: Rect) {
    let latest = replaying.playback.recent().next_back();
    if let Some(record) = latest {
        draw_record(replaying, record, true, canvas, row);
    }
}

/// Draws when something happened and what; `named` adds the player.
fn draw_record(
    replaying: &Replaying,
    record: &Record,
    named: bool,
    canvas: &mut Canvas<'_>,
    row: Rect,
) {
    let (who, what) = narrate_record(&replaying.playback.replay().events, record);
    let at = format!("{} ", format::clock(record.at));
    let x = canvas.text(row, &at, Look::Faint);
    let mut rest = indent(row, x - row.x);
    if named {
        let who = safe_text::text(&who, usize::from(rest.width) / 2);
        let x = canvas.segments(rest, &[(&who, Look::Strong), (" ", Look::Text)]);
        rest = indent(row, x - row.x);
    }
    canvas.text(rest, &safe_text::text(&what, rest.width.into()), Look::Text);
}

/// One board as large as it gets, with the numbers, the standings and what its player did.
fn draw_one(
    replaying: &Replaying,
    watching: &SpectatedBoards,
    player: PlayerId,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let Some(board) = watching.boards.get(&player) else {
        return;
    };
    let changed = watching.changed.get(&player).copied();
    let face = families::face(board, changed);
    let racing::Arrangement { grid, panel, is_beside: beside } =
        racing::arrange(area, &*face, replaying.heat.standings.len());
    face.draw(canvas, &grid);
    let heat = &replaying.heat;
    let name = safe_text::text(&heat.name(player).name, panel.width.into());
    let x = canvas.text(line(panel, 0), &name, Look::Own);
    let standing = heat.standings.iter().find(|row| row.player == player);
    let mut used = 1;
    if let Some(standing) = standing {
        let place = if beside {
            used = 3;
            line(panel, 1)
        } else {
            indent(line(panel, 0), x + 2 - panel.x)
        };
        let facts = safe_text::text(&facts(standing), place.width.into());
        canvas.text(place, &facts, Look::Text);
    }
    let rest = below(panel, used);
    let rows = u16::try_from(heat.standings.len()).unwrap_or(u16::MAX);
    let with_chart = rows.saturating_add(1 + progress_chart::LEAST_HEIGHT);
    let events = rest.height.saturating_sub(LEAST_STANDINGS) / 2;
    // The chart comes first where it fits at all.
    let events = match rest.height.checked_sub(with_chart) {
        _ if !beside => 0,
        Some(left) => events.min(left),
        None => events,
    };
    let upper = Rect { height: rest.height - events, ..rest };
    racing::draw_rivals(heat, Some(player), replaying.playback.at(), canvas, upper);
    let theirs = replaying.playback.recent().rev().filter(
        |record| matches!(&record.kind, RecordKind::Racer { player: other, .. } if *other == player),
    );
    for (index, record) in (0..events).zip(theirs) {
        let row = line(rest, rest.height - 1 - index);
        draw_record(replaying, record, false, canvas, row);
    }
}

/// Place, state, moves and hints of a player, in a line.
fn facts(standing: &Standing) -> String {
    let state = standings::state(standing);
    let moves = format::counted(standing.moves.moves as usize, "move", "moves");
    let hints = match standing.hints {
        0 => String::new(),
        taken => format!(
            ", {}{}",
            format::counted(taken.into(), "hint", "hints"),
            format::penalty(standing.penalty)
        ),
    };
    let tally =
        families::piece_progress(standing).map_or_else(String::new, |tally| format!(", {tally}"));
    format!("place {}, {state}, {moves}{tally}{hints}", standing.place)
}
