//! Joining, leaving and seats: what members do besides racing.

use super::bot_names::free_bot_name;
use super::members::{Departure, is_client};
use super::{Audience, Effect, Effects, HeatEvent, MAX_SPECTATORS, Newcomer, Race};
use crate::race::phase::RacePhase;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::player_name::{NameError, PlayerName};
use gridrace_shared::heat::resume_token::ResumeTokenHash;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::{Farewell, Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::Member;
use gridrace_shared::replay::ExitReason;
use std::net::IpAddr;

impl Race {
    /// Admits a client, or refuses it. A number that is taken is a mistake of the shell, and
    /// changes nothing.
    pub(super) fn join(
        &mut self,
        id: PlayerId,
        newcomer: Newcomer,
        token: ResumeTokenHash,
        out: &mut Effects,
    ) {
        if self.members.get(id).is_some() {
            return;
        }
        let address = newcomer.address;
        match self.admit(id, newcomer) {
            Ok(member) => self.welcome(member, Some(token), address, out),
            Err(why) => {
                out.send(id, ServerMessage::Refused(why));
                out.push(Effect::Release { member: id });
            }
        }
    }

    pub(super) fn leave(&mut self, by: PlayerId, out: &mut Effects) -> Result<(), Refusal> {
        self.remove_member(by, Departure::Left, out);
        Ok(())
    }

    pub(super) fn set_ready(
        &mut self,
        by: PlayerId,
        ready: bool,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        // After the end of a heat a player may take back that it is ready for the next.
        if ready || !matches!(self.phase, RacePhase::Over(_)) {
            self.require_lobby()?;
        }
        let member = self.members.get_mut(by).ok_or(Refusal::NoSuchPlayer)?;
        if member.role != Role::Player {
            return Err(Refusal::NotSeated);
        }
        let ready = ready || !is_client(member);
        if std::mem::replace(&mut member.ready, ready) != ready {
            self.send_roster(out);
        }
        Ok(())
    }

    /// Adds a house bot. It gets its snapshot as any member, once the shell has started it.
    pub(super) fn add_bot(
        &mut self,
        by: Option<PlayerId>,
        id: PlayerId,
        skill: Skill,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        if let Some(by) = by {
            self.require_host(by)?;
        }
        self.require_lobby()?;
        // At a table the option is about the entrants.
        if !self.options.bots_allowed && self.table.is_none() {
            return Err(Refusal::NoBots);
        }
        if !self.has_seat_for_bot() || self.members.get(id).is_some() {
            return Err(Refusal::Full);
        }
        let is_entrant = |name: &_| self.table.as_ref().is_some_and(|it| it.has_name_like(name));
        let is_taken = |name: &_| self.members.is_name_taken(name) || is_entrant(name);
        let name = free_bot_name(is_taken).ok_or(Refusal::NameTaken)?;
        out.push(Effect::RunBot { id, skill });
        self.welcome(
            Member {
                id,
                name,
                kind: PlayerKind::HouseBot(skill),
                role: Role::Player,
                ready: true,
                next_seat: false,
                connected: true,
                identity: None,
                operator: false,
                away_until: None,
            },
            None,
            None,
            out,
        );
        Ok(())
    }

    /// Returns why a member may not have a seat: it has the name of a big screen. The shell asks before
    /// it applies [`super::Event::TakeSeat`], as earlier versions journalled such seats.
    pub fn check_seat(&self, by: PlayerId) -> Result<(), Refusal> {
        let name = self.members.get(by).map(|member| member.name.as_str());
        match name.and_then(PlayerName::of_screen) {
            Some(_) => Err(Refusal::Name(NameError::Reserved)),
            None => Ok(()),
        }
    }

    /// Gives a spectator a seat: in the lobby at once, else in the next heat. A member that has
    /// what it asks for keeps it.
    pub(super) fn take_seat(&mut self, by: PlayerId, out: &mut Effects) -> Result<(), Refusal> {
        let at_once = self.require_lobby().is_ok();
        let bots_allowed = self.options.bots_allowed;
        let has_free_seat = self.members.has_free_seat();
        let member = self.members.get_mut(by).ok_or(Refusal::NoSuchPlayer)?;
        if member.role == Role::Player || member.next_seat {
            return Ok(());
        }
        if member.kind != PlayerKind::Human && !bots_allowed {
            return Err(Refusal::NoBots);
        }
        if !has_free_seat {
            return Err(Refusal::Full);
        }
        if at_once {
            member.role = Role::Player;
            member.ready = !is_client(member);
        } else {
            member.next_seat = true;
        }
        self.members.stop_looking_on(by);
        self.send_roster(out);
        Ok(())
    }

    /// Takes a seat back: a spectator's in the next heat, or a player's own; but not between the
    /// start and the end of a heat, when players give up instead.
    pub(super) fn leave_seat(&mut self, by: PlayerId, out: &mut Effects) -> Result<(), Refusal> {
        let has_place = self.members.spectators() < MAX_SPECTATORS;
        let member = self.members.get_mut(by).ok_or(Refusal::NoSuchPlayer)?;
        match (member.role, &self.phase) {
            (Role::Spectator, _) if !member.next_seat => return Ok(()),
            (Role::Spectator, _) => member.next_seat = false,
            (
                Role::Player,
                RacePhase::Drawing | RacePhase::Countdown { .. } | RacePhase::Running(_),
            ) => {
                return Err(Refusal::WrongPhase);
            }
            (Role::Player, RacePhase::Lobby | RacePhase::Over(_)) if !has_place => {
                return Err(Refusal::Full);
            }
            (Role::Player, RacePhase::Lobby | RacePhase::Over(_)) => {
                member.role = Role::Spectator;
                member.ready = false;
            }
        }
        self.send_roster(out);
        Ok(())
    }

    /// Sends the roster, with the host that follows from the present roles.
    pub(super) fn send_roster(&mut self, out: &mut Effects) {
        self.members.update_host();
        out.broadcast(Audience::All, ServerMessage::Roster(self.members.roster()));
    }

    fn admit(&self, id: PlayerId, newcomer: Newcomer) -> Result<Member, Refusal> {
        let newcomer = self.seat_at_table(newcomer)?;
        let is_reserved = self.reserves(newcomer.identity);
        let Newcomer { name, bot, role, identity, address: _ } = newcomer;
        let wants_seat = role == Role::Player;
        let waits = wants_seat && !self.seats_newcomers();
        let watches = waits || !wants_seat;
        if self.is_banned(identity) {
            return Err(Refusal::Banned);
        }
        // An entrant of a table was admitted by the tournament, which keeps seat and name.
        if !is_reserved {
            if bot && wants_seat && !self.options.bots_allowed {
                return Err(Refusal::NoBots);
            }
            if (wants_seat && !self.members.has_free_seat())
                || (watches && self.members.spectators() >= MAX_SPECTATORS)
            {
                return Err(Refusal::Full);
            }
            if self.members.is_name_taken(&name) {
                return Err(Refusal::NameTaken);
            }
        }
        Ok(Member {
            id,
            name,
            kind: if bot { PlayerKind::Bot } else { PlayerKind::Human },
            role: if watches { Role::Spectator } else { Role::Player },
            ready: false,
            next_seat: waits,
            connected: true,
            identity,
            operator: self.is_operator_key(identity),
            away_until: None,
        })
    }

    /// Returns whether who joins now plays in the next heat to start; at a table until GO.
    const fn seats_newcomers(&self) -> bool {
        match self.phase {
            RacePhase::Lobby => true,
            RacePhase::Drawing | RacePhase::Countdown { .. } => self.table.is_some(),
            RacePhase::Running(_) | RacePhase::Over(_) => false,
        }
    }

    /// Adds a member: it gets the snapshot before the others get the roster.
    fn welcome(
        &mut self,
        member: Member,
        token: Option<ResumeTokenHash>,
        address: Option<IpAddr>,
        out: &mut Effects,
    ) {
        let id = member.id;
        let watches = member.role == Role::Spectator;
        self.members.add(member, token, address);
        if let RacePhase::Running(run) = &mut self.phase {
            run.activity.note_members_changed();
            if watches {
                // The rows that follow are told from these.
                out.push(Effect::DelayedStandings(run.feed.standings(self.now)));
            }
        }
        self.send_joined(id, out);
        out.broadcast(Audience::Others(id), ServerMessage::Roster(self.members.roster()));
    }

    /// Removes a member for good. A row in the standings stays, and with it the name, but the
    /// player no longer races.
    pub(super) fn remove_member(&mut self, who: PlayerId, how: Departure, out: &mut Effects) {
        self.untold_of_damage.remove(&who);
        let from_outside = self.members.get(who).is_some_and(is_client);
        // A disconnected member was released before.
        if self.members.is_connected(who) {
            out.push(match how {
                Departure::Kicked if from_outside => {
                    Effect::Dismiss { member: who, why: Farewell::Kicked }
                }
                Departure::Banned if from_outside => {
                    Effect::Dismiss { member: who, why: Farewell::Banned }
                }
                Departure::Left | Departure::Expired | Departure::Kicked | Departure::Banned => {
                    Effect::Release { member: who }
                }
            });
        }
        if self.phase.has_row(who) {
            self.members.retire(who);
        } else {
            self.members.remove(who);
        }
        let exit = match how {
            Departure::Left => ExitReason::Left,
            Departure::Expired => ExitReason::Expired,
            Departure::Kicked | Departure::Banned => ExitReason::SentAway,
        };
        self.report_player(who, HeatEvent::Out { player: who, exit }, out);
        if let RacePhase::Running(run) = &mut self.phase {
            run.activity.note_members_changed();
            if let Some(seat) = run.seats.get_mut(&who) {
                if seat.is_racing() {
                    seat.set_dnf();
                    run.activity.note_done(who, self.now);
                }
                run.row_changed(who, self.now, &self.members);
                self.show_boards_after(who, out);
            }
        }
        if self.held_by == Some(who) {
            // The next host decides; a bot would hold it for ever.
            self.held_by = self.members.host.filter(|&host| self.members.is_person(host));
            out.broadcast(Audience::All, ServerMessage::Setup(self.setup()));
        }
        self.send_roster(out);
    }

    pub(super) fn unseat_bots(&mut self, out: &mut Effects) {
        let bots: Vec<(PlayerId, PlayerKind)> = self
            .members
            .iter()
            .filter(|member| member.role == Role::Player && member.kind != PlayerKind::Human)
            .map(|member| (member.id, member.kind))
            .collect();
        for (id, kind) in bots {
            let may_watch = kind == PlayerKind::Bot && self.members.spectators() < MAX_SPECTATORS;
            if let Some(bot) = self.members.get_mut(id)
                && may_watch
            {
                bot.role = Role::Spectator;
                continue;
            }
            if self.members.is_connected(id) {
                if kind == PlayerKind::Bot {
                    out.send(id, ServerMessage::Refused(Refusal::NoBots));
                }
                out.push(Effect::Release { member: id });
            }
            self.members.remove(id);
        }
    }
}
