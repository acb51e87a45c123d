//! The keys of each screen, and the box that lists them.

use crate::display::canvas::{Canvas, indent, line, middle, width_of};
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::families;
use crate::families::family_ui::Help;
use crate::families::input::ARROWS;
use crate::tui::keymap::Scope;
use crate::tui::model::{HeatPhase, Model, Screen};
use crate::tui::view::key_labels::labels;
use crate::tui::view::pages;
use gridrace_shared::puzzle::PuzzleSpec;
use ratatui::layout::Rect;

/// A line of the help, with default keys, and the screen on which they have that meaning.
type KeyRow = (Scope, Help);

/// Columns of the box.
const WIDTH: u16 = 58;
/// The least and the most columns of a key.
const LEAST_KEY: usize = 9;
const MOST_KEY: usize = 16;

/// The key that leads back from a list or page.
const BACK_KEY: Help = ("esc", "back", "back");
/// The keys of every puzzle, those of the lobby and of results apart.
const HINT_KEY: Help = ("t o", "a hint; shortest way or method", "a hint; its style");
const NUMBERS_KEY: Help = ("p", "the numbers on a picture", "picture's numbers");
const SOLUTION_KEY: Help = ("s", "the solution, and back to the places", "solution, places");
const QUIT_KEY: Help =
    ("ctrl-c", "quit at once; ctrl-z suspends, ctrl-l redraws", "quit; ctrl-z suspends");
const LAST_KEYS: [Help; 2] =
    [("g q", "give up, leave; both ask first", "give up, leave"), QUIT_KEY];
/// The last keys in a lesson of the tutorial, which asks nothing.
const LESSON_KEYS: [Help; 3] = [
    ("n", "play the rest of this step", "skip this step"),
    ("g q", "skip the lesson; leave the tutorial", "skip lesson; leave"),
    QUIT_KEY,
];
const MORE_BOARDS_KEY: Help = ("tab", "more boards, where they don't all fit", "more boards");
const HOST_MENU_KEY: Help =
    ("m", "the host's menu: end, hold, ban, announce ...", "the host's menu");
const LOBBY_KEYS: [Help; 5] = [
    ("enter", "in the lobby: ready, or not ready", "in the lobby: ready"),
    ("t z", "in the lobby: a seat, the big screen", "a seat, big screen"),
    ("i", "in the lobby: link and QR code for phones", "link and QR code"),
    ("s b o d", "the host: start, bot, options, kick", "start bot options kick"),
    HOST_MENU_KEY,
];
/// The keys of the home screen.
const HOME_KEYS: [Help; 5] = [
    ("left right", "the puzzle to play or to host", "another puzzle"),
    ("p h j w", "play now, host, join, watch", "play host join watch"),
    ("t", "tournaments: enter, watch, open", "tournaments"),
    ("l s q", "the tutorial, your races, quit", "learn, races, quit"),
    QUIT_KEY,
];
/// What stands above the keys of a race on the home screen.
const RACE_HEADING: Help = ("", "in a race:", "in a race:");
/// The keys of a server's list of tournaments.
const TOURNAMENT_LIST_KEYS: [Help; 5] = [
    ("enter", "look at the tournament under the cursor", "look"),
    ("e", "take part in it", "take part"),
    ("o", "open one on this server", "open one here"),
    ("k j", "up, down; so do the arrows", "up, down"),
    BACK_KEY,
];
/// The keys of the first page of the tutorial, and those at the end of a lesson.
const TUTORIAL_KEYS: [Help; 2] = [("enter", "begin", "begin"), BACK_KEY];
const LESSON_END_KEYS: [Help; 2] =
    [("enter", "go on", "go on"), ("q", "leave the tutorial", "leave")];
/// The keys of a server's list of rooms.
const ROOMS_KEYS: [Help; 5] = [
    ("enter", "join the room under the cursor", "join"),
    ("w", "watch it", "watch"),
    ("h", "host a room on this server", "host a room here"),
    ("k j", "up, down; so do the arrows", "up, down"),
    BACK_KEY,
];

/// The keys of those who watch, of players whose own race is over, and of the results.
const WATCH_KEYS: [Help; 4] = [
    MORE_BOARDS_KEY,
    ("t", "take a seat in the next heat, or give it back", "take a seat"),
    ("z", "the big screen, for a hall; and back", "big screen"),
    HOST_MENU_KEY,
];
const FINISHED_KEYS: [Help; 3] = [
    ("v", "the others' boards, and back to yours", "others' boards"),
    MORE_BOARDS_KEY,
    HOST_MENU_KEY,
];
const RESULTS_KEYS: [Help; 7] = [
    ("r", "a rematch: you want one, and are ready", "rematch"),
    ("c", "copy the result as one line", "copy the result"),
    ("arrows", "scroll, and turn the columns", "scroll, columns"),
    ("f", "what the check of fairness rests on", "fairness"),
    ("b", "race your best, where you race alone", "race your best"),
    ("t z", "those who watch: take a seat, the big screen", "a seat, big screen"),
    ("m", "the host's menu", "the host's menu"),
];
const LEAVE_KEYS: [Help; 2] =
    [("q", "leave", "leave"), ("ctrl-c", "quit at once; ctrl-z suspends", "quit; ctrl-z suspends")];

/// The keys of a heat that is played again.
const REPLAY_KEYS: [Help; 8] = [
    ("space", "pause, resume; at the end, start again", "pause, resume"),
    ("left right", "5 s back or on, with shift 30 s", "5 s; shift 30 s"),
    (", .", "to the event before, after, and stop there", "event before, after"),
    ("+ -", "faster, slower", "faster, slower"),
    ("0 - 9", "to a tenth; home and end to both ends", "to a tenth"),
    ("tab", "one player, the next; shift-tab goes back", "one player, next"),
    ("a", "all players; page down for more boards", "all; pgdn for more"),
    ("mouse", "click the line of time to go there", "click the time"),
];
/// Its last key: where the program was started for it, and where it was chosen from one's own races.
const REPLAY_QUIT: Help = ("q", "quit; ctrl-z suspends", "quit; ctrl-z suspends");
const REPLAY_BACK: Help = ("q", "back to your races", "back to your races");

/// The keys of the player's own races.
const STATS_KEYS: [Help; 10] = [
    ("arrows", "left and right: puzzle, up and down: race", "puzzle, race"),
    ("home end", "first and last race; page up and down go 10", "first, last race"),
    ("t", "all, 30 days, 7 days, a day, last session", "span of time"),
    ("s", "sort by date, time, moves, moves/s, best", "sort"),
    ("enter", "watch the race again", "watch it again"),
    ("g", "race against its ghost, on the same board", "race its ghost"),
    ("x", "let the race count, or not", "count it or not"),
    ("m", "mark it: it stays when old races go", "mark: never goes"),
    ("d", "delete it; asks first", "delete it"),
    ("tab", "averages, charts, races on a small screen", "averages ... races"),
];

/// The keys of a tournament's screen.
const TOURNAMENT_KEYS: [Help; 10] = [
    ("tab", "standings, bracket, tables ...; so do 1 to 5", "next part; 1 - 5"),
    ("arrows", "scroll; left and right in the bracket as well", "scroll"),
    ("enter", "watch the table under the cursor", "watch the table"),
    (", .", "tables of the round before and after", "other rounds"),
    ("t", "your own table", "your own table"),
    ("e c w", "take part, check in, withdraw (asks first)", "play check-in withdraw"),
    ("i m", "link for phones; the organiser's commands", "link; commands"),
    ("home end", "first and last row; page up and down", "first, last row"),
    ("q", "leave the tournament's screen", "leave"),
    QUIT_KEY,
];

pub(super) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let wide = area.width > WIDTH;
    let Some(spec) = model.puzzle() else {
        return;
    };
    let rows = key_rows(model, &spec, area);
    let lines = u16::try_from(rows.len()).unwrap_or(0);
    let roomy = area.height > lines + 4;
    let height = lines + 2 + 2 * u16::from(roomy);
    let inside = canvas.framed(middle(area, WIDTH, height), "Keys");
    let keys = &model.settings.keys;
    let shown: Vec<String> =
        rows.iter().map(|(scope, (key, ..))| help_label(model, *scope, key)).collect();
    let widest = shown.iter().map(|key| safe_text::cells(key)).max().unwrap_or(0);
    let key_width = (widest + 1).clamp(LEAST_KEY, MOST_KEY);
    for (index, ((scope, (key, long, short)), shown)) in (0u16..).zip(rows.iter().zip(&shown)) {
        let what = if wide { long } else { short };
        if key.is_empty() {
            canvas.text(line(inside, index), what, Look::Faint);
            continue;
        }
        // Letters go in all directions, too, until the player has keys for that.
        let is_race = *key == ARROWS && *scope == Scope::Race;
        let letters = match (is_race, keys.binds_directions()) {
            (true, false) if wide => "or wasd, or hjkl: ",
            (true, false) => "or wasd hjkl: ",
            (true, true) | (false, _) => "",
        };
        let key = safe_text::text(shown, key_width - 1);
        let key = safe_text::column(&key, key_width);
        let segments = [(key.as_str(), Look::Key), (letters, Look::Text), (*what, Look::Text)];
        canvas.segments(line(inside, index), &segments);
    }
    if roomy {
        let [sign, what] = families::info(&spec).legend;
        let row = line(inside, lines + 1);
        let x = canvas.segments(row, &[(sign, Look::Good), (what, Look::Faint)]);
        let closes = "   any key closes this";
        if x + width_of(closes) <= row.right() {
            canvas.text(indent(row, x - row.x), closes, Look::Faint);
        }
    }
}

/// Returns the keys that have a meaning on the screen.
fn key_rows(model: &Model, spec: &PuzzleSpec, area: Rect) -> Vec<KeyRow> {
    let lists = |rows: &[Help]| on(Scope::Lists, rows.iter().copied()).collect();
    let is_over = model.shown_heat().is_some_and(|heat| matches!(heat.phase, HeatPhase::Over(_)));
    let race = model.shown_heat().and_then(|heat| heat.race());
    let has_finished = race.is_some_and(|race| !race.is_on());
    match model.scope() {
        Some(_) if matches!(model.screen, Screen::Tutorial) => lists(&TUTORIAL_KEYS),
        Some(_) if matches!(model.screen, Screen::Waiting(_)) => lists(&[BACK_KEY]),
        Some(_) if matches!(model.screen, Screen::ChooseTournament(_)) => {
            lists(&TOURNAMENT_LIST_KEYS)
        }
        Some(_) if model.tutorial.is_some() && is_over => {
            on(Scope::Results, LESSON_END_KEYS).collect()
        }
        Some(Scope::Replay) => {
            let last =
                if model.practice.stats_behind.is_some() { REPLAY_BACK } else { REPLAY_QUIT };
            on(Scope::Replay, REPLAY_KEYS.into_iter().chain([last])).collect()
        }
        Some(Scope::Stats) => on(Scope::Stats, STATS_KEYS).collect(),
        Some(Scope::Tournament) => on(Scope::Tournament, TOURNAMENT_KEYS).collect(),
        Some(Scope::Watch) => {
            on(Scope::Watch, WATCH_KEYS).chain(on(Scope::Watch, LEAVE_KEYS)).collect()
        }
        Some(Scope::Results) => results_keys(model).collect(),
        Some(Scope::Race) if has_finished => {
            on(Scope::Race, FINISHED_KEYS).chain(on(Scope::Race, LEAVE_KEYS)).collect()
        }
        Some(Scope::Lists) => on(Scope::Lists, ROOMS_KEYS).collect(),
        Some(Scope::Home | Scope::Race | Scope::Lobby | Scope::HostMenu | Scope::Questions)
        | None => race_keys(model, spec, area),
    }
}

/// Returns the names of keys for the help, which says the arrows in a word.
fn help_label(model: &Model, scope: Scope, key: &str) -> String {
    if key == ARROWS && !(scope == Scope::Race && model.settings.keys.binds_directions()) {
        return key.to_owned();
    }
    labels(model, Some(scope), key)
}

/// Says on which screen keys have a meaning.
fn on(scope: Scope, rows: impl IntoIterator<Item = Help>) -> impl Iterator<Item = KeyRow> {
    rows.into_iter().map(move |row| (scope, row))
}

/// Returns the keys of the screen that is shown, and of a race; where lines are dear, those of a
/// race but its first give way elsewhere, and those of other screens in a race.
fn race_keys(model: &Model, spec: &PuzzleSpec, area: Rect) -> Vec<KeyRow> {
    let help = families::help(spec, model.settings.reversed);
    let mut race: Vec<KeyRow> = on(Scope::Race, help).collect();
    if model.tutorial.is_some() {
        race.truncate(usize::from(area.height.saturating_sub(2)).saturating_sub(LESSON_KEYS.len()));
        race.extend(on(Scope::Race, LESSON_KEYS));
        return race;
    }
    let most = usize::from(area.height.saturating_sub(2)).saturating_sub(LAST_KEYS.len());
    if race.len() < most {
        race.push((Scope::Race, HINT_KEY));
    }
    if race.len() < most && pages::shows_picture(model) {
        race.push((Scope::Race, NUMBERS_KEY));
    }
    let is_home = model.scope() == Some(Scope::Home);
    let mut rows: Vec<KeyRow> = match model.scope() {
        Some(Scope::Home) => {
            on(Scope::Home, HOME_KEYS).chain(on(Scope::Race, [RACE_HEADING])).collect()
        }
        Some(Scope::Lobby) => on(Scope::Lobby, LOBBY_KEYS).collect(),
        Some(_) | None => Vec::new(),
    };
    // The home screen's own keys have the last one already.
    let most = most + usize::from(is_home);
    race.truncate(most.saturating_sub(rows.len()));
    rows.extend(race);
    let lobby = model.scope() == Some(Scope::Race) && rows.len() + LOBBY_KEYS.len() <= most;
    if lobby {
        rows.extend(on(Scope::Lobby, LOBBY_KEYS));
    }
    let last = if is_home { &LAST_KEYS[..1] } else { &LAST_KEYS };
    rows.extend(on(Scope::Race, last.iter().copied()));
    rows
}

fn results_keys(model: &Model) -> impl Iterator<Item = KeyRow> {
    let has_solution = model.shown_heat().is_some_and(|heat| heat.panel.results.solution.is_some());
    let solution = has_solution.then_some(SOLUTION_KEY);
    on(Scope::Results, RESULTS_KEYS.into_iter().chain(solution).chain(LEAVE_KEYS))
}
