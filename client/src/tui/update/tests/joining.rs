//! The ways into a heat.

use super::*;
use crate::tui::local_server::ServerPlace;

#[test]
fn play_now_starts_a_server_opens_a_heat_seats_bots_and_starts() {
    let mut model = fx::model();
    assert_eq!(letter(&mut model, 'p'), [Effect::Host { lan: false }]);
    let place = ServerPlace { address: "127.0.0.1:9".to_owned(), invitation: Vec::new() };
    let commands = tell(&mut model, Event::Hosted(Ok(place)));
    assert_eq!(commands, [Effect::Connect { address: "127.0.0.1:9".to_owned() }]);
    let commands = tell(&mut model, connected("s"));
    let opens = |command: &Effect| matches!(command, Send(ClientMessage::Open { options, .. }) if options.private);
    assert!(commands.iter().any(opens), "{commands:?}");
    let commands = hear(&mut model, joined(Role::Player, Phase::Lobby));
    assert_eq!(commands.last(), Some(&Send(ClientMessage::Start)));
    let bots = commands.iter().filter(|c| matches!(c, Send(ClientMessage::AddBot { .. })));
    assert_eq!(bots.count(), 3);
}

#[test]
fn a_server_that_comes_up_after_escape_is_stopped_again() {
    let mut model = fx::model();
    letter(&mut model, 'h');
    assert!(key(&mut model, KeyCode::Esc).contains(&Effect::Unhost));
    let place = ServerPlace { address: "127.0.0.1:9".to_owned(), invitation: Vec::new() };
    assert_eq!(tell(&mut model, Event::Hosted(Ok(place))), [Effect::Unhost]);
}

#[test]
fn the_only_heat_of_a_server_is_joined_at_once_and_of_several_one_is_chosen() {
    let summary = |number| RoomSummary {
        code: RoomCode::from_number(number),
        spec: fx::spec("slide:4x4"),
        players: 1,
        spectators: 0,
        in_lobby: true,
    };
    let begun = || {
        let mut model = joining(None);
        let commands = tell(&mut model, connected("s"));
        assert!(commands.contains(&Send(ClientMessage::Rooms)));
        model
    };
    let join = |number| ClientMessage::Join {
        code: summary(number).code,
        entrant: Entrant { name: "Anna".to_owned(), bot: false },
        role: Role::Player,
        pin: None,
    };
    let mut model = begun();
    let commands = hear(&mut model, ServerMessage::Rooms(vec![summary(5)]));
    assert_eq!(commands, [Send(join(5))]);

    let mut model = begun();
    assert_eq!(hear(&mut model, ServerMessage::Rooms(vec![summary(5), summary(6)])), []);
    key(&mut model, KeyCode::Down);
    assert_eq!(key(&mut model, KeyCode::Enter), [Send(join(6))]);
}

#[test]
fn a_pin_that_is_missing_is_asked_for_and_goes_along() {
    let mut model = joining(Some(fx::code()));
    tell(&mut model, connected("s"));
    hear(&mut model, ServerMessage::Refused(Refusal::WrongPin));
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert!(form.form.fields[3].error.is_some());
    assert_eq!(form.form.focus, 3);

    for digit in "4711".chars() {
        key(&mut model, KeyCode::Char(digit));
    }
    key(&mut model, KeyCode::Enter);
    let pin = model.connection.goal.as_ref().unwrap().pin.clone();
    assert_eq!(pin, Some("4711".parse().unwrap()));
    let said = tell(&mut model, connected("s"));
    let shows = |command: &Effect| matches!(command, Send(ClientMessage::Join { pin, .. }) if pin.is_some());
    assert!(said.iter().any(shows), "{said:?}");
}

#[test]
fn whose_key_can_t_be_checked_gets_in_all_the_same() {
    let mut model = joining(Some(fx::code()));
    tell(&mut model, connected("s"));
    let said = hear(&mut model, ServerMessage::Refused(Refusal::Unproven));
    assert_eq!(said, []);
    assert!(model.notice.is_some());
    assert!(model.connection.goal.is_some() && model.connection.state.awaiting);
}

#[test]
fn an_error_of_joining_stands_at_its_line() {
    let mut model = joining(Some(fx::code()));
    tell(&mut model, connected("s"));
    hear(&mut model, ServerMessage::Refused(Refusal::NoSuchRoom));
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert!(form.form.fields[1].error.is_some());
    assert!(!form.busy);

    key(&mut model, KeyCode::Enter);
    tell(&mut model, lost(NetError::Unreachable(ErrorKind::ConnectionRefused)));
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert!(form.form.fields[0].error.is_some());
}

#[test]
fn a_name_that_is_taken_gets_a_number_and_that_is_said() {
    let mut model = joining(Some(fx::code()));
    tell(&mut model, connected("s"));
    let commands = hear(&mut model, ServerMessage::Refused(Refusal::NameTaken));
    let Some(Send(ClientMessage::Join { entrant, .. })) = commands.first() else {
        panic!("{commands:?}")
    };
    assert_eq!(entrant.name, "Anna 2");
    hear(&mut model, joined(Role::Player, Phase::Lobby));
    assert!(model.notice.unwrap().text.contains("Anna 2"));
}

#[test]
fn what_no_line_is_to_blame_for_is_said_without_marking_one() {
    let busy = NetError::Dismissed(Farewell::Busy { retry_seconds: 7 });
    for message in [
        received(ServerMessage::Refused(Refusal::TooFast)),
        received(ServerMessage::Refused(Refusal::Full)),
        lost(busy),
        lost(LOST),
    ] {
        let mut model = joining(Some(fx::code()));
        tell(&mut model, connected("s"));
        tell(&mut model, message);
        let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
        assert!(form.form.fields.iter().all(|field| field.error.is_none()));
        assert!(form.error().is_some() && !form.busy);
        // The next attempt begins without it.
        key(&mut model, KeyCode::Enter);
        let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
        assert_eq!(form.error(), None);
    }
}

#[test]
fn a_host_that_is_back_joins_its_own_heat_and_says_what_else_goes_on() {
    let mut model = fx::model();
    let commands = begin(
        &mut model,
        Start::Serve {
            address: "127.0.0.1:9".to_owned(),
            intent: Intent::Join { code: fx::code(), role: Role::Player },
            pin: None,
            invitation: vec!["192.168.1.5".to_owned()],
            news: "heats KQZT, BRMX go on".to_owned(),
        },
    );
    assert!(matches!(commands[..], [Effect::Connect { .. }]));
    assert!(model.notice.as_ref().unwrap().text.contains("BRMX"));
    let commands = tell(&mut model, connected("s"));
    let joins = |command: &Effect| matches!(command, Send(ClientMessage::Join { code, .. }) if *code == fx::code());
    assert!(commands.iter().any(joins), "{commands:?}");
    assert!(model.serves);
}
