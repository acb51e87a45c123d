//! Every screen at every size that matters.

mod big_screen;
mod bound_keys;
mod layout;
mod link;
mod pictures;
mod replay;
mod results;
mod robust;
mod stats;
mod tournament;

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
use gridrace_shared::heat::standings::State;
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
fn home() {
    picture("home", fx::model());
}

#[test]
fn home_shows_a_board_of_the_puzzle_that_is_offered() {
    for (name, offered) in [("home_slide", "slide:4x4"), ("home_link", "link:7x7:normal")] {
        let mut model = fx::model();
        model.offer = OFFERS.iter().position(|offer| *offer == offered).unwrap();
        let tick = |model: &mut Model| update(model, ClientInstant(0), Event::Tick);
        let effects = tick(&mut model);
        let [Effect::Draw { spec, seed }] = &effects[..] else { panic!("{effects:?}") };
        let drawn = Box::new(GeneratedBoard::of(spec, seed));
        let (spec, seed) = (*spec, seed.clone());
        fx::tell(&mut model, Event::Drawn { spec, seed, drawn });
        assert_eq!(tick(&mut model), [], "it is asked for once");
        picture(name, model);
    }
}

#[test]
fn home_lists_rooms_nearby() {
    let mut model = fx::model();
    let room = |code: &str, phase, address: &str| NearbyEntry {
        offer: NearbyOffer::Room {
            code: code.parse().unwrap(),
            spec: "slide:4x4".parse().unwrap(),
            phase,
        },
        address: address.parse().unwrap(),
    };
    let (name, phase) = ("friday".parse().unwrap(), TournamentPhase::CheckIn);
    let tournament = NearbyEntry {
        offer: NearbyOffer::Tournament { name, phase },
        address: "192.168.1.5".parse().unwrap(),
    };
    model.nearby = vec![
        tournament,
        room("KQZT", RoomPhase::Lobby, "192.168.1.5"),
        room("BCDF", RoomPhase::Racing, "wss://race.example"),
    ];
    press(&mut model, KeyCode::Up);
    picture("home_nearby", model);
}

#[test]
fn the_link_is_shown_as_a_qr_code_where_there_is_room() {
    let mut model = lobby(Role::Player);
    letter(&mut model, 'i');
    picture("invitation", model.clone());
    model.settings.appearance.ascii = true;
    assert!(shown(&mut model, LARGE).contains("needs more than ASCII"));
    model.invitation.clear();
    model.connection.goal.as_mut().unwrap().address = "127.0.0.1".to_owned();
    assert!(shown(&mut model, LARGE).contains("Only this machine reaches"));
}

#[test]
fn join_form() {
    let mut model = fx::model();
    model.screen = Screen::Join(JoinForm::new("192.168.1.5", None, "Anna", Role::Player));
    picture("join_form", model.clone());
    let mut form = JoinForm::new("a b", None, "", Role::Player);
    assert_eq!(form.goal(&ServerNames::default()), None);
    model.screen = Screen::Join(form);
    picture("join_form_faults", model.clone());
    model.screen = Screen::Home(Home::default());
    letter(&mut model, 'h');
    picture("host_form", model);
}

/// A room of which the player is the host, in each phase.
fn hosted() -> Vec<(&'static str, Model)> {
    vec![
        ("lobby", lobby(Role::Player)),
        ("racing", fx::racing("slide:4x4")),
        ("over", fx::over("slide:4x4")),
    ]
}

#[test]
fn the_host_s_menu() {
    for (name, mut model) in hosted() {
        letter(&mut model, 'm');
        picture(&format!("host_menu_{name}"), model);
    }
    let mut model = fx::racing("slide:4x4");
    letter(&mut model, 'm');
    letter(&mut model, 'b');
    picture("host_menu_members", model.clone());
    press(&mut model, KeyCode::Enter);
    picture("host_menu_ban", model.clone());
    model.overlay = None;
    letter(&mut model, 'm');
    letter(&mut model, 'a');
    letter(&mut model, '8');
    picture("host_menu_announce", model.clone());
    model.overlay = None;
    let key = Key::from_bytes([7; 32]).public().fingerprint(false);
    let ban = Ban { key, name: "Max".parse().unwrap(), by_operator: false };
    fx::hear(&mut model, ServerMessage::HostInfo { pin: None, banned: vec![ban] });
    letter(&mut model, 'm');
    letter(&mut model, 'u');
    picture("host_menu_bans", model);
}

#[test]
fn everybody_sees_that_the_heat_ends_soon_and_why() {
    let close = |model: &mut Model, why| {
        let closing = Closing { ends: HeatInstant(52_000), why };
        fx::hear(model, ServerMessage::Closing(Some(closing)));
    };
    let sees = |model: &mut Model, long: &str, short: &str| {
        for (size, text) in [(LARGE, long), (SMALL, short)] {
            let screen = shown(model, size);
            assert!(screen.contains(text), "{text} in\n{screen}");
        }
    };
    for mut model in [fx::racing("slide:4x4"), fx::watching("slide:4x4")] {
        let races = model.heat().unwrap().race().is_some();
        close(&mut model, ClosingReason::Idle);
        let (long, short) = if races {
            ("ends in 0:08: everybody left is idle: move to go on", "in 0:08: move to go on")
        } else {
            ("ends in 0:08: everybody left is idle", "in 0:08: everybody left is idle")
        };
        sees(&mut model, long, short);
        close(&mut model, ClosingReason::OnlyBots);
        sees(&mut model, "ends in 0:08: only bots still race", "in 0:08: only bots still race");
        fx::hear(&mut model, ServerMessage::Closing(None));
        assert!(!shown(&mut model, LARGE).contains("ends in"));
    }
    // Who is done sees the places at once.
    let mut model = finished();
    close(&mut model, ClosingReason::OnlyBots);
    picture("only_bots", model);
}

/// In a race that is over for oneself, and goes on for others.
fn finished() -> Model {
    let mut model = fx::racing("slide:4x4");
    let mut standings = fx::standings();
    standings.rows[1].state = State::Finished { time: Millis(54_250) };
    standings.rows[1].progress = 1_000;
    fx::hear(&mut model, ServerMessage::Standings(standings));
    model.heat_mut().unwrap().race_mut().unwrap().out = true;
    model
}

#[test]
fn who_has_finished_watches_the_others_by_one_key_and_goes_back() {
    let mut model = finished();
    letter(&mut model, 'v');
    assert!(model.notice.as_ref().unwrap().text.contains("let finishers watch"));
    model.notice = None;
    let boards = [fx::ZOE, fx::ROVER, fx::PIP]
        .map(|player| PlayerBoard { player, board: fx::start("slide:4x4") });
    fx::hear(&mut model, ServerMessage::Boards(boards.to_vec()));
    assert!(shown(&mut model, LARGE).contains("v watch the others"));
    letter(&mut model, 'v');
    picture("finisher_watches", model.clone());
    letter(&mut model, 'v');
    assert!(shown(&mut model, LARGE).contains("v watch the others"));
}

#[test]
fn everybody_sees_what_is_held_queued_and_announced_and_who_is_in_charge() {
    let mut model = lobby(Role::Spectator);
    let mut roster = fx::roster(Role::Spectator);
    roster.members[0].operator = true;
    roster.members[0].connected = false;
    roster.members[0].away_until = Some(HeatInstant(86_250));
    fx::hear(&mut model, ServerMessage::Roster(roster));
    let text = "Pizza at nine".parse().unwrap();
    fx::hear(&mut model, ServerMessage::Announcement { by: fx::ZOE, text });
    let setup = Setup { held_by: Some(fx::ZOE), ..fx::setup("slide:4x4") };
    fx::hear(&mut model, ServerMessage::Setup(setup.clone()));
    picture("lobby_held", model.clone());
    fx::hear(&mut model, ServerMessage::Phase(fx::running("slide:4x4")));
    let queued = Some(gridrace_shared::heat::options::HeatOptions::new(fx::spec("link:7x7")));
    fx::hear(&mut model, ServerMessage::Setup(Setup { queued, ..setup }));
    let screen = shown(&mut model, (120, 30));
    for text in ["start held by Zoë", "next: link:7x7", "host Zoë", "is away, seat kept 0:42"] {
        assert!(screen.contains(text), "{text} in\n{screen}");
    }
    assert!(model.notice.unwrap().text.contains("Next heat: link:7x7"));
}

#[test]
fn the_host_sees_the_pin() {
    let mut model = lobby(Role::Player);
    fx::hear(
        &mut model,
        ServerMessage::HostInfo { pin: Some("4711".parse().unwrap()), banned: Vec::new() },
    );
    assert!(shown(&mut model, LARGE).contains("gridrace join JBKW 192.168.1.5 --pin 4711"));
    assert!(shown(&mut model, SMALL).contains("PIN 4711"));
}

#[test]
fn results_say_how_many_want_a_rematch() {
    let mut model = fx::over("slide:4x4");
    assert!(!shown(&mut model, LARGE).contains("want a rematch"));
    let mut roster = fx::roster(Role::Player);
    roster.members[1].ready = true;
    fx::hear(&mut model, ServerMessage::Roster(roster));
    assert!(shown(&mut model, LARGE).contains("1 of 2 wants a rematch"));
}

#[test]
fn leaving_says_what_ends_for_whom() {
    let mut model = lobby(Role::Player);
    model.overlay = Some(Overlay::Confirm(Question::Leave));
    picture("leave", model.clone());
    model.hosting = true;
    assert!(shown(&mut model, SMALL).contains("1 player loses this room."));
    let mut roster = fx::roster(Role::Player);
    roster.members.push(fx::member(PlayerId(9), "Max", PlayerKind::Human));
    fx::hear(&mut model, ServerMessage::Roster(roster));
    picture("leave_and_end", model.clone());
    // Two more are in private rooms.
    model.served_people = model.other_people() + 3;
    let text = shown(&mut model, SMALL);
    assert!(text.contains("4 players lose their rooms."), "{text}");
    model.overlay = Some(Overlay::Confirm(Question::Quit));
    assert!(shown(&mut model, LARGE).contains("4 players lose their rooms."));
}

#[test]
fn a_player_who_is_gone_for_good_is_not_called_away() {
    let mut model = fx::racing("slide:4x4");
    assert!(shown(&mut model, LARGE).contains(" away"));
    let mut roster = fx::roster(Role::Player);
    let zoe = roster.members.iter_mut().find(|member| member.id == fx::ZOE).unwrap();
    zoe.connected = false;
    fx::hear(&mut model, ServerMessage::Roster(roster));
    let text = shown(&mut model, LARGE);
    assert!(text.contains(" left") && !text.contains(" away"), "{text}");
}

#[test]
fn list_of_heats() {
    let mut model = fx::model();
    let room = |number, phase| fx::room_summary(RoomCode::from_number(number), phase);
    let rooms = vec![
        RoomSummary { host: Some("Zoë".parse().unwrap()), ..room(5, RoomPhase::Lobby) },
        RoomSummary {
            name: Some("Friday cup".parse().unwrap()),
            spec: fx::spec("link:10x10:hard"),
            people: 28,
            full: true,
            ..room(99_999, RoomPhase::Racing)
        },
        RoomSummary { needs_pin: true, ..room(7, RoomPhase::Results) },
    ];
    let form = JoinForm::new("192.168.1.5", None, "Anna", Role::Player);
    model.connection.server = "gridrace-server 0.1.0".to_owned();
    let (chosen, role) = (1, Role::Player);
    let mut choose = Choose { rooms, chosen, role, form };
    model.screen = Screen::Choose(choose.clone());
    picture("list_of_heats", model.clone());
    choose.update(Vec::new());
    model.screen = Screen::Choose(choose);
    picture("list_without_rooms", model);
}

#[test]
fn a_player_who_is_ready_sees_what_the_start_waits_for() {
    let mut model = lobby(Role::Player);
    let says = |model: &mut Model, text: &str| {
        for size in [LARGE, SMALL] {
            let screen = shown(model, size);
            assert!(screen.contains(text), "{text} in\n{screen}");
        }
    };
    let mut roster = fx::roster(Role::Player);
    roster.members[0].ready = true;
    roster.members[1].ready = false;
    fx::hear(&mut model, ServerMessage::Roster(roster.clone()));
    says(&mut model, "waiting for Zoë");
    roster.members[3].ready = false;
    fx::hear(&mut model, ServerMessage::Roster(roster.clone()));
    says(&mut model, "and 1 oth");
    roster.members.truncate(1);
    fx::hear(&mut model, ServerMessage::Roster(roster.clone()));
    says(&mut model, "you are alone: s starts, b adds a bot");
    roster.host = None;
    fx::hear(&mut model, ServerMessage::Roster(roster));
    says(&mut model, "waiting for another player");
}

#[test]
fn an_address_that_leads_nowhere_from_elsewhere_is_no_invitation() {
    let mut model = lobby(Role::Player);
    model.invitation.clear();
    let at = |model: &mut Model, address: &str| {
        model.connection.goal.as_mut().unwrap().address = address.to_owned();
        shown(model, LARGE)
    };
    for address in ["127.0.0.1:7415", "[::1]:7415", "localhost:7415", "ws://127.0.0.1:7415"] {
        let text = at(&mut model, address);
        assert!(text.contains("Others on this machine join with"), "{text}");
        assert!(text.contains("by this machine's own address"), "{text}");
    }
    assert!(at(&mut model, "192.168.1.5:7415").contains("Others join with"));
    // The server of this program listens on this machine alone.
    model.hosting = true;
    let text = at(&mut model, "127.0.0.1:40123");
    assert!(text.contains("on this machine") && !text.contains("elsewhere"), "{text}");
}

#[test]
fn a_notice_leaves_the_keys_and_an_announcement_stands_once() {
    let mut model = lobby(Role::Player);
    model.notice("Back in your seat.");
    let text = shown(&mut model, LARGE);
    assert!(text.contains("Back in your seat.") && text.contains("? help"), "{text}");
    model.notice = None;
    let text = "Pizza at nine, then the final on the large board: all who play come to the front";
    let text = text.parse().unwrap();
    fx::hear(&mut model, ServerMessage::Announcement { by: fx::ZOE, text });
    for _ in 0..2 {
        let text = shown(&mut model, LARGE);
        assert_eq!(text.matches("Pizza").count(), 1, "{text}");
        assert!(text.contains("? help"), "{text}");
        model.announcement = None;
    }
}

#[test]
fn an_announcement_that_is_too_long_comes_part_by_part() {
    let mut model = fx::racing("slide:4x4");
    let text = "Pizza at nine, and then the final: all who play come to the front".parse().unwrap();
    fx::hear(&mut model, ServerMessage::Announcement { by: fx::ZOE, text });
    let mut seen = String::new();
    for _ in 0..3 {
        seen += shown(&mut model, SMALL).lines().last().unwrap();
        seen.push(' ');
        model.now.0 += 2_500_000;
    }
    for word in ["Pizza", "final:", "front"] {
        assert!(seen.contains(word), "{seen}");
    }
}

#[test]
fn waiting() {
    let mut model = fx::model();
    model.screen = Screen::Waiting("Opening a room");
    picture("waiting", model);
}

#[test]
fn lobby_of_the_host_and_of_a_spectator() {
    picture("lobby_host", lobby(Role::Player));
    picture("lobby_spectator", lobby(Role::Spectator));
    let mut model = lobby(Role::Player);
    model.connection.goal.as_mut().unwrap().pin = Some("4711".parse().unwrap());
    picture("lobby_pin", model);
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
    let racing = model.heat().unwrap().race().unwrap();
    let Board::Slide(board) = racing.play.board() else { unreachable!() };
    let play = board.legal_moves().next().unwrap();
    let hint = Hint::Slide(slide::SlideHint {
        play,
        then: then_played(board, play),
        at_least: 39,
        at_most: 41,
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
    model.heat_mut().unwrap().view.outage = Millis(8_001);
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
    duel.heat_mut().unwrap().view.standings.truncate(3);
    picture("racing_few", duel);
}

#[test]
fn racing_when_solved() {
    let mut model = fx::racing("slide:4x4");
    let mut standings = fx::standings();
    standings.rows[1].state = State::Finished { time: Millis(54_250) };
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

#[test]
fn who_hosts_a_heat_that_is_not_recorded_sees_so_until_it_is() {
    let mut model = fx::racing("slide:4x4");
    let sees =
        |model: &mut Model| [LARGE, SMALL].map(|size| shown(model, size).contains("not recorded"));
    assert_eq!(sees(&mut model), [false, false]);
    fx::hear(&mut model, ServerMessage::Recording(RecordingStatus::Slow));
    assert!(shown(&mut model, LARGE).contains("slow disk"));
    fx::hear(&mut model, ServerMessage::Recording(RecordingStatus::Unrecorded));
    model.notice = None;
    assert_eq!(sees(&mut model), [true, true]);
    fx::hear(&mut model, ServerMessage::Recording(RecordingStatus::Recorded));
    assert!(shown(&mut model, LARGE).contains("works again"));
    assert_eq!(sees(&mut model), [false, false]);
}
