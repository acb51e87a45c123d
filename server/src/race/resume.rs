//! Lost connections: a seat waits for its player, who comes back by a token, or by the key
//! where the token is lost with the program that had it.
//!
//! The race knows of tokens only by their hashes. Each resume brings the next token; the one
//! by which it was made stays good until the client says that the next has come, so that an
//! answer that got lost on its way locks nobody out.

use super::{Audience, Effect, Effects, HeatEvent, Newcomer, Race};
use crate::race::phase::Stage;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::resume_token::ResumeTokenHash;
use gridrace_shared::protocol::server::{Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::OwnSeat;
use gridrace_shared::util::time::Millis;

impl Race {
    /// Says whether this token takes up the seat of this member. The shell asks before it
    /// hands the seat over, so that nothing is written down of those who guess.
    #[must_use]
    pub fn may_resume(&self, by: PlayerId, presented: &ResumeTokenHash) -> bool {
        self.members.may_resume(by, presented)
    }

    /// Keeps the place of somebody whose connection is lost, until the grace is over.
    pub(super) fn lose(&mut self, by: PlayerId, out: &mut Effects) -> Result<(), Refusal> {
        let grace = Millis::from_seconds(self.options.grace_seconds.into());
        if grace == Millis(0) {
            self.report_player(by, HeatEvent::Disconnected { player: by }, out);
            self.depart(by, super::lobby::Departure::Expired, out);
            return Ok(());
        }
        out.push(Effect::Release { member: by });
        self.report_player(by, HeatEvent::Disconnected { player: by }, out);
        self.members.lose(by, self.now + grace);
        self.note_standings();
        self.tell_roster(out);
        Ok(())
    }

    /// Hands a seat to a new connection, whose first word is the snapshot.
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
        let was_here = self.members.is_here(by);
        self.members.resume(by, presented, next);
        self.hand_over(by, was_here, out);
        Ok(())
    }

    /// Returns whose seat a newcomer takes up by the key that was proved, if any: nobody's
    /// whose connection stands. The shell asks before it lets the newcomer in.
    #[must_use]
    pub fn returning(&self, newcomer: &Newcomer) -> Option<PlayerId> {
        self.members.returning(newcomer)
    }

    /// Returns who is here and may be a newcomer itself: a person of the same key and name. The
    /// shell takes that one's connection for lost if it has been silent.
    #[must_use]
    pub fn twin(&self, newcomer: &Newcomer) -> Option<PlayerId> {
        self.members.twin(newcomer)
    }

    /// Says whether a seat waits for a key's owner, and whether that is the host.
    #[must_use]
    pub fn waits_for(&self, identity: Fingerprint) -> Option<bool> {
        let waiting = self.members.iter().map(|member| member.id);
        waiting
            .filter(|&id| self.members.awaits_key(id, identity))
            .map(|id| self.members.is_owner(id))
            .max()
    }

    /// Hands a seat to somebody with its key, who is away or whose connection the shell takes for
    /// dead. The key is proved anew on each connection, so no
    /// token need stay good for an answer that gets lost.
    pub(super) fn come_back(
        &mut self,
        by: PlayerId,
        identity: Fingerprint,
        next: ResumeTokenHash,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        if self.members.has_key(by, identity) {
            let was_here = self.members.is_here(by);
            self.members.come_back(by, next);
            self.hand_over(by, was_here, out);
        }
        Ok(())
    }

    fn hand_over(&mut self, by: PlayerId, was_here: bool, out: &mut Effects) {
        if let Stage::Running(run) = &mut self.stage
            && let Some(seat) = run.seats.get_mut(&by)
        {
            seat.in_step();
        }
        self.recording.forget(by);
        out.send(by, self.joined(by));
        if !was_here {
            self.report_player(by, HeatEvent::Reconnected { player: by }, out);
            self.note_standings();
            let roster = ServerMessage::Roster(self.members.roster());
            out.broadcast(Audience::Others(by), roster);
        }
    }

    /// Makes the token before the latest void: the client has the latest.
    pub(super) fn confirm(&mut self, by: PlayerId) -> Result<(), Refusal> {
        self.members.confirm(by);
        Ok(())
    }

    /// Returns how far a player of a running heat is.
    pub(super) fn own_seat(&self, of: PlayerId) -> Option<OwnSeat> {
        let Stage::Running(run) = &self.stage else {
            return None;
        };
        let seat = run.seats.get(&of)?;
        Some(seat.own())
    }

    /// Notes for the next standings that somebody came or went.
    pub(super) fn note_standings(&mut self) {
        if let Stage::Running(run) = &mut self.stage {
            run.note(self.now);
        }
    }
}

impl super::seat::Seat {
    /// Returns what its player may know of it.
    pub(super) fn own(&self) -> OwnSeat {
        OwnSeat {
            board: self.board.clone(),
            seq: self.seq,
            state: self.state,
            moves: self.moves,
            hints: self.hints,
            penalty: self.penalty,
            hint: self.given.clone(),
            hint_pending: self.hint_pending,
        }
    }
}
