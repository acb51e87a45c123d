//! The members of a room in the order of their joining, and the host.

use super::event::Newcomer;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::heat::resume_token::ResumeTokenHash;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::{Member, Roster};
use gridrace_shared::util::time::HeatInstant;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// The most players of a heat: what a standings list and a frame can hold.
pub const MAX_PLAYERS: usize = 32;
/// The most spectators of a room: each costs a copy of every frame.
pub const MAX_SPECTATORS: usize = 64;

/// The members of a room.
///
/// A member is *connected*; *disconnected* until the grace is over, with its seat kept; or *gone*:
/// a player with a row in the standings who left or didn't come back, and whose name stays until
/// the rematch. The first two are *present*.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Members {
    /// The member that has the host's powers now.
    pub(super) host: Option<PlayerId>,
    /// The member whose powers they are: the host that is disconnected while another one acts.
    pub(super) owner: Option<PlayerId>,
    pub(super) place: HostPlace,
    /// Whether the room is a standing one, whose host an operator is as soon as one is there.
    pub(super) is_standing: bool,
    pub(super) list: Vec<MemberEntry>,
}

/// What operators have decided of the host's place in a standing room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum HostPlace {
    /// The first who comes has it while no operator is there.
    Open,
    /// An operator has taken it: only operators have it, even while none is there.
    Reserved,
    /// An operator has given it to the owner, who has it also beside operators.
    Given,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct MemberEntry {
    pub(super) member: Member,
    /// The name's skeleton, kept because each newcomer is compared with all members.
    pub(super) skeleton: String,
    /// Whether the member came to watch, and hasn't asked for a seat or been made host since.
    pub(super) is_onlooker: bool,
    /// Nothing for house bots.
    pub(super) tokens: Option<ResumeTokens>,
    /// The address of its present or last connection, as [`Newcomer`] has it.
    pub(super) address: Option<IpAddr>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ResumeTokens {
    pub(super) latest: ResumeTokenHash,
    /// The token by which the seat was resumed last, until the client confirms the latest.
    pub(super) previous: Option<ResumeTokenHash>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Departure {
    Left,
    /// The member's connection was lost, and the grace is over.
    Expired,
    Kicked,
    Banned,
}

impl Members {
    pub(super) const fn new(is_standing: bool, is_reserved: bool) -> Self {
        let place = if is_reserved { HostPlace::Reserved } else { HostPlace::Open };
        Self { host: None, owner: None, place, is_standing, list: Vec::new() }
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

    pub(super) fn is_connected(&self, id: PlayerId) -> bool {
        self.get(id).is_some_and(|member| member.connected)
    }

    /// Returns whether a member is connected, or may come back.
    pub(super) fn is_present(&self, id: PlayerId) -> bool {
        self.entry(id).is_some_and(MemberEntry::is_present)
    }

    /// Returns whether the host's powers are this member's own, even while it is disconnected.
    pub(super) fn is_owner(&self, id: PlayerId) -> bool {
        self.owner == Some(id)
    }

    pub(super) fn is_operator(&self, id: PlayerId) -> bool {
        self.get(id).is_some_and(|member| member.operator)
    }

    /// Makes a member the owner of the host's powers; in a standing room an operator decides as
    /// well what becomes of the place.
    pub(super) fn set_owner(&mut self, id: PlayerId, place: Option<HostPlace>) {
        self.owner = Some(id);
        self.stop_looking_on(id);
        if let Some(place) = place.filter(|_| self.is_standing) {
            self.place = place;
        }
        self.update_host();
    }

    /// Makes a member the host while the owner is away.
    pub(super) fn set_acting_host(&mut self, id: PlayerId) {
        self.host = Some(id);
        self.stop_looking_on(id);
        self.update_host();
    }

    /// Notes that a member takes part.
    pub(super) fn stop_looking_on(&mut self, id: PlayerId) {
        if let Some(entry) = self.entry_mut(id) {
            entry.is_onlooker = false;
        }
    }

    pub(super) fn configure(&mut self, operators: &BTreeSet<Fingerprint>, is_standing: bool) {
        for member in self.iter_mut() {
            member.operator = member.identity.is_some_and(|key| operators.contains(&key));
        }
        self.is_standing = is_standing;
        if !is_standing {
            self.place = HostPlace::Open;
        }
        self.update_host();
    }

    /// Returns the member whose grace ends first, and when.
    pub(super) fn first_grace(&self) -> Option<(HeatInstant, PlayerId)> {
        self.iter().filter_map(|member| Some((member.away_until?, member.id))).min()
    }

    pub(super) fn role(&self, id: PlayerId) -> Option<Role> {
        self.get(id).map(|member| member.role)
    }

    /// Counts the players, gone ones with a row in the standings included.
    pub(super) fn players(&self) -> usize {
        self.iter().filter(|member| member.role == Role::Player).count()
    }

    pub(super) fn is_person(&self, id: PlayerId) -> bool {
        self.get(id).is_some_and(|member| member.kind == PlayerKind::Human)
    }

    /// Returns whether a member is a connected client of the kind that an idle player holds up.
    pub(super) fn is_waiting_client(&self, id: PlayerId) -> bool {
        let kind = self.kind_held_up();
        self.get(id).is_some_and(|member| member.connected && member.kind == kind)
    }

    /// Returns whether an idle player holds others up: another person, or where only bots are
    /// present, another bot from outside.
    pub(super) fn has_others_held_up(&self) -> bool {
        let kind = self.kind_held_up();
        self.present().filter(|member| member.kind == kind).nth(1).is_some()
    }

    fn kind_held_up(&self) -> PlayerKind {
        let is_person = |member: &Member| member.kind == PlayerKind::Human;
        if self.present().any(is_person) { PlayerKind::Human } else { PlayerKind::Bot }
    }

    /// Counts the connected people, whether they play or watch.
    pub(super) fn people(&self) -> usize {
        self.iter().filter(|member| counts_as_person(member) && member.connected).count()
    }

    /// Counts the people who are connected or whose seat is kept.
    pub(super) fn people_with_seats(&self) -> usize {
        let is_here = |member: &Member| member.connected || member.away_until.is_some();
        self.iter().filter(|member| counts_as_person(member) && is_here(member)).count()
    }

    pub(super) fn spectators(&self) -> usize {
        self.present().filter(|member| member.role == Role::Spectator).count()
    }

    pub(super) fn has_spectators(&self) -> bool {
        self.iter().any(|member| member.role == Role::Spectator && member.connected)
    }

    /// Returns whether there is a free seat in the next heat, which in the lobby is this one.
    pub(super) fn has_free_seat(&self) -> bool {
        let claims = |member: &&Member| member.role == Role::Player || member.next_seat;
        self.present().filter(claims).count() < MAX_PLAYERS
    }

    pub(super) fn is_deserted(&self) -> bool {
        !self.present().any(is_client)
    }

    /// Returns whether a heat may begin without the host's request. A ready player who is
    /// disconnected is waited for, and so is a host who watches.
    pub(super) fn all_are_ready(&self) -> bool {
        let players = || self.iter().filter(|member| member.role == Role::Player);
        let host = self.host.and_then(|host| self.role(host));
        host != Some(Role::Spectator)
            && players().count() >= 2
            && players().any(is_client)
            && players().all(|member| member.ready && member.connected)
    }

    /// Returns whether all connected people who play are ready for the next heat, at least one; where
    /// only bots play, all bots of clients.
    pub(super) fn all_want_rematch(&self) -> bool {
        let of_kind = |kind| {
            let players = self.iter().filter(|member| member.role == Role::Player);
            players.filter(move |member| member.connected && member.kind == kind)
        };
        let bots = of_kind(PlayerKind::Human).next().is_none();
        let kind = if bots { PlayerKind::Bot } else { PlayerKind::Human };
        of_kind(kind).next().is_some() && of_kind(kind).all(|member| member.ready)
    }

    pub(super) fn is_name_taken(&self, name: &PlayerName) -> bool {
        let (skeleton, shape) = (name.skeleton(), name.shape());
        self.list
            .iter()
            .any(|entry| entry.skeleton == skeleton || entry.member.name.shape() == shape)
    }

    /// Adds a member, and makes it the host if there is none.
    pub(super) fn add(
        &mut self,
        member: Member,
        token: Option<ResumeTokenHash>,
        address: Option<IpAddr>,
    ) {
        let skeleton = member.name.skeleton();
        let key = |latest| ResumeTokens { latest, previous: None };
        let is_onlooker = member.role == Role::Spectator && !member.next_seat;
        let tokens = token.map(key);
        self.list.push(MemberEntry { member, skeleton, is_onlooker, tokens, address });
        self.update_host();
    }

    pub(super) fn disconnect(&mut self, id: PlayerId, until: HeatInstant) {
        if let Some(entry) = self.entry_mut(id) {
            entry.member.connected = false;
            entry.member.away_until = Some(until);
        }
        self.update_host();
    }

    pub(super) fn extend_graces(&mut self, until: HeatInstant) {
        for member in self.iter_mut() {
            if let Some(away_until) = &mut member.away_until {
                *away_until = until;
            }
        }
    }

    /// Returns whether a token resumes a seat. All comparisons are made, so that the time taken
    /// tells nothing.
    pub(super) fn may_resume(&self, id: PlayerId, presented: &ResumeTokenHash) -> bool {
        let Some(entry) = self.entry(id).filter(|entry| entry.is_present()) else {
            return false;
        };
        let Some(tokens) = &entry.tokens else {
            return false;
        };
        let is_latest = tokens.latest.is_same(presented);
        let is_shown = tokens.previous.is_some_and(|previous| previous.is_same(presented));
        is_latest | is_shown
    }

    /// Returns the disconnected seat that a newcomer takes by the proven key: the one with the same
    /// key and the same name. A person may use another name if no other member has that key;
    /// members that share a key are told apart by their names, and bots always are.
    pub(super) fn vacant_seat_of(&self, newcomer: &Newcomer) -> Option<PlayerId> {
        let identity = newcomer.identity?;
        let of_key = || {
            let members = self.list.iter().filter(|entry| entry.is_present());
            members.filter(move |entry| entry.member.identity == Some(identity))
        };
        let plays = newcomer.role == Role::Player;
        let waits =
            |entry: &&MemberEntry| entry.member.away_until.is_some() && entry.has_seat() == plays;
        let skeleton = newcomer.name.skeleton();
        let named = of_key().filter(waits).find(|entry| entry.skeleton == skeleton);
        let alone = || {
            let mut of_key = of_key();
            let only = of_key.next().filter(|_| !newcomer.bot)?;
            Some(only).filter(waits).filter(|_| of_key.next().is_none())
        };
        named.or_else(alone).map(|entry| entry.member.id)
    }

    /// Returns the connected seat that may be the newcomer's own, over a dead connection: a
    /// person's with the same key, name and role.
    pub(super) fn connected_seat_of(&self, newcomer: &Newcomer) -> Option<PlayerId> {
        let identity = newcomer.identity.filter(|_| !newcomer.bot)?;
        let skeleton = newcomer.name.skeleton();
        let mut here = self.list.iter().filter(|entry| entry.member.connected);
        let twin = here.find(|entry| {
            entry.member.identity == Some(identity)
                && entry.skeleton == skeleton
                && entry.has_seat() == (newcomer.role == Role::Player)
        });
        twin.map(|entry| entry.member.id)
    }

    /// Returns whether a disconnected member's seat is reserved for a key.
    pub(super) fn awaits_key(&self, id: PlayerId, identity: Fingerprint) -> bool {
        self.entry(id).is_some_and(|entry| {
            entry.member.away_until.is_some() && entry.member.identity == Some(identity)
        })
    }

    /// Returns whether a present member proved this key.
    pub(super) fn has_key(&self, id: PlayerId, identity: Fingerprint) -> bool {
        let entry = self.entry(id).filter(|entry| entry.is_present());
        entry.is_some_and(|entry| entry.member.identity == Some(identity))
    }

    /// Returns the members that proved a key, gone ones included.
    pub(super) fn of_key(&self, key: Fingerprint) -> impl Iterator<Item = &Member> {
        self.iter().filter(move |member| member.identity == Some(key))
    }

    /// Returns the members who may be the same person, gone ones included: by the key, or by the
    /// address.
    pub(super) fn twins_of(&self, id: PlayerId) -> impl Iterator<Item = &Member> {
        let entry = self.entry(id);
        let key = entry.and_then(|entry| entry.member.identity);
        let address = entry.and_then(|entry| entry.address);
        let twins = self.list.iter().filter(move |other| {
            key.is_some_and(|key| other.member.identity == Some(key))
                || address.is_some_and(|address| other.address == Some(address))
        });
        twins.map(|entry| &entry.member)
    }

    pub(super) fn address_of(&self, id: PlayerId) -> Option<IpAddr> {
        self.entry(id)?.address
    }

    pub(super) fn set_address(&mut self, id: PlayerId, address: Option<IpAddr>) {
        if let Some(entry) = self.entry_mut(id) {
            entry.address = address;
        }
    }

    /// Notes that the client has the latest token.
    pub(super) fn confirm(&mut self, id: PlayerId) {
        if let Some(tokens) = self.entry_mut(id).and_then(|entry| entry.tokens.as_mut()) {
            tokens.previous = None;
        }
    }

    pub(super) fn rename(&mut self, id: PlayerId, name: PlayerName) {
        if let Some(entry) = self.entry_mut(id) {
            entry.skeleton = name.skeleton();
            entry.member.name = name;
        }
    }

    pub(super) fn remove(&mut self, id: PlayerId) {
        self.list.retain(|entry| entry.member.id != id);
        self.update_host();
    }

    /// Keeps nothing of a member but the name.
    pub(super) fn retire(&mut self, id: PlayerId) {
        if let Some(entry) = self.entry_mut(id) {
            entry.member.away_until = None;
            entry.tokens = None;
            entry.member.connected = false;
            entry.member.ready = false;
            entry.member.next_seat = false;
        }
        self.update_host();
    }

    pub(super) fn remove_gone(&mut self) {
        self.list.retain(MemberEntry::is_present);
    }

    /// Turns spectators who wait for a seat into players; their seats were counted when they asked.
    pub(super) fn seat_queued(&mut self) {
        for member in self.iter_mut().filter(|member| member.next_seat) {
            member.next_seat = false;
            member.role = Role::Player;
        }
    }

    /// Makes no client ready; house bots always are.
    pub(super) fn reset_ready(&mut self) {
        for member in self.iter_mut() {
            member.ready = !is_client(member);
        }
    }

    pub(super) fn roster(&self) -> Roster {
        Roster { host: self.host, members: self.iter().cloned().collect() }
    }

    /// Hands a seat to a new connection. `previous` is the token by which it was resumed, which
    /// stays valid until the latest is confirmed.
    pub(super) fn resume(
        &mut self,
        id: PlayerId,
        latest: ResumeTokenHash,
        previous: Option<ResumeTokenHash>,
    ) {
        if let Some(entry) = self.entry_mut(id) {
            entry.member.connected = true;
            entry.member.away_until = None;
            entry.tokens = Some(ResumeTokens { latest, previous });
        }
        self.update_host();
    }

    fn present(&self) -> impl Iterator<Item = &Member> {
        let present = self.list.iter().filter(|entry| entry.is_present());
        present.map(|entry| &entry.member)
    }

    fn entry(&self, id: PlayerId) -> Option<&MemberEntry> {
        self.list.iter().find(|entry| entry.member.id == id)
    }

    fn entry_mut(&mut self, id: PlayerId) -> Option<&mut MemberEntry> {
        self.list.iter_mut().find(|entry| entry.member.id == id)
    }

    /// Determines who has the host's powers: their owner if connected; else the present holder;
    /// else the client that joined first: people before bots, and players before spectators. Once the owner is gone for
    /// good, the holder owns them. In a standing room they are an operator's as [`HostPlace`] says.
    /// House bots never have them, and a screen that only watches leaves them to a client that
    /// plays.
    pub(super) fn update_host(&mut self) {
        self.owner = self.owner.filter(|&owner| self.is_present(owner));
        if self.place == HostPlace::Given && self.owner.is_none() {
            self.place = HostPlace::Open;
        }
        let here = |id: &PlayerId| self.is_connected(*id);
        let plays = |member: &Member| member.role == Role::Player && member.connected;
        let has_players = self.iter().any(|member| plays(member) && is_client(member));
        let looks_on = |id| self.entry(id).is_some_and(|entry| entry.is_onlooker);
        let may_have = |id: &PlayerId| match self.place {
            _ if self.is_operator(*id) => true,
            HostPlace::Reserved => false,
            HostPlace::Open | HostPlace::Given => !has_players || !looks_on(*id),
        };
        let decides = self.is_standing && self.place != HostPlace::Given;
        let operator = self.iter().find(|member| decides && member.operator && member.connected);
        let operator = operator.map(|member| member.id);
        let acts = |owner: &PlayerId| self.is_operator(*owner) && here(owner);
        let owner = self.owner.filter(|owner| operator.is_none() || acts(owner)).or(operator);
        let first = || {
            self.iter()
                .filter(|member| member.connected && is_client(member) && may_have(&member.id))
                .min_by_key(|member| {
                    (member.kind != PlayerKind::Human, member.role == Role::Spectator)
                })
                .map(|member| member.id)
        };
        let owner = owner.filter(may_have);
        let acting = owner.filter(here).or(self.host.filter(here).filter(may_have));
        let host = acting.or_else(first);
        self.host = host;
        self.owner = owner.or(host);
    }
}

impl MemberEntry {
    const fn is_present(&self) -> bool {
        self.member.connected || self.member.away_until.is_some()
    }

    /// Returns whether the member plays, or will in the next heat.
    fn has_seat(&self) -> bool {
        self.member.role == Role::Player || self.member.next_seat
    }
}

/// Returns whether a member is one of the people who are counted: a big screen is none.
fn counts_as_person(member: &Member) -> bool {
    member.kind == PlayerKind::Human && !member.name.is_screen()
}

pub(super) fn is_client(member: &Member) -> bool {
    match member.kind {
        PlayerKind::Human | PlayerKind::Bot => true,
        PlayerKind::HouseBot(_) => false,
    }
}
