//! One race of the player's: how it went, and its line in the index of all that are kept.

use gridrace_shared::heat::averages::Attempt;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::puzzle::{Efficiency, MoveBounds, MoveCount, PuzzleSpec};
use gridrace_shared::replay::{Replay, UnixSeconds};
use gridrace_shared::util::seed::Seed;
use gridrace_shared::util::time::Millis;
use serde::{Deserialize, Serialize};

/// One race of the player's, as its line in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRace {
    /// 1 for the first race that was kept, and higher for each later one.
    pub number: u32,
    /// GO, in seconds since 1970.
    pub began: u64,
    #[serde(flatten)]
    pub result: RaceResult,
    /// Whether it counts for bests and averages.
    pub counts: bool,
    /// Whether it stays when older races go.
    pub marked: bool,
    /// The length of its replay's file; 0 if it has none.
    pub replay_bytes: u64,
}

/// How the player's own race went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceResult {
    pub puzzle: PuzzleSpec,
    /// None for a race that was left before its heat revealed it.
    pub seed: Option<Seed>,
    pub room: RoomCode,
    /// Which heat of the room.
    pub heat: u32,
    /// The finish time with its penalty; none for a DNF.
    pub time: Attempt,
    #[serde(flatten)]
    pub moves: MoveCount,
    pub hints: u16,
    /// What the hints added to the time.
    pub penalty: Millis,
    /// 0 to 1000.
    pub progress: u16,
    /// The moves that the board needs, if they are known.
    pub best: Option<MoveBounds>,
    pub place: u16,
    /// Among how many players.
    pub of: u16,
}

/// A race that has just ended, to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedRace {
    pub result: RaceResult,
    /// Its replay, without a date, if the program saw all of it.
    pub replay: Option<Replay>,
    /// From GO to the end of the player's heat.
    pub lasted: Millis,
}

impl EndedRace {
    /// Writes the date of GO into the replay.
    pub fn date(&mut self, began: u64) {
        if let Some(replay) = &mut self.replay {
            replay.header.began = Some(UnixSeconds(began));
        }
    }
}

impl KeptRace {
    /// Returns the moves a second, in hundredths, while it was raced; none for a DNF.
    pub fn hundredth_moves_a_second(&self) -> Option<u64> {
        let raced = self.result.time?.since(self.result.penalty);
        (u64::from(self.result.moves.moves) * 100_000).checked_div(raced.0)
    }

    /// Returns its moves as a multiple of the fewest; none for a DNF or where those aren't known.
    pub fn efficiency(&self) -> Option<Efficiency> {
        self.result.time?;
        self.result.best?.efficiency_of(self.result.moves.moves)
    }
}
