//! The ways into a heat.

use super::*;
use crate::tui::model::NewRoom;
use crate::tui::own_server::{ServerPlace, ServerUsage, StartServerError, UsageQuery};
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::puzzle::picture::room_image::{RoomImage, SIDE};

#[test]
fn play_now_starts_a_server_opens_a_heat_seats_bots_and_starts() {
    let mut model = fx::model();
    assert_eq!(letter(&mut model, 'p'), [Effect::StartServer { lan: false }]);
    let commands = tell(&mut model, Event::ServerStarted(Ok(place("127.0.0.1:9"))));
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
    assert_eq!(key(&mut model, KeyCode::Enter), [Effect::StartServer { lan: true }]);
    assert!(key(&mut model, KeyCode::Esc).contains(&Effect::StopServer));
    assert_eq!(
        tell(&mut model, Event::ServerStarted(Ok(place("127.0.0.1:9")))),
        [Effect::StopServer]
    );
}

#[test]
fn escape_while_connecting_leads_back_to_the_form_as_it_was_filled_in() {
    let mut model = joining(Some(fx::code()));
    letter(&mut model, 'x');
    assert!(model.ignored_words().is_some());
    assert_eq!(key(&mut model, KeyCode::Esc), [Effect::Disconnect]);
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert!(!form.busy && form.error().is_none());
    assert_eq!((form.form.value(0), form.form.value(1)), ("10.0.0.7", &*fx::code().to_string()));
    assert!(matches!(key(&mut model, KeyCode::Enter)[..], [Effect::Connect { .. }]));
}

/// Returns the room that a client asks to open, and with which PIN.
fn opened(effects: &[Effect]) -> (HeatOptions, Option<Pin>) {
    let open = effects.iter().find_map(|effect| {
        let Send(ClientMessage::Open { options, pin, .. }) = effect else { return None };
        Some((options.clone(), pin.clone()))
    });
    open.expect("a request to open a room")
}

#[test]
fn hosting_without_an_address_opens_a_room_on_a_server_in_this_program() {
    let mut model = fx::model();
    drop(begin(&mut model, Start::Home { pin: Some("4711".parse().unwrap()) }));
    letter(&mut model, 'h');
    key(&mut model, KeyCode::Enter);
    tell(&mut model, Event::ServerStarted(Ok(place("0.0.0.0:9"))));
    let (options, pin) = opened(&tell(&mut model, connected("s")));
    assert_eq!((options.private, pin), (true, Some("4711".parse().unwrap())));
    hear(&mut model, joined(Role::Player, Phase::Lobby));
    assert!(model.hosting && model.invitation == ["192.168.1.5"]);
}

#[test]
fn hosting_with_an_address_opens_a_room_on_that_server() {
    let mut model = fx::model();
    letter(&mut model, 'h');
    for digit in "10.0.0.7".chars() {
        letter(&mut model, digit);
    }
    let connect = Effect::Connect { address: "10.0.0.7:7415".to_owned() };
    assert_eq!(key(&mut model, KeyCode::Enter), [connect]);
    let (options, pin) = opened(&tell(&mut model, connected("s")));
    assert_eq!((options.spec, options.private, pin), (fx::spec("slide:4x4"), false, None));
    assert!(!model.hosting);
}

#[test]
fn a_server_that_can_t_be_started_is_said_in_the_form() {
    let mut model = fx::model();
    letter(&mut model, 'h');
    key(&mut model, KeyCode::Enter);
    let failed = StartServerError::Failed("can't listen on 0.0.0.0:7415".to_owned());
    assert!(tell(&mut model, Event::ServerStarted(Err(failed))).contains(&Effect::StopServer));
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert!(form.error().unwrap().contains("0.0.0.0:7415") && !form.busy && !model.hosting);
}

#[test]
fn host_on_a_server_keeps_options_address_and_pin_for_the_next_room() {
    let mut model = fx::model();
    let mut room = NewRoom::new(HeatOptions::new(fx::spec("link:7x7")));
    room.options.grace_seconds = 7;
    let pin: Option<Pin> = Some("4711".parse().unwrap());
    let address = "10.0.0.7:7415".to_owned();
    let start = Start::Open { address, room: Box::new(room), pin: pin.clone() };
    drop(begin(&mut model, start));
    let (options, sent) = opened(&tell(&mut model, connected("s")));
    assert_eq!((options.grace_seconds, options.spec), (7, fx::spec("link:7x7")));
    assert_eq!(sent, pin);
    hear(&mut model, joined(Role::Player, Phase::Lobby));
    letter(&mut model, 'q');
    letter(&mut model, 'y');
    letter(&mut model, 'h');
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert_eq!((form.form.value(0), form.form.value(3)), ("10.0.0.7:7415", "4711"));
}

#[test]
fn the_image_of_a_new_room_is_sent_once_it_is_open() {
    let mut model = fx::model();
    let image = RoomImage::encode(&[[24, 130, 33]; SIDE * SIDE]);
    let options = HeatOptions::new(fx::spec("slide:4x4"));
    let room = Box::new(NewRoom { image: Some(image.clone()), ..NewRoom::new(options) });
    drop(begin(&mut model, Start::Open { address: "10.0.0.7".to_owned(), room, pin: None }));
    drop(tell(&mut model, connected("s")));
    let effects = hear(&mut model, joined(Role::Player, Phase::Lobby));
    let sent = Effect::Send(ClientMessage::Image { image: Some(image.into()) });
    assert_eq!(effects.iter().filter(|effect| **effect == sent).count(), 1, "{effects:?}");
}

#[test]
fn host_again_uses_the_server_that_the_program_was_started_as() {
    let mut model = fx::model();
    let pin: Option<Pin> = Some("4711".parse().unwrap());
    let intent = Intent::Open(Box::new(NewRoom::new(HeatOptions::new(fx::spec("slide:4x4")))));
    let (server, news) = (place("127.0.0.1:9"), String::new());
    let start = Start::Serve { server, hosts: true, intent, pin: pin.clone(), ghost: None, news };
    drop(begin(&mut model, start));
    tell(&mut model, connected("s"));
    hear(&mut model, joined(Role::Player, Phase::Lobby));
    letter(&mut model, 'q');
    letter(&mut model, 'y');
    letter(&mut model, 'h');
    // No second server, which would listen elsewhere and without the folder.
    let connect = Effect::Connect { address: "127.0.0.1:9".to_owned() };
    assert_eq!(key(&mut model, KeyCode::Enter), [connect]);
    assert_eq!(opened(&tell(&mut model, connected("s"))).1, pin);
    hear(&mut model, joined(Role::Player, Phase::Lobby));
    letter(&mut model, 'q');
    letter(&mut model, 'y');
    letter(&mut model, 'j');
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert_eq!(form.form.value(0), "127.0.0.1:9", "its rooms are joined without typing that");
    key(&mut model, KeyCode::Esc);
    // The program is the server: its end is asked for.
    assert_eq!(letter(&mut model, 'q'), []);
    assert_eq!(letter(&mut model, 'y'), [Effect::Exit(Exit::Quit)]);
}

fn place(address: &str) -> ServerPlace {
    let invitation = vec!["192.168.1.5".to_owned()];
    let usage = UsageQuery::new(ServerUsage::default);
    ServerPlace { address: address.to_owned(), invitation, waiting: None, usage }
}

fn summary(number: u32) -> RoomSummary {
    fx::room_summary(RoomCode::from_number(number), RoomPhase::Lobby)
}

fn joining_message(number: u32) -> ClientMessage {
    let entrant = Entrant { name: "Anna".to_owned(), bot: false };
    ClientMessage::Join { code: summary(number).code, entrant, role: Role::Player, pin: None }
}

#[test]
fn a_server_on_this_machine_is_asked_for_the_addresses_that_others_reach() {
    let finds = |effects: &[Effect]| effects.contains(&Effect::FindOwnAddresses { port: 7415 });
    let mut model = joining(None);
    let effects = tell(&mut model, connected("s"));
    assert!(!finds(&effects), "{effects:?}");
    let mut model = joining(None);
    model.connection.goal.as_mut().unwrap().address = "localhost:7415".to_owned();
    let effects = tell(&mut model, connected("s"));
    assert!(finds(&effects), "{effects:?}");
    let addresses = vec!["192.168.1.5".to_owned()];
    tell(&mut model, Event::OwnAddresses(addresses.clone()));
    assert_eq!(model.invitation, addresses);
    assert!(!model.is_loopback_only);
    model.invitation.clear();
    tell(&mut model, Event::OwnAddresses(Vec::new()));
    assert!(model.is_loopback_only);
    // An answer that comes late is of another server.
    let mut model = joining(None);
    tell(&mut model, Event::OwnAddresses(addresses));
    assert_eq!(model.invitation, Vec::<String>::new());
}

#[test]
fn who_comes_back_to_the_own_server_is_shown_again_how_others_join() {
    let mut model = joining(None);
    let address = model.connection.goal.as_ref().unwrap().address.clone();
    model.own_server = Some(place(&address));
    tell(&mut model, connected("s"));
    assert_eq!(model.invitation, ["192.168.1.5"]);
}

#[test]
fn the_only_heat_of_a_server_is_joined_at_once_and_of_several_one_is_chosen() {
    let listed = |numbers: &[u32]| {
        ServerMessage::Rooms(numbers.iter().map(|&number| summary(number)).collect())
    };
    let begun = || {
        let mut model = joining(None);
        let commands = tell(&mut model, connected("s"));
        assert!(commands.contains(&Send(ClientMessage::Rooms)));
        model
    };
    let join = joining_message;
    let mut model = begun();
    let commands = hear(&mut model, listed(&[5]));
    assert_eq!(commands, [Send(join(5))]);

    let mut model = begun();
    assert_eq!(hear(&mut model, listed(&[5, 6])), []);
    key(&mut model, KeyCode::Down);
    assert_eq!(key(&mut model, KeyCode::Enter), [Send(join(6))]);

    // The list asks again by itself, and the cursor stays at its room.
    let mut model = begun();
    hear(&mut model, listed(&[5, 6]));
    key(&mut model, KeyCode::Down);
    model.connection.next_ping = ClientInstant(u64::MAX);
    assert_eq!(later(&mut model, Duration::from_millis(1_900), Event::Tick), []);
    assert_eq!(
        later(&mut model, Duration::from_millis(100), Event::Tick),
        [Send(ClientMessage::Rooms)]
    );
    hear(&mut model, listed(&[4, 5, 6]));
    let Screen::Choose(choose) = &model.screen else { panic!("{:?}", model.screen) };
    assert_eq!(choose.chosen, 2);
    let ClientMessage::Join { code, entrant, .. } = join(6) else { unreachable!() };
    let watch = ClientMessage::Join { code, entrant, role: Role::Spectator, pin: None };
    assert_eq!(letter(&mut model, 'w'), [Send(watch)]);

    // A room that is full is no reason to lose the list, nor is a list that comes late an answer.
    hear(&mut model, listed(&[4, 5, 6]));
    assert!(model.connection.state.awaiting);
    hear(&mut model, ServerMessage::Refused(Refusal::Full));
    assert!(matches!(model.screen, Screen::Choose(_)) && model.notice.is_some());
    assert_eq!(key(&mut model, KeyCode::Enter), [Send(join(6))]);
}

#[test]
fn where_no_room_is_open_one_key_opens_one() {
    let mut model = joining(None);
    tell(&mut model, connected("s"));
    hear(&mut model, ServerMessage::Rooms(Vec::new()));
    assert_eq!(key(&mut model, KeyCode::Enter), []);
    let (options, pin) = opened(&letter(&mut model, 'h'));
    assert_eq!((options, pin), (HeatOptions::new(fx::spec("slide:4x4")), None));
    hear(&mut model, joined(Role::Player, Phase::Lobby));
    assert!(heat(&model).is_host());
}

#[test]
fn a_pin_that_is_missing_is_asked_for_and_goes_along() {
    let mut model = joining(Some(fx::code()));
    tell(&mut model, connected("s"));
    hear(&mut model, ServerMessage::Refused(Refusal::NeedsPin));
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    // It is asked for, and nothing is called wrong.
    assert_eq!(form.form.fields[3].error, None);
    assert_eq!(form.error().unwrap(), "This room needs a PIN.");
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
    hear(&mut model, ServerMessage::Refused(Refusal::WrongPin));
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert!(form.form.fields[3].error.is_some());
    assert_eq!(form.form.value(3), "", "the next one is typed from its first digit on");
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
            server: place("127.0.0.1:9"),
            hosts: true,
            ghost: None,
            intent: Intent::Join { code: fx::code(), role: Role::Player },
            pin: None,
            news: "heats KQZT, BRMX go on".to_owned(),
        },
    );
    assert!(matches!(commands[..], [Effect::Connect { .. }]));
    assert!(model.notice.as_ref().unwrap().text.contains("BRMX"));
    let commands = tell(&mut model, connected("s"));
    let joins = |command: &Effect| matches!(command, Send(ClientMessage::Join { code, .. }) if *code == fx::code());
    assert!(commands.iter().any(joins), "{commands:?}");
    assert!(model.own_server.is_some());
}

#[test]
fn escape_in_a_form_leads_back_to_the_choice_that_opened_it() {
    let mut model = fx::model();
    for (choice, chosen) in [('j', 3), ('w', 4), ('t', 5), ('h', 2)] {
        letter(&mut model, choice);
        key(&mut model, KeyCode::Esc);
        let Screen::Home(home) = &model.screen else { panic!("{:?}", model.screen) };
        assert_eq!(home.chosen, chosen, "{choice}");
    }
    // The command line led to the list of rooms, and that to the form.
    let mut model = joining(None);
    tell(&mut model, connected("s"));
    hear(&mut model, ServerMessage::Rooms(Vec::new()));
    assert!(matches!(model.screen, Screen::Choose(_)));
    key(&mut model, KeyCode::Esc);
    key(&mut model, KeyCode::Esc);
    let Screen::Home(home) = &model.screen else { panic!("{:?}", model.screen) };
    assert_eq!(home.chosen, 3);
}
