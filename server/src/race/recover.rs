//! Going on where another server left off.
//!
//! The heat's clock stood still meanwhile, so everybody is credited with the outage alike.
//! Whoever was here is away now, with all of the grace to come back; the shell has forgotten
//! what it was about, and is asked for everything again that is still waited for.

use super::hints::hint_request;
use super::members::is_from_outside;
use super::{BoardRequest, Effect, Effects, HeatEvent, Race};
use crate::race::phase::Stage;
use crate::race::recording::Recording;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::util::time::Millis;

impl Race {
    /// Goes on after the server was away for so long.
    pub(super) fn recovered(&mut self, away: Millis, out: &mut Effects) {
        match self.stage {
            Stage::Countdown { .. } => self.outage = self.outage + away,
            Stage::Running(_) => {
                self.outage = self.outage + away;
                if away > Millis(0) {
                    out.report(HeatEvent::Outage { away });
                }
            }
            Stage::Lobby | Stage::Drawing | Stage::Over(_) => {}
        }
        // The journal that this comes from is gone on with.
        self.recording = Recording::default();
        self.lose_all(out);
        self.ask_again(out);
        self.run_bots(out);
    }

    fn lose_all(&mut self, out: &mut Effects) {
        let here = |member: &&_| is_from_outside(member) && member.connected;
        let lost: Vec<PlayerId> =
            self.members.iter().filter(here).map(|member| member.id).collect();
        for member in lost {
            // Nobody is refused to be lost.
            self.lose(member, out).ok();
        }
        // Who was away already has the grace anew: nobody could come back meanwhile.
        let grace = self.now + Millis::from_seconds(self.options.grace_seconds.into());
        self.members.wait_anew(grace);
    }

    /// Asks again for whatever is on its way.
    fn ask_again(&mut self, out: &mut Effects) {
        let (number, spec) = (self.number, self.options.spec);
        match &self.stage {
            Stage::Lobby => {}
            Stage::Drawing => {
                out.push(Effect::PrepareSolver { spec });
                out.push(Effect::GenerateBoard(BoardRequest {
                    ticket: self.drawings,
                    spec,
                    seed: self.secret.secret.seed.clone(),
                }));
            }
            Stage::Countdown { .. } => out.push(Effect::PrepareSolver { spec }),
            Stage::Running(run) => {
                out.push(Effect::PrepareSolver { spec });
                for (&player, seat) in &run.seats {
                    if seat.hint_pending {
                        let request = hint_request(seat, player, number, &run.known);
                        out.push(Effect::FindHint(request));
                    }
                }
                if run.best.is_none() {
                    let board = run.start.clone();
                    out.push(Effect::RateBoard { number, spec, board });
                }
            }
            Stage::Over(over) => {
                if over.result.best.is_none() {
                    let board = over.result.start.clone();
                    out.push(Effect::RateBoard { number, spec, board });
                }
            }
        }
    }

    /// Starts the server's bots again, each of which learns from the snapshot how far it is.
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
