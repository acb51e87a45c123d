//! A bot's own race: the board ahead of the server's answers, and the next move's time.

use super::{BotError, Brain};
use crate::net::clock;
use gridrace_shared::bot::{Bot, Decision};
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat_view::{MAX_UNDER_WAY, SendWindow};
use gridrace_shared::protocol::snapshot::OwnSeat;
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::util::time::ClientInstant;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// How many moves may wait for the server's answer: a second of the fastest bot, so that
/// a long way to the server doesn't slow it down.
const UNANSWERED: usize = MAX_UNDER_WAY as usize;
/// How late a move may be for the next ones to make up for it: more than a look takes. What
/// takes longer is an outage, and nobody plays in one.
const MADE_UP_FOR: Duration = Duration::from_millis(500);

/// The bot's own race.
#[derive(Debug)]
pub(super) struct Racing {
    /// As it will be when all moves that were made are played.
    board: Board,
    mind: Bot,
    /// Made, and not answered yet, in order.
    flying: VecDeque<(Seq, Move)>,
    answered: Seq,
    /// Which of those have left for the server.
    lane: SendWindow,
    /// What the lane's time counts from.
    began: Instant,
    /// None when the board is solved.
    next: Option<Next>,
    /// When the last move was due; nothing where the schedule begins.
    last: Option<Instant>,
}

/// The move that was decided on.
#[derive(Debug)]
struct Next {
    play: Move,
    /// After the last one.
    pause: Duration,
    at: Instant,
}

impl Racing {
    pub(super) fn new(start: Board, mind: Bot) -> Box<Self> {
        Box::new(Self {
            board: start,
            mind,
            flying: VecDeque::new(),
            answered: Seq(0),
            lane: SendWindow::default(),
            began: clock::instant(),
            next: None,
            last: None,
        })
    }

    /// Decides on the next move, if that is still to be done, where it holds up no socket: a
    /// deep look takes milliseconds. It is due so long after the last one, however long the
    /// thinking takes.
    pub(super) async fn think(mut self: Box<Self>, brain: &Brain) -> Result<Box<Self>, BotError> {
        if self.next.is_some() || self.board.is_solved() {
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
        let at = racing.last.unwrap_or_else(clock::instant) + pause;
        racing.next = Some(Next { play, pause, at });
        Ok(racing)
    }

    /// Waits until a move is due, or one that was made may leave; for ever where there is
    /// none, or too many wait for their answer.
    pub(super) async fn due(&self) {
        let lane = self.lane.due(self.answered, self.last_made());
        let leaves = lane.map(|at| self.began + Duration::from_micros(at.0));
        let made = self.next.as_ref().filter(|_| self.has_room());
        match leaves.into_iter().chain(made.map(|next| next.at)).min() {
            Some(at) => tokio::time::sleep_until(at).await,
            None => std::future::pending().await,
        }
    }

    /// Plays the next move on the bot's own board, if it is due.
    pub(super) fn play(&mut self) {
        let now = clock::instant();
        let room = self.has_room();
        let Some(next) = self.next.take_if(|next| room && next.at <= now) else {
            return;
        };
        self.last = Some(next.at.max(now - MADE_UP_FOR));
        let seq = self.last_made().next();
        // By the same rules as the server's, which rejects one that isn't legal.
        self.board.play(&next.play).ok();
        self.flying.push_back((seq, next.play));
    }

    /// Returns the next move for the server, if it may leave by now.
    pub(super) fn leave(&mut self) -> Option<(Seq, Move)> {
        let (now, last) = (self.now(), self.last_made());
        let seq = self.lane.send(now, self.answered, last)?;
        let mut flying = self.flying.iter();
        flying.find(|(flying, _)| *flying == seq).cloned()
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
        let follows = self.flying.front().is_none_or(|(seq, _)| *seq == seat.seq.next());
        if !follows || !self.flying.iter().all(|(_, play)| board.play(play).is_ok()) {
            self.flying.clear();
            board = seat.board.clone();
        }
        if board != self.board {
            self.board = board;
            self.next = None;
        }
        self.lane.rewind(seat.seq);
        // Nobody played meanwhile, and nothing is to be made up for.
        self.last = None;
        if let Some(next) = &mut self.next {
            next.at = clock::instant() + next.pause;
        }
    }

    /// Takes in how far the bot is on a new connection, on which nothing has been sent.
    pub(super) fn come_back(&mut self, seat: &OwnSeat) {
        self.lane = SendWindow::default();
        self.resync(seat);
    }

    /// Has a move leave again, and what was made after it, that the server was too busy for.
    pub(super) fn hold(&mut self, seq: Seq, pause: Duration) {
        // The answers to those before it may still be on their way.
        if self.flying.iter().any(|(flying, _)| *flying == seq) {
            let until = self.now().0 + micros(pause);
            self.lane.rewind(self.answered);
            self.lane.hold(ClientInstant(until));
        }
    }

    fn last_made(&self) -> Seq {
        self.flying.back().map_or(self.answered, |(seq, _)| *seq)
    }

    fn has_room(&self) -> bool {
        self.flying.len() < UNANSWERED
    }

    fn now(&self) -> ClientInstant {
        ClientInstant(micros(clock::instant() - self.began))
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
