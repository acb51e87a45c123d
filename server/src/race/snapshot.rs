//! What a newcomer may know, and what the list of heats shows.
//!
//! The secret is in no part of it before the heat is over, and the board in none before
//! GO: neither is looked at here but through the phase that allows it.

use super::{MAX_PLAYERS, Race};
use crate::race::phase::{Over, Running, Stage};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::standings::Standings;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::{HeatSummary, Phase, PlayerBoard, Setup, Snapshot};

impl Race {
    /// Returns the heat's line in the server's list.
    #[must_use]
    pub fn summary(&self) -> HeatSummary {
        let count = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        HeatSummary {
            code: self.code,
            spec: self.options.spec,
            players: count(self.members.players()),
            spectators: count(self.members.spectators()),
            in_lobby: matches!(self.stage, Stage::Lobby) && self.members.players() < MAX_PLAYERS,
        }
    }

    pub(super) fn joined(&self, you: PlayerId) -> ServerMessage {
        ServerMessage::Joined { you, heat: Box::new(self.snapshot(you)) }
    }

    pub(super) fn setup(&self) -> Setup {
        Setup {
            number: self.number,
            options: self.options.clone(),
            seed: self.secret.origin,
            commitment: self.secret.secret.commitment(&self.options.spec),
        }
    }

    fn snapshot(&self, to: PlayerId) -> Snapshot {
        Snapshot {
            code: self.code,
            epoch: self.epoch,
            setup: self.setup(),
            roster: self.members.roster(),
            phase: self.phase(),
            standings: self.standings(),
            boards: self.boards(to),
            seat: self.own_seat(to),
            outage: self.outage,
        }
    }

    fn phase(&self) -> Phase {
        match &self.stage {
            Stage::Lobby => Phase::Lobby,
            Stage::Drawing => Phase::Drawing,
            Stage::Countdown { go, .. } => Phase::Countdown { go: *go },
            Stage::Running(run) => {
                let Running { go, ends, start, .. } = run.as_ref();
                Phase::Running { go: *go, ends: *ends, start: start.clone() }
            }
            Stage::Over(over) => Phase::Over(over.result.clone()),
        }
    }

    fn standings(&self) -> Option<Standings> {
        match &self.stage {
            Stage::Lobby | Stage::Drawing | Stage::Countdown { .. } => None,
            Stage::Running(run) => {
                Some(Standings { at: self.now, rows: run.standings(&self.members) })
            }
            Stage::Over(over) => {
                let Over { at, result, .. } = over.as_ref();
                Some(Standings { at: *at, rows: result.standings.clone() })
            }
        }
    }

    fn boards(&self, to: PlayerId) -> Vec<PlayerBoard> {
        match &self.stage {
            Stage::Running(run) if self.members.role(to) == Some(Role::Spectator) => {
                run.delayed.boards()
            }
            Stage::Lobby
            | Stage::Drawing
            | Stage::Countdown { .. }
            | Stage::Running(_)
            | Stage::Over(_) => Vec::new(),
        }
    }
}
