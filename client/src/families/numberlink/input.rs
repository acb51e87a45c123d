//! Input of Numberlink: a cursor, and a stroke that isn't finished.
//!
//! What is held is shown at once on a copy of the drawing, and becomes one move when it is
//! let go, or by itself when it reaches the other terminal. Until then nothing of it is
//! sent, so that going back costs nothing. Legality is the rules' alone: every step is
//! tried on a copy first.

#[cfg(test)]
pub(crate) mod tests;

use crate::display::format;
use crate::display::theme::Look;
use crate::families::input::{
    ARROWS, BoardControl, FamilyInput, InputAction, KeyHints, MouseAction, Reach,
};
use crate::families::numberlink::text::name;
use gridrace_shared::puzzle::Move;
use gridrace_shared::puzzle::numberlink::deduce::{ForcedSegment, LinkHint};
use gridrace_shared::puzzle::numberlink::{Drawing, IllegalStroke, Square, Stroke, cells_between};
use gridrace_shared::util::grid::{Cell, Direction};

/// Where the pen is, and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkPen {
    cursor: Cell,
    /// The stroke in the making; it ends at the cursor. Nothing while the pen is up.
    held: Vec<Cell>,
    /// Whether the mouse holds it and hasn't left the cell where it was pressed.
    tapping: bool,
    /// Where the mouse was pressed, as long as it is.
    pressed: Option<Cell>,
    /// Where the latest hint begins, as long as it holds the view while the pen is down.
    hinted: Option<Cell>,
}

impl FamilyInput for LinkPen {
    type Board = Drawing;
    type Hint = LinkHint;

    /// Begins above the first number.
    fn new(drawing: &Drawing) -> Self {
        let first = drawing.puzzle().pairs().first();
        Self {
            cursor: first.map_or(Cell(0), |&[cell, _]| cell),
            held: Vec::new(),
            tapping: false,
            pressed: None,
            hinted: None,
        }
    }

    fn key(&mut self, drawing: &Drawing, key: BoardControl, _: bool) -> InputAction {
        (self.tapping, self.pressed, self.hinted) = (false, None, None);
        match key {
            BoardControl::Go(direction, reach) if self.held.is_empty() => {
                self.wander(drawing, direction, reach)
            }
            BoardControl::Go(direction, reach) => self.draw(drawing, direction, reach),
            BoardControl::Grip if self.held.is_empty() => self.grab(drawing),
            BoardControl::Grip => self.let_go(drawing),
            BoardControl::Back => self.back(drawing),
            BoardControl::Clear => self.clear(drawing),
            BoardControl::Undo => self.undo(drawing),
            BoardControl::Jump { forward } => self.jump(drawing, forward),
            BoardControl::Number(number) => self.go_to(drawing, number),
        }
    }

    fn mouse(&mut self, drawing: &Drawing, action: MouseAction, at: Option<Cell>) -> InputAction {
        self.hinted = None;
        match (action, at) {
            (MouseAction::Press, Some(cell)) => self.press(drawing, cell),
            (MouseAction::Drag, Some(cell)) => self.drag(drawing, cell),
            (MouseAction::Release, _) => self.release(drawing),
            (MouseAction::Press, None) => {
                self.pressed = None;
                InputAction::None
            }
            (MouseAction::Drag, None) => InputAction::None,
        }
    }

    fn keys(&self, drawing: &Drawing) -> KeyHints {
        if self.holds(drawing).is_some() {
            [&[(ARROWS, "draw"), ("space", "let go"), ("bksp", "back")], &[("esc", "drop")]]
        } else {
            [&[(ARROWS, "move"), ("space", "draw")], &[("u", "undo"), ("c", "clear")]]
        }
    }

    /// Returns what the pen holds; or, where every number is linked, what is still empty.
    fn status(&self, drawing: &Drawing) -> Option<(String, Look)> {
        if let Some(number) = self.holds(drawing) {
            return Some((format!("drawing {}", name(number)), Look::Own));
        }
        let left = drawing.puzzle().open_cells().saturating_sub(drawing.covered());
        let linked = drawing.linked() == drawing.puzzle().pairs().len();
        (linked && left > 0).then(|| {
            let cells = format::counted(left, "cell", "cells");
            (format!("{cells} still empty"), Look::Mark)
        })
    }

    /// Forgets the stroke in the making; says whether there was one.
    fn cancel(&mut self) -> bool {
        self.tapping = false;
        match self.held.first() {
            Some(&start) => {
                self.cursor = start;
                self.held.clear();
                true
            }
            None => false,
        }
    }

    /// Brings into sight where a hint begins: the cursor goes there, or while it holds
    /// something the view alone, until the next key.
    fn focus_hint(&mut self, drawing: &Drawing, hint: &LinkHint) {
        let first = match hint {
            LinkHint::Forced(ForcedSegment { cells, .. }) | LinkHint::Reveal { cells, .. } => {
                cells.first()
            }
            LinkHint::Wrong(mistake) => Some(&mistake.from),
        };
        // A server may say what it likes.
        let cells = drawing.puzzle().size().cells();
        let Some(&cell) = first.filter(|cell| usize::from(cell.0) < cells) else {
            return;
        };
        if self.held.is_empty() {
            self.cursor = cell;
        } else {
            self.hinted = Some(cell);
        }
    }

    /// Puts down what can't be drawn any longer.
    fn sync(&mut self, drawing: &Drawing) {
        let start = self.held.first();
        let nowhere = start.is_some_and(|&cell| number_at(drawing, cell).is_none());
        if nowhere || tried(drawing, &self.held).is_err() {
            self.cancel();
        }
    }
}

impl LinkPen {
    pub const fn cursor(&self) -> Cell {
        self.cursor
    }

    /// Returns what stays in sight of a drawing that is too large: the cursor, or the hint
    /// that has just come; but while the mouse draws, the board must not run away from below
    /// it.
    pub fn focus(&self) -> Cell {
        self.pressed.or(self.hinted).unwrap_or(self.cursor)
    }

    pub fn holds(&self, drawing: &Drawing) -> Option<u16> {
        self.held.first().and_then(|&cell| number_at(drawing, cell))
    }

    /// Returns the drawing as it is when the stroke in the making is let go now.
    pub fn shown(&self, drawing: &Drawing) -> Drawing {
        tried(drawing, &self.held).unwrap_or_else(|_| drawing.clone())
    }

    /// Moves the cursor alone; in a line to the next terminal, or to the edge.
    fn wander(&mut self, drawing: &Drawing, direction: Direction, reach: Reach) -> InputAction {
        let puzzle = drawing.puzzle();
        while let Some(next) = puzzle.size().neighbour(self.cursor, direction) {
            self.cursor = next;
            let there = matches!(puzzle.square(next), Square::Terminal(_));
            if reach == Reach::One || there {
                break;
            }
        }
        InputAction::None
    }

    fn grab(&mut self, drawing: &Drawing) -> InputAction {
        if number_at(drawing, self.cursor).is_none() {
            return InputAction::Notice("Start at a letter or on a link.");
        }
        self.held = vec![self.cursor];
        InputAction::None
    }

    /// Draws in a direction; in a line as far as nothing stops it and no other link is cut.
    fn draw(&mut self, drawing: &Drawing, direction: Direction, reach: Reach) -> InputAction {
        let number = self.holds(drawing);
        let size = drawing.puzzle().size();
        let mut act = InputAction::None;
        let mut first = true;
        while let Some(next) = size.neighbour(self.cursor, direction) {
            let cuts = drawing.owner(next).is_some_and(|owner| Some(owner) != number);
            if !first && cuts {
                break;
            }
            let step = self.step(drawing, next);
            // What stops a line is seen; only the first step is worth a word.
            if first || matches!(step, InputAction::Play(_)) {
                act = step;
            }
            if self.cursor != next || reach == Reach::One || self.held.is_empty() {
                break;
            }
            first = false;
        }
        act
    }

    /// Enters a cell with what is held; at the other terminal that is a move.
    fn step(&mut self, drawing: &Drawing, next: Cell) -> InputAction {
        let mut held = self.held.clone();
        match held.iter().position(|&cell| cell == next) {
            Some(at) => held.truncate(at + 1),
            None => held.push(next),
        }
        let shown = match tried(drawing, &held) {
            Ok(shown) => shown,
            Err(why) => return refused(why),
        };
        self.held = held;
        self.cursor = next;
        self.tapping = false;
        let whole = self.holds(drawing).is_some_and(|number| {
            shown.is_linked(number) && shown.link(number).last() == Some(&next)
        });
        if whole && self.held.len() > 1 {
            return self.let_go(drawing);
        }
        InputAction::None
    }

    /// Lifts the pen. What changes nothing is no move.
    fn let_go(&mut self, drawing: &Drawing) -> InputAction {
        self.tapping = false;
        let held = std::mem::take(&mut self.held);
        if held.len() < 2 {
            return InputAction::None;
        }
        played(drawing, held)
    }

    /// One step back along the link here: of the stroke in the making, or else as a move.
    fn back(&mut self, drawing: &Drawing) -> InputAction {
        let shown = self.shown(drawing);
        let Some(before) = before(&shown, self.cursor) else {
            return InputAction::Notice("There is nothing to take back.");
        };
        if !self.held.is_empty() {
            return self.step(drawing, before);
        }
        self.cursor = before;
        played(drawing, vec![before])
    }

    /// Wipes out the link that is held, or the one here.
    fn clear(&mut self, drawing: &Drawing) -> InputAction {
        let number = self.holds(drawing).or_else(|| number_at(drawing, self.cursor));
        self.cancel();
        match number.and_then(|number| drawing.link(number).first()) {
            Some(&origin) => played(drawing, vec![origin]),
            None => InputAction::Notice("No link is drawn here."),
        }
    }

    /// Takes back the stroke in the making, or else the last one.
    fn undo(&mut self, drawing: &Drawing) -> InputAction {
        if self.cancel() {
            return InputAction::None;
        }
        if drawing.undos() == 0 {
            return InputAction::Notice("There is nothing to undo.");
        }
        InputAction::Play(Move::Link(Stroke::Undo))
    }

    /// Goes on to a terminal of a number that isn't linked yet; what is held is let go first,
    /// and is the move that comes of it.
    fn jump(&mut self, drawing: &Drawing, forward: bool) -> InputAction {
        let drawn = self.shown(drawing);
        let act = self.let_go(drawing);
        let drawing = &drawn;
        let pairs = (1u16..).zip(drawing.puzzle().pairs());
        let here = |cell: Cell| cell == self.cursor;
        let ends = pairs.flat_map(|(number, pair)| pair.map(|cell| (number, cell)));
        let ends: Vec<Cell> = ends
            .filter(|&(number, cell)| here(cell) || !drawing.is_linked(number))
            .map(|(_, cell)| cell)
            .collect();
        let at = ends.iter().position(|&cell| here(cell));
        let next = match at {
            Some(at) => next_around(at, ends.len(), forward),
            None => 0,
        };
        self.cursor = ends.get(next).copied().unwrap_or(self.cursor);
        act
    }

    /// Goes to a number, and from one of its terminals to the other; what is held is let go
    /// first. Where there is no such number, it stays held.
    fn go_to(&mut self, drawing: &Drawing, number: u16) -> InputAction {
        let at = usize::from(number).checked_sub(1);
        let pair = at.and_then(|at| drawing.puzzle().pairs().get(at));
        let Some(&[one, other]) = pair else {
            return InputAction::Notice("There is no such link.");
        };
        let act = self.let_go(drawing);
        self.cursor = if self.cursor == one { other } else { one };
        act
    }

    fn press(&mut self, drawing: &Drawing, cell: Cell) -> InputAction {
        self.cancel();
        (self.cursor, self.pressed) = (cell, Some(cell));
        if number_at(drawing, cell).is_some() {
            self.held = vec![cell];
            self.tapping = true;
        }
        InputAction::None
    }

    /// Follows the mouse as far as that is legal; where it stops, it waits to be followed
    /// from there. What the keyboard holds doesn't follow.
    fn drag(&mut self, drawing: &Drawing, cell: Cell) -> InputAction {
        if self.pressed.is_none() {
            return InputAction::None;
        }
        for next in cells_between(drawing.puzzle().size(), self.cursor, cell) {
            if self.held.is_empty() {
                break;
            }
            match self.step(drawing, next) {
                InputAction::None => {}
                InputAction::Play(play) => return InputAction::Play(play),
                InputAction::Notice(_) => break,
            }
        }
        InputAction::None
    }

    /// Lifts the pen, if the mouse holds it. A tap on a terminal wipes its link out, one on a drawn
    /// cell what lies behind it.
    fn release(&mut self, drawing: &Drawing) -> InputAction {
        if self.pressed.take().is_none() {
            return InputAction::None;
        }
        if self.tapping {
            self.tapping = false;
            return played(drawing, std::mem::take(&mut self.held));
        }
        self.let_go(drawing)
    }
}

/// Returns the index after one, or before it, around the end.
const fn next_around(index: usize, count: usize, forward: bool) -> usize {
    (if forward { index + 1 } else { index + count - 1 }) % count
}

/// Returns the number whose terminal a cell is, or whose link runs through it.
fn number_at(drawing: &Drawing, cell: Cell) -> Option<u16> {
    match drawing.puzzle().square(cell) {
        Square::Terminal(number) => Some(number),
        Square::Open | Square::Solid => drawing.owner(cell),
    }
}

/// Returns the cell before one on its link, towards the start of the link.
fn before(drawing: &Drawing, cell: Cell) -> Option<Cell> {
    let link = drawing.link(drawing.owner(cell)?);
    let at = link.iter().position(|&other| other == cell)?;
    at.checked_sub(1).and_then(|at| link.get(at)).copied()
}

/// Draws a stroke in the making on a copy. With one cell nothing is drawn yet.
fn tried(drawing: &Drawing, held: &[Cell]) -> Result<Drawing, IllegalStroke> {
    let mut shown = drawing.clone();
    if held.len() < 2 {
        return Ok(shown);
    }
    match shown.play(&Stroke::Draw(held.to_vec())) {
        Ok(_) | Err(IllegalStroke::ChangesNothing) => Ok(shown),
        Err(why) => Err(why),
    }
}

/// Makes a move of a stroke, unless it would change nothing.
fn played(drawing: &Drawing, cells: Vec<Cell>) -> InputAction {
    let stroke = Stroke::Draw(cells);
    match drawing.clone().play(&stroke) {
        Ok(_) => InputAction::Play(Move::Link(stroke)),
        Err(_) => InputAction::None,
    }
}

const fn refused(why: IllegalStroke) -> InputAction {
    match why {
        IllegalStroke::Solid(_) => InputAction::Notice("That cell is solid."),
        IllegalStroke::OtherTerminal(_) => InputAction::Notice("Another link ends there."),
        IllegalStroke::Touches(_) => InputAction::Notice("No link may touch itself here."),
        IllegalStroke::PastTerminal(_) => InputAction::Notice("The link ends here."),
        IllegalStroke::TooLong => InputAction::Notice("Too long for one stroke: let go."),
        IllegalStroke::Empty
        | IllegalStroke::OutOfBounds(_)
        | IllegalStroke::StartsNowhere(_)
        | IllegalStroke::NotAdjacent(_)
        | IllegalStroke::ChangesNothing
        | IllegalStroke::NothingToUndo => InputAction::None,
    }
}
