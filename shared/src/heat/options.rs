//! The options of a heat.

use crate::puzzle::{HintStyle, PuzzleSpec};
use crate::util::time::Millis;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Shortest and longest countdown in seconds: long enough to look up, short enough to wait for.
pub const COUNTDOWN_SECONDS: std::ops::RangeInclusive<u16> = 1..=60;
/// Shortest and longest time limit in seconds.
pub const TIME_LIMIT_SECONDS: std::ops::RangeInclusive<u16> = 5..=7_200;
/// Shortest and longest delay of the boards that spectators see, in seconds.
pub const DELAY_SECONDS: std::ops::RangeInclusive<u16> = 0..=60;
/// Cheapest and dearest priced hint in seconds.
pub const HINT_SECONDS: std::ops::RangeInclusive<u16> = 1..=600;
/// Shortest and longest time without an action after which a player is idle, in seconds; 0 is never.
pub const IDLE_SECONDS: std::ops::RangeInclusive<u16> = 10..=3_600;

/// Shortest and longest grace for a lost connection in seconds: longer than a train's tunnel, shorter than
/// a spectator waits for a seat.
pub const GRACE_SECONDS: std::ops::RangeInclusive<u16> = 0..=600;

/// What the host sets before a heat; visible to all members.
///
/// ```
/// use gridrace_shared::heat::options::HeatOptions;
/// let options = HeatOptions::new("slide:3x3".parse()?);
/// assert_eq!(options.check(), Ok(()));
/// # Ok::<(), gridrace_shared::puzzle::PuzzleError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeatOptions {
    pub spec: PuzzleSpec,
    /// Seconds from the start's announcement to GO.
    pub countdown_seconds: u16,
    /// Seconds from GO until those who haven't finished are out.
    pub time_limit_seconds: u16,
    pub hints: HintRule,
    pub bots_allowed: bool,
    /// Whether the room is left out of the list, so that only its code leads to it.
    pub private: bool,
    /// Seconds by which spectators see the players' boards late.
    pub delay_seconds: u16,
    /// Seconds for which a lost connection keeps its seat; 0 for not at all.
    pub grace_seconds: u16,
    /// Seconds without an action after which a player is idle; 0 for never. A heat in which only
    /// idle players are left ends after a countdown.
    #[serde(default = "default_idle_seconds")]
    pub idle_seconds: u16,
    /// Whether players who are done see the others' boards, as spectators do.
    #[serde(default = "default_finishers_watch")]
    pub finishers_watch: bool,
    /// Which hints players may ask for, where there are hints.
    #[serde(default)]
    pub hint_styles: HintStyles,
    /// Whether the tiles of a sliding puzzle show a picture, which the heat's commitment names.
    #[serde(default)]
    pub picture: bool,
}

/// The styles of hints that a host allows.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
#[strum(parse_err_ty = HintStylesError, parse_err_fn = HintStylesError::new)]
pub enum HintStyles {
    /// Each player chooses, for each hint.
    #[default]
    Any,
    /// [`HintStyle::Shortest`] for all.
    Shortest,
    /// [`HintStyle::Method`] for all.
    Method,
}

/// Says that a text names no styles of hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the style of hints is `any`, `shortest` or `method`")]
pub struct HintStylesError;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HintRule {
    Off,
    Free,
    /// Each adds this many seconds to the finish time.
    Priced {
        seconds: u16,
    },
}

/// Which option lies outside its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum OptionsError {
    #[error("the countdown is 1 to 60 seconds")]
    Countdown,
    #[error("the time limit is 5 to 7200 seconds")]
    TimeLimit,
    #[error("the spectators' delay is 0 to 60 seconds")]
    Delay,
    #[error("a priced hint costs 1 to 600 seconds")]
    HintPrice,
    #[error("the grace for a lost connection is 0 to 600 seconds")]
    Grace,
    #[error("a player is idle after 10 to 3600 seconds, or never: 0")]
    Idle,
    #[error("a picture is for sliding puzzles of up to 8 rows and columns")]
    Picture,
}

// Defaults of options that JSON may omit, as it may the styles of hints and the picture.
const fn default_idle_seconds() -> u16 {
    60
}

const fn default_finishers_watch() -> bool {
    true
}

impl HeatOptions {
    /// Returns the options that a heat has unless its host says otherwise.
    pub const fn new(spec: PuzzleSpec) -> Self {
        Self {
            spec,
            countdown_seconds: 3,
            time_limit_seconds: 600,
            hints: HintRule::Priced { seconds: 10 },
            bots_allowed: true,
            private: false,
            delay_seconds: 2,
            grace_seconds: 60,
            idle_seconds: default_idle_seconds(),
            finishers_watch: default_finishers_watch(),
            hint_styles: HintStyles::Any,
            picture: false,
        }
    }

    /// Returns the longest time from GO to the end.
    pub fn time_limit(&self) -> Millis {
        Millis::from_seconds(self.time_limit_seconds.into())
    }

    /// Checks every bound.
    pub fn check(&self) -> Result<(), OptionsError> {
        let price_in_bounds = match self.hints {
            HintRule::Off | HintRule::Free => true,
            HintRule::Priced { seconds } => HINT_SECONDS.contains(&seconds),
        };
        let idle_in_bounds = self.idle_seconds == 0 || IDLE_SECONDS.contains(&self.idle_seconds);
        for (in_bounds, fault) in [
            (COUNTDOWN_SECONDS.contains(&self.countdown_seconds), OptionsError::Countdown),
            (TIME_LIMIT_SECONDS.contains(&self.time_limit_seconds), OptionsError::TimeLimit),
            (DELAY_SECONDS.contains(&self.delay_seconds), OptionsError::Delay),
            (price_in_bounds, OptionsError::HintPrice),
            (GRACE_SECONDS.contains(&self.grace_seconds), OptionsError::Grace),
            (idle_in_bounds, OptionsError::Idle),
            (!self.picture || self.spec.picture_size().is_some(), OptionsError::Picture),
        ] {
            if !in_bounds {
                return Err(fault);
            }
        }
        Ok(())
    }
}

impl HintStyles {
    /// Returns the style of a hint that a player asks for in a style of their own.
    #[must_use]
    pub const fn style(self, chosen: HintStyle) -> HintStyle {
        match self {
            Self::Any => chosen,
            Self::Shortest => HintStyle::Shortest,
            Self::Method => HintStyle::Method,
        }
    }
}

impl HintStylesError {
    const fn new(_: &str) -> Self {
        Self
    }
}

impl HintRule {
    pub fn price(self) -> Millis {
        match self {
            Self::Off | Self::Free => Millis(0),
            Self::Priced { seconds } => Millis::from_seconds(seconds.into()),
        }
    }
}

/// A text that is no hint rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "hints are `off`, `free`, or cost {} to {} seconds",
    HINT_SECONDS.start(),
    HINT_SECONDS.end()
)]
pub struct HintRuleError;

/// Reads `off`, `free`, or the seconds that a hint costs.
impl FromStr for HintRule {
    type Err = HintRuleError;

    fn from_str(text: &str) -> Result<Self, HintRuleError> {
        match text {
            "off" => Ok(Self::Off),
            "free" => Ok(Self::Free),
            seconds => match seconds.parse() {
                Ok(seconds) if HINT_SECONDS.contains(&seconds) => Ok(Self::Priced { seconds }),
                Ok(_) | Err(_) => Err(HintRuleError),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_off_free_or_priced_within_bounds() {
        assert_eq!("off".parse(), Ok(HintRule::Off));
        assert_eq!("free".parse(), Ok(HintRule::Free));
        assert_eq!("30".parse(), Ok(HintRule::Priced { seconds: 30 }));
        for bad in ["", "0", "601", "-1", "often"] {
            assert_eq!(bad.parse::<HintRule>(), Err(HintRuleError), "{bad}");
        }
    }

    #[test]
    fn the_host_s_style_of_hints_comes_before_the_player_s() {
        for chosen in [HintStyle::Shortest, HintStyle::Method] {
            let styles = |text: &str| text.parse::<HintStyles>().unwrap().style(chosen);
            assert_eq!(styles("any"), chosen);
            assert_eq!(styles("shortest"), HintStyle::Shortest);
            assert_eq!(styles("method"), HintStyle::Method);
        }
        assert_eq!("both".parse::<HintStyles>(), Err(HintStylesError));
    }

    #[test]
    fn each_bound_is_checked() {
        let good = HeatOptions::new("slide:4x4".parse().unwrap());
        let with = |change: fn(&mut HeatOptions)| {
            let mut options = good.clone();
            change(&mut options);
            options.check()
        };
        assert_eq!(good.check(), Ok(()));
        assert_eq!(with(|o| o.countdown_seconds = 0), Err(OptionsError::Countdown));
        assert_eq!(with(|o| o.time_limit_seconds = 4), Err(OptionsError::TimeLimit));
        assert_eq!(with(|o| o.delay_seconds = 61), Err(OptionsError::Delay));
        assert_eq!(
            with(|o| o.hints = HintRule::Priced { seconds: 0 }),
            Err(OptionsError::HintPrice)
        );
        assert_eq!(with(|o| o.grace_seconds = 601), Err(OptionsError::Grace));
        assert_eq!(with(|o| o.idle_seconds = 9), Err(OptionsError::Idle));
        assert_eq!(with(|o| o.idle_seconds = 3_601), Err(OptionsError::Idle));
        assert_eq!(with(|o| o.idle_seconds = 0), Ok(()));
        assert_eq!(with(|o| o.picture = true), Ok(()));
        for spec in ["slide:9x4", "link:5x5"] {
            let options = HeatOptions { picture: true, ..HeatOptions::new(spec.parse().unwrap()) };
            assert_eq!(options.check(), Err(OptionsError::Picture), "{spec}");
        }
    }
}
