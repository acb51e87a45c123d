//! The inputs of a race.

use super::table::ReservedSeat;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::{Secret, SeedOrigin};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::heat::resume_token::ResumeTokenHash;
use gridrace_shared::heat::short_text::Announcement;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::GivenHint;
use gridrace_shared::puzzle::picture::room_image::RoomImage;
use gridrace_shared::puzzle::{HintStyle, Move, MoveBounds, PuzzleSpec};
use gridrace_shared::solver::budget::Unsolved;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::tournament::ids::ResultKey;
use gridrace_shared::util::time::{Millis, ServerInstant};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// An input of a race. With their instants, a room's events are its whole journal: randomness and
/// the workers' answers come in by them, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// A client asks to join; `token` is the hash of the token by which the seat is resumed. The
    /// shell assigns a number that was never used before, and ticks first: what is due is for the
    /// present members.
    Join {
        id: PlayerId,
        newcomer: Newcomer,
        token: ResumeTokenHash,
    },
    /// A newer connection resumes a member's seat, whether or not the old one is known to be lost.
    /// The shell asks [`super::Race::may_resume`] and ticks first.
    Resume {
        by: PlayerId,
        presented: ResumeTokenHash,
        next: ResumeTokenHash,
    },
    /// A member has the latest token: the one before becomes void.
    Confirm {
        by: PlayerId,
    },
    Leave {
        by: PlayerId,
    },
    /// A member's connection is lost. Its seat is kept until the grace is over.
    Lost {
        by: PlayerId,
    },
    /// The host sets the options of this heat in the lobby, else of the next. `secret` is for that
    /// heat.
    Options {
        by: PlayerId,
        options: HeatOptions,
        secret: HeatSecret,
    },
    Ready {
        by: PlayerId,
        ready: bool,
    },
    Start {
        by: PlayerId,
    },
    /// The shell answers an [`super::Effect::GenerateBoard`] by the board of the seed and what is
    /// known of it, or by why there is none.
    Drawn {
        ticket: u32,
        outcome: Result<GeneratedBoard, BoardError>,
    },
    Kick {
        by: PlayerId,
        player: PlayerId,
    },
    /// A house bot takes a seat, at a member's request or the command line's.
    AddBot {
        by: Option<PlayerId>,
        id: PlayerId,
        skill: Skill,
    },
    TakeSeat {
        by: PlayerId,
    },
    LeaveSeat {
        by: PlayerId,
    },
    Move {
        by: PlayerId,
        seq: Seq,
        play: Move,
    },
    Hint {
        by: PlayerId,
        style: HintStyle,
    },
    /// The shell answers an [`super::Effect::FindHint`] of the heat with this number by a hint for
    /// the player's present board, or by why there is none.
    Hinted {
        by: PlayerId,
        number: u32,
        outcome: Result<GivenHint, HintError>,
    },
    /// The shell answers an [`super::Effect::RateBoard`]: how many moves the board needs.
    Rated {
        number: u32,
        best: MoveBounds,
    },
    GiveUp {
        by: PlayerId,
    },
    /// The room returns to its lobby because the host asks for it, or a standing room does so by
    /// itself; another player says that it is ready for that. `secret` is for the next heat.
    Rematch {
        by: Option<PlayerId>,
        secret: HeatSecret,
    },
    /// A new server continues the room. The room's clock stood still while no server ran.
    Recovered {
        away: Millis,
    },
    Tick,
    /// A client without a token, which proves the key of a disconnected member, or of one whose
    /// connection the shell takes for dead, takes that seat; `next` resumes it from now on. The
    /// shell asks [`super::Race::seat_to_return_to`] and [`super::Race::connected_seat_of`] and ticks
    /// first.
    Return {
        by: PlayerId,
        identity: Fingerprint,
        next: ResumeTokenHash,
    },
    /// The store starts or stops to record the room.
    Recording {
        recorded: bool,
    },
    EndHeat {
        by: PlayerId,
    },
    /// The host removes a member, and keeps its key out.
    Ban {
        by: PlayerId,
        player: PlayerId,
    },
    /// The host holds the start, or no longer does.
    Hold {
        by: PlayerId,
        hold: bool,
    },
    /// The host, or an operator, makes a member the host.
    HandOver {
        by: PlayerId,
        player: PlayerId,
    },
    Announce {
        by: PlayerId,
        text: Announcement,
    },
    /// A server that continues the room says whom it obeys, and whether the room is a standing one.
    Configured {
        operators: BTreeSet<Fingerprint>,
        is_standing: bool,
    },
    /// The host lets a key join again.
    Unban {
        by: PlayerId,
        key: Fingerprint,
    },
    /// The tournament decides something of its table.
    Table(TableEvent),
    /// The host sets the image that tiles show, or takes it back. The shell asks
    /// [`super::Race::check_image`].
    Image {
        by: PlayerId,
        image: Option<RoomImage>,
    },
    /// The server that continues the room found its journal damaged: events may be lost that members
    /// were told of.
    JournalDamaged,
    /// A new connection is about to take a member's seat, from another address than the one before.
    AddressChanged {
        member: PlayerId,
        /// As in [`Newcomer`].
        address: Option<IpAddr>,
    },
}

/// What the tournament decides of its table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableEvent {
    /// Starts the countdown to a board. Again with the same board it moves GO; once that board is
    /// raced, or while another one is, it has no effect.
    Start(Box<TableStart>),
    /// Moves GO of the countdown.
    MoveGo { go: ServerInstant },
    /// Cancels the countdown.
    Cancel,
    /// Ends the running board; players who still race are placed by their progress.
    End,
    /// Ends the running board, and the membership of all members.
    Close,
    /// Ends the membership of those who watch, and have the same boards to race at another table.
    Exclude(Vec<PlayerId>),
    /// Reserves seats besides those that are, in any phase: entrants who come late join before the next
    /// start, which says anew which seats there are.
    Seats(Vec<ReservedSeat>),
}

/// A board, as all tables of a round race it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableStart {
    pub board: ResultKey,
    /// The seats from this board on.
    pub seats: Vec<ReservedSeat>,
    pub spec: PuzzleSpec,
    pub secret: HeatSecret,
    pub drawn: GeneratedBoard,
    pub go: ServerInstant,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newcomer {
    pub name: PlayerName,
    pub bot: bool,
    pub role: Role,
    /// The key that was proved on the connection.
    pub identity: Option<Fingerprint>,
    /// The address that the client shares with no other machine; nothing for one that may.
    pub address: Option<IpAddr>,
}

impl Newcomer {
    /// A person without a key, who wants to play.
    pub const fn person(name: PlayerName) -> Self {
        Self { name, bot: false, role: Role::Player, identity: None, address: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeatSecret {
    pub secret: Secret,
    /// Whether the host set the seed.
    pub origin: SeedOrigin,
}

/// What the host has set for the next heat while the room was not in its lobby.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct QueuedHeat {
    pub(super) options: HeatOptions,
    pub(super) secret: HeatSecret,
}

impl From<(Secret, SeedOrigin)> for HeatSecret {
    fn from((secret, origin): (Secret, SeedOrigin)) -> Self {
        Self { secret, origin }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoardError {
    Busy,
    /// The generator panicked on this seed.
    Broken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HintError {
    Busy,
    Unsolved(Unsolved),
}

impl Event {
    /// Returns whether a table of a tournament refuses the event: there no member is host, and players
    /// need not be ready.
    pub(super) const fn is_of_hosted_rooms(&self) -> bool {
        match self {
            Self::Options { .. }
            | Self::Ready { .. }
            | Self::Start { .. }
            | Self::Kick { .. }
            | Self::AddBot { by: Some(_), .. }
            | Self::TakeSeat { .. }
            | Self::LeaveSeat { .. }
            | Self::Rematch { .. }
            | Self::EndHeat { .. }
            | Self::Ban { .. }
            | Self::Unban { .. }
            | Self::Hold { .. }
            | Self::HandOver { .. }
            | Self::Announce { .. }
            | Self::Image { .. }
            | Self::Configured { .. } => true,
            Self::Join { .. }
            | Self::Resume { .. }
            | Self::Return { .. }
            | Self::Confirm { .. }
            | Self::Leave { .. }
            | Self::Lost { .. }
            | Self::Drawn { .. }
            | Self::AddBot { by: None, .. }
            | Self::Move { .. }
            | Self::Hint { .. }
            | Self::Hinted { .. }
            | Self::Rated { .. }
            | Self::GiveUp { .. }
            | Self::Recovered { .. }
            | Self::JournalDamaged
            | Self::AddressChanged { .. }
            | Self::Recording { .. }
            | Self::Table(_)
            | Self::Tick => false,
        }
    }

    /// Returns the member whose event it is, if it is a member's.
    pub(super) const fn by(&self) -> Option<PlayerId> {
        match self {
            Self::Join { .. }
            | Self::Drawn { .. }
            | Self::Rated { .. }
            | Self::Recovered { .. }
            | Self::JournalDamaged
            | Self::AddressChanged { .. }
            | Self::Recording { .. }
            | Self::Configured { .. }
            | Self::Table(_)
            | Self::Tick => None,
            Self::AddBot { by, .. } | Self::Rematch { by, .. } => *by,
            Self::Leave { by }
            | Self::Resume { by, .. }
            | Self::Return { by, .. }
            | Self::Confirm { by }
            | Self::Lost { by }
            | Self::Options { by, .. }
            | Self::Ready { by, .. }
            | Self::Start { by }
            | Self::Kick { by, .. }
            | Self::EndHeat { by }
            | Self::Ban { by, .. }
            | Self::Unban { by, .. }
            | Self::Hold { by, .. }
            | Self::HandOver { by, .. }
            | Self::Announce { by, .. }
            | Self::Image { by, .. }
            | Self::TakeSeat { by }
            | Self::LeaveSeat { by }
            | Self::Move { by, .. }
            | Self::Hint { by, .. }
            | Self::Hinted { by, .. }
            | Self::GiveUp { by } => Some(*by),
        }
    }
}
