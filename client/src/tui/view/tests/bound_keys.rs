//! Keys that the player has bound: they work, and the screens show them.

use super::*;
use crate::tui::effect::Effect;
use crate::tui::keymap::Scope;
use crate::tui::model::ChooseTournament;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::puzzle::HintStyle;

fn racing() -> Model {
    let mut model = fx::racing("slide:3x3");
    let keys = &mut model.settings.keys;
    keys.bind(Scope::Race, "hint", &["y"]).unwrap();
    for (action, key) in [("left", "f"), ("right", "i"), ("up", "e"), ("down", "b")] {
        keys.bind(Scope::Race, action, &[key]).unwrap();
    }
    keys.check(Scope::Race).unwrap();
    model
}

#[test]
fn a_race_is_played_by_the_player_s_own_keys() {
    let mut model = racing();
    assert_eq!(letter(&mut model, 't'), []);
    assert_eq!(
        letter(&mut model, 'y'),
        [Effect::Send(ClientMessage::Hint { style: HintStyle::Shortest })]
    );
    let mut moved = 0;
    for code in [KeyCode::Left, KeyCode::Up, KeyCode::Char('a'), KeyCode::Char('w')] {
        moved += press(&mut model, code).len();
    }
    assert_eq!(moved, 0);
    for direction in "fieb".chars() {
        moved += letter(&mut model, direction).len();
    }
    assert!(moved > 0);
}

#[test]
fn the_last_line_and_the_help_show_the_player_s_own_keys() {
    let mut model = racing();
    let text = shown(&mut model, LARGE);
    assert!(text.contains("febi slide") && text.contains("y hint"), "{text}");
    model.overlay = Some(Overlay::Help);
    let text = shown(&mut model, LARGE);
    assert!(text.contains("febi ") && text.contains("y ") && !text.contains("hjkl"), "{text}");
}

#[test]
fn where_a_player_types_letters_are_letters() {
    let mut model = racing();
    model.screen = Screen::Join(JoinForm::new("", None, "", Role::Player));
    letter(&mut model, 't');
    assert!(shown(&mut model, LARGE).contains('t'));
    let Screen::Join(form) = &model.screen else { panic!() };
    assert_eq!(form.form.value(0), "t");
}

#[test]
fn keys_with_long_names_crowd_neither_the_last_line_nor_the_help() {
    let mut model = fx::racing("slide:3x3");
    let keys = &mut model.settings.keys;
    let long = [("left", "space"), ("right", "page-down"), ("up", "backspace"), ("grip", "enter")];
    for (action, key) in long.into_iter().chain([("back", "f2")]) {
        keys.bind(Scope::Race, action, &[key]).unwrap();
    }
    keys.check(Scope::Race).unwrap();
    assert!(shown(&mut model, LARGE).contains("space bksp ↓ pgdn slide  t hint"));
    model.overlay = Some(Overlay::Help);
    for size in [LARGE, SMALL] {
        let text = shown(&mut model, size);
        assert!(
            text.contains("space bksp ↓ p… a tile") || text.contains("space bksp ↓ p… tile"),
            "{text}"
        );
    }
}

#[test]
fn the_home_screen_lists_menus_and_questions_have_the_player_s_keys() {
    let mut model = fx::model();
    for (scope, action, key) in [
        (Scope::Home, "stats", "f5"),
        (Scope::Lists, "host", "n"),
        (Scope::Lists, "open", "f6"),
        (Scope::HostMenu, "end", "x"),
        (Scope::HostMenu, "kick", "z"),
        (Scope::Questions, "yes", "o"),
        (Scope::Results, "rematch", "f2"),
        (Scope::Results, "seat", "f3"),
    ] {
        model.settings.keys.bind(scope, action, &[key]).unwrap();
    }
    for scope in Scope::ALL {
        model.settings.keys.check(scope).unwrap();
    }
    let keys = model.settings.keys.clone();
    assert!(shown(&mut model, LARGE).contains("f5  Stats"));
    letter(&mut model, 's');
    assert!(matches!(model.screen, Screen::Home(_)) && model.ignored_words().is_some());
    press(&mut model, KeyCode::F(5));
    assert!(matches!(model.screen, Screen::Stats(_)));

    model.screen = Screen::Choose(Choose {
        rooms: Vec::new(),
        chosen: 0,
        role: Role::Player,
        form: JoinForm::new("", None, "Anna", Role::Player),
    });
    let text = shown(&mut model, LARGE);
    assert!(text.contains("Press n to open one") && text.contains("n host a room"), "{text}");
    model.screen = Screen::ChooseTournament(ChooseTournament {
        tournaments: Vec::new(),
        chosen: 0,
        refresh: ClientInstant(0),
    });
    let text = shown(&mut model, LARGE);
    assert!(text.contains("Press f6 to open one") && text.contains("f6 open one"), "{text}");

    let mut model = fx::racing("slide:4x4");
    model.settings.keys = keys.clone();
    letter(&mut model, 'm');
    let text = shown(&mut model, LARGE);
    assert!(text.contains("x  End the heat now") && text.contains("z  Kick"), "{text}");
    letter(&mut model, 'e');
    assert!(matches!(model.overlay, Some(Overlay::HostMenu { .. })));
    letter(&mut model, 'x');
    assert!(shown(&mut model, LARGE).contains("o yes     n no"));
    assert_eq!(letter(&mut model, 'y'), []);
    assert_eq!(letter(&mut model, 'o'), [Effect::Send(ClientMessage::EndHeat)]);

    let mut model = fx::over("slide:4x4");
    model.settings.keys = keys;
    assert!(shown(&mut model, LARGE).contains("Press f2 for a rematch"));
    let mut roster = fx::roster(Role::Spectator);
    roster.host = Some(fx::ZOE);
    fx::hear(&mut model, ServerMessage::Roster(roster));
    press(&mut model, KeyCode::F(2));
    assert_eq!(model.notice.unwrap().text, "Take a seat first: press f3.");
}
