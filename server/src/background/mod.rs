//! Bounded worker pools for slow work, and the solvers' tables.
//!
//! A job carries where its answer goes, and whether it is still wanted: no pool knows a room.

pub(crate) mod board_pool;
pub(crate) mod board_stock;
pub(crate) mod cpu_throttle;
pub(crate) mod hint_pool;
pub(crate) mod idle_pool;
pub(crate) mod rating_pool;
pub(crate) mod solver_tables;

/// The queue of a pool is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QueueFull;

/// The answer to a job whose worker panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WorkerPanicked;
