//! The pen on boards of three by three and more.

use crate::families::input::{Act, LinkPen, Reach};
use crate::test_support::link::{cell, small, strokes};
use crate::test_support::{self as fx};
use crate::tui::event::Button;
use crate::tui::keymap::HandKey;
use gridrace_shared::puzzle::numberlink::{Drawing, Stroke};
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::util::grid::{Cell, Direction};
use proptest::prelude::*;

const LEFT: HandKey = HandKey::Go(Direction::Left, Reach::One);
const RIGHT: HandKey = HandKey::Go(Direction::Right, Reach::One);
const UP: HandKey = HandKey::Go(Direction::Up, Reach::One);
const DOWN: HandKey = HandKey::Go(Direction::Down, Reach::One);

/// A drawing with the pen over it: moves are played as they come.
struct Desk {
    drawing: Drawing,
    pen: LinkPen,
    said: Option<&'static str>,
    played: Vec<Stroke>,
}

impl Desk {
    fn new(drawing: Drawing) -> Self {
        Self { pen: LinkPen::new(&drawing), drawing, said: None, played: Vec::new() }
    }

    fn of(puzzle: &str) -> Self {
        let Board::Link(drawing) = fx::start(puzzle) else { unreachable!() };
        Self::new(drawing)
    }

    fn take(&mut self, act: Act) {
        self.said = None;
        match act {
            Act::Nothing => {}
            Act::Say(why) => self.said = Some(why),
            Act::Play(Move::Link(stroke)) => {
                self.drawing.play(&stroke).unwrap();
                self.played.push(stroke);
            }
            Act::Play(Move::Slide(_)) => unreachable!(),
        }
    }

    fn keys(&mut self, keys: &[HandKey]) {
        for &key in keys {
            let act = self.pen.key(&self.drawing, key);
            self.take(act);
        }
    }

    fn mouse(&mut self, steps: &[(Button, usize, usize)]) {
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
    let mut desk = Desk::new(small());
    desk.keys(&[HandKey::Grip, RIGHT, RIGHT, DOWN]);
    assert_eq!(desk.played, []);
    assert_eq!(desk.pen.holds(&desk.drawing), Some(1));
    // What is held is shown at once.
    assert_eq!(desk.pen.shown(&desk.drawing).covered(), 4);
    assert_eq!(desk.drawing.covered(), 0);
    desk.keys(&[DOWN]);
    let whole = desk.cells(&[(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]);
    assert_eq!(desk.played, [Stroke::Draw(whole)]);
    assert_eq!(desk.pen.holds(&desk.drawing), None);
    assert!(desk.drawing.is_linked(1));
}

#[test]
fn going_to_a_number_lifts_the_pen_and_plays_what_it_held() {
    for (key, end) in [(HandKey::Number(2), 2), (HandKey::Jump { forward: true }, 1)] {
        let mut desk = Desk::of("link:7x7");
        desk.keys(&[HandKey::Grip, LEFT, key]);
        let [one, _] = desk.drawing.puzzle().pairs()[0];
        let held = vec![one, Cell(one.0 - 1)];
        assert_eq!(desk.played, [Stroke::Draw(held)]);
        assert_eq!(desk.pen.holds(&desk.drawing), None);
        let pair = desk.drawing.puzzle().pairs()[end - 1];
        assert!(pair.contains(&desk.pen.cursor()), "{key:?}");
    }
}

#[test]
fn a_number_that_isn_t_there_is_said_and_what_is_held_stays_held() {
    let mut desk = Desk::new(small());
    desk.keys(&[HandKey::Grip, RIGHT, HandKey::Number(7)]);
    assert_eq!(desk.said, Some("There is no such number."));
    assert_eq!(desk.pen.holds(&desk.drawing), Some(1));
    assert_eq!(desk.played, []);
}

#[test]
fn going_back_shortens_and_costs_no_move() {
    let mut desk = Desk::new(small());
    desk.keys(&[HandKey::Grip, RIGHT, RIGHT, LEFT, LEFT, DOWN, HandKey::Back, HandKey::Back]);
    assert_eq!(desk.pen.cursor(), Cell(0));
    desk.keys(&[DOWN, HandKey::Grip]);
    let down = desk.cells(&[(0, 0), (1, 0)]);
    assert_eq!(desk.played, [Stroke::Draw(down)]);
}

#[test]
fn what_is_in_the_way_is_said_and_nothing_is_drawn() {
    let mut desk = Desk::new(small());
    desk.keys(&[HandKey::Grip, RIGHT, DOWN]);
    assert_eq!(desk.said, Some("That cell is solid."));
    assert_eq!(desk.pen.cursor(), cell(&desk.drawing, 0, 1));
    // Off the board nothing happens at all.
    desk.keys(&[UP]);
    assert_eq!(desk.said, None);
    let mut desk = Desk::of("link:7x7");
    desk.keys(&[HandKey::Number(6), HandKey::Grip, RIGHT]);
    assert_eq!(desk.said, Some("That is another number."));
    assert_eq!(desk.played, []);
}

#[test]
fn where_nothing_is_drawn_there_is_nothing_to_hold_or_take_back() {
    let mut desk = Desk::new(small());
    desk.keys(&[RIGHT, HandKey::Grip]);
    assert_eq!(desk.pen.holds(&desk.drawing), None);
    assert!(desk.said.is_some());
    for key in [HandKey::Back, HandKey::Clear, HandKey::Undo] {
        desk.keys(&[key]);
        assert!(desk.said.is_some(), "{key:?}");
    }
    assert_eq!(desk.played, []);
}

#[test]
fn what_was_drawn_is_drawn_on_taken_back_and_cleared() {
    let mut desk = Desk::new(small());
    desk.keys(&[HandKey::Grip, RIGHT, RIGHT, HandKey::Grip]);
    desk.keys(&[HandKey::Grip, DOWN, HandKey::Grip]);
    assert_eq!(desk.drawing.link(1).len(), 4);
    desk.keys(&[HandKey::Back]);
    assert_eq!(desk.drawing.link(1).len(), 3);
    assert_eq!(desk.pen.cursor(), cell(&desk.drawing, 0, 2));
    desk.keys(&[HandKey::Undo]);
    assert_eq!(desk.drawing.link(1).len(), 4);
    desk.keys(&[HandKey::Clear]);
    assert!(desk.drawing.link(1).is_empty());
    desk.keys(&[HandKey::Undo]);
    assert_eq!(desk.drawing.link(1).len(), 4);
}

#[test]
fn undo_first_drops_what_is_held() {
    let mut desk = Desk::new(small());
    desk.keys(&[HandKey::Grip, RIGHT, HandKey::Undo]);
    assert_eq!(desk.pen.holds(&desk.drawing), None);
    assert_eq!(desk.pen.cursor(), Cell(0));
    assert_eq!(desk.played, []);
}

#[test]
fn in_a_line_the_pen_goes_as_far_as_nothing_stops_it() {
    let mut desk = Desk::new(small());
    let [right, down] =
        [Direction::Right, Direction::Down].map(|way| HandKey::Go(way, Reach::Line));
    desk.keys(&[HandKey::Grip, right, down]);
    assert_eq!(desk.played.len(), 1);
    assert!(desk.drawing.is_linked(1));
    // Another link stops it, unless the first step enters it.
    let mut desk = Desk::of("link:7x7");
    let wall = desk.cells(&[(2, 1), (1, 1), (0, 1), (0, 2)]);
    desk.drawing.play(&Stroke::Draw(wall)).unwrap();
    let up = HandKey::Go(Direction::Up, Reach::Line);
    desk.keys(&[HandKey::Number(7), HandKey::Grip, up]);
    assert_eq!(desk.pen.cursor(), cell(&desk.drawing, 1, 2));
    desk.keys(&[up]);
    assert_eq!(desk.pen.cursor(), cell(&desk.drawing, 0, 2));
}

#[test]
fn tab_goes_round_the_numbers_that_aren_t_linked() {
    let mut desk = Desk::of("link:7x7");
    let strokes = strokes("link:7x7");
    desk.drawing.play(&strokes[1]).unwrap();
    let pairs = desk.drawing.puzzle().pairs().to_vec();
    let forward = HandKey::Jump { forward: true };
    desk.keys(&[forward, forward]);
    assert_eq!(desk.pen.cursor(), pairs[2][0]);
    desk.keys(&[HandKey::Jump { forward: false }]);
    assert_eq!(desk.pen.cursor(), pairs[0][1]);
    desk.keys(&[HandKey::Number(8), HandKey::Number(8)]);
    assert_eq!(desk.pen.cursor(), pairs[7][1]);
    desk.keys(&[HandKey::Number(9)]);
    assert_eq!(desk.pen.cursor(), pairs[7][1]);
}

#[test]
fn the_mouse_draws_through_the_cells_that_it_skips() {
    let mut desk = Desk::new(small());
    desk.mouse(&[(Button::Press, 0, 0), (Button::Drag, 0, 2), (Button::Drag, 2, 2)]);
    // The link is whole before the button comes up, and that adds nothing.
    assert!(desk.drawing.is_linked(1));
    desk.mouse(&[(Button::Drag, 2, 0), (Button::Release, 2, 0)]);
    assert_eq!(desk.played.len(), 1);
}

#[test]
fn a_click_on_a_terminal_clears_its_link_and_one_on_a_link_shortens_it() {
    let mut desk = Desk::new(small());
    desk.mouse(&[(Button::Press, 0, 0), (Button::Drag, 0, 2), (Button::Release, 0, 2)]);
    assert_eq!(desk.drawing.link(1).len(), 3);
    desk.mouse(&[(Button::Press, 0, 1), (Button::Release, 0, 1)]);
    assert_eq!(desk.drawing.link(1).len(), 2);
    desk.mouse(&[(Button::Press, 2, 2), (Button::Release, 2, 2)]);
    assert!(desk.drawing.link(1).is_empty());
    // Where nothing is drawn a click is no move, and neither is going out and back.
    desk.mouse(&[(Button::Press, 2, 2), (Button::Release, 2, 2)]);
    let steps = [(Button::Press, 0, 0), (Button::Drag, 0, 1), (Button::Drag, 0, 0)];
    desk.mouse(&steps);
    desk.mouse(&[(Button::Release, 0, 0)]);
    assert_eq!(desk.played.len(), 3);
}

#[test]
fn a_stroke_in_the_making_is_put_down_where_the_server_took_its_start_away() {
    let mut desk = Desk::new(small());
    let before = desk.drawing.clone();
    desk.keys(&[HandKey::Grip, RIGHT, HandKey::Grip, HandKey::Grip, RIGHT]);
    desk.pen.follow(&before);
    assert_eq!(desk.pen.holds(&before), None);
    assert_eq!(desk.pen.shown(&before), before);
}

#[test]
fn every_solution_can_be_drawn_with_the_mouse_alone() {
    for puzzle in ["link:7x7", "link:10x10"] {
        let mut desk = Desk::of(puzzle);
        for stroke in strokes(puzzle) {
            let Stroke::Draw(cells) = stroke else { unreachable!() };
            for (at, &cell) in cells.iter().enumerate() {
                let button = if at == 0 { Button::Press } else { Button::Drag };
                let act = desk.pen.mouse(&desk.drawing, button, Some(cell));
                desk.take(act);
            }
            let act = desk.pen.mouse(&desk.drawing, Button::Release, None);
            desk.take(act);
        }
        assert!(desk.drawing.is_solved());
        assert_eq!(desk.played.len(), desk.drawing.puzzle().pairs().len());
    }
}

fn any_step() -> impl Strategy<Value = Result<HandKey, (Button, u16)>> {
    let direction = prop::sample::select(Direction::ALL.to_vec());
    let reach = prop_oneof![4 => Just(Reach::One), 1 => Just(Reach::Line)];
    let go = (direction, reach).prop_map(|(direction, reach)| HandKey::Go(direction, reach));
    let other = prop::sample::select(vec![
        HandKey::Grip,
        HandKey::Back,
        HandKey::Clear,
        HandKey::Undo,
        HandKey::Jump { forward: true },
        HandKey::Number(3),
    ]);
    let key = prop_oneof![3 => go, 2 => other];
    let button = prop::sample::select(vec![Button::Press, Button::Drag, Button::Release]);
    prop_oneof![3 => key.prop_map(Ok), 2 => (button, 0u16..60).prop_map(Err)]
}

proptest! {
    #[test]
    fn whatever_the_hand_does_its_moves_are_legal_and_the_cursor_stays(steps in prop::collection::vec(any_step(), 0..120)) {
        let mut desk = Desk::of("link:7x7");
        for step in steps {
            let act = match step {
                Ok(key) => desk.pen.key(&desk.drawing, key),
                Err((button, at)) => {
                    let on = Cell(at);
                    let at = desk.drawing.puzzle().size().contains(on).then_some(on);
                    desk.pen.mouse(&desk.drawing, button, at)
                }
            };
            // It panics where a move is illegal.
            desk.take(act);
            prop_assert!(desk.drawing.puzzle().size().contains(desk.pen.cursor()));
            let shown = desk.pen.shown(&desk.drawing);
            prop_assert_eq!(shown.puzzle(), desk.drawing.puzzle());
        }
    }
}
