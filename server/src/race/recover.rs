//! Recovery by a new server.
//!
//! The room's clock stood still meanwhile, so all players are credited with the outage alike.
//! Connected members are disconnected now, with a whole grace to come back. The shell lost its work
//! in progress, and is asked again for all of it.

use super::hints::hint_request;
use super::members::is_client;
use super::{Effect, Effects, HeatEvent, Race};
use crate::race::phase::RacePhase;
use crate::race::recording::Recording;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::util::time::Millis;

impl Race {
    /// Continues after no server ran for this long.
    pub(super) fn recovered(&mut self, away: Millis, out: &mut Effects) {
        match &mut self.phase {
            RacePhase::Countdown { .. } => {
                self.outage = self.outage + away;
                self.extend_countdown();
            }
            RacePhase::Running(run) => {
                run.activity.restart(self.now);
                self.outage = self.outage + away;
                if away > Millis(0) {
                    out.report(HeatEvent::Outage { away });
                }
            }
            RacePhase::Lobby | RacePhase::Drawing | RacePhase::Over(_) => {}
        }
        // The room is recorded in the journal that it was recovered from.
        self.recording = Recording::default();
        self.lose_all(out);
        self.ask_again(out);
        self.run_bots(out);
    }

    /// All clients are told when they come back, by whichever server that is.
    pub(super) fn journal_damaged(&mut self) {
        let clients = self.members.iter().filter(|member| is_client(member));
        self.untold_of_damage = clients.map(|member| member.id).collect();
    }

    fn lose_all(&mut self, out: &mut Effects) {
        let here = |member: &&_| is_client(member) && member.connected;
        let lost: Vec<PlayerId> =
            self.members.iter().filter(here).map(|member| member.id).collect();
        for member in lost {
            // Disconnecting is never refused.
            self.disconnect(member, out).ok();
        }
        // Members that were disconnected before get a new grace: they couldn't come back meanwhile.
        let grace = self.now + Millis::from_seconds(self.options.grace_seconds.into());
        self.members.extend_graces(grace);
    }

    /// Requests again what is open.
    fn ask_again(&mut self, out: &mut Effects) {
        let (number, spec) = (self.number, self.options.spec);
        match &self.phase {
            RacePhase::Lobby => {}
            RacePhase::Drawing => self.ask_for_board(out),
            RacePhase::Countdown { .. } => self.prepare_solver(out),
            RacePhase::Running(run) => {
                self.prepare_solver(out);
                for (&player, seat) in &run.seats {
                    if let Some(style) = seat.hint_pending {
                        let request = hint_request(seat, player, style, number, &run.known);
                        out.push(Effect::FindHint(Box::new(request)));
                    }
                }
                if run.best.is_none() && self.table.is_none() {
                    let board = run.start.clone();
                    out.push(Effect::RateBoard { number, spec, board });
                }
            }
            RacePhase::Over(over) => {
                if over.result.best.is_none() && self.table.is_none() {
                    let board = over.result.start.clone();
                    out.push(Effect::RateBoard { number, spec, board });
                }
            }
        }
    }

    /// Starts the house bots again; the snapshot tells each how far it is.
    fn run_bots(&self, out: &mut Effects) {
        let bots = self.members.iter().filter_map(|member| match member.kind {
            PlayerKind::HouseBot(skill) if member.connected => Some((member.id, skill)),
            PlayerKind::HouseBot(_) | PlayerKind::Human | PlayerKind::Bot => None,
        });
        for (id, skill) in bots.collect::<Vec<(PlayerId, Skill)>>() {
            out.push(Effect::RunBot { id, skill });
            out.send(id, self.joined(id));
        }
    }
}
