//! Depth-first search over the cells, row by row.
//!
//! Each cell in turn decides whether a link leaves it to the right and downwards; how many
//! must is given by what comes in from the left and from above. Every open end of a drawn
//! fragment knows the fragment's other end, and whether a number hangs on it: so a loop, and
//! a link between two numbers, is seen as it is drawn. (The mates are those of Knuth's
//! Simpath, The Art of Computer Programming 4A, 7.1.4; both terminals of a number begin as
//! each other's mates.) Decisions are taken back from the frames of the cells: nothing is
//! allocated while searching, and the stack doesn't grow.

use super::layout::{
    DOWN, LEFT_AND_DOWN, Layout, NUMBERED, RIGHT, RIGHT_AND_DOWN, ROOM, SOLID, TERMINAL,
};
use super::memo::{Memo, Name, Naming};

/// Which sets of links a search goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Every full solution.
    Full,
    /// Every full solution without a touch, and some with.
    FullTaut,
    /// Every taut solution, with cells left empty or not, and some that aren't taut. A
    /// solution is taut when none of its links touches itself, and none can be pushed
    /// downwards around an empty cell.
    Taut,
}

/// What a stretch of a search came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// A solution: [`Search::edges`] has it until the search goes on.
    Found,
    /// There are no more.
    Exhausted,
    /// The budget is spent; the search can go on from here.
    Spent,
}

const NOTHING: u8 = 1;
const GO_RIGHT: u8 = 2;
const GO_DOWN: u8 = 4;
const GO_BOTH: u8 = 8;

/// What is needed to take back the joining of two ends.
#[derive(Debug, Clone, Copy, Default)]
struct Join {
    ends: [u16; 2],
    were: [u16; 2],
}

/// A cell's decision.
#[derive(Debug, Clone, Copy, Default)]
struct Frame {
    /// The choices not tried yet.
    left: u8,
    /// The choice that stands.
    taken: u8,
    right: Join,
    down: Join,
}

/// What is kept of each row as it is entered.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    /// Edges to the right that the row above forbids.
    no_right: u64,
    /// Cells that the row above forbids to be empty.
    no_empty: u64,
    name: Name,
    /// Solutions found before.
    solutions: u64,
}

/// A search in progress.
#[derive(Debug, Clone)]
pub(super) struct Search {
    layout: Layout,
    kind: Kind,
    /// The other end of the fragment that ends at a cell, or the cell itself.
    mates: Box<[u16; ROOM]>,
    frames: Vec<Frame>,
    /// For each row, which cells have an edge to the right.
    rights: Vec<u64>,
    /// For each row, and one above the first, which cells have an edge downwards.
    downs: Vec<u64>,
    marks: Vec<Mark>,
    /// The cell to enter next.
    at: usize,
    solutions: u64,
    nodes: u64,
}

impl Search {
    /// Begins a search.
    pub fn new(layout: Layout, kind: Kind) -> Self {
        let mut mates = Box::new([0; ROOM]);
        mates[..layout.mates.len()].copy_from_slice(&layout.mates);
        Self {
            kind,
            mates,
            frames: vec![Frame::default(); layout.cells.len()],
            rights: vec![0; layout.rows],
            downs: vec![0; layout.rows + 1],
            marks: vec![Mark::default(); layout.rows],
            at: 0,
            solutions: 0,
            nodes: 0,
            layout,
        }
    }

    /// Returns the layout.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the choices tried so far.
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Returns each row's edges to the right and each row's edges downwards, a bit a column.
    pub fn edges(&self) -> (&[u64], &[u64]) {
        (&self.rights, &self.downs[1..])
    }

    /// Goes on until a solution is found, none is left, or `budget` more choices are tried.
    pub fn go_on(&mut self, budget: u64, memo: &mut Memo) -> Outcome {
        let until = self.nodes.saturating_add(budget);
        match self.kind {
            Kind::Full => self.run::<false, false>(until, memo),
            Kind::FullTaut => self.run::<false, true>(until, memo),
            Kind::Taut => self.run::<true, true>(until, memo),
        }
    }

    fn run<const EMPTY: bool, const TAUT: bool>(&mut self, until: u64, memo: &mut Memo) -> Outcome {
        let cols = self.layout.cols;
        let cells = self.frames.len();
        let mut at = self.at;
        let (mut row, mut col) = (at / cols, at % cols);
        // After a solution the last cell is taken back.
        let mut left = 0;
        let mut is_entering = at < cells;
        loop {
            if is_entering {
                if at == cells {
                    self.at = at;
                    self.solutions += 1;
                    return Outcome::Found;
                }
                if self.nodes >= until {
                    self.at = at;
                    return Outcome::Spent;
                }
                left = if col == 0 && !self.enter_row::<EMPTY, TAUT>(row, memo) {
                    0
                } else {
                    self.choices::<EMPTY, TAUT>(at, row, col)
                };
                is_entering = false;
            } else if left == 0 {
                if col == 0 && at < cells {
                    self.leave_row(row, memo);
                }
                if at == 0 {
                    return Outcome::Exhausted;
                }
                at -= 1;
                (row, col) = if col == 0 {
                    (row - 1, cols - 1)
                } else {
                    (row, col - 1)
                };
                left = self.take_back(at);
            } else {
                let choice = left & left.wrapping_neg();
                left ^= choice;
                self.nodes += 1;
                if self.take(at, row, col, choice) {
                    self.frames[at].left = left;
                    at += 1;
                    col += 1;
                    if col == cols {
                        (row, col) = (row + 1, 0);
                    }
                    is_entering = true;
                }
            }
        }
    }

    /// Works out what the row above means for a row, and says whether it is worth entering.
    fn enter_row<const EMPTY: bool, const TAUT: bool>(&mut self, row: usize, memo: &Memo) -> bool {
        if row == 0 {
            return true;
        }
        let (top, left) = (self.rights[row - 1], self.downs[row]);
        let right = left >> 1;
        let mark = &mut self.marks[row];
        if TAUT {
            // Three edges around a square of four cells are a touch, and four are a loop.
            mark.no_right = top & left | top & right | left & right;
            // Inside of a turn downwards.
            mark.no_empty = (top & left) << 1 | top & right;
        }
        let mut naming = Naming::new(row as u64);
        naming.add(left);
        if TAUT {
            naming.add(mark.no_right);
        }
        if EMPTY {
            naming.add(mark.no_empty);
        }
        let first = row * self.layout.cols;
        let mut heads = left;
        while heads != 0 {
            let col = heads.trailing_zeros() as usize;
            heads &= heads - 1;
            let head = first + col;
            if self.layout.cells[head] & TERMINAL == 0 {
                naming.add((col as u64) << 16 | u64::from(self.mates[head % ROOM]));
            }
        }
        mark.name = naming.name();
        mark.solutions = self.solutions;
        // A name that is held has nothing to add: leaving the row holds it again.
        !memo.holds(mark.name)
    }

    /// Notes that nothing is below a row's state, where nothing was found there.
    fn leave_row(&self, row: usize, memo: &mut Memo) {
        let mark = self.marks[row];
        if row > 0 && mark.solutions == self.solutions && !memo.holds(mark.name) {
            memo.hold(mark.name);
        }
    }

    /// Returns what a cell can do, given what comes in from the left and from above.
    #[inline]
    fn choices<const EMPTY: bool, const TAUT: bool>(
        &self,
        at: usize,
        row: usize,
        col: usize,
    ) -> u8 {
        let cell = self.layout.cells[at];
        let bit = 1u64 << col;
        let left = self.rights[row] << 1 & bit != 0;
        let above = self.downs[row];
        let up = above & bit != 0;
        if cell & SOLID != 0 || left && up || (left || up) && cell & TERMINAL != 0 {
            return NOTHING;
        }
        let mark = &self.marks[row];
        let full = above & bit << 1 != 0 && self.layout.cells[at + 1] & TERMINAL != 0;
        let right = cell & RIGHT != 0 && !full && !(TAUT && mark.no_right & bit != 0);
        let down = cell & DOWN != 0
            && !(TAUT
                && left
                && (self.downs[row + 1] << 1 & bit != 0 || cell & LEFT_AND_DOWN == 0));
        let mut choices = 0;
        if left || up || cell & TERMINAL != 0 {
            if right {
                choices |= GO_RIGHT;
            }
            if down {
                choices |= GO_DOWN;
            }
        } else {
            if right && down && (!TAUT || cell & RIGHT_AND_DOWN != 0) {
                choices |= GO_BOTH;
            }
            if EMPTY && mark.no_empty & bit == 0 {
                choices |= NOTHING;
            }
        }
        choices
    }

    /// Makes a choice; or leaves everything as it was and says no, where that would close a
    /// loop or join two numbers.
    #[inline]
    fn take(&mut self, at: usize, row: usize, col: usize, choice: u8) -> bool {
        let (right, down) = (
            choice & (GO_RIGHT | GO_BOTH) != 0,
            choice & (GO_DOWN | GO_BOTH) != 0,
        );
        if right {
            match self.join(at, at + 1) {
                Some(join) => self.frames[at].right = join,
                None => return false,
            }
        }
        if down {
            match self.join(at, at + self.layout.cols) {
                Some(join) => self.frames[at].down = join,
                None => {
                    if right {
                        self.part(self.frames[at].right);
                    }
                    return false;
                }
            }
        }
        self.frames[at].taken = choice;
        let clear = !(1u64 << col);
        self.rights[row] = self.rights[row] & clear | u64::from(right) << col;
        self.downs[row + 1] = self.downs[row + 1] & clear | u64::from(down) << col;
        true
    }

    /// Takes a cell's choice back and returns the others.
    #[inline]
    fn take_back(&mut self, at: usize) -> u8 {
        let frame = self.frames[at];
        if frame.taken & (GO_DOWN | GO_BOTH) != 0 {
            self.part(frame.down);
        }
        if frame.taken & (GO_RIGHT | GO_BOTH) != 0 {
            self.part(frame.right);
        }
        frame.left
    }

    /// Joins two ends, or says that they may not be.
    #[inline]
    fn join(&mut self, a: usize, b: usize) -> Option<Join> {
        let were = [self.mates[a % ROOM], self.mates[b % ROOM]];
        let numbered = (were[0] | were[1]) & NUMBERED;
        let ends = were.map(|mate| mate & !NUMBERED);
        if usize::from(ends[0]) == b {
            // Taking this back writes what stands there already.
            return (numbered != 0).then_some(Join {
                ends: [b as u16, a as u16],
                were: [were[1], were[0]],
            });
        }
        if were[0] & were[1] & NUMBERED != 0 {
            return None;
        }
        self.mates[usize::from(ends[0]) % ROOM] = ends[1] | numbered;
        self.mates[usize::from(ends[1]) % ROOM] = ends[0] | numbered;
        let numbers = were.map(|mate| mate & NUMBERED);
        Some(Join {
            ends,
            were: [a as u16 | numbers[0], b as u16 | numbers[1]],
        })
    }

    #[inline]
    fn part(&mut self, join: Join) {
        self.mates[usize::from(join.ends[1]) % ROOM] = join.were[1];
        self.mates[usize::from(join.ends[0]) % ROOM] = join.were[0];
    }
}
