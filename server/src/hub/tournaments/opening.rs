//! Opening tournaments, and continuing those of an earlier server.

use super::handle::TournamentHandle;
use super::registry::{NewTournament, forget_old};
use crate::hub::Hub;
use crate::platform::lock::lock;
use crate::race::TableStatus;
use crate::store::tournaments::{RecoveredTournament, SavedTournament};
use gridrace_shared::protocol::tournament::TournamentError;
use gridrace_shared::tournament::draw_commitment::TournamentSecret;
use gridrace_shared::tournament::plan::MAX_ENTRANTS;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Tournaments that aren't over, at once: together they have more tables than one machine carries.
const MAX_RUNNING: usize = 16;
/// Of these, tournaments of one organiser's key.
const MAX_OF_ONE_KEY: usize = 4;

impl Hub {
    pub(crate) fn open_tournament(
        &self,
        new: NewTournament,
    ) -> Result<Arc<TournamentHandle>, TournamentError> {
        let NewTournament { name, plan, mut settings, pin, founder } = new;
        settings.check().map_err(TournamentError::Settings)?;
        // Unless the organiser says how many, as many enter as the plan takes.
        if usize::from(settings.max_entrants) == MAX_ENTRANTS {
            settings.max_entrants = u16::try_from(plan.largest_field()).unwrap_or(u16::MAX);
        }
        let field = plan.check_field(settings.max_entrants.into());
        field.map_err(|error| TournamentError::Log(error.into()))?;
        let services = &self.services;
        if self.is_shutting_down() || services.store.as_ref().is_some_and(|it| !it.has_capacity()) {
            return Err(TournamentError::Busy);
        }
        // Held until the tournament is inserted, so that two clients can't take one name.
        let mut by_name = lock(&self.tournaments.by_name);
        let running: Vec<_> = by_name.values().filter(|it| !it.is_closed()).collect();
        if let Some(before) = by_name.get(&name) {
            if !before.is_closed() {
                return Err(TournamentError::NameTaken);
            }
            // Its work is found by its name.
            if before.has_work() || self.has_tables_of(before) {
                return Err(TournamentError::Busy);
            }
        }
        let own = running.iter().filter(|tournament| tournament.is_organised_by(founder));
        if own.count() >= MAX_OF_ONE_KEY {
            return Err(TournamentError::TooManyOfKey);
        }
        if running.len() >= MAX_RUNNING {
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
        by_name.insert(name, Arc::clone(&tournament));
        forget_old(&mut by_name);
        Ok(tournament)
    }

    fn has_tables_of(&self, tournament: &TournamentHandle) -> bool {
        let is_own = |status: &TableStatus| tournament.has_table(&status.tournament, status.opened);
        self.tables().iter().any(|(_, status)| is_own(status))
    }

    /// Continues the tournaments of an earlier server, with their tables.
    pub(crate) fn recover_tournaments(&self, recovered: Vec<RecoveredTournament>, next_id: i64) {
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
