//! Hints: one at a time a player, planned outside, charged when given.
//!
//! What is known of the board goes with the question, so that the solver needn't find it
//! out again: since it was drawn, and from the player's last hint.

use super::seat::{Advice, Seat};
use super::{Effect, Effects, HeatEvent, HintError, HintRequest, Race};
use crate::race::phase::Stage;
use gridrace_shared::heat::ids::{PlayerId, Seq};
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::GivenHint;
use gridrace_shared::puzzle::Board;
use gridrace_shared::solver::hint::{Hint, HintAnswer};
use gridrace_shared::solver::knowledge::SolutionKnowledge;
use gridrace_shared::solver::plan::Plan;

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
        let ready = match &mut seat.advice {
            Advice::Asked { .. } => return Err(Refusal::HintPending),
            Advice::Idle(None) => None,
            Advice::Idle(Some(guide)) => {
                let further = further(guide, seat.before.as_ref(), &seat.board);
                guide.next(&seat.board).map(|hint| (hint, further))
            }
        };
        if let Some((hint, further)) = ready {
            give(seat, by, hint, further, self.options.hints, out);
            run.note(self.now);
        } else {
            let known = match &seat.advice {
                Advice::Idle(Some(guide)) => guide.known(),
                Advice::Idle(None) | Advice::Asked { .. } => run.known.clone(),
            };
            ask(seat, by, self.number, 1, known, out);
        }
        Ok(())
    }

    /// Takes the solver's answer. One that nobody waits for any more is let go; for one who
    /// is away it costs nothing, and is there for when they ask again.
    pub(super) fn hinted(
        &mut self,
        by: PlayerId,
        number: u32,
        after: Seq,
        outcome: Result<HintAnswer, HintError>,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        let is_here = self.members.is_here(by);
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
        let HintAnswer { plan: mut guide, distance_change: said } =
            outcome.map_err(|fault| match fault {
                HintError::Busy => Refusal::HintBusy,
                HintError::Unsolved(why) => Refusal::HintUnsolved(why),
            })?;
        // Whoever has played on by the very way is judged by it.
        let further = if after == seat.seq {
            said
        } else {
            further(&guide, seat.before.as_ref(), &seat.board)
        };
        if let Some(hint) = guide.next(&seat.board) {
            seat.advice = Advice::Idle(Some(guide));
            if is_here {
                give(seat, by, hint, further, self.options.hints, out);
                run.note(self.now);
            }
            return Ok(());
        }
        // The player went another way meanwhile.
        if tries == TRIES || !is_here {
            return Err(Refusal::HintBusy);
        }
        ask(seat, by, number, tries + 1, guide.known(), out);
        Ok(())
    }
}

fn ask(
    seat: &mut Seat,
    player: PlayerId,
    number: u32,
    tries: u8,
    known: SolutionKnowledge,
    out: &mut Effects,
) {
    seat.advice = Advice::Asked { tries };
    out.push(question(seat, player, number, known));
}

pub(super) fn question(
    seat: &Seat,
    player: PlayerId,
    number: u32,
    known: SolutionKnowledge,
) -> Effect {
    Effect::FindHint(HintRequest {
        player,
        number,
        after: seat.seq,
        board: seat.board.clone(),
        before: seat.before.clone(),
        known,
    })
}

/// Says how many moves further from home the last move has led, by a guide on whose way it
/// lies; nothing for a move off the way.
fn further(guide: &Plan, before: Option<&Board>, board: &Board) -> Option<i32> {
    let was = i64::from(guide.remaining(before?)?);
    let is = i64::from(guide.remaining(board)?);
    i32::try_from(is - was).ok()
}

fn give(
    seat: &mut Seat,
    player: PlayerId,
    hint: Hint,
    distance_change: Option<i32>,
    rule: HintRule,
    out: &mut Effects,
) {
    seat.charge(rule);
    let (after, taken, penalty) = (seat.seq, seat.hints, seat.penalty);
    seat.given = Some(GivenHint { after, hint: hint.clone(), distance_change });
    out.send(player, ServerMessage::Hint { after, hint, distance_change, taken, penalty });
    out.report(HeatEvent::HintGiven { player });
}
