//! The frame: the first line of the screen, with the place and the connection, and the last, with
//! the keys.

use crate::display::canvas::{Canvas, width_of, wrap};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::tui::model::{ConnectionStatus, HeatModel, Model, Purpose, Screen, Tutorial};
use crate::tui::view::areas::{AIRY_HEIGHT, AIRY_WIDTH, body, margin};
use crate::tui::view::{footer_keys, room_status};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::RecordingStatus;
use gridrace_shared::util::time::{ClientInstant, Millis};
use ratatui::layout::Rect;
use std::time::Duration;

/// What the host sees for as long as the server's disk fails or is full.
const UNRECORDED: &str = "not recorded";
const SLOW_DISK: &str = "slow disk";

/// How long a part of a line stands that is too long for the screen: as long as it takes to read.
const PART: Duration = Duration::from_millis(2_500);

pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if let ConnectionStatus::Lost { attempt, until, .. } = model.connection.status {
        lost(model, canvas, area, attempt, until);
    } else if !room_status::draw_closing(model, canvas, area) {
        head(model, canvas, area);
    }
    foot(model, canvas, area);
}

fn head(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let margin = margin(area);
    let wide = area.width >= AIRY_WIDTH;
    let area = Rect { x: area.x + margin, width: area.width - 2 * margin, height: 1, ..area };
    let is_up = model.connection.status == ConnectionStatus::Up;
    let place = place(model, canvas);
    let silence = silence(model, wide).filter(|_| is_up);
    // In few words where the place would be cut beside it.
    let left = width_of("gridrace") + 2 + width_of(&place);
    let long = connection(model, wide).filter(|it| left + 1 + width_of(it) <= area.width);
    let connection = long.or_else(|| connection(model, false)).filter(|_| is_up);
    let of_tournament = model.tournament.as_ref().map(|tournament| tournament.recording);
    let status = of_tournament.or_else(|| model.shown_heat().map(|heat| heat.recording));
    let recording = status.and_then(|status| match status {
        RecordingStatus::Unrecorded => Some(UNRECORDED),
        RecordingStatus::Slow => Some(SLOW_DISK),
        RecordingStatus::Recorded | RecordingStatus::Damaged => None,
    });
    let end = match (silence, connection) {
        (Some(silence), _) => canvas.right(area, &silence, Look::Bad),
        (None, connection) => match (recording, connection) {
            (Some(recording), _) => canvas.right(area, recording, Look::Bad),
            (None, Some(connection)) => canvas.right(area, &connection, Look::Faint),
            (None, None) => area.right(),
        },
    };
    let mut left = Rect { width: end.saturating_sub(area.x + 1), ..area };
    // In a heat on a small terminal its code matters more than our name.
    if wide || model.shown_heat().is_none() {
        let x = canvas.text(left, "gridrace", Look::Own) + 2;
        left = Rect { x, width: left.right().saturating_sub(x), ..left };
    }
    let place = safe_text::text(&place, left.width.into());
    canvas.text(left, &place, Look::Faint);
}

fn place(model: &Model, canvas: &Canvas<'_>) -> String {
    let dot = canvas.theme.symbols.dot;
    match &model.screen {
        Screen::Home(_) => "a race for grid puzzles".to_owned(),
        Screen::Join(form) => match form.purpose {
            Purpose::Join(Role::Player) => "join a room".to_owned(),
            Purpose::Join(Role::Spectator) => "watch a room".to_owned(),
            Purpose::Host(_) => "host a room".to_owned(),
            Purpose::Tournament { entry: None } => "a tournament".to_owned(),
            Purpose::Tournament { entry: Some(_) } => "enter a tournament".to_owned(),
            Purpose::OpenTournament => "open a tournament".to_owned(),
        },
        Screen::Choose(_) => format!("rooms of {}", model.connection.server),
        Screen::ChooseTournament(_) => format!("tournaments of {}", model.connection.server),
        Screen::Tournament => tournament_place(model, dot),
        Screen::Waiting(_) => String::new(),
        Screen::Stats(_) => "your races".to_owned(),
        Screen::Tutorial => "tutorial".to_owned(),
        Screen::Replay(replaying) => {
            let header = &replaying.playback.replay().header;
            let (code, number, spec) = (header.code, header.number, header.options.spec);
            format!("{code} {dot} heat {number} {dot} {spec} {dot} replay")
        }
        Screen::Heat(heat) => {
            let setup = heat.raced_setup();
            if let Some(tutorial) = &model.tutorial {
                let (number, count) = (tutorial.number + 1, Tutorial::COUNT);
                return format!(
                    "tutorial {dot} lesson {number} of {count} {dot} {}",
                    setup.options.spec
                );
            }
            if let Some(table) = &setup.table {
                let (number, board) = (table.board.table + 1, u16::from(table.board.board) + 1);
                let spec = setup.options.spec;
                let place = format!("table {number} {dot} board {board} {dot} {spec}");
                return format!("{} {dot} {place}", table.tournament);
            }
            format!("{} {dot} heat {} {dot} {}", heat.code, setup.number, setup.options.spec)
        }
    }
}

fn tournament_place(model: &Model, dot: &str) -> String {
    let Some(tournament) = &model.tournament else { return String::new() };
    let view = &tournament.view;
    let title = view.settings.title.as_ref().map(ToString::to_string);
    let title = title.unwrap_or_else(|| view.name.to_string());
    format!("{title} {dot} {}", view.log.tournament().plan())
}

/// Draws the line that says that the connection is lost, when the next attempt to come back
/// is made, and how long the seat is kept.
fn lost(
    model: &Model,
    canvas: &mut Canvas<'_>,
    area: Rect,
    attempt: u32,
    until: Option<ClientInstant>,
) {
    let attempt = attempt + 1;
    let when = match seconds_until(model.now, until) {
        0 => "...".to_owned(),
        seconds => format!("in {seconds} s"),
    };
    let watches = model.shown_heat().is_some_and(HeatModel::only_watches);
    let seat = if watches { "place" } else { "seat" };
    let (seat, short_seat) = match seat_left(model) {
        None if model.tournament.is_some() => {
            ("your seats wait".to_owned(), "seats wait".to_owned())
        }
        None if watches => {
            ("as a spectator: the place is gone".to_owned(), "as a spectator".to_owned())
        }
        None => ("as a new player: the seat is gone".to_owned(), "as a new player".to_owned()),
        Some(0) => (format!("your {seat} may be gone"), format!("{seat} gone?")),
        Some(left) => {
            let left = format::minutes(Millis::from_seconds(left));
            (format!("your {seat} is kept for {left}"), format!("{seat} {left}"))
        }
    };
    let long = format!(" Connection lost; attempt {attempt} to reconnect {when}; {seat}.");
    let short = format!(" Lost; attempt {attempt} {when}; {short_seat}");
    let text = if width_of(&long) <= area.width { long } else { short };
    canvas.banner(area, &text, Look::Bad);
}

/// Returns the whole seconds that are left until an instant, a begun one included.
fn seconds_until(now: ClientInstant, until: Option<ClientInstant>) -> u64 {
    let left = until.map_or(Duration::ZERO, |until| until.since(now));
    left.as_secs() + u64::from(left.subsec_nanos() > 0)
}

/// Returns for how many seconds more the seat is kept, at least; nothing where there is none.
fn seat_left(model: &Model) -> Option<u64> {
    let heat = model.shown_heat().filter(|_| model.connection.state.keeps_seat())?;
    let grace = u64::from(heat.setup.options.grace_seconds);
    let gone = model.now.since(model.connection.lost_at);
    Some(grace.saturating_sub(gone.as_secs()))
}

/// Draws the keys, above them what is to be known of the room, and below the first line what is to
/// be read in passing. Where there are no lines for that, the latter stands in place of the keys.
fn foot(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let (margin, body) = (margin(area), body(area));
    let (x, y) = (area.x + margin, area.bottom() - 1);
    let keys = Rect { x, y, width: area.width - 2 * margin, height: 1 };
    let passing = passing_line(model, keys.width);
    if area.height < AIRY_HEIGHT {
        match passing {
            Some((text, look)) => {
                canvas.text(keys, &text, look);
            }
            None => footer_keys::draw(model, canvas, keys, body),
        }
        return;
    }
    let banner = Rect { y: area.y + 1, ..keys };
    let heat = if let Screen::Heat(heat) = &model.screen { Some(heat) } else { None };
    if let Some((text, look)) = passing {
        canvas.text(banner, &text, look);
    } else if let Some(text) = heat.and_then(|heat| room_status::announcement(heat)) {
        canvas.text(banner, &safe_text::text(&text, banner.width.into()), Look::Mark);
    }
    if let Some(heat) = heat {
        room_status::draw(model, heat, canvas, Rect { y: y - 1, ..keys });
    }
    footer_keys::draw(model, canvas, keys, body);
}

/// Returns what is to be read in passing: that a key did nothing, a notice, or what the host
/// announced. Of a line that is too long, its parts come one after the other.
fn passing_line(model: &Model, width: u16) -> Option<(String, Look)> {
    if let Some(words) = model.ignored_words() {
        return Some((safe_text::text(words, width.into()), Look::Mark));
    }
    let announced = || model.announcement.as_ref().map(|line| (line, Look::Mark));
    let noticed = model.notice.as_ref();
    let noticed = noticed.map(|notice| (notice, if notice.bad { Look::Bad } else { Look::Own }));
    let (notice, look) = noticed.or_else(announced)?;
    let mut parts = wrap(&notice.text, width.into());
    let turn = model.now.since(notice.since).as_micros() / PART.as_micros();
    let count = u128::try_from(parts.len()).unwrap_or(1).max(1);
    let part = usize::try_from(turn % count).unwrap_or(0);
    Some((parts.swap_remove(part), look))
}

/// Returns the latency and the bound on the clock's error.
fn connection(model: &Model, wide: bool) -> Option<String> {
    let (latency, error) = (model.clock.latency()?, model.clock.error()?);
    let plus_minus = model.theme().symbols.plus_minus;
    let (latency, error) = (format::millis(latency), format::millis(error));
    Some(if wide {
        format!("latency {latency} ms  clock {plus_minus}{error} ms")
    } else {
        format!("{latency} ms {plus_minus}{error}")
    })
}

/// Says for how long the server has been silent, once it owes the answer to a ping.
fn silence(model: &Model, wide: bool) -> Option<String> {
    /// From when on it is worth a word: a ping goes out every two seconds.
    const NOTICEABLE: Duration = Duration::from_secs(4);
    let silence = model.now.since(model.connection.heard);
    let seconds = silence.as_secs();
    (silence >= NOTICEABLE).then(|| {
        if wide { format!("no answer for {seconds} s") } else { format!("silent {seconds} s") }
    })
}
