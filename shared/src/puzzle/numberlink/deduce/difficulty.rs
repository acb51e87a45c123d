//! The effort of a person who solves a puzzle.

use crate::puzzle::numberlink::Puzzle;
use crate::puzzle::numberlink::deduce::Reason;
use crate::puzzle::numberlink::deduce::edge_grid::ways;
use crate::puzzle::numberlink::deduce::engine::{Deduction, DeductionEngine};
use crate::puzzle::numberlink::deduce::explanation::Justification;
use crate::solver::budget::Budget;
use serde::{Deserialize, Serialize};

/// The deductions that solve a puzzle with a unique solution (even if cells may stay empty), the
/// easiest available one first. Deductions from a cell's own edges take little effort, so of
/// corners and forced exits only the rounds are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct SolvingEffort {
    /// Rounds in which something followed from cells' own edges: the more rounds, the fewer places
    /// offered a deduction at the same time.
    pub rounds: u32,
    /// Edges that are used since an empty cell had only two free neighbours.
    pub passes: u32,
    /// Deductions from the rule that no link touches itself.
    pub touches: u32,
    /// Deductions from the immediate effect of a single step: a dead end, a separated pair,
    /// unreachable cells.
    pub looks: u32,
    /// Deductions by following a step until a contradiction.
    pub trials: u32,
    /// The further steps of all trials.
    pub depths: u32,
    /// The further steps of the longest trial.
    pub deepest: u8,
    /// The edges that stay unknown: only nested trials decide them.
    pub left: u32,
    pub cells: u32,
    pub nodes: u64,
}

impl SolvingEffort {
    /// Returns the effort in points: 1 per round and pass, 10 per touch, 20 per look, 40 per trial
    /// and 10 per further step of it, 40 per edge left.
    pub const fn points(&self) -> u32 {
        let trials = 40 * self.trials + 10 * self.depths;
        self.rounds + self.passes + 10 * self.touches + 20 * self.looks + trials + 40 * self.left
    }

    pub const fn score(&self) -> u32 {
        let cells = if self.cells == 0 { 1 } else { self.cells };
        self.points() * 100 / cells
    }

    fn count(&mut self, why: Justification) {
        match why.reason() {
            Reason::Corner
            | Reason::OnlyWayOut
            | Reason::PassThrough
            | Reason::Ring
            | Reason::Follows => {}
            Reason::WouldTouch => self.touches += 1,
            Reason::DeadEnd | Reason::WouldCutOff | Reason::WouldStrand => self.looks += 1,
            Reason::Trial { depth } => {
                self.trials += 1;
                self.depths += u32::from(depth);
                self.deepest = self.deepest.max(depth);
            }
        }
    }
}

/// Solves a puzzle by deductions and counts them. Stops above `most` points per hundred cells, and
/// when the budget is spent; the remaining edges are then counted as left.
///
/// Returns `None` when no solution without touches exists.
pub fn solving_effort(puzzle: &Puzzle, most: u32, budget: Budget) -> Option<SolvingEffort> {
    let mut engine = DeductionEngine::new(puzzle, true);
    let mut work = SolvingEffort {
        cells: u32::try_from(puzzle.open_cells()).unwrap_or(u32::MAX),
        ..SolvingEffort::default()
    };
    engine.settle().ok()?;
    while work.score() <= most {
        match engine.deduce_next(budget) {
            Deduction::Edge(why) => work.count(why),
            Deduction::Nothing | Deduction::OverBudget => break,
            Deduction::Impossible => return None,
        }
    }
    let grid = &engine.grid;
    let unknown = grid.indices().map(|at| grid.unknown(at).count_ones());
    work.left = unknown.sum::<u32>() / 2;
    let edges = grid.indices().flat_map(|at| ways(grid.on[at] & 0b1100).map(move |way| (at, way)));
    let passed = edges.filter(|&(at, way)| grid.why(at, way) == Justification::PASS_THROUGH);
    work.passes = u32::try_from(passed.count()).unwrap_or(u32::MAX);
    work.rounds = engine.rounds;
    work.nodes = engine.nodes;
    Some(work)
}
