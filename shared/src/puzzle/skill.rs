//! Skill levels of bots; each family's policy says what they mean.

use crate::util::seed::PortableRng;
use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// How well a bot plays, from a beginner to the best that the solvers can do: the weaker
/// slowly and with slips, the stronger with a quick hand and the solvers' best ways.
///
/// ```
/// use gridrace_shared::bot::Skill;
/// use gridrace_shared::puzzle::PuzzleSpec;
/// assert_eq!("expert".parse(), Ok(Skill::Expert));
/// let spec: PuzzleSpec = "link:9x9".parse()?;
/// assert!(Skill::Beginner.millis_each(&spec) > Skill::Master.millis_each(&spec));
/// # Ok::<(), gridrace_shared::puzzle::PuzzleError>(())
/// ```
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
#[strum(parse_err_ty = SkillError, parse_err_fn = SkillError::new)]
pub enum Skill {
    /// Slow, plays the plain method, and slips often.
    Beginner,
    /// An evening player: slips now and then.
    Casual,
    /// Knows the method and rarely slips.
    Steady,
    /// A quick hand, and hardly a move too many.
    Expert,
    /// As fast as hands go, by the shortest way that the solvers find.
    Master,
}

impl Skill {
    /// Every skill, the weakest first.
    pub const ALL: &[Self] = Self::VARIANTS;
}

/// Draws a number around `middle`, which is also the median: at most `percent` of it away, and the
/// nearer the likelier.
pub fn vary(middle: u16, percent: u32, rng: &mut PortableRng) -> u16 {
    let factor = 100 - percent.min(100) + rng.below(percent + 1) + rng.below(percent + 1);
    u16::try_from(u32::from(middle) * factor / 100).unwrap_or(u16::MAX)
}

/// Says that a text names no skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a skill is one of beginner, casual, steady, expert, master")]
pub struct SkillError;

impl SkillError {
    const fn new(_: &str) -> Self {
        Self
    }
}
