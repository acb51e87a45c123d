//! Causes the faults of a plan at their times.

use crate::calendar;
use crate::common::{Common, REFEREE, name};
use crate::counts::Counts;
use crate::disk;
use crate::network::ClientNetwork;
use crate::notes::Notes;
use crate::plan::{Fault, FaultKind};
use gridrace_server::platform::environment::Disk;
use gridrace_shared::tournament::ids::RoundKey;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use turmoil::Sim;

/// How often the server is killed in one round of a tournament at most.
const MAX_KILLS: u32 = 3;

/// The faults that are still to come.
pub struct Faults<'a> {
    players: &'a [ClientNetwork],
    common: &'a Common,
    /// When faults begin and end, from the first heat's beginning, in order.
    scheduled: Vec<(Duration, Turn)>,
    waiting: Vec<Fault>,
    busy: BTreeSet<usize>,
    is_down: bool,
    /// Whether a kill in mid-round is about to happen.
    is_doomed: bool,
    /// How often the server was killed in mid-round.
    killed: BTreeMap<RoundKey, u32>,
    pub counts: Counts,
}

/// A fault begins, or is over.
#[derive(Debug, Clone, Copy)]
enum Turn {
    Begins(Fault),
    Ends(FaultKind),
}

impl<'a> Faults<'a> {
    pub fn of(faults: &[Fault], players: &'a [ClientNetwork], common: &'a Common) -> Self {
        let begins = |fault: &Fault| (fault.at, Turn::Begins(*fault));
        let mut scheduled: Vec<_> = faults.iter().map(begins).collect();
        scheduled.sort_by_key(|(at, _)| *at);
        Self {
            players,
            common,
            scheduled,
            waiting: Vec::new(),
            busy: BTreeSet::new(),
            is_down: false,
            is_doomed: false,
            killed: BTreeMap::new(),
            counts: Counts::default(),
        }
    }

    /// Causes what is due, `now` after the first heat's beginning.
    pub fn apply_due(&mut self, sim: &mut Sim<'_>, now: Duration) {
        while let Some(&(at, turn)) = self.scheduled.first()
            && at <= now
        {
            self.scheduled.remove(0);
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

    /// Returns when a fault begins, once its condition holds.
    fn moment(
        &mut self,
        sim: &Sim<'_>,
        what: FaultKind,
        now: Duration,
    ) -> Option<(Duration, FaultKind)> {
        match what {
            FaultKind::CutAsking(n) => {
                let asks = self.players[n].notes(|notes| notes.awaits_hint);
                let is_due = asks && !self.busy.contains(&n);
                is_due.then(|| {
                    self.counts.add("cuts while a hint was on its way", 1);
                    (now, FaultKind::Cut(n))
                })
            }
            FaultKind::KillAtFinish(after) => {
                let mut players = self.players.iter();
                let is_due = players.all(|network| network.notes(Notes::has_sent_all));
                is_due.then(|| {
                    self.counts.add("kills at the last finish", 1);
                    (now + Duration::from_millis(after), FaultKind::Kill)
                })
            }
            FaultKind::KillRacing(after) => {
                let mut players = self.players.iter();
                let raced = players.find_map(|network| network.notes(Notes::raced_round))?;
                let kills = self.killed.entry(raced).or_default();
                let is_due = !self.is_down && !self.is_doomed && *kills < MAX_KILLS;
                is_due.then(|| {
                    *kills += 1;
                    self.is_doomed = true;
                    self.counts.add("kills in the middle of a round", 1);
                    if *kills == MAX_KILLS {
                        self.counts.add("rounds in which the server was killed three times", 1);
                    }
                    (now + Duration::from_millis(after), FaultKind::Kill)
                })
            }
            // What was played while nothing is recorded is lost with the server.
            FaultKind::Kill | FaultKind::Stop => {
                disk::is_settled(sim.elapsed()).then_some((now, what))
            }
            FaultKind::Cut(_)
            | FaultKind::Stall(_)
            | FaultKind::Break(_)
            | FaultKind::Full
            | FaultKind::Hang
            | FaultKind::Slow
            | FaultKind::Jump(_) => Some((now, what)),
        }
    }

    fn begin(&mut self, sim: &mut Sim<'_>, fault: Fault, now: Duration) {
        let Fault { lasts, what, .. } = fault;
        match what {
            FaultKind::Cut(n) if self.busy.insert(n) => {
                self.count(["cuts of 5 s", "cuts of 30 s"], lasts);
                sim.partition(name(n), "server");
            }
            FaultKind::Stall(n) if self.busy.insert(n) => {
                self.count(["stalls of 5 s", "stalls of 30 s"], lasts);
                sim.hold(name(n), "server");
            }
            FaultKind::Cut(_) | FaultKind::Stall(_) => return,
            FaultKind::CutAsking(_) | FaultKind::KillAtFinish(_) | FaultKind::KillRacing(_) => {
                return self.waiting.push(fault);
            }
            FaultKind::Break(n) => {
                self.counts.add("breaks", 1);
                self.players[n].cut_connections();
            }
            // The server is down already.
            FaultKind::Kill if self.is_down => return self.is_doomed = false,
            FaultKind::Stop if self.is_down => return,
            FaultKind::Kill | FaultKind::Stop if !disk::is_settled(sim.elapsed()) => {
                self.counts.add("ends of the server put off", 1);
                return self.waiting.push(fault);
            }
            FaultKind::Kill => {
                self.is_down = true;
                self.is_doomed = false;
                self.players.iter().for_each(ClientNetwork::forget_race);
                self.counts.add("kills of the server", 1);
                self.in_any_order(sim, |sim| self.common.kill(sim));
            }
            FaultKind::Stop => {
                self.is_down = true;
                self.counts.add("stops of the server", 1);
                self.common.stop();
            }
            FaultKind::Full => {
                self.counts.add("disks that were full", 1);
                disk::set(Disk::Full, sim.elapsed());
            }
            FaultKind::Hang => {
                self.counts.add("disks that hung", 1);
                disk::set(Disk::Hangs, sim.elapsed());
            }
            FaultKind::Slow => {
                self.counts.add("disks that were slow", 1);
                disk::set(Disk::Slow, sim.elapsed());
            }
            FaultKind::Jump(by) => {
                self.counts.add("jumps of the calendar", 1);
                calendar::jump(by);
            }
        }
        self.put(now + lasts, Turn::Ends(what));
    }

    fn put(&mut self, at: Duration, turn: Turn) {
        self.scheduled.push((at, turn));
        self.scheduled.sort_by_key(|(at, _)| *at);
    }

    fn end(&mut self, sim: &mut Sim<'_>, what: FaultKind) {
        match what {
            FaultKind::Cut(n) => {
                self.busy.remove(&n);
                sim.repair(name(n), "server");
            }
            FaultKind::Stall(n) => {
                self.busy.remove(&n);
                sim.release(name(n), "server");
            }
            FaultKind::Full | FaultKind::Hang | FaultKind::Slow => {
                disk::set(Disk::Sound, sim.elapsed());
            }
            FaultKind::CutAsking(_)
            | FaultKind::KillAtFinish(_)
            | FaultKind::KillRacing(_)
            | FaultKind::Break(_)
            | FaultKind::Jump(_) => {}
            FaultKind::Kill | FaultKind::Stop => {
                self.is_down = false;
                self.in_any_order(sim, |sim| sim.bounce("server"));
            }
        }
    }

    /// Ends what runs on the server's host. Its tasks end in an order that depends on what else the
    /// process does, so their last messages get no random delay: they arrive at once.
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
