//! The keys in the last line of the screen: the most important ones of each screen.

use crate::display::canvas::{Canvas, Segment};
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::tui::model::{
    Choose, HeatModel, HeatPhase, Model, Overlay, Purpose, Replaying, ResultsPart, Screen, Stats,
    TournamentPart,
};
use crate::tui::view::key_labels::{self, SIDEWAYS};
use crate::tui::view::{pages, replaying, solo, stats};
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::heat_view::OwnRace;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::tournament::TournamentPhase;
use gridrace_shared::tournament::log::Presence;
use ratatui::layout::Rect;
use std::borrow::Cow;

/// A default key and what it does.
type FooterKey = (&'static str, Cow<'static, str>);
/// The player's own key and what it does.
type BoundKey = (String, Cow<'static, str>);

pub(super) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect, body: Rect) {
    let keys = fitting(bound(default_keys(model, body), model), area.width);
    let mut segments: Vec<Segment<'_>> = Vec::new();
    for (key, what) in &keys {
        if !segments.is_empty() {
            segments.push(("  ", Look::Text));
        }
        segments.extend([(key.as_ref(), Look::Key), (" ", Look::Text), (what, Look::Faint)]);
    }
    canvas.segments(area, &segments);
}

/// Puts the player's own keys in place of the default ones.
fn bound(keys: Vec<FooterKey>, model: &Model) -> Vec<BoundKey> {
    let shown = |key| key_labels::labels(model, model.scope(), key);
    keys.into_iter().map(|(key, what)| (shown(key), what)).collect()
}

/// Leaves keys out from the middle until the rest fits: the first matter most, and the
/// last is the help, which has them all.
fn fitting(mut keys: Vec<BoundKey>, width: u16) -> Vec<BoundKey> {
    let wide = |keys: &[BoundKey]| -> u16 {
        let gaps = 2 * keys.len().saturating_sub(1);
        let words: usize =
            keys.iter().map(|(key, what)| safe_text::cells(key) + 1 + safe_text::cells(what)).sum();
        u16::try_from(gaps + words).unwrap_or(u16::MAX)
    };
    while keys.len() > 1 && wide(&keys) > width {
        keys.remove(keys.len() - 2);
    }
    keys
}

/// Returns the keys of an overlay. Questions and forms show most of theirs themselves.
fn overlay_keys(overlay: &Overlay) -> Vec<FooterKey> {
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

fn default_keys(model: &Model, body: Rect) -> Vec<FooterKey> {
    if let Some(overlay) = &model.overlay {
        return overlay_keys(overlay);
    }
    let mut keys = match &model.screen {
        Screen::Home(_) => fixed(&[("enter", "choose"), (SIDEWAYS, "puzzle"), ("q", "quit")]),
        // The help is open only where no text is typed.
        Screen::Join(form) if form.busy => return fixed(&[("esc", "back"), ("ctrl-c", "quit")]),
        Screen::Join(form) => {
            let enter = match form.purpose {
                Purpose::Join(Role::Player) => "join",
                Purpose::Join(Role::Spectator) => "watch",
                Purpose::Host(_) => "host",
                Purpose::Tournament { entry: None } => "look",
                Purpose::Tournament { entry: Some(_) } => "take part",
                Purpose::OpenTournament => "open",
            };
            return fixed(&[
                ("enter", enter),
                ("tab", "next line"),
                ("ctrl-c", "quit"),
                ("esc", "back"),
            ]);
        }
        Screen::Choose(choose) => choose_keys(choose),
        Screen::ChooseTournament(choose) if choose.tournaments.is_empty() => {
            fixed(&[("o", "open one"), ("esc", "back")])
        }
        Screen::ChooseTournament(_) => {
            fixed(&[("enter", "look"), ("e", "take part"), ("o", "open one"), ("esc", "back")])
        }
        Screen::Tournament => tournament_keys(model),
        Screen::Waiting(_) => fixed(&[("esc", "back")]),
        Screen::Stats(stats) => stats_keys(stats, body),
        Screen::Tutorial => fixed(&[("enter", "begin"), ("esc", "back")]),
        Screen::Replay(replaying) => {
            replay_keys(model, replaying, replaying::pages(replaying, body) > 1)
        }
        Screen::Heat(heat) => match &heat.phase {
            HeatPhase::Lobby => lobby_keys(model, heat),
            HeatPhase::Drawing { .. } | HeatPhase::Countdown { .. } => fixed(&[("q", "leave")]),
            HeatPhase::Racing(race) if race.is_on() && model.tutorial.is_some() => {
                lesson_keys(heat, race)
            }
            HeatPhase::Racing(race) if race.is_on() => race_keys(model, heat, race),
            HeatPhase::Racing(_) => finished_keys(heat, pages::pages(model)),
            HeatPhase::Watching(_) => watching_keys(model, heat, pages::pages(model)),
            HeatPhase::Over(_) => match &model.tutorial {
                Some(tutorial) if tutorial.is_last() => fixed(&[("enter", "home")]),
                Some(_) => fixed(&[("enter", "next lesson"), ("q", "leave")]),
                None => results_keys(model, heat, pages::column_pages(model)),
            },
        },
    };
    if let Screen::Heat(heat) = &model.screen
        && heat.has_host_powers()
        && (matches!(heat.phase, HeatPhase::Lobby) || model.other_people() > 0)
    {
        // Behind what matters most, but never the first to give way.
        keys.insert(keys.len().min(2), ("m", "host's menu".into()));
    }
    keys.push(("?", "help".into()));
    keys
}

/// What matters to the organiser, an entrant or a spectator of a tournament, in this order.
fn tournament_keys(model: &Model) -> Vec<FooterKey> {
    let Some(tournament) = &model.tournament else { return Vec::new() };
    let view = &tournament.view;
    let mut keys = Vec::new();
    if view.you.organiser {
        keys.push(("m", "commands".into()));
    }
    if view.head.phase != TournamentPhase::Over {
        match view.you.presence {
            None if tournament.takes_entries() => keys.push(("e", "take part".into())),
            None => {}
            Some(Presence::Entered | Presence::Withdrawn) => keys.push(("c", "check in".into())),
            Some(Presence::Present | Presence::Disqualified) => {}
        }
    }
    if tournament.heat.is_some() || view.call.is_some() {
        keys.push(("t", "your table".into()));
    }
    match tournament.part {
        TournamentPart::Tables => keys.push(("enter", "watch".into())),
        TournamentPart::Bracket => keys.push((SIDEWAYS, "rounds".into())),
        TournamentPart::Standings | TournamentPart::Entrants | TournamentPart::Log => {}
    }
    keys.extend(fixed(&[("tab", "more"), ("q", "leave")]));
    keys
}

fn fixed(keys: &[(&'static str, &'static str)]) -> Vec<FooterKey> {
    keys.iter().map(|&(key, what)| (key, what.into())).collect()
}

fn choose_keys(choose: &Choose) -> Vec<FooterKey> {
    let open = ("h", "host a room here");
    let back = ("esc", "back");
    match (choose.rooms.is_empty(), choose.role) {
        (true, _) => fixed(&[open, back]),
        (false, Role::Player) => fixed(&[("enter", "join"), ("w", "watch"), open, back]),
        (false, Role::Spectator) => fixed(&[("enter", "watch"), open, back]),
    }
}

fn replay_keys(model: &Model, replaying: &Replaying, has_pages: bool) -> Vec<FooterKey> {
    let pause = match (replaying.playing, replaying.playback.is_over()) {
        (_, true) => "again",
        (true, false) => "pause",
        (false, false) => "resume",
    };
    let quit = if model.practice.stats_behind.is_some() { "back" } else { "quit" };
    let alone = if replaying.alone.is_some() { ("a", "all boards") } else { ("tab", "one board") };
    let mut keys = fixed(&[
        ("space", pause),
        ("q", quit),
        (SIDEWAYS, "5 s"),
        alone,
        (", .", "by event"),
        ("+ -", "speed"),
    ]);
    if has_pages {
        keys.insert(2, ("pgdn", "more boards".into()));
    }
    keys
}

fn stats_keys(stats: &Stats, body: Rect) -> Vec<FooterKey> {
    let mut keys = fixed(&[("esc", "back"), (SIDEWAYS, "puzzle"), ("t", "time")]);
    if stats.chosen_race().is_some() && stats::shows_races(stats, body) {
        keys.extend(fixed(&[
            ("g", "race its ghost"),
            ("enter", "replay"),
            ("s", "sort"),
            ("x", "count or not"),
            ("m", "mark"),
            ("d", "delete"),
        ]));
    }
    if !stats::shows_all(body) {
        keys.insert(1, ("tab", "more".into()));
    }
    keys
}

fn lobby_keys(model: &Model, heat: &HeatModel) -> Vec<FooterKey> {
    let mut keys = Vec::new();
    if heat.has_host_powers() {
        keys.extend(fixed(&[("s", "start"), ("b", "bot"), ("o", "options")]));
    }
    if heat.is_player() {
        let ready = heat.me().is_some_and(|me| me.ready);
        keys.push(("enter", if ready { "not ready" } else { "ready" }.into()));
    }
    let code = ("i", "QR code");
    if heat.is_player() {
        keys.extend(fixed(&[code]));
        keys.extend(seat_key(heat));
    } else {
        keys.extend(seat_key(heat));
        keys.extend(fixed(&[big_screen_key(model), code]));
    }
    if heat.has_host_powers() {
        keys.push(("d", "kick".into()));
    }
    keys.push(("q", "leave".into()));
    keys
}

fn race_keys(model: &Model, heat: &HeatModel, race: &OwnRace) -> Vec<FooterKey> {
    let [before, after] = heat.panel.input.keys(race.play.board());
    let shown = |&(key, what): &(&'static str, &'static str)| (key, what.into());
    let mut keys: Vec<FooterKey> = before.iter().map(shown).collect();
    match heat.raced_setup().options.hints {
        HintRule::Off => {}
        HintRule::Free => keys.push(("t", "hint".into())),
        HintRule::Priced { seconds } => keys.push(("t", format!("hint +{seconds} s").into())),
    }
    if pages::shows_picture(model) {
        keys.push(("p", "numbers".into()));
    }
    keys.extend(after.iter().map(shown));
    keys.extend(fixed(&[("g", "give up"), ("q", "leave")]));
    keys
}

fn lesson_keys(heat: &HeatModel, race: &OwnRace) -> Vec<FooterKey> {
    let [before, after] = heat.panel.input.keys(race.play.board());
    let shown = |&(key, what): &(&'static str, &'static str)| (key, what.into());
    let mut keys: Vec<FooterKey> = before.iter().map(shown).collect();
    keys.extend(fixed(&[("n", "skip this step"), ("g", "skip the lesson")]));
    keys.extend(after.iter().map(shown));
    keys.push(("q", "leave".into()));
    keys
}

fn finished_keys(heat: &HeatModel, pages: usize) -> Vec<FooterKey> {
    let mut keys = Vec::new();
    if heat.views_others() {
        keys.push(("v", "own board".into()));
        keys.extend(more_boards_key(pages));
    } else if heat.watched().is_some() {
        keys.push(("v", "watch the others".into()));
    }
    keys.push(("q", "leave".into()));
    keys
}

fn watching_keys(model: &Model, heat: &HeatModel, pages: usize) -> Vec<FooterKey> {
    let mut keys: Vec<FooterKey> =
        seat_key(heat).into_iter().chain(more_boards_key(pages)).collect();
    keys.extend(fixed(&[big_screen_key(model), ("q", "leave")]));
    keys
}

fn more_boards_key(pages: usize) -> Option<FooterKey> {
    (pages > 1).then_some(("tab", "more boards".into()))
}

const fn big_screen_key(model: &Model) -> (&'static str, &'static str) {
    ("z", if model.big_screen { "small screen" } else { "big screen" })
}

fn results_keys(model: &Model, heat: &HeatModel, column_pages: usize) -> Vec<FooterKey> {
    let page = &heat.panel.results;
    if page.part != ResultsPart::Places {
        return fixed(&[("esc", "places"), ("c", "copy"), ("q", "leave")]);
    }
    let mut keys = Vec::new();
    if heat.setup.table.is_some() {
        keys.push(("q", "to the tournament".into()));
    } else if heat.has_host_powers() || heat.is_player() {
        let is_ready = !heat.has_host_powers() && heat.me().is_some_and(|me| me.ready);
        let what = match (heat.is_player(), is_ready) {
            (false, _) => "next heat",
            (true, true) => "no rematch",
            (true, false) => "rematch",
        };
        keys.push(("r", what.into()));
    }
    keys.push(("c", "copy result".into()));
    if column_pages > 1 {
        keys.push((SIDEWAYS, "columns".into()));
    }
    if page.solution.is_some() {
        keys.push(("s", "solution".into()));
    }
    if !heat.is_player() {
        keys.extend(seat_key(heat));
        keys.extend(fixed(&[big_screen_key(model)]));
    }
    if solo::may_race_best(heat) {
        keys.push(("b", "race your best".into()));
    }
    keys.push(("f", "fairness".into()));
    if heat.setup.table.is_none() {
        keys.push(("q", "leave".into()));
    }
    keys
}

/// Returns the key that takes a seat or gives it back; a tournament gives the seats of its tables
/// itself.
fn seat_key(heat: &HeatModel) -> Option<FooterKey> {
    let promised = heat.me().is_some_and(|me| me.next_seat);
    let what = match (heat.is_player(), promised) {
        (true, _) => "watch instead",
        (false, true) => "give back the seat",
        (false, false) => "take a seat",
    };
    heat.setup.table.is_none().then_some(("t", what.into()))
}
