//! The room as people before a big screen watch it.

use super::*;
use crate::tui::event::Event;
use crate::tui::update::update;

const BIG_SCREEN: (u16, u16) = (120, 40);

fn big(mut model: Model) -> Model {
    model.big_screen = true;
    model
}

/// Takes a snapshot at the size of a big screen, and draws it where pictures are asked for.
fn big_screen(name: &str, mut model: Model) {
    pictures::draw(name, &model);
    insta::assert_snapshot!(format!("{name}_120x40"), shown(&mut model, BIG_SCREEN));
    insta::assert_snapshot!(format!("{name}_80x24"), shown(&mut model, LARGE));
}

#[test]
fn each_stage() {
    big_screen("big_lobby", big(fx::lobby_among(32, "slide:4x4")));
    big_screen("big_race", big(fx::watching_among(32, "slide:4x4")));
    big_screen("big_race_link", big(fx::watching_among(8, "link:7x7")));
    big_screen("big_results", big(fx::over_among(32, "slide:4x4", Role::Spectator)));
    let go = HeatInstant(46_900);
    let countdown = fx::in_heat("slide:4x4", Role::Spectator, Phase::Countdown { go });
    big_screen("big_countdown", big(countdown));
}

#[test]
fn all_places_of_32_are_in_sight_in_the_race_and_after_it() {
    for mut model in [
        big(fx::watching_among(32, "slide:4x4")),
        big(fx::over_among(32, "slide:4x4", Role::Spectator)),
        big(fx::lobby_among(32, "slide:4x4")),
    ] {
        for size in [BIG_SCREEN, (200, 60)] {
            let text = shown(&mut model, size);
            let members = &model.shown_heat().unwrap().roster.members;
            for member in members.iter().filter(|member| member.role == Role::Player) {
                let name = member.name.as_str();
                assert!(text.contains(name), "{name} at {size:?} in\n{text}");
            }
        }
        // Names may be cut in the smallest terminal, but no place is left out.
        let text = shown(&mut model, LARGE);
        assert!(text.contains(" 32") && !text.contains(" more\n"), "{text}");
    }
}

#[test]
fn those_who_still_race_come_first() {
    let mut model = big(fx::watching_among(32, "slide:4x4"));
    model.size = Size { width: BIG_SCREEN.0, height: BIG_SCREEN.1 };
    // The left part has the boards, the right one the places.
    let boards = |model: &mut Model| {
        let text = shown(model, BIG_SCREEN);
        let left = text.lines().skip(8).map(|line| line.chars().take(76).collect::<String>());
        left.collect::<Vec<_>>().join("\n")
    };
    let first = boards(&mut model);
    let found = ["Pip 13", "Bartholo", "Otter 1 "].map(|name| first.find(name));
    assert!(found.is_sorted() && found.iter().all(Option::is_some), "{first}");
    let mut last = first;
    for _ in 1..pages(&model) {
        press(&mut model, KeyCode::Tab);
        last = boards(&mut model);
    }
    assert!(last.contains("Zoë 12"), "{last}");
}

#[test]
fn pages_turn_by_themselves_unless_a_key_was_pressed_lately() {
    let mut model = big(fx::watching_among(32, "slide:4x4"));
    model.size = Size { width: 110, height: 30 };
    let turning = turning_pages(&model);
    assert!(turning > 1 && turning < pages(&model), "{turning} of {}", pages(&model));
    let page = |model: &Model| model.shown_heat().unwrap().panel.page;
    let wait = |model: &mut Model, seconds: u64| {
        model.connection.next_ping = ClientInstant(u64::MAX);
        for _ in 0..seconds {
            let now = ClientInstant(model.now.0 + 1_000_000);
            model.connection.heard = now;
            assert_eq!(update(model, now, Event::Tick), []);
        }
    };
    wait(&mut model, 8);
    assert_eq!(page(&model), 0);
    wait(&mut model, 1);
    assert_eq!(page(&model), 1);
    // Only those pages turn on which someone still races.
    wait(&mut model, 8 * (turning as u64 - 1));
    assert_eq!(page(&model), 0, "of {turning}");
    press(&mut model, KeyCode::Tab);
    wait(&mut model, 29);
    assert_eq!(page(&model), 1);
    wait(&mut model, 1);
    assert_ne!(page(&model), 1);
    // No other screen's page moves.
    model.big_screen = false;
    model.joined_heat_mut().unwrap().panel.page = 0;
    wait(&mut model, 60);
    assert_eq!(page(&model), 0);
}

#[test]
fn a_key_turns_it_on_and_off_for_those_who_watch() {
    for mut model in [
        fx::watching("slide:4x4"),
        fx::lobby_among(4, "slide:4x4"),
        fx::over_among(4, "slide:4x4", Role::Spectator),
    ] {
        letter(&mut model, 'z');
        assert!(model.shows_big_screen());
        letter(&mut model, 'z');
        assert!(!model.shows_big_screen());
    }
    let mut player = lobby(Role::Player);
    letter(&mut player, 'z');
    assert!(!player.big_screen);
}

#[test]
fn any_size_can_be_drawn_and_too_small_a_one_is_as_for_any_spectator() {
    for model in [
        fx::watching_among(32, "slide:4x4"),
        fx::watching_among(32, "link:20x20"),
        fx::lobby_among(60, "slide:4x4"),
        fx::over_among(32, "slide:4x4", Role::Spectator),
    ] {
        let mut big = big(model.clone());
        let mut small = model;
        for width in [40, 60, 73, 74, 80, 100, 120, 200, 250] {
            for height in [12, 18, 20, 22, 24, 30, 40, 60, 100] {
                buffer(&mut big, (width, height));
            }
        }
        small.joined_heat_mut().unwrap().panel.page = 0;
        let body = |text: String| text.lines().rev().skip(1).collect::<Vec<_>>().join("\n");
        assert_eq!(body(shown(&mut big, SMALL)), body(shown(&mut small, SMALL)));
        big.settings.appearance.ascii = true;
        for size in [LARGE, BIG_SCREEN] {
            let text = shown(&mut big, size);
            assert!(text.replace('?', "").is_ascii(), "{text}");
        }
    }
}

#[test]
fn the_facts_beside_the_clock_are_whole_at_every_size() {
    let mut model = big(fx::watching_among(32, "slide:4x4"));
    for width in 74..=120 {
        for height in [22, 24, 40] {
            let text = shown(&mut model, (width, height));
            for facts in [["12 of 32 finished", "12 of 32 in"], ["boards 1 of ", "page 1/"]] {
                let is_whole = facts.iter().any(|fact| text.contains(fact));
                assert!(is_whole, "{facts:?} at {width}x{height} in\n{text}");
            }
        }
    }
}

#[test]
fn how_late_the_boards_are_is_said_in_full() {
    let mut model = big(fx::watching("slide:4x4"));
    let heat = model.joined_heat_mut().unwrap();
    heat.view.promised.iter_mut().for_each(|promised| promised.options.delay_seconds = 2);
    heat.view.setup.options.delay_seconds = 2;
    assert!(shown(&mut model, LARGE).contains("2 s late"));
    assert!(shown(&mut model, BIG_SCREEN).contains("boards 2 s late"));
}
