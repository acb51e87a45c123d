//! What undo needs: of each stroke what it took away.

use crate::util::grid::Cell;
use std::collections::VecDeque;

/// As many strokes as can be taken back. A drag is one, so this is far more than a slip; and
/// whoever wants to go back further clears a link.
pub const UNDO_STROKES: usize = 32;

/// As much as the strokes that can be taken back may weigh together, by `LinkChange::weight`:
/// it bounds a snapshot, in which 32 boards of 400 cells stay below a frame's limit. Older
/// strokes are forgotten first; the newest can be taken back whatever it weighs.
pub const UNDO_WEIGHT: usize = 1_600;

/// What a link that was changed weighs beside the cells that it lost, in cells: in JSON its
/// number, its keep and the names of its fields take some forty bytes, and a cell one.
const CHANGE_WEIGHT: usize = 24;

/// What a link was: its first cells as they are still there, then those that were lost.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct LinkChange {
    /// Whose link.
    pub number: u16,
    /// How many of its first cells are as before.
    pub keep: usize,
    /// What came after them.
    pub lost: Vec<Cell>,
}

impl LinkChange {
    /// Returns what it weighs in a history.
    fn weight(&self) -> usize {
        CHANGE_WEIGHT + self.lost.len()
    }
}

/// The strokes that can be taken back, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct UndoHistory {
    strokes: VecDeque<Vec<LinkChange>>,
    /// Of all of them.
    weight: usize,
}

impl UndoHistory {
    /// Adds a stroke, given by the links that it changed; they are restored from the last
    /// to the first.
    pub fn push(&mut self, stroke: Vec<LinkChange>) {
        self.weight += weight(&stroke);
        self.strokes.push_back(stroke);
        let over = |history: &Self| {
            history.strokes.len() > UNDO_STROKES
                || history.weight > UNDO_WEIGHT && history.strokes.len() > 1
        };
        while over(self) {
            self.weight -= self.strokes.pop_front().as_deref().map_or(0, weight);
        }
    }

    /// Takes the newest stroke off.
    pub fn pop(&mut self) -> Option<Vec<LinkChange>> {
        let stroke = self.strokes.pop_back()?;
        self.weight -= weight(&stroke);
        Some(stroke)
    }

    /// Returns the strokes, the oldest first.
    pub fn strokes(&self) -> impl DoubleEndedIterator<Item = &Vec<LinkChange>> + ExactSizeIterator {
        self.strokes.iter()
    }
}

/// Says whether a history may hold these strokes.
pub(super) fn is_bounded(strokes: &[Vec<LinkChange>]) -> bool {
    let all: usize = strokes.iter().map(|stroke| weight(stroke)).sum();
    strokes.len() <= UNDO_STROKES && (all <= UNDO_WEIGHT || strokes.len() == 1)
}

fn weight(stroke: &[LinkChange]) -> usize {
    stroke.iter().map(LinkChange::weight).sum()
}
