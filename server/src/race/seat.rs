//! One player's race within a heat.

use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::heat::standings::{Ranked, Standing, State};
use gridrace_shared::protocol::server::{Rejection, ServerMessage};
use gridrace_shared::protocol::snapshot::GivenHint;
use gridrace_shared::puzzle::{Board, Move, MoveCount, PieceProgress};
use gridrace_shared::util::time::Millis;

/// A player's board and what has become of it.
#[derive(Debug, Clone)]
pub(super) struct Seat {
    pub(super) board: Board,
    /// The board before the last move.
    pub(super) before: Option<Board>,
    /// The number of the last move that was played.
    pub(super) seq: Seq,
    pub(super) moves: MoveCount,
    pub(super) state: State,
    pub(super) hints: u16,
    pub(super) penalty: Millis,
    /// Whether the player waits for a hint.
    pub(super) hint_pending: bool,
    /// The latest hint, for when its player comes back.
    pub(super) given: Option<GivenHint>,
    /// When the last move was played.
    pub(super) played_at: Millis,
    /// Whether the player was told that the next number is still free, so that what is on
    /// its way behind it needs no word.
    pub(super) out_of_step: bool,
    pub(super) progress: u16,
    pub(super) tally: Option<PieceProgress>,
    pub(super) order: u64,
}

/// How far a player's moves are played, which is what an acknowledgement says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Acknowledged {
    pub(super) seq: Seq,
    pub(super) at: Millis,
    pub(super) moves: MoveCount,
}

/// What became of a move that isn't rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MoveOutcome {
    /// It was played.
    Played,
    /// It was played before.
    Repeated,
    /// Its number is beyond the next one.
    Gap,
    /// As [`Self::Gap`], and the player was told which number is next.
    GapRepeated,
}

/// When and in which order a move came.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stamp {
    /// On the heat's clock.
    pub(super) at: Millis,
    /// Since GO.
    pub(super) clock: Millis,
    /// The number of its event.
    pub(super) order: u64,
}

impl Seat {
    pub(super) fn new(start: Board, order: u64) -> Self {
        Self {
            tally: start.tally(),
            board: start,
            before: None,
            seq: Seq(0),
            moves: MoveCount { moves: 0, acts: 0 },
            state: State::Racing,
            hints: 0,
            penalty: Millis(0),
            hint_pending: false,
            given: None,
            played_at: Millis(0),
            out_of_step: false,
            progress: 0,
            order,
        }
    }

    pub(super) fn is_racing(&self) -> bool {
        self.state == State::Racing
    }

    /// Returns what an acknowledgement says.
    pub(super) const fn acknowledged(&self) -> Acknowledged {
        Acknowledged { seq: self.seq, at: self.played_at, moves: self.moves }
    }

    /// Takes note that the player knows which number is next.
    pub(super) const fn in_step(&mut self) {
        self.out_of_step = false;
    }

    /// Plays a move if its number is the next one and the rules allow it.
    pub(super) fn play(
        &mut self,
        seq: Seq,
        play: &Move,
        start: &Board,
        stamp: Stamp,
    ) -> Result<MoveOutcome, Rejection> {
        // A move that was played stays played, whatever has become of the race since.
        if self.acknowledged().covers(seq) {
            return Ok(MoveOutcome::Repeated);
        }
        if !self.is_racing() {
            return Err(Rejection::Late);
        }
        let told = std::mem::replace(&mut self.out_of_step, true);
        if seq != self.seq.next() {
            return Ok(if told { MoveOutcome::GapRepeated } else { MoveOutcome::Gap });
        }
        let before = self.board.clone();
        let count = self.board.play(play)?;
        self.before = Some(before);
        self.seq = seq;
        self.moves += count;
        self.played_at = stamp.at;
        self.out_of_step = false;
        self.update_progress(start, stamp);
        Ok(MoveOutcome::Played)
    }

    /// Takes a hint into account.
    pub(super) fn charge(&mut self, rule: HintRule) {
        self.hints = self.hints.saturating_add(1);
        self.penalty = self.penalty + rule.price();
    }

    /// Ends the player's race if it isn't ended.
    pub(super) fn drop_out(&mut self) {
        if self.is_racing() {
            self.state = State::Dnf;
        }
    }

    /// Returns the player's line, its place still to be given.
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

    fn update_progress(&mut self, start: &Board, stamp: Stamp) {
        if self.board.is_solved() {
            self.state = State::Finished { time: stamp.clock + self.penalty };
        }
        self.tally = self.board.tally();
        let progress = self.board.progress(start);
        if progress != self.progress || !self.is_racing() {
            self.progress = progress;
            self.order = stamp.order;
        }
    }
}

impl Acknowledged {
    /// Says whether a move with this number is among those played.
    pub(super) fn covers(&self, seq: Seq) -> bool {
        (Seq(1)..=self.seq).contains(&seq)
    }

    /// Returns what the player is told.
    pub(super) const fn message(&self) -> ServerMessage {
        ServerMessage::Accepted { seq: self.seq, at: self.at, moves: self.moves }
    }
}
