//! The sliding puzzle.

mod face;
mod input;
mod text;

use super::face::Face;
use super::family_ui::FamilyUi;
use super::input::{BoardKey, InputAction, MouseAction};
use super::text::{Advice, Help, KeyHints};
use crate::display::theme::Look;
use face::SlideFace;
use gridrace_shared::puzzle::slide::{Board, SlideHint, SlideSpec};
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::Millis;

/// The sliding puzzle at the terminal.
#[derive(Debug)]
pub struct Slide;

impl FamilyUi for Slide {
    type Spec = SlideSpec;
    type Board = Board;
    type Move = Cell;
    type Hint = SlideHint;
    /// Nothing: every key is a move.
    type Input = ();

    const COUNTS: &'static str = "stm/mtm";
    const BEST: &'static str = "The shortest way has";
    const PACE: &'static str = "tiles/s";
    const LEGEND: [&'static str; 2] = ["[12]", " is at home"];
    const REVERSIBLE: bool = true;

    fn title(size: &SlideSpec) -> String {
        format!("sliding puzzle {size}")
    }

    fn help(reversed: bool) -> Vec<Help> {
        text::help(reversed).to_vec()
    }

    fn keys((): &(), _: &Board) -> KeyHints {
        [&[("arrows", "slide")], &[("shift", "whole row")]]
    }

    fn moves(moves: u32, elapsed: Millis, _: &Board, _: bool) -> String {
        text::moves(moves, elapsed)
    }

    fn status((): &(), _: &Board) -> Option<(String, Look)> {
        None
    }

    fn advice(board: &Board, hint: &SlideHint, distance_change: Option<i32>) -> Advice {
        text::advice(board, hint, distance_change)
    }

    fn narrate(board: &Board, cell: &Cell) -> String {
        format!("slides {}", super::text::cell_name(board.size(), *cell))
    }

    fn input(_: &Board) {}

    fn key((): &mut (), board: &Board, key: BoardKey, reversed: bool) -> InputAction {
        input::key(board, key, reversed)
    }

    fn mouse((): &mut (), board: &Board, action: MouseAction, at: Option<Cell>) -> InputAction {
        input::mouse(board, action, at)
    }

    fn cancel((): &mut ()) -> bool {
        false
    }

    fn focus_hint((): &mut (), _: &Board, _: &SlideHint) {}

    fn sync((): &mut (), _: &Board) {}

    /// The blank is where the last change was.
    fn face(board: &Board, _: Option<Cell>) -> Box<dyn Face + '_> {
        Box::new(SlideFace::new(board, None))
    }

    fn own_face<'a>(
        board: &'a Board,
        (): &'a (),
        hint: Option<&'a SlideHint>,
        _: bool,
    ) -> Box<dyn Face + 'a> {
        Box::new(SlideFace::new(board, hint.map(|hint| hint.play)))
    }
}
