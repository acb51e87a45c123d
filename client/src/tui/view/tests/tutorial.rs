//! The tutorial.

use super::*;
use crate::tui::model::Tutorial;
use gridrace_shared::puzzle::HintStyle;
use gridrace_shared::solver::budget::NodesUsed;
use gridrace_shared::solver::knowledge::SolutionKnowledge;
use gridrace_shared::solver::plan::{HintAnswer, SolverResources};

/// A lesson on its own board, alone, with a hint after some of those before were taken.
fn lesson(number: usize, taken: u32) -> Model {
    let tutorial = Tutorial { number, ..Tutorial::default() };
    let (options, seed) = tutorial.board().unwrap();
    let mut board = options.spec.board(&seed);
    let known = SolutionKnowledge::find(&board);
    let mut model = fx::in_heat("slide:4x4", Role::Player, Phase::Lobby);
    model.tutorial = Some(Box::new(tutorial));
    let roster = fx::roster(Role::Player);
    let members = roster.members.into_iter().take(1).collect();
    fx::hear(&mut model, ServerMessage::Roster(Roster { members, ..roster }));
    let setup = Setup { options, ..fx::setup("slide:4x4") };
    fx::hear(&mut model, ServerMessage::Setup(setup));
    let phase = Phase::Running { go: fx::GO, ends: fx::ENDS, start: board.clone() };
    fx::hear(&mut model, ServerMessage::Phase(phase));
    for seq in 0..=taken {
        let (solvers, nodes) = (SolverResources::none(), &mut NodesUsed::default());
        let answer =
            HintAnswer::find(&board, None, HintStyle::Method, &known, &solvers, nodes).unwrap();
        let hint = answer.plan.clone().next(&board).unwrap();
        let play = hint.play(&board).unwrap();
        let (after, distance_change, penalty) = (Seq(seq), None, Millis(0));
        fx::hear(
            &mut model,
            ServerMessage::Hint { after, hint, distance_change, taken: 1, penalty },
        );
        if seq < taken {
            board.play(&play).unwrap();
            let race = model.joined_heat_mut().unwrap().race_mut().unwrap();
            race.play.play(play).unwrap();
            let (seq, at, moves) = (Seq(seq + 1), HeatInstant(9_000), MoveCount::default());
            fx::hear(&mut model, ServerMessage::Accepted { seq, at, moves });
        }
    }
    model
}

#[test]
fn the_first_page() {
    let mut model = fx::model();
    model.screen = Screen::Tutorial;
    picture("tutorial_intro", model);
}

#[test]
fn a_lesson_of_the_sliding_puzzle() {
    picture("tutorial_slide", lesson(0, 0));
    let mut strayed = lesson(0, 12);
    strayed.tutorial.as_mut().unwrap().has_strayed = true;
    picture("tutorial_slide_strayed", strayed);
}

#[test]
fn a_lesson_of_numberlink() {
    picture("tutorial_link", lesson(1, 0));
    picture("tutorial_link_later", lesson(1, 5));
}

#[test]
fn the_end_of_a_lesson() {
    for (name, number) in [("tutorial_end_slide", 0), ("tutorial_end_link", 1)] {
        let mut model = fx::over("slide:4x4");
        model.tutorial = Some(Box::new(Tutorial { number, ..Tutorial::default() }));
        picture(name, model);
    }
}

#[test]
fn the_help_outside_a_lesson_names_the_keys_that_work() {
    let mut intro = fx::model();
    intro.screen = Screen::Tutorial;
    let mut end = fx::over("slide:4x4");
    end.tutorial = Some(Box::default());
    for (mut model, key) in [(intro, "begin"), (end, "go on")] {
        letter(&mut model, '?');
        for size in [LARGE, SMALL] {
            let text = shown(&mut model, size);
            assert!(text.contains(key) && !text.contains("copy"), "{text}");
        }
    }
}
