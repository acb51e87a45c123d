//! The powers of the host and of operators, in every phase.
//!
//! The *owner* of the host's powers is the host, or the host that is away while another member acts
//! for it. An operator has the powers in every room, and no host removes an operator or undoes what
//! one holds.

use super::members::{Departure, HostPlace, is_client};
use super::{Audience, Effects, Race};
use crate::race::phase::RacePhase;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::pin::RoomPin;
use gridrace_shared::heat::short_text::Announcement;
use gridrace_shared::protocol::server::{RecordingStatus, Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::Ban;
use gridrace_shared::puzzle::picture::room_image::RoomImage;
use gridrace_shared::util::time::HeatInstant;
use std::collections::BTreeSet;

/// Most keys that are banned from a room at once; a further one takes the place of the oldest that a
/// host has banned.
pub(super) const MAX_BANS: usize = 64;

impl Race {
    /// Returns whether a key may not join.
    pub(super) fn is_banned(&self, key: Option<Fingerprint>) -> bool {
        self.banned.iter().any(|ban| Some(ban.key) == key)
    }

    pub(super) fn require_host(&self, by: PlayerId) -> Result<(), Refusal> {
        if self.has_host_powers(by) { Ok(()) } else { Err(Refusal::NotHost) }
    }

    /// Refuses a host what an operator has decided: to hold the start.
    pub(super) fn require_hold_of(&self, by: PlayerId) -> Result<(), Refusal> {
        let is_held = self.held_by.is_some_and(|holder| self.members.is_operator(holder));
        if is_held && !self.members.is_operator(by) {
            return Err(Refusal::OperatorOnly);
        }
        Ok(())
    }

    /// Ends the running heat; players who still race are placed by their progress.
    pub(super) fn end_heat(&mut self, by: PlayerId, out: &mut Effects) -> Result<(), Refusal> {
        self.require_host(by)?;
        let RacePhase::Running(_) = self.phase else {
            return Err(Refusal::WrongPhase);
        };
        self.end_early(self.now, out);
        Ok(())
    }

    /// Removes a member, also one that may still come back. The host can't remove itself.
    pub(super) fn kick(
        &mut self,
        by: PlayerId,
        player: PlayerId,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        self.require_removable(by, player)?;
        self.remove_member(player, Departure::Kicked, out);
        Ok(())
    }

    /// Removes a member, and keeps its key out. One without a key is only removed.
    pub(super) fn ban(
        &mut self,
        by: PlayerId,
        player: PlayerId,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        self.require_removable(by, player)?;
        let member = self.members.get(player);
        let Some((key, name)) =
            member.and_then(|member| Some((member.identity?, member.name.clone())))
        else {
            self.remove_member(player, Departure::Banned, out);
            return Ok(());
        };
        let by_operator = self.members.is_operator(by);
        // All of the key go, and so none of them may be one whom the host can't remove.
        for twin in self.members.of_key(key).filter(|twin| twin.id != by) {
            if self.members.is_owner(twin.id) && !by_operator {
                return Err(Refusal::NotHost);
            }
        }
        let before = self.banned.iter().position(|ban| ban.key == key);
        let before = before.map(|at| self.banned.remove(at).by_operator);
        if self.banned.len() >= MAX_BANS {
            // No host pushes out what operators have banned, as long as there is another.
            let oldest = self.banned.iter().position(|ban| !ban.by_operator);
            self.banned.remove(oldest.unwrap_or(0));
        }
        self.banned.push(Ban { key, name, by_operator: by_operator || before == Some(true) });
        self.host_informed.clear();
        let of_key: Vec<PlayerId> = self.members.of_key(key).map(|member| member.id).collect();
        for twin in of_key {
            if twin != by && self.members.is_present(twin) {
                self.remove_member(twin, Departure::Banned, out);
            }
        }
        Ok(())
    }

    /// Lets a key join again. What an operator has banned, only an operator lets in.
    pub(super) fn unban(
        &mut self,
        by: PlayerId,
        key: Fingerprint,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        self.require_host(by)?;
        let at = self.banned.iter().position(|ban| ban.key == key).ok_or(Refusal::NotBanned)?;
        if self.banned.iter().any(|ban| ban.key == key && ban.by_operator)
            && !self.members.is_operator(by)
        {
            return Err(Refusal::OperatorOnly);
        }
        self.banned.remove(at);
        // Also where nothing is left to tell a newcomer.
        for &member in &self.host_informed {
            out.send(member, self.host_info());
        }
        Ok(())
    }

    /// Holds the start, or lets it go. During the countdown the room goes back to the lobby, and
    /// those who were ready stay so.
    pub(super) fn hold(
        &mut self,
        by: PlayerId,
        hold: bool,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        self.require_host(by)?;
        self.require_hold_of(by)?;
        let held_by = hold.then_some(by);
        if self.held_by != held_by {
            self.held_by = held_by;
            out.broadcast(Audience::All, ServerMessage::Setup(self.setup()));
        }
        if let RacePhase::Drawing | RacePhase::Countdown { .. } = self.phase
            && hold
        {
            self.return_to_lobby(out);
        }
        Ok(())
    }

    /// Makes a connected client the host. An acting host hands over no more than it has: the owner
    /// stays the owner.
    pub(super) fn hand_over(
        &mut self,
        by: PlayerId,
        player: PlayerId,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        self.require_host(by)?;
        let to = self.members.get(player).filter(|member| member.connected && is_client(member));
        if to.is_none() {
            return Err(Refusal::NoSuchPlayer);
        }
        if self.members.is_operator(by) {
            let place = if by == player { HostPlace::Reserved } else { HostPlace::Given };
            self.members.set_owner(player, Some(place));
        } else if self.members.is_owner(by) {
            self.members.set_owner(player, None);
        } else {
            self.members.set_acting_host(player);
        }
        self.send_roster(out);
        Ok(())
    }

    pub(super) fn announce(
        &self,
        by: PlayerId,
        text: Announcement,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        self.require_host(by)?;
        out.broadcast(Audience::All, ServerMessage::Announcement { by, text });
        Ok(())
    }

    /// Returns why a member may not change the room's image at an instant. The shell asks before it
    /// applies [`super::Event::Image`], so that images that are refused are never journalled.
    pub fn check_image(&self, by: PlayerId, now: HeatInstant) -> Result<(), Refusal> {
        if self.is_table() {
            return Err(Refusal::TournamentDecides);
        }
        self.require_host(by)?;
        if !self.is_private() {
            return Err(Refusal::ImageNotPrivate);
        }
        // Tiles keep their look during a heat.
        let (RacePhase::Lobby | RacePhase::Over(_)) = self.phase else {
            return Err(Refusal::WrongPhase);
        };
        if self.host_image.may_change(now) { Ok(()) } else { Err(Refusal::TooFast) }
    }

    pub(super) fn set_image(
        &mut self,
        by: PlayerId,
        image: Option<RoomImage>,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        self.check_image(by, self.now)?;
        self.change_image(image, out);
        Ok(())
    }

    /// Takes the image back if the room has become one that strangers find.
    pub(super) fn drop_image_if_listed(&mut self, out: &mut Effects) {
        if !self.is_private() {
            self.change_image(None, out);
        }
    }

    /// Sends a member its snapshot, the image if the room has one, and word of damage to the journal
    /// since the member was here.
    pub(super) fn send_joined(&mut self, to: PlayerId, out: &mut Effects) {
        out.send(to, self.joined(to));
        if self.host_image.image.is_some() && self.members.get(to).is_some_and(is_client) {
            out.send(to, ServerMessage::Image(self.host_image.image.clone()));
        }
        if self.untold_of_damage.remove(&to) {
            out.send(to, ServerMessage::Recording(RecordingStatus::Damaged));
        }
    }

    fn change_image(&mut self, image: Option<RoomImage>, out: &mut Effects) {
        if self.host_image.change(image.clone(), self.now) {
            out.broadcast(Audience::All, ServerMessage::Image(image));
        }
    }

    /// Takes over whom the server obeys now.
    pub(super) fn configure(
        &mut self,
        operators: BTreeSet<Fingerprint>,
        is_standing: bool,
        out: &mut Effects,
    ) {
        self.operators = operators;
        self.members.configure(&self.operators, is_standing);
        self.send_roster(out);
    }

    /// Tells PIN and bans, if there are any, to each who has the host's powers, once a connection
    /// and again when they change.
    pub(super) fn inform_hosts(&mut self, out: &mut Effects) {
        if !matches!(self.pin, Some(RoomPin::Known(_))) && self.banned.is_empty() {
            return;
        }
        let may_know = |member: PlayerId| {
            self.members.is_connected(member)
                && (self.members.host == Some(member) || self.members.is_operator(member))
        };
        let mut informed = std::mem::take(&mut self.host_informed);
        informed.retain(|&member| may_know(member));
        for member in self.members.iter().map(|member| member.id) {
            if may_know(member) && informed.insert(member) {
                out.send(member, self.host_info());
            }
        }
        self.host_informed = informed;
    }

    fn host_info(&self) -> ServerMessage {
        let pin = match &self.pin {
            Some(RoomPin::Known(pin)) => Some(pin.clone()),
            Some(RoomPin::Hashed(_)) | None => None,
        };
        ServerMessage::HostInfo { pin, banned: self.banned.clone() }
    }

    /// Refuses to remove the host itself, operators, and the owner of an acting host's powers.
    fn require_removable(&self, by: PlayerId, player: PlayerId) -> Result<(), Refusal> {
        self.require_host(by)?;
        if by == player || !self.members.is_present(player) {
            return Err(Refusal::NoSuchPlayer);
        }
        if self.members.is_operator(player) {
            return Err(Refusal::OperatorOnly);
        }
        if self.members.is_owner(player) && !self.members.is_operator(by) {
            return Err(Refusal::NotHost);
        }
        Ok(())
    }
}
