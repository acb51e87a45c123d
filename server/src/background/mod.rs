//! Bounded worker services for slow work, and the solvers' tables.

pub(crate) mod board_pool;
pub(crate) mod hint_pool;
pub(crate) mod idle_pool;
pub(crate) mod rating_pool;
pub(crate) mod solver_tables;
