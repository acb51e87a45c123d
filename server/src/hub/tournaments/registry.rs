//! All tournaments by name, and what is left to do for them.

use super::handle::{TournamentHandle, TournamentJob};
use crate::metrics::TournamentTotals;
use crate::platform::lock::lock;
use crate::platform::shards::TaskWaker;
use crate::store::tournaments::KEPT_ENDED;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::tournament::{TournamentPhase, TournamentSummary};
use gridrace_shared::tournament::ids::TournamentName;
use gridrace_shared::tournament::plan::TournamentPlan;
use gridrace_shared::tournament::settings::TournamentSettings;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex};

/// Most tournaments in a list: a screenful or two.
const MAX_LISTED: usize = 64;

/// All tournaments by name, and what is left to do for them.
#[derive(Debug)]
pub(crate) struct Tournaments {
    pub(super) by_name: Mutex<BTreeMap<TournamentName, Arc<TournamentHandle>>>,
    jobs: Mutex<VecDeque<TournamentJob>>,
    /// Wakes the driver: for jobs, deadlines, and lines that are on the disk.
    pub(super) waker: Arc<TaskWaker>,
    pub(super) next_id: AtomicI64,
}

impl Tournaments {
    pub(crate) fn new(waker: Arc<TaskWaker>) -> Self {
        Self {
            by_name: Mutex::default(),
            jobs: Mutex::default(),
            waker,
            next_id: AtomicI64::new(1),
        }
    }

    pub(crate) fn find(&self, name: &TournamentName) -> Option<Arc<TournamentHandle>> {
        lock(&self.by_name).get(name).cloned()
    }

    /// Returns whether a tournament of this name and number in the store is in memory.
    pub(crate) fn has(&self, name: &TournamentName, id: i64) -> bool {
        self.find(name).is_some_and(|tournament| tournament.id() == id)
    }

    pub(super) fn all(&self) -> Vec<Arc<TournamentHandle>> {
        lock(&self.by_name).values().cloned().collect()
    }

    pub(super) fn push_jobs(&self, jobs: impl IntoIterator<Item = TournamentJob>) {
        lock(&self.jobs).extend(jobs);
        self.waker.wake();
    }

    pub(super) fn take_jobs(&self) -> VecDeque<TournamentJob> {
        std::mem::take(&mut *lock(&self.jobs))
    }

    /// Counts what there is of tournaments that aren't over.
    pub(crate) fn counts(&self) -> TournamentTotals {
        let running = self.all().into_iter().filter(|it| !it.is_closed());
        running.fold(TournamentTotals::default(), |sum, tournament| {
            let (entrants, tables) = tournament.counts();
            TournamentTotals {
                running: sum.running + 1,
                entrants: sum.entrants + entrants,
                tables: sum.tables + tables,
            }
        })
    }

    /// Returns the names of those that aren't closed.
    pub(crate) fn open_names(&self) -> Vec<TournamentName> {
        let running = self.all().into_iter().filter(|it| !it.is_closed());
        running.map(|it| it.name().clone()).collect()
    }

    /// Lists the tournaments that aren't private: those that run first.
    pub(crate) fn list(&self) -> Vec<TournamentSummary> {
        let mut listed: Vec<TournamentSummary> =
            self.all().iter().filter_map(|tournament| tournament.summary()).collect();
        listed.sort_by_key(|it| (it.phase == TournamentPhase::Over, it.name.clone()));
        listed.truncate(MAX_LISTED);
        listed
    }

    pub(crate) fn on_disk_speed_changed(&self, is_slow: bool) {
        self.all().iter().for_each(|tournament| tournament.on_disk_speed_changed(is_slow));
    }

    pub(crate) fn on_store_state_changed(&self, is_recording: bool) {
        self.all().iter().for_each(|tournament| tournament.on_store_state_changed(is_recording));
    }
}

/// Drops the tournaments that are over, have no work left and were opened first, beyond [`KEPT_ENDED`].
pub(super) fn forget_old(by_name: &mut BTreeMap<TournamentName, Arc<TournamentHandle>>) {
    let mut over: Vec<_> = by_name.values().filter(|it| it.is_closed()).cloned().collect();
    over.sort_by_key(|tournament| tournament.id());
    let excess = over.len().saturating_sub(KEPT_ENDED);
    for tournament in over.drain(..excess).filter(|tournament| !tournament.has_work()) {
        by_name.remove(tournament.name());
    }
}

/// With what a client opens a tournament.
#[derive(Debug)]
pub(crate) struct NewTournament {
    pub(crate) name: TournamentName,
    pub(crate) plan: TournamentPlan,
    pub(crate) settings: TournamentSettings,
    pub(crate) pin: Option<Pin>,
    pub(crate) founder: Fingerprint,
}
