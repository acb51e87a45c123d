//! Lets go wrong what a plan says, when it says so.

use crate::calendar;
use crate::common::{Common, REFEREE, name};
use crate::counts::Counts;
use crate::disk;
use crate::network::Way;
use crate::notes::Notes;
use crate::plan::{Fault, Plan, What};
use gridrace_server::platform::environment::Disk;
use std::collections::BTreeSet;
use std::time::Duration;
use turmoil::Sim;

/// What is still to go wrong.
pub struct Faults<'a> {
    players: &'a [Way],
    common: &'a Common,
    /// When what begins and ends, from the first heat's beginning, in order.
    coming: Vec<(Duration, Turn)>,
    waiting: Vec<Fault>,
    busy: BTreeSet<usize>,
    is_down: bool,
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
            waiting: Vec::new(),
            busy: BTreeSet::new(),
            is_down: false,
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
        for fault in std::mem::take(&mut self.waiting) {
            match self.moment(sim, fault.what, now) {
                None => self.waiting.push(fault),
                Some((at, what)) => {
                    let lasts = fault.lasts;
                    self.put(at, Turn::Begins(Fault { at, lasts, what }));
                }
            }
        }
    }

    /// Returns when what begins, once what it waits for is there.
    fn moment(&mut self, sim: &Sim<'_>, what: What, now: Duration) -> Option<(Duration, What)> {
        match what {
            What::CutAsking(n) => {
                let asks = self.players[n].notes(|notes| notes.awaits_hint);
                let is_due = asks && !self.busy.contains(&n);
                is_due.then(|| {
                    self.counts.add("cuts while a hint was on its way", 1);
                    (now, What::Cut(n))
                })
            }
            What::KillAtFinish(after) => {
                let mut players = self.players.iter();
                let is_due = players.all(|way| way.notes(Notes::has_sent_all));
                is_due.then(|| {
                    self.counts.add("kills at the last finish", 1);
                    (now + Duration::from_millis(after), What::Kill)
                })
            }
            // What was played while nothing is recorded goes with the server.
            What::Kill | What::Stop => disk::is_settled(sim.elapsed()).then_some((now, what)),
            What::Cut(_)
            | What::Stall(_)
            | What::Break(_)
            | What::Full
            | What::Hang
            | What::Slow
            | What::Jump(_) => Some((now, what)),
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
            What::CutAsking(_) | What::KillAtFinish(_) => return self.waiting.push(fault),
            What::Break(n) => {
                self.counts.add("breaks", 1);
                self.players[n].snap();
            }
            // It is down already.
            What::Kill if self.is_down => return,
            What::Stop if self.is_down => return,
            What::Kill | What::Stop if !disk::is_settled(sim.elapsed()) => {
                self.counts.add("ends of the server put off", 1);
                return self.waiting.push(fault);
            }
            What::Kill => {
                self.is_down = true;
                self.counts.add("kills of the server", 1);
                self.in_any_order(sim, |sim| self.common.kill(sim));
            }
            What::Stop => {
                self.is_down = true;
                self.counts.add("stops of the server", 1);
                self.common.stop();
            }
            What::Full => {
                self.counts.add("disks that were full", 1);
                disk::set(Disk::Full, sim.elapsed());
            }
            What::Hang => {
                self.counts.add("disks that hung", 1);
                disk::set(Disk::Hangs, sim.elapsed());
            }
            What::Slow => {
                self.counts.add("disks that were slow", 1);
                disk::set(Disk::Slow, sim.elapsed());
            }
            What::Jump(by) => {
                self.counts.add("jumps of the calendar", 1);
                calendar::jump(by);
            }
        }
        self.put(now + lasts, Turn::Ends(what));
    }

    fn put(&mut self, at: Duration, turn: Turn) {
        self.coming.push((at, turn));
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
            What::Full | What::Hang | What::Slow => disk::set(Disk::Sound, sim.elapsed()),
            What::CutAsking(_) | What::KillAtFinish(_) | What::Break(_) | What::Jump(_) => {}
            What::Kill | What::Stop => {
                self.is_down = false;
                self.in_any_order(sim, |sim| sim.bounce("server"));
            }
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
