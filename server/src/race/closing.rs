//! The early end of a running heat: all who still race are idle, or, at no table of a tournament, only
//! bots race.
//!
//! Everybody sees the countdown. Whether players are idle is checked at instants that follow from
//! their actions, not at each of them, so a move sets no timer anew.

use super::members::Members;
use super::seat::Seat;
use super::{Audience, Effects, Race};
use crate::race::phase::{RacePhase, Running};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::{Closing, ClosingReason};
use gridrace_shared::util::time::{HeatInstant, Millis};

/// The countdown that everybody sees before the heat ends: time to look up and make a move.
const COUNTDOWN: Millis = Millis::from_seconds(10);
/// How long the last player may do nothing after all others are done, while one of them waits; a lost
/// connection has its grace instead.
const LAST_IDLE: Millis = Millis::from_seconds(10);

impl Race {
    /// Takes back the early end of a heat because a player who races has acted.
    pub(super) fn note_action(&mut self, player: PlayerId, out: &mut Effects) {
        let now = self.now;
        if let RacePhase::Running(run) = &mut self.phase
            && run.seats.get(&player).is_some_and(Seat::is_racing)
            && run.activity.note_action(player, now)
        {
            out.broadcast(Audience::All, ServerMessage::Closing(None));
        }
    }

    /// Ends the heat early if that is due, or checks whether its players are idle.
    pub(super) fn close_or_check(&mut self, at: HeatInstant, out: &mut Effects) {
        let RacePhase::Running(run) = &mut self.phase else {
            return;
        };
        if run.activity.closing.is_some() {
            self.end_early(at, out);
        } else {
            run.activity.changed = true;
            self.review_closing(out);
        }
    }

    /// Determines whether the heat ends early, after an event that may change that.
    pub(super) fn review_closing(&mut self, out: &mut Effects) {
        let now = self.now;
        let RacePhase::Running(run) = &mut self.phase else {
            return;
        };
        if !std::mem::take(&mut run.activity.changed) {
            return;
        }
        let before = run.activity.closing;
        let at = |why| Some(Closing { ends: run.ends.min(now + COUNTDOWN), why });
        // At a table of a tournament bots are entrants like all others.
        let is_left_to_bots = self.table.is_none() && run.is_left_to_bots(&self.members);
        let (closing, check) = if is_left_to_bots {
            let stands = before.filter(|closing| closing.why == ClosingReason::OnlyBots);
            (stands.or_else(|| at(ClosingReason::OnlyBots)), None)
        } else {
            // A player alone holds no other up, but at a table the rest of the tournament waits.
            let holds_up = self.table.is_some() || self.members.has_others_held_up();
            let idle = if holds_up { run.idle_at(&self.members, &self.options) } else { None };
            match idle {
                Some(idle) if idle <= now => (before.or_else(|| at(ClosingReason::Idle)), None),
                later => (None, later),
            }
        };
        run.activity.check = check;
        run.activity.closing = closing;
        if closing != before {
            out.broadcast(Audience::All, ServerMessage::Closing(closing));
        }
    }
}

impl Running {
    /// Returns whether only bots race, in a heat in which a person took part.
    fn is_left_to_bots(&self, members: &Members) -> bool {
        let is_person = |player: &PlayerId| members.is_person(*player);
        let races = |player: &PlayerId| self.seats.get(player).is_some_and(Seat::is_racing);
        self.seats.keys().any(is_person)
            && self.seats.keys().any(races)
            && !self.seats.keys().filter(|player| races(player)).any(is_person)
    }

    /// Returns the instant from which on all who still race are idle, unless one of them acts.
    fn idle_at(&self, members: &Members, options: &HeatOptions) -> Option<HeatInstant> {
        if options.idle_seconds == 0 {
            return None;
        }
        let idle = Millis::from_seconds(options.idle_seconds.into());
        let acted = |player| self.activity.acted.get(player).copied().unwrap_or(self.go);
        let racing = || self.seats.iter().filter(|(_, seat)| seat.is_racing()).map(|(id, _)| id);
        let usual = racing().map(acted).max()? + idle;
        let mut others = self.seats.iter().filter(|(_, seat)| !seat.is_racing());
        let waits = others.any(|(player, _)| members.is_waiting_client(*player));
        let last = self.activity.acted.values().copied().max();
        let mut racers = racing();
        let alone = racers.next().filter(|_| racers.next().is_none());
        // One whose connection is lost has the grace.
        let is_last = alone.is_some_and(|player| members.is_connected(*player));
        match last.filter(|_| waits && is_last) {
            Some(last) => Some(usual.min(last + LAST_IDLE)),
            None => Some(usual),
        }
    }
}
