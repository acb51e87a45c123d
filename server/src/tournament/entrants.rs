//! The entrants by number, key and name.

use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::tournament::ids::{EntrantId, TeamTag};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntrantProfile {
    pub key: Fingerprint,
    pub name: PlayerName,
    pub kind: PlayerKind,
    pub team: Option<TeamTag>,
}

/// All who have entered. Numbers are given in the order of entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntrantRegistry {
    by_id: BTreeMap<EntrantId, EntrantProfile>,
    by_key: BTreeMap<Fingerprint, EntrantId>,
    /// Skeletons and shapes of the names.
    looks: BTreeSet<String>,
}

impl EntrantRegistry {
    pub fn count(&self) -> usize {
        self.by_id.len()
    }

    /// Returns the number of the next entrant.
    pub fn next_id(&self) -> EntrantId {
        let last = self.by_id.last_key_value();
        last.map_or(EntrantId(0), |(id, _)| EntrantId(id.0.saturating_add(1)))
    }

    pub fn of_key(&self, key: Fingerprint) -> Option<EntrantId> {
        self.by_key.get(&key).copied()
    }

    pub fn get(&self, id: EntrantId) -> Option<&EntrantProfile> {
        self.by_id.get(&id)
    }

    pub fn key_of(&self, id: EntrantId) -> Option<Fingerprint> {
        self.get(id).map(|profile| profile.key)
    }

    pub fn iter(&self) -> impl Iterator<Item = (EntrantId, &EntrantProfile)> {
        self.by_id.iter().map(|(id, profile)| (*id, profile))
    }

    /// Returns whether an entrant has this name, or one that looks like it.
    pub fn has_name_like(&self, name: &PlayerName) -> bool {
        looks_of(name).iter().any(|look| self.looks.contains(look))
    }

    pub fn add(&mut self, id: EntrantId, profile: EntrantProfile) {
        self.by_key.insert(profile.key, id);
        self.looks.extend(looks_of(&profile.name));
        self.by_id.insert(id, profile);
    }

    pub fn set_team(&mut self, id: EntrantId, team: Option<TeamTag>) {
        if let Some(profile) = self.by_id.get_mut(&id) {
            profile.team = team;
        }
    }
}

/// Returns the two forms by which names are compared; they never equal each other's kind.
fn looks_of(name: &PlayerName) -> [String; 2] {
    [format!("skeleton {}", name.skeleton()), format!("shape {}", name.shape())]
}
