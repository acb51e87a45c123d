//! What a solver says of a board: hints, plans, knowledge from generation.

pub mod budget;
pub mod hint;
pub mod knowledge;
pub mod plan;
pub mod rating;
