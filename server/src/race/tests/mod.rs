//! The race by logs with virtual time.
//!
//! Every test writes a [`log::Log`]; when it is dropped, the log is replayed on a fresh
//! race and must give equal effects. `fold` is a client that believes what it is sent.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for one variant among all")]

mod acts;
mod boards;
mod closing;
mod determinism;
mod drawing;
mod fold;
mod hints;
mod host;
mod host_image;
mod joining;
mod leaving;
mod log;
mod moves;
mod options;
mod properties;
mod rating;
mod recording;
mod recovering;
mod rematch;
mod resuming;
mod returns;
mod secrecy;
mod solver;
mod spectators;
mod standings;
mod start;
mod table_logs;
mod tables;
mod world;

use self::log::{Log, PLAYER, SPECTATOR, draw, id, priced, token};
use super::*;
use crate::race::hint_plans::{HintAsked, HintStep};
use boards::{json, traces_of_boards};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::Secret;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat::options::{HintRule, HintStyles};
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::protocol::server::{Moved, Rejection};
use gridrace_shared::protocol::snapshot::{Member, Phase, PlayerBoard, Setup, Snapshot};
use gridrace_shared::puzzle::numberlink::Stroke;
use gridrace_shared::puzzle::{Board, HintStyle, Move, MoveBounds};
use gridrace_shared::solver::budget::{Aim, HINT_BUDGET, NodesUsed};
use gridrace_shared::solver::knowledge::{GeneratedBoard, SolutionKnowledge};
use gridrace_shared::solver::plan::{HintAnswer, Plan, SolverResources};
use gridrace_shared::util::grid::Cell;
use std::collections::BTreeMap;
use world::World;
