//! The organiser's settings besides the plan.

use crate::heat::options::{HeatOptions, OptionsError};
use crate::heat::short_text::ShortText;
use crate::puzzle::PuzzleSpec;
use crate::tournament::plan::{MAX_ENTRANTS, MIN_ENTRANTS};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Seconds between two boards of a round: enough to read the standings.
pub const PAUSE_SECONDS: RangeInclusive<u16> = 3..=3_600;
/// Seconds between the draw of a round and its first GO: all go to their tables in that time.
pub const BREAK_SECONDS: RangeInclusive<u16> = 3..=3_600;

/// The title of a tournament; a line of a small terminal.
pub type TournamentTitle = ShortText<48>;

/// What an organiser chooses besides the plan; JSON may leave out all but `options`.
///
/// ```
/// use gridrace_shared::tournament::settings::TournamentSettings;
/// let settings = TournamentSettings::new("slide:4x4".parse()?);
/// assert_eq!(settings.check(), Ok(()));
/// # Ok::<(), gridrace_shared::puzzle::PuzzleError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentSettings {
    /// What the list shows instead of the name.
    #[serde(default)]
    pub title: Option<TournamentTitle>,
    /// The options of each heat. `spec` is the puzzle of stages that name none, `private` keeps the
    /// tournament out of the list, and `bots_allowed` lets bots enter.
    pub options: HeatOptions,
    /// Seconds between two boards of a round.
    #[serde(default = "default_pause_seconds")]
    pub pause_seconds: u16,
    /// Seconds between the draw of a round and its first GO.
    #[serde(default = "default_break_seconds")]
    pub break_seconds: u16,
    /// The largest number of entrants, `MIN_ENTRANTS` to `MAX_ENTRANTS`.
    #[serde(default = "default_max_entrants")]
    pub max_entrants: u16,
    /// Whether entrants have to check in before the first draw; otherwise they are there once they
    /// enter.
    #[serde(default)]
    pub check_in: bool,
    /// Whether players may enter after the first draw, as long as the format takes them.
    #[serde(default = "default_late_entries")]
    pub late_entries: bool,
}

/// Which setting lies outside its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum SettingsError {
    #[error(transparent)]
    Options(OptionsError),
    #[error("the pause between boards is {} to {} seconds", PAUSE_SECONDS.start(), PAUSE_SECONDS.end())]
    Pause,
    #[error("the break between rounds is {} to {} seconds", BREAK_SECONDS.start(), BREAK_SECONDS.end())]
    Break,
    #[error("a tournament has {MIN_ENTRANTS} to {MAX_ENTRANTS} entrants")]
    MaxEntrants,
}

// JSON may leave these out.
const fn default_pause_seconds() -> u16 {
    20
}

const fn default_break_seconds() -> u16 {
    60
}

const fn default_max_entrants() -> u16 {
    MAX_ENTRANTS as u16
}

const fn default_late_entries() -> bool {
    true
}

impl TournamentSettings {
    /// Returns the settings that a tournament has unless its organiser says otherwise.
    pub const fn new(spec: PuzzleSpec) -> Self {
        Self {
            title: None,
            options: HeatOptions::new(spec),
            pause_seconds: default_pause_seconds(),
            break_seconds: default_break_seconds(),
            max_entrants: default_max_entrants(),
            check_in: false,
            late_entries: default_late_entries(),
        }
    }

    /// Checks every bound.
    pub fn check(&self) -> Result<(), SettingsError> {
        self.options.check().map_err(SettingsError::Options)?;
        if !PAUSE_SECONDS.contains(&self.pause_seconds) {
            return Err(SettingsError::Pause);
        }
        if !BREAK_SECONDS.contains(&self.break_seconds) {
            return Err(SettingsError::Break);
        }
        if !(MIN_ENTRANTS..=MAX_ENTRANTS).contains(&self.max_entrants.into()) {
            return Err(SettingsError::MaxEntrants);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bound_is_checked() {
        let with = |change: fn(&mut TournamentSettings)| {
            let mut settings = TournamentSettings::new("slide:4x4".parse().unwrap());
            change(&mut settings);
            settings.check()
        };
        assert_eq!(with(|_| ()), Ok(()));
        let grace = SettingsError::Options(OptionsError::Grace);
        assert_eq!(with(|it| it.options.grace_seconds = 601), Err(grace));
        assert_eq!(with(|it| it.pause_seconds = 2), Err(SettingsError::Pause));
        assert_eq!(with(|it| it.break_seconds = 3_601), Err(SettingsError::Break));
        assert_eq!(with(|it| it.max_entrants = 1), Err(SettingsError::MaxEntrants));
        assert_eq!(with(|it| it.max_entrants = 1_025), Err(SettingsError::MaxEntrants));
    }
}
