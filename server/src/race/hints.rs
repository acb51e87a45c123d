//! Hints: one at a time a player, planned outside, charged when given.

use super::seat::{Advice, Seat};
use super::stage::Stage;
use super::{Effect, Effects, HintFault, Race};
use gridrace_shared::hint::{Guide, Hint};
use gridrace_shared::name::PlayerId;
use gridrace_shared::options::HintRule;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};

/// How often the solver plans for one hint: whoever plays on while it thinks gets a new
/// plan, but can't keep it busy for ever.
const TRIES: u8 = 3;

impl Race {
    /// Gives a hint at once where the last guide still leads on, or asks the solver.
    pub(super) fn ask_hint(&mut self, by: PlayerId, out: &mut Effects) -> Result<(), Refusal> {
        let Stage::Running(run) = &mut self.stage else {
            return Err(Refusal::WrongPhase);
        };
        let seat = run.seats.get_mut(&by).ok_or(Refusal::NotSeated)?;
        if !seat.is_racing() {
            return Err(Refusal::WrongPhase);
        }
        if self.options.hints == HintRule::Off {
            return Err(Refusal::NoHints);
        }
        let known = match &mut seat.advice {
            Advice::Asked { .. } => return Err(Refusal::HintPending),
            Advice::Idle(guide) => guide.as_mut().and_then(|guide| guide.next(&seat.board)),
        };
        if let Some(hint) = known {
            out.send(by, give(seat, hint, self.options.hints));
            run.note(self.now);
        } else {
            seat.advice = Advice::Asked { tries: 1 };
            out.push(Effect::Solve {
                player: by,
                number: self.number,
                board: seat.board.clone(),
            });
        }
        Ok(())
    }

    /// Takes the solver's answer. One that nobody waits for any more is let go.
    pub(super) fn hinted(
        &mut self,
        by: PlayerId,
        number: u32,
        outcome: Result<Guide, HintFault>,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        let Stage::Running(run) = &mut self.stage else {
            return Ok(());
        };
        let Some(seat) = run.seats.get_mut(&by) else {
            return Ok(());
        };
        let Advice::Asked { tries } = seat.advice else {
            return Ok(());
        };
        if number != self.number || !seat.is_racing() {
            return Ok(());
        }
        seat.advice = Advice::Idle(None);
        let mut guide = outcome.map_err(|fault| match fault {
            HintFault::Busy => Refusal::HintBusy,
            HintFault::Unsolved(why) => Refusal::HintUnsolved(why),
        })?;
        if let Some(hint) = guide.next(&seat.board) {
            seat.advice = Advice::Idle(Some(guide));
            out.send(by, give(seat, hint, self.options.hints));
            run.note(self.now);
            return Ok(());
        }
        // The player went another way meanwhile.
        if tries == TRIES {
            return Err(Refusal::HintBusy);
        }
        seat.advice = Advice::Asked { tries: tries + 1 };
        out.push(Effect::Solve {
            player: by,
            number,
            board: seat.board.clone(),
        });
        Ok(())
    }
}

fn give(seat: &mut Seat, hint: Hint, rule: HintRule) -> ServerMessage {
    seat.charge(rule);
    ServerMessage::Hint {
        after: seat.seq,
        hint,
        taken: seat.hints,
        penalty: seat.penalty,
    }
}
