//! A player's own race: the board ahead of the server, and the moves on their way to it.

use super::{Optimistic, SendWindow, SpectatedBoards};
use crate::heat::ids::Seq;
use crate::heat::standings::{RaceState, Standing};
use crate::protocol::client::ClientMessage;
use crate::protocol::server::Rejection;
use crate::protocol::snapshot::{GivenHint, OwnSeat, PlayerBoard};
use crate::puzzle::{Board, Move, MoveCount};
use crate::util::time::{ClientInstant, HeatInstant, Millis};
use std::time::Duration;

/// How long a client waits before it sends moves again that the server was too busy for.
const BUSY_PAUSE: Duration = Duration::from_millis(500);

#[derive(Debug, Clone)]
pub struct OwnRace {
    /// The instant of GO, on the heat's clock.
    pub go: HeatInstant,
    /// The instant at which those who still race are out, on the heat's clock.
    pub ends: HeatInstant,
    pub start: Board,
    /// The board, ahead of the server.
    pub play: Optimistic,
    /// When the server played the move that solved the board, on the heat's clock.
    pub solved_at: Option<HeatInstant>,
    /// Whether the player gave up, or is out.
    pub out: bool,
    pub hints: HintState,
    /// The others' boards, once this race has ended and the options let its player watch them.
    pub watched: Option<SpectatedBoards>,
    /// Which of the unanswered moves have left for the server.
    window: SendWindow,
}

/// Hints taken and requested.
#[derive(Debug, Clone, Default)]
pub struct HintState {
    pub pending: bool,
    pub latest: Option<GivenHint>,
    pub taken: u16,
    /// What they add to the finish time.
    pub penalty: Millis,
}

impl OwnRace {
    pub fn new(go: HeatInstant, ends: HeatInstant, start: Board) -> Self {
        Self {
            go,
            ends,
            play: Optimistic::new(start.clone()),
            start,
            solved_at: None,
            out: false,
            hints: HintState::default(),
            watched: None,
            window: SendWindow::default(),
        }
    }

    /// Takes over what the server says of the seat. Unanswered moves that follow on from there
    /// stay, and are sent again.
    pub fn resync(&mut self, seat: &OwnSeat) {
        self.play.resync(seat);
        self.window.rewind(seat.seq);
        self.solved_at = match seat.state {
            RaceState::Finished { time } => Some(self.go + time.since(seat.penalty)),
            RaceState::Racing | RaceState::Dnf => None,
        };
        self.out = seat.state == RaceState::Dnf;
        self.hints = HintState {
            pending: seat.hint_pending,
            latest: seat.hint.clone(),
            taken: seat.hints,
            penalty: seat.penalty,
        };
    }

    /// Like [`OwnRace::resync`], on a new connection, on which nothing has been sent.
    pub fn resume(&mut self, seat: &OwnSeat) {
        self.window = SendWindow::default();
        self.resync(seat);
    }

    /// Returns the message for the next unanswered move that may leave by now, if there is one.
    #[must_use = "a move counts as sent once it is returned"]
    pub fn next_to_send(&mut self, now: ClientInstant) -> Option<ClientMessage> {
        let seq = self.window.send(now, self.play.acknowledged(), self.play.last())?;
        let mut unanswered = self.play.unanswered();
        let (seq, play) = unanswered.find(|(unanswered, _)| *unanswered == seq)?;
        Some(ClientMessage::Move { seq, play: play.clone() })
    }

    /// Returns when the next unanswered move may leave. None if all have left, or too many are
    /// under way.
    pub fn send_due(&self) -> Option<ClientInstant> {
        self.window.due(self.play.acknowledged(), self.play.last())
    }

    /// Applies that the server played all moves up to `seq`, the last of them at `at`.
    pub fn accepted(&mut self, seq: Seq, at: HeatInstant, moves: MoveCount) {
        self.play.accepted(seq, moves);
        if self.play.is_settled() && self.play.board().is_solved() {
            self.solved_at.get_or_insert(at);
        }
    }

    /// Applies that the server didn't play a move. If the server is too busy, the unanswered
    /// moves are sent again after a pause; otherwise this one and those behind it are taken back.
    pub fn rejected(&mut self, now: ClientInstant, seq: Seq, why: Rejection) {
        if why == Rejection::Busy {
            // Answers to the moves before it may still be on their way: the server plays no
            // number twice.
            if self.play.unanswered().any(|(unanswered, _)| unanswered == seq) {
                self.window.rewind(self.play.acknowledged());
                self.window.hold(now + BUSY_PAUSE);
            }
            return;
        }
        self.play.rejected(seq);
        self.window.rewind(self.play.last());
    }

    /// Applies a hint, with the number of hints taken so far and their penalty.
    pub fn hinted(&mut self, given: GivenHint, taken: u16, penalty: Millis) {
        self.hints = HintState { pending: false, latest: Some(given), taken, penalty };
    }

    /// Takes over the boards of all players, which the server sends once this race has ended.
    pub fn watch(&mut self, known: &[PlayerBoard]) {
        if known.is_empty() {
            return;
        }
        let (go, ends) = (self.go, self.ends);
        let boards =
            SpectatedBoards::new(go, ends, self.start.clone(), std::iter::empty(), known.to_vec());
        self.watched = Some(boards);
    }

    /// Applies that the server refused a request, which may be one for a hint.
    pub fn hint_refused(&mut self) {
        self.hints.pending = false;
    }

    /// Takes over from the player's own row what only the server knows.
    pub fn follow_standing(&mut self, standing: &Standing) {
        self.out = self.out || standing.state == RaceState::Dnf;
        self.hints.taken = self.hints.taken.max(standing.hints);
        self.hints.penalty = self.hints.penalty.max(standing.penalty);
    }

    pub fn is_on(&self) -> bool {
        !self.out && !self.play.board().is_solved()
    }

    /// Returns the latest hint if it is about the board as it is now.
    pub fn hint(&self) -> Option<&GivenHint> {
        self.hints.latest.as_ref().filter(|given| given.after == self.play.last())
    }

    pub fn hinted_move(&self) -> Option<Move> {
        self.hint()?.hint.play(self.play.board())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_rejection_that_overtakes_acceptances_resends_after_the_pause() {
        let spec: crate::puzzle::PuzzleSpec = "slide:4x4".parse().unwrap();
        let start = spec.board(&"friday".parse().unwrap());
        let mut race = OwnRace::new(HeatInstant(0), HeatInstant(9), start);
        for _ in 0..3 {
            let play = race.play.board().legal_moves().swap_remove(0);
            assert!(race.play.play(play).is_some());
        }
        let now = ClientInstant(0);
        let sent = |race: &mut OwnRace, now| -> Vec<u32> {
            let all = std::iter::from_fn(|| race.next_to_send(now));
            all.map(|message| {
                let ClientMessage::Move { seq, .. } = message else { panic!("{message:?}") };
                seq.0
            })
            .collect()
        };
        assert_eq!(sent(&mut race, now), [1, 2, 3]);
        race.rejected(now, Seq(3), Rejection::Busy);
        race.accepted(Seq(2), HeatInstant(1), MoveCount::default());
        assert_eq!(sent(&mut race, now), [0; 0]);
        assert_eq!(sent(&mut race, now + BUSY_PAUSE), [3]);
    }
}
