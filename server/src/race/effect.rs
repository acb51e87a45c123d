//! What the shell must do after an event.

use super::heat_event::{HeatEvent, MoveVerdict};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::standings::Standings;
use gridrace_shared::protocol::server::{Farewell, ServerMessage};
use gridrace_shared::puzzle::{Board, PuzzleSpec};
use gridrace_shared::solver::knowledge::SolutionKnowledge;
use gridrace_shared::util::seed::Seed;

/// Everything that the shell must do after an event, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use = "effects are what the shell must do"]
pub struct Effects(pub Vec<Effect>);

/// One thing that the shell must do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Send to one member, in the lane of events.
    Send {
        /// To whom.
        to: PlayerId,
        /// What.
        message: ServerMessage,
    },
    /// Send to many, in the lane of events; encoded once.
    Broadcast {
        /// To whom.
        to: Audience,
        /// What.
        message: ServerMessage,
    },
    /// Show everybody the standings, in the lane where the latest wins.
    Standings(Standings),
    /// A member is to hear no more of the heat: it left, or its connection is lost. A
    /// connection that stands may get into another heat.
    Release {
        /// Who.
        member: PlayerId,
    },
    /// A member is in the heat no more, and its connection is to be closed with this farewell.
    Dismiss {
        /// Who.
        member: PlayerId,
        /// Why.
        why: Farewell,
    },
    /// The solvers are wanted soon: get ready what they need for this puzzle.
    PrepareSolver {
        /// The puzzle.
        spec: PuzzleSpec,
    },
    /// Draw the board of this seed, which may take seconds, and come back with
    /// [`super::Event::Drawn`].
    GenerateBoard(BoardRequest),
    /// Plan for this board and come back with [`super::Event::Hinted`].
    FindHint(HintRequest),
    /// Find out, at leisure, how many moves this board needs, and come back with
    /// [`super::Event::Rated`].
    RateBoard {
        /// Which heat of the group it is for.
        number: u32,
        /// The puzzle.
        spec: PuzzleSpec,
        /// The board from which everybody starts.
        board: Board,
    },
    /// Start a bot of the server's behind this member.
    RunBot {
        /// The member.
        id: PlayerId,
        /// How well it plays.
        skill: Skill,
    },
    /// A move was answered.
    MoveAnswered {
        /// Whose move.
        player: PlayerId,
        /// The answer.
        verdict: MoveVerdict,
    },
    /// Something happened in the heat.
    Heat(HeatEvent),
}

/// Which board is to be drawn. It holds the secret of the heat, so it can't be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct BoardRequest {
    /// Which of the race's drawings it is: only the latest is waited for.
    pub ticket: u32,
    /// The puzzle.
    pub spec: PuzzleSpec,
    /// The seed.
    pub seed: Seed,
}

/// What the solver is asked for a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HintRequest {
    /// For whom.
    pub player: PlayerId,
    /// Which heat of the group it is for.
    pub number: u32,
    /// After which of the player's moves.
    pub after: Seq,
    /// The board.
    pub board: Board,
    /// The board before the player's last move.
    pub before: Option<Board>,
    /// What is known of the board, and kept from players.
    pub known: SolutionKnowledge,
}

/// Who is to get a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Every member.
    Everybody,
    /// Every member but one.
    Others(PlayerId),
    /// Members whose role is spectator.
    Spectators,
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
