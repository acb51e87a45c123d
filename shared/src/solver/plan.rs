//! Plans: the moves from a board to the solved one.

use crate::puzzle::tables::Tables;
use crate::puzzle::{Board, Family, HintStyle, families};
use crate::solver::budget::{Aim, Budget, HINT_BUDGET, NodesUsed, Unsolved};
use crate::solver::hint::Hint;
use crate::solver::knowledge::SolutionKnowledge;
use serde::{Deserialize, Serialize};

macro_rules! define_plan {
    ($($Variant:ident = $module:ident,)+) => {
        /// Precomputed data of the solvers of all families; cheap to clone.
        #[derive(Debug, Clone, Default)]
        pub struct SolverResources {
            $(#[doc = concat!("Of `", stringify!($module), "`.")]
            pub $module: <families::$Variant as Family>::Resources,)+
        }

        /// A solver's plan: the moves from a board to the solved one.
        ///
        /// Following one plan to its end solves the board; a board off its way needs another plan.
        /// Playing only the first move of each new plan might run in circles, as a plan that isn't
        /// the shortest may begin by undoing the last move.
        ///
        /// ```
        /// use gridrace_shared::solver::budget::{Aim, HINT_BUDGET};
        /// use gridrace_shared::solver::plan::{Plan, SolverResources};
        /// use gridrace_shared::puzzle::PuzzleSpec;
        /// let spec: PuzzleSpec = "slide:4x4".parse()?;
        /// let mut board = spec.board(&"friday".parse()?);
        /// let mut plan = Plan::plan(&board, Aim::Short, HINT_BUDGET, &SolverResources::none())?;
        /// while let Some(play) = plan.next(&board).and_then(|hint| hint.play(&board)) {
        ///     board.play(&play)?;
        /// }
        /// assert!(board.is_solved());
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Plan {
            $(#[doc = concat!("Of `", stringify!($module), "`.")]
            $Variant(<families::$Variant as Family>::Plan),)+
        }

        impl Plan {
            /// Plans from a board of which nothing is known.
            ///
            /// # Errors
            /// [`Unsolved`] if there is no solution, or none is found within the budget.
            #[expect(clippy::self_named_constructors, reason = "the verb is the term")]
            pub fn plan(
                board: &Board,
                aim: Aim,
                budget: Budget,
                solvers: &SolverResources,
            ) -> Result<Self, Unsolved> {
                match board {
                    $(Board::$Variant(board) => {
                        families::$Variant::plan(board, aim, budget, &solvers.$module).map(Self::$Variant)
                    })+
                }
            }

            /// Returns the hint for a board on the plan's way, not too far ahead of the board of
            /// the last hint; `None` for any other board or a solved one.
            #[must_use]
            pub fn next(&mut self, board: &Board) -> Option<Hint> {
                match (self, board) {
                    $((Self::$Variant(plan), Board::$Variant(board)) => {
                        families::$Variant::next_hint(plan, board).map(Hint::$Variant)
                    })+
                    _ => None,
                }
            }

            /// Returns the moves left from a board for which [`Plan::next`] has a hint, or from
            /// the plan's end, if the family counts them.
            pub fn remaining(&self, board: &Board) -> Option<u32> {
                match (self, board) {
                    $((Self::$Variant(plan), Board::$Variant(board)) => {
                        families::$Variant::remaining(plan, board)
                    })+
                    _ => None,
                }
            }

            /// Returns what the plan knows of the puzzle's solutions; saves later plans work.
            pub fn known(&self) -> SolutionKnowledge {
                match self {
                    $(Self::$Variant(plan) => {
                        SolutionKnowledge::$Variant(families::$Variant::knowledge_of(plan))
                    })+
                }
            }
        }

        impl HintAnswer {
            /// Plans for a hint of a style, given what is known of the board. If the board before the last
            /// move is given, the solver also finds out how the move changed the distance. Adds
            /// the search nodes to `nodes`.
            ///
            /// # Errors
            /// [`Unsolved`] if there is no solution, or none is found within [`HINT_BUDGET`] or
            /// within the family's own bound on finding any.
            pub fn find(
                board: &Board,
                before: Option<&Board>,
                style: HintStyle,
                known: &SolutionKnowledge,
                solvers: &SolverResources,
                nodes: &mut NodesUsed,
            ) -> Result<Self, Unsolved> {
                match board {
                    $(Board::$Variant(board) => {
                        let before = match before {
                            Some(Board::$Variant(before)) => Some(before),
                            _ => None,
                        };
                        let known = match known {
                            SolutionKnowledge::$Variant(known) => Some(known),
                            #[allow(clippy::wildcard_enum_match_arm, reason = "any other family")]
                            _ => None,
                        };
                        let (plan, distance_change) = families::$Variant::plan_hint(
                            board,
                            before,
                            style,
                            known,
                            HINT_BUDGET,
                            &solvers.$module,
                            nodes,
                        )?;
                        Ok(Self { plan: Plan::$Variant(plan), distance_change })
                    })+
                }
            }
        }
    };
}

crate::for_each_family!(define_plan);

impl SolverResources {
    pub fn none() -> Self {
        Self::default()
    }

    pub fn with_tables(tables: Tables) -> Self {
        Self { slide: tables, ..Self::default() }
    }
}

/// The solver's answer to a request for a hint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HintAnswer {
    pub plan: Plan,
    /// Change of the distance to the solved board by the last move, in single-tile moves;
    /// negative if the board is nearer; `None` if unknown.
    pub distance_change: Option<i32>,
}
