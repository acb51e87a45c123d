//! A player's race within a heat.

use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::heat::standings::{RaceState, Ranked, Standing};
use gridrace_shared::protocol::server::{Rejection, ServerMessage};
use gridrace_shared::protocol::snapshot::GivenHint;
use gridrace_shared::puzzle::{Board, HintStyle, Move, MoveCount, PieceProgress};
use gridrace_shared::util::time::{HeatInstant, Millis};
use serde::{Deserialize, Serialize};

/// A player's board and progress, and a part of a checkpoint as [`super::phase::RacePhase`] is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Seat {
    pub(super) board: Board,
    /// The board before the last move, by which a hint judges that; nothing where there are no hints.
    pub(super) before: Option<Board>,
    /// The number of the last move that was played.
    pub(super) seq: Seq,
    pub(super) moves: MoveCount,
    pub(super) state: RaceState,
    pub(super) hints: u16,
    pub(super) penalty: Millis,
    /// The style of the hint that the player waits for.
    pub(super) hint_pending: Option<HintStyle>,
    /// The latest hint, for the snapshot of a player who comes back.
    pub(super) given: Option<Box<GivenHint>>,
    pub(super) played_at: HeatInstant,
    /// Whether the player was told that there is a gap before the next move, so that later moves
    /// behind it need no answer.
    pub(super) gap_reported: bool,
    pub(super) progress: u16,
    pub(super) tally: Option<PieceProgress>,
    pub(super) order: u64,
}

/// A player's last move, as it is acknowledged.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct MoveAck {
    pub(super) seq: Seq,
    pub(super) at: HeatInstant,
    pub(super) moves: MoveCount,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MoveOutcome {
    Played,
    /// It was played before.
    Repeated,
    /// Its number is beyond the next one.
    Gap,
    /// As [`Self::Gap`], and the player was told which number is next.
    GapRepeated,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct MoveStamp {
    pub(super) at: HeatInstant,
    /// Since GO.
    pub(super) clock: Millis,
    pub(super) order: u64,
}

impl Seat {
    pub(super) fn new(start: Board, order: u64) -> Self {
        Self {
            tally: start.piece_progress(),
            board: start,
            before: None,
            seq: Seq(0),
            moves: MoveCount { moves: 0, acts: 0 },
            state: RaceState::Racing,
            hints: 0,
            penalty: Millis(0),
            hint_pending: None,
            given: None,
            played_at: HeatInstant(0),
            gap_reported: false,
            progress: 0,
            order,
        }
    }

    pub(super) fn is_racing(&self) -> bool {
        self.state == RaceState::Racing
    }

    pub(super) const fn ack(&self) -> MoveAck {
        MoveAck { seq: self.seq, at: self.played_at, moves: self.moves }
    }

    /// Notes that the player knows the number of the next move.
    pub(super) const fn reset_gap(&mut self) {
        self.gap_reported = false;
    }

    /// Plays a move if its number is the next one and the rules allow it.
    pub(super) fn play(
        &mut self,
        seq: Seq,
        play: &Move,
        (start, hints): (&Board, HintRule),
        stamp: MoveStamp,
    ) -> Result<MoveOutcome, Rejection> {
        // A move that was played stays played, whatever happened since.
        if self.ack().covers(seq) {
            return Ok(MoveOutcome::Repeated);
        }
        if !self.is_racing() {
            return Err(Rejection::Late);
        }
        let told = std::mem::replace(&mut self.gap_reported, true);
        if seq != self.seq.next() {
            return Ok(if told { MoveOutcome::GapRepeated } else { MoveOutcome::Gap });
        }
        let before = (hints != HintRule::Off).then(|| self.board.clone());
        let count = self.board.play(play)?;
        self.before = before;
        self.seq = seq;
        self.moves += count;
        self.played_at = stamp.at;
        self.gap_reported = false;
        self.update_progress(start, stamp);
        Ok(MoveOutcome::Played)
    }

    pub(super) fn charge(&mut self, rule: HintRule) {
        self.hints = self.hints.saturating_add(1);
        self.penalty = self.penalty + rule.price();
    }

    /// Ends the player's race if it hasn't ended.
    pub(super) fn set_dnf(&mut self) {
        if self.is_racing() {
            self.state = RaceState::Dnf;
        }
    }

    /// Returns the player's row, not yet ranked.
    pub(super) const fn ranked(&self, player: PlayerId, connected: bool) -> Ranked {
        let standing = Standing {
            player,
            place: 0,
            state: self.state,
            progress: self.progress,
            tally: self.tally,
            moves: self.moves,
            hints: self.hints,
            penalty: self.penalty,
            connected,
        };
        Ranked { standing, order: self.order }
    }

    fn update_progress(&mut self, start: &Board, stamp: MoveStamp) {
        if self.board.is_solved() {
            self.state = RaceState::Finished { time: stamp.clock + self.penalty };
        }
        self.tally = self.board.piece_progress();
        let progress = self.board.progress(start);
        if progress != self.progress || !self.is_racing() {
            self.progress = progress;
            self.order = stamp.order;
        }
    }
}

impl MoveAck {
    /// Returns whether a move with this number was played.
    pub(super) fn covers(&self, seq: Seq) -> bool {
        (Seq(1)..=self.seq).contains(&seq)
    }

    pub(super) const fn message(&self) -> ServerMessage {
        ServerMessage::Accepted { seq: self.seq, at: self.at, moves: self.moves }
    }
}
