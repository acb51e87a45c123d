//! What players do while a heat runs.

use super::seat::Stamp;
use super::stage::{News, Stage};
use super::{Effects, Race};
use gridrace_shared::name::{PlayerId, Seq};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::{Moved, Refusal, Rejection, ServerMessage};
use gridrace_shared::puzzle::{Move, MoveCount};

impl Race {
    /// Answers a move: whether it was played, and if not, why.
    pub(super) fn play(&mut self, by: PlayerId, seq: Seq, play: Move, out: &mut Effects) {
        let answer = match self.try_play(by, seq, play) {
            Ok(moves) => ServerMessage::Accepted {
                seq,
                at: self.now,
                moves,
            },
            Err(why) => ServerMessage::Rejected { seq, why },
        };
        out.send(by, answer);
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

    fn try_play(&mut self, by: PlayerId, seq: Seq, play: Move) -> Result<MoveCount, Rejection> {
        if self.members.role(by) != Some(Role::Player) {
            return Err(Rejection::NotSeated);
        }
        let run = match &mut self.stage {
            Stage::Lobby | Stage::Drawing | Stage::Countdown { .. } => {
                return Err(Rejection::Early);
            }
            Stage::Running(run) => run,
            Stage::Over(_) => return Err(Rejection::Late),
        };
        let seat = run.seats.get_mut(&by).ok_or(Rejection::NotSeated)?;
        let stamp = Stamp {
            clock: self.now.since(run.go),
            order: self.order,
        };
        seat.play(seq, &play, &run.start, stamp)?;
        let (moves, finished) = (seat.moves, !seat.is_racing());
        run.delayed.keep(Moved {
            player: by,
            at: self.now,
            play,
        });
        if finished {
            run.news = News::Finish;
        } else {
            run.note(self.now);
        }
        Ok(moves)
    }
}
