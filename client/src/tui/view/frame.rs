//! The first and the last line of the screen: where one is, and which keys do what.

use crate::display::canvas::{Canvas, Segment, width_of};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::families::input::ARROWS;
use crate::tui::model::{
    Choose, ConnectionStatus, Heat, Model, Purpose, Replaying, ResultsPart, Screen, Stage, Stats,
};
use crate::tui::view::areas::{AIRY_HEIGHT, AIRY_WIDTH, body, margin};
use crate::tui::view::{pages, replaying, room_status, solo, stats};
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::heat_view::OwnRace;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::RecordingStatus;
use gridrace_shared::util::time::ClientInstant;
use ratatui::layout::Rect;
use std::borrow::Cow;

/// What the host sees for as long as the server's disk fails or is full.
const UNRECORDED: &str = "not recorded";
const SLOW_DISK: &str = "slow disk";

/// A default key and what it does.
type Hint = (&'static str, Cow<'static, str>);
/// The player's own key and what it does.
type BoundHint = (Cow<'static, str>, Cow<'static, str>);

pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if let ConnectionStatus::Lost { attempt, until, .. } = model.connection.status {
        lost(model, canvas, area, attempt, until);
    } else if !room_status::draw_closing(model, canvas, area) {
        head(model, canvas, area);
    }
    if let (Screen::Heat(heat), true) = (&model.screen, area.height >= AIRY_HEIGHT) {
        let margin = margin(area);
        let (x, y) = (area.x + margin, area.bottom() - 2);
        let row = Rect { x, y, width: area.width - 2 * margin, height: 1 };
        room_status::draw(model, heat, canvas, row);
    }
    foot(model, canvas, area);
}

fn head(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let margin = margin(area);
    let wide = area.width >= AIRY_WIDTH;
    let area = Rect { x: area.x + margin, width: area.width - 2 * margin, height: 1, ..area };
    let is_up = model.connection.status == ConnectionStatus::Up;
    let silence = silence(model, wide).filter(|_| is_up);
    let connection = connection(model, wide).filter(|_| is_up);
    let recording = model.heat().and_then(|heat| match heat.recording {
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
    let place = safe_text::text(&place(model, canvas), left.width.into());
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
        },
        Screen::Choose(_) => format!("rooms of {}", model.connection.server),
        Screen::Waiting(_) => String::new(),
        Screen::Stats(_) => "your races".to_owned(),
        Screen::Replay(replaying) => {
            let header = &replaying.playback.replay().header;
            let (code, number, spec) = (header.code, header.number, header.options.spec);
            format!("{code} {dot} heat {number} {dot} {spec} {dot} replay")
        }
        Screen::Heat(heat) => {
            let setup = heat.raced_setup();
            format!("{} {dot} heat {} {dot} {}", heat.code, setup.number, setup.options.spec)
        }
    }
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
    let line = Rect { height: 1, ..area };
    canvas.text(line, &text, Look::Bad);
    canvas.reverse(line);
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

fn foot(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let (margin, body) = (margin(area), body(area));
    let (x, y) = (area.x + margin, area.bottom() - 1);
    let area = Rect { x, y, width: area.width - 2 * margin, height: 1 };
    if let Some(notice) = &model.notice {
        let look = if notice.bad { Look::Bad } else { Look::Own };
        let text = safe_text::text(&notice.text, area.width.into());
        canvas.text(area, &text, look);
        return;
    }
    let ignored = model.heat().and_then(|heat| heat.panel.feedback.ignored_words(model.now));
    if let Some(words) = ignored {
        canvas.text(area, words, Look::Mark);
        return;
    }
    let hints = fitting(bound(hints(model, canvas, body), model, canvas), area.width);
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
fn bound(hints: Vec<Hint>, model: &Model, canvas: &Canvas<'_>) -> Vec<BoundHint> {
    let symbols = canvas.theme.symbols;
    let keys = &model.settings.keys;
    let bound = |key| match model.scope() {
        Some(scope) => keys.labels(scope, key),
        None => Cow::Borrowed(key),
    };
    let shown = |key| {
        let key = bound(key);
        // The terminal may have a sign for them.
        if key == ARROWS { Cow::Borrowed(symbols.arrows) } else { key }
    };
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

fn hints(model: &Model, canvas: &Canvas<'_>, body: Rect) -> Vec<Hint> {
    let sideways = canvas.theme.symbols.sideways;
    let mut hints = match &model.screen {
        Screen::Home(_) => fixed(&[("enter", "choose"), (sideways, "puzzle"), ("q", "quit")]),
        Screen::Join(form) if form.busy => fixed(&[("esc", "back")]),
        Screen::Join(form) => {
            let enter = match form.purpose {
                Purpose::Join(Role::Player) => "join",
                Purpose::Join(Role::Spectator) => "watch",
                Purpose::Host(_) => "host",
            };
            return fixed(&[
                ("enter", enter),
                ("tab", "next line"),
                ("esc", "back"),
                ("ctrl-c", "quit"),
            ]);
        }
        Screen::Choose(choose) => choose_hints(choose),
        Screen::Waiting(_) => fixed(&[("esc", "back")]),
        Screen::Stats(stats) => stats_hints(stats, body, sideways),
        Screen::Replay(replaying) => {
            replay_hints(replaying, replaying::pages(replaying, body) > 1, sideways)
        }
        Screen::Heat(heat) => match &heat.stage {
            Stage::Lobby => lobby_hints(model, heat),
            Stage::Drawing { .. } | Stage::Countdown { .. } => fixed(&[("q", "leave")]),
            Stage::Racing(race) if race.is_on() => race_hints(heat, race),
            Stage::Racing(_) => finished_hints(heat),
            Stage::Watching(_) => watching_hints(model, heat, pages::pages(model)),
            Stage::Over(_) => results_hints(model, heat, pages::column_pages(model), sideways),
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

fn replay_hints(replaying: &Replaying, has_pages: bool, sideways: &'static str) -> Vec<Hint> {
    let pause = match (replaying.playing, replaying.playback.is_over()) {
        (_, true) => "again",
        (true, false) => "pause",
        (false, false) => "resume",
    };
    let alone = if replaying.alone.is_some() { ("a", "all boards") } else { ("tab", "one board") };
    let mut hints = fixed(&[
        ("space", pause),
        ("q", "quit"),
        (sideways, "5 s"),
        alone,
        (", .", "by event"),
        ("+ -", "speed"),
    ]);
    if has_pages {
        hints.insert(2, ("pgdn", "more boards".into()));
    }
    hints
}

fn stats_hints(stats: &Stats, body: Rect, sideways: &'static str) -> Vec<Hint> {
    let mut hints = fixed(&[("esc", "back"), (sideways, "puzzle"), ("t", "time")]);
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
    hints.push(("t", seat_words(heat).into()));
    if !heat.is_player() {
        hints.extend(fixed(&[big_screen_hint(model)]));
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
    hints.extend(after.iter().map(shown));
    hints.extend(fixed(&[("g", "give up"), ("q", "leave")]));
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

fn results_hints(
    model: &Model,
    heat: &Heat,
    column_pages: usize,
    sideways: &'static str,
) -> Vec<Hint> {
    let page = &heat.panel.results;
    if page.part != ResultsPart::Places {
        return fixed(&[("esc", "places"), ("c", "copy"), ("q", "leave")]);
    }
    let mut hints = Vec::new();
    if heat.has_host_powers() || heat.is_player() {
        let is_ready = !heat.has_host_powers() && heat.me().is_some_and(|me| me.ready);
        hints.push(("r", if is_ready { "no rematch" } else { "rematch" }.into()));
    }
    hints.push(("c", "copy result".into()));
    if column_pages > 1 {
        hints.push((sideways, "columns".into()));
    }
    if page.solution.is_some() {
        hints.push(("s", "solution".into()));
    }
    if !heat.is_player() {
        hints.push(("t", seat_words(heat).into()));
        hints.extend(fixed(&[big_screen_hint(model)]));
    }
    if solo::may_race_ghosts(heat) {
        hints.push(("b", "race your best".into()));
    }
    hints.extend(fixed(&[("f", "fairness"), ("q", "leave")]));
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
