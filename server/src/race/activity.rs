//! The last actions of a running heat's players, by which [`super::Race`] closes the heat.

use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::protocol::snapshot::{Closing, ClosingReason};
use gridrace_shared::util::time::HeatInstant;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// When the players of a running heat acted, and whether it ends early.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Activity {
    /// The instant of each player's last action: an accepted move, a hint, or coming back. For one
    /// who is done, the instant of that.
    pub(super) acted: BTreeMap<PlayerId, HeatInstant>,
    /// When to check whether all who race are idle.
    pub(super) check: Option<HeatInstant>,
    pub(super) closing: Option<Closing>,
    /// Whether the present event changes who races or waits.
    #[serde(skip)]
    pub(super) changed: bool,
}

impl Activity {
    /// Begins at GO, or where a heat continues.
    pub(super) fn new(players: impl Iterator<Item = PlayerId>, now: HeatInstant) -> Self {
        let acted = players.map(|player| (player, now)).collect();
        Self { acted, check: None, closing: None, changed: true }
    }

    /// Notes an action of a player, and returns whether it takes a closing back.
    pub(super) fn note_action(&mut self, player: PlayerId, now: HeatInstant) -> bool {
        if let Some(acted) = self.acted.get_mut(&player) {
            *acted = now;
        }
        let is_idle = |closing: &Closing| closing.why == ClosingReason::Idle;
        let taken_back = self.closing.take_if(|closing| is_idle(closing)).is_some();
        self.changed |= taken_back;
        taken_back
    }

    /// Notes that a player's race has ended.
    pub(super) fn note_done(&mut self, player: PlayerId, now: HeatInstant) {
        self.acted.insert(player, now);
        self.changed = true;
    }

    /// Notes that a member came or went.
    pub(super) const fn note_members_changed(&mut self) {
        self.changed = true;
    }

    /// Counts as if all had acted now: no player could while no server ran.
    pub(super) fn restart(&mut self, now: HeatInstant) {
        for acted in self.acted.values_mut() {
            *acted = now;
        }
        self.closing.take_if(|closing| closing.why == ClosingReason::Idle);
        self.changed = true;
    }

    /// Returns the instant at which the heat ends early or is to be checked.
    pub(super) fn deadline(&self) -> Option<HeatInstant> {
        self.closing.map(|closing| closing.ends).or(self.check)
    }
}
