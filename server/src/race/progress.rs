//! A heat as whoever records it sees it: how far everybody is.

use super::Race;
use crate::race::phase::Stage;
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::standings::State;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::puzzle::Board;
use gridrace_shared::replay::Racer;
use gridrace_shared::util::time::Millis;
use serde::{Deserialize, Serialize};

/// How far a player is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Who.
    pub player: PlayerId,
    /// How many moves were played.
    pub acts: u32,
    /// How many hints were given.
    pub hints: u16,
    /// Whether the player is out without a finish.
    pub out: bool,
    /// Whether the connection stands.
    pub connected: bool,
    /// Whether the player is here, or may come back.
    pub present: bool,
}

impl Line {
    /// Returns how far everybody is at GO.
    #[must_use]
    pub const fn at_go(player: PlayerId) -> Self {
        Self { player, acts: 0, hints: 0, out: false, connected: true, present: true }
    }
}

impl Race {
    /// Returns the instant of GO and the board from which everybody started, from GO on.
    #[must_use]
    pub fn begun(&self) -> Option<(Millis, &Board)> {
        match &self.stage {
            Stage::Lobby | Stage::Drawing | Stage::Countdown { .. } => None,
            Stage::Running(run) => Some((run.go, &run.start)),
            Stage::Over(over) => Some((over.go, &over.result.start)),
        }
    }

    /// Returns the instant of the latest event, or of the heat's end once that is over.
    #[must_use]
    pub fn instant(&self) -> Millis {
        match &self.stage {
            Stage::Lobby | Stage::Drawing | Stage::Countdown { .. } | Stage::Running(_) => self.now,
            Stage::Over(over) => over.at,
        }
    }

    /// Returns where the heat's seed comes from.
    #[must_use]
    pub const fn origin(&self) -> SeedOrigin {
        self.secret.origin
    }

    /// Returns who has a row in the standings, in the order of their numbers.
    #[must_use]
    pub fn racers(&self) -> Vec<Racer> {
        let mut racers: Vec<Racer> = self
            .members
            .iter()
            .filter(|member| member.role == Role::Player && self.stage.has_row(member.id))
            .map(|member| Racer { id: member.id, name: member.name.clone(), kind: member.kind })
            .collect();
        racers.sort_by_key(|racer| racer.id);
        racers
    }

    /// Returns how far a player with a row in the standings is.
    #[must_use]
    pub fn line(&self, player: PlayerId) -> Option<Line> {
        let (acts, hints, state) = match &self.stage {
            Stage::Lobby | Stage::Drawing | Stage::Countdown { .. } => return None,
            Stage::Running(run) => {
                let seat = run.seats.get(&player)?;
                (seat.seq.0, seat.hints, seat.state)
            }
            Stage::Over(over) => {
                let mut rows = over.result.standings.iter();
                let row = rows.find(|row| row.player == player)?;
                (row.moves.acts, row.hints, row.state)
            }
        };
        Some(Line {
            player,
            acts,
            hints,
            out: state == State::Dnf,
            connected: self.members.is_here(player),
            present: self.members.is_present(player),
        })
    }
}
