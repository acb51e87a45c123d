//! How much work a person has with a puzzle.

use crate::puzzle::numberlink::Puzzle;
use crate::puzzle::numberlink::deduce::Reason;
use crate::puzzle::numberlink::deduce::edges::ways;
use crate::puzzle::numberlink::deduce::engine::{Deduction, DeductionEngine};
use crate::puzzle::numberlink::deduce::justification::Justification;
use crate::solver::budget::Budget;
use serde::{Deserialize, Serialize};

/// The deductions by which a person solves a puzzle whose solution is the only one, even if
/// cells may stay empty; the easiest that is at hand comes first. What follows from a
/// cell's own edges costs hardly a thought, so of corners and only ways out no more is
/// counted than how many rounds they take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct SolvingEffort {
    /// The rounds in which something followed from cells' own edges: the more of them, the
    /// fewer indices there were to go on at once.
    pub rounds: u32,
    /// Edges that are on since an empty cell had two free neighbours left.
    pub passes: u32,
    /// Deductions from the fact that no link touches itself.
    pub touches: u32,
    /// Deductions from what a single step would do at once: a dead end, a pair cut off,
    /// cells out of reach.
    pub looks: u32,
    /// Deductions from following a step further, until something can't be.
    pub trials: u32,
    /// The further steps of all trials together.
    pub depths: u32,
    /// The further steps of the deepest.
    pub deepest: u8,
    /// The edges of which nothing is known after all that: only trials within trials show
    /// them.
    pub left: u32,
    /// The cells that links cover.
    pub cells: u32,
    /// The cells that the solver looked at.
    pub nodes: u64,
}

impl SolvingEffort {
    /// Returns what the work comes to, in points: 1 for every round and every pass, 10 for
    /// every touch, 20 for every look, 40 for every trial and 10 for each of its further
    /// steps, 40 for every edge that is left.
    #[must_use]
    pub const fn points(&self) -> u32 {
        let trials = 40 * self.trials + 10 * self.depths;
        self.rounds + self.passes + 10 * self.touches + 20 * self.looks + trials + 40 * self.left
    }

    /// Returns the points for a hundred cells.
    #[must_use]
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

/// Solves a puzzle as a person does, and counts the work; stops where it comes to more than
/// `most` points for a hundred cells, or the budget is spent. What is left then counts as
/// far as nothing is known of it.
///
/// Nothing, where there is no solution in which no link touches itself.
#[must_use]
pub fn solving_effort(puzzle: &Puzzle, most: u32, budget: Budget) -> Option<SolvingEffort> {
    let mut engine = DeductionEngine::new(puzzle, true);
    let mut work = SolvingEffort {
        cells: u32::try_from(puzzle.open_cells()).unwrap_or(u32::MAX),
        ..SolvingEffort::default()
    };
    engine.settle().ok()?;
    while work.score() <= most {
        match engine.find(budget) {
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
