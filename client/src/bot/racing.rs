//! A bot's own race: the board ahead of the server's answers, and the next move's time.

use super::{BotError, Brain};
use gridrace_shared::bot::{Bot, Decision};
use gridrace_shared::name::Seq;
use gridrace_shared::protocol::heat::OwnSeat;
use gridrace_shared::puzzle::{Board, Move};
use std::collections::VecDeque;
use std::pin::Pin;
use tokio::time::{Instant, Sleep};

/// How many moves may wait for the server's answer: a second of the fastest bot, so that
/// a long way to the server doesn't slow it down.
const UNANSWERED: usize = 32;

/// The bot's own race.
#[derive(Debug)]
pub(super) struct Racing {
    /// As it will be when all moves that were sent are played.
    board: Board,
    mind: Bot,
    /// Sent, and not answered yet, in order.
    flying: VecDeque<(Seq, Move)>,
    answered: Seq,
    /// The next move and when it is due; none when the board is solved.
    next: Option<(Pin<Box<Sleep>>, Move)>,
    /// When the last move was due.
    last: Option<Instant>,
}

impl Racing {
    pub(super) fn new(start: Board, mind: Bot) -> Box<Self> {
        Box::new(Self {
            board: start,
            mind,
            flying: VecDeque::new(),
            answered: Seq(0),
            next: None,
            last: None,
        })
    }

    /// Decides on the next move, where it holds up no socket: a deep look takes milliseconds.
    /// It is due so long after the last one, however long the thinking takes.
    pub(super) async fn think(mut self: Box<Self>, brain: &Brain) -> Result<Box<Self>, BotError> {
        if self.board.is_solved() {
            return Ok(self);
        }
        let place = brain.aids.place().await;
        let solvers = brain.aids.solvers();
        let (mut racing, decision) = tokio::task::spawn_blocking(move || {
            let decision = self.mind.decide(&self.board, &solvers);
            drop(place);
            (self, decision)
        })
        .await
        .map_err(|_| BotError::Thoughtless)?;
        let Decision { after, play } = decision?;
        let pause = brain.pace.shorten(after);
        let at = match racing.last {
            None => tokio::time::sleep(pause),
            Some(last) => tokio::time::sleep_until(last + pause),
        };
        racing.next = Some((Box::pin(at), play));
        Ok(racing)
    }

    /// Waits for the next move to be due; for ever where there is none, or too many of the
    /// last ones wait for their answer.
    pub(super) async fn due(&mut self) {
        match &mut self.next {
            Some((at, _)) if self.flying.len() < UNANSWERED => at.as_mut().await,
            Some(_) | None => std::future::pending().await,
        }
    }

    /// Plays the next move on the bot's own board, and returns it for the server.
    pub(super) fn play(&mut self) -> Option<(Seq, Move)> {
        let (at, play) = self.next.take()?;
        self.last = Some(at.deadline());
        let seq = self.last_sent().next();
        // By the same rules as the server's, which rejects one that isn't legal.
        self.board.play(&play).ok();
        self.flying.push_back((seq, play.clone()));
        Some((seq, play))
    }

    /// Takes note that the server played all moves up to this one.
    pub(super) fn acknowledge(&mut self, seq: Seq) {
        self.answered = self.answered.max(seq);
        self.flying.retain(|(flying, _)| *flying > seq);
    }

    /// Takes in how far the server says that the bot is. What was sent stays where it follows
    /// on from there; where the board becomes another, the next move is thought of anew.
    pub(super) fn resync(&mut self, seat: &OwnSeat) {
        self.answered = seat.seq;
        self.flying.retain(|(flying, _)| *flying > seat.seq);
        let mut board = seat.board.clone();
        let follows = self
            .flying
            .front()
            .is_none_or(|(seq, _)| *seq == seat.seq.next());
        if !follows || !self.flying.iter().all(|(_, play)| board.play(play).is_ok()) {
            self.flying.clear();
            board = seat.board.clone();
        }
        if board != self.board {
            self.board = board;
            self.next = None;
        }
    }

    /// Returns what was sent and not answered, in order.
    pub(super) fn unanswered(&self) -> Vec<(Seq, Move)> {
        self.flying.iter().cloned().collect()
    }

    /// Decides on the next move, if that is still to be done.
    pub(super) async fn think_on(self: Box<Self>, brain: &Brain) -> Result<Box<Self>, BotError> {
        match self.next {
            Some(_) => Ok(self),
            None => self.think(brain).await,
        }
    }

    fn last_sent(&self) -> Seq {
        self.flying.back().map_or(self.answered, |(seq, _)| *seq)
    }
}
