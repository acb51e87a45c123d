//! The sliding puzzle.

mod face;
mod lesson;
mod text;

use super::face::Face;
use super::family_ui::{Advice, FamilyInfo, FamilyUi, Help, Lesson, cell_name};
use super::input::{ARROWS, BoardControl, FamilyInput, InputAction, KeyHints, MouseAction, Reach};
use crate::display::format;
use face::{Motion, SlideFace};
use gridrace_shared::puzzle::Move;
use gridrace_shared::puzzle::slide::{Board, Slide, SlideHint, SlideSpec};
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::Millis;

/// Holds nothing between two moves: every key is one. For the screen it keeps the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlideInput {
    /// Where the blank was before the last move.
    from: Cell,
}

impl FamilyInput for SlideInput {
    type Board = Board;
    type Hint = SlideHint;

    fn new(board: &Board) -> Self {
        Self { from: board.blank() }
    }

    /// A tile slides in the key's direction or, reversed, the blank moves there.
    fn key(&mut self, board: &Board, key: BoardControl, reversed: bool) -> InputAction {
        let BoardControl::Go(direction, reach) = key else {
            return InputAction::None;
        };
        let direction = if reversed { direction.opposite() } else { direction };
        self.play(
            board,
            match reach {
                Reach::One => board.cell_for(direction),
                Reach::Line => board.far_cell_for(direction),
            },
        )
    }

    /// A press slides the tile under it.
    fn mouse(&mut self, board: &Board, action: MouseAction, at: Option<Cell>) -> InputAction {
        match action {
            MouseAction::Press => self.play(board, at.filter(|&cell| board.slide_of(cell).is_ok())),
            MouseAction::Drag | MouseAction::Release => InputAction::None,
        }
    }

    fn keys(&self, _: &Board) -> KeyHints {
        [&[(ARROWS, "slide")], &[("shift", "whole row")]]
    }

    /// What the server took back isn't seen to slide.
    fn sync(&mut self, board: &Board) {
        self.from = board.blank();
    }
}

impl SlideInput {
    fn play(&mut self, board: &Board, cell: Option<Cell>) -> InputAction {
        let Some(cell) = cell else {
            return InputAction::None;
        };
        self.from = board.blank();
        InputAction::Play(Move::Slide(cell))
    }
}

impl FamilyUi for Slide {
    type Input = SlideInput;

    const INFO: FamilyInfo = FamilyInfo {
        counts: "stm/mtm",
        best: "The shortest solution has",
        pace: "tiles/s",
        legend: ["[12]", " is at home"],
        is_reversible: true,
    };

    fn title(size: &SlideSpec) -> String {
        format!("sliding puzzle {size}")
    }

    fn help(reversed: bool) -> Vec<Help> {
        vec![
            if reversed {
                (ARROWS, "the blank goes that way", "blank goes")
            } else {
                (ARROWS, "a tile slides that way", "tile slides")
            },
            ("shift", "with those: the whole row or column", "with those: whole row"),
            ("click", "that tile slides", "that tile slides"),
            ("x", "turn the direction keys around", "turn directions around"),
        ]
    }

    fn moves(moves: u32, elapsed: Millis, _: &Board, _: bool) -> String {
        let pace = format::pace(moves, elapsed);
        format!("{} {pace}", format::counted(moves as usize, "move", "moves"))
    }

    fn advice(board: &Board, hint: &SlideHint, distance_change: Option<i32>) -> Advice {
        if let Some(stage) = &hint.stage {
            return Advice {
                what: format!("Hint: {}", text::tiles(board, hint)),
                why: text::stage(stage),
                short: text::short_stage(&stage.stage),
                short_why: Some("by the method"),
            };
        }
        Advice {
            what: format!("Hint: {}", text::tiles(board, hint)),
            why: text::distance(hint, distance_change),
            short: text::short(hint, distance_change),
            short_why: None,
        }
    }

    fn lesson(board: &Board, _: &SlideInput, hint: &SlideHint, reversed: bool) -> Lesson {
        lesson::lesson(board, hint, reversed)
    }

    fn shown_moves(_: &Board, hint: &SlideHint) -> Vec<Cell> {
        std::iter::once(&hint.play).chain(&hint.then).copied().collect()
    }

    /// One tile at a time or several, as long as they slide the same way.
    fn is_hinted(board: &Board, hint: &SlideHint, cell: &Cell) -> bool {
        let way = |cell| board.slide_of(cell).ok().map(|(_, direction)| direction);
        way(*cell) == way(hint.play)
    }

    fn narrate(board: &Board, cell: &Cell) -> String {
        format!("slides {}", cell_name(board.size(), *cell))
    }

    /// The blank is where the last change was.
    fn face(board: &Board, _: Option<Cell>) -> Box<dyn Face + '_> {
        Box::new(SlideFace { board, hint: None, motion: None })
    }

    fn own_face<'a>(
        board: &'a Board,
        input: &'a SlideInput,
        hint: Option<&'a SlideHint>,
        _: bool,
        motion: Option<u16>,
    ) -> Box<dyn Face + 'a> {
        let motion = motion.map(|thousandths| Motion { from: input.from, thousandths });
        Box::new(SlideFace { board, hint: hint.map(|hint| hint.play), motion })
    }
}
