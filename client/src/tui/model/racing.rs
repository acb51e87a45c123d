//! What only a player in a race needs to know.

use crate::session::send_window::Lane;
use crate::tui::model::{Hand, Optimistic};
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat::standings::State;
use gridrace_shared::protocol::snapshot::{GivenHint, OwnSeat};
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::util::time::{ClientInstant, Millis};

/// A player's own race.
#[derive(Debug, Clone)]
pub struct Racing {
    /// The instant of GO, on the heat's clock.
    pub go: Millis,
    /// When those who still race are out, on the heat's clock.
    pub ends: Millis,
    /// The board from which everybody started.
    pub start: Board,
    /// The board, ahead of the server.
    pub play: Optimistic,
    /// Which of the unanswered moves have left for the server.
    pub lane: Lane,
    /// What the player's hand does between two moves.
    pub hand: Hand,
    /// When the last move was played that solved the board, on the heat's clock.
    pub solved_at: Option<Millis>,
    /// Whether the player gave up, or is out.
    pub out: bool,
    /// The hints.
    pub hints: HintState,
}

/// Hints taken and to come.
#[derive(Debug, Clone, Default)]
pub struct HintState {
    /// Whether one is on its way.
    pub pending: bool,
    /// The latest.
    pub latest: Option<GivenHint>,
    /// How many were taken.
    pub taken: u16,
    /// What they add to the finish time.
    pub penalty: Millis,
}

impl Racing {
    /// Starts a race.
    #[must_use]
    pub fn new(go: Millis, ends: Millis, start: Board) -> Self {
        Self {
            go,
            ends,
            play: Optimistic::new(start.clone()),
            lane: Lane::default(),
            hand: Hand::new(&start),
            start,
            solved_at: None,
            out: false,
            hints: HintState::default(),
        }
    }

    /// Takes in how far the player is, as the server says. What is unanswered stays on its
    /// way where it follows on from there.
    pub fn resync(&mut self, seat: OwnSeat) {
        self.play.resync(&seat);
        self.lane.go_back_to(seat.seq);
        self.hand.follow(self.play.board());
        self.solved_at = match seat.state {
            State::Finished { time } => Some(self.go + time.since(seat.penalty)),
            State::Racing | State::Dnf => None,
        };
        self.out = seat.state == State::Dnf;
        self.hints = HintState {
            pending: seat.hint_pending,
            latest: seat.hint,
            taken: seat.hints,
            penalty: seat.penalty,
        };
    }

    /// Takes in how far the player is on a new connection, on which nothing has been sent.
    pub fn come_back(&mut self, seat: OwnSeat) {
        self.lane = Lane::default();
        self.resync(seat);
    }

    /// Returns the next move for the server, with its number, if it may leave by now.
    #[must_use = "a move that has left is not asked for again"]
    pub fn leave(&mut self, now: ClientInstant) -> Option<(Seq, Move)> {
        let play = &self.play;
        let seq = self.lane.leave(now, play.acknowledged(), play.last())?;
        let mut unanswered = play.unanswered();
        let (seq, play) = unanswered.find(|(unanswered, _)| *unanswered == seq)?;
        Some((seq, play.clone()))
    }

    /// Has a move leave again, and what was made after it, that the server was too busy for.
    pub fn hold(&mut self, seq: Seq, until: ClientInstant) {
        // Of what lies beyond, the server has no further word.
        if seq == self.play.acknowledged().next() {
            self.lane.go_back_to(self.play.acknowledged());
            self.lane.hold(until);
        }
    }

    /// Takes in that the server didn't play a move: those behind it go with it.
    pub fn take_back(&mut self, seq: Seq) {
        self.play.rejected(seq);
        self.lane.go_back_to(self.play.last());
        self.hand.follow(self.play.board());
    }

    /// Says whether the player may still move.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.out && !self.play.board().is_solved()
    }

    /// Returns the hint, as long as the board is the one that it is about.
    #[must_use]
    pub fn hint(&self) -> Option<&GivenHint> {
        self.hints.latest.as_ref().filter(|given| given.after == self.play.last())
    }

    /// Returns the move that the hint advises.
    #[must_use]
    pub fn hinted(&self) -> Option<Move> {
        let given = self.hint()?;
        given.hint.play(self.play.board())
    }
}
