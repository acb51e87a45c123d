//! Reasons in the plane why a state can have no solution below it.

use super::layout::{Layout, NUMBERED, TERMINAL};
use crate::puzzle::numberlink::solve::fragment_ends::FragmentEnds;

/// Marks where both ends of a number lie on the edge of what isn't drawn yet, and says
/// whether two of them would have to cross there.
#[derive(Debug, Clone)]
pub(super) struct PlanarityCheck {
    /// For each row, its terminals, a bit a column.
    terminals: Vec<u64>,
    /// The terminals on the left and right edge and in the last row, from the upper right
    /// corner around to the upper left one.
    around: Vec<u16>,
    rows: usize,
    cols: usize,
}

/// As many ends as lie on the edge of the largest board.
const MAX_BORDER_ENDS: usize = 160;

/// Numbers that are open_numbers and not ended, on the way around.
struct OpenNumbers {
    ends: [u16; MAX_BORDER_ENDS],
    depth: usize,
}

impl PlanarityCheck {
    pub fn new(layout: &Layout) -> Self {
        let (rows, cols) = (layout.rows, layout.cols);
        let bits = |kinds: u8| {
            let row = |cells: &[u8]| {
                let bit = |(col, &cell): (usize, &u8)| u64::from(cell & kinds != 0) << col;
                cells.iter().enumerate().map(bit).sum()
            };
            layout.cells.chunks(cols).map(row).collect()
        };
        let right = (1..rows).map(|row| row * cols + cols - 1);
        let below = (1..cols - 1).rev().map(|col| (rows - 1) * cols + col);
        let left = (1..rows).rev().map(|row| row * cols);
        let around = right.chain(below).chain(left);
        let around = around.filter(|&at| layout.cells[at] & TERMINAL != 0);
        Self { terminals: bits(TERMINAL), around: around.map(|at| at as u16).collect(), rows, cols }
    }

    /// Says whether two numbers would have to cross below the edges downwards that enter a
    /// row.
    ///
    /// What isn't drawn yet is a disc. Along its edge lie the cells that the edges lead to,
    /// the terminals of the row, and those on the other three sides; two numbers whose ends
    /// lie there in turn can't both be linked within the disc. A link can leave it through
    /// a fragment that holds no number yet, and come back at the fragment's other end: but
    /// it gets only around what ends in between, and that is left out.
    pub fn crosses(&self, row: usize, edges: u64, ends: &FragmentEnds) -> bool {
        let first = row * self.cols;
        let under = self.under(row, edges, ends);
        let mut open_numbers = OpenNumbers { ends: [0; MAX_BORDER_ENDS], depth: 0 };
        let mut on_row = (edges ^ self.terminals[row]) & !under;
        while on_row != 0 {
            let at = first + on_row.trailing_zeros() as usize;
            on_row &= on_row - 1;
            if self.meets(at, row, under, ends, &mut open_numbers) {
                return true;
            }
        }
        let below = self.around.iter().map(|&at| usize::from(at));
        below
            .filter(|&at| at >= first + self.cols)
            .any(|at| self.meets(at, row, under, ends, &mut open_numbers))
    }

    /// Returns the columns between the two ends of a fragment without a number.
    fn under(&self, row: usize, edges: u64, ends: &FragmentEnds) -> u64 {
        let first = row * self.cols;
        let mut under = 0;
        let mut heads = edges & !self.terminals[row];
        while heads != 0 {
            let col = heads.trailing_zeros() as usize;
            heads &= heads - 1;
            let mate = ends.mate(first + col);
            if mate & NUMBERED == 0 && usize::from(mate) > first + col {
                under |= (1 << (usize::from(mate) - first)) - (2 << col);
            }
        }
        under
    }

    /// Begins or ends a number, and says whether another was open_numbers in between.
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
