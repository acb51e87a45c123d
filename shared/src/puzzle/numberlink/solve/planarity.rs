//! Planarity pruning: states in which two links would have to cross.

use super::layout::{Layout, NUMBERED, TERMINAL, bits};
use crate::puzzle::numberlink::solve::fragment_ends::FragmentEnds;

/// Checks whether numbers with both ends on the border of the undecided cells would have to cross.
#[derive(Debug, Clone)]
pub(super) struct PlanarityCheck {
    /// For each row, its terminals, a bit per column.
    terminals: Vec<u64>,
    /// The terminals on the left and right edges and in the last row, from the upper right corner
    /// around to the upper left one.
    around: Vec<u16>,
    rows: usize,
    cols: usize,
}

/// The maximum number of ends on the border of the largest board.
const MAX_BORDER_ENDS: usize = 160;

/// Numbers with one end passed so far on the way around the border.
struct OpenNumbers {
    ends: [u16; MAX_BORDER_ENDS],
    depth: usize,
}

impl PlanarityCheck {
    pub fn new(layout: &Layout) -> Self {
        let (rows, cols) = (layout.rows, layout.cols);
        let right = (1..rows).map(|row| row * cols + cols - 1);
        let below = (1..cols - 1).rev().map(|col| (rows - 1) * cols + col);
        let left = (1..rows).rev().map(|row| row * cols);
        let around = right.chain(below).chain(left);
        let around = around.filter(|&at| layout.cells[at] & TERMINAL != 0);
        Self {
            terminals: layout.rows_with(TERMINAL),
            around: around.map(|at| at as u16).collect(),
            rows,
            cols,
        }
    }

    /// Returns whether two numbers would have to cross below the downward edges that enter a row.
    ///
    /// The undecided cells form a disc. On its border lie the cells below the edges, the terminals
    /// of the row, and those on the other three sides. Two numbers whose ends alternate there
    /// cannot both be linked within the disc. A link can leave the disc through a fragment without
    /// a number and return at the fragment's other end, but that only bypasses the ends in
    /// between, which are ignored.
    pub fn crosses(&self, row: usize, edges: u64, ends: &FragmentEnds) -> bool {
        let first = row * self.cols;
        let under = self.under(row, edges, ends);
        let mut open_numbers = OpenNumbers { ends: [0; MAX_BORDER_ENDS], depth: 0 };
        for col in bits((edges ^ self.terminals[row]) & !under) {
            if self.meets(first + col, row, under, ends, &mut open_numbers) {
                return true;
            }
        }
        let below = self.around.iter().map(|&at| usize::from(at));
        below
            .filter(|&at| at >= first + self.cols)
            .any(|at| self.meets(at, row, under, ends, &mut open_numbers))
    }

    /// Returns the columns between the two ends of fragments without a number.
    fn under(&self, row: usize, edges: u64, ends: &FragmentEnds) -> u64 {
        let first = row * self.cols;
        let mut under = 0;
        for col in bits(edges & !self.terminals[row]) {
            let mate = ends.mate(first + col);
            if mate & NUMBERED == 0 && usize::from(mate) > first + col {
                under |= (1 << (usize::from(mate) - first)) - (2 << col);
            }
        }
        under
    }

    /// Passes an end of a number, and returns whether another number's ends alternate with it.
    #[inline]
    fn meets(
        &self,
        at: usize,
        row: usize,
        under: u64,
        ends: &FragmentEnds,
        open_numbers: &mut OpenNumbers,
    ) -> bool {
        let mate = ends.mate(at);
        if mate & NUMBERED == 0 {
            return false;
        }
        let at = at as u16;
        if open_numbers.depth > 0 && open_numbers.ends[open_numbers.depth - 1] == at {
            open_numbers.depth -= 1;
            return false;
        }
        let mate = mate & !NUMBERED;
        let (mate_row, col) = (usize::from(mate) / self.cols, usize::from(mate) % self.cols);
        let is_on_edge = if mate_row == row {
            under >> col & 1 == 0
        } else {
            col == 0 || col + 1 == self.cols || mate_row + 1 == self.rows
        };
        if !is_on_edge {
            return false;
        }
        if open_numbers.ends[..open_numbers.depth].contains(&at) {
            return true;
        }
        if open_numbers.depth < MAX_BORDER_ENDS {
            open_numbers.ends[open_numbers.depth] = mate;
            open_numbers.depth += 1;
        }
        false
    }
}
