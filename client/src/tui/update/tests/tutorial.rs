//! The tutorial.

use super::*;
use crate::tui::model::Tutorial;
use gridrace_shared::puzzle::HintStyle;
use gridrace_shared::solver::budget::NodesUsed;
use gridrace_shared::solver::knowledge::SolutionKnowledge;
use gridrace_shared::solver::plan::{HintAnswer, SolverResources};

/// A lesson on a board, with its first hint on the way.
fn lesson(puzzle: &str) -> (Model, Vec<Effect>) {
    let mut model = fx::in_heat(puzzle, Role::Player, Phase::Lobby);
    model.tutorial = Some(Box::default());
    let effects = hear(&mut model, ServerMessage::Phase(fx::running(puzzle)));
    (model, effects)
}

/// Answers moves and requests for hints as the server does, until there are none.
fn serve(model: &mut Model, mut effects: Vec<Effect>) {
    while !effects.is_empty() {
        let mut next = Vec::new();
        for effect in effects {
            if let Send(ClientMessage::Hint { style }) = effect {
                next.extend(hint(model, style));
            } else if let Send(ClientMessage::Move { seq, .. }) = effect {
                let (at, moves) = (HeatInstant(60_000), MoveCount::default());
                next.extend(hear(model, ServerMessage::Accepted { seq, at, moves }));
            } else {
                let is_known = matches!(effect, Effect::Bell | Send(ClientMessage::Ping { .. }));
                assert!(is_known, "{effect:?}");
            }
        }
        // Moves that the pace held back.
        next.extend(later(model, Duration::from_millis(100), Event::Tick));
        effects = next;
    }
}

fn hint(model: &mut Model, style: HintStyle) -> Vec<Effect> {
    assert_eq!(style, HintStyle::Method);
    let (board, after) = (board(model), race(model).play.last());
    let (solvers, nodes) = (SolverResources::none(), &mut NodesUsed::default());
    let known = SolutionKnowledge::find(&board);
    let answer = HintAnswer::find(&board, None, style, &known, &solvers, nodes);
    let hint = answer.unwrap().plan.next(&board).unwrap();
    let (taken, penalty, distance_change) = (1, Millis(0), None);
    hear(model, ServerMessage::Hint { after, hint, distance_change, taken, penalty })
}

fn tutorial(model: &Model) -> &Tutorial {
    model.tutorial.as_ref().unwrap()
}

fn press_named(model: &mut Model, name: &str) -> Vec<Effect> {
    key(
        model,
        match name {
            "left" => KeyCode::Left,
            "right" => KeyCode::Right,
            "up" => KeyCode::Up,
            "down" => KeyCode::Down,
            "space" => KeyCode::Char(' '),
            "backspace" => KeyCode::Backspace,
            "esc" => KeyCode::Esc,
            other => panic!("{other}"),
        },
    )
}

/// Returns the keys that the screen names now.
fn keys(model: &Model) -> Vec<&'static str> {
    let race = race(model);
    let hint = &race.hint().unwrap().hint;
    heat(model).panel.input.lesson(race.play.board(), hint, false).unwrap().keys
}

#[test]
fn the_keys_that_the_lesson_names_lead_to_the_end() {
    for puzzle in ["slide:3x3", "link:5x5:easy"] {
        let (mut model, effects) = lesson(puzzle);
        assert_eq!(effects, [Send(ClientMessage::Hint { style: HintStyle::Method })]);
        serve(&mut model, effects);
        let mut pressed = 0;
        while race(&model).is_on() {
            let name = keys(&model)[0];
            let effects = press_named(&mut model, name);
            serve(&mut model, effects);
            assert!(!tutorial(&model).has_strayed, "{puzzle}: {name}");
            pressed += 1;
            assert!(pressed < 500, "{puzzle}");
        }
        assert!(board(&model).is_solved());
    }
}

#[test]
fn a_step_that_is_skipped_is_played_to_its_end_and_no_further() {
    for puzzle in ["slide:4x4", "link:5x5:easy"] {
        let (mut model, effects) = lesson(puzzle);
        serve(&mut model, effects);
        let mut steps = Vec::new();
        while race(&model).is_on() {
            let step = tutorial(&model).lesson.as_ref().unwrap().step.clone();
            assert_ne!(steps.last(), Some(&step), "{puzzle}");
            steps.push(step);
            let effects = letter(&mut model, 'n');
            serve(&mut model, effects);
            assert!(steps.len() < 40, "{steps:?}");
        }
        assert!(board(&model).is_solved() && steps.len() > 3, "{steps:?}");
    }
}

#[test]
fn a_move_of_one_s_own_is_played_and_the_method_goes_on_from_there() {
    let (mut model, effects) = lesson("slide:4x4");
    serve(&mut model, effects);
    let hinted = race(&model).hinted_move().unwrap();
    let board = board(&model);
    let Board::Slide(slide) = &board else { unreachable!() };
    let way = |play: &Move| match play {
        Move::Slide(cell) => slide.slide_of(*cell).unwrap().1,
        Move::Link(_) => unreachable!(),
    };
    let other = board.legal_moves().into_iter().find(|play| way(play) != way(&hinted)).unwrap();
    let name = crate::families::family_ui::direction_key(way(&other));
    let effects = press_named(&mut model, name);
    assert!(!effects.is_empty());
    serve(&mut model, effects);
    assert!(tutorial(&model).has_strayed);
    let name = keys(&model)[0];
    let effects = press_named(&mut model, name);
    serve(&mut model, effects);
    assert!(!tutorial(&model).has_strayed);
}

#[test]
fn a_hint_that_was_refused_is_asked_for_again_after_a_pause() {
    let (mut model, _) = lesson("slide:4x4");
    let refused = ServerMessage::Refused(Refusal::HintBusy);
    assert_eq!(hear(&mut model, refused), []);
    assert_eq!(later(&mut model, Duration::from_millis(1), Event::Tick), []);
    let again = later(&mut model, Duration::from_secs(1), Event::Tick);
    assert!(again.contains(&Send(ClientMessage::Hint { style: HintStyle::Method })), "{again:?}");
}

#[test]
fn enter_leads_from_lesson_to_lesson_and_home_and_nothing_is_kept() {
    let (mut model, effects) = lesson("slide:4x4");
    serve(&mut model, effects);
    assert_eq!(letter(&mut model, 'g'), [Send(ClientMessage::GiveUp)]);
    hear(&mut model, ServerMessage::Phase(fx::ended("slide:4x4")));
    // A key that was meant for the board turns no page.
    assert_eq!(key(&mut model, KeyCode::Char(' ')), []);
    // Nor does a key that the server can't hear.
    model.connection.state.awaiting = true;
    assert_eq!(key(&mut model, KeyCode::Enter), []);
    assert_eq!(tutorial(&model).number, 0);
    model.connection.state.awaiting = false;
    let effects = key(&mut model, KeyCode::Enter);
    let [Send(ClientMessage::Rematch), Send(ClientMessage::Options { options, seed }), start] =
        &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert!(options.spec.to_string().starts_with("link:") && seed.is_some());
    assert_eq!(*start, Send(ClientMessage::Start));
    assert_eq!(tutorial(&model).number, 1);
    let effects = key(&mut model, KeyCode::Enter);
    assert!(effects.contains(&Send(ClientMessage::Leave)), "{effects:?}");
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Races(_))));
    assert!(matches!(model.screen, Screen::Home(_)) && model.tutorial.is_none());
}

#[test]
fn the_first_page_leads_to_a_room_of_one_s_own_or_back() {
    let mut model = fx::model();
    assert_eq!(letter(&mut model, 'l'), []);
    assert!(matches!(model.screen, Screen::Tutorial));
    key(&mut model, KeyCode::Esc);
    assert!(matches!(model.screen, Screen::Home(_)));
    letter(&mut model, 'l');
    let effects = key(&mut model, KeyCode::Enter);
    assert_eq!(effects, [Effect::StartServer { lan: false }]);
    assert!(model.tutorial.is_some());
}
