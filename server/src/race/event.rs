//! What happens to a race.

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
use gridrace_shared::solver::hint::HintAnswer;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::time::Millis;
use serde::{Deserialize, Serialize};

/// One event of a heat. With the instants at which they came, a heat's events are its
/// whole journal: entropy and the solver's answers come in by them, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// Somebody wants in. The shell gives each a number that was never used before, and
    /// ticks first, before the newcomer can hear: what was due is for those who were here.
    Join {
        /// The number.
        id: PlayerId,
        /// Who.
        newcomer: Newcomer,
        /// By which token the seat is taken up again.
        token: ResumeTokenHash,
    },
    /// A newer connection takes up a member's seat, whether or not the old one is known to
    /// be lost. The shell asks [`super::Race::may_resume`] first, and ticks, likewise.
    Resume {
        /// Whose seat.
        by: PlayerId,
        /// The token that was shown.
        presented: ResumeTokenHash,
        /// The token that is to follow it.
        next: ResumeTokenHash,
    },
    /// A member has the latest token: the one before is void.
    Confirm {
        /// Who.
        by: PlayerId,
    },
    /// A member said that it leaves.
    Leave {
        /// Who.
        by: PlayerId,
    },
    /// A member's connection was lost. The member stays until the grace is over.
    Lost {
        /// Whose.
        by: PlayerId,
    },
    /// The host sets the options.
    Options {
        /// Who asks.
        by: PlayerId,
        /// The options.
        options: HeatOptions,
        /// What the next heat is drawn from.
        secret: HeatSecret,
    },
    /// A player is ready, or not any more.
    Ready {
        /// Who.
        by: PlayerId,
        /// Ready, or not any more.
        ready: bool,
    },
    /// The host starts the countdown.
    Start {
        /// Who asks.
        by: PlayerId,
    },
    /// The shell answers an [`super::Effect::GenerateBoard`].
    Drawn {
        /// Which drawing it is, as the commission said.
        ticket: u32,
        /// The board that the seed names, and what is known of it; or why there is none.
        outcome: Result<GeneratedBoard, BoardError>,
    },
    /// The host sends somebody away.
    Kick {
        /// Who asks.
        by: PlayerId,
        /// Whom.
        player: PlayerId,
    },
    /// A bot of the server's takes a seat.
    AddBot {
        /// Who asks; nobody where the server's own command line does.
        by: Option<PlayerId>,
        /// The bot's number.
        id: PlayerId,
        /// How well it plays.
        skill: Skill,
    },
    /// A spectator takes a seat.
    TakeSeat {
        /// Who.
        by: PlayerId,
    },
    /// A player becomes a spectator.
    LeaveSeat {
        /// Who.
        by: PlayerId,
    },
    /// A player moves.
    Move {
        /// Who.
        by: PlayerId,
        /// The move's number.
        seq: Seq,
        /// The move.
        play: Move,
    },
    /// A player asks for a hint.
    Hint {
        /// Who.
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
        /// Which heat of the group it was asked for.
        number: u32,
        /// How many moves the board needs.
        best: MoveBounds,
    },
    /// A player gives up.
    GiveUp {
        /// Who.
        by: PlayerId,
    },
    /// Back to the lobby with the same people.
    Rematch {
        /// Who asks; nobody where the server opens its standing heat again.
        by: Option<PlayerId>,
        /// What the next heat is drawn from.
        secret: HeatSecret,
    },
    /// A new server goes on with the heat, whose clock stood still for so long.
    Recovered {
        /// For how long.
        away: Millis,
    },
    /// The deadline has come.
    Tick,
    /// Somebody who has lost the token, and proves the key of a member who is away, or whose
    /// connection the shell takes for dead, takes up its seat. The shell asks
    /// [`super::Race::returning`] and [`super::Race::twin`] first, and ticks, likewise.
    Return {
        /// Whose seat.
        by: PlayerId,
        /// The key that was proved.
        identity: Fingerprint,
        /// By which token the seat is taken up from now on.
        next: ResumeTokenHash,
    },
    /// The store records the room, or doesn't any more.
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

/// Who comes into a heat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newcomer {
    /// The name.
    pub name: PlayerName,
    /// Whether a program plays.
    pub bot: bool,
    /// What as.
    pub role: Role,
    /// Whose key was proved on the connection.
    pub identity: Option<Fingerprint>,
}

impl Newcomer {
    /// Somebody of whom nothing but the name is known, and who wants to play.
    #[must_use]
    pub const fn person(name: PlayerName) -> Self {
        Self { name, bot: false, role: Role::Player, identity: None }
    }
}

/// What a heat is drawn from, and by whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeatSecret {
    /// Seed and salt.
    pub secret: Secret,
    /// Whether the host set the seed.
    pub origin: SeedOrigin,
}

/// Why a board can't be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoardError {
    /// Too many boards wait to be drawn.
    Busy,
    /// Whoever drew it broke on this seed.
    Broken,
}

/// Why a hint can't be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HintError {
    /// The solver pool's queue is full.
    Busy,
    /// The solver found nothing.
    Unsolved(Unsolved),
}

impl Event {
    /// Returns the member whose doing it is, if it is a member's.
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
