//! The phase of a heat, with what only belongs there.

use super::activity::Activity;
use super::event::HeatSecret;
use super::members::Members;
use super::seat::{MoveAck, Seat};
use super::spectator_feed::SpectatorFeed;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::standings::{Standing, rank};
use gridrace_shared::protocol::snapshot::HeatResult;
use gridrace_shared::puzzle::{Board, MoveBounds};
use gridrace_shared::solver::knowledge::{GeneratedBoard, SolutionKnowledge};
use gridrace_shared::util::time::HeatInstant;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The phase of a heat, and a part of its checkpoints: a change of the fields here is another
/// version of the journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum RacePhase {
    Lobby,
    Drawing,
    /// The board is secret until GO.
    Countdown {
        go: HeatInstant,
        drawn: Box<GeneratedBoard>,
    },
    Running(Box<Running>),
    Over(Box<Over>),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Running {
    pub(super) go: HeatInstant,
    pub(super) ends: HeatInstant,
    pub(super) start: Board,
    /// What is known of the board, for hints alone.
    pub(super) known: SolutionKnowledge,
    pub(super) seats: BTreeMap<PlayerId, Seat>,
    pub(super) feed: SpectatorFeed,
    pub(super) activity: Activity,
    /// Whether the present event changes the standings.
    #[serde(skip)]
    pub(super) standings_changed: bool,
    /// The board's rating once it is known; secret until the end.
    pub(super) best: Option<MoveBounds>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Over {
    pub(super) go: HeatInstant,
    pub(super) at: HeatInstant,
    pub(super) result: HeatResult,
    /// The players' last moves: one that is sent again is still acknowledged.
    pub(super) acks: BTreeMap<PlayerId, MoveAck>,
    /// The secret of the next heat, from the first player who is ready for it.
    pub(super) next_secret: Option<HeatSecret>,
}

/// The names of all phases.
pub(crate) const PHASE_NAMES: [&str; 5] = ["lobby", "drawing", "countdown", "running", "over"];

impl RacePhase {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Lobby => "lobby",
            Self::Drawing => "drawing",
            Self::Countdown { .. } => "countdown",
            Self::Running(_) => "running",
            Self::Over(_) => "over",
        }
    }

    /// Returns whether a player has a row in the standings.
    pub(super) fn has_row(&self, player: PlayerId) -> bool {
        match self {
            Self::Lobby | Self::Drawing | Self::Countdown { .. } => false,
            Self::Running(run) => run.seats.contains_key(&player),
            Self::Over(over) => over.result.standings.iter().any(|row| row.player == player),
        }
    }
}

impl Running {
    pub(super) fn standings(&self, members: &Members) -> Vec<Standing> {
        let rows = self
            .seats
            .iter()
            .map(|(&player, seat)| seat.ranked(player, members.is_connected(player)));
        rank(rows.collect())
    }

    /// Notes that a player's row changes: in the standings now, and for spectators later.
    pub(super) fn row_changed(&mut self, player: PlayerId, now: HeatInstant, members: &Members) {
        self.standings_changed = true;
        if let Some(seat) = self.seats.get(&player) {
            self.feed.keep_row(now, seat.ranked(player, members.is_connected(player)));
        }
    }

    /// Returns whether no player can finish any more: each is through, or gone for good.
    pub(super) fn is_decided(&self, members: &Members) -> bool {
        let can_finish =
            |(&player, seat): (&PlayerId, &Seat)| seat.is_racing() && members.is_present(player);
        members.is_deserted() || !self.seats.iter().any(can_finish)
    }
}
