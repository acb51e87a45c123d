//! A search for a second solution of a solved board, row by row from one of its sides.
//!
//! A state lies between two rows: which links cross from one to the other, what each of them is
//! connected to so far, and what the row above forbids. A state is expanded by all ways to fill
//! the row below it, and equal states are expanded once. The known solution passes through one
//! state per row; a second one is found as soon as a state beside that path meets it again, or
//! reaches the last row. (The mates of fragments' ends are those of Knuth's Simpath, The Art of
//! Computer Programming 4A, 7.1.4; the terminals of a number start as each other's mates.)
//!
//! If cells may stay empty, only some solutions need to be searched. Take, of all others, one that
//! covers the fewest cells, and of those one whose cells are lowest. None of its links touches
//! itself, or the touch would be a short cut: so no block of 2×2 cells has three edges. And where
//! a link turns from right to down, or from left to down, the cell within the turn is not empty,
//! or the corner could be pushed down into it. That cell's link cannot go to the turn's cells
//! beside it, so it turns the same way or ends: turns are nested on a diagonal, up to a terminal
//! or a solid cell.
//!
//! How much of the search is done is estimated as Knuth estimates the size of a backtrack
//! (Mathematics of Computation 29, 1975): the children of a state have equal shares of its tree.

use super::row_layout::{NUMBERED, RowLayout, SolvedBoard};
use crate::puzzle::numberlink::generate::state_hash::{SeenStates, StateHash, StateHasher, bits};
use std::ops::Range;

/// The maximum number of remembered state hashes: 1 MiB. A forgotten state is expanded again.
const MAX_SEEN_STATES: usize = 1 << 16;

/// The share of a known state's tree that is all of it.
const WHOLE: u64 = 1 << 40;

/// How many bits a tree grows from one known state to the one above it.
const GROWTH_BITS: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchStatus {
    Exhausted,
    Found,
    Spent,
}

#[derive(Debug, Default)]
pub(super) struct FrontierSearch {
    layout: RowLayout,
    full: bool,
    known_hashes: Vec<StateHash>,
    /// The states of the known solution, one per row, then those on the stack and their ancestors.
    states: Vec<FrontierState>,
    /// Each state's mates, by column.
    mates_of: Vec<u16>,
    stack: Vec<usize>,
    /// The known states from this row on were pushed.
    next_known: usize,
    /// The share of the tree below the known state that was pushed last which is expanded, and the
    /// nodes before that.
    expanded: u64,
    nodes_before: u64,
    seen: SeenStates,
    found: Option<FrontierState>,
    pub(super) nodes: u64,
    limit: u64,
    mates: Mates,
    row: RowContext,
}

/// A state: its parent, and the edges of the row above it.
#[derive(Debug, Clone, Copy)]
struct FrontierState {
    parent: u32,
    row: u8,
    rights: u32,
    downs: u32,
    /// The share in the tree below the known state.
    share: u64,
}

/// The data that all ways to fill a row share.
#[derive(Debug, Default, Clone, Copy)]
struct RowContext {
    at: usize,
    parent: u32,
    /// Cells that a link enters from above.
    entered: u32,
    no_right: u32,
    no_empty: u32,
}

/// For each end of a fragment, its other end, and whether the fragment contains a number's
/// terminals. The entries of other cells are undefined.
#[derive(Debug, Default)]
struct Mates {
    ends: Vec<u16>,
}

impl FrontierSearch {
    pub(super) fn begin(&mut self, solved: &SolvedBoard<'_>, side: usize) {
        self.layout.lay(solved, side);
        self.full = solved.full;
        self.nodes = 0;
        self.nodes_before = 0;
        self.expanded = 0;
        self.found = None;
        self.mates.ends.clone_from(&self.layout.mates);
        self.lay_known_states();
    }

    /// Expands what leaves the known solution in the last row, then in the last but one, and so
    /// on, until `limit` nodes have been visited since the start.
    pub(super) fn resume(&mut self, limit: u64) -> SearchStatus {
        loop {
            let outcome = self.expand_stack(limit);
            if outcome != SearchStatus::Exhausted || self.next_known == 0 {
                return outcome;
            }
            self.next_known -= 1;
            self.stack.push(self.next_known);
            self.nodes_before = self.nodes;
            self.expanded = 0;
        }
    }

    /// Estimates how many nodes are left, within factors of the nodes visited so far.
    pub(super) fn estimate_rest(&self) -> u64 {
        let visited = u128::from(self.nodes - self.nodes_before);
        let tree = visited * u128::from(WHOLE) / u128::from(self.expanded.max(WHOLE >> 20));
        let rest = (tree << (GROWTH_BITS * self.next_known)).saturating_sub(visited);
        // One early leaf says little about the rest.
        let bounds = (u128::from(self.nodes / 2), u128::from(self.nodes * 16));
        rest.clamp(bounds.0, bounds.1) as u64
    }

    /// Returns the links in which the found solution differs, by index.
    pub(super) fn changed(&self) -> Vec<u16> {
        let layout = &self.layout;
        let mut changed = Vec::new();
        let mut add = |at: usize| {
            if !changed.contains(&layout.labels[at]) {
                changed.push(layout.labels[at]);
            }
        };
        let mut state = self.found;
        while let Some(FrontierState { parent, row, rights, downs, .. }) = state {
            let Some(above) = usize::from(row).checked_sub(1) else {
                break;
            };
            let known = layout.lines[above].known;
            for col in bits(known[0] ^ rights) {
                add(above * layout.cols + col);
                add(above * layout.cols + col + 1);
            }
            for col in bits(known[1] ^ downs) {
                add(above * layout.cols + col);
                add((above + 1) * layout.cols + col);
            }
            state = self.states.get(parent as usize).copied();
        }
        changed
    }

    fn lay_known_states(&mut self) {
        self.states.clear();
        self.mates_of.clear();
        self.known_hashes.clear();
        self.stack.clear();
        let (rows, cols) = (self.layout.rows, self.layout.cols);
        self.next_known = rows;
        self.seen.clear((rows * cols * 64).next_power_of_two().min(MAX_SEEN_STATES));
        let mut above = [0; 2];
        for row in 0..rows {
            self.push(FrontierState {
                parent: row.saturating_sub(1) as u32,
                row: row as u8,
                rights: above[0],
                downs: above[1],
                share: WHOLE,
            });
            let hash = self.state_hash(row, above[0], above[1]);
            // The known solution always has a state.
            self.known_hashes.push(hash.unwrap_or_default());
            above = self.layout.lines[row].known;
            for at in row * cols..row * cols + cols {
                let col = at % cols;
                // The known solution has no loop and joins no two numbers.
                if above[0] >> col & 1 != 0 {
                    self.mates.join(at, at + 1);
                }
                if above[1] >> col & 1 != 0 {
                    self.mates.join(at, at + cols);
                }
            }
        }
        self.mates.ends.clone_from(&self.layout.mates);
    }

    fn push(&mut self, state: FrontierState) {
        let first = usize::from(state.row) * self.layout.cols;
        self.states.push(state);
        let mates = &self.mates.ends[first..first + self.layout.cols];
        self.mates_of.extend_from_slice(mates);
    }

    fn expand_stack(&mut self, limit: u64) -> SearchStatus {
        self.limit = limit;
        while let Some(index) = self.stack.pop() {
            self.forget_above(index);
            let before = self.states.len();
            self.expand(index);
            if self.found.is_some() {
                return SearchStatus::Found;
            }
            let is_spent = self.nodes > limit;
            if is_spent {
                // Its children so far are marked as seen and are not pushed twice.
                self.stack.push(index);
            }
            let fresh = before..self.states.len();
            self.divide_share(index, fresh.clone(), is_spent);
            self.stack.extend(fresh);
            if is_spent {
                return SearchStatus::Spent;
            }
        }
        SearchStatus::Exhausted
    }

    /// Divides the share of a state among its children, and itself if it is to be expanded again.
    fn divide_share(&mut self, index: usize, children: Range<usize>, is_spent: bool) {
        let share = self.states[index].share;
        match (children.len() + usize::from(is_spent)) as u64 {
            0 => self.expanded += share,
            heirs => {
                self.states[index].share = share / heirs;
                self.states[children].iter_mut().for_each(|child| child.share = share / heirs);
            }
        }
    }

    /// Forgets the states above the top of the stack: they and their children are expanded.
    fn forget_above(&mut self, index: usize) {
        let kept = self.layout.rows.max(index + 1);
        self.states.truncate(kept);
        self.mates_of.truncate(kept * self.layout.cols);
    }

    fn expand(&mut self, index: usize) {
        let FrontierState { row, rights, downs, .. } = self.states[index];
        let at = usize::from(row);
        let (no_right, no_empty) = self.forbidden(rights, downs);
        self.row = RowContext { at, parent: index as u32, entered: downs, no_right, no_empty };
        self.load(index);
        self.fill(0, 0, 0);
        self.unload(index);
    }

    fn load(&mut self, index: usize) {
        for (col, at) in self.crossings(index) {
            let mate = self.mates_of[index * self.layout.cols + col];
            self.mates.ends[at] = mate;
            self.mates.ends[usize::from(mate & !NUMBERED)] = at as u16 | mate & NUMBERED;
        }
    }

    fn unload(&mut self, index: usize) {
        for (col, at) in self.crossings(index) {
            let mate = self.mates_of[index * self.layout.cols + col] & !NUMBERED;
            for end in [at, usize::from(mate)] {
                self.mates.ends[end] = self.layout.mates[end];
            }
        }
    }

    /// Returns the columns and cells at which fragments of a state end. A fragment that enters a
    /// terminal ends at its other end.
    fn crossings(&self, index: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let FrontierState { row, downs, .. } = self.states[index];
        let first = usize::from(row) * self.layout.cols;
        let ends = downs & !self.layout.lines[usize::from(row)].terminals;
        bits(ends).map(move |col| (col, first + col))
    }

    /// Returns what a row's edges forbid in the next row: edges to the right, and empty cells.
    const fn forbidden(&self, rights: u32, downs: u32) -> (u32, u32) {
        if self.full {
            return (0, u32::MAX);
        }
        let (left, right) = (downs, downs >> 1);
        (rights & left | rights & right | left & right, (rights & left) << 1 | rights & right)
    }

    /// Fills a row from a column on, given the edges chosen so far.
    fn fill(&mut self, col: usize, rights: u32, downs: u32) {
        if col == self.layout.cols {
            self.emit(rights, downs);
            return;
        }
        self.nodes += 1;
        if self.nodes > self.limit || self.found.is_some() {
            return;
        }
        let (row, cols) = (self.row, self.layout.cols);
        let line = self.layout.lines[row.at];
        let bit = 1u32 << col;
        let (left, above) = (rights << 1 & bit != 0, row.entered & bit != 0);
        let is_end = line.terminals & bit != 0;
        if left && above || is_end && (left || above) || line.solids & bit != 0 {
            if !(left && above && is_end) {
                self.fill(col + 1, rights, downs);
            }
            return;
        }
        let at = row.at * cols + col;
        let barred = line.solids | row.entered & line.terminals;
        let right = col + 1 < cols && row.no_right & bit == 0 && barred >> 1 & bit == 0;
        let below = self.layout.lines.get(row.at + 1);
        let down = below.is_some_and(|below| below.solids & bit == 0)
            && !(left && (!self.full && downs << 1 & bit != 0 || line.left_and_down & bit == 0));
        if left || above || is_end {
            if right && let Some(mates) = self.mates.join(at, at + 1) {
                self.fill(col + 1, rights | bit, downs);
                self.mates.part(at, at + 1, mates);
            }
            if down && let Some(mates) = self.mates.join(at, at + cols) {
                self.fill(col + 1, rights, downs | bit);
                self.mates.part(at, at + cols, mates);
            }
            return;
        }
        if row.no_empty & bit == 0 {
            self.fill(col + 1, rights, downs);
        }
        if right
            && down
            && line.right_and_down & bit != 0
            && let Some(mates) = self.mates.join(at, at + 1)
        {
            if let Some(more) = self.mates.join(at, at + cols) {
                self.fill(col + 1, rights | bit, downs | bit);
                self.mates.part(at, at + cols, more);
            }
            self.mates.part(at, at + 1, mates);
        }
    }

    fn emit(&mut self, rights: u32, downs: u32) {
        let RowContext { at, parent, .. } = self.row;
        if parent as usize == at && self.layout.lines[at].known == [rights, downs] {
            return;
        }
        // The share is known once all children are.
        let state = FrontierState { parent, row: at as u8 + 1, rights, downs, share: 0 };
        if at + 1 == self.layout.rows {
            self.found = Some(state);
            return;
        }
        let Some(hash) = self.state_hash(at + 1, rights, downs) else {
            return;
        };
        if hash == self.known_hashes[at + 1] {
            self.found = Some(state);
        } else if !self.seen.insert(hash) {
            self.push(state);
        }
    }

    /// Hashes the state before a row. Returns `None` if it is a dead end: if two adjacent
    /// crossings belong to one link, which would touch itself, or if links that must be joined
    /// below would cross.
    fn state_hash(&self, row: usize, rights: u32, downs: u32) -> Option<StateHash> {
        let (no_right, no_empty) = self.forbidden(rights, downs);
        let mut hasher = StateHasher::new(self.seen.epoch, row);
        hasher.add(u64::from(downs) << 32 | u64::from(no_right));
        hasher.add(u64::from(no_empty));
        let (cols, first) = (self.layout.cols, row * self.layout.cols);
        let ends = downs & !self.layout.lines[row].terminals;
        let mut open_ends = [0usize; 32];
        let (mut depth, mut is_planar, mut is_bound) = (0, true, true);
        for col in bits(ends) {
            let mate = self.mates.ends[first + col];
            hasher.add((col as u64) << 16 | u64::from(mate));
            is_bound &= mate & NUMBERED != 0;
            let other = usize::from(mate & !NUMBERED).wrapping_sub(first);
            if other >= cols || ends >> other & 1 == 0 {
                continue;
            }
            if other == col + 1 && !self.full {
                return None;
            }
            if other > col {
                open_ends[depth] = other;
                depth += 1;
            } else {
                depth -= 1;
                is_planar &= open_ends[depth] == col;
            }
        }
        // A fragment without a number could serve as a bridge.
        (is_planar || !is_bound).then_some(hasher.finish())
    }
}

impl Mates {
    /// Joins the fragments that end in two cells and returns their mates, or `None` if that would
    /// close a loop or join two numbers.
    fn join(&mut self, a: usize, b: usize) -> Option<[u16; 2]> {
        let mates = [self.ends[a], self.ends[b]];
        let numbered = (mates[0] | mates[1]) & NUMBERED;
        let [far, near] = mates.map(|mate| mate & !NUMBERED);
        if usize::from(far) == b {
            return (numbered != 0).then_some(mates);
        }
        if mates[0] & mates[1] & NUMBERED != 0 {
            return None;
        }
        self.ends[usize::from(far)] = near | numbered;
        self.ends[usize::from(near)] = far | numbered;
        Some(mates)
    }

    /// Undoes a join, given the former mates.
    fn part(&mut self, a: usize, b: usize, [x, y]: [u16; 2]) {
        self.ends[usize::from(x & !NUMBERED)] = a as u16 | x & NUMBERED;
        self.ends[usize::from(y & !NUMBERED)] = b as u16 | y & NUMBERED;
        self.ends[a] = x;
        self.ends[b] = y;
    }
}
