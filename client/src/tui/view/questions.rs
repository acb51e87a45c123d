//! The questions that are asked before something is lost.

use crate::display::canvas::{Canvas, Segment, line, middle, wrap};
use crate::display::format;
use crate::display::safe_text;
use crate::display::theme::Look;
use crate::display::tournament_text;
use crate::tui::keymap::Scope;
use crate::tui::model::{Model, Question, Screen};
use crate::tui::view::key_labels::label;
use gridrace_shared::heat_view::OwnRace;
use gridrace_shared::protocol::tournament::TournamentCommand;
use ratatui::layout::Rect;

/// Columns of the box.
const WIDTH: u16 = 44;

pub(super) fn draw(model: &Model, question: Question, canvas: &mut Canvas<'_>, area: Rect) {
    let (text, more) = words(model, question);
    let width = WIDTH.min(area.width - 2);
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

/// Returns the words of a question: what is asked, and what follows from a yes.
pub(super) fn words(model: &Model, question: Question) -> (String, Option<String>) {
    let name = |player| {
        let name = model.shown_heat().map(|heat| heat.name(player).name).unwrap_or_default();
        safe_text::text(&name, 20)
    };
    match question {
        Question::GiveUp => ("Give up this race?".to_owned(), None),
        Question::Leave if model.tournament.is_some() => leave_table(model),
        Question::Leave if model.tutorial.is_some() => ("Leave the tutorial?".to_owned(), None),
        Question::Leave => leave_room(model),
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
            let members = model.shown_heat().into_iter().flat_map(|heat| &heat.roster.members);
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

fn leave_table(model: &Model) -> (String, Option<String>) {
    let player = model.shown_heat().filter(|heat| heat.is_player());
    let races = player.and_then(|heat| heat.race()).is_some_and(OwnRace::is_on);
    let key = model.key(Scope::Tournament, "t");
    let more = if races {
        format!("This board is then a DNF; {key} leads back to the table.")
    } else {
        format!("Your seat waits: {key} leads back to it.")
    };
    ("Leave this table?".to_owned(), player.map(|_| more))
}

fn leave_room(model: &Model) -> (String, Option<String>) {
    match (model.loses_room(), model.other_people()) {
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
    }
}

fn people(count: usize) -> String {
    format::counted(count, "player", "players")
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
