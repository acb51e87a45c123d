//! Entering, check-in and withdrawal by the entrants themselves.

use super::{Effect, Effects, TableJob, TableKey, TournamentRunner};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::protocol::tournament::TournamentError;
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, TeamTag};
use gridrace_shared::tournament::log::{LogEntry, LogEntryError, Presence};
use gridrace_shared::tournament::plan::Format;
use gridrace_shared::tournament::public_log::{LogAuthor, LogLine, PublicEvent};
use gridrace_shared::util::time::TournamentInstant;
use std::collections::BTreeSet;

/// Check-ins and withdrawals of one entrant's own: each stands in the log for ever.
const MAX_TOGGLES: u16 = 64;

impl TournamentRunner {
    pub(super) fn enter(
        &mut self,
        now: TournamentInstant,
        by: Fingerprint,
        name: PlayerName,
        bot: bool,
        team: Option<TeamTag>,
        out: &mut Effects,
    ) -> Result<(), TournamentError> {
        if self.is_closed || self.has_begun && self.takes_no_late(now) {
            return Err(TournamentError::EntriesClosed);
        }
        if self.entrants.of_key(by).is_some() {
            return Err(TournamentError::AlreadyEntered);
        }
        if bot && !self.config.settings.options.bots_allowed {
            return Err(TournamentError::NoBots);
        }
        if self.count_places() >= usize::from(self.config.settings.max_entrants) {
            return Err(TournamentError::Full);
        }
        if self.entrants.has_name_like(&name) {
            return Err(TournamentError::PlayerNameTaken);
        }
        let entrant = self.entrants.next_id();
        let entry = LogEntry::Enter { entrant, team };
        self.fold.apply(entry.clone()).map_err(|error| {
            if matches!(error, LogEntryError::EntriesClosed | LogEntryError::Over) {
                TournamentError::EntriesClosed
            } else {
                TournamentError::Log(error)
            }
        })?;
        let by_key = LogAuthor::Key(by);
        let kind = if bot { PlayerKind::Bot } else { PlayerKind::Human };
        for event in [
            PublicEvent::Entrant { entrant, name, key: by, kind },
            PublicEvent::Entry { entry, reason: None },
        ] {
            self.append(LogLine { at: now, by: by_key, event }, out);
        }
        out.push_job(TableJob::AdmitKey { key: by, admitted: true });
        if self.takes_check_ins() {
            let entry = LogEntry::CheckIn { entrant };
            self.record_entry(now, by_key, entry, None, out).map_err(TournamentError::Log)?;
        }
        out.push(Effect::NotifyKey(by));
        Ok(())
    }

    /// Returns whether late entries are closed.
    fn takes_no_late(&self, now: TournamentInstant) -> bool {
        !self.takes_late_entries || self.has_started_heats(now)
    }

    pub(super) fn check_in(
        &mut self,
        now: TournamentInstant,
        by: Fingerprint,
        out: &mut Effects,
    ) -> Result<(), TournamentError> {
        let entrant = self.entrants.of_key(by).ok_or(TournamentError::NotEntered)?;
        if !self.takes_check_ins() {
            return Err(TournamentError::CheckInClosed);
        }
        if self.present.contains(&entrant) {
            return Ok(());
        }
        let presence = self.presence(entrant);
        // Those who weren't drawn at the beginning come as late as those who enter now.
        let drawn = self.fold.stages().first().is_some_and(|it| it.field().contains(&entrant));
        if self.has_begun && !drawn && self.takes_no_late(now) {
            return Err(TournamentError::EntriesClosed);
        }
        // Others may have taken the place of one who withdrew.
        let places = usize::from(self.config.settings.max_entrants);
        let is_full = !drawn && self.count_places() >= places;
        if presence == Some(Presence::Withdrawn) && is_full {
            return Err(TournamentError::Full);
        }
        self.toggle(now, by, LogEntry::CheckIn { entrant }, out)
    }

    pub(super) fn withdraw(
        &mut self,
        now: TournamentInstant,
        by: Fingerprint,
        out: &mut Effects,
    ) -> Result<(), TournamentError> {
        let entrant = self.entrants.of_key(by).ok_or(TournamentError::NotEntered)?;
        if self.presence(entrant) == Some(Presence::Withdrawn) {
            return Ok(());
        }
        self.toggle(now, by, LogEntry::Withdraw { entrant }, out)
    }

    fn toggle(
        &mut self,
        now: TournamentInstant,
        by: Fingerprint,
        entry: LogEntry,
        out: &mut Effects,
    ) -> Result<(), TournamentError> {
        if self.is_closed {
            return Err(TournamentError::Over);
        }
        if self.toggles.get(&by).is_some_and(|toggles| *toggles >= MAX_TOGGLES) {
            return Err(TournamentError::TooFast);
        }
        let author = LogAuthor::Key(by);
        self.record_entry(now, author, entry, None, out).map_err(TournamentError::Log)?;
        out.push(Effect::NotifyKey(by));
        Ok(())
    }

    /// Returns whether those who enter now, or come back, are there at once.
    fn takes_check_ins(&self) -> bool {
        !self.config.settings.check_in || self.is_check_in_open || self.has_begun
    }

    /// Counts the entrants of whom `--max-entrants` allows no more: those who were drawn, and those who
    /// remain. A withdrawal before that gives the place to others.
    pub(super) fn count_places(&self) -> usize {
        let drawn = self.fold.stages().first().map_or(&[][..], |it| it.field());
        let is_drawn = |entrant: &EntrantId| drawn.contains(entrant);
        let holds = |(entrant, presence)| remains(presence) || is_drawn(&entrant);
        self.fold.entrants().filter(|it| holds(*it)).count()
    }

    /// Returns whether a late entrant would get a seat in heats at a table that has no board to start.
    fn has_started_heats(&self, now: TournamentInstant) -> bool {
        let Some(round) = self.latest_round() else { return false };
        let (Format::Heats { table: seats, .. }, Some(state)) =
            (self.format(round), self.fold.round(round))
        else {
            return false;
        };
        let Some(table) = state.free_table(seats.into()) else { return false };
        let number = state.draw.tables[table].number;
        let racing = self.schedules.get(&round).into_iter().flat_map(|it| it.racing(now));
        let racing: BTreeSet<ResultKey> = racing.collect();
        let mut open = self.open_boards_at(TableKey { round, number }).iter();
        open.all(|key| racing.contains(key))
    }

    /// Returns what the log says of an entrant.
    pub(super) fn presence(&self, entrant: EntrantId) -> Option<Presence> {
        self.fold.presence(entrant)
    }

    /// Returns what clients are told of an entrant: one who isn't drawn any more for absences comes back
    /// by a check-in, as one who has withdrawn does.
    pub(super) fn shown_presence(&self, entrant: EntrantId) -> Option<Presence> {
        let presence = self.presence(entrant)?;
        let is_out = presence == Presence::Present && !self.present.contains(&entrant);
        Some(if is_out { Presence::Withdrawn } else { presence })
    }

    /// Notes which entrants would be drawn now, and notifies each for whom that has changed.
    pub(super) fn update_present(&mut self, out: &mut Effects) {
        let before = std::mem::replace(&mut self.present, self.fold.present());
        let changed = before.symmetric_difference(&self.present);
        for key in changed.filter_map(|entrant| self.entrants.key_of(*entrant)) {
            let told = Effect::NotifyKey(key);
            if !out.0.contains(&told) {
                out.push(told);
            }
        }
    }
}

/// Returns whether an entrant is neither withdrawn nor disqualified.
const fn remains(presence: Presence) -> bool {
    matches!(presence, Presence::Entered | Presence::Present)
}
