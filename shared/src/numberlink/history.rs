//! What undo needs: of each stroke what it took away.

use crate::grid::Cell;
use std::collections::VecDeque;

/// As many strokes as can be taken back. A drag is one, so this is far more than a slip; and
/// whoever wants to go back further clears a link.
pub const UNDO_STROKES: usize = 32;

/// As many cells as the strokes that can be taken back have taken away together, four
/// times those of the largest heat's board: it bounds a snapshot. Older strokes are
/// forgotten first.
pub const UNDO_CELLS: usize = 1_600;

/// What a link was: its first cells as they are still there, then those that were lost.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Former {
    /// Whose link.
    pub number: u16,
    /// How many of its first cells are as before.
    pub keep: usize,
    /// What came after them.
    pub lost: Vec<Cell>,
}

/// The strokes that can be taken back, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct History {
    strokes: VecDeque<Vec<Former>>,
    /// Cells lost by all of them.
    cells: usize,
}

impl History {
    /// Adds a stroke, given by the links that it changed; they are restored from the last
    /// to the first.
    pub fn push(&mut self, stroke: Vec<Former>) {
        self.cells += lost(&stroke);
        self.strokes.push_back(stroke);
        let over = |history: &Self| {
            history.strokes.len() > UNDO_STROKES
                || history.cells > UNDO_CELLS && history.strokes.len() > 1
        };
        while over(self) {
            self.cells -= self.strokes.pop_front().as_deref().map_or(0, lost);
        }
    }

    /// Takes the newest stroke off.
    pub fn pop(&mut self) -> Option<Vec<Former>> {
        let stroke = self.strokes.pop_back()?;
        self.cells -= lost(&stroke);
        Some(stroke)
    }

    /// Returns the strokes, the oldest first.
    pub fn strokes(&self) -> impl DoubleEndedIterator<Item = &Vec<Former>> + ExactSizeIterator {
        self.strokes.iter()
    }
}

fn lost(stroke: &[Former]) -> usize {
    stroke.iter().map(|former| former.lost.len()).sum()
}
