//! Validation of drawings from outside: links and undo history.

use crate::puzzle::numberlink::drawing::{Drawing, LinkChange, UndoHistory, is_bounded};
use crate::puzzle::numberlink::{Puzzle, Square, Touch};
use crate::util::grid::Cell;
use std::sync::Arc;

/// An error in the links or the history of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DrawingError {
    #[error("{found} links for {expected} pairs")]
    LinkCount { expected: usize, found: usize },
    #[error("there is no number {0}")]
    NoNumber(u16),
    #[error("the link of {0} is not drawn from its terminal")]
    Start(u16),
    /// A link has a gap, continues after its other terminal, or enters a cell that is solid,
    /// another number's, or another link's.
    #[error("the link of {number} can't enter cell {cell}")]
    Step { number: u16, cell: Cell },
    #[error("the link of {number} touches itself at cell {cell}")]
    Touches { number: u16, cell: Cell },
    #[error("what could be undone makes no sense")]
    UndoHistory,
}

impl Drawing {
    /// Creates a drawing from its links, in the order of the numbers, each from the terminal where
    /// it starts, and empty if nothing is drawn. The undo history is empty.
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

    /// Sets the number of the last stroke and the undo history, the oldest stroke first. All
    /// strokes are undone on a copy, so that undo cannot fail later.
    pub(in crate::puzzle::numberlink) fn with_history(
        self,
        last: Option<u16>,
        strokes: Vec<Vec<LinkChange>>,
    ) -> Result<Self, DrawingError> {
        if let Some(number) = last {
            self.check_number(number)?;
        }
        let mut before = Self { history: UndoHistory::default(), ..self.clone() };
        for stroke in strokes.iter().rev() {
            for change in stroke.iter().rev() {
                before.replace_checked(change.number, change.keep, &change.lost)?;
            }
        }
        let is_consistent = last.is_some() || strokes.is_empty();
        if !is_bounded(&strokes) || !is_consistent || strokes.iter().any(Vec::is_empty) {
            return Err(DrawingError::UndoHistory);
        }
        let mut history = UndoHistory::default();
        strokes.into_iter().for_each(|stroke| history.push(stroke));
        Ok(Self { last, history, ..self })
    }

    /// Replaces the cells of a link after its first `keep` cells, if the new ones are allowed.
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

    /// Appends a cell to a link, or starts it at its terminal.
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
