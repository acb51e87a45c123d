//! The parts of a heat as the wire shows them.

use crate::heat::commitment::{Commitment, Secret, SeedOrigin};
use crate::heat::identity::Fingerprint;
use crate::heat::ids::{PlayerId, RoomCode, Seq};
use crate::heat::options::HeatOptions;
use crate::heat::player_kind::PlayerKind;
use crate::heat::player_name::PlayerName;
use crate::heat::short_text::RoomName;
use crate::heat::standings::{RaceState, Standing, Standings};
use crate::protocol::client::Role;
use crate::puzzle::{Board, MoveBounds, MoveCount, PuzzleSpec};
use crate::solver::hint::Hint;
use crate::tournament::ids::{ResultKey, TournamentName};
use crate::util::time::{HeatInstant, Millis, ServerInstant, UnixMillis};
use serde::{Deserialize, Serialize};

/// Everything about a heat that its newest member may know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    pub code: RoomCode,
    /// The name of a room that the server's configuration opened under one.
    pub name: Option<RoomName>,
    /// The instant of the server's clock from which the heat's times count.
    pub epoch: ServerInstant,
    pub setup: Setup,
    pub roster: Roster,
    /// Where the heat is, with what belongs to it.
    pub phase: Phase,
    /// The standings, from GO on.
    pub standings: Option<Standings>,
    /// For those who may watch a running heat: the players' boards, as late as the options say.
    pub boards: Vec<PlayerBoard>,
    /// For a player of a running heat who comes back: how far they are.
    pub seat: Option<OwnSeat>,
    /// For how long the heat stood still because its server was away; no player's time counts it.
    pub outage: Millis,
    /// Whether a running heat ends soon.
    pub closing: Option<Closing>,
}

/// A heat that ends before its time limit, unless that is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// When, on the heat's clock.
    pub ends: HeatInstant,
    pub why: ClosingReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClosingReason {
    /// All who still race are idle; an action of one of them takes it back.
    Idle,
    /// Only bots still race; they are placed by progress.
    OnlyBots,
}

/// How far a player is in their own race.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnSeat {
    /// The board after the last move that was played.
    pub board: Board,
    /// The number of that move; 0 before the first.
    pub seq: Seq,
    /// Racing, finished or out.
    pub state: RaceState,
    /// Moves so far, in both ways of counting.
    pub moves: MoveCount,
    pub hints: u16,
    /// What they add to the finish time.
    pub penalty: Millis,
    pub hint: Option<GivenHint>,
    pub hint_pending: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenHint {
    /// The player's move number that the hint is about: the board after that many moves.
    pub after: Seq,
    pub hint: Hint,
    /// How many moves further from home the player's last move had led.
    pub distance_change: Option<i32>,
}

/// What a heat is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// Which heat of this group it is: 1, and one more with each rematch.
    pub number: u32,
    pub options: HeatOptions,
    pub seed: SeedOrigin,
    pub commitment: Commitment,
    /// The options that the host has queued for the next heat.
    pub queued: Option<HeatOptions>,
    /// The player who holds the start. A host who watches holds it as well, without this.
    pub held_by: Option<PlayerId>,
    /// Which table of a tournament the room is.
    pub table: Option<TableSetup>,
}

/// What a room races as a table of a tournament, which starts and closes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSetup {
    pub tournament: TournamentName,
    /// The round, the table, and the board that is raced now or next.
    pub board: ResultKey,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Roster {
    /// The member who may set options, start and kick; none while only bots are present, while an
    /// operator has reserved the place, or at a table of a tournament.
    pub host: Option<PlayerId>,
    /// Everybody, in the order in which they came.
    pub members: Vec<Member>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The number by which messages call them.
    pub id: PlayerId,
    pub name: PlayerName,
    pub kind: PlayerKind,
    pub role: Role,
    /// Ready to start; bots of the server's always are.
    pub ready: bool,
    /// A spectator who has a seat in the next heat.
    pub next_seat: bool,
    /// Whether the connection stands. A lost one keeps its seat for a grace, and a player
    /// who is gone for good stays in the standings until the heat is over.
    pub connected: bool,
    /// By what the server knows them again, where they proved a key.
    pub identity: Option<Fingerprint>,
    /// Whether the key is an operator's of the server, who has the host's powers everywhere.
    pub operator: bool,
    /// Until when a member whose connection is lost keeps the place, on the heat's clock.
    pub away_until: Option<HeatInstant>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// People come in; nothing is drawn yet that they could see.
    Lobby,
    /// The heat has begun, and its board is being drawn; the countdown follows.
    Drawing,
    Countdown {
        go: HeatInstant,
    },
    Running {
        go: HeatInstant,
        /// The instant at which those who still race are out.
        ends: HeatInstant,
        start: Board,
    },
    Over(HeatResult),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeatResult {
    /// The final standings, by place.
    pub standings: Vec<Standing>,
    pub start: Board,
    /// Seed and salt, against the commitment.
    pub reveal: Secret,
    /// How many moves the board needs, once the solver knows; where it takes longer than
    /// the heat, [`crate::protocol::server::ServerMessage::Rated`] brings it later.
    pub best: Option<MoveBounds>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerBoard {
    pub player: PlayerId,
    pub board: Board,
}

/// The result of a finished heat for the client that asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnResult {
    /// The name under which the server keeps the heat.
    pub heat: String,
    /// When it ended, in milliseconds since 1970.
    pub ended: UnixMillis,
    pub spec: PuzzleSpec,
    pub name: PlayerName,
    pub place: u16,
    /// Among how many players.
    pub of: u16,
    /// The finish time with its penalty; nothing for a DNF.
    pub time: Option<Millis>,
    /// The moves by which solutions are compared.
    pub moves: u32,
    pub hints: u16,
    /// Whether the finish was too fast for a person ([`crate::heat::speed`]).
    pub inhuman_speed: bool,
}

/// A key that may not join a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ban {
    pub key: Fingerprint,
    /// The name that the banned member had.
    pub name: PlayerName,
    /// Whether an operator banned it: no host lifts that, and in a standing room it holds also when
    /// all have left.
    pub by_operator: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomSummary {
    pub code: RoomCode,
    /// The name of a room that the server's configuration opened under one.
    pub name: Option<RoomName>,
    pub host: Option<PlayerName>,
    pub spec: PuzzleSpec,
    pub phase: RoomPhase,
    /// How many people are connected, players and spectators.
    pub people: u16,
    /// How many seats are taken, those of bots included.
    pub players: u16,
    pub spectators: u16,
    /// Whether no seat is free in the next heat, which in the lobby is this one.
    pub full: bool,
    pub needs_pin: bool,
}

/// The phase of a room as lists show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoomPhase {
    Lobby,
    /// From the start of the countdown to the end of the heat.
    Racing,
    Results,
}

impl RoomSummary {
    /// Says whether one could still take a seat before GO.
    pub fn is_joinable(&self) -> bool {
        self.phase == RoomPhase::Lobby && !self.full
    }
}
