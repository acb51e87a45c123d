//! The kind of a player: a person or a program.

use crate::puzzle::skill::Skill;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayerKind {
    /// A person, or so the client says.
    Human,
    Bot,
    /// A bot of the server's own.
    HouseBot(Skill),
}
