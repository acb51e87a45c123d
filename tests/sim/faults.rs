//! Lets go wrong what a plan says, when it says so.

use crate::calendar;
use crate::common::{Common, REFEREE, name};
use crate::counts::Counts;
use crate::network::Way;
use crate::plan::{Fault, Plan, What};
use std::collections::BTreeSet;
use std::time::Duration;
use turmoil::Sim;

/// What is still to go wrong.
pub struct Faults<'a> {
    players: &'a [Way],
    common: &'a Common,
    /// When what begins and ends, from the first heat's beginning, in order.
    coming: Vec<(Duration, Turn)>,
    /// Who is to be cut off once they wait for a hint, and for how long.
    asking: Vec<(usize, Duration)>,
    /// To whom something happens now.
    busy: BTreeSet<usize>,
    /// What has happened.
    pub counts: Counts,
}

/// A fault begins, or is over.
#[derive(Debug, Clone, Copy)]
enum Turn {
    Begins(Fault),
    Ends(What),
}

impl<'a> Faults<'a> {
    pub fn of(plan: &Plan, players: &'a [Way], common: &'a Common) -> Self {
        let begins = |fault: &Fault| (fault.at, Turn::Begins(*fault));
        let mut coming: Vec<_> = plan.faults.iter().map(begins).collect();
        coming.sort_by_key(|(at, _)| *at);
        Self {
            players,
            common,
            coming,
            asking: Vec::new(),
            busy: BTreeSet::new(),
            counts: Counts::default(),
        }
    }

    /// Lets happen what is due, so long after the first heat's beginning.
    pub fn happen(&mut self, sim: &mut Sim<'_>, now: Duration) {
        while let Some(&(at, turn)) = self.coming.first()
            && at <= now
        {
            self.coming.remove(0);
            match turn {
                Turn::Begins(fault) => self.begin(sim, fault, now),
                Turn::Ends(what) => self.end(sim, what),
            }
        }
        let (players, busy) = (self.players, &self.busy);
        let is_due = |&mut (n, _): &mut (usize, Duration)| {
            !busy.contains(&n) && players[n].notes(|notes| notes.awaits_hint)
        };
        let due: Vec<_> = self.asking.extract_if(.., is_due).collect();
        for (n, lasts) in due {
            self.counts.add("cuts while a hint was on its way", 1);
            let (at, what) = (now, What::Cut(n));
            self.begin(sim, Fault { at, lasts, what }, now);
        }
    }

    fn begin(&mut self, sim: &mut Sim<'_>, fault: Fault, now: Duration) {
        let Fault { lasts, what, .. } = fault;
        match what {
            What::Cut(n) if self.busy.insert(n) => {
                self.count(["cuts of 5 s", "cuts of 30 s"], lasts);
                sim.partition(name(n), "server");
            }
            What::Stall(n) if self.busy.insert(n) => {
                self.count(["stalls of 5 s", "stalls of 30 s"], lasts);
                sim.hold(name(n), "server");
            }
            What::Cut(_) | What::Stall(_) => return,
            What::CutAsking(n) => return self.asking.push((n, lasts)),
            What::Break(n) => {
                self.counts.add("breaks", 1);
                self.players[n].snap();
            }
            What::Kill => {
                self.counts.add("kills of the server", 1);
                self.in_any_order(sim, |sim| self.common.kill(sim));
            }
            What::Stop => {
                self.counts.add("stops of the server", 1);
                self.common.stop();
            }
            What::Jump(by) => {
                self.counts.add("jumps of the calendar", 1);
                calendar::jump(by);
            }
        }
        self.coming.push((now + lasts, Turn::Ends(what)));
        self.coming.sort_by_key(|(at, _)| *at);
    }

    fn end(&mut self, sim: &mut Sim<'_>, what: What) {
        match what {
            What::Cut(n) => {
                self.busy.remove(&n);
                sim.repair(name(n), "server");
            }
            What::Stall(n) => {
                self.busy.remove(&n);
                sim.release(name(n), "server");
            }
            What::CutAsking(_) | What::Break(_) | What::Jump(_) => {}
            What::Kill | What::Stop => self.in_any_order(sim, |sim| sim.bounce("server")),
        }
    }

    /// Ends what runs on the server's host. Its tasks end in an order that hangs on what else
    /// the process does, so their last words draw no chance: they arrive at once.
    fn in_any_order(&self, sim: &mut Sim<'_>, end: impl FnOnce(&mut Sim<'_>)) {
        let players = (0..self.players.len()).filter(|n| !self.busy.contains(n));
        let calm: Vec<String> = players.map(name).chain([REFEREE.to_owned()]).collect();
        for host in &calm {
            sim.hold(host.as_str(), "server");
        }
        end(sim);
        for host in &calm {
            sim.release(host.as_str(), "server");
        }
    }

    fn count(&mut self, [short, long]: [&'static str; 2], lasts: Duration) {
        let is_short = lasts <= Duration::from_secs(5);
        self.counts.add(if is_short { short } else { long }, 1);
    }
}
