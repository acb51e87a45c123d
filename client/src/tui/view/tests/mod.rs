//! Every screen at every size that matters.

mod big_screen;
mod bound_keys;
mod home;
mod layout;
mod link;
mod pictures;
mod replay;
mod results;
mod robust;
mod rooms;
mod stats;
mod tile_picture;
mod tournament;
mod tutorial;

use super::*;
use crate::display::theme::Colors;
use crate::net::NetError;
use crate::net::address::ServerNames;
use crate::net::nearby::{NearbyEntry, NearbyOffer};
use crate::test_support::{self as fx, letter, press};
use crate::tui::effect::Effect;
use crate::tui::event::Event;
use crate::tui::model::{
    Choose, ConnectionStatus, Goal, Home, Intent, JoinForm, OFFERS, Overlay, Question, Replaying,
};
use crate::tui::update::update;
use crossterm::event::KeyCode;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::{PlayerId, RoomCode, Seq};
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::player_name::is_displayable;
use gridrace_shared::heat::standings::{RaceState, Standings};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::{Moved, RecordingStatus, ServerMessage};
use gridrace_shared::protocol::snapshot::{
    Ban, Closing, ClosingReason, HeatResult, Phase, PlayerBoard, RoomPhase, RoomSummary, Roster,
    Setup,
};
use gridrace_shared::protocol::tournament::TournamentPhase;
use gridrace_shared::puzzle::{Board, Move, MoveBounds, MoveCount, slide};
use gridrace_shared::replay::Replay;
use gridrace_shared::solver::hint::Hint;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::grid::{Cell, Direction};
use gridrace_shared::util::time::{ClientInstant, HeatInstant, Millis};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

const LARGE: (u16, u16) = (80, 24);
const SMALL: (u16, u16) = (40, 12);
const MIDDLE: (u16, u16) = (120, 40);
const HUGE: (u16, u16) = (200, 60);

fn buffer(model: &mut Model, (width, height): (u16, u16)) -> Buffer {
    model.size = Size { width, height };
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| view(model, frame)).unwrap();
    terminal.backend().buffer().clone()
}

fn shown(model: &mut Model, size: (u16, u16)) -> String {
    let buffer = buffer(model, size);
    let rows = buffer.content.chunks(usize::from(size.0));
    let mut text = String::new();
    for row in rows {
        let mut skip = 0;
        for cell in row {
            if skip == 0 {
                text.push_str(cell.symbol());
                skip = crate::display::safe_text::cells(cell.symbol());
            }
            skip = skip.saturating_sub(1);
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
    text
}

/// Takes a snapshot of a screen at 80×24 and at 40×12, and draws it where pictures are asked for.
fn picture(name: &str, mut model: Model) {
    pictures::draw(name, &model);
    insta::assert_snapshot!(format!("{name}_80x24"), shown(&mut model, LARGE));
    insta::assert_snapshot!(format!("{name}_40x12"), shown(&mut model, SMALL));
}

fn lobby(role: Role) -> Model {
    let mut model = fx::in_heat("slide:4x4", role, Phase::Lobby);
    model.invitation = vec!["192.168.1.5".to_owned(), "10.0.0.7".to_owned()];
    model
}

#[test]
fn waiting() {
    let mut model = fx::model();
    model.screen = Screen::Waiting("Opening a room");
    picture("waiting", model);
}

#[test]
fn drawing_shows_the_place_in_the_queue() {
    let mut model = fx::in_heat("link:20x20", Role::Player, Phase::Drawing);
    assert!(shown(&mut model, SMALL).contains("the board is being made"));
    fx::hear(&mut model, ServerMessage::BoardQueue { ahead: 3 });
    picture("drawing", model.clone());
    fx::hear(&mut model, ServerMessage::BoardQueue { ahead: 1 });
    assert!(shown(&mut model, SMALL).contains("1 board is made before yours"));
    fx::hear(&mut model, ServerMessage::Phase(Phase::Lobby));
    fx::hear(&mut model, ServerMessage::Phase(Phase::Drawing));
    assert!(shown(&mut model, SMALL).contains("the board is being made"));
}

#[test]
fn countdown() {
    let mut model =
        fx::in_heat("slide:4x4", Role::Player, Phase::Countdown { go: HeatInstant(46_900) });
    insta::assert_snapshot!("countdown_3", shown(&mut model.clone(), LARGE));
    model.now.0 += 2_000_000;
    insta::assert_snapshot!("countdown_1_40x12", shown(&mut model, SMALL));
}

#[test]
fn racing() {
    let mut model = fx::racing("slide:4x4");
    press(&mut model, KeyCode::Down);
    let racing = model.shown_heat().unwrap().race().unwrap();
    let Board::Slide(board) = racing.play.board() else { unreachable!() };
    let play = board.legal_moves().next().unwrap();
    let hint = Hint::Slide(slide::SlideHint {
        play,
        then: then_played(board, play),
        at_least: 39,
        at_most: 41,
        stage: None,
    });
    fx::hear(
        &mut model,
        ServerMessage::Hint {
            after: Seq(1),
            hint,
            distance_change: Some(2),
            taken: 2,
            penalty: Millis(20_000),
        },
    );
    picture("racing", model);
}

/// Any moves that come after one.
#[test]
fn a_race_says_that_the_server_was_down_and_the_clocks_were_paused() {
    let mut model = fx::racing("slide:4x4");
    model.joined_heat_mut().unwrap().view.outage = Millis(8_001);
    let text = shown(&mut model, (120, 40)).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("server was down for 9 s; clocks were paused"), "{text}");
}

fn then_played(board: &slide::Board, play: Cell) -> Vec<Cell> {
    let mut board = board.clone();
    board.play(play).unwrap();
    let mut then = Vec::new();
    for pick in [1, 4, 2, 3] {
        let play = board.legal_moves().nth(pick).unwrap();
        board.play(play).unwrap();
        then.push(play);
    }
    then
}

#[test]
fn racing_on_other_boards() {
    for puzzle in ["slide:2x2", "slide:3x5", "slide:8x8", "slide:16x16"] {
        let name = puzzle.replace(':', "_");
        picture(&format!("racing_{name}"), fx::racing(puzzle));
    }
}

#[test]
fn racing_against_many_and_few() {
    picture("racing_many", fx::racing_against(20, "slide:4x4"));
    let mut duel = fx::racing("slide:4x4");
    duel.joined_heat_mut().unwrap().view.standings.truncate(3);
    picture("racing_few", duel);
}

#[test]
fn racing_when_solved() {
    let mut model = fx::racing("slide:4x4");
    let mut standings = fx::standings();
    standings.rows[1].state = RaceState::Finished { time: Millis(54_250) };
    standings.rows[1].progress = 1_000;
    fx::hear(&mut model, ServerMessage::Standings(standings));
    picture("racing_finished", model);
}

#[test]
fn watching() {
    picture("watching", fx::watching("slide:4x4"));
    picture("watching_16x16", fx::watching("slide:16x16"));
}

#[test]
fn overlays() {
    for (name, overlay) in [
        ("help", Overlay::Help),
        ("give_up", Overlay::Confirm(Question::GiveUp)),
        ("bots", Overlay::Bots),
    ] {
        let mut model = fx::racing("slide:4x4");
        model.overlay = Some(overlay);
        picture(name, model);
    }
    let mut model = lobby(Role::Player);
    letter(&mut model, 'o');
    picture("options", model);
}

#[test]
fn in_a_small_terminal_the_line_that_is_filled_in_its_note_and_the_keys_are_in_sight() {
    let mut model = lobby(Role::Player);
    letter(&mut model, 'o');
    for (label, note) in [
        ("puzzle", "left, right: others"),
        ("time limit", "seconds"),
        ("seed", "empty: the server chooses"),
    ] {
        let Some(Overlay::Options(form)) = &mut model.overlay else { panic!("no form") };
        let lines = form.form.fields.iter();
        form.form.focus = lines.map(|line| line.label).position(|it| it == label).unwrap();
        let text = shown(&mut model, SMALL);
        for wanted in [&format!("▸ {label}"), note, "enter set"] {
            assert!(text.contains(wanted), "{wanted} in\n{text}");
        }
    }
}

#[test]
fn what_is_wrong_with_an_option_is_said_in_full_in_a_small_terminal() {
    let mut model = lobby(Role::Player);
    letter(&mut model, 'o');
    let Some(Overlay::Options(form)) = &mut model.overlay else { panic!("no form") };
    form.form.blame(0, "a board has 2 to 16 rows and columns, as in slide:4x4");
    for size in [LARGE, SMALL] {
        let text = shown(&mut model, size);
        let words: String = text.split(['│', '\n', ' ']).collect::<Vec<_>>().join("");
        assert!(words.contains("aboardhas2to16rowsandcolumns,asinslide:4x4"), "{text}");
    }
}

#[test]
fn a_spectator_whose_connection_is_lost_has_a_place_and_no_seat() {
    let mut model = fx::watching("slide:4x4");
    let until = Some(ClientInstant(model.now.0 + 3_200_000));
    model.connection.status = ConnectionStatus::Lost { attempt: 2, why: NetError::TimedOut, until };
    for (size, words) in [(MIDDLE, "as a spectator: the place is gone"), (SMALL, "as a spectator")]
    {
        assert!(shown(&mut model, size).contains(words));
    }
    model.connection.state.ticket = Some(fx::key());
    model.connection.lost_at = ClientInstant(model.now.0 - 12_400_000);
    for (size, words) in [(LARGE, "your place is kept for 0:48"), (SMALL, "place 0:48")] {
        let text = shown(&mut model, size);
        assert!(text.contains(words) && !text.contains("seat 0"), "{text}");
    }
}

#[test]
fn a_lost_connection_is_said_above_everything() {
    let mut model = fx::racing("slide:4x4");
    let lost = |until| ConnectionStatus::Lost { attempt: 2, why: NetError::TimedOut, until };
    model.connection.status = lost(None);
    picture("lost", model.clone());
    // With a seat that is kept, and a pause before the next attempt.
    model.connection.state.ticket = Some(fx::key());
    model.connection.lost_at = ClientInstant(model.now.0 - 12_400_000);
    model.connection.status = lost(Some(ClientInstant(model.now.0 + 3_200_000)));
    picture("lost_seat", model);
}

#[test]
fn ascii_is_all_that_is_drawn_where_it_is_asked_for() {
    let screens = [
        ("lobby", lobby(Role::Player)),
        ("racing", fx::racing("slide:4x4")),
        ("watching", fx::watching("slide:3x3")),
        ("results", fx::over("slide:4x4")),
        ("link_racing", link::drawn("link:7x7", 5)),
        ("link_cutting", link::cutting()),
        ("link_hint", link::led()),
        ("link_fault", link::astray()),
        ("link_home", fx::model()),
    ];
    for (name, mut model) in screens {
        model.settings.appearance.ascii = true;
        for size in [LARGE, SMALL] {
            let text = shown(&mut model, size);
            assert!(text.is_ascii(), "{name}:\n{text}");
        }
        insta::assert_snapshot!(format!("ascii_{name}"), shown(&mut model, LARGE));
    }
}

#[test]
fn without_colours_there_are_none_and_the_rest_stays() {
    let replaying = replay::replaying(crate::test_support::replay::four("link:7x7"), 31_000);
    for mut model in [fx::racing("slide:4x4"), link::cutting(), replaying] {
        let coloured = shown(&mut model, LARGE);
        model.settings.appearance.colors = Colors::None;
        let plain = buffer(&mut model, LARGE).content;
        assert!(plain.iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
        assert!(plain.iter().any(|cell| !cell.modifier.is_empty()));
        let plain = shown(&mut model, LARGE);
        if coloured.contains('▀') {
            // Tiles stand between lines then, with the same numbers in the same places.
            assert!(plain.contains("├──────┼"), "{plain}");
            for (with, without) in coloured.lines().zip(plain.lines()) {
                let board = |line: &str| line.chars().take(32).collect::<String>();
                let digits = |line: &str| board(line).replace(|c: char| !c.is_ascii(), " ");
                assert_eq!(digits(without).trim_end(), digits(with).trim_end());
            }
        } else {
            // The lines of the chart have other patterns in place of colours.
            let chart = |c: char| ('\u{2800}'..='\u{28ff}').contains(&c);
            for (with, without) in coloured.lines().zip(plain.lines()) {
                let (with, without) = (with.replace(chart, " "), without.replace(chart, " "));
                assert_eq!(without.trim_end(), with.trim_end());
            }
        }
    }
}

#[test]
fn light_and_dark_differ_in_colours_only() {
    let mut dark = fx::racing("slide:4x4");
    let mut light = dark.clone();
    light.settings.appearance.light = true;
    assert_ne!(buffer(&mut dark, LARGE), buffer(&mut light, LARGE));
    assert_eq!(shown(&mut dark, LARGE), shown(&mut light, LARGE));
}

#[test]
fn times_of_ten_minutes_stand_apart_from_moves_and_gaps() {
    for rivals in [2, 5, 24] {
        let mut model = fx::racing_against(rivals, "slide:4x4");
        let mut rows = model.shown_heat().unwrap().standings.clone();
        for (row, time) in rows.iter_mut().zip([754_321, 1_354_321]) {
            row.state = RaceState::Finished { time: Millis(time) };
            row.moves = MoveCount { moves: 1_024, acts: 1_024 };
        }
        let at = HeatInstant(1_400_000);
        fx::hear(&mut model, ServerMessage::Standings(Standings { at, rows }));
        for size in [SMALL, (50, 20), LARGE, MIDDLE, HUGE] {
            let text = shown(&mut model, size);
            for (found, _) in text.match_indices("12:34").chain(text.match_indices("+600.00")) {
                assert!(text[..found].ends_with(' '), "{rivals} rivals, {size:?}: {text}");
            }
        }
    }
}

#[test]
fn a_terminal_below_40x12_says_so() {
    insta::assert_snapshot!("too_small_20x6", shown(&mut fx::racing("slide:4x4"), (20, 6)));
}

#[test]
fn a_server_that_says_nothing_is_seen_to_before_it_counts_as_lost() {
    let mut model = fx::racing("slide:4x4");
    let sees =
        |model: &mut Model, what| [LARGE, SMALL].map(|size| shown(model, size).contains(what));
    model.now = ClientInstant(model.connection.heard.0 + 3_900_000);
    assert_eq!(sees(&mut model, "ms"), [true, true]);
    model.now = ClientInstant(model.connection.heard.0 + 4_000_000);
    assert_eq!(sees(&mut model, "ms"), [false, false]);
    assert!(shown(&mut model, LARGE).contains("no answer for 4 s"));
    assert!(shown(&mut model, SMALL).contains("silent 4 s"));
    model.connection.heard = model.now;
    assert_eq!(sees(&mut model, "ms"), [true, true]);
}
