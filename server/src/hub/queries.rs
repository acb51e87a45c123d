//! What there is to see of all heats.

use super::Hub;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::RoomCode;
use std::collections::BTreeMap;

impl Hub {
    /// Returns the codes of all heats, in order.
    pub(crate) fn codes(&self) -> Vec<RoomCode> {
        let mut codes: Vec<_> = self.handles().iter().map(|heat| heat.code()).collect();
        codes.sort_unstable();
        codes
    }

    /// Finds a heat in which a seat waits for a key's owner; its host's sooner than another.
    pub(crate) fn waiting_for(&self, identity: Fingerprint) -> Option<RoomCode> {
        let waiting = self.handles().into_iter().filter_map(|heat| {
            let hosts = heat.waits_for(identity)?;
            Some((!hosts, heat.code()))
        });
        waiting.min().map(|(_, code)| code)
    }

    /// Counts the heats by phase.
    pub(crate) fn phases(&self) -> BTreeMap<&'static str, usize> {
        let mut phases = BTreeMap::new();
        for heat in self.handles() {
            *phases.entry(heat.phase_name()).or_default() += 1;
        }
        phases
    }
}
