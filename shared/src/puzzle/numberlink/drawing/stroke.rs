//! Strokes: moves of Numberlink and their effect on a drawing.
//!
//! A stroke is a sequence of adjacent cells. It is checked as a whole before anything changes.
//!
//! - It starts at a terminal and restarts that number's link there; or at a drawn cell, to which
//!   the link is first shortened, keeping the side of the terminal where it starts. A terminal
//!   alone clears its link; a drawn cell alone shortens it.
//! - Entering a cell of its own link shortens the link to that cell.
//! - It ends at the number's other terminal, from which it may only go back.
//! - Another link in its path is cut: the part from the terminal where that link starts is kept. A
//!   link that only cells taken back by the stroke cross is not cut; the final path decides.
//! - A stroke that changes nothing is illegal, so that it is not broadcast.
//!
//! A stroke counts one move if its number differs from the last stroke's, else none, as in Flow
//! Free: drawing link after link without a correction takes as many moves as there are pairs. Undo
//! reverts a whole stroke, counts no move and subtracts none; the last stroke's number is kept, so
//! that redrawing it counts no further move.

use crate::puzzle::counts::MoveCount;
use crate::puzzle::numberlink::drawing::{Drawing, LinkChange};
use crate::puzzle::numberlink::puzzle::MAX_CELLS;
use crate::puzzle::numberlink::{Puzzle, Square, Touch};
use crate::util::bounded_vec;
use crate::util::grid::Cell;
use serde::{Deserialize, Serialize};

/// Maximum cells of a stroke: all of the largest heat's board, 20×20.
pub const STROKE_CELLS: usize = 400;

/// A move.
///
/// In JSON `{"draw":[0,1,2,9]}` or `"undo"`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stroke {
    /// Draws along these cells, at most [`STROKE_CELLS`].
    Draw(#[serde(deserialize_with = "bounded_vec::read::<_, _, STROKE_CELLS>")] Vec<Cell>),
    /// Undoes the last stroke, with its effects on other links.
    Undo,
}

/// The error of an illegal stroke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum IllegalStroke {
    #[error("a stroke has at least one cell")]
    Empty,
    #[error("a stroke has at most {STROKE_CELLS} cells")]
    TooLong,
    #[error("cell {0} is not on the board")]
    OutOfBounds(Cell),
    #[error("the stroke starts at cell {0}, which is neither a terminal nor drawn")]
    StartsNowhere(Cell),
    #[error("cell {0} is not adjacent to the one before it")]
    NotAdjacent(Cell),
    #[error("cell {0} is solid")]
    Solid(Cell),
    #[error("cell {0} is another number's terminal")]
    OtherTerminal(Cell),
    #[error("the link is complete before it enters cell {0}")]
    PastTerminal(Cell),
    #[error("the link touches itself at cell {0}")]
    Touches(Cell),
    #[error("the stroke changes nothing")]
    ChangesNothing,
    #[error("there is nothing to undo")]
    NothingToUndo,
}

impl Drawing {
    /// Plays a legal stroke and returns what it counts. Takes time linear in the lengths of the
    /// stroke and of the links that it changes.
    /// On an error the drawing is unchanged.
    pub fn play(&mut self, stroke: &Stroke) -> Result<MoveCount, IllegalStroke> {
        match stroke {
            Stroke::Draw(cells) => self.draw(cells),
            Stroke::Undo => self.undo(),
        }
    }

    fn draw(&mut self, cells: &[Cell]) -> Result<MoveCount, IllegalStroke> {
        let (number, after) = self.link_after(cells)?;
        let before = self.link(number);
        let pairwise = before.iter().zip(&after);
        let keep = pairwise.take_while(|(old, new)| old == new).count();
        if keep == before.len() && keep == after.len() {
            return Err(IllegalStroke::ChangesNothing);
        }
        let lost = self.replace(number, keep, &[]);
        let tail = &after[keep..];
        let mut changes: Vec<LinkChange> =
            tail.iter().filter_map(|&cell| self.cut_link_at(cell)).collect();
        self.replace(number, keep, tail);
        changes.push(LinkChange { number, keep, lost });
        Ok(self.push_undo(number, changes))
    }

    fn undo(&mut self) -> Result<MoveCount, IllegalStroke> {
        let changes = self.history.pop();
        // The stroke's own link is last in the list: its cells must be free before other links get
        // them.
        for change in changes.ok_or(IllegalStroke::NothingToUndo)?.iter().rev() {
            self.replace(change.number, change.keep, &change.lost);
        }
        Ok(MoveCount { moves: 0, acts: 1 })
    }

    fn cut_link_at(&mut self, cell: Cell) -> Option<LinkChange> {
        let number = self.owner(cell)?;
        let link = self.link(number);
        let at = link.iter().rposition(|&other| other == cell)?;
        // A terminal alone is no link.
        let keep = if at == 1 { 0 } else { at };
        let lost = self.replace(number, keep, &[]);
        Some(LinkChange { number, keep, lost })
    }

    fn link_after(&self, cells: &[Cell]) -> Result<(u16, Vec<Cell>), IllegalStroke> {
        let (&first, rest) = cells.split_first().ok_or(IllegalStroke::Empty)?;
        if cells.len() > STROKE_CELLS {
            return Err(IllegalStroke::TooLong);
        }
        let (number, kept) = self.stroke_start(first)?;
        let mut link = LinkBuilder::new(self.puzzle(), number, kept);
        for &cell in rest {
            link.enter(cell)?;
        }
        let after = link.finish()?;
        Ok((number, if after.len() == 1 { Vec::new() } else { after }))
    }

    /// Returns the number of a stroke that starts at a cell, and the part of its link that it
    /// keeps.
    fn stroke_start(&self, cell: Cell) -> Result<(u16, &[Cell]), IllegalStroke> {
        if !self.puzzle().size().contains(cell) {
            return Err(IllegalStroke::OutOfBounds(cell));
        }
        match self.puzzle().square(cell) {
            Square::Terminal(number) => {
                let pair = self.puzzle().pairs()[usize::from(number) - 1];
                let at = usize::from(pair[1] == cell);
                // The terminal as a slice that borrows from the puzzle.
                Ok((number, &self.puzzle.pairs()[usize::from(number) - 1][at..=at]))
            }
            Square::Open | Square::Solid => {
                let number = self.owner(cell);
                let number = number.ok_or(IllegalStroke::StartsNowhere(cell))?;
                let link = self.link(number);
                let at = link.iter().position(|&other| other == cell);
                Ok((number, &link[..=at.unwrap_or(0)]))
            }
        }
    }

    /// Returns a bounded list of legal strokes. For each number: strokes that extend its link by
    /// one cell (from either terminal when nothing is drawn), and the one that clears it; undo
    /// comes last. At most eight per number, all legal by [`Drawing::play`].
    pub fn candidate_strokes(&self) -> impl Iterator<Item = Stroke> {
        let numbers = (1u16..).zip(self.puzzle().pairs());
        let strokes = numbers.flat_map(|(number, &pair)| self.at_ends(number, pair));
        let strokes = strokes.chain([Stroke::Undo]);
        strokes.filter(|stroke| self.clone().play(stroke).is_ok())
    }

    fn at_ends(&self, number: u16, pair: [Cell; 2]) -> Vec<Stroke> {
        let (ends, clears) = match self.link(number) {
            [] => (pair.to_vec(), None),
            [start, .., end] => (vec![*end], Some(vec![*start])),
            [_] => (Vec::new(), None),
        };
        let on = ends.into_iter().flat_map(|end| {
            let neighbours = self.puzzle().size().neighbours(end);
            neighbours.map(move |next| vec![end, next])
        });
        on.chain(clears).map(Stroke::Draw).collect()
    }
}

/// A link that a stroke is drawing: never empty, always simple.
struct LinkBuilder<'a> {
    puzzle: &'a Puzzle,
    number: u16,
    cells: Vec<Cell>,
    /// The cells as a bit set.
    members: [u64; MAX_CELLS.div_ceil(64)],
}

impl<'a> LinkBuilder<'a> {
    fn new(puzzle: &'a Puzzle, number: u16, kept: &[Cell]) -> Self {
        let mut link =
            Self { puzzle, number, cells: Vec::with_capacity(kept.len()), members: [0; _] };
        kept.iter().for_each(|&cell| link.push(cell));
        link
    }

    fn enter(&mut self, cell: Cell) -> Result<(), IllegalStroke> {
        let size = self.puzzle.size();
        let last = self.last();
        if !size.contains(cell) {
            return Err(IllegalStroke::OutOfBounds(cell));
        }
        if size.distance(last, cell) != 1 {
            return Err(IllegalStroke::NotAdjacent(cell));
        }
        if self.contains(cell) {
            self.shorten_to(cell);
            return Ok(());
        }
        match self.puzzle.square(cell) {
            Square::Solid => return Err(IllegalStroke::Solid(cell)),
            Square::Terminal(number) if number != self.number => {
                return Err(IllegalStroke::OtherTerminal(cell));
            }
            Square::Terminal(_) | Square::Open => {}
        }
        let whole = self.cells.len() > 1 && self.puzzle.square(last) != Square::Open;
        if whole {
            return Err(IllegalStroke::PastTerminal(cell));
        }
        self.push(cell);
        Ok(())
    }

    /// Returns the cells, unless they touch where the puzzle forbids it.
    fn finish(self) -> Result<Vec<Cell>, IllegalStroke> {
        if self.puzzle.touch() == Touch::Forbidden {
            let ends = |at: usize| usize::from(at == 0) + usize::from(at + 1 == self.cells.len());
            let touches = |(at, &cell): (usize, &Cell)| {
                let neighbours = self.puzzle.size().neighbours(cell);
                neighbours.filter(|&next| self.contains(next)).count() + ends(at) > 2
            };
            let cell = self.cells.iter().enumerate().position(touches);
            if let Some(at) = cell {
                return Err(IllegalStroke::Touches(self.cells[at]));
            }
        }
        Ok(self.cells)
    }

    fn last(&self) -> Cell {
        self.cells.last().copied().unwrap_or_default()
    }

    fn contains(&self, cell: Cell) -> bool {
        let at = usize::from(cell.0);
        self.members[at / 64] >> (at % 64) & 1 == 1
    }

    fn push(&mut self, cell: Cell) {
        self.cells.push(cell);
        self.flip(cell);
    }

    fn shorten_to(&mut self, cell: Cell) {
        while let Some(last) = self.cells.pop_if(|last| *last != cell) {
            self.flip(last);
        }
    }

    fn flip(&mut self, cell: Cell) {
        let at = usize::from(cell.0);
        self.members[at / 64] ^= 1 << (at % 64);
    }
}

#[cfg(test)]
mod tests;
