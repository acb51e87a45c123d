//! Lost connections: a seat is kept for its player, who resumes it by a token, or by the key if the
//! token is lost with the program that had it.
//!
//! The race knows only the tokens' hashes. Each resume brings the next token; the one it was made
//! by stays valid until the client confirms the next, so that a lost answer locks no client out.

use super::members::Departure;
use super::{Audience, Effect, Effects, HeatEvent, Newcomer, Race};
use crate::race::phase::RacePhase;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::resume_token::ResumeTokenHash;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::OwnSeat;
use gridrace_shared::util::time::Millis;
use std::collections::BTreeSet;
use std::net::IpAddr;

impl Race {
    /// Returns whether this token resumes this member's seat. The shell asks before it resumes the
    /// seat, so that guesses are never journalled.
    pub fn may_resume(&self, by: PlayerId, presented: &ResumeTokenHash) -> bool {
        self.members.may_resume(by, presented)
    }

    /// Keeps the seat of a member whose connection is lost until the grace is over.
    pub(super) fn disconnect(&mut self, by: PlayerId, out: &mut Effects) -> Result<(), Refusal> {
        let grace = Millis::from_seconds(self.options.grace_seconds.into());
        if grace == Millis(0) {
            self.report_player(by, HeatEvent::Disconnected { player: by }, out);
            self.remove_member(by, Departure::Expired, out);
            return Ok(());
        }
        out.push(Effect::Release { member: by });
        self.report_player(by, HeatEvent::Disconnected { player: by }, out);
        self.members.disconnect(by, self.now + grace);
        self.note_presence(by);
        self.send_roster(out);
        Ok(())
    }

    /// Hands a seat to a new connection, whose first message is the snapshot.
    pub(super) fn resume(
        &mut self,
        by: PlayerId,
        presented: &ResumeTokenHash,
        next: ResumeTokenHash,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        if !self.members.may_resume(by, presented) {
            return Ok(());
        }
        let was_here = self.members.is_connected(by);
        self.members.resume(by, next, Some(*presented));
        self.restore_seat(by, was_here, out);
        Ok(())
    }

    /// Returns the address of a member's present or last connection, as [`Newcomer`] has it.
    pub fn address_of(&self, id: PlayerId) -> Option<IpAddr> {
        self.members.address_of(id)
    }

    /// Notes the address of the connection that is about to take a member's seat. Who may watch from now on,
    /// the member or another one at the earlier address, gets the boards.
    pub(super) fn change_address(
        &mut self,
        member: PlayerId,
        address: Option<IpAddr>,
        out: &mut Effects,
    ) {
        let before = self.watchers();
        self.members.set_address(member, address);
        for id in self.watchers().difference(&before) {
            out.send(*id, ServerMessage::Boards(self.boards(*id)));
        }
    }

    /// Returns the connected members who may watch the running heat.
    fn watchers(&self) -> BTreeSet<PlayerId> {
        let connected = self.members.iter().filter(|member| member.connected);
        let watch = connected.map(|member| member.id).filter(|&id| self.may_watch(id));
        if self.is_running() { watch.collect() } else { BTreeSet::new() }
    }

    /// Returns the disconnected seat that a newcomer takes by the proven key, or a reserved one of a
    /// table whether or not it is connected. The shell asks before it admits the newcomer.
    pub fn seat_to_return_to(&self, newcomer: &Newcomer) -> Option<PlayerId> {
        if self.reserves(newcomer.identity) {
            return self.member_at_table(newcomer);
        }
        self.members.vacant_seat_of(newcomer)
    }

    /// Returns the connected seat that may be the newcomer's own: a person's with the same key and
    /// name. The shell takes its connection for dead if that has been silent.
    pub fn connected_seat_of(&self, newcomer: &Newcomer) -> Option<PlayerId> {
        self.members.connected_seat_of(newcomer)
    }

    /// Returns whether a seat is reserved for a key, and whether that is the host's.
    pub fn waits_for(&self, identity: Fingerprint) -> Option<bool> {
        let waiting = self.members.iter().map(|member| member.id);
        waiting
            .filter(|&id| self.members.awaits_key(id, identity))
            .map(|id| self.members.is_owner(id))
            .max()
    }

    /// Hands a seat to a client with its key. The key is proved anew on each connection, so no
    /// earlier token need stay valid.
    pub(super) fn return_by_key(
        &mut self,
        by: PlayerId,
        identity: Fingerprint,
        next: ResumeTokenHash,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        if self.members.has_key(by, identity) {
            let was_here = self.members.is_connected(by);
            self.members.resume(by, next, None);
            self.restore_seat(by, was_here, out);
        }
        Ok(())
    }

    fn restore_seat(&mut self, by: PlayerId, was_here: bool, out: &mut Effects) {
        if let RacePhase::Running(run) = &mut self.phase
            && let Some(seat) = run.seats.get_mut(&by)
        {
            seat.reset_gap();
        }
        self.recording.forget(by);
        self.host_informed.remove(&by);
        self.note_action(by, out);
        if let RacePhase::Running(run) = &self.phase
            && self.is_spectator(by)
        {
            // As for a newcomer.
            out.push(Effect::DelayedStandings(run.feed.standings(self.now)));
        }
        self.send_joined(by, out);
        if !was_here {
            self.report_player(by, HeatEvent::Reconnected { player: by }, out);
            self.note_presence(by);
            let roster = ServerMessage::Roster(self.members.roster());
            out.broadcast(Audience::Others(by), roster);
        }
    }

    /// Voids the token before the latest: the client has the latest.
    pub(super) fn confirm(&mut self, by: PlayerId) -> Result<(), Refusal> {
        self.members.confirm(by);
        Ok(())
    }

    /// Notes that a member's connection was lost or restored.
    fn note_presence(&mut self, member: PlayerId) {
        if let RacePhase::Running(run) = &mut self.phase {
            run.activity.note_members_changed();
            run.row_changed(member, self.now, &self.members);
        }
    }
}

impl super::seat::Seat {
    /// Returns what the player may know of the seat.
    pub(super) fn own(&self) -> OwnSeat {
        OwnSeat {
            board: self.board.clone(),
            seq: self.seq,
            state: self.state,
            moves: self.moves,
            hints: self.hints,
            penalty: self.penalty,
            hint: self.given.as_deref().cloned(),
            hint_pending: self.hint_pending.is_some(),
        }
    }
}
