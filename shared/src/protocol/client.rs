//! Messages of a client.

use crate::heat::identity::{Fingerprint, Proof};
use crate::heat::ids::{PlayerId, RoomCode, Seq};
use crate::heat::options::HeatOptions;
use crate::heat::pin::Pin;
use crate::heat::resume_token::ResumeToken;
use crate::protocol::tournament::TournamentRequest;
use crate::puzzle::skill::Skill;
use crate::puzzle::{HintStyle, Move};
use crate::util::hex_bytes::HexBytes;
use crate::util::seed::Seed;
use crate::util::time::ClientInstant;
use serde::{Deserialize, Serialize};

/// A message from a client to the server.
///
/// [`ClientMessage::Hello`] comes first; then [`ClientMessage::Open`],
/// [`ClientMessage::Join`] or [`ClientMessage::Resume`] leads into a room, and the rest
/// speaks of that room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientMessage {
    /// The first message; its shape never changes.
    Hello(Hello),
    /// Asks for the server's clock; at any time after `hello`.
    Ping {
        /// The client's own clock, sent back untouched.
        sent: ClientInstant,
    },
    /// Asks for the rooms that aren't private.
    Rooms,
    /// Opens a room and joins it as its host.
    Open {
        entrant: Entrant,
        options: HeatOptions,
        /// The seed, where the host sets it; chosen by the server otherwise.
        seed: Option<Seed>,
        /// The PIN that everybody else needs, if the room is to have one.
        pin: Option<Pin>,
    },
    Join {
        code: RoomCode,
        entrant: Entrant,
        /// What as. A client that wants to play but comes late watches, with a seat in the
        /// next heat.
        role: Role,
        pin: Option<Pin>,
    },
    /// Takes up one's seat again after a lost connection, or on another one: the newest
    /// connection wins.
    Resume {
        /// Which room, as [`crate::protocol::server::ServerMessage::Token`] said.
        code: RoomCode,
        player: PlayerId,
        token: ResumeToken,
    },
    /// Says that the latest token has come. Until then the one before it is good as well,
    /// so that a lost answer locks no client out.
    Confirm,
    /// Sets the options of the next heat: in the lobby at once, else when the room returns to it;
    /// the host's.
    Options {
        options: HeatOptions,
        /// The seed, where the host sets it; chosen by the server otherwise.
        seed: Option<Seed>,
    },
    /// Says whether one is ready; a player's, in the lobby. When all players are, and
    /// there are two at least, the countdown starts.
    Ready { ready: bool },
    /// Starts the countdown; the host's, in the lobby.
    Start,
    /// Removes a member; the host's, at any time.
    Kick { player: PlayerId },
    /// Seats a bot of the server's; the host's, in the lobby.
    AddBot { skill: Skill },
    /// Turns a spectator into a player: at once in the lobby, else for the next heat.
    TakeSeat,
    /// Turns a player into a spectator; in the lobby, or to give back a seat in the next heat.
    LeaveSeat,
    Move {
        /// 1 for a player's first move of a heat, then one higher for each that is accepted.
        seq: Seq,
        play: Move,
    },
    /// Asks the solver for the next move; a player's, while the heat runs.
    Hint {
        /// The style, where the options leave it to the player; otherwise it has no effect.
        style: HintStyle,
    },
    /// Ends one's race without finishing.
    GiveUp,
    /// Back to the lobby with the same people and a new seed, when the heat is over: the host's at
    /// once. Another player says with it that they are ready for the next heat; when all people who
    /// play have said so, the room returns to the lobby with them ready. `ready` with `false` takes
    /// it back.
    Rematch,
    /// Leaves the room. The connection stays, and may open or join another.
    Leave,
    /// Proves the client's key, so that the server recognises it; before `open` and
    /// `join`. It is answered only where the proof doesn't hold; one that does shows in the
    /// roster.
    Identify(Proof),
    /// Asks for the results of the client's own heats; only after it has proved a key.
    Results,
    /// Ends the running heat with the standings as they are; the host's.
    EndHeat,
    /// Removes a member, and keeps its key out of this room; the host's, at any time.
    Ban { player: PlayerId },
    /// Holds the start, or lets the room start again by itself when all are ready; the host's. While
    /// it is held, only `start` begins a heat; during the countdown it takes the room back to the
    /// lobby.
    Hold { hold: bool },
    /// Makes another client the host; the host's, or an operator's who may take the place so.
    HandOver { player: PlayerId },
    /// Says a line to everybody; the host's.
    Announce {
        /// Checked by the server as [`crate::heat::short_text::Announcement`] says.
        text: String,
    },
    /// What concerns tournaments; at any time after `hello`.
    Tournament(Box<TournamentRequest>),
    /// Asks for a part of the replay of a finished heat: of a listed room's heat anyone may, of a
    /// private room's those who raced in it, by their keys.
    Replay {
        /// The name under which the server keeps the heat.
        heat: String,
        /// How many bytes the client has already.
        from: u32,
    },
    /// Lets a key join again; the host's.
    Unban { key: Fingerprint },
    /// Shows an image of the host's on the tiles instead of the heats' pictures, or no longer; the
    /// host's in a private room, in the lobby or after a heat.
    Image {
        /// Checked by the server: the length is that of a
        /// [`crate::puzzle::picture::room_image::RoomImage`].
        image: Option<HexBytes>,
    },
}

/// The first message of every connection. Whatever becomes of the protocol, this stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The protocol version that the client speaks.
    pub version: u16,
    /// The client's own name and version, for the log; 64 bytes at most are kept.
    pub agent: String,
}

/// A client that joins a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// A name, checked by the server as [`crate::heat::player_name::PlayerName`] says.
    pub name: String,
    pub bot: bool,
}

/// The role of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Player,
    Spectator,
}
