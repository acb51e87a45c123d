//! The effects of a tournament: what the shell must do after an event.

use crate::tournament::event::{BoardKey, TableKey};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::tournament::{TableCall, TournamentUpdate};
use gridrace_shared::puzzle::PuzzleSpec;
use gridrace_shared::tournament::ids::{EntrantId, ResultKey};
use gridrace_shared::tournament::public_log::LogLine;
use gridrace_shared::util::time::TournamentInstant;

/// What the shell must do after an event, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "effects are what the shell must do"]
pub struct Effects(pub Vec<Effect>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Store a line of the log; all others that leave the server wait until it is on the disk.
    Append(LogLine),
    /// Answer the client whose event it was.
    Reply(TournamentUpdate),
    /// Send to all who follow.
    Broadcast(TournamentUpdate),
    /// What an entrant or organiser is in the tournament has changed.
    NotifyKey(Fingerprint),
    /// The board isn't raced any more.
    DropBoard(BoardKey),
    /// Have the driver do this, in order.
    Job(TableJob),
    /// The tournament is closed: nothing follows.
    Closed,
}

/// What the driver does in the hub, so that tables have rooms and boards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableJob {
    /// Draw a board, and answer with [`super::Event::BoardDrawn`].
    DrawBoard(BoardKey),
    /// Open a room, and answer with [`super::Event::TableOpened`].
    Open {
        table: TableKey,
        first: ResultKey,
        seats: Vec<EntrantId>,
    },
    /// Start the countdown of a room to a board, or move its GO.
    Start {
        room: RoomCode,
        key: ResultKey,
        seats: Vec<EntrantId>,
        go: TournamentInstant,
    },
    MoveGo {
        room: RoomCode,
        go: TournamentInstant,
    },
    /// Take the countdown of a room back.
    Cancel {
        room: RoomCode,
    },
    /// End the board that a room races, which counts no more.
    EndBoard {
        room: RoomCode,
    },
    Close {
        room: RoomCode,
    },
    /// Reserve an entrant's seat, and send this to the entrant's connections.
    Call {
        key: Fingerprint,
        call: TableCall,
    },
    /// An entrant's key is counted apart from its address, or no longer.
    AdmitKey {
        key: Fingerprint,
        admitted: bool,
    },
}

/// The source of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardSource {
    pub spec: PuzzleSpec,
    pub secret: gridrace_shared::heat::commitment::Secret,
}

impl Effects {
    pub(super) fn push(&mut self, effect: Effect) {
        self.0.push(effect);
    }

    pub(super) fn push_job(&mut self, job: TableJob) {
        self.push(Effect::Job(job));
    }

    pub(super) fn reply(&mut self, update: TournamentUpdate) {
        self.push(Effect::Reply(update));
    }
}
