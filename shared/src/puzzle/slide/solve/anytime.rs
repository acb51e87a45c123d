//! The anytime form: an answer at once, and better ones while asked for.
//!
//! The quick solver's answer comes first. Then beams search for shorter ones, each two or
//! three times as wide as the one before. On boards of up to 16 cells they take turns with a
//! search for a shortest solution, which ends it all; on large boards with one that shortens
//! the solution piece by piece. While a beam is too narrow for the whole board, it looks for
//! a shorter end of the solution.

use crate::puzzle::slide::Board;
use crate::puzzle::slide::solve::near_optimal::{
    Beam, BeamStatus, Endgame, Geometry, LocalSearch, MAX_CELLS,
};
use crate::puzzle::slide::solve::optimal::IdaStar;
use crate::puzzle::slide::solve::tables::Tables;
use crate::puzzle::slide::solve::{Solution, quick};
use crate::solver::budget::{Budget, Unsolved};
use crate::util::grid::Direction;

/// A search that holds a solution from the start and improves it while it is asked to.
///
/// What it holds hangs on the sum of the budgets alone, not on how they were sliced.
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
    /// Nodes that were granted and not used: a status of a beam is never cut in two.
    unspent: u64,
    beams: Option<BeamSchedule>,
    /// Takes turns with the beams on small boards.
    proof: Option<IdaStar>,
    /// Takes turns with the beams on larger boards.
    local_search: Option<LocalSearch>,
    /// The nodes that this turn has left, before the next beam.
    turn_left: u64,
    /// The nodes that the beam has used: those of the next turn.
    beam_nodes: u64,
}

/// What a stretch of search has brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Improvement {
    /// A shorter solution, or a better bound.
    Better,
    /// Nothing yet; asking on may.
    NotYet,
    /// Nothing, and asking on brings nothing more.
    Finished,
}

/// The width of the first beam, in boards. Each one after it is twice as wide.
const FIRST_WIDTH: usize = 64;

/// From this width on, each is three times as wide as the one before: less is lost to the
/// narrower ones, and on 5×5 with tables the last two that come to their ends within a tenth
/// of a second and a second do so at 1.1 million nodes and at nine. Not on boards that
/// are uses_local_search, since a long beam would keep the local_search waiting.
const TRIPLING_WIDTH: usize = 1024;

/// What a beam may take, in bytes; its width is bounded by that.
const MAX_BEAM_BYTES: usize = 256 << 20;

/// The largest board for which a shortest solution is searched, in cells.
const MAX_PROOF_CELLS: usize = 16;

/// From more cells on, solutions are shortened piece by piece as well: below, beams do
/// better without.
const MAX_CELLS_WITHOUT_LOCAL_SEARCH: usize = 36;

/// The first beam overlooks so many cells of a board.
const FIRST_BEAM_CELLS: usize = 36;

/// Each one after it overlooks so many more.
const BEAM_CELLS_STEP: usize = 8;

/// BeamSchedule, one after the other. As long as they are too narrow for the whole board, they
/// are about the end of the solution, in the corner of the board that is finished last.
#[derive(Debug, Clone)]
struct BeamSchedule {
    tables: Tables,
    width: usize,
    triples_width: bool,
    cells: usize,
    current: Option<ActiveBeam>,
}

/// A beam with its geometry.
#[derive(Debug, Clone)]
struct ActiveBeam {
    geometry: Geometry,
    beam: Beam,
    /// The moves to where it begins.
    before: Vec<Direction>,
}

impl ActiveBeam {
    /// Says whether it begins at the board itself, so that what it leaves out is out of
    /// question for the board: within a corner there may be no shorter way where there is
    /// one across its border.
    fn is_whole(&self, board: &Board) -> bool {
        self.before.is_empty() && self.geometry.size() == board.size()
    }
}

impl BeamSchedule {
    /// Begins the next beam, if it fits into memory.
    fn begin_next(&mut self, board: &Board, best: &Solution) -> Option<&mut ActiveBeam> {
        if self.current.is_none() {
            let endgame = Endgame::new(board, best.moves(), self.cells.min(MAX_CELLS));
            let geometry = Geometry::new(endgame.size, &self.tables);
            let limit = best.moves().len() - endgame.start;
            if self.width * Beam::bytes_per_board(&geometry, limit as u32) > MAX_BEAM_BYTES {
                return None;
            }
            self.current = Some(ActiveBeam {
                beam: Beam::new(&geometry, endgame.tiles, self.width, limit as u32),
                geometry,
                before: best.moves()[..endgame.start].to_vec(),
            });
        }
        self.current.as_mut()
    }

    fn widen(&mut self) {
        self.current = None;
        let triples_width = self.triples_width && self.width >= TRIPLING_WIDTH;
        self.width *= if triples_width { 3 } else { 2 };
        self.cells += BEAM_CELLS_STEP;
    }
}

impl AnytimeSearch {
    /// Starts with a quick solution, whatever it costs: there is an answer from the first
    /// on. On 5×5 that is some 16,000 nodes, a millisecond; on any size at most 610 times
    /// the cells times the longer side: five searches of up to 1,444 nodes for every twelve
    /// of those, and next to nothing besides. No more than a third of that was seen.
    ///
    /// # Errors
    /// [`Unsolved::Unsolvable`] for a board of the wrong class.
    pub fn new(board: &Board, tables: &Tables) -> Result<Self, Unsolved> {
        let best = quick(board, Budget(u64::MAX))?;
        let cells = board.size().cells();
        let uses_local_search = cells > MAX_CELLS_WITHOUT_LOCAL_SEARCH;
        let beams = BeamSchedule {
            tables: tables.clone(),
            width: FIRST_WIDTH,
            triples_width: !uses_local_search,
            cells: FIRST_BEAM_CELLS,
            current: None,
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
            proof: proof.flatten(),
            local_search,
        };
        if cells <= MAX_CELLS {
            let geometry = Geometry::new(board.size(), tables);
            search.best.note(geometry.at_least(board), search.nodes);
        }
        Ok(search)
    }

    /// Starts with a quick solution where a search for a shortest one has taken too long,
    /// and lets that one go on by turns: what it has ruled out stays ruled out.
    ///
    /// # Errors
    /// [`Unsolved::Unsolvable`] for a board of the wrong class.
    pub fn from_proof(proof: IdaStar, tables: &Tables) -> Result<Self, Unsolved> {
        let mut search = Self::new(proof.board(), tables)?;
        search.nodes = search.nodes.saturating_add(proof.nodes());
        search.best.note(proof.at_least(), search.nodes);
        search.proof = Some(proof);
        Ok(search)
    }

    /// Returns the best solution so far.
    #[must_use]
    pub const fn best(&self) -> &Solution {
        &self.best
    }

    /// Ends the search and returns the best solution.
    #[must_use]
    pub fn into_best(self) -> Solution {
        self.best
    }

    /// Searches on, for at most so many nodes: boards that come out of a move.
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
        let over = self.beams.is_none() && self.proof.is_none() && self.local_search.is_none();
        self.best.is_optimal() || over
    }

    /// Does whatever comes next; returns whether it has come to an end within the budget.
    fn search(&mut self, left: &mut u64) -> bool {
        if self.beams.is_none() {
            // Nobody is left to take turns with: all there is goes to the other.
            self.take_turn(left);
            return self.proof.is_none() && self.local_search.is_none();
        }
        if self.proof.is_none() && self.local_search.is_none() {
            // Whoever had the rest of this turn is through.
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
            // What is left of a turn is too little for a status of it.
            self.turn_left = 0;
            return true;
        }
        self.turn_left = self.turn_left.saturating_sub(granted - rest);
        self.proof.is_none() && self.local_search.is_none()
    }

    /// Lets the search go on that takes turns with the beams.
    fn take_turn(&mut self, left: &mut u64) {
        if self.proof.is_some() {
            self.advance_proof(left);
        } else {
            self.advance_local_search(left);
        }
    }

    /// Lets the search for a shortest solution go on.
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

    /// Lets the solution be shortened piece by piece.
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

    /// Takes over what was shortened.
    fn adopt_local_search(&mut self) {
        if let Some(local_search) = &self.local_search
            && local_search.len() < self.best.moves().len()
        {
            self.best = Solution::new(local_search.moves(), self.best.at_least(), self.nodes);
        }
    }

    /// Searches on with the beam.
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
        self.beam_nodes += before - *left;
        match status {
            BeamStatus::Running => return false,
            BeamStatus::Found(moves) => {
                let moves = [&current.before[..], &moves].concat();
                if let Some(local_search) = &mut self.local_search {
                    local_search.replace(&moves);
                }
                self.best = Solution::new(moves, self.best.at_least(), self.nodes);
            }
            BeamStatus::Exhausted { complete: true } if current.is_whole(&self.board) => {
                self.best.note(u32::MAX, self.nodes);
            }
            BeamStatus::Exhausted { .. } => {}
        }
        beams.widen();
        let beam_nodes = std::mem::take(&mut self.beam_nodes);
        if self.proof.is_some() || self.local_search.is_some() {
            self.turn_left = beam_nodes;
        }
        true
    }
}

#[cfg(test)]
mod tests;
