//! The tournaments: their registry, and the task that carries out what they decide.
//!
//! - [`handle`]: one tournament behind a short lock, with its followers and its journal;
//! - [`driver`]: the one task that opens and starts tables, has boards drawn, and keeps deadlines.

mod driver;
mod handle;

pub(crate) use handle::{Following, Requester, TournamentHandle};

use super::Hub;
use crate::platform::lock::lock;
use crate::platform::shards::RoomWaker;
use crate::store::tournaments::{KEPT_ENDED, RecoveredTournament, SavedTournament};
use crate::tournament::{Effect, TournamentConfig};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::pin::Pin;
use gridrace_shared::protocol::tournament::{TournamentError, TournamentPhase, TournamentSummary};
use gridrace_shared::tournament::draw_commitment::TournamentSecret;
use gridrace_shared::tournament::ids::TournamentName;
use gridrace_shared::tournament::plan::TournamentPlan;
use gridrace_shared::tournament::settings::TournamentSettings;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

/// Tournaments that aren't over, at once: together they have more tables than one machine carries.
const MAX_RUNNING: usize = 16;
/// Of these, tournaments of one organiser's key.
const MAX_OF_ONE_KEY: usize = 4;
/// Most tournaments in a list: a screenful or two.
const MAX_LISTED: usize = 64;

/// All tournaments by name, and what is left to do for them.
#[derive(Debug)]
pub(crate) struct Tournaments {
    by_name: Mutex<BTreeMap<TournamentName, Arc<TournamentHandle>>>,
    jobs: Mutex<VecDeque<Job>>,
    /// Wakes the driver: for jobs, deadlines, and lines that are on the disk.
    waker: Arc<RoomWaker>,
    next_id: AtomicI64,
}

/// An effect of a tournament for the driver.
#[derive(Debug)]
struct Job {
    tournament: Arc<TournamentHandle>,
    effect: Effect,
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

impl Tournaments {
    pub(super) fn new(waker: Arc<RoomWaker>) -> Self {
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

    fn all(&self) -> Vec<Arc<TournamentHandle>> {
        lock(&self.by_name).values().cloned().collect()
    }

    fn push_jobs(&self, jobs: impl IntoIterator<Item = Job>) {
        lock(&self.jobs).extend(jobs);
        self.waker.wake();
    }

    fn take_jobs(&self) -> VecDeque<Job> {
        std::mem::take(&mut *lock(&self.jobs))
    }

    /// Lists the tournaments that aren't private: those that run first.
    pub(crate) fn list(&self) -> Vec<TournamentSummary> {
        let mut listed: Vec<TournamentSummary> =
            self.all().iter().filter_map(|tournament| tournament.summary()).collect();
        listed.sort_by_key(|it| (it.phase == TournamentPhase::Over, it.name.clone()));
        listed.truncate(MAX_LISTED);
        listed
    }

    pub(super) fn on_store_state_changed(&self, is_recording: bool) {
        self.all().iter().for_each(|tournament| tournament.on_store_state_changed(is_recording));
    }

    /// Drops the tournaments that are over and were opened first, beyond [`KEPT_ENDED`].
    fn forget_old(&self) {
        let mut over: Vec<_> = self.all().into_iter().filter(|it| it.is_closed()).collect();
        over.sort_by_key(|tournament| tournament.id());
        let excess = over.len().saturating_sub(KEPT_ENDED);
        let mut by_name = lock(&self.by_name);
        for tournament in over.drain(..excess) {
            by_name.remove(tournament.name());
        }
    }
}

impl Hub {
    /// Opens a tournament.
    pub(crate) fn open_tournament(
        &self,
        new: NewTournament,
    ) -> Result<Arc<TournamentHandle>, TournamentError> {
        let NewTournament { name, plan, settings, pin, founder } = new;
        settings.check().map_err(TournamentError::Settings)?;
        let services = &self.services;
        if self.is_shutting_down() || services.store.as_ref().is_some_and(|it| !it.has_room()) {
            return Err(TournamentError::Busy);
        }
        let running: Vec<_> =
            self.tournaments.all().into_iter().filter(|it| !it.is_closed()).collect();
        if running.iter().any(|tournament| *tournament.name() == name) {
            return Err(TournamentError::NameTaken);
        }
        let own = running.iter().filter(|tournament| tournament.organiser() == founder);
        if running.len() >= MAX_RUNNING || own.count() >= MAX_OF_ONE_KEY {
            return Err(TournamentError::TooManyTournaments);
        }
        let saved = SavedTournament {
            id: self.tournaments.next_id.fetch_add(1, Ordering::Relaxed),
            name: name.clone(),
            plan,
            settings,
            secret: TournamentSecret::from_entropy(services.environment.rng.bytes()),
            founder,
            pin,
            epoch: services.clock.now(),
            opened: services.environment.calendar(),
        };
        let tournament = TournamentHandle::open(services, &self.tournaments.waker, saved);
        lock(&self.tournaments.by_name).insert(name, Arc::clone(&tournament));
        self.tournaments.forget_old();
        Ok(tournament)
    }

    /// Continues the tournaments of an earlier server, with their tables.
    pub(super) fn recover_tournaments(&self, recovered: Vec<RecoveredTournament>, next_id: i64) {
        self.tournaments.next_id.store(next_id, Ordering::Relaxed);
        for found in recovered {
            let name = found.saved.name.clone();
            let tournament =
                TournamentHandle::recover(&self.services, &self.tournaments.waker, found);
            // A later one of the same name replaces one that is over.
            lock(&self.tournaments.by_name).insert(name, tournament);
        }
    }
}

impl From<&SavedTournament> for TournamentConfig {
    fn from(saved: &SavedTournament) -> Self {
        Self {
            name: saved.name.clone(),
            plan: saved.plan.clone(),
            settings: saved.settings.clone(),
            secret: saved.secret.clone(),
            founder: saved.founder,
        }
    }
}
