//! Depth-first search over the cells, row by row.
//!
//! Each cell in turn decides whether a link leaves it to the right and downwards; the incoming
//! edges determine how many must. The decisions are stored per cell, so the search does not
//! recurse. On entering a row its state is looked up among those without a
//! solution, and the row is pruned if two links would have to cross, or if more would have to
//! cross a line than it has cells.
//!
//! If cells may stay empty, each decision is propagated over the board, which leaves a tenth of the
//! choices. Searches for full solutions try few choices and do without. The states without a
//! solution stay valid: what is propagated below a row follows from the edges, turns and mates that
//! enter it, which are a part of the state.

use super::edge_propagation::{EdgePropagation, EdgeState};
use super::layout::{
    DOWN, LEFT_AND_DOWN, Layout, NUMBERED, RIGHT, RIGHT_AND_DOWN, SOLID, TERMINAL, bits,
};
use super::transposition_table::{StateHash, StateHasher, TranspositionTable};
use crate::puzzle::numberlink::solve::cut_bound::CutBound;
use crate::puzzle::numberlink::solve::fragment_ends::{FragmentEnds, JoinUndo};
use crate::puzzle::numberlink::solve::planarity::PlanarityCheck;

/// The nodes after which the cut bound is used: its setup costs as much as some hundred of them.
const CUT_BOUND_AFTER_NODES: u64 = 1_024;

/// The class of solutions that a search enumerates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SolutionClass {
    Full,
    /// Every full solution without touches, and some with.
    FullTaut,
    /// Every taut solution, full or not, and some that are not taut. A solution is taut if none of
    /// its links touches itself, and none can be pushed downwards around an empty cell.
    Taut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchStatus {
    /// A solution, returned by [`RowSearch::edges`] until the search is resumed.
    Found,
    Exhausted,
    Spent,
}

/// A cell's choices, one bit each.
const NOTHING: u8 = 1;
const GO_RIGHT: u8 = 2;
const GO_DOWN: u8 = 4;
const GO_BOTH: u8 = 8;

#[derive(Debug, Clone, Copy, Default)]
struct CellDecision {
    all: u8,
    left: u8,
    taken: u8,
    right: JoinUndo,
    down: JoinUndo,
    /// The edges that propagation had decided before.
    trail_len: usize,
}

/// The data of a row when it is entered.
#[derive(Debug, Clone, Copy, Default)]
struct RowEntry {
    /// Edges to the right that would make a link touch itself.
    no_right: u64,
    /// Cells inside a downward turn: if one were empty, the link could be pushed there.
    no_empty: u64,
    hash: StateHash,
    /// Whether to insert the state into the table if it has no solution.
    is_new: bool,
    solutions: u64,
}

#[derive(Debug, Clone)]
pub(super) struct RowSearch {
    pub layout: Layout,
    planarity: PlanarityCheck,
    /// Created once the search turns out to be long.
    cuts: Option<CutBound>,
    class: SolutionClass,
    /// For [`SolutionClass::Taut`] only; `None` there if the puzzle alone is a contradiction.
    propagation: Option<EdgePropagation>,
    ends: FragmentEnds,
    decisions: Vec<CellDecision>,
    /// For each row, the cells with an edge to the right.
    rights: Vec<u64>,
    /// For each row and one above the first, the cells with an edge downwards.
    downs: Vec<u64>,
    entries: Vec<RowEntry>,
    /// For each row, its terminals and solid cells.
    filled: Vec<u64>,
    /// For each row, the cells in which a link without touches may turn from left to down.
    turns: Vec<u64>,
    at: usize,
    solutions: u64,
    /// The choices tried so far, and the edges decided by propagation, so that a node takes about as
    /// long in all classes. A choice may exceed a budget by the edges that follow from it.
    pub nodes: u64,
    /// Distinguishes this search's states in a shared table.
    salt: u64,
}

impl RowSearch {
    /// Creates a search; `number` distinguishes its states in a shared table.
    pub fn new(layout: Layout, class: SolutionClass, number: u64) -> Self {
        let is_taut = class == SolutionClass::Taut;
        let propagation = is_taut.then(|| EdgePropagation::new(&layout)).flatten();
        Self {
            filled: layout.rows_with(TERMINAL | SOLID),
            turns: layout.rows_with(LEFT_AND_DOWN),
            class,
            nodes: 0,
            propagation,
            planarity: PlanarityCheck::new(&layout),
            cuts: None,
            ends: FragmentEnds::new(&layout.mates),
            decisions: vec![CellDecision::default(); layout.cells.len()],
            rights: vec![0; layout.rows],
            downs: vec![0; layout.rows + 1],
            entries: vec![RowEntry::default(); layout.rows],
            at: 0,
            solutions: 0,
            salt: number << 32,
            layout,
        }
    }

    /// Returns each row's edges to the right and downwards, a bit per column.
    pub fn edges(&self) -> (&[u64], &[u64]) {
        (&self.rights, &self.downs[1..])
    }

    /// Estimates the completed part of the search, from 0 to 1, as if all choices of a cell were
    /// equally expensive (Knuth, "Estimating the efficiency of backtrack programs", 1975). It uses
    /// sums and products only, so it is the same on every machine.
    pub fn progress(&self) -> f64 {
        let (mut progress, mut weight) = (0.0, 1.0);
        for decision in &self.decisions[..self.at] {
            let left = f64::from(decision.left.count_ones());
            weight /= f64::from(decision.all.count_ones().max(1));
            progress += weight * (f64::from(decision.all.count_ones()) - left - 1.0);
        }
        progress
    }

    /// Continues until a solution is found, none is left, or about `budget` more nodes are used.
    pub fn resume(&mut self, budget: u64, table: &mut TranspositionTable) -> SearchStatus {
        let until = self.nodes.saturating_add(budget);
        if self.nodes >= CUT_BOUND_AFTER_NODES && self.cuts.is_none() {
            self.cuts = Some(CutBound::new(&self.layout));
        }
        match self.class {
            SolutionClass::Full => self.run::<false, false>(until, table),
            SolutionClass::FullTaut => self.run::<false, true>(until, table),
            SolutionClass::Taut if self.propagation.is_none() => SearchStatus::Exhausted,
            SolutionClass::Taut => self.run::<true, true>(until, table),
        }
    }

    fn run<const EMPTY: bool, const TAUT: bool>(
        &mut self,
        until: u64,
        table: &mut TranspositionTable,
    ) -> SearchStatus {
        let cols = self.layout.cols;
        let cells = self.decisions.len();
        let mut at = self.at;
        let (mut row, mut col) = (at / cols, at % cols);
        // After a solution the last cell is undone.
        let mut left = 0;
        let mut is_entering = at < cells;
        loop {
            if is_entering {
                self.at = at;
                if at == cells {
                    self.solutions += 1;
                    return SearchStatus::Found;
                }
                if self.nodes >= until {
                    return SearchStatus::Spent;
                }
                left = 0;
                if col > 0 || self.enter_row::<EMPTY, TAUT>(row, table) {
                    left = self.choices::<EMPTY, TAUT>(at, row, col);
                    if EMPTY {
                        left &= self.agreeing_choices(row, col);
                    }
                    self.decisions[at].all = left;
                }
                is_entering = false;
            } else if left == 0 {
                if col == 0 && at < cells {
                    self.leave_row(row, table);
                }
                if at == 0 {
                    self.at = 0;
                    return SearchStatus::Exhausted;
                }
                at -= 1;
                (row, col) = if col == 0 { (row - 1, cols - 1) } else { (row, col - 1) };
                left = self.take_back::<EMPTY>(at);
            } else {
                let choice = left & left.wrapping_neg();
                left ^= choice;
                self.nodes += 1;
                if self.take::<EMPTY>(at, row, col, choice) {
                    self.decisions[at].left = left;
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

    /// Computes what the row above implies for a row, and returns whether the row is worth
    /// entering.
    fn enter_row<const EMPTY: bool, const TAUT: bool>(
        &mut self,
        row: usize,
        table: &TranspositionTable,
    ) -> bool {
        if row == 0 {
            return true;
        }
        let (top, left) = (self.rights[row - 1], self.downs[row]);
        let right = left >> 1;
        let entry = &mut self.entries[row];
        if TAUT {
            // Three edges around a square of four cells are a touch, four are a loop.
            entry.no_right = top & left | top & right | left & right;
            entry.no_empty = (top & left) << 1 | top & right;
        }
        let mut hasher = StateHasher::new(self.salt | row as u64);
        hasher.add(left);
        if TAUT {
            hasher.add(entry.no_right);
        }
        if EMPTY {
            hasher.add(entry.no_empty);
        }
        let first = row * self.layout.cols;
        for col in bits(left) {
            if self.layout.cells[first + col] & TERMINAL == 0 {
                hasher.add((col as u64) << 16 | u64::from(self.ends.mate(first + col)));
            }
        }
        entry.hash = hasher.finish();
        entry.solutions = self.solutions;
        let bucket = table.bucket_of(entry.hash);
        let is_exceeded = |cuts: &CutBound| cuts.is_exceeded(row, left, &self.ends);
        entry.is_new = !self.planarity.crosses(row, left, &self.ends)
            && !bucket.contains(entry.hash)
            && !self.cuts.as_ref().is_some_and(is_exceeded);
        entry.is_new
    }

    /// Records a row's state as unsolvable, if no solution was found below it.
    fn leave_row(&self, row: usize, table: &mut TranspositionTable) {
        let entry = &self.entries[row];
        if entry.is_new && entry.solutions == self.solutions {
            table.insert(entry.hash);
        }
    }

    /// Returns a cell's choices, given its edges from the left and from above.
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
        let entry = &self.entries[row];
        let is_full = above & bit << 1 != 0 && self.layout.cells[at + 1] & TERMINAL != 0;
        let right = cell & RIGHT != 0
            && !is_full
            && !(TAUT && (entry.no_right & bit != 0 || !self.leads(at, row, col, left || up)));
        let below = self.downs[row + 1];
        let turns = || {
            let beside = below << 1 & bit | below & self.rights[row] & self.layout.meets[at];
            beside == 0 && cell & LEFT_AND_DOWN != 0
        };
        let down = cell & DOWN != 0 && (!TAUT || !left || turns());
        if left || up || cell & TERMINAL != 0 {
            return if right { GO_RIGHT } else { 0 } | if down { GO_DOWN } else { 0 };
        }
        let both = right && down && (!TAUT || cell & RIGHT_AND_DOWN != 0);
        let nothing = EMPTY && entry.no_empty & bit == 0;
        (if both { GO_BOTH } else { 0 }) | if nothing { NOTHING } else { 0 }
    }

    /// Returns the choices that agree with the edges that are already decided.
    #[inline]
    fn agreeing_choices(&self, row: usize, col: usize) -> u8 {
        let allowed = |state, present| match state {
            EdgeState::Undecided => NOTHING | GO_RIGHT | GO_DOWN | GO_BOTH,
            EdgeState::Present => present,
            EdgeState::Absent => (NOTHING | GO_RIGHT | GO_DOWN | GO_BOTH) ^ present,
        };
        let Some(propagation) = &self.propagation else { return !0 };
        let [right, down] = propagation.state(row, col);
        allowed(right, GO_RIGHT | GO_BOTH) & allowed(down, GO_DOWN | GO_BOTH)
    }

    /// Returns whether a link that leaves a cell to the right can turn down or end before it meets
    /// one from above, or can be joined to the one that it meets.
    #[inline]
    fn leads(&self, at: usize, row: usize, col: usize, is_head: bool) -> bool {
        let beyond = !1u64 << col;
        let stops = (self.downs[row] | self.filled[row]) & beyond;
        let stop = stops & stops.wrapping_neg();
        let between = stop.wrapping_sub(1) & beyond;
        if between & self.turns[row] != 0 {
            return true;
        }
        if stop == 0 || self.downs[row] & self.filled[row] & stop != 0 {
            return false;
        }
        if self.layout.cells[at] & TERMINAL == 0 && !is_head {
            return true;
        }
        let end = at - col + stop.trailing_zeros() as usize;
        let (mate, other) = (self.ends.mate(at), self.ends.mate(end));
        mate & other & NUMBERED == 0 || usize::from(mate & !NUMBERED) == end
    }

    /// Applies a choice, or returns false and changes nothing if that would close a loop or join
    /// two numbers, or if a contradiction follows.
    #[inline]
    fn take<const EMPTY: bool>(&mut self, at: usize, row: usize, col: usize, choice: u8) -> bool {
        let right = choice & (GO_RIGHT | GO_BOTH) != 0;
        let down = choice & (GO_DOWN | GO_BOTH) != 0;
        let (cell, cols) = (at as u16, self.layout.cols as u16);
        let decision = &mut self.decisions[at];
        if right {
            match self.ends.join(cell, cell + 1) {
                Some(join) => decision.right = join,
                None => return false,
            }
        }
        if down {
            match self.ends.join(cell, cell + cols) {
                Some(join) => decision.down = join,
                None => {
                    if right {
                        self.ends.part(decision.right);
                    }
                    return false;
                }
            }
        }
        decision.taken = choice;
        if EMPTY && !self.propagate(at, row, col, [right, down]) {
            self.take_back::<EMPTY>(at);
            return false;
        }
        let clear = !(1u64 << col);
        self.rights[row] = self.rights[row] & clear | u64::from(right) << col;
        self.downs[row + 1] = self.downs[row + 1] & clear | u64::from(down) << col;
        true
    }

    /// Decides a cell's edges on the whole board; returns false at a contradiction.
    #[inline]
    fn propagate(&mut self, at: usize, row: usize, col: usize, edges: [bool; 2]) -> bool {
        let Some(propagation) = &mut self.propagation else { return true };
        let before = propagation.trail_len();
        self.decisions[at].trail_len = before;
        let is_consistent = propagation.decide(row, col, edges);
        self.nodes += (propagation.trail_len() - before) as u64;
        is_consistent
    }

    /// Undoes a cell's choice and returns the remaining ones.
    #[inline]
    fn take_back<const EMPTY: bool>(&mut self, at: usize) -> u8 {
        let decision = &self.decisions[at];
        if EMPTY && let Some(propagation) = &mut self.propagation {
            propagation.take_back(decision.trail_len);
        }
        if decision.taken & (GO_DOWN | GO_BOTH) != 0 {
            self.ends.part(decision.down);
        }
        if decision.taken & (GO_RIGHT | GO_BOTH) != 0 {
            self.ends.part(decision.right);
        }
        decision.left
    }
}
