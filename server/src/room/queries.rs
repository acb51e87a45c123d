//! What others ask a room.

use super::Room;
use super::outbox::Outbox;
use crate::race::{OperatorDecisions, Race, TableStatus};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::protocol::server::Refusal;
use gridrace_shared::protocol::snapshot::RoomSummary;
use gridrace_shared::tournament::ids::TournamentName;
use std::net::IpAddr;
use std::sync::Arc;

impl Room {
    /// Returns whether a member is served through this outbox.
    pub fn has_member(&self, id: PlayerId, outbox: &Arc<Outbox>) -> bool {
        self.state().is_subscribed(id, outbox)
    }

    /// Returns how many members are connected, house bots included.
    pub fn members(&self) -> usize {
        self.query(Race::connected).unwrap_or(0)
    }

    /// Returns how many people are connected or have a seat that is kept.
    pub fn people(&self) -> usize {
        self.query(Race::people).unwrap_or(0)
    }

    /// Returns whether the rating of a heat's board is still of use.
    pub fn awaits_rating(&self, number: u32) -> bool {
        self.query(|race| race.awaits_rating(number)).unwrap_or(false)
    }

    /// Returns the room's entry in the public list; nothing for a private one.
    pub fn summary(&self) -> Option<RoomSummary> {
        self.query(|race| (!race.is_private()).then(|| race.summary())).flatten()
    }

    /// Returns what operators have decided of the room, which may be closed.
    pub fn operator_decisions(&self) -> OperatorDecisions {
        self.state().persisted.race.operator_decisions()
    }

    /// Returns whether a seat is reserved for a key's owner, and whether that is the host's.
    pub fn waits_for(&self, identity: Fingerprint) -> Option<bool> {
        self.query(|race| race.waits_for(identity)).flatten()
    }

    /// Returns whether a requested board is still of use.
    pub fn awaits_drawing(&self, ticket: u32) -> bool {
        self.query(|race| race.awaits_board(ticket)).unwrap_or(false)
    }

    pub fn phase_name(&self) -> &'static str {
        self.state().persisted.race.phase_name()
    }

    /// Returns how far the table is, if the room is one.
    pub fn table_status(&self) -> Option<TableStatus> {
        self.query(Race::table_status).flatten()
    }

    /// Returns the members of this table who have no seat, each with its key and its address.
    pub(crate) fn table_spectators(&self) -> Vec<(PlayerId, Option<Fingerprint>, Option<IpAddr>)> {
        self.query(Race::table_spectators).unwrap_or_default()
    }

    /// Returns the tournament and the key of a member who has a reserved seat at this table.
    pub(crate) fn reserved_seat(&self, id: PlayerId) -> Option<(TournamentName, Fingerprint)> {
        self.query(|race| race.reserved_seat(id)).flatten()
    }

    /// Returns the keys of the members of this table who have reserved seats, each with its address.
    pub(crate) fn seated_addresses(&self) -> Vec<(Fingerprint, Option<IpAddr>)> {
        self.query(Race::seated_addresses).unwrap_or_default()
    }

    /// Returns why a member may not change the room's image now.
    pub fn check_image(&self, by: PlayerId) -> Result<(), Refusal> {
        self.query(|race| race.check_image(by, self.now())).unwrap_or(Ok(()))
    }

    /// Returns why a member may not have a seat.
    pub fn check_seat(&self, by: PlayerId) -> Result<(), Refusal> {
        self.query(|race| race.check_seat(by)).unwrap_or(Ok(()))
    }

    /// Returns whether a seat of this table is reserved for a key.
    pub fn reserves(&self, key: Option<Fingerprint>) -> bool {
        self.query(|race| race.reserves(key)).unwrap_or(false)
    }

    /// Asks the race, unless the room is closed.
    pub(super) fn query<T>(&self, ask: impl FnOnce(&Race) -> T) -> Option<T> {
        let state = self.state();
        (!state.closed).then(|| ask(&state.persisted.race))
    }
}
