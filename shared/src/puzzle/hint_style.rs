//! The styles of hints.

use serde::{Deserialize, Serialize};

/// What a hint teaches; [`super::Family::plan_hint`] of each family says what its styles are.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
#[strum(parse_err_ty = HintStyleError, parse_err_fn = HintStyleError::new)]
pub enum HintStyle {
    /// A way with as few moves as the solver finds.
    #[default]
    Shortest,
    /// The next step of the method by which a person solves any board.
    Method,
}

/// Says that a text names no style of hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("hints are shortest or by method")]
pub struct HintStyleError;

impl HintStyle {
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Shortest => Self::Method,
            Self::Method => Self::Shortest,
        }
    }
}

impl HintStyleError {
    const fn new(_: &str) -> Self {
        Self
    }
}
