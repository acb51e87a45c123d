//! The inputs of a tournament.

use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::protocol::tournament::TournamentCommand;
use gridrace_shared::tournament::draw_commitment::DrawKey;
use gridrace_shared::tournament::ids::{ResultKey, RoundKey, TeamTag};
use gridrace_shared::tournament::result::BoardResult;

/// An input of a tournament. Those of clients are answered by one [`super::Effect::Reply`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Enter {
        by: Fingerprint,
        name: PlayerName,
        bot: bool,
        team: Option<TeamTag>,
    },
    CheckIn {
        by: Fingerprint,
    },
    Withdraw {
        by: Fingerprint,
    },
    Command {
        by: Fingerprint,
        /// Whether the key is an operator's of this server.
        is_operator: bool,
        command: TournamentCommand,
        confirmed: bool,
    },
    /// The shell answers a [`super::TableJob::DrawBoard`].
    BoardDrawn {
        board: BoardKey,
        is_drawn: bool,
    },
    /// The shell answers a [`super::TableJob::Open`] by the room, or none if it can't be opened
    /// now.
    TableOpened {
        table: TableKey,
        room: Option<RoomCode>,
    },
    /// A room closed without the tournament's doing.
    TableClosed {
        room: RoomCode,
    },
    /// A board came to its end at a table.
    BoardEnded {
        key: ResultKey,
        result: BoardResult,
    },
    /// A server continues the tournament: these tables of an earlier one are open, and these results
    /// were stored. Those that are in the log already have no effect.
    Recovered {
        tables: Vec<RecoveredTable>,
        results: Vec<(ResultKey, BoardResult)>,
    },
    Tick,
}

/// Names a table of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableKey {
    pub round: RoundKey,
    pub number: u16,
}

/// Names a board that all tables of a round race, as long as they are at the same attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoardKey {
    pub draw: DrawKey,
    pub board: u8,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveredTable {
    pub room: RoomCode,
    /// The board that the room was told of last.
    pub key: ResultKey,
    pub is_running: bool,
}

impl From<ResultKey> for TableKey {
    fn from(key: ResultKey) -> Self {
        Self { round: key.round, number: key.table }
    }
}

impl From<ResultKey> for BoardKey {
    fn from(ResultKey { round, board, attempt, .. }: ResultKey) -> Self {
        Self { draw: DrawKey { round, attempt }, board }
    }
}
