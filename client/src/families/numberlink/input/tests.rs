//! Strokes by keys and mouse on boards of three by three and more.

use super::LinkPen;
use crate::families::input::{BoardControl, FamilyInput, InputAction, MouseAction, Reach};
use crate::test_support::link::{cell, small, strokes};
use crate::test_support::{self as fx};
use gridrace_shared::puzzle::numberlink::{Drawing, Stroke};
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::util::grid::{Cell, Direction};
use proptest::prelude::*;

const LEFT: BoardControl = BoardControl::Go(Direction::Left, Reach::One);
const RIGHT: BoardControl = BoardControl::Go(Direction::Right, Reach::One);
const UP: BoardControl = BoardControl::Go(Direction::Up, Reach::One);
const DOWN: BoardControl = BoardControl::Go(Direction::Down, Reach::One);

/// A drawing with the pen over it: moves are played as they come.
struct Session {
    drawing: Drawing,
    pen: LinkPen,
    said: Option<&'static str>,
    played: Vec<Stroke>,
}

impl Session {
    fn new(drawing: Drawing) -> Self {
        Self { pen: LinkPen::new(&drawing), drawing, said: None, played: Vec::new() }
    }

    fn of(puzzle: &str) -> Self {
        let Board::Link(drawing) = fx::start(puzzle) else { unreachable!() };
        Self::new(drawing)
    }

    fn take(&mut self, act: InputAction) {
        self.said = None;
        match act {
            InputAction::None => {}
            InputAction::Notice(why) => self.said = Some(why),
            InputAction::Play(Move::Link(stroke)) => {
                self.drawing.play(&stroke).unwrap();
                self.played.push(stroke);
            }
            InputAction::Play(Move::Slide(_)) => unreachable!(),
        }
    }

    fn keys(&mut self, keys: &[BoardControl]) {
        for &key in keys {
            let act = self.pen.key(&self.drawing, key, false);
            self.take(act);
        }
    }

    fn mouse(&mut self, steps: &[(MouseAction, usize, usize)]) {
        for &(button, row, column) in steps {
            let at = Some(cell(&self.drawing, row, column));
            let act = self.pen.mouse(&self.drawing, button, at);
            self.take(act);
        }
    }

    fn cells(&self, cells: &[(usize, usize)]) -> Vec<Cell> {
        let cells = cells.iter();
        cells.map(|&(row, column)| cell(&self.drawing, row, column)).collect()
    }
}

#[test]
fn a_link_is_one_stroke_that_ends_by_itself_at_the_other_terminal() {
    let mut session = Session::new(small());
    session.keys(&[BoardControl::Grip, RIGHT, RIGHT, DOWN]);
    assert_eq!(session.played, []);
    assert_eq!(session.pen.holds(&session.drawing), Some(1));
    // What is held is shown at once.
    assert_eq!(session.pen.shown(&session.drawing).covered(), 4);
    assert_eq!(session.drawing.covered(), 0);
    session.keys(&[DOWN]);
    let whole = session.cells(&[(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]);
    assert_eq!(session.played, [Stroke::Draw(whole)]);
    assert_eq!(session.pen.holds(&session.drawing), None);
    assert!(session.drawing.is_linked(1));
}

#[test]
fn going_to_a_number_lifts_the_pen_and_plays_what_it_held() {
    for (key, end) in [(BoardControl::Number(2), 2), (BoardControl::Jump { forward: true }, 1)] {
        let mut session = Session::of("link:7x7");
        session.keys(&[BoardControl::Grip, LEFT, key]);
        let [one, _] = session.drawing.puzzle().pairs()[0];
        let held = vec![one, Cell(one.0 - 1)];
        assert_eq!(session.played, [Stroke::Draw(held)]);
        assert_eq!(session.pen.holds(&session.drawing), None);
        let pair = session.drawing.puzzle().pairs()[end - 1];
        assert!(pair.contains(&session.pen.cursor()), "{key:?}");
    }
}

#[test]
fn a_number_that_isn_t_there_is_said_and_what_is_held_stays_held() {
    let mut session = Session::new(small());
    session.keys(&[BoardControl::Grip, RIGHT, BoardControl::Number(7)]);
    assert_eq!(session.said, Some("There is no such link."));
    assert_eq!(session.pen.holds(&session.drawing), Some(1));
    assert_eq!(session.played, []);
}

#[test]
fn going_back_shortens_and_costs_no_move() {
    let mut session = Session::new(small());
    session.keys(&[
        BoardControl::Grip,
        RIGHT,
        RIGHT,
        LEFT,
        LEFT,
        DOWN,
        BoardControl::Back,
        BoardControl::Back,
    ]);
    assert_eq!(session.pen.cursor(), Cell(0));
    session.keys(&[DOWN, BoardControl::Grip]);
    let down = session.cells(&[(0, 0), (1, 0)]);
    assert_eq!(session.played, [Stroke::Draw(down)]);
}

#[test]
fn what_is_in_the_way_is_said_and_nothing_is_drawn() {
    let mut session = Session::new(small());
    session.keys(&[BoardControl::Grip, RIGHT, DOWN]);
    assert_eq!(session.said, Some("That cell is solid."));
    assert_eq!(session.pen.cursor(), cell(&session.drawing, 0, 1));
    // Off the board nothing happens at all.
    session.keys(&[UP]);
    assert_eq!(session.said, None);
    let mut session = Session::of("link:7x7");
    session.keys(&[BoardControl::Number(6), BoardControl::Grip, RIGHT]);
    assert_eq!(session.said, Some("Another link ends there."));
    assert_eq!(session.played, []);
}

#[test]
fn where_nothing_is_drawn_there_is_nothing_to_hold_or_take_back() {
    let mut session = Session::new(small());
    session.keys(&[RIGHT, BoardControl::Grip]);
    assert_eq!(session.pen.holds(&session.drawing), None);
    assert!(session.said.is_some());
    for key in [BoardControl::Back, BoardControl::Clear, BoardControl::Undo] {
        session.keys(&[key]);
        assert!(session.said.is_some(), "{key:?}");
    }
    assert_eq!(session.played, []);
}

#[test]
fn what_was_drawn_is_drawn_on_taken_back_and_cleared() {
    let mut session = Session::new(small());
    session.keys(&[BoardControl::Grip, RIGHT, RIGHT, BoardControl::Grip]);
    session.keys(&[BoardControl::Grip, DOWN, BoardControl::Grip]);
    assert_eq!(session.drawing.link(1).len(), 4);
    session.keys(&[BoardControl::Back]);
    assert_eq!(session.drawing.link(1).len(), 3);
    assert_eq!(session.pen.cursor(), cell(&session.drawing, 0, 2));
    session.keys(&[BoardControl::Undo]);
    assert_eq!(session.drawing.link(1).len(), 4);
    session.keys(&[BoardControl::Clear]);
    assert!(session.drawing.link(1).is_empty());
    session.keys(&[BoardControl::Undo]);
    assert_eq!(session.drawing.link(1).len(), 4);
}

#[test]
fn undo_first_drops_what_is_held() {
    let mut session = Session::new(small());
    session.keys(&[BoardControl::Grip, RIGHT, BoardControl::Undo]);
    assert_eq!(session.pen.holds(&session.drawing), None);
    assert_eq!(session.pen.cursor(), Cell(0));
    assert_eq!(session.played, []);
}

#[test]
fn in_a_line_the_pen_goes_as_far_as_nothing_stops_it() {
    let mut session = Session::new(small());
    let [right, down] =
        [Direction::Right, Direction::Down].map(|way| BoardControl::Go(way, Reach::Line));
    session.keys(&[BoardControl::Grip, right, down]);
    assert_eq!(session.played.len(), 1);
    assert!(session.drawing.is_linked(1));
    // Another link stops it, unless the first step enters it.
    let mut session = Session::of("link:7x7");
    let wall = session.cells(&[(2, 1), (1, 1), (0, 1), (0, 2)]);
    session.drawing.play(&Stroke::Draw(wall)).unwrap();
    let up = BoardControl::Go(Direction::Up, Reach::Line);
    session.keys(&[BoardControl::Number(7), BoardControl::Grip, up]);
    assert_eq!(session.pen.cursor(), cell(&session.drawing, 1, 2));
    session.keys(&[up]);
    assert_eq!(session.pen.cursor(), cell(&session.drawing, 0, 2));
}

#[test]
fn tab_goes_round_the_numbers_that_aren_t_linked() {
    let mut session = Session::of("link:7x7");
    let strokes = strokes("link:7x7");
    session.drawing.play(&strokes[1]).unwrap();
    let pairs = session.drawing.puzzle().pairs().to_vec();
    let forward = BoardControl::Jump { forward: true };
    session.keys(&[forward, forward]);
    assert_eq!(session.pen.cursor(), pairs[2][0]);
    session.keys(&[BoardControl::Jump { forward: false }]);
    assert_eq!(session.pen.cursor(), pairs[0][1]);
    session.keys(&[BoardControl::Number(8), BoardControl::Number(8)]);
    assert_eq!(session.pen.cursor(), pairs[7][1]);
    session.keys(&[BoardControl::Number(9)]);
    assert_eq!(session.pen.cursor(), pairs[7][1]);
}

#[test]
fn the_mouse_draws_through_the_cells_that_it_skips() {
    let mut session = Session::new(small());
    session.mouse(&[
        (MouseAction::Press, 0, 0),
        (MouseAction::Drag, 0, 2),
        (MouseAction::Drag, 2, 2),
    ]);
    // The link is whole before the button comes up, and that adds nothing.
    assert!(session.drawing.is_linked(1));
    session.mouse(&[(MouseAction::Drag, 2, 0), (MouseAction::Release, 2, 0)]);
    assert_eq!(session.played.len(), 1);
}

#[test]
fn a_click_on_a_terminal_clears_its_link_and_one_on_a_link_shortens_it() {
    let mut session = Session::new(small());
    session.mouse(&[
        (MouseAction::Press, 0, 0),
        (MouseAction::Drag, 0, 2),
        (MouseAction::Release, 0, 2),
    ]);
    assert_eq!(session.drawing.link(1).len(), 3);
    session.mouse(&[(MouseAction::Press, 0, 1), (MouseAction::Release, 0, 1)]);
    assert_eq!(session.drawing.link(1).len(), 2);
    session.mouse(&[(MouseAction::Press, 2, 2), (MouseAction::Release, 2, 2)]);
    assert!(session.drawing.link(1).is_empty());
    // Where nothing is drawn a click is no move, and neither is going out and back.
    session.mouse(&[(MouseAction::Press, 2, 2), (MouseAction::Release, 2, 2)]);
    let steps = [(MouseAction::Press, 0, 0), (MouseAction::Drag, 0, 1), (MouseAction::Drag, 0, 0)];
    session.mouse(&steps);
    session.mouse(&[(MouseAction::Release, 0, 0)]);
    assert_eq!(session.played.len(), 3);
}

#[test]
fn a_click_beside_the_board_leaves_to_the_keyboard_what_it_holds() {
    let mut session = Session::new(small());
    session.keys(&[BoardControl::Grip, RIGHT]);
    let before = session.pen.clone();
    let inside = Some(cell(&session.drawing, 0, 2));
    for (action, at) in
        [(MouseAction::Press, None), (MouseAction::Drag, inside), (MouseAction::Release, None)]
    {
        let act = session.pen.mouse(&session.drawing, action, at);
        assert_eq!(act, InputAction::None);
    }
    assert_eq!(session.pen, before);
    // Once the mouse holds it, it may be let go anywhere.
    session.mouse(&[(MouseAction::Press, 0, 0), (MouseAction::Drag, 0, 1)]);
    let act = session.pen.mouse(&session.drawing, MouseAction::Release, None);
    assert!(matches!(act, InputAction::Play(_)));
}

#[test]
fn a_stroke_in_the_making_is_put_down_where_the_server_took_its_start_away() {
    let mut session = Session::new(small());
    let before = session.drawing.clone();
    session.keys(&[BoardControl::Grip, RIGHT, BoardControl::Grip, BoardControl::Grip, RIGHT]);
    session.pen.sync(&before);
    assert_eq!(session.pen.holds(&before), None);
    assert_eq!(session.pen.shown(&before), before);
}

#[test]
fn every_solution_can_be_drawn_with_the_mouse_alone() {
    for puzzle in ["link:7x7", "link:10x10"] {
        let mut session = Session::of(puzzle);
        for stroke in strokes(puzzle) {
            let Stroke::Draw(cells) = stroke else { unreachable!() };
            for (at, &cell) in cells.iter().enumerate() {
                let button = if at == 0 { MouseAction::Press } else { MouseAction::Drag };
                let act = session.pen.mouse(&session.drawing, button, Some(cell));
                session.take(act);
            }
            let act = session.pen.mouse(&session.drawing, MouseAction::Release, None);
            session.take(act);
        }
        assert!(session.drawing.is_solved());
        assert_eq!(session.played.len(), session.drawing.puzzle().pairs().len());
    }
}

fn any_step() -> impl Strategy<Value = Result<BoardControl, (MouseAction, u16)>> {
    let direction = prop::sample::select(Direction::ALL.to_vec());
    let reach = prop_oneof![4 => Just(Reach::One), 1 => Just(Reach::Line)];
    let go = (direction, reach).prop_map(|(direction, reach)| BoardControl::Go(direction, reach));
    let other = prop::sample::select(vec![
        BoardControl::Grip,
        BoardControl::Back,
        BoardControl::Clear,
        BoardControl::Undo,
        BoardControl::Jump { forward: true },
        BoardControl::Number(3),
    ]);
    let key = prop_oneof![3 => go, 2 => other];
    let button =
        prop::sample::select(vec![MouseAction::Press, MouseAction::Drag, MouseAction::Release]);
    prop_oneof![3 => key.prop_map(Ok), 2 => (button, 0u16..60).prop_map(Err)]
}

proptest! {
    #[test]
    fn whatever_the_hand_does_its_moves_are_legal_and_the_cursor_stays(steps in prop::collection::vec(any_step(), 0..120)) {
        let mut session = Session::of("link:7x7");
        for step in steps {
            let act = match step {
                Ok(key) => session.pen.key(&session.drawing, key, false),
                Err((button, at)) => {
                    let on = Cell(at);
                    let at = session.drawing.puzzle().size().contains(on).then_some(on);
                    session.pen.mouse(&session.drawing, button, at)
                }
            };
            // It panics where a move is illegal.
            session.take(act);
            prop_assert!(session.drawing.puzzle().size().contains(session.pen.cursor()));
            let shown = session.pen.shown(&session.drawing);
            prop_assert_eq!(shown.puzzle(), session.drawing.puzzle());
        }
    }
}
