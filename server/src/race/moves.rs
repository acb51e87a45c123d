//! What players do while a heat runs.

use super::seat::{Played, Seat, Stamp};
use super::{Effects, Race};
use crate::race::phase::{News, Stage};
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::{Moved, Refusal, Rejection, ServerMessage};
use gridrace_shared::puzzle::Move;

impl Race {
    /// Answers a move: whether it was played, and if not, why.
    pub(super) fn play(&mut self, by: PlayerId, seq: Seq, play: Move, out: &mut Effects) {
        let answer = match self.try_play(by, seq, play) {
            Ok(answer) => answer,
            Err(why) => Some(ServerMessage::Rejected { seq, why }),
        };
        if let Some(answer) = answer {
            out.send(by, answer);
        }
    }

    pub(super) fn give_up(&mut self, by: PlayerId) -> Result<(), Refusal> {
        let now = self.now;
        let Stage::Running(run) = &mut self.stage else {
            return Err(Refusal::WrongPhase);
        };
        let seat = run.seats.get_mut(&by).ok_or(Refusal::NotSeated)?;
        if !seat.is_racing() {
            return Err(Refusal::WrongPhase);
        }
        seat.drop_out();
        run.note(now);
        Ok(())
    }

    /// Says whether a move was played before, and is only acknowledged again.
    #[must_use]
    pub fn has_played(&self, by: PlayerId, seq: Seq) -> bool {
        let played = match &self.stage {
            Stage::Lobby | Stage::Drawing | Stage::Countdown { .. } => None,
            Stage::Running(run) => run.seats.get(&by).map(Seat::acknowledged),
            Stage::Over(over) => over.acknowledged.get(&by).copied(),
        };
        played.is_some_and(|played| played.covers(seq))
    }

    fn try_play(
        &mut self,
        by: PlayerId,
        seq: Seq,
        play: Move,
    ) -> Result<Option<ServerMessage>, Rejection> {
        let role = self.members.role(by);
        let run = match &mut self.stage {
            Stage::Over(over) => {
                let played = over.acknowledged.get(&by);
                let before = played.filter(|played| played.covers(seq));
                return before.map(|played| Some(played.message())).ok_or(Rejection::Late);
            }
            _ if role != Some(Role::Player) => return Err(Rejection::NotSeated),
            Stage::Lobby | Stage::Drawing | Stage::Countdown { .. } => {
                return Err(Rejection::Early);
            }
            Stage::Running(run) => run,
        };
        let seat = run.seats.get_mut(&by).ok_or(Rejection::NotSeated)?;
        let stamp = Stamp { at: self.now, clock: self.now.since(run.go), order: self.order };
        match seat.play(seq, &play, &run.start, stamp)? {
            Played::Now => {}
            Played::Before => return Ok(Some(seat.acknowledged().message())),
            Played::Beyond => return Ok(Some(ServerMessage::Resync(Box::new(seat.own())))),
            Played::BeyondAgain => return Ok(None),
        }
        let (answer, finished) = (seat.acknowledged().message(), !seat.is_racing());
        run.delayed.keep(Moved { player: by, at: self.now, play });
        if finished {
            run.news = News::Finish;
        } else {
            run.note(self.now);
        }
        Ok(Some(answer))
    }
}
