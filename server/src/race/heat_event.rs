//! The events of a heat, for the replay recorder, the store and the metrics.

use super::table::TableRecord;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::ids::{PlayerId, RoomCode};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::snapshot::{HeatResult, Member};
use gridrace_shared::puzzle::{Board, Move, MoveBounds};
use gridrace_shared::replay::{ExitReason, Racer};
use gridrace_shared::util::time::{HeatInstant, Millis};

/// Something that happened in a heat after GO. Players are those with a row in the standings.
///
/// The outage of `Started` is how long the server was away during the countdown, `Outage` is one
/// during the heat. The time of `Finished` runs from GO and includes penalties. `Out` is for players
/// who gave up or left the room, `Rated` for a rating that came after the end of its heat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeatEvent {
    Started { go: HeatInstant, start: Board, racers: Vec<Racer>, outage: Millis },
    Played { player: PlayerId, play: Move },
    Finished { player: PlayerId, time: Millis },
    HintGiven { player: PlayerId },
    Disconnected { player: PlayerId },
    Reconnected { player: PlayerId },
    Out { player: PlayerId, exit: ExitReason },
    Outage { away: Millis },
    Ended(Box<HeatRecord>),
    Rated { number: u32, best: MoveBounds, result: Box<HeatResult> },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeatRecord {
    pub code: RoomCode,
    /// Which heat of the room, from 1.
    pub number: u32,
    pub options: HeatOptions,
    pub origin: SeedOrigin,
    /// The time from GO to the end, outages not included.
    pub duration: Millis,
    /// How long the server was away meanwhile.
    pub outage: Millis,
    /// Standings, start board, and the secret.
    pub result: HeatResult,
    /// The members of the room at the end.
    pub members: Vec<Member>,
    /// The result for the tournament, if the room is its table.
    pub table: Option<TableRecord>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveVerdict {
    Accepted,
    /// It had been played before.
    Repeated,
    /// Its number is beyond the next one.
    OutOfOrder,
    Rejected(gridrace_shared::protocol::server::Rejection),
}
