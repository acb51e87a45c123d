//! The end of a heat.

use super::*;
use crate::practice::ghost::Ghost;
use crate::test_support::replay;
use gridrace_shared::protocol::snapshot::OwnResult;
use gridrace_shared::util::time::UnixMillis;

#[test]
fn results() {
    picture("results", fx::over("slide:4x4"));
    let mut unrated = fx::over("slide:4x4");
    if let HeatPhase::Over(ended) = &mut unrated.joined_heat_mut().unwrap().view.phase {
        ended.result.best = None;
    }
    insta::assert_snapshot!("results_unrated_80x24", shown(&mut unrated, LARGE));
    let (number, best) = (2, MoveBounds::of(48, 52));
    fx::hear(&mut unrated, ServerMessage::Rated { number, best });
    insta::assert_snapshot!("results_bounded_80x24", shown(&mut unrated, LARGE));
}

#[test]
fn a_finish_that_was_too_fast_for_a_person_is_marked() {
    let mut model = fx::over("slide:4x4");
    assert!(!shown(&mut model, LARGE).contains("too fast"));
    if let HeatPhase::Over(ended) = &mut model.joined_heat_mut().unwrap().view.phase {
        for row in &mut ended.result.standings {
            row.moves.acts = 100_000;
        }
    }
    assert!(shown(&mut model, LARGE).contains("too fast"));
}

#[test]
fn results_of_a_server_that_broke_its_promise() {
    let mut model = fx::racing("slide:4x4");
    let mut secret = fx::secret();
    secret.seed = "monday".parse().unwrap();
    let result = HeatResult {
        standings: fx::standings().rows,
        start: fx::start("slide:4x4"),
        reveal: secret,
        best: None,
    };
    fx::hear(&mut model, ServerMessage::Phase(Phase::Over(result)));
    picture("results_broken", model);
}

/// What the server keeps of this player: this heat, and two before.
fn kept() -> Vec<OwnResult> {
    let kept = |heat: &str, time: Option<u64>| OwnResult {
        heat: heat.to_owned(),
        ended: UnixMillis(1_795_219_200_000),
        spec: fx::spec("slide:4x4"),
        name: "Anna".parse().unwrap(),
        place: 2,
        of: 4,
        time: time.map(Millis),
        moves: 57,
        hints: 2,
        inhuman_speed: false,
    };
    let latest = format!("{}-20261121-3f9c", fx::code());
    vec![
        kept(&latest, Some(64_870)),
        kept("KQZT-20261120-03aa", None),
        kept("KQZT-20261120-11b2", Some(68_080)),
    ]
}

/// Lets the time pass for which arrows do nothing after the end of a race.
fn rested(model: &mut Model) {
    let until = model.shown_heat().unwrap().panel.results.board_keys_rest_until;
    assert_eq!(update(model, until, Event::Tick), []);
}

#[test]
fn results_among_many() {
    let mut model = fx::over_among(28, "slide:4x4", Role::Player);
    picture("results_many", model.clone());
    for size in [LARGE, SMALL, (120, 40)] {
        assert!(shown(&mut model, size).contains("Anna"), "one's own row is always in sight");
    }
    model.size = Size { width: 80, height: 24 };
    rested(&mut model);
    press(&mut model, KeyCode::Down);
    press(&mut model, KeyCode::Down);
    let text = shown(&mut model, LARGE);
    assert!(text.contains("rows 3–"), "{text}");
    // It goes no further than the last row, so that one key leads back at once.
    for _ in 0..60 {
        press(&mut model, KeyCode::Down);
    }
    assert!(shown(&mut model, LARGE).contains("–28 of 28"));
    press(&mut model, KeyCode::Up);
    assert!(shown(&mut model, LARGE).contains("–27 of 28"));
    for _ in 0..60 {
        press(&mut model, KeyCode::Up);
    }
    press(&mut model, KeyCode::Right);
    insta::assert_snapshot!("results_splits_80x24", shown(&mut model, LARGE));
    insta::assert_snapshot!("results_splits_120x40", shown(&mut model, (120, 40)));
}

#[test]
fn every_column_is_on_a_page() {
    let mut model = fx::over("slide:4x4");
    rested(&mut model);
    for (size, pages) in [(SMALL, 4), (LARGE, 2), ((120, 40), 1), ((200, 60), 1)] {
        model.size = Size { width: size.0, height: size.1 };
        assert_eq!(column_pages(&model), pages, "{size:?}");
        let mut all = String::new();
        for _ in 0..pages {
            all += &shown(&mut model, size);
            press(&mut model, KeyCode::Right);
        }
        for heading in [
            if size == SMALL { "mov/s" } else { "moves/s" },
            "gap",
            "×best",
            "stm/mtm",
            "hints",
            "to next",
            "25%",
            "50%",
            "75%",
        ] {
            assert!(all.contains(heading), "{heading} at {size:?} in\n{all}");
        }
    }
}

#[test]
fn many_hints_stand_apart_from_the_column_before() {
    let mut model = fx::over("slide:4x4");
    rested(&mut model);
    if let HeatPhase::Over(ended) = &mut model.joined_heat_mut().unwrap().view.phase {
        for row in &mut ended.result.standings {
            (row.hints, row.penalty) = (14, Millis(280_000));
        }
    }
    for size in [SMALL, LARGE, MIDDLE] {
        model.size = Size { width: size.0, height: size.1 };
        let mut all = String::new();
        for _ in 0..column_pages(&model) {
            all += &shown(&mut model, size);
            press(&mut model, KeyCode::Right);
        }
        assert!(all.contains(" 14 +280 s"), "{size:?}: {all}");
    }
}

#[test]
fn a_personal_best_is_marked_and_the_kept_heat_named() {
    let mut model = fx::over("slide:4x4");
    assert!(!shown(&mut model, LARGE).contains("PB"));
    fx::hear(&mut model, ServerMessage::Results(kept()));
    let text = shown(&mut model, LARGE);
    for wanted in ["Personal best", "3.21 s faster", "Anna PB"] {
        assert!(text.contains(wanted), "{wanted} in\n{text}");
    }
    picture("results_best", model.clone());
    assert!(share_line(&model).unwrap().contains("-20261121-3f9c"));
    let mut slower = fx::over("slide:4x4");
    let mut results = kept();
    results[2].time = Some(Millis(60_000));
    fx::hear(&mut slower, ServerMessage::Results(results));
    let text = shown(&mut slower, LARGE);
    assert!(text.contains("1:00.000") && text.contains("4.87 s slower"), "{text}");
    assert!(!text.contains("PB"), "{text}");
}

#[test]
fn results_say_that_the_server_was_down_and_the_clocks_were_paused() {
    let mut model = fx::over("slide:4x4");
    model.joined_heat_mut().unwrap().view.outage = Millis(8_001);
    for _ in 0..2 {
        let text = shown(&mut model, LARGE);
        assert!(text.contains("server was down for 9 s; clocks were paused"), "{text}");
        // Once the server has told of a personal best as well.
        fx::hear(&mut model, ServerMessage::Results(kept()));
    }
}

#[test]
fn a_heat_that_the_server_does_not_keep_has_no_name_but_earlier_ones_count() {
    let mut model = fx::over("slide:4x4");
    fx::hear(&mut model, ServerMessage::Results(kept().split_off(2)));
    assert!(shown(&mut model, LARGE).contains("Anna PB"));
    let line = share_line(&model).unwrap();
    assert!(!line.contains("20261120") && line.contains("#friday"), "{line}");
}

#[test]
fn the_line_to_share_says_all_and_holds_nothing_that_steers() {
    let mut model = fx::over("slide:4x4");
    assert_eq!(
        share_line(&model).unwrap(),
        "gridrace slide:4x4 · 1:04.870 · 2nd of 4 · 57 moves · ×1.14 · 2 hints · ▁▂▃▄▄▅▆▆▇█ · \
         slide:4x4#friday"
    );
    model.settings.appearance.ascii = true;
    assert_eq!(
        share_line(&model).unwrap(),
        "gridrace slide:4x4 - 1:04.870 - 2nd of 4 - 57 moves - x1.14 - 2 hints - ########## - \
         slide:4x4#friday"
    );
    model.settings.appearance.ascii = false;
    let mut hostile = kept();
    hostile[0].heat = format!("{}-\u{1b}]52;c;x\u{7}{}", fx::code(), "x".repeat(5_000));
    fx::hear(&mut model, ServerMessage::Results(hostile));
    let line = share_line(&model).unwrap();
    assert!(line.chars().all(is_displayable) && line.chars().count() <= 200, "{line}");
}

#[test]
fn a_ghost_has_no_place_in_the_line_to_share_and_the_headline() {
    let mut model = fx::over("slide:4x4");
    let ghost = replay::slides();
    if let HeatPhase::Over(ended) = &mut model.joined_heat_mut().unwrap().view.phase {
        ended.result.start = ghost.events.start().clone();
    }
    model.practice.ghost = Ghost::new(ghost);
    fx::tell(&mut model, Event::Tick);
    let text = shown(&mut model, LARGE);
    assert!(text.contains("ghost") && text.contains("You finished 2nd of 4."), "{text}");
    let line = share_line(&model).unwrap();
    assert!(line.contains("2nd of 4"), "{line}");
}

#[test]
fn a_key_copies_the_line_and_shows_it_in_full() {
    let mut model = fx::over("slide:4x4");
    let line = share_line(&model).unwrap();
    assert_eq!(letter(&mut model, 'c'), [crate::tui::effect::Effect::Copy(line)]);
    assert!(shown(&mut model, LARGE).contains("Sent to the clipboard"));
    model.notice = None;
    picture("results_share", model.clone());
    press(&mut model, KeyCode::Esc);
    assert!(model.overlay.is_none());
    assert!(shown(&mut model, LARGE).contains("You finished 2nd of 4."));
}

#[test]
fn the_checks_are_one_line_that_opens() {
    let mut model = fx::over("slide:4x4");
    assert!(!shown(&mut model, LARGE).contains("abababab"));
    letter(&mut model, 'f');
    picture("results_checks", model.clone());
    assert!(shown(&mut model, LARGE).contains("abababab"));
    letter(&mut model, 'f');
    assert!(!shown(&mut model, LARGE).contains("abababab"));
}

#[test]
fn the_order_of_equal_rows_is_explained_where_there_are_some() {
    let mut model = fx::over("slide:4x4");
    letter(&mut model, 'f');
    for size in [LARGE, SMALL] {
        assert!(!shown(&mut model, size).contains("Of equal"));
    }
    let HeatPhase::Over(ended) = &mut model.joined_heat_mut().unwrap().view.phase else { panic!() };
    for row in &mut ended.result.standings[2..] {
        (row.state, row.progress) = (RaceState::Dnf, 400);
    }
    assert!(shown(&mut model, LARGE).contains("Of equal times or equal progress, the one that"));
    assert!(shown(&mut model, SMALL).contains("Of equals, the earlier is before."));
}

#[test]
fn a_player_who_raced_alone_is_not_told_of_a_win() {
    let mut model = fx::over("slide:4x4");
    if let HeatPhase::Over(ended) = &mut model.joined_heat_mut().unwrap().view.phase {
        ended.result.standings.retain(|row| row.player == fx::ME);
    }
    let text = shown(&mut model, LARGE);
    assert!(text.contains("Solved in 1:04.870 with 57 moves."), "{text}");
    assert!(!text.contains("won"), "{text}");
}

#[test]
fn the_help_names_the_keys_of_the_screen() {
    for (name, mut model, keys) in [
        ("results_help", fx::over("link:7x7"), ["copy", "fairness", "solution"]),
        ("watching_help", fx::watching("slide:4x4"), ["boards", "seat", "big screen"]),
    ] {
        letter(&mut model, '?');
        let text = shown(&mut model, SMALL);
        assert!(keys.iter().all(|key| text.contains(key)), "{text}");
        assert!(text.contains("ctrl-c"), "{text}");
        picture(name, model);
    }
}
