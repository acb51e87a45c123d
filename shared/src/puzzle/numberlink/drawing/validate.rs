//! Drawings that come from elsewhere: links and history, checked from nothing.

use crate::puzzle::numberlink::drawing::Drawing;
use crate::puzzle::numberlink::history::{LinkChange, UndoHistory, is_bounded};
use crate::puzzle::numberlink::{Puzzle, Square, Touch};
use crate::util::grid::Cell;
use std::sync::Arc;

/// Why something is no drawing of its puzzle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DrawingError {
    /// Not as many links as pairs.
    #[error("{found} links for {expected} pairs")]
    LinkCount {
        /// Pairs of the puzzle.
        expected: usize,
        /// Links given.
        found: usize,
    },
    /// A number that the puzzle doesn't have.
    #[error("there is no number {0}")]
    NoNumber(u16),
    /// A link that doesn't start at one of its terminals, or is a terminal alone.
    #[error("the link of {0} is not drawn from its terminal")]
    Start(u16),
    /// A link that isn't a run of adjacent cells, goes on after its other terminal, or
    /// enters a cell that isn't for it: solid, another number's, or another link's.
    #[error("the link of {number} can't enter cell {cell}")]
    Step {
        /// Whose link.
        number: u16,
        /// Where it goes wrong.
        cell: Cell,
    },
    /// A link that touches itself, where none may.
    #[error("the link of {number} touches itself at cell {cell}")]
    Touches {
        /// Whose link.
        number: u16,
        /// Where.
        cell: Cell,
    },
    /// A history longer than any, or of no stroke that there can have been.
    #[error("what could be undone makes no sense")]
    UndoHistory,
}

impl Drawing {
    /// Makes a drawing of its links, in the order of the numbers, each from the terminal
    /// where it was begun, and empty where nothing is drawn. Nothing can be undone.
    ///
    /// # Errors
    /// The first fault that is found.
    pub fn from_links(
        puzzle: impl Into<Arc<Puzzle>>,
        links: &[Vec<Cell>],
    ) -> Result<Self, DrawingError> {
        let mut drawing = Self::new(puzzle);
        let expected = drawing.puzzle().pairs().len();
        if links.len() != expected {
            let found = links.len();
            return Err(DrawingError::LinkCount { expected, found });
        }
        for (number, link) in (1..).zip(links) {
            drawing.replace_checked(number, 0, link)?;
        }
        Ok(drawing)
    }

    /// Puts the last stroke's number and the strokes that can be undone in place, the oldest
    /// first. All of them are undone on a copy, so that none can go wrong later.
    pub(in crate::puzzle::numberlink) fn with_history(
        mut self,
        last: Option<u16>,
        strokes: Vec<Vec<LinkChange>>,
    ) -> Result<Self, DrawingError> {
        if let Some(number) = last {
            self.check_number(number)?;
        }
        let mut before = self.without_history();
        for stroke in strokes.iter().rev() {
            for change in stroke.iter().rev() {
                before.replace_checked(change.number, change.keep, &change.lost)?;
            }
        }
        let told = last.is_some() || strokes.is_empty();
        if !is_bounded(&strokes) || !told || strokes.iter().any(Vec::is_empty) {
            return Err(DrawingError::UndoHistory);
        }
        let mut history = UndoHistory::default();
        strokes.into_iter().for_each(|stroke| history.push(stroke));
        self.set_history(last, history);
        Ok(self)
    }

    /// Exchanges what a link has after its first cells, if what comes there may be there.
    fn replace_checked(
        &mut self,
        number: u16,
        keep: usize,
        tail: &[Cell],
    ) -> Result<(), DrawingError> {
        self.check_number(number)?;
        let link = self.link(number);
        if keep > link.len() {
            return Err(DrawingError::UndoHistory);
        }
        if keep + tail.len() == 1 {
            return Err(DrawingError::Start(number));
        }
        self.replace(number, keep, &[]);
        for &cell in tail {
            self.push_checked(number, cell)?;
        }
        Ok(())
    }

    /// Adds one cell to a link, or its terminal to one of which nothing is drawn.
    fn push_checked(&mut self, number: u16, cell: Cell) -> Result<(), DrawingError> {
        let puzzle = self.puzzle();
        let size = puzzle.size();
        let link = self.link(number);
        let Some(&last) = link.last() else {
            if puzzle.square(cell) != Square::Terminal(number) {
                return Err(DrawingError::Start(number));
            }
            self.replace(number, 0, &[cell]);
            return Ok(());
        };
        let whole = link.len() > 1 && self.is_linked(number);
        let enters = match puzzle.square(cell) {
            Square::Open => true,
            Square::Solid => false,
            Square::Terminal(other) => other == number,
        };
        let adjacent = size.contains(cell) && size.distance(last, cell) == 1;
        if whole || !enters || !adjacent || self.owner(cell).is_some() {
            return Err(DrawingError::Step { number, cell });
        }
        let mine = |&next: &Cell| self.owner(next) == Some(number);
        if puzzle.touch() == Touch::Forbidden && size.neighbours(cell).filter(mine).count() > 1 {
            return Err(DrawingError::Touches { number, cell });
        }
        self.replace(number, link.len(), &[cell]);
        Ok(())
    }

    fn check_number(&self, number: u16) -> Result<(), DrawingError> {
        if (1..=self.puzzle().pairs().len()).contains(&usize::from(number)) {
            Ok(())
        } else {
            Err(DrawingError::NoNumber(number))
        }
    }
}
