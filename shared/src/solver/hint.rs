//! Hints: a solver's advice on a board.

use crate::puzzle::numberlink::deduce;
use crate::puzzle::{Board, Move, numberlink, slide};
use crate::solver::budget::{Aim, Budget, NodesUsed, Unsolved};
use crate::solver::knowledge::SolutionKnowledge;
use crate::solver::plan::{Plan, SolverResources};
use serde::{Deserialize, Serialize};

/// A solver's advice on a board, as each family gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hint {
    /// On a position of the sliding puzzle.
    Slide(slide::SlideHint),
    /// On what is drawn on a Numberlink.
    Link(numberlink::deduce::LinkHint),
}

/// The work that the plan for a hint may cost: with default tables some 15 ms, in which
/// the shortest way is found from four of five boards of 4×4.
pub const HINT_BUDGET: Budget = Budget(250_000);
/// The work that it may cost to judge the last move where the shortest way is known: some
/// 8 ms.
pub const JUDGE_BUDGET: Budget = Budget(120_000);

/// The solver's answer to whoever asks for a hint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HintAnswer {
    /// The way home from the board.
    pub plan: Plan,
    /// How many single-tile moves further from home the board is than the one before the
    /// last move, below 0 where it is nearer; nothing where that isn't known.
    pub distance_change: Option<i32>,
}

impl Hint {
    /// Returns the move that it comes down to on the board that it is about.
    #[must_use]
    pub fn play(&self, board: &Board) -> Option<Move> {
        match (self, board) {
            (Self::Slide(hint), _) => Some(Move::Slide(hint.play)),
            (Self::Link(hint), Board::Link(drawing)) => hint.stroke(drawing).map(Move::Link),
            (Self::Link(_), Board::Slide(_)) => None,
        }
    }
}

impl HintAnswer {
    /// Plans for a hint, by what is known of the board. Where the board before the last move
    /// is given, the solver looks from there, too, and says what the move has brought.
    ///
    /// # Errors
    /// [`Unsolved`] where there is no solution, or none within [`HINT_BUDGET`], or that of
    /// [`numberlink::LinkPlan::plan`].
    pub fn find(
        board: &Board,
        before: Option<&Board>,
        known: &SolutionKnowledge,
        solvers: &SolverResources,
    ) -> Result<Self, Unsolved> {
        Self::find_counting(board, before, known, solvers, &mut NodesUsed::default())
    }

    /// Does the same, and counts what it takes.
    ///
    /// # Errors
    /// Those of [`HintAnswer::find`].
    pub fn find_counting(
        board: &Board,
        before: Option<&Board>,
        known: &SolutionKnowledge,
        solvers: &SolverResources,
        spent: &mut NodesUsed,
    ) -> Result<Self, Unsolved> {
        match board {
            Board::Slide(board) => {
                let tables = &solvers.slide;
                let (aim, budget) = (Aim::Shortest, HINT_BUDGET);
                let plan = slide::SlidePlan::plan_counting(board, aim, budget, tables, spent)?;
                let (plan, distance_change) = match before {
                    Some(Board::Slide(before)) => plan.judge(before, JUDGE_BUDGET, tables, spent),
                    Some(Board::Link(_)) | None => (plan, None),
                };
                let plan = Plan::Slide(plan);
                Ok(Self { plan, distance_change })
            }
            Board::Link(drawing) => {
                let known = match known {
                    SolutionKnowledge::Link(known) => known,
                    SolutionKnowledge::Slide => &deduce::KnownSolution::Nothing,
                };
                let plan = numberlink::LinkPlan::plan_counting(drawing, known, HINT_BUDGET, spent)?;
                let plan = Plan::Link(plan.explain(drawing, spent));
                let distance_change = None;
                Ok(Self { plan, distance_change })
            }
        }
    }
}
