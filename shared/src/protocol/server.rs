//! Messages of the server.

use crate::heat::identity::Challenge;
use crate::heat::ids::{PlayerId, RoomCode, Seq};
use crate::heat::options::OptionsError;
use crate::heat::pin::Pin;
use crate::heat::player_name::NameError;
use crate::heat::resume_token::ResumeToken;
use crate::heat::short_text::{Announcement, ShortTextError};
use crate::heat::standings::Standings;
use crate::protocol::snapshot::{
    Ban, Closing, OwnResult, OwnSeat, Phase, PlayerBoard, RoomSummary, Roster, Setup, Snapshot,
};
use crate::protocol::tournament::TournamentUpdate;
use crate::puzzle::picture::room_image::{RoomImage, RoomImageError};
use crate::puzzle::{IllegalMove, Move, MoveBounds, MoveCount};
use crate::solver::budget::Unsolved;
use crate::solver::hint::Hint;
use crate::util::hex_bytes::HexBytes;
use crate::util::time::{ClientInstant, HeatInstant, Millis, ServerInstant};
use serde::{Deserialize, Serialize};

/// A message from the server to a client.
///
/// [`ServerMessage::Roster`], [`ServerMessage::Standings`] and a tournament's head say the latest: what a slow reader
/// missed is never sent later. All others come in order and none is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerMessage {
    /// The answer to `hello`.
    Welcome {
        /// The version that is spoken from here on.
        version: u16,
        /// The server's own name and version.
        server: String,
        /// What a proof of a key is about on this connection.
        challenge: Challenge,
    },
    /// The answer to `ping`.
    Pong {
        sent: ClientInstant,
        /// When the ping came in, on the server's clock.
        received: ServerInstant,
        /// When this left, on the server's clock.
        replied: ServerInstant,
    },
    /// The rooms that aren't private, 64 at most.
    Rooms(Vec<RoomSummary>),
    /// The answer to `open`, `join` and `resume`.
    Joined {
        /// The number by which this room calls the client.
        you: PlayerId,
        room: Box<Snapshot>,
    },
    /// By which the client takes up its seat again if the connection is lost; comes after
    /// [`ServerMessage::Joined`]. Each is good once, and each resume brings the next.
    Token {
        code: RoomCode,
        player: PlayerId,
        token: ResumeToken,
    },
    /// A request, other than a move, that the server doesn't grant.
    Refused(Refusal),
    /// A member joined, left, or changed.
    Roster(Roster),
    /// The options changed, and with them the commitment; or what is queued for the next heat, or
    /// whether the start is held.
    Setup(Setup),
    /// The heat goes over into another phase.
    Phase(Phase),
    /// A move was played, now or before: all up to this number are.
    Accepted {
        seq: Seq,
        /// When the last of them was played, on the heat's clock.
        at: HeatInstant,
        moves: MoveCount,
    },
    /// A move was not played, and its number is still free. Numbers beyond it are passed over
    /// in silence until it comes again, or rejected as well where the server is too busy.
    Rejected {
        seq: Seq,
        why: Rejection,
    },
    /// A move came whose number lies beyond the next: this is how far the player is. What
    /// comes with numbers beyond the next is passed over in silence until that comes.
    Resync(Box<OwnSeat>),
    /// The rows that changed since the standings that this connection was sent before.
    Standings(Standings),
    /// To spectators: moves that were played, as late as the options say.
    Moves(Vec<Moved>),
    /// The answer to `hint`.
    Hint {
        /// The player's move number that the hint is about: the board after that many moves.
        after: Seq,
        hint: Hint,
        /// How many moves further from home the player's last move has led,
        /// below 0 where it led nearer; nothing before the first move, in hints by method, and
        /// where the solver doesn't know.
        distance_change: Option<i32>,
        /// How many hints the player has taken, this one included.
        taken: u16,
        /// What they add to the finish time.
        penalty: Millis,
    },
    /// How many moves the board of a heat needed; only after its end.
    Rated {
        number: u32,
        best: MoveBounds,
    },
    Recording(RecordingStatus),
    /// Said before the server closes the connection, or takes the client out of the heat.
    Goodbye(Farewell),
    /// The answer to `results`: the latest, the last one first, 100 at most.
    Results(Vec<OwnResult>),
    /// To all while the board is being made: how many other boards are drawn before it. Until it is
    /// said, none.
    BoardQueue {
        ahead: u32,
    },
    /// To a player whose race has ended, where the options let finishers watch, and to a spectator
    /// with that player's key: the players' boards, to which [`ServerMessage::Moves`] follow from now
    /// on.
    Boards(Vec<PlayerBoard>),
    /// The heat ends soon; or, with nothing in it, not so soon after all.
    Closing(Option<Closing>),
    /// A line of the host's, or of an operator's, to everybody.
    Announcement {
        by: PlayerId,
        text: Announcement,
    },
    /// To those with the host's powers alone.
    HostInfo {
        /// The room's PIN, if it has one that the server still knows.
        pin: Option<Pin>,
        /// The keys that may not join, the earliest ban first.
        banned: Vec<Ban>,
    },
    /// What concerns tournaments.
    Tournament(Box<TournamentUpdate>),
    /// The answer to `replay`: what follows the bytes that the client has.
    Replay(ReplayPart),
    /// The image of the host's that tiles show in heats with a picture. It comes once to a connection
    /// that joins a room with one, after [`ServerMessage::Joined`], and to all when the host changes it
    /// or takes it back; a room that stops being private loses it.
    Image(Option<RoomImage>),
}

/// A part of a replay's file, [`MAX_REPLAY_PART_BYTES`] at most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayPart {
    /// How many bytes of the file come before this part.
    pub from: u32,
    /// How many bytes the file has.
    pub total: u32,
    pub bytes: HexBytes,
}

/// The most bytes of a [`ReplayPart`]: the replays of all but the longest heats, and as text half of the
/// longest frame.
pub const MAX_REPLAY_PART_BYTES: u32 = 64 * 1024;

/// What the server's disk does to the record of a room, or of a tournament. The tables of a tournament have
/// no host: in place of one its organisers are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordingStatus {
    /// To a host who was told one of the next two: the room is recorded again, as it stands now, and
    /// answers come at once.
    #[default]
    Recorded,
    /// To the host: answers wait for seconds, as the disk is slow.
    Slow,
    /// To the host: the disk fails or is full. The heat goes on, but is kept nowhere.
    Unrecorded,
    /// To a member who comes back to a room whose journal was damaged, or is missing beside a restored
    /// backup: what happened last may be lost.
    Damaged,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    pub player: PlayerId,
    /// When, on the heat's clock.
    pub at: HeatInstant,
    pub play: Move,
}

/// The reason to reject a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Rejection {
    #[error("the race has not started")]
    Early,
    /// After the end of the heat, or of the player's own race.
    #[error("the race is over")]
    Late,
    #[error("spectators don't play")]
    NotSeated,
    /// The server has more to do than it can, or can't keep up with its disk.
    #[error("the server is busy, try again")]
    Busy,
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

/// The reason to refuse a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    #[error("there is no room with this code")]
    NoSuchRoom,
    #[error("leave the room first")]
    InARoom,
    #[error("join a room first")]
    NotInARoom,
    #[error("hello was already sent")]
    HelloTwice,
    #[error(transparent)]
    Name(NameError),
    #[error("another member of this room has this name, or one that looks like it")]
    NameTaken,
    #[error(transparent)]
    Options(OptionsError),
    /// The room, or the server, has no place left.
    #[error("no place is left")]
    Full,
    /// The server can't keep up with its disk.
    #[error("the server is busy: try again in a moment")]
    Busy,
    #[error("that isn't possible now")]
    WrongPhase,
    #[error("only the host may do this")]
    NotHost,
    /// Operators are not removed, and what they decide stands.
    #[error("only an operator of this server may do this")]
    OperatorOnly,
    #[error("only players may do this")]
    NotSeated,
    #[error("there is no such player")]
    NoSuchPlayer,
    #[error("this heat allows no bots")]
    NoBots,
    #[error("no one has a seat")]
    NoPlayers,
    #[error("this heat has no hints")]
    NoHints,
    #[error("a hint is on its way")]
    HintPending,
    #[error("the solver is busy: ask again")]
    HintBusy,
    #[error(transparent)]
    HintUnsolved(Unsolved),
    /// The board couldn't be drawn: the server has too much to do, or the generator
    /// panicked.
    #[error("the board could not be made: start again")]
    NotDrawn,
    /// There is no such seat to take up, or not by this token: which of the two isn't said.
    #[error("this seat is gone")]
    NotResumed,
    #[error("too many attempts: wait a moment")]
    TooFast,
    #[error("the server doesn't accept your key")]
    Unproven,
    /// The room has a PIN, and the client sent none.
    #[error("this room needs a PIN")]
    NeedsPin,
    #[error("wrong PIN")]
    WrongPin,
    /// The host has banned the client's key.
    #[error("you are banned from this room")]
    Banned,
    #[error("identify yourself by your key first")]
    Nobody,
    /// The server keeps no heats, or can't read what it has kept.
    #[error("this server has no results to show")]
    NoResults,
    #[error(transparent)]
    Announcement(ShortTextError),
    /// The client's address has opened as many rooms as one may.
    #[error("too many rooms are open from your address: leave one first")]
    TooManyRooms,
    /// There is none of this name, or the client may not see it: which of the two isn't said.
    #[error("this server shows you no replay of that name")]
    NoReplay,
    #[error("this key isn't banned")]
    NotBanned,
    /// A table of a tournament is joined as a player by the keys that its seats are reserved for.
    #[error("the seats of this table are reserved: you may watch")]
    SeatsReserved,
    /// The room is a table of a tournament, which has no host.
    #[error("the tournament decides this")]
    TournamentDecides,
    /// All tables of a round race the same boards, so who has them to race watches no other table.
    #[error(
        "you, or a player at your address, have the boards of this table to race at another one"
    )]
    SameBoards,
    #[error("{RoomImageError}")]
    ImageLength,
    /// Strangers may join a listed room, and are shown no image of a person's.
    #[error("only a private room shows an image of yours: make the room private first")]
    ImageNotPrivate,
}

/// Why the server ends it. The bytes of [`Farewell::Version`] never change, so further reasons come
/// last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Farewell {
    #[error("the server is shutting down")]
    ShuttingDown,
    #[error("the host kicked you")]
    Kicked,
    #[error("the connection is too slow for this room")]
    TooSlow,
    #[error("too many messages")]
    Flooding,
    #[error("a message could not be read")]
    Malformed,
    #[error("the connection was silent for too long")]
    Silent,
    #[error("your seat was taken over by another connection of yours")]
    Superseded,
    #[error("the server speaks protocol version {server}")]
    Version { server: u16 },
    #[error("the server is full: try again in {retry_seconds} s")]
    Busy { retry_seconds: u16 },
    #[error("an error in the server closed this room")]
    Broken,
    #[error("the host banned you from this room")]
    Banned,
    /// The tournament has closed its table. The connection stands.
    #[error("the tournament has closed this table")]
    TableClosed,
    /// To one who watches a table. The connection stands.
    #[error(
        "you, or a player at your address, have the boards of this table to race at another one"
    )]
    SameBoards,
}

impl Farewell {
    /// Says whether only the membership of the room ends, and not the connection.
    pub const fn keeps_connection(self) -> bool {
        matches!(self, Self::TableClosed | Self::SameBoards)
    }
}
