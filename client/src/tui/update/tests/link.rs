//! A race of Numberlink.

use super::*;
use crate::test_support::link::{small, strokes};
use gridrace_shared::puzzle::numberlink::{Drawing, Stroke};
use gridrace_shared::util::grid::Cell;

fn drawing(model: &Model) -> Drawing {
    let Board::Link(drawing) = board(model) else { panic!("no drawing") };
    drawing
}

fn plays(commands: &[Effect]) -> Vec<Move> {
    let mut plays = Vec::new();
    for command in commands {
        if let Send(ClientMessage::Move { play, .. }) = command {
            plays.push(play.clone());
        }
    }
    plays
}

fn racing_small() -> Model {
    let phase = Phase::Running { go: fx::GO, ends: fx::ENDS, start: Board::Link(small()) };
    fx::in_heat("link:4x4", Role::Player, phase)
}

#[test]
fn a_stroke_goes_out_whole_when_the_link_is() {
    let mut model = racing_small();
    for code in [KeyCode::Char(' '), KeyCode::Right, KeyCode::Char('l'), KeyCode::Down] {
        assert_eq!(key(&mut model, code), []);
    }
    let commands = letter(&mut model, 's');
    let whole = [0, 1, 2, 5, 8].map(Cell).to_vec();
    assert_eq!(plays(&commands), [Move::Link(Stroke::Draw(whole))]);
    assert!(drawing(&model).is_linked(1));
    assert_eq!(race(&model).play.count(), MoveCount { moves: 1, acts: 1 });
    assert_eq!(plays(&letter(&mut model, 'u')), [Move::Link(Stroke::Undo)]);
    assert!(drawing(&model).link(1).is_empty());
}

#[test]
fn a_rejected_stroke_is_taken_back_with_what_is_held_on_it() {
    let mut model = racing_small();
    for code in [KeyCode::Enter, KeyCode::Right, KeyCode::Enter, KeyCode::Enter, KeyCode::Right] {
        key(&mut model, code);
    }
    assert_eq!(drawing(&model).link(1).len(), 2);
    let (seq, why) = (Seq(1), Rejection::Late);
    hear(&mut model, ServerMessage::Rejected { seq, why });
    assert!(drawing(&model).link(1).is_empty());
    assert!(model.notice.as_ref().is_some_and(|notice| notice.bad));
    // The pen is up: a step moves the cursor, and draws nothing.
    assert_eq!(key(&mut model, KeyCode::Left), []);
    assert_eq!(key(&mut model, KeyCode::Enter), []);
    assert!(!race(&model).play.board().is_solved());
}

#[test]
fn escape_drops_what_is_held_before_it_asks_to_leave() {
    let mut model = racing_small();
    key(&mut model, KeyCode::Enter);
    key(&mut model, KeyCode::Right);
    key(&mut model, KeyCode::Esc);
    assert!(model.overlay.is_none());
    key(&mut model, KeyCode::Esc);
    assert!(model.overlay.is_some());
}

#[test]
fn what_doesn_t_go_is_said_and_sends_nothing() {
    let mut model = racing_small();
    key(&mut model, KeyCode::Right);
    assert_eq!(key(&mut model, KeyCode::Enter), []);
    assert!(model.notice.as_ref().is_some_and(|notice| !notice.bad));
    // There is nothing to turn around here.
    model.notice = None;
    letter(&mut model, 'x');
    assert!(model.notice.is_none() && !model.settings.reversed);
}

#[test]
fn a_solved_board_takes_no_more_strokes() {
    let mut model = fx::racing("link:7x7");
    let racing = model.joined_heat_mut().unwrap().race_mut().unwrap();
    for stroke in strokes("link:7x7") {
        assert!(racing.play.play(Move::Link(stroke)).is_some());
    }
    assert!(!race(&model).is_on());
    assert_eq!(letter(&mut model, 'c'), []);
    assert_eq!(letter(&mut model, 'u'), []);
    assert!(race(&model).play.board().is_solved());
}

#[test]
fn an_undone_stroke_is_followed_to_where_it_was() {
    let mut model = fx::watching("link:7x7");
    let mut play = |stroke: Stroke| {
        let moved = Moved { player: fx::ZOE, at: HeatInstant(11_000), play: Move::Link(stroke) };
        hear(&mut model, ServerMessage::Moves(vec![moved]));
        heat(&model).watching().unwrap().changed[&fx::ZOE]
    };
    let strokes = strokes("link:7x7");
    let [Stroke::Draw(first), Stroke::Draw(second)] = &strokes[..2] else { panic!() };
    assert_eq!(play(strokes[0].clone()), *first.last().unwrap());
    assert_eq!(play(strokes[1].clone()), *second.last().unwrap());
    assert_eq!(play(Stroke::Undo), second[0]);
    assert_eq!(play(Stroke::Undo), first[0]);
}

#[test]
fn esc_asks_at_once_whether_to_leave_a_race_that_ended_with_the_pen_down() {
    let mut model = racing_small();
    key(&mut model, KeyCode::Char(' '));
    key(&mut model, KeyCode::Right);
    model.joined_heat_mut().unwrap().race_mut().unwrap().out = true;
    key(&mut model, KeyCode::Esc);
    assert!(matches!(model.overlay, Some(Overlay::Confirm(Question::Leave))));
}
