//! A solved board read from one of its sides, as rows of bits.

use crate::util::grid::{Cell, Size};

/// The sides of boards that have a layout: a row's cells are the bits of a word.
pub(super) const LAYOUT_SIDES: std::ops::RangeInclusive<usize> = 2..=32;

#[derive(Debug, Clone, Copy)]
pub(super) struct SolvedBoard<'a> {
    /// The size, with sides in [`LAYOUT_SIDES`].
    pub size: Size,
    /// The links, each from end to end. Cells without a link are solid.
    pub links: &'a [Vec<Cell>],
    /// Whether other solutions must cover the same cells.
    pub full: bool,
}

/// Marks a mate whose fragment contains a number's terminals.
pub(super) const NUMBERED: u16 = 0x8000;

/// A solved board read from one side. A bit is a column, the lowest the first.
#[derive(Debug, Default)]
pub(super) struct RowLayout {
    pub rows: usize,
    pub cols: usize,
    pub lines: Vec<LayoutRow>,
    pub labels: Vec<u16>,
    /// The other terminal of each terminal; all other cells are their own mates.
    pub mates: Vec<u16>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LayoutRow {
    pub terminals: u32,
    pub solids: u32,
    /// Cells in which a link may turn from right to down, and from left to down.
    pub right_and_down: u32,
    pub left_and_down: u32,
    /// The known solution's edges to the right and downwards.
    pub known: [u32; 2],
}

/// The number of sides from which a board is searched: from above, from below, and both
/// transposed. The other four orientations are mirror images.
pub(super) const SIDES: usize = 4;

impl RowLayout {
    pub(super) fn lay(&mut self, solved: &SolvedBoard<'_>, side: usize) {
        let (transposed, from_below) = (side & 2 != 0, side & 1 != 0);
        let size = if transposed { solved.size.transposed() } else { solved.size };
        let (rows, cols) = (size.rows(), size.cols());
        (self.rows, self.cols) = (rows, cols);
        self.labels.clear();
        self.labels.resize(size.cells(), 0);
        self.mates.clear();
        self.mates.extend(0..size.cells() as u16);
        self.lines.clear();
        let solids = u32::MAX >> (32 - cols);
        let line = LayoutRow { solids, ..LayoutRow::default() };
        self.lines.resize(rows, line);
        let place = |cell: Cell| {
            let (row, col) = (solved.size.row_of(cell), solved.size.col_of(cell));
            let (row, col) = if transposed { (col, row) } else { (row, col) };
            let row = if from_below { rows - 1 - row } else { row };
            row * cols + col
        };
        for (label, link) in (0u16..).zip(solved.links) {
            let mut last: Option<usize> = None;
            for &cell in link {
                let at = place(cell);
                self.labels[at] = label;
                self.lines[at / cols].solids &= !(1 << (at % cols));
                if let Some(last) = last {
                    let (from, to) = (at.min(last), at.max(last));
                    let edge = usize::from(from / cols != to / cols);
                    self.lines[from / cols].known[edge] |= 1 << (from % cols);
                }
                last = Some(at);
            }
            if let (Some(&from), Some(&to)) = (link.first(), link.last()) {
                let (from, to) = (place(from), place(to));
                self.mates[from] = to as u16 | NUMBERED;
                self.mates[to] = from as u16 | NUMBERED;
                for end in [from, to] {
                    self.lines[end / cols].terminals |= 1 << (end % cols);
                }
            }
        }
        self.find_turns(solved.full, u32::MAX >> (32 - cols));
    }

    /// Finds where links may turn downwards: above a diagonal of such cells that ends at a
    /// terminal or a solid cell; anywhere if only full solutions count.
    fn find_turns(&mut self, full: bool, all: u32) {
        let mut below = (0, 0);
        for line in self.lines.iter_mut().rev() {
            let open = all & !line.terminals & !line.solids;
            if full {
                (line.right_and_down, line.left_and_down) = (open, open);
                continue;
            }
            (line.right_and_down, line.left_and_down) = (below.0 >> 1 & open, below.1 << 1 & open);
            let ends = line.terminals | line.solids;
            below = (ends | line.right_and_down, ends | line.left_and_down);
        }
    }
}
