//! The followers of a tournament, and the permission to watch its tables.

use super::handle::{
    Follower, Outgoing, Requester, SeatAddress, TournamentHandle, TournamentState,
};
use crate::platform::lock::lock;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::heat::pin::{Pin, RoomPin};
use gridrace_shared::protocol::server::Refusal;
use gridrace_shared::protocol::tournament::{
    TournamentError, TournamentSnapshot, TournamentUpdate,
};
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

/// Connections that may follow a tournament besides those of entrants and organisers: a hall's
/// audience.
const MAX_FOLLOWERS: usize = 4_096;
/// Connections of one key that may follow a tournament.
const MAX_FOLLOWERS_OF_ONE_KEY: usize = 8;

/// A connection that follows a tournament, until this is dropped.
#[derive(Debug)]
pub(crate) struct Following {
    pub(crate) tournament: Arc<TournamentHandle>,
    number: u64,
}

impl Following {
    /// Notes the key that the client has proved since, unless as many others as may follow have it.
    pub(crate) fn set_key(&self, key: Fingerprint) -> Result<(), TournamentError> {
        let noted = self.tournament.with_state(|state| {
            let is_other = |number: &u64| *number != self.number;
            let others = state.followers.iter().filter(|(number, _)| is_other(number));
            if others.filter(|(_, it)| it.key == Some(key)).count() >= MAX_FOLLOWERS_OF_ONE_KEY {
                return Err(TournamentError::TooManyFollowers);
            }
            if let Some(follower) = state.followers.get_mut(&self.number) {
                follower.key = Some(key);
            }
            Ok(())
        });
        noted.unwrap_or(Ok(()))
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let follower = lock(&self.tournament.state).followers.remove(&self.number);
        if let Some(Follower { outbox, .. }) = follower {
            outbox.drop_tournament_head(self.tournament.id());
        }
    }
}

impl TournamentHandle {
    /// Follows the tournament from now on; the snapshot comes first.
    pub(crate) fn follow(
        self: &Arc<Self>,
        requester: &Requester,
        pin: Option<&Pin>,
    ) -> Result<Following, TournamentError> {
        self.check_pin(requester, pin)?;
        let followed = self.with_state(|state| self.add_follower(state, requester));
        let number = followed.unwrap_or(Err(TournamentError::NoSuchTournament))?;
        Ok(Following { tournament: Arc::clone(self), number })
    }

    fn add_follower(
        &self,
        state: &mut TournamentState,
        requester: &Requester,
    ) -> Result<u64, TournamentError> {
        let key = requester.key;
        let is_known = |key: Option<Fingerprint>| key.is_some_and(|key| self.is_known(state, key));
        let of_key = state.followers.values().filter(|it| key.is_some() && it.key == key).count();
        let is_crowded = || {
            let others = state.followers.values().filter(|it| !is_known(it.key));
            state.followers.len() >= MAX_FOLLOWERS && others.count() >= MAX_FOLLOWERS
        };
        if of_key >= MAX_FOLLOWERS_OF_ONE_KEY || !is_known(key) && is_crowded() {
            return Err(TournamentError::TooManyFollowers);
        }
        let number = state.next_follower;
        state.next_follower += 1;
        let outbox = Arc::clone(&requester.outbox);
        let own_address = requester.own_address;
        let since = state.gate.next_seq();
        state.followers.insert(number, Follower { since, key, own_address, outbox });
        let operator = key.is_some_and(|key| self.is_operator(key));
        let snapshot = TournamentSnapshot {
            name: self.saved.name.clone(),
            plan: self.saved.plan.clone(),
            settings: self.saved.settings.clone(),
            epoch: self.saved.epoch,
            commitment: self.saved.secret.commitment(),
            organiser: state.runner.organiser(),
            head: state.runner.head(),
            you: state.runner.own_entry(key, operator),
        };
        // One that the driver is to call is called once its room has the seat.
        let key_to_call = key.filter(|key| !state.pending_calls.contains(key));
        let call = key_to_call.and_then(|key| state.runner.call_of(key));
        let updates = [
            Some(TournamentUpdate::Snapshot(Box::new(snapshot))),
            call.map(TournamentUpdate::Table),
        ];
        for update in updates.into_iter().flatten() {
            state.gate.push(Outgoing::To(Arc::clone(&requester.outbox), Box::new(update)));
        }
        state.gate.push(Outgoing::Recording(number));
        self.release_committed(state);
        Ok(number)
    }

    /// Returns whether a client may watch the table in a room. All tables of a round race the same boards,
    /// so two kinds of clients may not:
    ///
    /// - one whose key is that of an entrant who has these boards to race at another table;
    /// - one at the same address as such an entrant, who follows the tournament there or took the seat
    ///   there last: it may be a second screen of the entrant's. This doesn't concern the keys that
    ///   direct the tournament: an organiser often sits beside players.
    pub(crate) fn may_watch(
        &self,
        room: RoomCode,
        key: Option<Fingerprint>,
        own_address: Option<IpAddr>,
    ) -> bool {
        let may_watch = self.with_state(|state| {
            let races = |key: Fingerprint| state.runner.races_boards_of(key, room);
            let directs = key.is_some_and(|key| self.directs(state, key));
            let is_beside = |address: Option<IpAddr>| {
                own_address.is_some() && address == own_address && !directs
            };
            let followers = state.followers.values().filter(|it| is_beside(it.own_address));
            let seats = state.seat_addresses.iter().filter(|(_, it)| is_beside(Some(it.address)));
            let beside = followers.filter_map(|it| it.key).chain(seats.map(|(key, _)| *key));
            !key.into_iter().chain(beside).any(races)
        });
        // The tables of a broken one are closed.
        may_watch.unwrap_or(false)
    }

    /// Notes from where an entrant has taken its seat at a table, until that is closed. The driver sends
    /// away those who watch beside it.
    pub(crate) fn note_seat(&self, room: RoomCode, key: Fingerprint, own_address: Option<IpAddr>) {
        self.with_state(|state| {
            let Some(address) = own_address else {
                state.seat_addresses.remove(&key);
                return;
            };
            let before = state.seat_addresses.insert(key, SeatAddress { room, address });
            if before.is_none_or(|before| before.address != address) {
                state.new_seat_addresses.insert(address);
                self.waker.wake();
            }
        });
    }

    /// Returns the addresses from which entrants have taken their seats since the last call.
    pub(super) fn take_new_seat_addresses(&self) -> BTreeSet<IpAddr> {
        let taken = self.with_state(|state| std::mem::take(&mut state.new_seat_addresses));
        taken.unwrap_or_default()
    }

    /// Returns whether a key directs the tournament.
    pub(super) fn directs(&self, state: &TournamentState, key: Fingerprint) -> bool {
        self.is_operator(key) || state.runner.may_command(key)
    }

    fn is_known(&self, state: &TournamentState, key: Fingerprint) -> bool {
        self.directs(state, key) || state.runner.entrants().of_key(key).is_some()
    }

    /// Checks the PIN of a client that is neither entrant nor organiser.
    fn check_pin(&self, requester: &Requester, pin: Option<&Pin>) -> Result<(), TournamentError> {
        let Some(own) = self.saved.pin.clone() else { return Ok(()) };
        let is_known = |state: &mut TournamentState| {
            requester.key.is_some_and(|key| self.is_known(state, key))
        };
        if self.with_state(is_known).unwrap_or(false) {
            return Ok(());
        }
        let Some(pin) = pin else { return Err(TournamentError::NeedsPin) };
        let own = RoomPin::Known(own);
        let checked =
            self.pin_throttle
                .check(requester.address, requester.key, self.clock.now(), || own.admits(pin));
        checked.map_err(|why| {
            let is_throttled = why == Refusal::TooFast;
            if is_throttled { TournamentError::TooFast } else { TournamentError::WrongPin }
        })
    }
}
