//! The result of one board at one table.

use crate::heat::averages;
use crate::heat::standings;
use crate::tournament::ids::EntrantId;
use crate::util::bounded_vec;
use crate::util::time::Millis;
use serde::{Deserialize, Serialize};

/// Most seats of a table: the players of one heat.
pub const MAX_SEATS: usize = 32;

/// How an entrant ended on one board, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoardOutcome {
    Finished {
        /// From GO to the last move, with the penalty added.
        time: Millis,
    },
    /// Raced and didn't finish: ranks by progress, and scores nothing.
    Dnf {
        /// 0 to 1000.
        progress: u16,
    },
    /// Wasn't there at GO.
    Dns,
    /// Ruled out on this board by the organiser; ranks last.
    Disqualified,
}

/// The result of one board at one table.
///
/// The order of the rows is that in which the heat ranked them: it breaks ties of equal times and
/// equal progress at this table. A seated entrant without a row did not start.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BoardResult {
    #[serde(deserialize_with = "bounded_vec::read::<_, _, MAX_SEATS>")]
    pub rows: Vec<(EntrantId, BoardOutcome)>,
}

impl BoardOutcome {
    /// Returns an order in which the better outcome is less. Equal times and equal progress tie.
    pub const fn order(self) -> (u8, u64) {
        match self {
            Self::Finished { time } => (0, time.0),
            Self::Dnf { progress } => (1, 1_000u16.saturating_sub(progress) as u64),
            Self::Dns => (2, 0),
            Self::Disqualified => (3, 0),
        }
    }

    pub const fn has_started(self) -> bool {
        matches!(self, Self::Finished { .. } | Self::Dnf { .. })
    }

    pub const fn has_finished(self) -> bool {
        matches!(self, Self::Finished { .. })
    }

    /// Returns the attempt as averages count it: none unless finished.
    pub const fn attempt(self) -> averages::Attempt {
        match self {
            Self::Finished { time } => Some(time),
            Self::Dnf { .. } | Self::Dns | Self::Disqualified => None,
        }
    }
}

impl From<&standings::Standing> for BoardOutcome {
    /// Returns the outcome of a standing of a heat that is over.
    fn from(standing: &standings::Standing) -> Self {
        match standing.state {
            standings::RaceState::Finished { time } => Self::Finished { time },
            standings::RaceState::Racing | standings::RaceState::Dnf => {
                Self::Dnf { progress: standing.progress }
            }
        }
    }
}

impl BoardResult {
    /// Returns the outcome of an entrant who had a seat.
    pub fn outcome(&self, entrant: EntrantId) -> BoardOutcome {
        self.rows
            .iter()
            .find(|(row, _)| *row == entrant)
            .map_or(BoardOutcome::Dns, |(_, outcome)| *outcome)
    }
}
