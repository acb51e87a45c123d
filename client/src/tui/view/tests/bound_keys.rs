//! Keys that the player has bound: they work, and the screens show them.

use super::*;
use crate::tui::effect::Effect;
use crate::tui::keymap::Scope;
use gridrace_shared::protocol::client::ClientMessage;

fn racing() -> Model {
    let mut model = fx::racing("slide:3x3");
    let keys = &mut model.settings.keys;
    keys.bind(Scope::Race, "hint", &["y"]).unwrap();
    for (action, key) in [("left", "f"), ("right", "i"), ("up", "e"), ("down", "n")] {
        keys.bind(Scope::Race, action, &[key]).unwrap();
    }
    keys.check(Scope::Race).unwrap();
    model
}

#[test]
fn a_race_is_played_by_the_player_s_own_keys() {
    let mut model = racing();
    assert_eq!(letter(&mut model, 't'), []);
    assert_eq!(letter(&mut model, 'y'), [Effect::Send(ClientMessage::Hint)]);
    let mut moved = 0;
    for code in [KeyCode::Left, KeyCode::Up, KeyCode::Char('a'), KeyCode::Char('w')] {
        moved += press(&mut model, code).len();
    }
    assert_eq!(moved, 0);
    for direction in "fien".chars() {
        moved += letter(&mut model, direction).len();
    }
    assert!(moved > 0);
}

#[test]
fn the_last_line_and_the_help_show_the_player_s_own_keys() {
    let mut model = racing();
    let text = shown(&mut model, LARGE);
    assert!(text.contains("f e n i slide") && text.contains("y hint"), "{text}");
    model.overlay = Some(Overlay::Help);
    let text = shown(&mut model, LARGE);
    assert!(text.contains("f e n i") && text.contains("y ") && !text.contains("hjkl"), "{text}");
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
