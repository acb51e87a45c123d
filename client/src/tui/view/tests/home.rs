//! The home screen, the forms behind it, and the list of rooms.

use super::*;

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

#[test]
fn while_connecting_only_the_keys_that_do_something_are_named() {
    let mut model = fx::model();
    let mut form = JoinForm::new("192.168.1.5", None, "Anna", Role::Player);
    form.busy = true;
    model.screen = Screen::Join(form);
    for size in [LARGE, SMALL] {
        let text = shown(&mut model, size);
        assert!(text.contains("esc back") && !text.contains("? help"), "{text}");
    }
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
fn the_help_has_the_choices_and_says_which_keys_are_of_a_race() {
    let mut model = fx::model();
    model.overlay = Some(Overlay::Help);
    picture("home_help", model);
}

#[test]
fn the_settings_puzzle_is_offered_first() {
    let offered = |puzzle: &str| {
        let settings =
            crate::tui::settings::Settings { puzzle: puzzle.parse().ok(), ..fx::settings() };
        Model::new(settings, Size { width: 80, height: 24 })
    };
    let mut model = offered("slide:3x3");
    assert_eq!(model.puzzle(), Some(fx::spec("slide:3x3")));
    press(&mut model, KeyCode::Left);
    assert_eq!(model.puzzle(), Some(fx::spec("slide:4x4")));

    // One that isn't offered otherwise has its place among the others.
    let mut model = offered("slide:6x6");
    assert_eq!(model.puzzle(), Some(fx::spec("slide:6x6")));
    press(&mut model, KeyCode::Right);
    assert_eq!(model.puzzle(), Some(fx::spec("slide:4x4")));
    press(&mut model, KeyCode::Left);
    assert_eq!(model.puzzle(), Some(fx::spec("slide:6x6")));
    letter(&mut model, 'h');
    let Screen::Join(form) = &model.screen else { panic!("{:?}", model.screen) };
    assert_eq!(form.form.value(1), "slide:6x6");
}
