//! Whether the heats are recorded, and what the host was told of it.

use super::{Effects, Race};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::protocol::server::ServerMessage;

/// Whether the store records. A host who was told nothing assumes that it does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recording {
    recorded: bool,
    /// The host who was told last, and what.
    told: Option<(PlayerId, bool)>,
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

impl Race {
    /// Returns whether the race believes that it is recorded.
    #[must_use]
    pub const fn is_recorded(&self) -> bool {
        self.recording.recorded
    }

    pub(super) const fn set_recorded(&mut self, recorded: bool) {
        self.recording.recorded = recorded;
    }

    /// Tells the host, once, that nothing is recorded, and that it is again.
    pub(super) fn notify_host(&mut self, out: &mut Effects) {
        let Recording { recorded, told } = &mut self.recording;
        let host = self.members.host();
        *told = told.filter(|&(who, _)| Some(who) == host);
        let assumed = told.is_none_or(|(_, recorded)| recorded);
        if let Some(host) = host
            && assumed != *recorded
        {
            *told = Some((host, *recorded));
            let message =
                if *recorded { ServerMessage::Recorded } else { ServerMessage::Unrecorded };
            out.send(host, message);
        }
    }
}
