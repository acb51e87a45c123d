//! Every screen at every size that matters.

use super::*;
use crate::fixtures::{self as fx, press};
use crate::model::{Choose, Errand, Goal, JoinForm, Line, Overlay, Question};
use crate::net::NetError;
use crossterm::event::KeyCode;
use gridrace_shared::hint::Hint;
use gridrace_shared::name::Seq;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::heat::{HeatSummary, Kind, Phase, Roster};
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::time::Millis;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

const LARGE: (u16, u16) = (80, 24);
const SMALL: (u16, u16) = (40, 12);

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
                skip = crate::sanitise::cells(cell.symbol());
            }
            skip = skip.saturating_sub(1);
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
    text
}

/// Takes a picture of a screen at 80×24 and at 40×12.
fn picture(name: &str, mut model: Model) {
    insta::assert_snapshot!(format!("{name}_80x24"), shown(&mut model, LARGE));
    insta::assert_snapshot!(format!("{name}_40x12"), shown(&mut model, SMALL));
}

fn lobby(role: Role) -> Model {
    let mut model = fx::in_heat("slide:4x4", role, Phase::Lobby);
    model.invitation = vec!["192.168.1.5".to_owned(), "10.0.0.7".to_owned()];
    model
}

#[test]
fn home() {
    picture("home", fx::model());
}

#[test]
fn join_form() {
    let mut model = fx::model();
    model.screen = Screen::Join(JoinForm::new("192.168.1.5", None, "Anna", Role::Player));
    picture("join_form", model.clone());
    let mut form = JoinForm::new("a b", None, "", Role::Player);
    assert_eq!(form.goal(), None);
    model.screen = Screen::Join(form);
    picture("join_form_faults", model);
}

#[test]
fn list_of_heats() {
    let mut model = fx::model();
    let heat = |number, players, in_lobby| HeatSummary {
        code: gridrace_shared::name::HeatCode::from_number(number),
        spec: fx::spec("slide:4x4"),
        players,
        spectators: 0,
        in_lobby,
    };
    let heats = vec![heat(5, 1, true), heat(99_999, 12, false)];
    let form = JoinForm::new("192.168.1.5", None, "Anna", Role::Player);
    model.link.server = "gridrace-server 0.1.0".to_owned();
    model.screen = Screen::Choose(Choose {
        heats,
        chosen: 1,
        role: Role::Player,
        form,
    });
    picture("list_of_heats", model);
}

#[test]
fn waiting() {
    let mut model = fx::model();
    model.screen = Screen::Waiting("Opening a heat");
    picture("waiting", model);
}

#[test]
fn lobby_of_the_host_and_of_a_spectator() {
    picture("lobby_host", lobby(Role::Player));
    picture("lobby_spectator", lobby(Role::Spectator));
}

#[test]
fn countdown() {
    let mut model = fx::in_heat(
        "slide:4x4",
        Role::Player,
        Phase::Countdown { go: Millis(46_900) },
    );
    insta::assert_snapshot!("countdown_3", shown(&mut model.clone(), LARGE));
    model.now.0 += 2_000_000;
    insta::assert_snapshot!("countdown_1_40x12", shown(&mut model, SMALL));
}

#[test]
fn racing() {
    let mut model = fx::racing("slide:4x4");
    press(&mut model, KeyCode::Down);
    let Stage::Racing(racing) = &model.heat().unwrap().stage else {
        unreachable!()
    };
    let play = racing.play.board().legal_moves()[0];
    let hint = Hint {
        play,
        remaining: 41,
    };
    fx::hear(
        &mut model,
        ServerMessage::Hint {
            after: Seq(1),
            hint,
            taken: 2,
            penalty: Millis(20_000),
        },
    );
    picture("racing", model);
}

#[test]
fn racing_on_other_boards() {
    for puzzle in ["slide:2x2", "slide:3x5", "slide:8x8", "slide:16x16"] {
        let name = puzzle.replace(':', "_");
        picture(&format!("racing_{name}"), fx::racing(puzzle));
    }
}

#[test]
fn racing_when_solved() {
    let mut model = fx::racing("slide:4x4");
    let mut standings = fx::standings();
    standings.rows[1].state = gridrace_shared::standings::State::Finished {
        time: Millis(54_250),
    };
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
fn results() {
    picture("results", fx::over("slide:4x4"));
}

#[test]
fn results_of_a_server_that_broke_its_promise() {
    let mut model = fx::racing("slide:4x4");
    let mut secret = fx::secret();
    secret.seed = "monday".parse().unwrap();
    let result = gridrace_shared::protocol::heat::HeatResult {
        standings: fx::standings().rows,
        start: fx::start("slide:4x4"),
        reveal: secret,
    };
    fx::hear(&mut model, ServerMessage::Phase(Phase::Over(result)));
    picture("results_broken", model);
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
    fx::letter(&mut model, 'o');
    picture("options", model);
}

#[test]
fn a_lost_connection_is_said_above_everything() {
    let mut model = fx::racing("slide:4x4");
    model.link.line = Line::Lost {
        attempt: 2,
        why: NetError::TimedOut,
    };
    picture("lost", model);
}

#[test]
fn ascii_is_all_that_is_drawn_where_it_is_asked_for() {
    let screens = [
        ("lobby", lobby(Role::Player)),
        ("racing", fx::racing("slide:4x4")),
        ("watching", fx::watching("slide:3x3")),
        ("results", fx::over("slide:4x4")),
    ];
    for (name, mut model) in screens {
        model.settings.ascii = true;
        let text = shown(&mut model, LARGE);
        assert!(text.is_ascii(), "{name}:\n{text}");
        insta::assert_snapshot!(format!("ascii_{name}"), text);
    }
}

#[test]
fn without_colours_there_are_none_and_the_rest_stays() {
    let mut model = fx::racing("slide:4x4");
    model.settings.color = false;
    let plain = buffer(&mut model, LARGE);
    assert!(
        plain
            .content
            .iter()
            .all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset)
    );
    assert!(plain.content.iter().any(|cell| !cell.modifier.is_empty()));
    let mut colourful = model.clone();
    colourful.settings.color = true;
    assert_eq!(shown(&mut model, LARGE), shown(&mut colourful, LARGE));
}

#[test]
fn light_and_dark_differ_in_colours_only() {
    let mut dark = fx::racing("slide:4x4");
    let mut light = dark.clone();
    light.settings.light = true;
    assert_ne!(buffer(&mut dark, LARGE), buffer(&mut light, LARGE));
    assert_eq!(shown(&mut dark, LARGE), shown(&mut light, LARGE));
}

#[test]
fn a_terminal_below_40x12_says_so() {
    insta::assert_snapshot!(
        "too_small_20x6",
        shown(&mut fx::racing("slide:4x4"), (20, 6))
    );
}

#[test]
fn any_size_can_be_drawn() {
    let mut models = vec![
        fx::model(),
        lobby(Role::Player),
        fx::racing("slide:4x4"),
        fx::racing("slide:16x16"),
        fx::watching("slide:16x16"),
        fx::over("slide:4x4"),
    ];
    for model in &mut models {
        for width in [1, 5, 39, 40, 41, 57, 60, 79, 80, 120, 250] {
            for height in [1, 2, 11, 12, 13, 17, 20, 24, 50, 100] {
                for overlay in [None, Some(Overlay::Help), Some(Overlay::Bots)] {
                    model.overlay = overlay;
                    buffer(model, (width, height));
                }
            }
        }
    }
}

#[test]
fn a_click_hits_the_tile_that_is_drawn_there() {
    for size in [LARGE, SMALL, (120, 50)] {
        let mut model = fx::racing("slide:4x4");
        let text = shown(&mut model, size);
        for (y, line) in text.lines().enumerate() {
            for tile in 10..=15u16 {
                let Some(at) = line.find(&tile.to_string()) else {
                    continue;
                };
                let x = line[..at].chars().count();
                let Some(hit) = cell_at(&model, x as u16, y as u16) else {
                    continue;
                };
                let gridrace_shared::puzzle::Board::Slide(board) = fx::start("slide:4x4");
                assert_eq!(
                    board.tile(board.size().cell(hit.0, hit.1)),
                    tile,
                    "{size:?}"
                );
            }
        }
    }
}

const HOSTILE: &str = "\u{1b}]0;x\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{2066}\u{200b}\u{feff}evil";

#[test]
fn nothing_hostile_reaches_the_screen() {
    let mut screens = Vec::new();
    let mut choose = fx::model();
    let form = JoinForm::new("192.168.1.5", None, "Anna", Role::Player);
    choose.link.server = HOSTILE.to_owned();
    choose.screen = Screen::Choose(Choose {
        heats: Vec::new(),
        chosen: 0,
        role: Role::Player,
        form,
    });
    screens.push(choose);
    let mut waiting = fx::model();
    waiting.screen = Screen::Waiting("Opening a heat");
    let errand = Errand::List { role: Role::Player };
    let (address, name) = (HOSTILE.to_owned(), HOSTILE.to_owned());
    waiting.link.goal = Some(Goal {
        address,
        name,
        variant: 1,
        errand,
    });
    screens.push(waiting);
    for mut model in [
        lobby(Role::Player),
        fx::racing("slide:4x4"),
        fx::watching("slide:4x4"),
        fx::over("slide:4x4"),
    ] {
        let Screen::Heat(heat) = &mut model.screen else {
            unreachable!()
        };
        heat.names
            .values_mut()
            .for_each(|tag| tag.name = HOSTILE.to_owned());
        model.invitation = vec![HOSTILE.to_owned(), HOSTILE.to_owned()];
        screens.push(model.clone());
        model.complain(HOSTILE);
        screens.push(model.clone());
        model.overlay = Some(Overlay::Confirm(Question::Kick(fx::ZOE)));
        screens.push(model);
    }
    for mut model in screens {
        for size in [LARGE, SMALL] {
            for cell in &buffer(&mut model, size).content {
                assert!(
                    cell.symbol()
                        .chars()
                        .all(gridrace_shared::name::may_stand_in_a_name),
                    "{:?}",
                    cell.symbol()
                );
            }
        }
    }
}

#[test]
fn a_long_roster_scrolls_with_the_cursor() {
    let mut model = lobby(Role::Player);
    let members = (1..=40).map(|n| {
        fx::member(
            gridrace_shared::name::PlayerId(n),
            &format!("player {n}"),
            Kind::Human,
        )
    });
    let roster = Roster {
        host: Some(fx::ME),
        members: members.collect(),
    };
    fx::hear(&mut model, ServerMessage::Roster(roster));
    press(&mut model, KeyCode::Up);
    assert!(shown(&mut model, LARGE).contains("player 40"));
    assert!(!shown(&mut model, LARGE).contains("player 2 "));
}
