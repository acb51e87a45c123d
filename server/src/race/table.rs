//! The parts of a table of a tournament: its reserved seats, and what it reports.

use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, TournamentName};
use gridrace_shared::tournament::result::BoardResult;
use gridrace_shared::util::time::ServerInstant;
use serde::{Deserialize, Serialize};

/// A seat of an entrant, which only its key takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReservedSeat {
    pub entrant: EntrantId,
    pub key: Fingerprint,
    /// The entrant's name, whatever name the client joins with.
    pub name: PlayerName,
    pub bot: bool,
}

/// What a room needs to be a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableConfig {
    pub tournament: TournamentName,
    /// The board that is raced first.
    pub board: ResultKey,
    /// At most [`super::MAX_PLAYERS`].
    pub seats: Vec<ReservedSeat>,
}

/// A report of a table to its tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableReport {
    pub room: RoomCode,
    pub tournament: TournamentName,
    /// When the room was opened.
    pub opened: ServerInstant,
    pub board: ResultKey,
    pub news: TableNews,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableNews {
    Started {
        /// The entrants who weren't connected at GO, and don't start.
        absent: Vec<EntrantId>,
    },
    Ended(BoardResult),
    /// The tournament closed the room, or it broke.
    Closed,
}

/// The result of a board, for the tournament's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRecord {
    pub tournament: TournamentName,
    /// When the room was opened: it tells tournaments of one name apart.
    pub opened: ServerInstant,
    pub board: ResultKey,
    pub result: BoardResult,
}

/// How far a table is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableStatus {
    pub tournament: TournamentName,
    /// When the room was opened.
    pub opened: ServerInstant,
    pub board: ResultKey,
    pub phase: TablePhase,
    pub connected: Vec<EntrantId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TablePhase {
    Lobby,
    Countdown { go: ServerInstant },
    Running,
    Over(BoardResult),
}

/// A part of a checkpoint, as [`super::phase::RacePhase`] is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TournamentTable {
    pub(super) tournament: TournamentName,
    pub(super) board: ResultKey,
    pub(super) seats: Vec<ReservedSeat>,
    /// Whether the tournament has closed it: only then the room may be closed.
    pub(super) is_closed: bool,
}

impl From<TableConfig> for TournamentTable {
    fn from(TableConfig { tournament, board, seats }: TableConfig) -> Self {
        Self { tournament, board, seats, is_closed: false }
    }
}

impl TournamentTable {
    pub(super) fn seat_of(&self, key: Option<Fingerprint>) -> Option<&ReservedSeat> {
        self.seats.iter().find(|seat| Some(seat.key) == key)
    }

    /// Returns whether a name is an entrant's, or looks like one.
    pub(super) fn has_name_like(&self, name: &PlayerName) -> bool {
        let (skeleton, shape) = (name.skeleton(), name.shape());
        let is_like =
            |seat: &ReservedSeat| seat.name.skeleton() == skeleton || seat.name.shape() == shape;
        self.seats.iter().any(is_like)
    }
}
