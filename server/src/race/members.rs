//! Who is in a heat, in the order in which they came, and which of them is the host.

use super::{MAX_PLAYERS, Newcomer};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::heat::resume_token::ResumeTokenHash;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::{Member, Roster};
use gridrace_shared::util::time::Millis;

/// The members of a heat.
///
/// One whose connection stands is *here*; one whose connection is lost is *away* until the
/// grace is over, and *present* all the same: the seat is theirs. After that, and after
/// leaving, whoever has a row in the standings stays a member until the rematch, so that the
/// row keeps its name, but is *gone*.
#[derive(Debug, Clone, Default)]
pub(super) struct Members {
    /// Who has the host's powers now.
    pub(super) host: Option<PlayerId>,
    /// Whose they are: the host's own while it is away and another one acts for it.
    pub(super) owner: Option<PlayerId>,
    pub(super) list: Vec<Entry>,
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) member: Member,
    /// The name's skeleton, kept because each newcomer is compared with all.
    pub(super) skeleton: String,
    /// Until when a lost connection may be taken up again.
    pub(super) away_until: Option<Millis>,
    /// By what; the server's own bots have nothing of the kind.
    pub(super) keys: Option<Keys>,
}

/// The tokens that take up a seat.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    pub(super) latest: ResumeTokenHash,
    /// The one by which the seat was taken up last, until the client is known to have the
    /// latest.
    pub(super) shown: Option<ResumeTokenHash>,
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

    /// Says whether somebody is here, or away and may come back.
    pub(super) fn is_present(&self, id: PlayerId) -> bool {
        self.entry(id).is_some_and(Entry::is_present)
    }

    /// Says whether the host's powers are this member's own, even while it is away.
    pub(super) fn is_owner(&self, id: PlayerId) -> bool {
        self.owner == Some(id)
    }

    /// Returns whose grace ends first, and when.
    pub(super) fn first_grace(&self) -> Option<(Millis, PlayerId)> {
        let graces = self.list.iter();
        graces.filter_map(|entry| Some((entry.away_until?, entry.member.id))).min()
    }

    pub(super) fn role(&self, id: PlayerId) -> Option<Role> {
        self.get(id).map(|member| member.role)
    }

    /// Counts the players, lost ones with a row in the standings included.
    pub(super) fn players(&self) -> usize {
        self.iter().filter(|member| member.role == Role::Player).count()
    }

    /// Counts the spectators who are here, or may come back.
    pub(super) fn spectators(&self) -> usize {
        self.present().filter(|member| member.role == Role::Spectator).count()
    }

    /// Says whether a spectator is here.
    pub(super) fn has_spectators(&self) -> bool {
        self.iter().any(|member| member.role == Role::Spectator && member.connected)
    }

    /// Says whether one more could have a seat in the next heat (in the lobby: this one).
    pub(super) fn has_free_seat(&self) -> bool {
        let claims = |member: &&Member| member.role == Role::Player || member.next_seat;
        self.present().filter(claims).count() < MAX_PLAYERS
    }

    pub(super) fn is_deserted(&self) -> bool {
        !self.present().any(is_from_outside)
    }

    /// Says whether a heat may begin without the host's word. One who is ready and away is
    /// waited for.
    pub(super) fn all_are_ready(&self) -> bool {
        let players = || self.iter().filter(|member| member.role == Role::Player);
        players().count() >= 2
            && players().any(is_from_outside)
            && players().all(|member| member.ready && member.connected)
    }

    pub(super) fn is_name_taken(&self, name: &PlayerName) -> bool {
        let (skeleton, shape) = (name.skeleton(), name.shape());
        self.list
            .iter()
            .any(|entry| entry.skeleton == skeleton || entry.member.name.shape() == shape)
    }

    /// Lets somebody in, and makes them the host where there is none.
    pub(super) fn add(&mut self, member: Member, token: Option<ResumeTokenHash>) {
        let skeleton = member.name.skeleton();
        let key = |latest| Keys { latest, shown: None };
        self.list.push(Entry { member, skeleton, away_until: None, keys: token.map(key) });
        self.settle_host();
    }

    /// Keeps a place until then.
    pub(super) fn lose(&mut self, id: PlayerId, until: Millis) {
        if let Some(entry) = self.entry_mut(id) {
            entry.member.connected = false;
            entry.away_until = Some(until);
        }
        self.settle_host();
    }

    /// Lets everybody who is away have until then.
    pub(super) fn wait_anew(&mut self, until: Millis) {
        for entry in &mut self.list {
            if let Some(away_until) = &mut entry.away_until {
                *away_until = until;
            }
        }
    }

    /// Says whether a token takes up a place. Every comparison is made, whatever comes of
    /// the first.
    pub(super) fn may_resume(&self, id: PlayerId, presented: &ResumeTokenHash) -> bool {
        let Some(entry) = self.entry(id).filter(|entry| entry.is_present()) else {
            return false;
        };
        let Some(keys) = &entry.keys else {
            return false;
        };
        let is_latest = keys.latest.is_same(presented);
        let is_shown = keys.shown.is_some_and(|shown| shown.is_same(presented));
        is_latest | is_shown
    }

    /// Takes up a place by a token that does; it stays good until the next is confirmed.
    pub(super) fn resume(
        &mut self,
        id: PlayerId,
        presented: &ResumeTokenHash,
        next: ResumeTokenHash,
    ) {
        self.seat_again(id, next, Some(*presented));
    }

    /// Returns whose place a newcomer takes up by the key that was proved: who is away, has the
    /// same key and the same name. A person may come by another name where no other member has
    /// that key; several who share one are told apart by their names, and bots always are.
    pub(super) fn returning(&self, newcomer: &Newcomer) -> Option<PlayerId> {
        let identity = newcomer.identity?;
        let of_key = || {
            let members = self.list.iter().filter(|entry| entry.is_present());
            members.filter(move |entry| entry.member.identity == Some(identity))
        };
        let plays = newcomer.role == Role::Player;
        let waits = |entry: &&Entry| entry.away_until.is_some() && entry.has_seat() == plays;
        let skeleton = newcomer.name.skeleton();
        let named = of_key().filter(waits).find(|entry| entry.skeleton == skeleton);
        let alone = || {
            let mut of_key = of_key();
            let only = of_key.next().filter(|_| !newcomer.bot)?;
            Some(only).filter(waits).filter(|_| of_key.next().is_none())
        };
        named.or_else(alone).map(|entry| entry.member.id)
    }

    /// Returns who is here and may be a newcomer itself, over a connection that is dead without
    /// anybody knowing: a person of the same key and name, with as much of a seat.
    pub(super) fn twin(&self, newcomer: &Newcomer) -> Option<PlayerId> {
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

    /// Says whether the place of somebody who is away waits for a key.
    pub(super) fn awaits_key(&self, id: PlayerId, identity: Fingerprint) -> bool {
        self.entry(id).is_some_and(|entry| {
            entry.away_until.is_some() && entry.member.identity == Some(identity)
        })
    }

    /// Says whether somebody who may be in the heat still proved this key.
    pub(super) fn has_key(&self, id: PlayerId, identity: Fingerprint) -> bool {
        let entry = self.entry(id).filter(|entry| entry.is_present());
        entry.is_some_and(|entry| entry.member.identity == Some(identity))
    }

    /// Takes up a place by its key: the tokens before are void.
    pub(super) fn come_back(&mut self, id: PlayerId, next: ResumeTokenHash) {
        self.seat_again(id, next, None);
    }

    /// Takes note that a member has the latest token.
    pub(super) fn confirm(&mut self, id: PlayerId) {
        if let Some(keys) = self.entry_mut(id).and_then(|entry| entry.keys.as_mut()) {
            keys.shown = None;
        }
    }

    pub(super) fn remove(&mut self, id: PlayerId) {
        self.list.retain(|entry| entry.member.id != id);
        self.settle_host();
    }

    /// Keeps nothing of somebody but the name.
    pub(super) fn retire(&mut self, id: PlayerId) {
        if let Some(entry) = self.entry_mut(id) {
            entry.away_until = None;
            entry.keys = None;
            entry.member.connected = false;
            entry.member.ready = false;
            entry.member.next_seat = false;
        }
        self.settle_host();
    }

    pub(super) fn remove_gone(&mut self) {
        self.list.retain(Entry::is_present);
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
        Roster { host: self.host, members: self.iter().cloned().collect() }
    }

    fn seat_again(
        &mut self,
        id: PlayerId,
        latest: ResumeTokenHash,
        shown: Option<ResumeTokenHash>,
    ) {
        if let Some(entry) = self.entry_mut(id) {
            entry.member.connected = true;
            entry.away_until = None;
            entry.keys = Some(Keys { latest, shown });
        }
        self.settle_host();
    }

    fn present(&self) -> impl Iterator<Item = &Member> {
        let present = self.list.iter().filter(|entry| entry.is_present());
        present.map(|entry| &entry.member)
    }

    fn entry(&self, id: PlayerId) -> Option<&Entry> {
        self.list.iter().find(|entry| entry.member.id == id)
    }

    fn entry_mut(&mut self, id: PlayerId) -> Option<&mut Entry> {
        self.list.iter_mut().find(|entry| entry.member.id == id)
    }

    /// Settles who has the host's powers: whose they are, where that one is here; else
    /// whoever has them by now; else the first who came, players before spectators. Once
    /// the owner is gone for good they are that one's own. The server's bots never have them.
    fn settle_host(&mut self) {
        self.owner = self.owner.filter(|&owner| self.is_present(owner));
        let here = |id: &PlayerId| self.is_here(*id);
        let first = || {
            self.iter()
                .filter(|member| member.connected && is_from_outside(member))
                .min_by_key(|member| member.role == Role::Spectator)
                .map(|member| member.id)
        };
        let acting = self.owner.filter(here).or(self.host.filter(here));
        self.host = acting.or_else(first);
        self.owner = self.owner.or(self.host);
    }
}

impl Entry {
    const fn is_present(&self) -> bool {
        self.member.connected || self.away_until.is_some()
    }

    /// Says whether it plays, or will in the next heat.
    fn has_seat(&self) -> bool {
        self.member.role == Role::Player || self.member.next_seat
    }
}

pub(super) fn is_from_outside(member: &Member) -> bool {
    match member.kind {
        PlayerKind::Human | PlayerKind::Bot => true,
        PlayerKind::HouseBot(_) => false,
    }
}
