//! From the lobby to the countdown: the board is drawn in between, outside the race.
//!
//! Nothing that could change the board is allowed meanwhile, so the drawing that is waited
//! for is always that of the seed committed to. One that comes after the start was called
//! off is let go: it carries the ticket of a drawing that nobody waits for.

use super::{Audience, BoardError, BoardRequest, Effect, Effects, Race};
use crate::race::phase::Stage;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::time::Millis;

impl Race {
    /// Starts the heat on the host's word.
    pub(super) fn start(&mut self, by: PlayerId, out: &mut Effects) -> Result<(), Refusal> {
        self.require_host(by)?;
        self.require_lobby()?;
        if self.members.players() == 0 {
            return Err(Refusal::NoPlayers);
        }
        self.commission(out);
        Ok(())
    }

    /// Has the board drawn; the countdown starts once it is there.
    pub(super) fn commission(&mut self, out: &mut Effects) {
        self.drawings = self.drawings.wrapping_add(1);
        self.stage = Stage::Drawing;
        self.outage = Millis(0);
        let spec = self.options.spec;
        out.push(Effect::PrepareSolver { spec });
        out.push(Effect::GenerateBoard(BoardRequest {
            ticket: self.drawings,
            spec,
            seed: self.secret.secret.seed.clone(),
        }));
        out.broadcast(Audience::Everybody, ServerMessage::Phase(Phase::Drawing));
    }

    /// Takes the board that was drawn. One that nobody waits for any more is let go.
    pub(super) fn drawn(
        &mut self,
        ticket: u32,
        outcome: Result<GeneratedBoard, BoardError>,
        out: &mut Effects,
    ) {
        if !self.awaits(ticket) {
            return;
        }
        match outcome {
            Ok(drawn) => self.count_down(drawn, out),
            Err(BoardError::Busy | BoardError::Broken) => {
                self.call_off(out);
                let why = ServerMessage::Refused(Refusal::NotDrawn);
                out.broadcast(Audience::Everybody, why);
            }
        }
    }

    /// Breaks the start off: nobody is left to race, or there is no board. Latecomers get
    /// their seats now.
    pub(super) fn call_off(&mut self, out: &mut Effects) {
        self.stage = Stage::Lobby;
        self.members.unready();
        self.members.seat_waiting();
        out.broadcast(Audience::Everybody, ServerMessage::Phase(Phase::Lobby));
        self.tell_roster(out);
    }

    fn count_down(&mut self, drawn: GeneratedBoard, out: &mut Effects) {
        let go = self.now + Millis::from_seconds(self.options.countdown_seconds.into());
        self.stage = Stage::Countdown { go, drawn: Box::new(drawn) };
        out.broadcast(Audience::Everybody, ServerMessage::Phase(Phase::Countdown { go }));
    }
}
