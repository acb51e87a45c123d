//! The connection, and invalid messages of a server.

use super::*;
use crate::tui::own_server::{ServerPlace, ServerUsage, UsageQuery};

#[test]
fn without_a_token_a_lost_connection_leads_back_as_a_new_player() {
    let mut model = fx::racing("slide:4x4");
    let address = "192.168.1.5:7415".to_owned();
    let retry = |attempt| Effect::Retry { address: address.clone(), attempt, wish: None };
    assert_eq!(tell(&mut model, lost(LOST)), [retry(0)]);
    // The board stands still, as the server wouldn't hear of the move.
    assert_eq!(key(&mut model, KeyCode::Down), []);
    let refused = NetError::Unreachable(ErrorKind::ConnectionRefused);
    assert_eq!(tell(&mut model, lost(refused)), [retry(1)]);
    let commands = tell(&mut model, connected("s"));
    assert!(matches!(commands.last(), Some(Send(ClientMessage::Join { .. }))), "{commands:?}");
    hear(&mut model, ServerMessage::Refused(Refusal::NameTaken));
    hear(&mut model, joined(Role::Spectator, fx::running("slide:4x4")));
    assert_eq!(model.connection.status, ConnectionStatus::Up);
    assert!(heat(&model).watching().is_some());
    assert!(model.notice.unwrap().text.contains("new player"));
}

#[test]
fn a_server_that_has_shut_down_is_looked_for_as_long_as_the_player_waits() {
    let mut model = fx::racing("slide:4x4");
    model.connection.state.ticket = Some(fx::key());
    hear(&mut model, ServerMessage::Goodbye(Farewell::ShuttingDown));
    let refused = NetError::Unreachable(ErrorKind::ConnectionRefused);
    tell(&mut model, lost(NetError::Closed { code: 1012 }));
    // Far longer than any grace: that stands still while the server is away.
    for _ in 0..100 {
        let commands = later(&mut model, Duration::from_secs(10), lost(refused));
        assert!(matches!(commands[..], [Effect::Retry { .. }]));
    }
    let commands = tell(&mut model, connected("s"));
    let is_resume = |command: &Effect| matches!(command, Send(ClientMessage::Resume { .. }));
    assert!(commands.iter().any(is_resume), "{commands:?}");
}

#[test]
fn what_is_submitted_without_a_connection_stays_or_is_complained_of() {
    let says_so = |model: &mut Model| {
        let notice = model.notice.take().expect("a notice");
        assert!(notice.bad && notice.text.contains("No connection"), "{}", notice.text);
    };
    let mut model = fx::racing("slide:4x4");
    model.connection.state.ticket = Some(fx::key());
    tell(&mut model, lost(LOST));
    model.notice = None;
    letter(&mut model, 'm');
    letter(&mut model, 'a');
    letter(&mut model, 'x');
    assert_eq!(key(&mut model, KeyCode::Enter), []);
    let Some(Overlay::Announcement(form)) = &model.overlay else { panic!("{:?}", model.overlay) };
    assert_eq!(form.value(0), "x");
    says_so(&mut model);
    key(&mut model, KeyCode::Esc);
    letter(&mut model, 'm');
    letter(&mut model, 'o');
    assert_eq!(key(&mut model, KeyCode::Enter), []);
    assert!(matches!(model.overlay, Some(Overlay::Options(_))));
    says_so(&mut model);
    key(&mut model, KeyCode::Esc);
    letter(&mut model, 'g');
    assert_eq!(letter(&mut model, 'y'), []);
    says_so(&mut model);
    // The seat isn't back before the server has said so.
    tell(&mut model, connected("s"));
    letter(&mut model, 'g');
    assert_eq!(letter(&mut model, 'y'), []);
    says_so(&mut model);
    hear(&mut model, joined(Role::Player, fx::running("slide:4x4")));
    letter(&mut model, 'g');
    assert_eq!(letter(&mut model, 'y'), [Send(ClientMessage::GiveUp)]);
}

#[test]
fn what_is_being_typed_stays_when_the_connection_is_lost_and_nothing_else_takes_its_letters() {
    let lose = |keys: &str| {
        let mut model = fx::racing("slide:4x4");
        model.connection.state.ticket = Some(fx::key());
        keys.chars().for_each(|typed| drop(letter(&mut model, typed)));
        tell(&mut model, lost(LOST));
        model
    };
    let mut model = lose("maat");
    letter(&mut model, '8');
    let Some(Overlay::Announcement(form)) = &model.overlay else { panic!("{:?}", model.overlay) };
    assert_eq!(form.value(0), "at8");
    assert!(matches!(lose("mo").overlay, Some(Overlay::Options(_))));
    for keys in ["m", "mk", "g", "?"] {
        let mut model = lose(keys);
        assert!(model.overlay.is_none(), "{keys}");
        letter(&mut model, 'q');
        assert!(model.overlay.is_none() && model.ignored_words().is_some(), "{keys}");
    }
}

/// The server of the heats here, in this program.
fn own_server() -> ServerPlace {
    let address = "192.168.1.5:7415".to_owned();
    let invitation = vec!["192.168.1.5".to_owned()];
    ServerPlace { address, invitation, waiting: None, usage: UsageQuery::new(ServerUsage::default) }
}

#[test]
fn the_server_of_this_program_itself_is_not_waited_for() {
    let mut model = fx::racing("slide:4x4");
    model.own_server = Some(own_server());
    hear(&mut model, ServerMessage::Goodbye(Farewell::ShuttingDown));
    let closed = NetError::Closed { code: 1012 };
    let commands = tell(&mut model, lost(closed));
    assert_eq!(besides_keeping(commands), [Effect::Disconnect]);
    assert!(matches!(model.screen, Screen::Home(_)));
    assert!(model.notice.unwrap().text.contains("shut down"));
}

#[test]
fn a_server_that_is_full_is_left_alone_for_as_long_as_it_says() {
    let mut model = fx::racing("slide:4x4");
    let busy = NetError::Dismissed(Farewell::Busy { retry_seconds: 7 });
    let away = NetError::Unavailable { retry_seconds: Some(9) };
    for (why, seconds) in [(busy, Some(7)), (away, Some(9)), (LOST, None)] {
        let commands = tell(&mut model, lost(why));
        let [Effect::Retry { wish, .. }] = commands[..] else { panic!("{commands:?}") };
        assert_eq!(wish, seconds.map(Duration::from_secs));
    }
}

#[test]
fn who_leaves_a_heat_of_their_own_server_hears_that_it_runs_on() {
    let mut model = fx::racing("slide:4x4");
    model.own_server = Some(own_server());
    key(&mut model, KeyCode::Char('q'));
    key(&mut model, KeyCode::Char('y'));
    assert!(matches!(model.screen, Screen::Home(_)));
    assert!(model.notice.unwrap().text.contains("keeps running"));
}

#[test]
fn a_close_that_may_not_be_retried_leads_home_and_says_why() {
    let mut model = fx::racing("slide:4x4");
    hear(&mut model, ServerMessage::Goodbye(Farewell::Flooding));
    let commands = tell(&mut model, lost(NetError::Closed { code: 1008 }));
    assert_eq!(besides_keeping(commands), [Effect::Disconnect]);
    assert!(matches!(model.screen, Screen::Home(_)));
    assert_eq!(model.notice.unwrap().text, "Too many messages.");
}

#[test]
fn being_sent_away_leads_home() {
    let mut model = lobby(Role::Player);
    hear(&mut model, ServerMessage::Goodbye(Farewell::Kicked));
    assert!(matches!(model.screen, Screen::Home(_)));
    assert!(model.notice.unwrap().bad);
}

#[test]
fn keys_that_are_still_pressed_as_the_room_is_lost_do_nothing_and_the_reason_stays() {
    let mut model = fx::racing("slide:4x4");
    hear(&mut model, ServerMessage::Goodbye(Farewell::Kicked));
    let offer = model.offer;
    for code in [KeyCode::Char('q'), KeyCode::Char('s'), KeyCode::Left, KeyCode::Enter] {
        assert_eq!(key(&mut model, code), []);
        assert!(matches!(model.screen, Screen::Home(_)) && model.offer == offer, "{code:?}");
        assert!(model.notice.is_some() && model.ignored_words().is_none(), "{code:?}");
    }
    later(&mut model, KEYS_REST, Event::Tick);
    key(&mut model, KeyCode::Left);
    assert!(model.notice.is_none() && model.offer != offer);

    // So do they where a form takes the place of the race.
    let mut model = fx::racing("slide:4x4");
    model.connection.state.ticket = Some(fx::key());
    tell(&mut model, lost(LOST));
    tell(&mut model, connected("s"));
    hear(&mut model, ServerMessage::Refused(Refusal::NotResumed));
    letter(&mut model, 'q');
    key(&mut model, KeyCode::Esc);
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert!(form.error().is_some() && !form.form.value(form.form.focus).contains('q'));
    later(&mut model, KEYS_REST, Event::Tick);
    key(&mut model, KeyCode::Esc);
    assert!(matches!(model.screen, Screen::Home(_)));
}

#[test]
fn a_complaint_about_a_room_is_not_said_of_the_home_screen() {
    let mut model = fx::over("slide:4x4");
    model.complain("Only the host may do this.");
    letter(&mut model, 'q');
    assert!(matches!(model.screen, Screen::Home(_)) && model.notice.is_none());
}

#[test]
fn pings_come_quickly_at_first_and_steadily_then() {
    let mut model = lobby(Role::Player);
    tell(&mut model, connected("s"));
    let mut sent = Vec::new();
    for _ in 0..80 {
        let commands = later(&mut model, Duration::from_millis(100), Event::Tick);
        model.connection.heard = model.now;
        if matches!(commands.as_slice(), [Send(ClientMessage::Ping { .. })]) {
            sent.push(model.now.0);
        }
    }
    let gaps: Vec<u64> = sent.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(gaps[..3], [200_000; 3]);
    assert!(gaps[4..].iter().all(|&gap| gap == 2_000_000), "{gaps:?}");
}

#[test]
fn silence_is_a_lost_connection() {
    let mut model = fx::racing("slide:4x4");
    let commands = later(&mut model, Duration::from_millis(10_100), Event::Tick);
    assert!(matches!(commands.as_slice(), [Effect::Disconnect, Effect::Retry { .. }]));
}

#[test]
fn a_pong_teaches_the_server_s_clock() {
    let mut model = lobby(Role::Player);
    model.clock = ClockEstimate::default();
    let (sent, there) = (model.now, ServerInstant(77));
    let pong = ServerMessage::Pong { sent, received: there, replied: there };
    later(&mut model, Duration::from_millis(3), received(pong));
    assert_eq!(model.clock.latency(), Some(3_000));
}

#[test]
fn what_the_server_says_out_of_place_changes_nothing_and_breaks_nothing() {
    let messages = [
        joined(Role::Player, Phase::Lobby),
        ServerMessage::Roster(fx::roster(Role::Player)),
        ServerMessage::Phase(fx::running("slide:4x4")),
        ServerMessage::Accepted { seq: Seq(9), at: HeatInstant(1), moves: MoveCount::default() },
        ServerMessage::Rejected { seq: Seq(9), why: Rejection::Late },
        ServerMessage::Standings(fx::standings()),
        ServerMessage::Rooms(Vec::new()),
        ServerMessage::Refused(Refusal::HelloTwice),
        ServerMessage::Goodbye(Farewell::ShuttingDown),
    ];
    let stages = [fx::model(), lobby(Role::Player), fx::racing("slide:4x4"), fx::over("slide:4x4")];
    for stage in stages {
        for message in &messages {
            let mut model = stage.clone();
            let commands = hear(&mut model, message.clone());
            assert!(!commands.iter().any(|command| matches!(command, Effect::Exit(_))));
        }
    }
}
