//! Who is in a heat, in the order in which they came, and which of them is the host.

use super::MAX_PLAYERS;
use gridrace_shared::name::{PlayerId, PlayerName};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::heat::{Kind, Member, Roster};
use serde::{Deserialize, Serialize};

/// The members of a heat.
///
/// Whoever has a row in the standings stays a member until the rematch, so that the row
/// keeps its name; one whose connection is gone is merely not *here*.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Members {
    host: Option<PlayerId>,
    list: Vec<Entry>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    member: Member,
    /// The name's skeleton, kept because each newcomer is compared with all.
    skeleton: String,
}

impl Members {
    pub(super) const fn host(&self) -> Option<PlayerId> {
        self.host
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Member> {
        self.list.iter().map(|entry| &entry.member)
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Member> {
        self.list.iter_mut().map(|entry| &mut entry.member)
    }

    pub(super) fn get(&self, id: PlayerId) -> Option<&Member> {
        self.iter().find(|member| member.id == id)
    }

    pub(super) fn get_mut(&mut self, id: PlayerId) -> Option<&mut Member> {
        self.iter_mut().find(|member| member.id == id)
    }

    /// Says whether somebody is a member and connected.
    pub(super) fn is_here(&self, id: PlayerId) -> bool {
        self.get(id).is_some_and(|member| member.connected)
    }

    pub(super) fn role(&self, id: PlayerId) -> Option<Role> {
        self.get(id).map(|member| member.role)
    }

    /// Counts the players, lost ones with a row in the standings included.
    pub(super) fn players(&self) -> usize {
        self.iter()
            .filter(|member| member.role == Role::Player)
            .count()
    }

    /// Counts the spectators who are here.
    pub(super) fn spectators(&self) -> usize {
        let watches = |member: &&Member| member.role == Role::Spectator && member.connected;
        self.iter().filter(watches).count()
    }

    pub(super) fn has_spectators(&self) -> bool {
        self.spectators() > 0
    }

    /// Says whether one more could have a seat in the next heat (in the lobby: this one).
    pub(super) fn has_free_seat(&self) -> bool {
        let claims = |member: &&Member| {
            member.connected && (member.role == Role::Player || member.next_seat)
        };
        self.iter().filter(claims).count() < MAX_PLAYERS
    }

    pub(super) fn is_deserted(&self) -> bool {
        !self
            .iter()
            .any(|member| member.connected && is_from_outside(member))
    }

    /// Says whether a heat may begin without the host's word.
    pub(super) fn all_are_ready(&self) -> bool {
        let players = || self.iter().filter(|member| member.role == Role::Player);
        players().count() >= 2
            && players().any(is_from_outside)
            && players().all(|member| member.ready)
    }

    pub(super) fn is_name_taken(&self, name: &PlayerName) -> bool {
        let skeleton = name.skeleton();
        self.list.iter().any(|entry| entry.skeleton == skeleton)
    }

    /// Lets somebody in, and makes them the host where there is none.
    pub(super) fn add(&mut self, member: Member) {
        let skeleton = member.name.skeleton();
        self.list.push(Entry { member, skeleton });
        self.settle_host();
    }

    pub(super) fn remove(&mut self, id: PlayerId) {
        self.list.retain(|entry| entry.member.id != id);
        self.settle_host();
    }

    pub(super) fn disconnect(&mut self, id: PlayerId) {
        if let Some(member) = self.get_mut(id) {
            member.connected = false;
            member.ready = false;
            member.next_seat = false;
        }
        self.settle_host();
    }

    pub(super) fn remove_disconnected(&mut self) {
        self.list.retain(|entry| entry.member.connected);
    }

    /// Turns those who wait for a seat into players; their seats were counted when they
    /// asked.
    pub(super) fn seat_waiting(&mut self) {
        for member in self.iter_mut().filter(|member| member.next_seat) {
            member.next_seat = false;
            member.role = Role::Player;
        }
    }

    /// Takes everybody's word back; the server's bots are always ready.
    pub(super) fn unready(&mut self) {
        for member in self.iter_mut() {
            member.ready = !is_from_outside(member);
        }
    }

    pub(super) fn roster(&self) -> Roster {
        Roster {
            host: self.host,
            members: self.iter().cloned().collect(),
        }
    }

    /// Passes the host's part on where nobody who is here has it: to the first who came,
    /// players before spectators. The server's bots never have it.
    fn settle_host(&mut self) {
        let may_host = |member: &&Member| member.connected && is_from_outside(member);
        let stays = self
            .iter()
            .filter(may_host)
            .any(|member| Some(member.id) == self.host);
        if !stays {
            self.host = self
                .iter()
                .filter(may_host)
                .min_by_key(|member| member.role == Role::Spectator)
                .map(|member| member.id);
        }
    }
}

pub(super) fn is_from_outside(member: &Member) -> bool {
    match member.kind {
        Kind::Human | Kind::Bot => true,
        Kind::HouseBot(_) => false,
    }
}
