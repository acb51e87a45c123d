//! The snapshot for a new member, and the summary for the public list.
//!
//! Neither holds the secret before the heat is over, nor the board before GO: both are read through
//! the phase that allows it.

use super::seat::Seat;
use super::{Effects, Race};
use crate::race::phase::{Over, RacePhase, Running};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::standings::Standings;
use gridrace_shared::protocol::server::ServerMessage;
use gridrace_shared::protocol::snapshot::{
    Closing, Member, Phase, PlayerBoard, RoomPhase, RoomSummary, Setup, Snapshot,
};
use gridrace_shared::puzzle::PuzzleSpec;

impl Race {
    pub fn summary(&self) -> RoomSummary {
        let count = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        let host = self.members.host.and_then(|host| self.members.get(host));
        // A big screen that is alone there is the host for now, but it is not the screen's room.
        let host = host.filter(|host| !host.name.is_screen());
        RoomSummary {
            code: self.code,
            name: self.name.clone(),
            host: host.map(|host| host.name.clone()),
            spec: self.options.spec,
            phase: match self.phase {
                RacePhase::Lobby => RoomPhase::Lobby,
                RacePhase::Drawing | RacePhase::Countdown { .. } | RacePhase::Running(_) => {
                    RoomPhase::Racing
                }
                RacePhase::Over(_) => RoomPhase::Results,
            },
            people: count(self.members.people()),
            players: count(self.members.players()),
            spectators: count(self.members.spectators()),
            full: !self.members.has_free_seat(),
            needs_pin: self.pin.is_some(),
        }
    }

    /// Counts the people who lose something if the room ends: they are connected, or their seat is
    /// kept.
    pub fn people(&self) -> usize {
        self.members.people_with_seats()
    }

    pub const fn spec(&self) -> &PuzzleSpec {
        &self.options.spec
    }

    pub(super) fn joined(&self, you: PlayerId) -> ServerMessage {
        ServerMessage::Joined { you, room: Box::new(self.snapshot(you)) }
    }

    pub(super) fn setup(&self) -> Setup {
        Setup {
            number: self.number,
            options: self.options.clone(),
            seed: self.secret.origin,
            commitment: self.secret.secret.commitment(&self.options.spec),
            queued: self.queued.as_ref().map(|queued| queued.options.clone()),
            held_by: self.held_by,
            table: self.table_setup(),
        }
    }

    fn snapshot(&self, to: PlayerId) -> Snapshot {
        Snapshot {
            code: self.code,
            name: self.name.clone(),
            epoch: self.epoch,
            setup: self.setup(),
            roster: self.members.roster(),
            phase: self.phase(),
            standings: self.standings(to),
            boards: self.boards(to),
            seat: self.seat(to).map(Seat::own),
            outage: self.outage,
            closing: self.closing(),
        }
    }

    fn phase(&self) -> Phase {
        match &self.phase {
            RacePhase::Lobby => Phase::Lobby,
            RacePhase::Drawing => Phase::Drawing,
            RacePhase::Countdown { go, .. } => Phase::Countdown { go: *go },
            RacePhase::Running(run) => {
                let Running { go, ends, start, .. } = run.as_ref();
                Phase::Running { go: *go, ends: *ends, start: start.clone() }
            }
            RacePhase::Over(over) => Phase::Over(over.result.clone()),
        }
    }

    fn closing(&self) -> Option<Closing> {
        self.running()?.activity.closing
    }

    fn standings(&self, to: PlayerId) -> Option<Standings> {
        match &self.phase {
            RacePhase::Lobby | RacePhase::Drawing | RacePhase::Countdown { .. } => None,
            RacePhase::Running(run) if self.is_spectator(to) => Some(run.feed.standings(self.now)),
            RacePhase::Running(run) => {
                Some(Standings { at: self.now, rows: run.standings(&self.members) })
            }
            RacePhase::Over(over) => {
                let Over { at, result, .. } = over.as_ref();
                Some(Standings { at: *at, rows: result.standings.clone() })
            }
        }
    }

    /// Sends the boards to those who may watch from now on, as a player's race has ended.
    pub(super) fn show_boards_after(&self, player: PlayerId, out: &mut Effects) {
        for viewer in self.viewers_after(player) {
            out.send(viewer.id, ServerMessage::Boards(self.boards(viewer.id)));
        }
    }

    /// Returns the connected members who may watch since a player's race has ended: the player, and
    /// those with its key or address.
    pub(super) fn viewers_after(&self, player: PlayerId) -> impl Iterator<Item = &Member> {
        let twins = self.members.twins_of(player).filter(move |twin| twin.id != player);
        let members = self.members.get(player).into_iter().chain(twins);
        members.filter(|member| member.connected && self.may_watch(member.id))
    }

    pub(super) fn boards(&self, to: PlayerId) -> Vec<PlayerBoard> {
        if let RacePhase::Running(run) = &self.phase
            && self.may_watch(to)
        {
            run.feed.boards()
        } else {
            Vec::new()
        }
    }
}
