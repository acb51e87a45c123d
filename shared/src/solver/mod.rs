//! The solver of all families: hints, plans, ratings, knowledge from generation.

pub mod budget;
pub mod hint;
pub mod knowledge;
pub mod plan;
pub mod rating;
