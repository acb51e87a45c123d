//! Anytime search: a solution at once, and better ones as the budget grows.
//!
//! The quick solver gives the first solution. Then beam searches look for shorter ones, each two
//! or three times as wide as the one before. From some width on they search the board's reflections
//! and the ways from the goal to the board as well, and the shorter half of these with the next
//! widths, down to two or four. On boards of up to 16 cells they alternate with IDA*,
//! which proves the optimum; on boards of more than 100 cells with a local search that shortens the solution
//! segment by segment. On boards of more than 256 cells a beam searches for a shorter end of the
//! solution. From the best board of a beam that finds no solution, the quick solver continues.

use crate::puzzle::slide::Board;
use crate::puzzle::slide::solve::near_optimal::{
    Beam, BeamStatus, BeamWidth, Endgame, Geometry, LocalSearch, MAX_CELLS, Symmetry, lower_bound,
};
use crate::puzzle::slide::solve::optimal::IdaStar;
use crate::puzzle::slide::solve::tables::Tables;
use crate::puzzle::slide::solve::{Solution, quick};
use crate::solver::budget::{Budget, Unsolved};
use crate::util::grid::Direction;
use std::ops::RangeInclusive;

/// A search that has a solution from the start and improves it with every budget.
///
/// The result depends on the sum of the budgets only, not on how they were sliced.
///
/// ```
/// use gridrace_shared::solver::budget::Budget;
/// use gridrace_shared::puzzle::slide::Board;
/// use gridrace_shared::puzzle::slide::solve::{AnytimeSearch, tables::Tables};
/// let board: Board = "8 6 7/2 5 4/3 0 1".parse()?;
/// let mut search = AnytimeSearch::new(&board, &Tables::none())?;
/// assert!(search.best().solves(&board));
/// search.improve(Budget(1_000_000));
/// assert_eq!(search.best().len(), 31);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct AnytimeSearch {
    board: Board,
    best: Solution,
    nodes: u64,
    /// Granted nodes that were not used: a step of a beam is never split.
    unspent: u64,
    beams: Option<BeamSchedule>,
    /// Of the last beam that found no solution, until the budget covers it.
    completion: Option<Completion>,
    /// Alternates with the beams on small boards.
    proof: Option<IdaStar>,
    /// Alternates with the beams on boards of more than 100 cells.
    local_search: Option<LocalSearch>,
    /// Nodes left for the search that alternates with the beams.
    turn_left: u64,
    /// Nodes that the current beam has used: the budget of the next turn of the other search.
    beam_nodes: u64,
}

/// The result of [`AnytimeSearch::improve`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Improvement {
    /// The solution is shorter, or the lower bound higher.
    Better,
    NotYet,
    /// No change, and no further budget changes anything.
    Finished,
}

/// Width of the first beam, in boards. Each later beam is twice as wide.
const FIRST_WIDTH: usize = 64;

/// From this width on each beam is three times as wide as the one before, which loses less to the
/// narrower ones.
const TRIPLING_WIDTH: usize = 1024;

/// With this width all symmetries of a board are searched; with each later one half of them, those with
/// the shortest solutions. Which of them has a short one changes little with the width.
const ALL_SYMMETRIES_WIDTH: usize = 512;

/// The symmetries that are searched with all later widths, at least.
const MIN_SYMMETRIES: usize = 2;
/// The same on boards of [`MEDIUM_BOARD_CELLS`]. On other boards a greater width gains more.
const MIN_SYMMETRIES_OF_MEDIUM_BOARDS: usize = 4;
/// Among these are 6×6 and 7×7.
const MEDIUM_BOARD_CELLS: RangeInclusive<usize> = 36..=49;

/// A beam of one of several symmetries may find a solution that is longer than the best by this part
/// of its length: their order counts.
const SYMMETRY_SLACK_PART: usize = 8;

/// The nodes of beams for each node of the local search.
const BEAM_NODES_PER_LOCAL_NODE: u64 = 4;

/// Memory limit of a beam, in bytes; it bounds the width.
const MAX_BEAM_BYTES: usize = 200 << 20;

/// Boards of at most this many cells are searched for a shortest solution.
const MAX_PROOF_CELLS: usize = 16;

/// Boards of more cells than this use the local search. Beams alone find solutions as short on smaller
/// ones.
const MAX_CELLS_WITHOUT_LOCAL_SEARCH: usize = 100;

/// Successive beams. On boards of more cells than a beam covers they search the corner in which the
/// solution ends.
#[derive(Debug, Clone)]
struct BeamSchedule {
    tables: Tables,
    width: usize,
    /// The most cells that a beam covers.
    cells: usize,
    current: Option<ActiveBeam>,
    /// The symmetries still to be searched with this width, the last one first.
    waiting: Vec<Symmetry>,
    /// Those that have been searched with this width, and the lengths of their solutions.
    searched: Vec<(usize, Symmetry)>,
    /// Whether this is the largest width.
    is_widest: bool,
}

/// The quick solver's solution from a beam's best board on.
#[derive(Debug, Clone)]
struct Completion {
    moves: Vec<Direction>,
    /// Nodes that the budget has not covered yet.
    owed: u64,
}

#[derive(Debug, Clone)]
struct ActiveBeam {
    geometry: Geometry,
    beam: Beam,
    symmetry: Symmetry,
    /// The moves from the start to the beam's first board.
    before: Vec<Direction>,
}

impl ActiveBeam {
    /// Returns the quick solver's solution after the moves to the beam's best board. From the goal the
    /// best board is no part of a solution yet.
    fn complete(&self, board: &Board) -> Option<Completion> {
        if self.symmetry.is_inverse {
            return None;
        }
        let to_best = self.symmetry.moves(self.beam.path_to_best());
        let mut moves = [&self.before[..], &to_best].concat();
        let mut board = board.clone();
        moves.iter().try_for_each(|&way| board.step(way).map(drop))?;
        let rest = quick(&board, Budget(u64::MAX)).ok()?;
        moves.extend(rest.moves());
        Some(Completion { moves, owed: rest.nodes() })
    }

    /// Returns whether the beam searches the whole board, so that its bound holds for the board:
    /// within a corner there may be no shorter solution although one crosses the corner's border.
    fn is_whole(&self, board: &Board) -> bool {
        self.before.is_empty() && self.geometry.size == board.size()
    }
}

impl BeamSchedule {
    /// Returns the current beam, or starts the next one. Returns `None` after the widest ones that fit
    /// into memory.
    fn begin_next(&mut self, board: &Board, best: &Solution) -> Option<&mut ActiveBeam> {
        if self.current.is_none() {
            let endgame = Endgame::new(board, best.moves(), self.cells);
            let geometry = Geometry::new(endgame.size, &self.tables);
            let has_symmetries = endgame.size == board.size()
                && (MAX_PROOF_CELLS + 1..MAX_CELLS).contains(&endgame.size.cells())
                && geometry.fits_any_goal();
            if self.waiting.is_empty() {
                if self.is_widest {
                    return None;
                }
                let most = MAX_BEAM_BYTES / Beam::bytes_per_board(&geometry);
                self.is_widest = self.width >= most;
                self.width = self.width.min(most);
                self.waiting = self.next_symmetries(if !has_symmetries {
                    1
                } else if MEDIUM_BOARD_CELLS.contains(&endgame.size.cells()) {
                    MIN_SYMMETRIES_OF_MEDIUM_BOARDS
                } else {
                    MIN_SYMMETRIES
                });
            }
            let mut limit = best.moves().len() - endgame.start;
            // The first one proves bounds.
            if !self.searched.is_empty() {
                limit += limit / SYMMETRY_SLACK_PART;
            }
            let symmetry = self.waiting.pop()?;
            let tiles = if has_symmetries { symmetry.tiles(board) } else { endgame.tiles };
            self.current = Some(ActiveBeam {
                beam: Beam::new(&geometry, tiles, BeamWidth::even(self.width), limit as u32),
                geometry,
                symmetry,
                before: best.moves()[..endgame.start].to_vec(),
            });
        }
        self.current.as_mut()
    }

    /// Returns the symmetries to search with the current width, the last one first: all with
    /// [`ALL_SYMMETRIES_WIDTH`] and with the greatest width, in between the shorter half of those before, but
    /// at least `least`. It is the board alone below that width, and always if `least` is 1.
    fn next_symmetries(&mut self, least: usize) -> Vec<Symmetry> {
        let mut searched = std::mem::take(&mut self.searched);
        searched.sort_by_key(|&(length, _)| length);
        let mut next: Vec<Symmetry> = searched.into_iter().map(|(_, symmetry)| symmetry).collect();
        if least == 1 || self.width < ALL_SYMMETRIES_WIDTH {
            next = vec![Symmetry::IDENTITY];
        } else if self.width == ALL_SYMMETRIES_WIDTH {
            next = Symmetry::all().collect();
        } else if self.is_widest {
            let others = Symmetry::all().filter(|symmetry| !next.contains(symmetry));
            next = next.iter().copied().chain(others).collect();
        } else {
            next.truncate((next.len() / 2).max(least));
        }
        next.reverse();
        next
    }

    /// Ends the current beam, which found a solution of a length.
    fn end_current(&mut self, length: usize) {
        if let Some(current) = self.current.take() {
            self.searched.push((length, current.symmetry));
        }
        if self.waiting.is_empty() {
            self.width *= if self.width < TRIPLING_WIDTH { 2 } else { 3 };
        }
    }
}

impl AnytimeSearch {
    /// Starts with a quick solution regardless of the budget. It takes some 10,000 nodes (2 ms) on
    /// 5×5, and at most 4,800 · cells · longer side besides a beam of at most 204 boards over a corner of
    /// 256 cells, which ends when it comes no nearer to the goal: two moves in the sweep for each of those,
    /// of which one search of up to 29,164 nodes plays twenty, and five in the lines, of which one of up to
    /// 4,324 plays twelve. No board measured took more than a fifth of that, with the beam.
    ///
    /// # Errors
    /// [`Unsolved::Unsolvable`] for an unsolvable board.
    pub fn new(board: &Board, tables: &Tables) -> Result<Self, Unsolved> {
        let best = quick(board, Budget(u64::MAX))?;
        let cells = board.size().cells();
        let uses_local_search = cells > MAX_CELLS_WITHOUT_LOCAL_SEARCH;
        let beams = BeamSchedule {
            tables: tables.clone(),
            width: FIRST_WIDTH,
            cells: MAX_CELLS,
            current: None,
            waiting: Vec::new(),
            searched: Vec::new(),
            is_widest: false,
        };
        let proof = (cells <= MAX_PROOF_CELLS).then(|| IdaStar::new(board, tables).ok());
        let local_search = uses_local_search.then(|| LocalSearch::new(board, best.moves()));
        let mut search = Self {
            board: board.clone(),
            nodes: best.nodes(),
            best,
            unspent: 0,
            turn_left: 0,
            beam_nodes: 0,
            beams: Some(beams),
            completion: None,
            proof: proof.flatten(),
            local_search,
        };
        if cells <= MAX_CELLS {
            let geometry = Geometry::new(board.size(), tables);
            search.best.note(lower_bound(&geometry, board), search.nodes);
        }
        Ok(search)
    }

    /// Starts with a quick solution after an IDA* search exceeded its budget. That search
    /// continues in turns and keeps what it has ruled out.
    ///
    /// # Errors
    /// [`Unsolved::Unsolvable`] for an unsolvable board.
    pub fn from_proof(proof: IdaStar, tables: &Tables) -> Result<Self, Unsolved> {
        let mut search = Self::new(proof.board(), tables)?;
        search.nodes = search.nodes.saturating_add(proof.nodes());
        search.best.note(proof.at_least(), search.nodes);
        search.proof = Some(proof);
        Ok(search)
    }

    pub const fn best(&self) -> &Solution {
        &self.best
    }

    pub fn into_best(self) -> Solution {
        self.best
    }

    /// Continues for at most `budget` nodes (boards generated).
    pub fn improve(&mut self, budget: Budget) -> Improvement {
        let before = (self.best.len(), self.best.at_least());
        let granted = budget.0.saturating_add(self.unspent);
        let mut left = granted;
        while !self.is_finished() && self.search(&mut left) {}
        self.unspent = left;
        self.nodes = self.nodes.saturating_add(granted - left);
        self.adopt_local_search();
        self.best.note(0, self.nodes);
        if (self.best.len(), self.best.at_least()) != before {
            Improvement::Better
        } else if self.is_finished() {
            Improvement::Finished
        } else {
            Improvement::NotYet
        }
    }

    fn is_finished(&self) -> bool {
        let over = self.beams.is_none()
            && self.proof.is_none()
            && self.local_search.is_none()
            && self.completion.is_none();
        self.best.is_optimal() || over
    }

    /// Runs the next search. Returns false when the budget ended it.
    fn search(&mut self, left: &mut u64) -> bool {
        if let Some(mut completion) = self.completion.take() {
            let paid = completion.owed.min(*left);
            completion.owed -= paid;
            *left -= paid;
            if completion.owed > 0 {
                self.completion = Some(completion);
                return false;
            }
            if completion.moves.len() < self.best.moves().len() {
                self.adopt(completion.moves);
            }
        }
        if self.beams.is_none() {
            // The beams are finished: the other search gets the whole budget.
            self.take_turn(left);
            return self.proof.is_none() && self.local_search.is_none();
        }
        if self.proof.is_none() && self.local_search.is_none() {
            // The other search is finished: its turn ends.
            self.turn_left = 0;
        }
        if self.turn_left == 0 {
            return self.advance_beam(left);
        }
        let granted = self.turn_left.min(*left);
        let mut rest = granted;
        self.take_turn(&mut rest);
        *left -= granted - rest;
        if granted == self.turn_left {
            // The rest of the turn is too small for a step of the other search.
            self.turn_left = 0;
            return true;
        }
        self.turn_left = self.turn_left.saturating_sub(granted - rest);
        self.proof.is_none() && self.local_search.is_none()
    }

    fn take_turn(&mut self, left: &mut u64) {
        if self.proof.is_some() {
            self.advance_proof(left);
        } else {
            self.advance_local_search(left);
        }
    }

    fn advance_proof(&mut self, left: &mut u64) {
        let Some(proof) = &mut self.proof else {
            return;
        };
        let before = proof.nodes();
        let found = proof.search(Budget(*left));
        *left -= (proof.nodes() - before).min(*left);
        match found {
            Some(solution) => self.best = solution,
            None => self.best.note(proof.at_least(), self.nodes),
        }
    }

    fn advance_local_search(&mut self, left: &mut u64) {
        let Some(local_search) = &mut self.local_search else {
            return;
        };
        let more = local_search.advance(left);
        self.adopt_local_search();
        if !more {
            self.local_search = None;
        }
    }

    fn adopt_local_search(&mut self) {
        if let Some(local_search) = &self.local_search
            && local_search.len() < self.best.moves().len()
        {
            self.best = Solution::new(local_search.moves(), self.best.at_least(), self.nodes);
        }
    }

    /// Takes over a shorter solution.
    fn adopt(&mut self, moves: Vec<Direction>) {
        if let Some(local_search) = &mut self.local_search {
            local_search.replace(&moves);
        }
        self.best = Solution::new(moves, self.best.at_least(), self.nodes);
    }

    /// Continues the beam. Returns false when the budget ended it.
    fn advance_beam(&mut self, left: &mut u64) -> bool {
        let Some(beams) = &mut self.beams else {
            return true;
        };
        let Some(current) = beams.begin_next(&self.board, &self.best) else {
            self.beams = None;
            return true;
        };
        let before = *left;
        let status = current.beam.advance(&current.geometry, left);
        let mut found = None;
        self.beam_nodes += before - *left;
        match status {
            BeamStatus::Running => return false,
            BeamStatus::Found(moves) => {
                found = Some([&current.before[..], &current.symmetry.moves(moves)].concat());
            }
            BeamStatus::Exhausted { complete: true } if current.is_whole(&self.board) => {
                self.best.note(u32::MAX, self.nodes);
            }
            BeamStatus::Exhausted { .. } => self.completion = current.complete(&self.board),
        }
        // The first symmetry is the best one so far, and only a shorter solution than the best is found.
        let least = if beams.searched.is_empty() { self.best.moves().len() } else { usize::MAX };
        beams.end_current(found.as_ref().map_or(least, Vec::len));
        let beam_nodes = std::mem::take(&mut self.beam_nodes);
        if self.proof.is_some() {
            self.turn_left = beam_nodes;
        } else if self.local_search.is_some() {
            self.turn_left = beam_nodes / BEAM_NODES_PER_LOCAL_NODE;
        }
        if let Some(moves) = found
            && moves.len() < self.best.moves().len()
        {
            self.adopt(moves);
        }
        true
    }
}

#[cfg(test)]
mod tests;
