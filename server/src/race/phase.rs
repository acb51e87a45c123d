//! From the countdown to running, over and back to the lobby.

use super::lobby::Departure;
use super::members::Members;
use super::seat::{Acknowledged, Seat};
use super::{Audience, Effect, Effects, HeatEvent, HeatSecret, Race};
use crate::race::spectator_feed::{Delayed, messages};
use crate::race::throttle::Pace;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::standings::{Standing, Standings, rank};
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::{Moved, Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::{HeatResult, Member, Phase};
use gridrace_shared::puzzle::{Board, MoveBounds};
use gridrace_shared::replay::Racer;
use gridrace_shared::solver::knowledge::{GeneratedBoard, SolutionKnowledge};
use gridrace_shared::util::time::Millis;
use std::collections::BTreeMap;

/// How far apart two standings lie: ten a second move a bar smoothly.
pub(super) const STANDINGS_EVERY: Millis = Millis(100);

/// Where a heat is, with what only belongs there.
#[derive(Debug, Clone)]
pub(super) enum Stage {
    Lobby,
    /// The board is being drawn, outside.
    Drawing,
    /// The board is kept here until GO.
    Countdown {
        go: Millis,
        drawn: Box<GeneratedBoard>,
    },
    Running(Box<Running>),
    Over(Box<Over>),
}

/// A heat between GO and its end.
#[derive(Debug, Clone)]
pub(super) struct Running {
    pub(super) go: Millis,
    pub(super) ends: Millis,
    pub(super) start: Board,
    /// What is known of it: for hints alone.
    pub(super) known: SolutionKnowledge,
    pub(super) seats: BTreeMap<PlayerId, Seat>,
    pub(super) delayed: Delayed,
    pub(super) news: News,
    /// What the board needs, once the solver has said so; nobody's before the end.
    pub(super) best: Option<MoveBounds>,
    pub(super) pace: Pace,
}

/// What the last standings sent don't show yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    None,
    /// A change at this instant, which may wait for its turn.
    Since(Millis),
    /// A finish, which may not.
    Finish,
}

/// A heat after its end.
#[derive(Debug, Clone)]
pub(super) struct Over {
    pub(super) go: Millis,
    pub(super) at: Millis,
    pub(super) result: HeatResult,
    /// How far everybody's moves were played: one that comes again is acknowledged still.
    pub(super) acknowledged: BTreeMap<PlayerId, Acknowledged>,
}

/// What happens by itself.
#[derive(Debug, Clone, Copy)]
enum Due {
    Go,
    /// Somebody didn't come back in time.
    Gone(PlayerId),
    TimeLimit,
}

impl Stage {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Lobby => "lobby",
            Self::Drawing => "drawing",
            Self::Countdown { .. } => "countdown",
            Self::Running(_) => "running",
            Self::Over(_) => "over",
        }
    }

    /// Returns the next instant at which something happens by itself. Boards that nobody
    /// watches wait for the next event.
    pub(super) fn deadline(&self, watched: bool) -> Option<Millis> {
        match self {
            Self::Lobby | Self::Drawing | Self::Over(_) => None,
            Self::Countdown { go, .. } => Some(*go),
            Self::Running(run) => {
                let moves = if watched { run.delayed.due() } else { None };
                [Some(run.ends), run.standings_due(), moves].into_iter().flatten().min()
            }
        }
    }

    /// Says whether a player has a row in the standings.
    pub(super) fn has_row(&self, player: PlayerId) -> bool {
        match self {
            Self::Lobby | Self::Drawing | Self::Countdown { .. } => false,
            Self::Running(run) => run.seats.contains_key(&player),
            Self::Over(over) => over.result.standings.iter().any(|row| row.player == player),
        }
    }
}

impl Running {
    pub(super) fn standings(&self, members: &Members) -> Vec<Standing> {
        let rows =
            self.seats.iter().map(|(&player, seat)| seat.ranked(player, members.is_here(player)));
        rank(rows.collect())
    }

    /// Notes a change for the next standings.
    pub(super) const fn note(&mut self, now: Millis) {
        if matches!(self.news, News::None) {
            self.news = News::Since(now);
        }
    }

    fn standings_due(&self) -> Option<Millis> {
        match self.news {
            News::None => None,
            News::Since(since) => Some(self.pace.next(since)),
            News::Finish => Some(Millis(0)),
        }
    }

    /// Says that nobody can finish any more: all are through, or those who aren't are gone
    /// for good.
    fn is_decided(&self, members: &Members) -> bool {
        let can_finish =
            |(&player, seat): (&PlayerId, &Seat)| seat.is_racing() && members.is_present(player);
        members.is_deserted() || !self.seats.iter().any(can_finish)
    }
}

impl Race {
    /// Lets what is due by `now` happen, each at its own instant and in order, before the
    /// event that found it due: a move stamped at GO is played and one stamped at the time
    /// limit is late, whether or not the timer was faster.
    pub(super) fn process_deadlines(&mut self, now: Millis, out: &mut Effects) {
        while let Some((at, due)) = self.first_due().filter(|(at, _)| *at <= now) {
            self.now = self.now.max(at);
            match due {
                Due::Go => self.go(out),
                Due::Gone(who) => {
                    self.depart(who, Departure::Expired, out);
                    self.check_transitions(out);
                }
                Due::TimeLimit => self.end(at, out),
            }
        }
        self.now = now;
    }

    /// Returns what happens first by itself, but for the lanes. Of what happens at the same
    /// instant, GO comes first and the time limit last.
    fn first_due(&self) -> Option<(Millis, Due)> {
        let stage = match &self.stage {
            Stage::Lobby | Stage::Drawing | Stage::Over(_) => None,
            Stage::Countdown { go, .. } => Some((*go, Due::Go)),
            Stage::Running(run) => Some((run.ends, Due::TimeLimit)),
        };
        let grace = self.members.first_grace();
        let gone = grace.map(|(until, who)| (until, Due::Gone(who)));
        let rank = |due: &(Millis, Due)| match due {
            (at, Due::Go) => (*at, 0),
            (at, Due::Gone(_)) => (*at, 1),
            (at, Due::TimeLimit) => (*at, 2),
        };
        stage.into_iter().chain(gone).min_by_key(rank)
    }

    /// Draws the conclusions from how things stand after an event.
    pub(super) fn check_transitions(&mut self, out: &mut Effects) {
        match &self.stage {
            Stage::Lobby => {
                if self.members.all_are_ready() {
                    self.commission(out);
                }
            }
            Stage::Drawing | Stage::Countdown { .. } => {
                if self.members.players() == 0 || self.members.is_deserted() {
                    self.call_off(out);
                }
            }
            Stage::Running(run) => {
                if run.is_decided(&self.members) {
                    self.end(self.now, out);
                } else {
                    self.show(out);
                }
            }
            Stage::Over(_) => {}
        }
    }

    /// Goes back to the lobby for the next heat of the same people. Whoever is gone is
    /// gone, and those who wait for a seat have it.
    ///
    /// The phase goes out first, so that the old result is never held against the new
    /// commitment.
    pub(super) fn rematch(
        &mut self,
        by: Option<PlayerId>,
        secret: HeatSecret,
        out: &mut Effects,
    ) -> Result<(), Refusal> {
        if let Some(by) = by {
            self.require_host(by)?;
        }
        let Stage::Over(_) = self.stage else {
            return Err(Refusal::WrongPhase);
        };
        self.number = self.number.saturating_add(1);
        self.secret = secret;
        self.members.remove_gone();
        self.members.unready();
        self.members.seat_waiting();
        self.stage = Stage::Lobby;
        out.broadcast(Audience::Everybody, ServerMessage::Phase(Phase::Lobby));
        out.broadcast(Audience::Everybody, ServerMessage::Setup(self.setup()));
        self.tell_roster(out);
        Ok(())
    }

    fn go(&mut self, out: &mut Effects) {
        let Stage::Countdown { go, drawn } = &self.stage else {
            return;
        };
        let go = *go;
        let GeneratedBoard { board: start, known } = GeneratedBoard::clone(drawn);
        let ends = go + Millis::from_seconds(self.options.time_limit_seconds.into());
        let delay = Millis::from_seconds(self.options.delay_seconds.into());
        let players = || {
            self.members.iter().filter(|member| member.role == Role::Player).map(|member| member.id)
        };
        let seats =
            players().map(|player| (player, Seat::new(start.clone(), self.order))).collect();
        let delayed = Delayed::new(delay, &start, players());
        let mut run = Box::new(Running {
            go,
            ends,
            start: start.clone(),
            known,
            seats,
            delayed,
            news: News::None,
            best: None,
            pace: Pace::new(STANDINGS_EVERY),
        });
        let rate = Effect::RateBoard {
            number: self.number,
            spec: self.options.spec,
            board: start.clone(),
        };
        let started = HeatEvent::Started {
            go,
            start: start.clone(),
            racers: self.racers(),
            outage: self.outage,
        };
        let phase = Phase::Running { go, ends, start };
        out.broadcast(Audience::Everybody, ServerMessage::Phase(phase));
        let rows = run.standings(&self.members);
        out.push(Effect::Standings(Standings { at: go, rows }));
        out.push(rate);
        run.pace.sent(self.now);
        self.stage = Stage::Running(run);
        out.report(started);
        for member in self.members.iter().filter(|member| !member.connected) {
            self.report_player(member.id, HeatEvent::Disconnected { player: member.id }, out);
        }
    }

    /// Returns the players, by ascending number.
    fn racers(&self) -> Vec<Racer> {
        let players = self.members.iter().filter(|member| member.role == Role::Player);
        let racer =
            |member: &Member| Racer { id: member.id, name: member.name.clone(), kind: member.kind };
        let mut racers: Vec<Racer> = players.map(racer).collect();
        racers.sort_by_key(|racer| racer.id);
        racers
    }

    /// Ends a running heat: those who still race are out, and nothing is secret any more.
    fn end(&mut self, at: Millis, out: &mut Effects) {
        let Stage::Running(run) = &mut self.stage else {
            return;
        };
        run.seats.values_mut().for_each(Seat::drop_out);
        let moves = run.delayed.take_all();
        let rows = run.standings(&self.members);
        let result = HeatResult {
            standings: rows.clone(),
            start: run.start.clone(),
            reveal: self.secret.secret.clone(),
            best: run.best(&rows),
        };
        let seats = run.seats.iter();
        let acknowledged = seats.map(|(&player, seat)| (player, seat.acknowledged())).collect();
        self.stage =
            Stage::Over(Box::new(Over { go: run.go, at, result: result.clone(), acknowledged }));
        self.tell_moves(moves, out);
        out.push(Effect::Standings(Standings { at, rows }));
        out.broadcast(Audience::Everybody, ServerMessage::Phase(Phase::Over(result)));
        if let Some(record) = self.record() {
            out.report(HeatEvent::Ended(Box::new(record)));
        }
    }

    /// Sends what is due in the two lanes for many.
    fn show(&mut self, out: &mut Effects) {
        let now = self.now;
        let Stage::Running(run) = &mut self.stage else {
            return;
        };
        let moves = run.delayed.take_due(now);
        if run.standings_due().is_some_and(|due| due <= now) {
            run.news = News::None;
            run.pace.sent(now);
            let rows = run.standings(&self.members);
            out.push(Effect::Standings(Standings { at: now, rows }));
        }
        self.tell_moves(moves, out);
    }

    fn tell_moves(&self, moves: Vec<Moved>, out: &mut Effects) {
        if !self.members.has_spectators() {
            return;
        }
        for moves in messages(moves) {
            out.broadcast(Audience::Spectators, ServerMessage::Moves(moves));
        }
    }
}
