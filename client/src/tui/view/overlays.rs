//! What lies over the screen.

use crate::display::canvas::{Canvas, Segment, below, indent, line, middle, width_of, wrap};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::display::tournament_text;
use crate::families;
use crate::families::family_ui::Help;
use crate::families::input::ARROWS;
use crate::tui::keymap::Scope;
use crate::tui::model::{Model, OptionsForm, Overlay, Question, Screen, Stage};
use crate::tui::view::key_labels::{label, labels};
use crate::tui::view::{forms, host_menu, invitation, pages, tournament};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat_view::OwnRace;
use gridrace_shared::protocol::tournament::TournamentCommand;
use gridrace_shared::puzzle::PuzzleSpec;
use ratatui::layout::Rect;

/// A line of the help, with default keys, and the screen on which they have that meaning.
type KeyRow = (Scope, Help);

/// Columns of the boxes.
const HELP_WIDTH: u16 = 58;
const QUESTION_WIDTH: u16 = 44;
const OPTIONS_WIDTH: u16 = 62;
const BOTS_WIDTH: u16 = 40;
/// The least and the most columns of a key in the help.
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

pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    match &model.overlay {
        None => {}
        Some(Overlay::Help) => help(model, canvas, area),
        Some(Overlay::Confirm(question)) => confirm(model, *question, canvas, area),
        Some(Overlay::Options(form)) => options(model, form, canvas, area),
        Some(Overlay::Bots) => bots(model, canvas, area),
        Some(Overlay::Announcement(form)) => host_menu::draw_announcement(form, canvas, area),
        Some(Overlay::Invitation { chosen }) => invitation::draw(model, *chosen, canvas, area),
        Some(Overlay::Organiser { chosen }) => tournament::draw_menu(*chosen, canvas, area),
        Some(Overlay::OrganiserLine(form)) => tournament::draw_line(form, canvas, area),
        Some(Overlay::HostMenu { chosen }) => {
            if let Some(heat) = model.heat() {
                host_menu::draw(model, heat, *chosen, canvas, area);
            }
        }
        Some(Overlay::Bans { chosen }) => {
            if let Some(heat) = model.heat() {
                host_menu::draw_bans(heat, *chosen, canvas, area);
            }
        }
        Some(Overlay::Members { action, chosen }) => {
            if let Some(heat) = model.heat() {
                host_menu::draw_members(heat, *action, *chosen, canvas, area);
            }
        }
    }
}

fn help(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let wide = area.width > HELP_WIDTH;
    let Some(spec) = model.puzzle() else {
        return;
    };
    let lists = |rows: &[Help]| on(Scope::Lists, rows.iter().copied()).collect();
    let is_over = model.heat().is_some_and(|heat| matches!(heat.stage, Stage::Over(_)));
    let race = model.heat().and_then(|heat| heat.race());
    let has_finished = race.is_some_and(|race| !race.is_on());
    let rows: Vec<KeyRow> = match model.scope() {
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
        | None => race_keys(model, &spec, area),
    };
    let lines = u16::try_from(rows.len()).unwrap_or(0);
    let roomy = area.height > lines + 4;
    let height = lines + 2 + 2 * u16::from(roomy);
    let inside = canvas.framed(middle(area, HELP_WIDTH, height), "Keys");
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
    let has_solution = model.heat().is_some_and(|heat| heat.panel.results.solution.is_some());
    let solution = has_solution.then_some(SOLUTION_KEY);
    on(Scope::Results, RESULTS_KEYS.into_iter().chain(solution).chain(LEAVE_KEYS))
}

/// Returns the words of a question: what is asked, and what follows from a yes.
pub(super) fn question_words(model: &Model, question: Question) -> (String, Option<String>) {
    let name = |player| {
        let name = model.heat().map(|heat| heat.name(player).name).unwrap_or_default();
        safe_text::text(&name, 20)
    };
    let people = |count| format::counted(count, "player", "players");
    match question {
        Question::GiveUp => ("Give up this race?".to_owned(), None),
        Question::Leave if model.tournament.is_some() => {
            let player = model.heat().filter(|heat| heat.is_player());
            let races = player.and_then(|heat| heat.race()).is_some_and(OwnRace::is_on);
            let key = model.key(Scope::Tournament, "t");
            let more = if races {
                format!("This board is then a DNF; {key} leads back to the table.")
            } else {
                format!("Your seat waits: {key} leads back to it.")
            };
            ("Leave this table?".to_owned(), player.map(|_| more))
        }
        Question::Leave if model.tutorial.is_some() => ("Leave the tutorial?".to_owned(), None),
        Question::Leave => match (model.loses_room(), model.other_people()) {
            (0, 0) => ("Leave the room?".to_owned(), None),
            (0, _) if model.own_server.is_none() => ("Leave the room?".to_owned(), None),
            (0, others) => {
                let more = format!("It stays open for {}.", people(others));
                ("Leave the room?".to_owned(), Some(more))
            }
            (lose, _) => {
                let verb = if lose == 1 { "loses" } else { "lose" };
                let room = if lose > model.other_people() { "their rooms" } else { "this room" };
                let more = format!("{} {verb} {room}.", people(lose));
                ("Leave, and end the server?".to_owned(), Some(more))
            }
        },
        Question::Quit => ("Quit, and end the server?".to_owned(), Some(lost_with_server(model))),
        Question::Withdraw => {
            let key = model.key(Scope::Tournament, "c");
            let more = format!("No more boards; {key} checks you in again.");
            ("Withdraw from the tournament?".to_owned(), Some(more))
        }
        Question::Unfollow => {
            let plays = model.tournament.as_ref().is_some_and(|it| it.view.you.entrant.is_some());
            let more = plays.then(|| "Your seats wait: enter again to return.".to_owned());
            ("Leave the tournament?".to_owned(), more)
        }
        Question::Discard => discard(model),
        Question::DeleteRace(number) if has_replay(model, number) => {
            (format!("Delete race {number} and its replay?"), None)
        }
        Question::DeleteRace(number) => (format!("Delete race {number}?"), None),
        Question::Kick(player) => (format!("Kick {}?", name(player)), None),
        Question::Ban(player) => {
            let members = model.heat().into_iter().flat_map(|heat| &heat.roster.members);
            let has_key = members.into_iter().any(|it| it.id == player && it.identity.is_some());
            let more = if has_key {
                "Their key is kept out of this room."
            } else {
                "They have no key and may come back."
            };
            (format!("Ban {}?", name(player)), Some(more.to_owned()))
        }
        Question::HandOver(player) => (format!("Make {} the host?", name(player)), None),
        Question::EndHeat => {
            let more = "The others are ranked by progress.".to_owned();
            ("End the heat for everybody?".to_owned(), Some(more))
        }
    }
}

/// Says what becomes of the rooms and tournaments on the server in this program when it ends.
fn lost_with_server(model: &Model) -> String {
    let usage = &model.server_usage;
    let (tournaments, is_one) = match &usage.tournaments[..] {
        [] => (None, false),
        [name] => (Some(format!("The tournament {name}")), true),
        names => (Some(format!("{} tournaments", names.len())), false),
    };
    if usage.is_kept {
        let verb = if is_one { "waits" } else { "wait" };
        let what = tournaments.unwrap_or_else(|| "Its rooms".to_owned());
        return format!("{what} {verb} until it runs again.");
    }
    let tournaments =
        tournaments.map(|it| format!("{it} {}.", if is_one { "ends" } else { "end" }));
    let rooms = match model.others_served() {
        0 => tournaments.is_none().then(|| "Every room on it ends.".to_owned()),
        1 => Some("1 player loses a room.".to_owned()),
        more => Some(format!("{more} players lose their rooms.")),
    };
    tournaments.into_iter().chain(rooms).collect::<Vec<_>>().join(" ")
}

fn confirm(model: &Model, question: Question, canvas: &mut Canvas<'_>, area: Rect) {
    let (text, more) = question_words(model, question);
    let width = QUESTION_WIDTH.min(area.width - 2);
    let broken = |text: &str| wrap(text, usize::from(width - 2));
    let mut lines: Vec<(String, Look)> =
        broken(&text).into_iter().map(|line| (line, Look::Strong)).collect();
    let more = more.as_deref().map(broken).unwrap_or_default();
    lines.extend(more.into_iter().map(|line| (line, Look::Text)));
    let count = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let area = middle(area, width, count.saturating_add(5));
    let inside = canvas.boxed(area, "", Look::Mark);
    for (index, (text, look)) in (1..).zip(&lines) {
        canvas.centred(line(inside, index), text, *look);
    }
    let [yes, no] = ["y", "n"].map(|key| label(model, Scope::Questions, key));
    let segments: [Segment<'_>; 4] =
        [(&yes, Look::Key), (" yes     ", Look::Text), (&no, Look::Key), (" no", Look::Text)];
    canvas.centred_segments(line(inside, count + 1), &segments);
}

/// Says whether a kept race has a replay.
fn has_replay(model: &Model, number: u32) -> bool {
    let Screen::Stats(stats) = &model.screen else { return false };
    stats.chosen_race().is_some_and(|race| race.number == number && race.replay_bytes > 0)
}

/// Says what is lost by the organiser's command.
fn discard(model: &Model) -> (String, Option<String>) {
    let asked = model.tournament.as_ref().and_then(|tournament| tournament.asked.as_ref());
    let Some(asked) = asked else { return ("Carry out the command?".to_owned(), None) };
    if matches!(asked.command, TournamentCommand::End { .. }) {
        let more = tournament_text::unraced(asked.unraced);
        return ("End it as it stands?".to_owned(), Some(format!("{more}.")));
    }
    let results =
        format::counted(usize::try_from(asked.discards).unwrap_or(usize::MAX), "result", "results");
    let first = asked.first.first().map(|key| {
        let more = if asked.discards > 1 { " ..." } else { "" };
        let board = u16::from(key.board) + 1;
        format!("round {}, table {}, board {board}{more}", key.round.round + 1, key.table + 1)
    });
    (format!("This throws away {results}: do it?"), first)
}

fn options(model: &Model, form: &OptionsForm, canvas: &mut Canvas<'_>, area: Rect) {
    let lines = u16::try_from(form.form.fields.len()).unwrap_or(0);
    let in_lobby = model.heat().is_some_and(|heat| matches!(heat.stage, Stage::Lobby));
    let title = if in_lobby { "Options of the heat" } else { "Options of the next heat" };
    // Below the lines, the note where it has no room beside, and the keys; or what is wrong.
    let foot = 1 + u16::from(area.width < OPTIONS_WIDTH);
    let inside = canvas.framed(middle(area, OPTIONS_WIDTH, lines + foot + 2), title);
    let space = inside.height.saturating_sub(foot).min(lines);
    let fields = Rect { height: space, ..inside };
    forms::form(&form.form, canvas, fields, 1);
    let foot = below(inside, space);
    if let Some(error) = form.form.error() {
        canvas.wrapped(foot, error, Look::Bad);
        return;
    }
    let last = line(foot, foot.height.saturating_sub(1));
    if let Some(note) = forms::note_apart(&form.form, inside)
        && foot.height > 1
    {
        canvas.text(foot, note, Look::Faint);
    }
    let keys = [
        ("enter", Look::Key),
        (" set   ", Look::Faint),
        ("esc", Look::Key),
        (" back", Look::Faint),
    ];
    canvas.segments(last, &keys);
}

fn bots(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(spec) = model.puzzle() else {
        return;
    };
    let lines = u16::try_from(Skill::ALL.len()).unwrap_or(0);
    let box_area = middle(area, BOTS_WIDTH.min(area.width - 2), lines + 2);
    let inside = canvas.framed(box_area, "How strong a bot?");
    for (index, skill) in (0u16..).zip(Skill::ALL) {
        let key = (index + 1).to_string();
        let name = format!("  {:<12}", skill.into_str());
        // Tenths a second.
        let pace = 10_000 / skill.millis_each(&spec).max(1);
        let what = families::info(&spec).pace;
        let pace = format!("{:>2}.{} {what}", pace / 10, pace % 10);
        let segments =
            [(key.as_str(), Look::Key), (name.as_str(), Look::Text), (pace.as_str(), Look::Faint)];
        canvas.segments(line(inside, index), &segments);
    }
}
