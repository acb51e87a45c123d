//! The effects of a race: what the shell must do after an event.

use super::heat_event::{HeatEvent, MoveVerdict};
use super::table::TableReport;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::standings::Standings;
use gridrace_shared::protocol::server::{Farewell, ServerMessage};
use gridrace_shared::puzzle::{Board, HintStyle, PuzzleSpec};
use gridrace_shared::solver::knowledge::SolutionKnowledge;
use gridrace_shared::util::seed::Seed;

/// What the shell must do after an event, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "effects are what the shell must do"]
pub struct Effects(pub Vec<Effect>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Send to one member, in the lane of events.
    Send {
        to: PlayerId,
        message: ServerMessage,
    },
    /// Send to many, in the lane of events; encoded once.
    Broadcast {
        to: Audience,
        message: ServerMessage,
    },
    /// Send the standings to all members but spectators, in the lane where the latest wins.
    Standings(Standings),
    /// Send the standings to spectators, as late as they see the boards, in the same lane.
    DelayedStandings(Standings),
    /// Stop serving a member that left or lost its connection. A connection that stands may join
    /// another room.
    Release {
        member: PlayerId,
    },
    /// Stop serving a member that was removed, and close its connection.
    Dismiss {
        member: PlayerId,
        why: Farewell,
    },
    /// Prepare the solver's tables for this puzzle: they are needed soon.
    PrepareSolver {
        spec: PuzzleSpec,
    },
    /// Generate a board, which may take seconds, and answer with [`super::Event::Drawn`].
    GenerateBoard(BoardRequest),
    /// Find a hint, and answer with [`super::Event::Hinted`].
    FindHint(Box<HintRequest>),
    /// Find out how many moves the start board needs, at low priority, and answer with
    /// [`super::Event::Rated`].
    RateBoard {
        number: u32,
        spec: PuzzleSpec,
        board: Board,
    },
    RunBot {
        id: PlayerId,
        skill: Skill,
    },
    MoveAnswered {
        player: PlayerId,
        verdict: MoveVerdict,
    },
    Heat(HeatEvent),
    /// Tell the tournament of its table.
    Table(TableReport),
}

/// A request for a board. It holds the heat's secret, so its `Debug` leaves the seed out.
#[derive(Clone, PartialEq, Eq)]
pub struct BoardRequest {
    /// The number of the request: only the latest is open.
    pub ticket: u32,
    pub spec: PuzzleSpec,
    pub seed: Seed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HintRequest {
    pub player: PlayerId,
    pub style: HintStyle,
    pub number: u32,
    /// The player's last move.
    pub after: Seq,
    /// The player's board after that move.
    pub board: Board,
    /// The board before that move.
    pub before: Option<Board>,
    /// What is known of the board, and secret from players.
    pub known: SolutionKnowledge,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    All,
    Others(PlayerId),
    /// Those who may see the players' boards: [`super::Race::may_watch`].
    Watchers,
}

impl std::fmt::Debug for BoardRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BoardRequest")
            .field("ticket", &self.ticket)
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}

impl Effects {
    pub fn heat_events(&self) -> impl Iterator<Item = &HeatEvent> {
        self.0
            .iter()
            .filter_map(|effect| if let Effect::Heat(event) = effect { Some(event) } else { None })
    }

    pub(super) fn report(&mut self, event: HeatEvent) {
        self.push(Effect::Heat(event));
    }

    pub(super) fn push(&mut self, effect: Effect) {
        self.0.push(effect);
    }

    pub(super) fn send(&mut self, to: PlayerId, message: ServerMessage) {
        self.push(Effect::Send { to, message });
    }

    pub(super) fn broadcast(&mut self, to: Audience, message: ServerMessage) {
        self.push(Effect::Broadcast { to, message });
    }
}
