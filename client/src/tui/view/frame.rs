//! The first and the last line of the screen: where one is, and which keys do what.

use crate::display::canvas::{Canvas, Segment, width_of, wrap};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::tui::model::{
    Choose, ConnectionStatus, Heat, Model, Overlay, Purpose, Replaying, ResultsPart, Screen, Stage,
    Stats, TournamentPart, Tutorial,
};
use crate::tui::view::areas::{AIRY_HEIGHT, AIRY_WIDTH, body, margin};
use crate::tui::view::key_labels::{self, SIDEWAYS};
use crate::tui::view::{pages, replaying, room_status, solo, stats};
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::heat_view::OwnRace;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::RecordingStatus;
use gridrace_shared::protocol::tournament::TournamentPhase;
use gridrace_shared::tournament::log::Presence;
use gridrace_shared::util::time::ClientInstant;
use ratatui::layout::Rect;
use std::borrow::Cow;
use std::time::Duration;

/// What the host sees for as long as the server's disk fails or is full.
const UNRECORDED: &str = "not recorded";
const SLOW_DISK: &str = "slow disk";

/// How long a part of a line stands that is too long for the screen: as long as it takes to read.
const PART: Duration = Duration::from_millis(2_500);

/// A default key and what it does.
type Hint = (&'static str, Cow<'static, str>);
/// The player's own key and what it does.
type BoundHint = (String, Cow<'static, str>);

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
    let status = of_tournament.or_else(|| model.heat().map(|heat| heat.recording));
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
    if wide || model.heat().is_none() {
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
            Purpose::Tournament => "a tournament".to_owned(),
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
    let (seat, short_seat) = match seat_left(model) {
        None if model.tournament.is_some() => {
            ("your seats wait".to_owned(), "seats wait".to_owned())
        }
        None => ("as a new player: the seat is gone".to_owned(), "as a new player".to_owned()),
        Some(0) => ("your seat may be gone".to_owned(), "seat gone?".to_owned()),
        Some(left) => {
            let left = format::minutes(left);
            (format!("your seat is kept for {left}"), format!("seat {left}"))
        }
    };
    let long = format!(" Connection lost; attempt {attempt} to reconnect {when}; {seat}.");
    let short = format!(" Lost; attempt {attempt} {when}; {short_seat}");
    let text = if width_of(&long) <= area.width { long } else { short };
    canvas.banner(area, &text, Look::Bad);
}

/// Returns the whole seconds that are left until an instant, a begun one included.
fn seconds_until(now: ClientInstant, until: Option<ClientInstant>) -> u64 {
    let left = until.map_or(0, |until| until.0.saturating_sub(now.0));
    left.div_ceil(1_000_000)
}

/// Returns for how many seconds more the seat is kept, at least; nothing where there is none.
fn seat_left(model: &Model) -> Option<u64> {
    let heat = model.heat().filter(|_| model.connection.state.keeps_seat())?;
    let grace = u64::from(heat.setup.options.grace_seconds);
    let gone = model.now.0.saturating_sub(model.connection.lost_at.0) / 1_000_000;
    Some(grace.saturating_sub(gone))
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
            None => draw_keys(model, canvas, keys, body),
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
    draw_keys(model, canvas, keys, body);
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

fn draw_keys(model: &Model, canvas: &mut Canvas<'_>, area: Rect, body: Rect) {
    let hints = fitting(bound(hints(model, body), model), area.width);
    let mut segments: Vec<Segment<'_>> = Vec::new();
    for (key, what) in &hints {
        if !segments.is_empty() {
            segments.push(("  ", Look::Text));
        }
        segments.extend([(key.as_ref(), Look::Key), (" ", Look::Text), (what, Look::Faint)]);
    }
    canvas.segments(area, &segments);
}

/// Puts the player's own keys in place of the default ones.
fn bound(hints: Vec<Hint>, model: &Model) -> Vec<BoundHint> {
    let shown = |key| key_labels::labels(model, model.scope(), key);
    hints.into_iter().map(|(key, what)| (shown(key), what)).collect()
}

/// Leaves keys out from the middle until the rest fits: the first matter most, and the
/// last is the help, which has them all.
fn fitting(mut hints: Vec<BoundHint>, width: u16) -> Vec<BoundHint> {
    let wide = |hints: &[BoundHint]| -> u16 {
        let gaps = 2 * hints.len().saturating_sub(1);
        let words: usize = hints
            .iter()
            .map(|(key, what)| safe_text::cells(key) + 1 + safe_text::cells(what))
            .sum();
        u16::try_from(gaps + words).unwrap_or(u16::MAX)
    };
    while hints.len() > 1 && wide(&hints) > width {
        hints.remove(hints.len() - 2);
    }
    hints
}

/// Returns the keys of an overlay. Questions and forms show most of theirs themselves.
fn overlay_hints(overlay: &Overlay) -> Vec<Hint> {
    match overlay {
        Overlay::Help => fixed(&[("any key", "back")]),
        // As many as `Skill::ALL` has.
        Overlay::Bots => fixed(&[("1 - 5", "choose"), ("esc", "back")]),
        Overlay::HostMenu { .. }
        | Overlay::Members { .. }
        | Overlay::Bans { .. }
        | Overlay::Organiser { .. } => fixed(&[("enter", "choose"), ("esc", "back")]),
        Overlay::Confirm(_)
        | Overlay::Options(_)
        | Overlay::Announcement(_)
        | Overlay::OrganiserLine(_)
        | Overlay::Invitation { .. } => fixed(&[("esc", "back")]),
    }
}

fn hints(model: &Model, body: Rect) -> Vec<Hint> {
    if let Some(overlay) = &model.overlay {
        return overlay_hints(overlay);
    }
    let mut hints = match &model.screen {
        Screen::Home(_) => fixed(&[("enter", "choose"), (SIDEWAYS, "puzzle"), ("q", "quit")]),
        Screen::Join(form) if form.busy => fixed(&[("esc", "back")]),
        Screen::Join(form) => {
            let enter = match form.purpose {
                Purpose::Join(Role::Player) => "join",
                Purpose::Join(Role::Spectator) => "watch",
                Purpose::Host(_) => "host",
                Purpose::Tournament => "look",
                Purpose::OpenTournament => "open",
            };
            return fixed(&[
                ("enter", enter),
                ("tab", "next line"),
                ("esc", "back"),
                ("ctrl-c", "quit"),
            ]);
        }
        Screen::Choose(choose) => choose_hints(choose),
        Screen::ChooseTournament(_) => {
            fixed(&[("enter", "look"), ("e", "take part"), ("o", "open one"), ("esc", "back")])
        }
        Screen::Tournament => tournament_hints(model),
        Screen::Waiting(_) => fixed(&[("esc", "back")]),
        Screen::Stats(stats) => stats_hints(stats, body),
        Screen::Tutorial => fixed(&[("enter", "begin"), ("esc", "back")]),
        Screen::Replay(replaying) => replay_hints(replaying, replaying::pages(replaying, body) > 1),
        Screen::Heat(heat) => match &heat.stage {
            Stage::Lobby => lobby_hints(model, heat),
            Stage::Drawing { .. } | Stage::Countdown { .. } => fixed(&[("q", "leave")]),
            Stage::Racing(race) if race.is_on() && model.tutorial.is_some() => {
                lesson_hints(heat, race)
            }
            Stage::Racing(race) if race.is_on() => race_hints(heat, race),
            Stage::Racing(_) => finished_hints(heat),
            Stage::Watching(_) => watching_hints(model, heat, pages::pages(model)),
            Stage::Over(_) => match &model.tutorial {
                Some(tutorial) if tutorial.is_last() => fixed(&[("enter", "home")]),
                Some(_) => fixed(&[("enter", "next lesson"), ("q", "leave")]),
                None => results_hints(model, heat, pages::column_pages(model)),
            },
        },
    };
    if let Screen::Heat(heat) = &model.screen
        && heat.has_host_powers()
        && (matches!(heat.stage, Stage::Lobby) || model.other_people() > 0)
    {
        // Behind what matters most, but never the first to give way.
        hints.insert(hints.len().min(2), ("m", "host's menu".into()));
    }
    hints.push(("?", "help".into()));
    hints
}

/// What matters to the organiser, an entrant or a spectator of a tournament, in this order.
fn tournament_hints(model: &Model) -> Vec<Hint> {
    let Some(tournament) = &model.tournament else { return Vec::new() };
    let view = &tournament.view;
    let mut hints = Vec::new();
    if view.you.organiser {
        hints.push(("m", "commands".into()));
    }
    if view.head.phase != TournamentPhase::Over {
        match view.you.presence {
            None => hints.push(("e", "take part".into())),
            Some(Presence::Entered | Presence::Withdrawn) => hints.push(("c", "check in".into())),
            Some(Presence::Present | Presence::Disqualified) => {}
        }
    }
    if tournament.heat.is_some() || view.call.is_some() {
        hints.push(("t", "your table".into()));
    }
    match tournament.part {
        TournamentPart::Tables => hints.push(("enter", "watch".into())),
        TournamentPart::Bracket => hints.push((SIDEWAYS, "rounds".into())),
        TournamentPart::Standings | TournamentPart::Entrants | TournamentPart::Log => {}
    }
    hints.extend(fixed(&[("tab", "more"), ("q", "leave")]));
    hints
}

fn fixed(hints: &[(&'static str, &'static str)]) -> Vec<Hint> {
    hints.iter().map(|&(key, what)| (key, what.into())).collect()
}

fn choose_hints(choose: &Choose) -> Vec<Hint> {
    let open = ("h", "host a room here");
    let back = ("esc", "back");
    match (choose.rooms.is_empty(), choose.role) {
        (true, _) => fixed(&[open, back]),
        (false, Role::Player) => fixed(&[("enter", "join"), ("w", "watch"), open, back]),
        (false, Role::Spectator) => fixed(&[("enter", "watch"), open, back]),
    }
}

fn replay_hints(replaying: &Replaying, has_pages: bool) -> Vec<Hint> {
    let pause = match (replaying.playing, replaying.playback.is_over()) {
        (_, true) => "again",
        (true, false) => "pause",
        (false, false) => "resume",
    };
    let alone = if replaying.alone.is_some() { ("a", "all boards") } else { ("tab", "one board") };
    let mut hints = fixed(&[
        ("space", pause),
        ("q", "quit"),
        (SIDEWAYS, "5 s"),
        alone,
        (", .", "by event"),
        ("+ -", "speed"),
    ]);
    if has_pages {
        hints.insert(2, ("pgdn", "more boards".into()));
    }
    hints
}

fn stats_hints(stats: &Stats, body: Rect) -> Vec<Hint> {
    let mut hints = fixed(&[("esc", "back"), (SIDEWAYS, "puzzle"), ("t", "time")]);
    if stats.chosen_race().is_some() {
        hints.extend(fixed(&[
            ("g", "race its ghost"),
            ("enter", "replay"),
            ("s", "sort"),
            ("x", "count or not"),
            ("m", "mark"),
            ("d", "delete"),
        ]));
    }
    if !stats::shows_all(body) {
        hints.insert(1, ("tab", "more".into()));
    }
    hints
}

fn lobby_hints(model: &Model, heat: &Heat) -> Vec<Hint> {
    let mut hints = Vec::new();
    if heat.has_host_powers() {
        hints.extend(fixed(&[("s", "start"), ("b", "bot"), ("o", "options")]));
    }
    if heat.is_player() {
        let ready = heat.me().is_some_and(|me| me.ready);
        hints.push(("enter", if ready { "not ready" } else { "ready" }.into()));
    }
    let code = ("i", "QR code");
    if heat.is_player() {
        hints.extend(fixed(&[code, ("t", seat_words(heat))]));
    } else {
        hints.extend(fixed(&[("t", seat_words(heat)), big_screen_hint(model), code]));
    }
    if heat.has_host_powers() {
        hints.push(("d", "kick".into()));
    }
    hints.push(("q", "leave".into()));
    hints
}

fn race_hints(heat: &Heat, race: &OwnRace) -> Vec<Hint> {
    let [before, after] = heat.panel.input.keys(race.play.board());
    let shown = |&(key, what): &(&'static str, &'static str)| (key, what.into());
    let mut hints: Vec<Hint> = before.iter().map(shown).collect();
    match heat.raced_setup().options.hints {
        HintRule::Off => {}
        HintRule::Free => hints.push(("t", "hint".into())),
        HintRule::Priced { seconds } => hints.push(("t", format!("hint +{seconds} s").into())),
    }
    if heat.board_picture().is_some() {
        hints.push(("p", "numbers".into()));
    }
    hints.extend(after.iter().map(shown));
    hints.extend(fixed(&[("g", "give up"), ("q", "leave")]));
    hints
}

fn lesson_hints(heat: &Heat, race: &OwnRace) -> Vec<Hint> {
    let [before, after] = heat.panel.input.keys(race.play.board());
    let shown = |&(key, what): &(&'static str, &'static str)| (key, what.into());
    let mut hints: Vec<Hint> = before.iter().map(shown).collect();
    hints.extend(fixed(&[("n", "skip this step"), ("g", "skip the lesson")]));
    hints.extend(after.iter().map(shown));
    hints.push(("q", "leave".into()));
    hints
}

fn finished_hints(heat: &Heat) -> Vec<Hint> {
    let mut hints = Vec::new();
    if heat.views_others() {
        hints.push(("v", "your own board".into()));
    } else if heat.watched().is_some() {
        hints.push(("v", "watch the others".into()));
    }
    hints.push(("q", "leave".into()));
    hints
}

fn watching_hints(model: &Model, heat: &Heat, pages: usize) -> Vec<Hint> {
    let mut hints = fixed(&[("t", seat_words(heat)), big_screen_hint(model), ("q", "leave")]);
    if pages > 1 {
        hints.insert(1, ("tab", "more boards".into()));
    }
    hints
}

const fn big_screen_hint(model: &Model) -> (&'static str, &'static str) {
    ("z", if model.big_screen { "small screen" } else { "big screen" })
}

fn results_hints(model: &Model, heat: &Heat, column_pages: usize) -> Vec<Hint> {
    let page = &heat.panel.results;
    if page.part != ResultsPart::Places {
        return fixed(&[("esc", "places"), ("c", "copy"), ("q", "leave")]);
    }
    let mut hints = Vec::new();
    if heat.setup.table.is_some() {
        hints.push(("q", "to the tournament".into()));
    } else if heat.has_host_powers() || heat.is_player() {
        let is_ready = !heat.has_host_powers() && heat.me().is_some_and(|me| me.ready);
        let what = match (heat.is_player(), is_ready) {
            (false, _) => "next heat",
            (true, true) => "no rematch",
            (true, false) => "rematch",
        };
        hints.push(("r", what.into()));
    }
    hints.push(("c", "copy result".into()));
    if column_pages > 1 {
        hints.push((SIDEWAYS, "columns".into()));
    }
    if page.solution.is_some() {
        hints.push(("s", "solution".into()));
    }
    if !heat.is_player() && heat.setup.table.is_none() {
        hints.push(("t", seat_words(heat).into()));
    }
    if !heat.is_player() {
        hints.extend(fixed(&[big_screen_hint(model)]));
    }
    if solo::may_race_best(heat) {
        hints.push(("b", "race your best".into()));
    }
    hints.push(("f", "fairness".into()));
    if heat.setup.table.is_none() {
        hints.push(("q", "leave".into()));
    }
    hints
}

fn seat_words(heat: &Heat) -> &'static str {
    let promised = heat.me().is_some_and(|me| me.next_seat);
    match (heat.is_player(), promised) {
        (true, _) => "watch instead",
        (false, true) => "give back the seat",
        (false, false) => "take a seat",
    }
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
    /// Seconds from which on it is worth a word: a ping goes out every two.
    const NOTICEABLE: u64 = 4;
    let seconds = model.now.0.saturating_sub(model.connection.heard.0) / 1_000_000;
    (seconds >= NOTICEABLE).then(|| {
        if wide { format!("no answer for {seconds} s") } else { format!("silent {seconds} s") }
    })
}
