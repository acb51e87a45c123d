//! The inputs of a race.

use gridrace_shared::bot::Skill;
use gridrace_shared::heat::commitment::Secret;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::heat::resume_token::ResumeTokenHash;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::GivenHint;
use gridrace_shared::puzzle::Move;
use gridrace_shared::puzzle::MoveBounds;
use gridrace_shared::solver::budget::Unsolved;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::solver::plan::HintAnswer;
use gridrace_shared::util::time::Millis;
use serde::{Deserialize, Serialize};

/// An input of a race. With their instants, a room's events are its whole journal: randomness and
/// the workers' answers come in by them, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// A client asks to join. The shell assigns a number that was never used before, and ticks
    /// first: what is due is for the present members.
    Join {
        /// The number.
        id: PlayerId,
        /// The client.
        newcomer: Newcomer,
        /// The hash of the token by which the seat is resumed.
        token: ResumeTokenHash,
    },
    /// A newer connection resumes a member's seat, whether or not the old one is known to be lost.
    /// The shell asks [`super::Race::may_resume`] and ticks first.
    Resume {
        /// The member.
        by: PlayerId,
        /// The token that the client presented.
        presented: ResumeTokenHash,
        /// The token that replaces it.
        next: ResumeTokenHash,
    },
    /// A member has the latest token: the one before becomes void.
    Confirm {
        /// The member.
        by: PlayerId,
    },
    /// A member leaves.
    Leave {
        /// The member.
        by: PlayerId,
    },
    /// A member's connection is lost. Its seat is kept until the grace is over.
    Lost {
        /// The member.
        by: PlayerId,
    },
    /// The host sets the options.
    Options {
        /// The member that asks.
        by: PlayerId,
        /// The options.
        options: HeatOptions,
        /// The secret of the next heat.
        secret: HeatSecret,
    },
    /// A player is ready, or no longer ready.
    Ready {
        /// The player.
        by: PlayerId,
        /// Whether the player is ready.
        ready: bool,
    },
    /// The host starts the countdown.
    Start {
        /// The member that asks.
        by: PlayerId,
    },
    /// The shell answers an [`super::Effect::GenerateBoard`].
    Drawn {
        /// The ticket of the request.
        ticket: u32,
        /// The board of the seed and what is known of it, or why there is none.
        outcome: Result<GeneratedBoard, BoardError>,
    },
    /// The host removes a member.
    Kick {
        /// The member that asks.
        by: PlayerId,
        /// The member to remove.
        player: PlayerId,
    },
    /// A house bot takes a seat.
    AddBot {
        /// The member that asks; nothing for the server's command line.
        by: Option<PlayerId>,
        /// The bot's number.
        id: PlayerId,
        /// Its skill.
        skill: Skill,
    },
    /// A spectator takes a seat.
    TakeSeat {
        /// The spectator.
        by: PlayerId,
    },
    /// A player becomes a spectator.
    LeaveSeat {
        /// The player.
        by: PlayerId,
    },
    /// A player moves.
    Move {
        /// The player.
        by: PlayerId,
        /// The move's number.
        seq: Seq,
        /// The move.
        play: Move,
    },
    /// A player asks for a hint.
    Hint {
        /// The player.
        by: PlayerId,
    },
    /// What journals of version 4 hold in place of [`Event::Hinted`]: the solver's plan. The race
    /// ignores it; [`super::journal`] converts it.
    PlannedV4 {
        /// The player who asked.
        by: PlayerId,
        /// The heat in which it was asked.
        number: u32,
        /// The player's move after which it was asked.
        after: Seq,
        /// The plan, or why there is none.
        outcome: Result<HintAnswer, HintError>,
    },
    /// The solver answers an [`super::Effect::RateBoard`].
    Rated {
        /// The number of the heat.
        number: u32,
        /// How many moves the board needs.
        best: MoveBounds,
    },
    /// A player gives up.
    GiveUp {
        /// The player.
        by: PlayerId,
    },
    /// The room goes back to its lobby.
    Rematch {
        /// The member that asks; nothing for a standing room.
        by: Option<PlayerId>,
        /// The secret of the next heat.
        secret: HeatSecret,
    },
    /// A new server continues the room.
    Recovered {
        /// How long no server ran; the room's clock stood still.
        away: Millis,
    },
    /// The deadline is reached.
    Tick,
    /// A client without a token, which proves the key of a disconnected member, or of one whose
    /// connection the shell takes for dead, takes that seat. The shell asks
    /// [`super::Race::vacant_seat_of`] and [`super::Race::connected_seat_of`] and ticks first.
    Return {
        /// The member.
        by: PlayerId,
        /// The proven key.
        identity: Fingerprint,
        /// The token by which the seat is resumed from now on.
        next: ResumeTokenHash,
    },
    /// The store starts or stops to record the room.
    Recording {
        /// Whether it does.
        recorded: bool,
    },
    /// The shell answers an [`super::Effect::FindHint`].
    Hinted {
        /// The player who asked.
        by: PlayerId,
        /// The heat in which it was asked.
        number: u32,
        /// The hint for the player's present board, or why there is none.
        outcome: Result<GivenHint, HintError>,
    },
}

/// A client that joins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newcomer {
    /// The name.
    pub name: PlayerName,
    /// Whether a program plays.
    pub bot: bool,
    /// As player or as spectator.
    pub role: Role,
    /// The key that was proved on the connection.
    pub identity: Option<Fingerprint>,
}

impl Newcomer {
    /// A person without a key, who wants to play.
    #[must_use]
    pub const fn person(name: PlayerName) -> Self {
        Self { name, bot: false, role: Role::Player, identity: None }
    }
}

/// The secret of a heat, and its origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeatSecret {
    /// Seed and salt.
    pub secret: Secret,
    /// Whether the host set the seed.
    pub origin: SeedOrigin,
}

impl From<(Secret, SeedOrigin)> for HeatSecret {
    fn from((secret, origin): (Secret, SeedOrigin)) -> Self {
        Self { secret, origin }
    }
}

/// Why there is no board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoardError {
    /// The queue is full.
    Busy,
    /// The generator panicked on this seed.
    Broken,
}

/// Why there is no hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HintError {
    /// The queue is full.
    Busy,
    /// The solver found nothing.
    Unsolved(Unsolved),
}

impl Event {
    /// Returns the member whose event it is, if it is a member's.
    pub(super) const fn by(&self) -> Option<PlayerId> {
        match self {
            Self::Join { .. }
            | Self::Drawn { .. }
            | Self::Rated { .. }
            | Self::Recovered { .. }
            | Self::Recording { .. }
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
            | Self::TakeSeat { by }
            | Self::LeaveSeat { by }
            | Self::Move { by, .. }
            | Self::Hint { by }
            | Self::Hinted { by, .. }
            | Self::PlannedV4 { by, .. }
            | Self::GiveUp { by } => Some(*by),
        }
    }
}
