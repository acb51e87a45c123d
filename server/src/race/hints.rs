//! Hints: one at a time a player, found outside, charged when given.
//!
//! What is known of the board since it was generated goes with the request, so that the solver
//! needn't find it out again.

use super::seat::Seat;
use super::{Effect, Effects, HeatEvent, HintError, HintRequest, Race};
use crate::race::phase::RacePhase;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::options::HintRule;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::GivenHint;
use gridrace_shared::puzzle::HintStyle;
use gridrace_shared::solver::knowledge::SolutionKnowledge;

impl Race {
    /// Asks for a hint of the style that the player wants, if the options leave it to the player.
    pub(super) fn ask_hint(
        &mut self,
        by: PlayerId,
        style: HintStyle,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        let RacePhase::Running(run) = &mut self.phase else {
            return Err(Refusal::WrongPhase);
        };
        let seat = run.seats.get_mut(&by).ok_or(Refusal::NotSeated)?;
        if !seat.is_racing() {
            return Err(Refusal::WrongPhase);
        }
        if self.options.hints == HintRule::Off {
            return Err(Refusal::NoHints);
        }
        if seat.hint_pending.is_some() {
            return Err(Refusal::HintPending);
        }
        let style = self.options.hint_styles.style(style);
        seat.hint_pending = Some(style);
        let request = hint_request(seat, by, style, self.number, &run.known);
        out.push(Effect::FindHint(Box::new(request)));
        self.note_action(by, out);
        Ok(())
    }

    /// Returns the request for the hint that a player of this heat waits for, on the present board.
    pub(crate) fn pending_hint(&self, player: PlayerId, number: u32) -> Option<HintRequest> {
        let RacePhase::Running(run) = &self.phase else {
            return None;
        };
        let seat = run.seats.get(&player)?;
        let style = seat.hint_pending.filter(|_| seat.is_racing() && number == self.number)?;
        Some(hint_request(seat, player, style, number, &run.known))
    }

    /// Gives the hint that was found. One that no player waits for any more is ignored; a player
    /// who is away isn't charged, and may ask again. The same hint again costs nothing.
    pub(super) fn hint_found(
        &mut self,
        by: PlayerId,
        number: u32,
        outcome: Result<GivenHint, HintError>,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        let is_here = self.members.is_connected(by);
        let rule = self.options.hints;
        let RacePhase::Running(run) = &mut self.phase else {
            return Ok(());
        };
        let Some(seat) = run.seats.get_mut(&by) else {
            return Ok(());
        };
        if seat.hint_pending.is_none() || number != self.number || !seat.is_racing() {
            return Ok(());
        }
        seat.hint_pending = None;
        let given = outcome.map_err(|error| match error {
            HintError::Busy => Refusal::HintBusy,
            HintError::Unsolved(why) => Refusal::HintUnsolved(why),
        })?;
        if given.after != seat.seq {
            return Err(Refusal::HintBusy);
        }
        if is_here {
            // Both styles may have the same answer to the same board.
            let is_new = seat.given.as_deref() != Some(&given);
            if is_new {
                seat.charge(rule);
                seat.given = Some(Box::new(given.clone()));
            }
            let GivenHint { after, hint, distance_change } = given;
            let (taken, penalty) = (seat.hints, seat.penalty);
            out.send(by, ServerMessage::Hint { after, hint, distance_change, taken, penalty });
            if is_new {
                out.report(HeatEvent::HintGiven { player: by });
                run.row_changed(by, self.now, &self.members);
            }
        }
        Ok(())
    }
}

pub(super) fn hint_request(
    seat: &Seat,
    player: PlayerId,
    style: HintStyle,
    number: u32,
    known: &SolutionKnowledge,
) -> HintRequest {
    HintRequest {
        player,
        style,
        number,
        after: seat.seq,
        board: seat.board.clone(),
        before: seat.before.clone(),
        known: known.clone(),
    }
}
