//! Screens of a room besides its race: lobby, host's menu, announcements, endings and the keys that
//! leave.

use super::*;
use crate::test_support::tournament::{self as cup, Raced};
use gridrace_shared::protocol::tournament::TournamentPhase;

#[test]
fn the_link_is_shown_as_a_qr_code_where_there_is_room() {
    let mut model = lobby(Role::Player);
    letter(&mut model, 'i');
    picture("invitation", model.clone());
    model.settings.appearance.ascii = true;
    let without_code = |model: &mut Model, size, why: &str| {
        let text = shown(model, size);
        for wanted in [why, "c copy", "tab next address", "esc back"] {
            assert!(text.contains(wanted), "{wanted} in\n{text}");
        }
    };
    for size in [LARGE, SMALL] {
        without_code(&mut model, size, "needs more than ASCII");
    }
    model.invitation.clear();
    model.connection.goal.as_mut().unwrap().address = "127.0.0.1".to_owned();
    assert!(shown(&mut model, LARGE).contains("only a browser here opens"));
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
        let races = model.shown_heat().unwrap().race().is_some();
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
    // A player who is done sees the places at once.
    let mut model = finished();
    close(&mut model, ClosingReason::OnlyBots);
    picture("only_bots", model);
}

/// In a race that is over for oneself, and goes on for others.
fn finished() -> Model {
    let mut model = fx::racing("slide:4x4");
    let mut standings = fx::standings();
    standings.rows[1].state = RaceState::Finished { time: Millis(54_250) };
    standings.rows[1].progress = 1_000;
    fx::hear(&mut model, ServerMessage::Standings(standings));
    model.joined_heat_mut().unwrap().race_mut().unwrap().out = true;
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
    assert!(shown(&mut model, SMALL).contains("tab more boards"));
    model.overlay = Some(Overlay::Help);
    for size in [LARGE, SMALL] {
        let text = shown(&mut model, size);
        for (key, what) in [("v", "others' boards"), ("tab", "more boards"), ("q", "leave")] {
            let key = format!("│ {key} ");
            let has = |line: &str| line.contains(&key) && line.contains(what);
            assert!(text.lines().any(has), "{key} in\n{text}");
        }
        assert!(!text.contains("give up"), "{text}");
    }
    model.overlay = None;
    letter(&mut model, 'v');
    assert!(shown(&mut model, LARGE).contains("v watch the others"));
}

#[test]
fn who_watches_sees_at_every_size_that_the_next_heat_is_theirs() {
    for spec in ["slide:4x4", "slide:16x16", "link:20x20"] {
        let mut model = fx::watching(spec);
        let mut roster = fx::roster(Role::Spectator);
        roster.members.iter_mut().for_each(|member| member.next_seat = member.id == fx::ME);
        fx::hear(&mut model, ServerMessage::Roster(roster));
        for (size, words) in [(LARGE, "you race in the next heat"), (SMALL, "you race next")] {
            let text = shown(&mut model, size);
            assert!(text.contains(words) && text.contains("0:34.2"), "{text}");
        }
    }
}

#[test]
fn everybody_sees_what_is_held_queued_and_announced_and_who_is_in_charge() {
    let mut model = lobby(Role::Spectator);
    let mut roster = fx::roster(Role::Spectator);
    roster.members[0].operator = true;
    roster.members[0].connected = false;
    roster.members[0].away_until = Some(HeatInstant(86_250));
    let mut screen = roster.clone();
    screen.members[0].role = Role::Spectator;
    fx::hear(&mut model, ServerMessage::Roster(screen));
    assert!(!shown(&mut model, (120, 30)).contains("is away, seat kept"), "it has no seat");
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
fn the_host_sees_the_pin_and_a_command_that_a_shell_takes() {
    let mut model = lobby(Role::Player);
    fx::hear(
        &mut model,
        ServerMessage::HostInfo { pin: Some("4711".parse().unwrap()), banned: Vec::new() },
    );
    assert!(shown(&mut model, LARGE).contains("gridrace join JBKW 192.168.1.5 --pin 4711"));
    assert!(shown(&mut model, SMALL).contains("PIN 4711"));
    model.invitation = vec!["[fd77::1]:7415".to_owned()];
    assert!(shown(&mut model, LARGE).contains("gridrace join JBKW '[fd77::1]:7415' --pin 4711"));
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
    model.server_usage.people = model.other_people() + 3;
    let text = shown(&mut model, SMALL);
    assert!(text.contains("4 players lose their rooms."), "{text}");
    model.overlay = Some(Overlay::Confirm(Question::Quit));
    assert!(shown(&mut model, LARGE).contains("4 players lose their rooms."));
}

#[test]
fn quitting_says_what_becomes_of_the_tournaments_on_the_own_server() {
    let mut model = fx::model();
    model.overlay = Some(Overlay::Confirm(Question::Quit));
    model.server_usage.tournaments = vec!["friday".to_owned()];
    picture("quit_tournament", model.clone());
    model.server_usage.people = 3;
    let text = shown(&mut model, LARGE);
    assert!(text.contains("The tournament friday ends. 3 players"), "{text}");
    // A data folder keeps what there is for the next server.
    model.server_usage.is_kept = true;
    let text = shown(&mut model, LARGE);
    assert!(text.contains("The tournament friday waits until it runs"), "{text}");
    model.server_usage.tournaments.push("sunday".to_owned());
    assert!(shown(&mut model, LARGE).contains("2 tournaments wait until it runs again."));
    model.server_usage.tournaments.clear();
    assert!(shown(&mut model, LARGE).contains("Its rooms wait until it runs again."));
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
    model.is_loopback_only = true;
    let text = at(&mut model, "127.0.0.1:7415");
    assert!(text.contains("No address of this machine leads here."), "{text}");
    // The server of this program listens on this machine alone.
    model.hosting = true;
    let text = at(&mut model, "127.0.0.1:40123");
    assert!(
        text.contains("listens on this machine alone") && !text.contains("elsewhere"),
        "{text}"
    );
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
fn lobby_of_the_host_and_of_a_spectator() {
    picture("lobby_host", lobby(Role::Player));
    picture("lobby_spectator", lobby(Role::Spectator));
    let mut model = lobby(Role::Player);
    model.connection.goal.as_mut().unwrap().pin = Some("4711".parse().unwrap());
    picture("lobby_pin", model);
}

#[test]
fn who_hosts_a_heat_that_is_not_recorded_sees_so_until_it_is() {
    sees_that_nothing_is_recorded(fx::racing("slide:4x4"), "the heat is");
}

#[test]
fn the_organiser_of_a_tournament_that_is_not_recorded_sees_so_until_it_is() {
    let raced = Raced::entered("series:3", 4);
    let model = cup::following(&raced, TournamentPhase::Entries, cup::organiser());
    sees_that_nothing_is_recorded(model, "the tournament is");
}

fn sees_that_nothing_is_recorded(mut model: Model, what: &str) {
    let sees =
        |model: &mut Model| [LARGE, SMALL].map(|size| shown(model, size).contains("not recorded"));
    assert_eq!(sees(&mut model), [false, false]);
    fx::hear(&mut model, ServerMessage::Recording(RecordingStatus::Slow));
    assert!(shown(&mut model, LARGE).contains("slow disk"));
    fx::hear(&mut model, ServerMessage::Recording(RecordingStatus::Unrecorded));
    model.notice = None;
    assert_eq!(sees(&mut model), [true, true]);
    fx::hear(&mut model, ServerMessage::Recording(RecordingStatus::Recorded));
    assert!(model.notice.as_ref().unwrap().text.contains(what));
    assert!(shown(&mut model, LARGE).contains("works again"));
    assert_eq!(sees(&mut model), [false, false]);
}

#[test]
fn a_narrow_form_keeps_the_key_that_leads_back_and_shows_all_of_its_error() {
    let mut model = fx::model();
    letter(&mut model, 'j');
    assert!(shown(&mut model, SMALL).contains("esc back"));
    let Screen::Join(form) = &mut model.screen else { panic!("{:?}", model.screen) };
    form.fail(
        None,
        "There is no such room (a room's code has four letters, as its lobby shows it); the room \
         may be closed by now."
            .to_owned(),
    );
    let text = shown(&mut model, SMALL);
    assert!(text.contains("by now."), "{text}");
}

#[test]
fn wide_characters_leave_the_edge_of_a_dialog_whole() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 3));
    let mut canvas = Canvas::new(&mut buffer, fx::model().theme());
    canvas.text(Rect::new(1, 1, 11, 1), "\u{6f22}\u{5b57}\u{6f22}\u{5b57}", Look::Text);
    canvas.boxed(Rect::new(4, 0, 4, 3), "", Look::Line);
    let row: Vec<_> = (0..12).map(|x| buffer[(x, 1)].symbol()).collect();
    assert_eq!(row[3..8], [" ", "│", " ", " ", "│"]);
    assert_eq!(row[1], "\u{6f22}");
}
