//! The lobby, and what every screen shares.

use super::*;
use crate::tui::model::MemberAction;
use crate::tui::own_server::ServerUsage;
use crate::tui::race_keeper::{RaceAnswer, ReplayUse};
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::protocol::snapshot::Setup;
use gridrace_shared::util::seed::Seed;

#[test]
fn only_the_host_has_the_host_s_keys() {
    let mut model = lobby(Role::Player);
    assert_eq!(letter(&mut model, 's'), [Send(ClientMessage::Start)]);
    letter(&mut model, 'b');
    assert_eq!(letter(&mut model, '5'), [Send(ClientMessage::AddBot { skill: Skill::Master })]);
    key(&mut model, KeyCode::Down);
    letter(&mut model, 'd');
    assert_eq!(letter(&mut model, 'y'), [Send(ClientMessage::Kick { player: fx::ZOE })]);

    let mut model = lobby(Role::Spectator);
    for host_only in ['s', 'b', 'o', 'd'] {
        assert_eq!(letter(&mut model, host_only), []);
        assert!(model.overlay.is_none(), "{host_only}");
    }
    assert_eq!(letter(&mut model, 't'), [Send(ClientMessage::TakeSeat)]);
}

#[test]
fn options_are_sent_as_they_were_edited() {
    let mut model = lobby(Role::Player);
    letter(&mut model, 'o');
    key(&mut model, KeyCode::Down);
    key(&mut model, KeyCode::Backspace);
    let commands = key(&mut model, KeyCode::Enter);
    let options = HeatOptions { time_limit_seconds: 60, ..HeatOptions::new(fx::spec("slide:4x4")) };
    assert_eq!(commands, [Send(ClientMessage::Options { options, seed: None })]);
}

#[test]
fn a_seed_is_offered_with_the_options_that_it_was_sent_with() {
    let shown = |model: &mut Model| {
        letter(model, 'm');
        letter(model, 'o');
        let Some(Overlay::Options(form)) = &mut model.overlay else { panic!() };
        form.read().unwrap().1
    };
    let submit_with = |model: &mut Model, seed: &str| {
        key(model, KeyCode::Up);
        seed.chars().for_each(|typed| drop(letter(model, typed)));
        drop(key(model, KeyCode::Enter));
    };
    let seed = |text: &str| Some(text.parse::<Seed>().unwrap());
    let mut model = lobby(Role::Player);
    let setup = fx::setup("slide:4x4");
    assert_eq!(shown(&mut model), None);
    submit_with(&mut model, "friday");
    let setup = Setup { seed: SeedOrigin::Host, ..setup };
    hear(&mut model, ServerMessage::Setup(setup.clone()));
    assert_eq!(shown(&mut model), seed("friday"));
    key(&mut model, KeyCode::Esc);
    // From now on the form is about the next heat.
    hear(&mut model, ServerMessage::Phase(fx::running("slide:4x4")));
    assert_eq!(shown(&mut model), None);
    submit_with(&mut model, "monday");
    let queued = Some(HeatOptions::new(fx::spec("slide:4x4")));
    let mut setup = Setup { queued, ..setup };
    hear(&mut model, ServerMessage::Setup(setup.clone()));
    assert_eq!(shown(&mut model), seed("monday"));
    key(&mut model, KeyCode::Esc);
    // Another host's options have another seed.
    setup.queued = Some(HeatOptions::new(fx::spec("slide:3x3")));
    hear(&mut model, ServerMessage::Setup(setup));
    assert_eq!(shown(&mut model), None);
}

#[test]
fn ready_is_said_and_taken_back() {
    let mut model = lobby(Role::Player);
    assert_eq!(key(&mut model, KeyCode::Enter), [Send(ClientMessage::Ready { ready: true })]);
    let mut roster = fx::roster(Role::Player);
    roster.members[0].ready = true;
    hear(&mut model, ServerMessage::Roster(roster));
    assert_eq!(key(&mut model, KeyCode::Enter), [Send(ClientMessage::Ready { ready: false })]);
}

#[test]
fn a_player_who_becomes_the_host_is_told() {
    let mut model = lobby(Role::Spectator);
    let mut roster = fx::roster(Role::Spectator);
    roster.host = Some(fx::ME);
    hear(&mut model, ServerMessage::Roster(roster));
    assert!(model.notice.unwrap().text.contains("host"));
}

#[test]
fn names_of_those_who_left_stay_until_the_next_heat() {
    let mut model = fx::racing("slide:4x4");
    let mut roster = fx::roster(Role::Player);
    roster.members.retain(|member| member.id != fx::ZOE);
    hear(&mut model, ServerMessage::Roster(roster));
    assert!(heat(&model).name(fx::ZOE).name.starts_with("Zoë"));
}

#[test]
fn a_notice_goes_by_itself() {
    let mut model = fx::model();
    model.notice("hello");
    let stands = model.notice.as_ref().unwrap().until.since(model.now);
    later(&mut model, stands - Duration::from_micros(1), Event::Tick);
    assert!(model.notice.is_some());
    later(&mut model, Duration::from_micros(1), Event::Tick);
    assert!(model.notice.is_none());
}

#[test]
fn control_c_ends_the_program_from_everywhere() {
    let question = Overlay::Confirm(Question::Leave);
    for overlay in [None, Some(Overlay::Help), Some(question), Some(Overlay::Bots)] {
        let mut model = fx::racing("slide:4x4");
        model.overlay = overlay;
        let now = model.now;
        let message = Event::Key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
        assert_eq!(update(&mut model, now, message), [Effect::Exit(Exit::Interrupted)]);
    }
}

#[test]
fn results_are_left_without_a_question_unless_others_lose_the_room() {
    let mut model = fx::over("slide:4x4");
    assert!(letter(&mut model, 'q').contains(&Send(ClientMessage::Leave)));
    assert!(matches!(model.screen, Screen::Home(_)) && model.overlay.is_none());

    let mut model = fx::over("slide:4x4");
    model.hosting = true;
    assert_eq!(letter(&mut model, 'q'), []);
    assert!(matches!(model.overlay, Some(Overlay::Confirm(Question::Leave))));
    let left = letter(&mut model, 'y');
    assert!(left.contains(&Send(ClientMessage::Leave)) && left.contains(&Effect::StopServer));

    let mut model = fx::over("slide:4x4");
    model.hosting = true;
    let mut roster = fx::roster(Role::Player);
    let others = roster.members.iter_mut().filter(|member| member.id != fx::ME);
    others.for_each(|member| (member.connected, member.away_until) = (false, None));
    hear(&mut model, ServerMessage::Roster(roster.clone()));
    assert_eq!(model.loses_room(), 0, "members who are gone for good lose nothing");
    let until = Some(HeatInstant(90_000));
    roster.members.iter_mut().for_each(|member| member.away_until = until);
    hear(&mut model, ServerMessage::Roster(roster));
    assert!(model.loses_room() > 0, "members whose seat is kept may return");
}

#[test]
fn leaving_the_server_in_this_program_counts_the_people_in_its_other_rooms() {
    let mut model = lobby(Role::Player);
    model.hosting = true;
    let mut roster = fx::roster(Role::Player);
    roster.members.retain(|member| member.id == fx::ME);
    hear(&mut model, ServerMessage::Roster(roster));
    assert_eq!(model.loses_room(), 0);
    // Oneself and three others.
    let usage = ServerUsage { people: 4, ..ServerUsage::default() };
    tell(&mut model, Event::ServerUsage(usage));
    assert_eq!(model.loses_room(), 3);
    hear(&mut model, ServerMessage::Phase(fx::running("slide:4x4")));
    hear(&mut model, ServerMessage::Phase(fx::ended("slide:4x4")));
    letter(&mut model, 'q');
    assert!(matches!(model.overlay, Some(Overlay::Confirm(Question::Leave))));
}

#[test]
fn the_host_s_menu_is_one_key_in_every_screen_and_destructive_actions_ask_once() {
    let watches = || {
        let mut model = fx::watching("slide:4x4");
        let mut roster = fx::roster(Role::Spectator);
        roster.host = Some(fx::ME);
        hear(&mut model, ServerMessage::Roster(roster));
        model
    };
    let go = HeatInstant(46_900);
    let screens = [
        (lobby(Role::Player), None),
        (fx::in_heat("slide:4x4", Role::Player, Phase::Drawing), None),
        (fx::in_heat("slide:4x4", Role::Player, Phase::Countdown { go }), None),
        (fx::racing("slide:4x4"), Some(ClientMessage::EndHeat)),
        (watches(), Some(ClientMessage::EndHeat)),
        (fx::over("slide:4x4"), None),
    ];
    for (screen, end) in screens {
        let sends = |keys: &str| {
            let mut model = screen.clone();
            let mut letters = keys.chars();
            let last = letters.next_back().unwrap();
            for typed in letters {
                let effects = if typed == '.' {
                    key(&mut model, KeyCode::Enter)
                } else {
                    letter(&mut model, typed)
                };
                assert_eq!(effects, [], "{keys}");
            }
            letter(&mut model, last)
        };
        assert_eq!(sends("mh"), [Send(ClientMessage::Hold { hold: true })]);
        let player = fx::ZOE;
        assert_eq!(sends("mk.y"), [Send(ClientMessage::Kick { player })]);
        assert_eq!(sends("mb.y"), [Send(ClientMessage::Ban { player })]);
        assert_eq!(sends("mb.n"), []);
        assert_eq!(sends("mg.y"), [Send(ClientMessage::HandOver { player })]);
        match end {
            Some(end) => {
                assert_eq!(sends("mey"), [Send(end)]);
                assert_eq!(sends("men"), []);
            }
            None => assert_eq!(sends("mey"), []),
        }
        let mut model = screen.clone();
        letter(&mut model, 'm');
        letter(&mut model, 'a');
        for typed in "at 8".chars() {
            letter(&mut model, typed);
        }
        let text = "at 8".to_owned();
        assert_eq!(key(&mut model, KeyCode::Enter), [Send(ClientMessage::Announce { text })]);
        letter(&mut model, 'm');
        letter(&mut model, 'o');
        key(&mut model, KeyCode::Right);
        let sent = key(&mut model, KeyCode::Enter);
        assert!(matches!(sent[..], [Send(ClientMessage::Options { .. })]), "{sent:?}");
    }
}

#[test]
fn a_ban_is_lifted_from_the_menu_but_not_an_operator_s_by_a_host() {
    let mut model = lobby(Role::Player);
    letter(&mut model, 'm');
    assert_eq!(letter(&mut model, 'u'), []);
    assert!(matches!(model.overlay, Some(Overlay::HostMenu { .. })), "there is no ban");
    let ban = |byte: u8, by_operator| Ban {
        key: Key::from_bytes([byte; 32]).public().fingerprint(false),
        name: format!("Max {byte}").parse().unwrap(),
        by_operator,
    };
    let banned = vec![ban(1, true), ban(2, false), ban(3, false)];
    let key_of_third = banned[2].key;
    hear(&mut model, ServerMessage::HostInfo { pin: None, banned });
    letter(&mut model, 'u');
    key(&mut model, KeyCode::Down);
    let lifted = [Send(ClientMessage::Unban { key: key_of_third })];
    assert_eq!(key(&mut model, KeyCode::Enter), lifted);
    assert!(model.overlay.is_none());
}

#[test]
fn the_cursor_of_the_host_s_lists_stays_on_its_member_or_ban() {
    let max = fx::member(PlayerId(9), "Max", PlayerKind::Human);
    let ids = |model: &Model| {
        let members = MemberAction::Kick.candidates(model.shown_heat().unwrap());
        members.into_iter().map(|member| member.id).collect::<Vec<_>>()
    };
    let mut model = lobby(Role::Player);
    let mut roster = fx::roster(Role::Player);
    roster.members.push(max);
    hear(&mut model, ServerMessage::Roster(roster.clone()));
    letter(&mut model, 'm');
    letter(&mut model, 'k');
    key(&mut model, KeyCode::Up);
    // Another who was before leaves, then Max.
    let first = ids(&model)[0];
    let mut without = roster.clone();
    without.members.retain(|member| member.id != first);
    hear(&mut model, ServerMessage::Roster(without.clone()));
    let asks = |model: &Model| {
        let mut model = model.clone();
        key(&mut model, KeyCode::Enter);
        model.overlay
    };
    let kick = |overlay: Option<Overlay>| {
        let Some(Overlay::Confirm(Question::Kick(player))) = overlay else { panic!("{overlay:?}") };
        player
    };
    assert_eq!(kick(asks(&model)), PlayerId(9));
    without.members.pop();
    hear(&mut model, ServerMessage::Roster(without.clone()));
    assert_eq!(Some(&kick(asks(&model))), ids(&model).last());
    // A list that is empty says that the key does nothing.
    without.members.retain(|member| member.id == fx::ME);
    hear(&mut model, ServerMessage::Roster(without));
    key(&mut model, KeyCode::Enter);
    assert!(model.ignored_words().is_some());

    let mut model = lobby(Role::Player);
    let ban = |byte: u8| Ban {
        key: Key::from_bytes([byte; 32]).public().fingerprint(false),
        name: format!("Max {byte}").parse().unwrap(),
        by_operator: false,
    };
    let banned = vec![ban(1), ban(2), ban(3)];
    hear(&mut model, ServerMessage::HostInfo { pin: None, banned });
    letter(&mut model, 'm');
    letter(&mut model, 'u');
    key(&mut model, KeyCode::Down);
    hear(&mut model, ServerMessage::HostInfo { pin: None, banned: vec![ban(2), ban(3)] });
    let lifted = [Send(ClientMessage::Unban { key: ban(2).key })];
    assert_eq!(key(&mut model, KeyCode::Enter), lifted);
}

#[test]
fn an_operator_has_the_host_s_menu_and_other_members_have_not() {
    let mut model = fx::watching("slide:4x4");
    letter(&mut model, 'm');
    assert!(model.overlay.is_none() && model.notice.is_some());
    let mut roster = fx::roster(Role::Spectator);
    roster.members.iter_mut().for_each(|member| member.operator = member.id == fx::ME);
    hear(&mut model, ServerMessage::Roster(roster));
    letter(&mut model, 'm');
    letter(&mut model, 'e');
    assert_eq!(letter(&mut model, 'y'), [Send(ClientMessage::EndHeat)]);
}

#[test]
fn rematch_is_one_key_for_everybody() {
    let rematch = [Send(ClientMessage::Rematch)];
    // At the host's word all go to the lobby, where the host is ready.
    let [back, ready] = &letter(&mut fx::over("slide:4x4"), 'r')[..] else { panic!() };
    assert_eq!(std::slice::from_ref(back), rematch);
    assert_eq!(*ready, Send(ClientMessage::Ready { ready: true }));
    // From the menu, the host isn't ready yet.
    let mut model = fx::over("slide:4x4");
    letter(&mut model, 'm');
    assert_eq!(letter(&mut model, 's'), rematch);
    // Against bots, or alone, it begins.
    let mut model = fx::over("slide:4x4");
    let mut roster = fx::roster(Role::Player);
    roster.members.retain(|member| member.id != fx::ZOE);
    hear(&mut model, ServerMessage::Roster(roster.clone()));
    let again = [Send(ClientMessage::Rematch), Send(ClientMessage::Start)];
    assert_eq!(letter(&mut model, 'r'), again);
    // A host who watches has no seat to be ready in.
    roster.members[0].role = Role::Spectator;
    hear(&mut model, ServerMessage::Roster(roster));
    assert_eq!(letter(&mut model, 'r'), rematch);
    // A player who isn't the host, and takes it back.
    let mut model = fx::over("slide:4x4");
    let mut roster = fx::roster(Role::Player);
    roster.host = Some(fx::ZOE);
    hear(&mut model, ServerMessage::Roster(roster.clone()));
    assert_eq!(letter(&mut model, 'r'), rematch);
    roster.members[0].ready = true;
    hear(&mut model, ServerMessage::Roster(roster));
    assert_eq!(letter(&mut model, 'r'), [Send(ClientMessage::Ready { ready: false })]);
}

#[test]
fn arrows_that_are_still_pressed_as_the_race_ends_turn_nothing() {
    let mut model = fx::over("slide:4x4");
    for code in [KeyCode::Right, KeyCode::Down] {
        key(&mut model, code);
    }
    assert_eq!((heat(&model).panel.results.columns, heat(&model).panel.results.scroll), (0, 0));
    later(&mut model, KEYS_REST, Event::Tick);
    model.size = Size { width: 40, height: 12 };
    key(&mut model, KeyCode::Right);
    assert_eq!(heat(&model).panel.results.columns, 1);
}

#[test]
fn enter_that_is_still_pressed_as_the_race_ends_takes_nobody_to_the_lobby() {
    let mut model = fx::over("link:7x7");
    assert_eq!(key(&mut model, KeyCode::Enter), []);
    later(&mut model, KEYS_REST, Event::Tick);
    assert_eq!(key(&mut model, KeyCode::Enter).first(), Some(&Send(ClientMessage::Rematch)));
}

#[test]
fn over_a_race_that_begins_nothing_lies_and_a_question_of_before_is_gone() {
    let mut model = lobby(Role::Player);
    letter(&mut model, 'm');
    letter(&mut model, 'a');
    hear(&mut model, ServerMessage::Phase(Phase::Drawing));
    assert!(matches!(model.overlay, Some(Overlay::Announcement(_))));
    hear(&mut model, ServerMessage::Phase(fx::running("slide:4x4")));
    assert!(model.overlay.is_none());
    later(&mut model, KEYS_REST, Event::Tick);
    letter(&mut model, 'm');
    letter(&mut model, 'e');
    assert!(model.overlay.is_some());
    hear(&mut model, ServerMessage::Phase(fx::ended("slide:4x4")));
    assert!(model.overlay.is_none());
}

#[test]
fn keys_that_may_be_meant_for_an_overlay_that_a_race_closed_do_nothing_and_it_shows() {
    let mut model = lobby(Role::Player);
    letter(&mut model, 'm');
    letter(&mut model, 'a');
    hear(&mut model, ServerMessage::Phase(fx::running("slide:4x4")));
    for typed in ['q', 'g', 't', 'm', '?'] {
        assert_eq!(letter(&mut model, typed), []);
        assert!(model.overlay.is_none() && model.ignored_words().is_some(), "{typed}");
    }
    // They may be text.
    for letters in ['w', 'a', 's', 'd'] {
        assert_eq!(letter(&mut model, letters), []);
    }
    let arrows = [KeyCode::Down, KeyCode::Up, KeyCode::Left, KeyCode::Right];
    assert!(arrows.into_iter().any(|arrow| !moves(&key(&mut model, arrow)).is_empty()));
    later(&mut model, KEYS_REST, Event::Tick);
    letter(&mut model, 'q');
    assert!(matches!(model.overlay, Some(Overlay::Confirm(Question::Leave))));
}

#[test]
fn letters_move_at_once_where_no_text_was_typed() {
    let mut model = lobby(Role::Player);
    letter(&mut model, 'm');
    hear(&mut model, ServerMessage::Phase(fx::running("slide:4x4")));
    assert_eq!(letter(&mut model, 'g'), []);
    assert!(model.overlay.is_none());
    assert!("wasd".chars().any(|typed| !moves(&letter(&mut model, typed)).is_empty()));
}

#[test]
fn the_host_s_menu_closes_with_the_phase_and_enter_does_nothing_else() {
    let mut model = fx::racing("slide:4x4");
    letter(&mut model, 'm');
    hear(&mut model, ServerMessage::Phase(fx::ended("slide:4x4")));
    assert!(model.overlay.is_none());
    assert_eq!(key(&mut model, KeyCode::Enter), []);
    later(&mut model, KEYS_REST, Event::Tick);
    assert_eq!(key(&mut model, KeyCode::Char(' ')), []);
    assert_eq!(key(&mut model, KeyCode::Enter).first(), Some(&Send(ClientMessage::Rematch)));
}

#[test]
fn a_pasted_text_is_no_key() {
    let mut model = fx::model();
    assert_eq!(tell(&mut model, Event::Paste("q".to_owned())), []);
    assert!(model.ignored_words().is_some());

    letter(&mut model, 'j');
    tell(&mut model, Event::Paste("10.0.0.7\n".to_owned()));
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert_eq!(form.form.value(0), "10.0.0.7");

    let mut model = lobby(Role::Player);
    assert_eq!(tell(&mut model, Event::Paste("s".to_owned())), []);
    model.overlay = Some(Overlay::Announcement(crate::tui::model::announcement_form()));
    tell(&mut model, Event::Paste("Pizza\nis here".to_owned()));
    assert_eq!(
        key(&mut model, KeyCode::Enter),
        [Send(ClientMessage::Announce { text: "Pizza is here".to_owned() })]
    );
}

#[test]
fn on_a_terminal_that_is_too_small_keys_do_nothing_unseen() {
    let mut model = lobby(Role::Player);
    tell(&mut model, Event::Resized { width: 39, height: 24 });
    assert_eq!(letter(&mut model, 's'), []);
    letter(&mut model, 'o');
    assert!(model.overlay.is_none());
    for (control, effect) in
        [('c', Effect::Exit(Exit::Interrupted)), ('z', Effect::Suspend), ('l', Effect::Redraw)]
    {
        let pressed = KeyEvent::new(KeyCode::Char(control), KeyModifiers::CONTROL);
        assert_eq!(tell(&mut model, Event::Key(pressed)), [effect]);
    }
    tell(&mut model, Event::Resized { width: 40, height: 12 });
    assert_eq!(letter(&mut model, 's'), [Send(ClientMessage::Start)]);
}

#[test]
fn a_notice_goes_with_the_screen_that_it_was_about() {
    let mut model = fx::model();
    letter(&mut model, 's');
    model.announce("Pizza is here.".to_owned());
    model.complain("Something went wrong.");
    tell(&mut model, Event::Tick);
    assert!(model.notice.is_some());
    let replay = Box::new(fx::replay::slides());
    tell(&mut model, Event::Races(RaceAnswer::Replay(replay, ReplayUse::Watch)));
    assert!(matches!(model.screen, Screen::Replay(_)));
    assert_eq!(model.notice, None);
    assert!(model.announcement.is_some());

    // What came while the room was waited for is about the room.
    let mut model = joining(Some(fx::code()));
    tell(&mut model, connected("s"));
    model.complain("The server doesn't accept your key.");
    hear(&mut model, joined(Role::Player, Phase::Lobby));
    assert!(model.shown_heat().is_some() && model.notice.is_some());
}
