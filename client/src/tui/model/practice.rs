//! The state of practice between heats.

use crate::practice::ghost::Ghost;
use crate::practice::race_recorder::RaceRecorder;
use crate::tui::model::Stats;
use gridrace_shared::util::time::ClientInstant;

#[derive(Debug, Clone, Default)]
pub struct Practice {
    /// The record of the player's own race while it is raced.
    pub recorder: Option<RaceRecorder>,
    /// When that is saved again.
    pub next_save: ClientInstant,
    /// The recorded race that is raced against; it is seen on its own board only.
    pub ghost: Option<Ghost>,
    /// The statistics from which the replay on the screen was chosen.
    pub stats_behind: Option<Box<Stats>>,
}
