//! Undo history: for each stroke, the changes that restore the links before it.

use crate::util::grid::Cell;
use std::collections::VecDeque;

/// Maximum number of strokes that can be undone. A drag is a single stroke, so this is ample; a
/// player who wants more clears a link.
pub const UNDO_STROKES: usize = 32;

/// Maximum total weight of the strokes that can be undone, by `LinkChange::weight`. It bounds a
/// snapshot: 32 boards of 400 cells stay below a frame's limit. The oldest strokes are dropped
/// first; the newest one is always kept.
pub const UNDO_WEIGHT: usize = 1_600;

/// The weight of a changed link besides the cells that it lost, in cells: in JSON its number,
/// `keep` and field names take some 40 bytes, and a cell one.
const CHANGE_WEIGHT: usize = 24;

/// The former state of a link: its unchanged first cells, then those that were lost.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LinkChange {
    pub number: u16,
    /// How many of its first cells are unchanged.
    pub keep: usize,
    /// The cells after them.
    pub lost: Vec<Cell>,
}

impl LinkChange {
    fn weight(&self) -> usize {
        CHANGE_WEIGHT + self.lost.len()
    }
}

/// The strokes that can be undone, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct UndoHistory {
    strokes: VecDeque<Vec<LinkChange>>,
    weight: usize,
}

impl UndoHistory {
    /// Adds a stroke, given as the changes of its links, which undo restores from the last to the
    /// first.
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

/// Returns whether a history may hold these strokes.
pub fn is_bounded(strokes: &[Vec<LinkChange>]) -> bool {
    let all: usize = strokes.iter().map(|stroke| weight(stroke)).sum();
    strokes.len() <= UNDO_STROKES && (all <= UNDO_WEIGHT || strokes.len() == 1)
}

fn weight(stroke: &[LinkChange]) -> usize {
    stroke.iter().map(LinkChange::weight).sum()
}
