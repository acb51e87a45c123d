//! The schedule of a bot's moves: the pace of its skill, whatever the computation takes.

use super::{BotConfig, BotError};
use crate::net::clock::Clock;
use gridrace_shared::bot::{Bot, Decision};
use gridrace_shared::heat_view::{MAX_UNDER_WAY, OwnRace};
use gridrace_shared::puzzle::{Board, Move};
use std::time::Duration;
use tokio::time::Instant;

/// How many moves may be unanswered: a second of the fastest bot, so that a long round trip
/// doesn't slow it down.
const MAX_UNANSWERED: usize = MAX_UNDER_WAY as usize;
/// How late a move may be for the next ones to catch up: longer than one decision takes. What
/// takes longer is an outage, after which the schedule starts anew.
const MAX_CATCH_UP: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) struct Schedule {
    policy: Bot,
    /// None before a decision, and when the board is solved.
    next: Option<Next>,
    /// When the last move was due. None where the schedule starts.
    last: Option<Instant>,
}

#[derive(Debug)]
struct Next {
    play: Move,
    /// The board for which it was decided.
    board: Board,
    /// The time from the last move to this one.
    pause: Duration,
    at: Instant,
}

impl Schedule {
    pub(super) fn new(policy: Bot) -> Box<Self> {
        Box::new(Self { policy, next: None, last: None })
    }

    /// Decides on the next move, unless that is done, on a thread that may block: a deep search
    /// takes milliseconds.
    pub(super) async fn think(
        mut self: Box<Self>,
        board: &Board,
        config: &BotConfig,
    ) -> Result<Box<Self>, BotError> {
        if self.next.is_some() || board.is_solved() {
            return Ok(self);
        }
        let permit = config.resources.permit().await;
        let solvers = config.resources.solvers();
        let board = board.clone();
        let (mut schedule, board, decision) = tokio::task::spawn_blocking(move || {
            let decision = self.policy.decide(&board, &solvers);
            drop(permit);
            (self, board, decision)
        })
        .await
        .map_err(|_| BotError::Panicked)?;
        let Decision { after, play } = decision?;
        let pause = config.pace.shorten(after);
        let at = schedule.last.unwrap_or_else(Clock::instant) + pause;
        schedule.next = Some(Next { play, board, pause, at });
        Ok(schedule)
    }

    /// Returns when the next move is due. None if there is none, or too many are unanswered.
    pub(super) fn due(&self, race: &OwnRace) -> Option<Instant> {
        let has_room = race.play.unanswered().count() < MAX_UNANSWERED;
        self.next.as_ref().filter(|_| has_room).map(|next| next.at)
    }

    pub(super) fn take_due(&mut self, race: &OwnRace) -> Option<Move> {
        let now = Clock::instant();
        self.due(race).filter(|due| *due <= now)?;
        let next = self.next.take()?;
        self.last = Some(next.at.max(now - MAX_CATCH_UP));
        Some(next.play)
    }

    /// Starts anew after an outage or a rejection: nothing is caught up, and a decision for
    /// another board is dropped.
    pub(super) fn restart(&mut self, board: &Board) {
        self.last = None;
        self.next.take_if(|next| next.board != *board);
        if let Some(next) = &mut self.next {
            next.at = Clock::instant() + next.pause;
        }
    }
}

#[cfg(test)]
mod tests;
