//! Moves, and giving up.

use super::seat::{MoveOutcome, MoveStamp};
use super::{Effect, Effects, HeatEvent, MoveVerdict, Race};
use crate::race::phase::RacePhase;
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::standings::RaceState;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::{Moved, Refusal, Rejection, ServerMessage};
use gridrace_shared::puzzle::Move;
use gridrace_shared::replay::ExitReason;

impl Race {
    /// Answers a move: whether it was played, and if not, why. A gap that was reported already
    /// gets no answer.
    pub(super) fn play(&mut self, by: PlayerId, seq: Seq, play: Move, out: &mut Effects) {
        match self.try_play(by, seq, play, out) {
            Ok(Some((answer, verdict))) => {
                out.push(Effect::MoveAnswered { player: by, verdict });
                out.send(by, answer);
                let is_over = self.seat(by).is_some_and(|seat| !seat.is_racing());
                if is_over && verdict == MoveVerdict::Accepted {
                    self.show_boards_after(by, out);
                }
            }
            Ok(None) => {}
            Err(why) => reject(by, seq, why, out),
        }
    }

    /// Rejects a move that is not even tried: the server is overloaded. Changes nothing, and so
    /// is no event.
    pub fn shed_move(by: PlayerId, seq: Seq) -> Effects {
        let mut out = Effects::default();
        reject(by, seq, Rejection::Busy, &mut out);
        out
    }

    pub(super) fn give_up(&mut self, by: PlayerId, out: &mut Effects) -> Result<(), Refusal> {
        let RacePhase::Running(run) = &mut self.phase else {
            return Err(Refusal::WrongPhase);
        };
        let seat = run.seats.get_mut(&by).ok_or(Refusal::NotSeated)?;
        if !seat.is_racing() {
            return Err(Refusal::WrongPhase);
        }
        seat.set_dnf();
        run.activity.note_done(by, self.now);
        run.row_changed(by, self.now, &self.members);
        out.report(HeatEvent::Out { player: by, exit: ExitReason::GaveUp });
        self.show_boards_after(by, out);
        Ok(())
    }

    fn try_play(
        &mut self,
        by: PlayerId,
        seq: Seq,
        play: Move,
        out: &mut Effects,
    ) -> Result<Option<(ServerMessage, MoveVerdict)>, Rejection> {
        let role = self.members.role(by);
        let run = match &mut self.phase {
            RacePhase::Over(over) => {
                let played = over.acks.get(&by).filter(|played| played.covers(seq));
                let played = played.ok_or(Rejection::Late)?;
                return Ok(Some((played.message(), MoveVerdict::Repeated)));
            }
            _ if role != Some(Role::Player) => return Err(Rejection::NotSeated),
            RacePhase::Lobby | RacePhase::Drawing | RacePhase::Countdown { .. } => {
                return Err(Rejection::Early);
            }
            RacePhase::Running(run) => run,
        };
        let seat = run.seats.get_mut(&by).ok_or(Rejection::NotSeated)?;
        let stamp = MoveStamp { at: self.now, clock: self.now.since(run.go), order: self.order };
        match seat.play(seq, &play, (&run.start, self.options.hints), stamp)? {
            MoveOutcome::Played => {}
            MoveOutcome::Repeated => {
                return Ok(Some((seat.ack().message(), MoveVerdict::Repeated)));
            }
            MoveOutcome::Gap => {
                let resync = ServerMessage::Resync(Box::new(seat.own()));
                return Ok(Some((resync, MoveVerdict::OutOfOrder)));
            }
            MoveOutcome::GapRepeated => return Ok(None),
        }
        let (answer, state) = (seat.ack().message(), seat.state);
        out.report(HeatEvent::Played { player: by, play: play.clone() });
        run.feed.keep(Moved { player: by, at: self.now, play });
        run.row_changed(by, self.now, &self.members);
        if let RaceState::Finished { time } = state {
            run.activity.note_done(by, self.now);
            out.report(HeatEvent::Finished { player: by, time });
        } else {
            self.note_action(by, out);
        }
        Ok(Some((answer, MoveVerdict::Accepted)))
    }
}

fn reject(by: PlayerId, seq: Seq, why: Rejection, out: &mut Effects) {
    out.push(Effect::MoveAnswered { player: by, verdict: MoveVerdict::Rejected(why) });
    out.send(by, ServerMessage::Rejected { seq, why });
}
