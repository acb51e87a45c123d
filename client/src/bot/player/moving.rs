//! The bot's own moves, on their way to the server.

use super::{BotPlayer, Stage};
use crate::bot::BotError;
use crate::bot::racing::Racing;
use crate::net::Network;
use gridrace_shared::heat::ids::Seq;
use gridrace_shared::heat::standings::State;
use gridrace_shared::protocol::client::ClientMessage;
use gridrace_shared::protocol::server::Rejection;
use gridrace_shared::protocol::snapshot::OwnSeat;
use std::time::Duration;

/// How long a bot waits before it sends a move again that the server was too busy for.
const BUSY_PAUSE: Duration = Duration::from_millis(250);

impl<N: Network> BotPlayer<N> {
    /// Takes note that a move wasn't played.
    pub(super) async fn take_rejection(
        &mut self,
        seq: Seq,
        why: Rejection,
    ) -> Result<(), BotError> {
        match why {
            // The time limit, or the end of the heat, overtook the move.
            Rejection::Late | Rejection::Early | Rejection::NotSeated => {
                self.stage = Stage::Waiting;
                Ok(())
            }
            Rejection::Busy => {
                self.insist(seq);
                Ok(())
            }
            Rejection::Illegal(_) => Err(BotError::Rejected(why)),
        }
    }

    /// Says that the bot is ready, or thinks about the race that it has come back to.
    pub(super) async fn begin(&mut self) -> Result<(), BotError> {
        self.be_ready().await?;
        self.think().await
    }

    /// Sends the moves that may leave by now. Where that fails, they are sent again on the
    /// next connection.
    pub(super) async fn send_moves(&mut self) -> Result<(), BotError> {
        let Stage::Racing(racing) = &mut self.stage else {
            return Ok(());
        };
        while let Some((seq, play)) = racing.leave() {
            let message = ClientMessage::Move { seq, play };
            self.connection.send(&message).await?;
        }
        Ok(())
    }

    /// Decides on the next move, if that is still to be done.
    pub(super) async fn think(&mut self) -> Result<(), BotError> {
        self.stage = match std::mem::replace(&mut self.stage, Stage::Waiting) {
            Stage::Racing(racing) => Stage::Racing(racing.think(&self.brain).await?),
            stage @ (Stage::Lobby { .. } | Stage::Countdown | Stage::Waiting | Stage::Over(_)) => {
                stage
            }
        };
        Ok(())
    }

    pub(super) fn acknowledge(&mut self, seq: Seq) {
        if let Stage::Racing(racing) = &mut self.stage {
            racing.acknowledge(seq);
        }
    }

    /// Takes in how far the bot is; what the server hasn't played is sent again.
    pub(super) async fn resync(&mut self, seat: &OwnSeat) -> Result<(), BotError> {
        self.follow(seat, Racing::resync).await
    }

    /// Does the same in a way of one's own.
    pub(super) async fn follow(
        &mut self,
        seat: &OwnSeat,
        follow: fn(&mut Racing, &OwnSeat),
    ) -> Result<(), BotError> {
        match &mut self.stage {
            Stage::Racing(_) if seat.state == State::Dnf => self.stage = Stage::Waiting,
            Stage::Racing(racing) => follow(racing, seat),
            Stage::Lobby { .. } | Stage::Countdown | Stage::Waiting | Stage::Over(_) => {}
        }
        self.think().await
    }

    /// Has a move sent again, after a pause, that a server with too much to do has refused.
    pub(super) fn insist(&mut self, seq: Seq) {
        if let Stage::Racing(racing) = &mut self.stage {
            racing.hold(seq, BUSY_PAUSE);
        }
    }
}
