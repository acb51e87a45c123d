//! Messages of the server.

use crate::heat::identity::Challenge;
use crate::heat::ids::{PlayerId, RoomCode, Seq};
use crate::heat::options::OptionsError;
use crate::heat::player_name::NameError;
use crate::heat::resume_token::ResumeToken;
use crate::heat::standings::Standings;
use crate::protocol::snapshot::{HeatSummary, OwnResult, OwnSeat, Phase, Roster, Setup, Snapshot};
use crate::puzzle::MoveBounds;
use crate::puzzle::{IllegalMove, Move, MoveCount};
use crate::solver::budget::Unsolved;
use crate::solver::hint::Hint;
use crate::util::time::{ClientInstant, HeatInstant, Millis, ServerInstant};
use serde::{Deserialize, Serialize};

/// A message from the server to a client.
///
/// [`ServerMessage::Standings`] is a lane of its own: the latest wins, and one that a
/// slow reader missed is never sent later. All others come in order and none is left out.
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
        /// What the client sent.
        sent: ClientInstant,
        /// When the ping came in, on the server's clock.
        received: ServerInstant,
        /// When this left, on the server's clock.
        replied: ServerInstant,
    },
    /// The heats that aren't private, 64 at most.
    Heats(Vec<HeatSummary>),
    /// The answer to `open`, `join` and `resume`.
    Joined {
        /// The number by which this heat calls the client.
        you: PlayerId,
        /// The heat as it is.
        heat: Box<Snapshot>,
    },
    /// By which the client takes up its seat again if the connection is lost; comes after
    /// [`ServerMessage::Joined`]. Each is good once, and each resume brings the next.
    Token {
        /// The heat.
        code: RoomCode,
        /// The client's number in it.
        player: PlayerId,
        /// The secret.
        token: ResumeToken,
    },
    /// A request, other than a move, that the server doesn't grant.
    Refused(Refusal),
    /// Somebody came, went, or changed.
    Roster(Roster),
    /// The options changed, and with them the commitment.
    Setup(Setup),
    /// The heat goes over into another phase.
    Phase(Phase),
    /// A move was played, now or before: all up to this number are.
    Accepted {
        /// The move's number.
        seq: Seq,
        /// When the last of them was played, on the heat's clock.
        at: HeatInstant,
        /// The player's moves so far.
        moves: MoveCount,
    },
    /// A move was not played, and its number is still free. Numbers beyond it are passed over
    /// in silence until it comes again, or rejected as well where the server is too busy.
    Rejected {
        /// The move's number.
        seq: Seq,
        /// Why.
        why: Rejection,
    },
    /// A move came whose number lies beyond the next: this is how far the player is. What
    /// comes with numbers beyond the next is passed over in silence until that comes.
    Resync(Box<OwnSeat>),
    /// The standings as they are.
    Standings(Standings),
    /// To spectators: moves that were played, as late as the options say.
    Moves(Vec<Moved>),
    /// The answer to `hint`.
    Hint {
        /// The player's move number that the hint is about: the board after so many moves.
        after: Seq,
        /// The advice.
        hint: Hint,
        /// How many moves further from home the player's last move has led,
        /// below 0 where it led nearer; nothing before the first move, and where the
        /// solver doesn't know.
        #[serde(rename = "further")]
        distance_change: Option<i32>,
        /// How many hints the player has taken, this one included.
        taken: u16,
        /// What they add to the finish time.
        penalty: Millis,
    },
    /// How many moves the board of a heat needed; only after its end.
    Rated {
        /// Which heat of the group.
        number: u32,
        /// What is known.
        best: MoveBounds,
    },
    /// To the host: the server's disk fails or is full. The heat goes on, but is kept nowhere.
    Unrecorded,
    /// Said before the server closes the connection, or takes the client out of the heat.
    Goodbye(Farewell),
    /// The answer to `results`: the latest, the last one first, 100 at most.
    Results(Vec<OwnResult>),
    /// To a host who was told [`ServerMessage::Unrecorded`]: the heat is kept again, as it
    /// stands now.
    Recorded,
}

/// A move that somebody played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Who.
    pub player: PlayerId,
    /// When, on the heat's clock.
    pub at: HeatInstant,
    /// What.
    pub play: Move,
}

/// Why a move isn't played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Rejection {
    /// Before GO.
    #[error("the race has not started")]
    Early,
    /// After the end of the heat, or of one's own race.
    #[error("the race is over")]
    Late,
    /// Only players move.
    #[error("spectators don't play")]
    NotSeated,
    /// The server has more to do than it can, or can't keep up with its disk.
    #[error("the server is busy, try again")]
    Busy,
    /// Against the rules.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

/// Why a request isn't granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// There is no heat with this code.
    #[error("there is no heat with this code")]
    NoSuchHeat,
    /// One heat at a time.
    #[error("leave the heat first")]
    InAHeat,
    /// Open or join a heat first.
    #[error("join a heat first")]
    NotInAHeat,
    /// `hello` is said once.
    #[error("hello was said already")]
    HelloTwice,
    /// The name isn't fit to show.
    #[error(transparent)]
    Name(NameError),
    /// Somebody here has this name, or one that looks like it.
    #[error("somebody in this heat has this name, or one that looks like it")]
    NameTaken,
    /// An option is out of bounds.
    #[error(transparent)]
    Options(OptionsError),
    /// The heat, or the server, has no place left.
    #[error("there is no place left")]
    Full,
    /// The server can't keep up with its disk.
    #[error("the server is busy, try again in a while")]
    Busy,
    /// Not in this phase of the heat.
    #[error("not now")]
    WrongPhase,
    /// Only the host may.
    #[error("only the host may do this")]
    NotHost,
    /// Only players may.
    #[error("only players may do this")]
    NotSeated,
    /// There is no such member.
    #[error("there is nobody with this number")]
    NoSuchPlayer,
    /// The heat's options leave bots out.
    #[error("this heat is without bots")]
    NoBots,
    /// The heat has no players.
    #[error("nobody has a seat")]
    NoPlayers,
    /// The heat's options leave hints out.
    #[error("this heat is without hints")]
    NoHints,
    /// One hint at a time.
    #[error("a hint is on its way")]
    HintPending,
    /// Too many ask at once.
    #[error("the solver is busy, ask again")]
    HintBusy,
    /// The solver found nothing.
    #[error(transparent)]
    HintUnsolved(Unsolved),
    /// The board couldn't be drawn: the server has too much to do, or its maker broke.
    #[error("the board could not be drawn, start again")]
    NotDrawn,
    /// There is no such seat to take up, or not by this token: which of the two isn't said.
    #[error("this seat can't be taken up again")]
    NotResumed,
    /// Too many attempts in too short a time.
    #[error("too many attempts, wait a little")]
    TooFast,
    /// The proof of the key doesn't hold on this connection.
    #[error("the proof of your key does not hold here")]
    Unproven,
    /// The heat has a PIN, and none was said or another.
    #[error("this heat lets in only who says its PIN")]
    WrongPin,
    /// Whose results those are must be proved first.
    #[error("prove your key first")]
    Nobody,
    /// The server keeps no heats, or can't read what it has kept.
    #[error("this server has no results to show")]
    NoResults,
}

/// Why the server ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Farewell {
    /// The server shuts down.
    #[error("the server shuts down")]
    ShuttingDown,
    /// The host sent this client away.
    #[error("the host sent you away")]
    Kicked,
    /// The client reads more slowly than the heat goes on.
    #[error("the connection is too slow for this heat")]
    TooSlow,
    /// The client sends more than it may.
    #[error("too many messages")]
    Flooding,
    /// A frame couldn't be read.
    #[error("a message could not be read")]
    Malformed,
    /// Nothing was heard for too long.
    #[error("nothing was heard for too long")]
    Silent,
    /// A newer connection took up the client's seat.
    #[error("your seat was taken up by another connection")]
    Superseded,
    /// Client and server speak different versions.
    #[error("the server speaks protocol version {server}")]
    Version {
        /// The server's version.
        server: u16,
    },
    /// The server has as many connections as it takes.
    #[error("the server is full, try again in {retry_seconds} s")]
    Busy {
        /// When to try again, in seconds.
        retry_seconds: u16,
    },
    /// A mistake in the server ended the heat.
    #[error("something broke in the server, and this heat is over")]
    Broken,
}
