//! Coming and going, options, seats: what people do besides racing.

use super::members::is_from_outside;
use super::names::free_name;
use super::{Audience, Effect, Effects, HeatEvent, HeatSecret, MAX_SPECTATORS, Newcomer, Race};
use crate::race::phase::Stage;
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::player_kind::PlayerKind;
use gridrace_shared::heat::resume_token::ResumeTokenHash;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::{Farewell, Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::Member;
use gridrace_shared::replay::ExitReason;

/// How somebody goes for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Departure {
    /// The member said so.
    Left,
    /// The member's connection was lost, and the grace is over.
    Expired,
    /// By the host's.
    Kicked,
}

impl Race {
    /// Lets somebody in, or tells them why not. A number that is here already is the
    /// shell's mistake, and changes nothing.
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
        match self.admit(id, newcomer) {
            Ok(member) => self.welcome(member, Some(token), out),
            Err(why) => {
                out.send(id, ServerMessage::Refused(why));
                out.push(Effect::Release { member: id });
            }
        }
    }

    pub(super) fn leave(&mut self, by: PlayerId, out: &mut Effects) -> Result<(), Refusal> {
        self.depart(by, Departure::Left, out);
        Ok(())
    }

    /// Sends somebody away, also one who may still come back. The host can't do it to itself,
    /// nor whoever acts for the host to the host.
    pub(super) fn kick(
        &mut self,
        by: PlayerId,
        player: PlayerId,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        self.require_host(by)?;
        if by == player || !self.members.is_present(player) {
            return Err(Refusal::NoSuchPlayer);
        }
        if self.members.is_owner(player) {
            return Err(Refusal::NotHost);
        }
        self.depart(player, Departure::Kicked, out);
        Ok(())
    }

    /// Sets the options, and a new draw with them. Everybody agreed to something else, so
    /// nobody from outside is ready any more.
    ///
    /// Where bots lose their right to a seat, the server's go, and those from outside
    /// watch; one for whom there is no place left to watch from is out.
    pub(super) fn set_options(
        &mut self,
        by: PlayerId,
        options: HeatOptions,
        secret: HeatSecret,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        self.require_host(by)?;
        self.require_lobby()?;
        options.check().map_err(Refusal::Options)?;
        self.options = options;
        self.secret = secret;
        self.members.unready();
        if !self.options.bots_allowed {
            self.unseat_bots(out);
        }
        out.broadcast(Audience::Everybody, ServerMessage::Setup(self.setup()));
        self.tell_roster(out);
        Ok(())
    }

    pub(super) fn set_ready(
        &mut self,
        by: PlayerId,
        ready: bool,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        self.require_lobby()?;
        let member = self.members.get_mut(by).ok_or(Refusal::NoSuchPlayer)?;
        if member.role != Role::Player {
            return Err(Refusal::NotSeated);
        }
        let ready = ready || !is_from_outside(member);
        if std::mem::replace(&mut member.ready, ready) != ready {
            self.tell_roster(out);
        }
        Ok(())
    }

    /// Seats a bot of the server's. It gets its snapshot like everybody else, once the
    /// shell has started it.
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
        if !self.options.bots_allowed {
            return Err(Refusal::NoBots);
        }
        if !self.members.has_free_seat() || self.members.get(id).is_some() {
            return Err(Refusal::Full);
        }
        let name = free_name(&self.members).ok_or(Refusal::NameTaken)?;
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
            },
            None,
            out,
        );
        Ok(())
    }

    /// Gives a spectator a seat: in the lobby at once, else in the next heat. Whoever has
    /// what they ask for keeps it.
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
            member.ready = !is_from_outside(member);
        } else {
            member.next_seat = true;
        }
        self.tell_roster(out);
        Ok(())
    }

    /// Takes a seat back: of a spectator the one in the next heat; of a player theirs,
    /// but not between the start and the end of a heat: there is giving up for that.
    pub(super) fn leave_seat(&mut self, by: PlayerId, out: &mut Effects) -> Result<(), Refusal> {
        let has_place = self.members.spectators() < MAX_SPECTATORS;
        let member = self.members.get_mut(by).ok_or(Refusal::NoSuchPlayer)?;
        match (member.role, &self.stage) {
            (Role::Spectator, _) if !member.next_seat => return Ok(()),
            (Role::Spectator, _) => member.next_seat = false,
            (Role::Player, Stage::Drawing | Stage::Countdown { .. } | Stage::Running(_)) => {
                return Err(Refusal::WrongPhase);
            }
            (Role::Player, Stage::Lobby | Stage::Over(_)) if !has_place => {
                return Err(Refusal::Full);
            }
            (Role::Player, Stage::Lobby | Stage::Over(_)) => {
                member.role = Role::Spectator;
                member.ready = false;
            }
        }
        self.tell_roster(out);
        Ok(())
    }

    pub(super) fn tell_roster(&self, out: &mut Effects) {
        out.broadcast(Audience::Everybody, ServerMessage::Roster(self.members.roster()));
    }

    fn admit(&self, id: PlayerId, newcomer: Newcomer) -> Result<Member, Refusal> {
        let Newcomer { name, bot, role, identity } = newcomer;
        let wants_seat = role == Role::Player;
        let waits = wants_seat && self.require_lobby().is_err();
        let watches = waits || !wants_seat;
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
        Ok(Member {
            id,
            name,
            kind: if bot { PlayerKind::Bot } else { PlayerKind::Human },
            role: if watches { Role::Spectator } else { Role::Player },
            ready: false,
            next_seat: waits,
            connected: true,
            identity,
        })
    }

    /// Adds a member: the newcomer hears of the heat before the heat hears of the newcomer.
    fn welcome(&mut self, member: Member, token: Option<ResumeTokenHash>, out: &mut Effects) {
        let id = member.id;
        self.members.add(member, token);
        out.send(id, self.joined(id));
        out.broadcast(Audience::Others(id), ServerMessage::Roster(self.members.roster()));
    }

    /// Takes somebody out of the heat for good. A row in the standings stays, and with it
    /// the member's name, but they don't race on.
    pub(super) fn depart(&mut self, who: PlayerId, how: Departure, out: &mut Effects) {
        let from_outside = self.members.get(who).is_some_and(is_from_outside);
        // Whoever is away has been released before.
        if self.members.is_here(who) {
            out.push(if how == Departure::Kicked && from_outside {
                Effect::Dismiss { member: who, why: Farewell::Kicked }
            } else {
                Effect::Release { member: who }
            });
        }
        if self.stage.has_row(who) {
            self.members.retire(who);
        } else {
            self.members.remove(who);
        }
        let exit = match how {
            Departure::Left => ExitReason::Left,
            Departure::Expired => ExitReason::Expired,
            Departure::Kicked => ExitReason::SentAway,
        };
        self.report_player(who, HeatEvent::Out { player: who, exit }, out);
        if let Stage::Running(run) = &mut self.stage
            && let Some(seat) = run.seats.get_mut(&who)
        {
            seat.drop_out();
            run.note(self.now);
        }
        self.tell_roster(out);
    }

    fn unseat_bots(&mut self, out: &mut Effects) {
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
            if self.members.is_here(id) {
                if kind == PlayerKind::Bot {
                    out.send(id, ServerMessage::Refused(Refusal::NoBots));
                }
                out.push(Effect::Release { member: id });
            }
            self.members.remove(id);
        }
    }
}
