//! What a solver says of a board: hints, plans, knowledge from generation.

pub mod hint;
pub mod knowledge;
