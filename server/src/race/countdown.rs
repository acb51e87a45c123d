//! From the lobby to the countdown; the board is generated in between, outside the race.
//!
//! No event that could change the board is allowed meanwhile, so the board of the latest request is
//! always that of the committed seed. A board that comes after the start was cancelled carries an
//! older ticket, and is ignored.

use super::{Audience, BoardError, BoardRequest, Effect, Effects, Race};
use crate::race::phase::RacePhase;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::{Member, Phase};
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::time::Millis;

impl Race {
    pub(super) fn start(&mut self, by: PlayerId, out: &mut Effects) -> Result<(), Refusal> {
        self.require_host(by)?;
        self.require_hold_of(by)?;
        self.require_lobby()?;
        if self.members.players() == 0 {
            return Err(Refusal::NoPlayers);
        }
        self.request_board(out);
        Ok(())
    }

    /// Requests the board; the countdown starts when it comes.
    pub(super) fn request_board(&mut self, out: &mut Effects) {
        self.board_requests = self.board_requests.wrapping_add(1);
        self.phase = RacePhase::Drawing;
        self.outage = Millis(0);
        self.ask_for_board(out);
        out.broadcast(Audience::All, ServerMessage::Phase(Phase::Drawing));
    }

    /// Asks for the board that is awaited, and prepares the solver for it.
    pub(super) fn ask_for_board(&self, out: &mut Effects) {
        self.prepare_solver(out);
        out.push(Effect::GenerateBoard(BoardRequest {
            ticket: self.board_requests,
            spec: self.options.spec,
            seed: self.secret.secret.seed.clone(),
        }));
    }

    /// Prepares the solver if players may ask for hints, or bots play. A rating alone may wait for
    /// its tables.
    pub(super) fn prepare_solver(&self, out: &mut Effects) {
        let is_house_bot = |member: &Member| matches!(member.kind, PlayerKind::HouseBot(_));
        if self.options.hints != HintRule::Off || self.members.iter().any(is_house_bot) {
            out.push(Effect::PrepareSolver { spec: self.options.spec });
        }
    }

    /// Takes the board. One for an older request is ignored.
    pub(super) fn drawn(
        &mut self,
        ticket: u32,
        outcome: Result<GeneratedBoard, BoardError>,
        out: &mut Effects,
    ) {
        if !self.awaits_board(ticket) {
            return;
        }
        match outcome {
            Ok(drawn) => self.start_countdown(drawn, out),
            Err(BoardError::Busy | BoardError::Broken) => {
                self.cancel_start(out);
                let why = ServerMessage::Refused(Refusal::NotDrawn);
                out.broadcast(Audience::All, why);
            }
        }
    }

    fn start_countdown(&mut self, drawn: GeneratedBoard, out: &mut Effects) {
        let go = self.now + Millis::from_seconds(self.options.countdown_seconds.into());
        self.phase = RacePhase::Countdown { go, drawn: Box::new(drawn) };
        out.broadcast(Audience::All, ServerMessage::Phase(Phase::Countdown { go }));
    }
}
