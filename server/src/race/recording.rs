//! The state of recording, and the last notice of it to the host.

use gridrace_shared::heat::ids::PlayerId;

/// Whether the store records. A host who was told nothing assumes that it does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recording {
    pub(super) recorded: bool,
    /// The host who was told last, and what.
    pub(super) told: Option<(PlayerId, bool)>,
}

impl Default for Recording {
    fn default() -> Self {
        Self { recorded: true, told: None }
    }
}

impl Recording {
    /// Forgets what a member was told: its client starts anew.
    pub(super) fn forget(&mut self, member: PlayerId) {
        self.told = self.told.filter(|&(told, _)| told != member);
    }
}
