//! Cut bound: lines of undecided cells that more links must cross than they have cells.
//!
//! A link whose ends lie on both sides of a line of cells that touch at least at their corners
//! occupies a cell of the line, as does one that ends on it; and no two links occupy the same
//! cell. From each column run three such lines: straight down, and along both diagonals. The lines
//! of a kind are the bits of a word, and the links across all of them are counted at once, in
//! binary counters of one word per digit.

use super::layout::{Layout, NUMBERED, SOLID, TERMINAL, bits};
use crate::puzzle::numberlink::solve::fragment_ends::FragmentEnds;

/// The columns by which each kind of line moves to the right per row.
const KINDS: [isize; 3] = [0, 1, -1];
/// A bit for each line of each kind.
type CutSet = [u64; KINDS.len()];
/// The bit of the lines that start in the first column. Diagonals may start outside the board: up
/// to this many columns to the left of it, and the rest of 64 to the right.
const FIRST_COLUMN_BIT: isize = 12;

/// Digits of a count: no line has more than 60 cells, and no more than 30 fragments lie across it.
const COUNTER_BITS: usize = 7;

/// A cell in relation to all lines: those that contain it, and those to the left of it.
#[derive(Debug, Clone, Copy)]
struct CellCuts {
    on: CutSet,
    right_of: CutSet,
}

/// A counter for each line, the least significant digit first.
#[derive(Debug, Clone, Copy)]
struct CutCounters([CutSet; COUNTER_BITS]);

#[derive(Debug, Clone)]
pub(super) struct CutBound {
    /// For each row, the terminals, a bit per column.
    terminals: Vec<u64>,
    /// For each row as the first undecided one, the counters with the links that have both ends
    /// below it; they overflow at one link too many.
    counts: Vec<CutCounters>,
    cols: usize,
}

impl CellCuts {
    /// Computes the lines of a cell `below` rows under the first undecided one.
    #[inline]
    fn new(below: usize, col: usize) -> Self {
        let lines = KINDS.map(|kind| FIRST_COLUMN_BIT + col as isize - kind * below as isize);
        Self {
            on: lines.map(|line| shifted(1, line)),
            right_of: lines.map(|line| !shifted(u64::MAX, line.max(0))),
        }
    }

    /// Returns the lines of which a link between two cells occupies a cell.
    #[inline]
    fn across(&self, other: &Self) -> CutSet {
        std::array::from_fn(|n| (self.right_of[n] ^ other.right_of[n]) | self.on[n] | other.on[n])
    }
}

impl CutCounters {
    /// Counts a link across some lines, and returns those with one link too many.
    #[inline]
    fn add(&mut self, mut lines: CutSet) -> CutSet {
        for digit in &mut self.0 {
            for (digit, line) in digit.iter_mut().zip(&mut lines) {
                (*digit, *line) = (*digit ^ *line, *digit & *line);
            }
        }
        lines
    }

    fn decrement(&mut self, mut lines: CutSet) {
        for digit in &mut self.0 {
            for (digit, line) in digit.iter_mut().zip(&mut lines) {
                (*digit, *line) = (*digit ^ *line, !*digit & *line);
            }
        }
    }
}

impl CutBound {
    pub fn new(layout: &Layout) -> Self {
        let (rows, cols) = (layout.rows, layout.cols);
        let solids = layout.rows_with(SOLID);
        let links = || {
            let mates = layout.mates.iter().map(|mate| usize::from(mate & !NUMBERED));
            mates.enumerate().filter(|(from, to)| from < to)
        };
        let counts = |row: usize| {
            let mut counts = CutCounters([[0; KINDS.len()]; COUNTER_BITS]);
            for (below, solids) in (0..).zip(&solids[row..]) {
                let open = !solids & ((1 << cols) - 1);
                counts.add(KINDS.map(|kind| shifted(open, FIRST_COLUMN_BIT - kind * below)));
            }
            for word in counts.0.iter_mut().flatten() {
                *word = !*word;
            }
            for (from, to) in links().filter(|(from, _)| from / cols > row) {
                let place = |at: usize| CellCuts::new(at / cols - row, at % cols);
                counts.add(place(from).across(&place(to)));
            }
            counts
        };
        Self {
            counts: (0..rows).map(counts).collect(),
            terminals: layout.rows_with(TERMINAL),
            cols,
        }
    }

    /// Returns whether too many links cross a line below the downward edges that enter a row.
    ///
    /// If the ends of a fragment without a number lie on both sides of a line, one link may cross
    /// the line through it.
    pub fn is_exceeded(&self, row: usize, edges: u64, ends: &FragmentEnds) -> bool {
        let first = row * self.cols;
        let terminals = self.terminals[row];
        let mut counts = self.counts[row];
        for col in bits(edges & !terminals) {
            let mate = usize::from(ends.mate(first + col));
            if mate & usize::from(NUMBERED) == 0 && mate > first + col {
                let (cell, other) = (CellCuts::new(0, col), CellCuts::new(0, mate - first));
                let between = cell.across(&other);
                counts.decrement(std::array::from_fn(|n| between[n] & !cell.on[n] & !other.on[n]));
            }
        }
        let mut over = 0;
        for col in bits(edges | terminals) {
            let cell = CellCuts::new(0, col);
            let mate = ends.mate(first + col);
            let lines = if edges & terminals & 1 << col != 0 {
                cell.on
            } else {
                let at = usize::from(mate & !NUMBERED);
                if mate & NUMBERED == 0 || at < first + col {
                    continue;
                }
                cell.across(&CellCuts::new(at / self.cols - row, at % self.cols))
            };
            over |= counts.add(lines).into_iter().fold(0, |all, line| all | line);
        }
        over != 0
    }
}

/// Shifts a word to the left, or to the right for a negative distance; bits shifted out are lost.
#[inline]
const fn shifted(word: u64, by: isize) -> u64 {
    match by {
        ..-63 | 64.. => 0,
        ..0 => word >> -by,
        _ => word << by,
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Side;
    use super::*;
    use crate::puzzle::numberlink::generate::make;
    use crate::puzzle::numberlink::{Mode, Puzzle, Solution, Touch};
    use crate::util::grid::{Cell, Size};

    /// Draws a solution row by row, and returns the rows at which the bound is exceeded.
    fn short_rows(puzzle: &Puzzle, solution: &Solution, side: Side) -> Vec<usize> {
        let layout = Layout::new(puzzle, side);
        let (rows, cols) = (layout.rows, layout.cols);
        let cuts = CutBound::new(&layout);
        let mut ends = FragmentEnds::new(&layout.mates);
        let place = |cell: &Cell| layout.origin.iter().position(|own| own == cell).unwrap();
        let steps = solution.0.iter().flat_map(|link| link.windows(2));
        let mut edges: Vec<_> = steps
            .map(|step| {
                let (a, b) = (place(&step[0]), place(&step[1]));
                (a.min(b), a.max(b))
            })
            .collect();
        edges.sort_unstable();
        let mut short = Vec::new();
        for row in 1..rows {
            let mut downs = 0;
            for &(from, to) in edges.iter().filter(|edge| edge.0 / cols == row - 1) {
                assert!(ends.join(from as u16, to as u16).is_some());
                if to == from + cols {
                    downs |= 1 << (from % cols);
                }
            }
            if cuts.is_exceeded(row, downs, &ends) {
                short.push(row);
            }
        }
        short
    }

    #[test]
    fn the_bound_is_never_exceeded_on_a_path_to_a_solution() {
        for (rows, cols) in [(4, 4), (7, 7), (4, 12), (6, 20), (20, 6), (12, 12), (18, 10)] {
            let size = Size::new(rows, cols).unwrap();
            for seed in 0..12 {
                let seed = format!("line{seed}").parse().unwrap();
                for mode in [Mode::Any, Mode::Classic] {
                    let made = make(size, mode, &seed).unwrap();
                    for side in Side::all(&made.puzzle) {
                        let short = short_rows(&made.puzzle, &made.solution, side);
                        assert!(short.is_empty(), "{size} {seed:?} {side:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_bound_is_exceeded_by_more_links_than_cells() {
        // Three links across the middle columns with two rows left for them, and with three rows
        // left.
        let size = Size::new(4, 5).unwrap();
        let terminals = [(1, 5), (1, 9), (2, 10), (2, 14), (3, 15), (3, 19)];
        let terminals: Vec<_> = terminals.iter().map(|&(n, at)| (n, Cell(at))).collect();
        let puzzle = Puzzle::new(size, &terminals, &[], Touch::Free).unwrap();
        let layout = Layout::new(&puzzle, Side::Top);
        let (cuts, mut ends) = (CutBound::new(&layout), FragmentEnds::new(&layout.mates));
        assert!(!cuts.is_exceeded(1, 0, &ends));
        for (from, to) in [(5, 6), (6, 11), (9, 8), (8, 13)] {
            ends.join(from, to).unwrap();
        }
        assert!(cuts.is_exceeded(2, 1 << 1 | 1 << 3, &ends));
    }

    #[test]
    fn many_fragments_across_a_line_of_60_cells_do_not_exceed_it() {
        // Two numbers and seven fragments without a number, nested over the middle columns.
        let size = Size::new(60, 20).unwrap();
        let ends = [(1, 20), (1, 39), (2, 21), (2, 38), (3, 1180), (3, 1199)];
        let terminals: Vec<_> = ends.iter().map(|&(n, at)| (n, Cell(at))).collect();
        let puzzle = Puzzle::new(size, &terminals, &[], Touch::Free).unwrap();
        let layout = Layout::new(&puzzle, Side::Top);
        let mut ends = FragmentEnds::new(&layout.mates);
        let mut edges = 0;
        for col in 2..9 {
            ends.join(20 + col, 39 - col).unwrap();
            edges |= 1 << col | 1 << (19 - col);
        }
        assert!(!CutBound::new(&layout).is_exceeded(1, edges, &ends));
    }
}
