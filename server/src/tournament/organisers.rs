//! The organiser and helpers, and the permission to give commands.

use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::protocol::tournament::{TournamentCommand, TournamentError};
use std::collections::BTreeSet;

/// Most helpers at once: more than any organisation of a hall has.
const MAX_HELPERS: usize = 32;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Organisers {
    organiser: Fingerprint,
    helpers: BTreeSet<Fingerprint>,
}

impl Organisers {
    pub(super) const fn new(founder: Fingerprint) -> Self {
        Self { organiser: founder, helpers: BTreeSet::new() }
    }

    pub(super) const fn organiser(&self) -> Fingerprint {
        self.organiser
    }

    pub(super) fn may_command(&self, key: Fingerprint) -> bool {
        self.organiser == key || self.helpers.contains(&key)
    }

    /// Checks whether a key may give a command. Helpers don't choose organisers, and don't end it.
    pub(super) fn check(
        &self,
        (by, is_operator): (Fingerprint, bool),
        command: &TournamentCommand,
    ) -> Result<(), TournamentError> {
        let is_reserved = matches!(
            command,
            TournamentCommand::HandOver { .. }
                | TournamentCommand::AddHelper { .. }
                | TournamentCommand::RemoveHelper { .. }
                | TournamentCommand::End { .. }
        );
        let is_organiser = is_operator || by == self.organiser;
        if !is_organiser && (is_reserved || !self.helpers.contains(&by)) {
            return Err(TournamentError::NotOrganiser);
        }
        if matches!(command, TournamentCommand::AddHelper { .. })
            && self.helpers.len() >= MAX_HELPERS
        {
            return Err(TournamentError::TooManyHelpers);
        }
        Ok(())
    }

    pub(super) fn add_helper(&mut self, key: Fingerprint) {
        self.helpers.insert(key);
    }

    pub(super) fn remove_helper(&mut self, key: Fingerprint) {
        self.helpers.remove(&key);
    }

    /// The organiser before becomes a helper.
    pub(super) fn hand_over(&mut self, to: Fingerprint) {
        self.helpers.remove(&to);
        self.helpers.insert(std::mem::replace(&mut self.organiser, to));
    }
}
