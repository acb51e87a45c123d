//! Tournaments: plans, and the pure functions that carry them out.
//!
//! A plan is a list of stages. A stage repeats rounds, and a round is draw, tables, boards, score,
//! rank, advance:
//!
//! - [`plan`] has the formats with their bounds, [`notation`] their text (`heats:32/8+final:5`);
//! - [`draw`] forms the tables of a round, from a seed that [`draw_commitment`] keeps secret until
//!   then and proves afterwards;
//! - [`result`] is what a board brings in, [`score`] adds it up by [`points`] or averages, [`rank`]
//!   orders the entrants with [`tie_break`], and [`advance`] gives those that go on;
//! - [`stage_state`] is a stage between its rounds, and [`log`] the tournament as the fold of its log:
//!   to take an entry back is to fold the log without it; [`public_log`] has what followers see of it;
//! - [`settings`] is what an organiser chooses besides the plan;
//! - [`teams`] folds a ranking by the tags of teams.
//!
//! Absent from here, as from all of this crate: a clock and ambient randomness. When a round is
//! drawn is an entry of the log; how it is drawn follows from the tournament's secret.

pub mod advance;
pub mod draw;
pub mod draw_commitment;
pub mod ids;
pub mod log;
pub mod notation;
pub mod plan;
pub mod points;
pub mod public_log;
pub mod rank;
pub mod result;
pub mod score;
pub mod settings;
pub mod stage_state;
pub mod teams;
pub mod tie_break;
