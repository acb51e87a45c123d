//! Budgets of a solver in search nodes, and the aim of its plan.

use serde::{Deserialize, Serialize};

/// Upper bound on a solver's work, in search nodes: the same answer on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Budget(pub u64);

/// Budget of the plan for a hint: some 15 ms with default tables, within which the shortest way
/// is found from four of five boards of 4×4.
pub const HINT_BUDGET: Budget = Budget(250_000);

/// Search nodes that a solver has visited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodesUsed(pub u64);

/// How short a plan has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Aim {
    /// A person's method, line after line; of any length.
    Plain,
    Short,
    /// The shortest if tables and budget allow it, else short.
    Shortest,
}

/// Why a solver found no solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Unsolved {
    #[error("the board can't be solved")]
    Unsolvable,
    #[error("the budget was spent before a solution was found")]
    OverBudget,
}
