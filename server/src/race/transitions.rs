//! The transitions of a heat: deadlines, GO and the end, and what is reported of them.

use super::Race;
use super::activity::Activity;
use super::effect::{Audience, Effect, Effects};
use super::heat_event::{HeatEvent, HeatRecord};
use super::members::Departure;
use super::phase::{Over, RacePhase, Running};
use super::recording::Recording;
use super::seat::Seat;
use super::spectator_feed::{Shown, SpectatorFeed, fits_message};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::heat::standings::Standings;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::{Moved, RecordingStatus, ServerMessage};
use gridrace_shared::protocol::snapshot::{HeatResult, Member, Phase};
use gridrace_shared::replay::{ExitReason, Racer};
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::util::time::{HeatInstant, Millis};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Copy)]
pub(super) enum Deadline {
    Go,
    Gone(PlayerId),
    /// The heat ends early, or it is checked whether it does.
    Closing,
    TimeLimit,
}

impl Race {
    /// Processes the deadlines up to `now`, each at its own instant and in order, before the event
    /// that comes then: a move stamped at GO is played and one stamped at the time limit is late,
    /// whether or not the timer was faster.
    pub(super) fn process_deadlines(&mut self, now: HeatInstant, out: &mut Effects) {
        while let Some((at, due)) = self.first_deadline().filter(|(at, _)| *at <= now) {
            self.now = self.now.max(at);
            match due {
                Deadline::Go => {
                    self.leave_out_the_absent(out);
                    self.go(out);
                }
                Deadline::Gone(who) => {
                    self.remove_member(who, Departure::Expired, out);
                    self.check_transitions(out);
                }
                Deadline::Closing => self.close_or_check(at, out),
                Deadline::TimeLimit => self.end(at, out),
            }
        }
        self.now = now;
    }

    /// Returns whether a tick at this instant changes more than what spectators have been shown,
    /// which follows from the moves: only then it belongs into the journal.
    pub fn is_tick_lasting(&self, now: HeatInstant) -> bool {
        self.first_deadline().is_some_and(|(at, _)| at <= now)
    }

    /// Returns the first deadline but those of broadcasts. At equal instants GO comes first, then the end of a
    /// grace, the time limit and the closing countdown.
    pub(super) fn first_deadline(&self) -> Option<(HeatInstant, Deadline)> {
        let phase = match &self.phase {
            RacePhase::Lobby | RacePhase::Drawing | RacePhase::Over(_) => None,
            RacePhase::Countdown { go, .. } => Some((*go, Deadline::Go)),
            RacePhase::Running(run) => Some((run.ends, Deadline::TimeLimit)),
        };
        let closing = self.running().and_then(|run| run.activity.deadline());
        let closing = closing.map(|at| (at, Deadline::Closing));
        let grace = self.members.first_grace();
        let gone = grace.map(|(until, who)| (until, Deadline::Gone(who)));
        let rank = |due: &(HeatInstant, Deadline)| match due {
            (at, Deadline::Go) => (*at, 0),
            (at, Deadline::Gone(_)) => (*at, 1),
            (at, Deadline::TimeLimit) => (*at, 2),
            (at, Deadline::Closing) => (*at, 3),
        };
        phase.into_iter().chain(gone).chain(closing).min_by_key(rank)
    }

    /// Makes the transitions that follow from the state after an event.
    pub(super) fn check_transitions(&mut self, out: &mut Effects) {
        match &self.phase {
            RacePhase::Lobby => {
                let may_start = self.held_by.is_none() && self.table.is_none();
                if may_start && self.members.all_are_ready() {
                    self.request_board(out);
                }
            }
            RacePhase::Drawing | RacePhase::Countdown { .. } => {
                let is_left = self.members.players() == 0 || self.members.is_deserted();
                if is_left && self.table.is_none() {
                    self.cancel_start(out);
                }
            }
            RacePhase::Running(run) => {
                if run.is_decided(&self.members) {
                    self.end(self.now, out);
                } else {
                    self.review_closing(out);
                    self.show(out);
                }
            }
            RacePhase::Over(_) => {
                self.rematch_if_all_are_ready(out);
                if let RacePhase::Lobby = self.phase {
                    self.check_transitions(out);
                }
            }
        }
    }

    fn go(&mut self, out: &mut Effects) {
        let RacePhase::Countdown { go, drawn } = &self.phase else {
            return;
        };
        let go = *go;
        let GeneratedBoard { board: start, known } = GeneratedBoard::clone(drawn);
        let ends = go + Millis::from_seconds(self.options.time_limit_seconds.into());
        let delay = Millis::from_seconds(self.options.delay_seconds.into());
        let players = || {
            self.members.iter().filter(|member| member.role == Role::Player).map(|member| member.id)
        };
        let seats: BTreeMap<PlayerId, Seat> =
            players().map(|player| (player, Seat::new(start.clone(), self.order))).collect();
        let row = |(&player, seat): (&PlayerId, &Seat)| {
            seat.ranked(player, self.members.is_connected(player))
        };
        let feed = SpectatorFeed::new(delay, &start, seats.iter().map(row));
        let activity = Activity::new(players(), go);
        let run = Box::new(Running {
            go,
            ends,
            start: start.clone(),
            known,
            seats,
            feed,
            activity,
            standings_changed: false,
            best: None,
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
        out.broadcast(Audience::All, ServerMessage::Phase(phase));
        let rows = run.standings(&self.members);
        out.push(Effect::Standings(Standings { at: go, rows: rows.clone() }));
        out.push(Effect::DelayedStandings(Standings { at: go, rows }));
        // A tournament has one rating for all its tables.
        if self.table.is_none() {
            out.push(rate);
        }
        let is_raced = !run.seats.is_empty();
        self.phase = RacePhase::Running(run);
        // A heat without players, which ends at once, leaves no replay.
        if is_raced {
            out.report(started);
        }
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

    /// Ends a running heat before its time limit, and reports that for each who still races.
    pub(super) fn end_early(&mut self, at: HeatInstant, out: &mut Effects) {
        if let RacePhase::Running(run) = &self.phase {
            let racing = run.seats.iter().filter(|(_, seat)| seat.is_racing());
            for (&player, _) in racing {
                out.report(HeatEvent::Out { player, exit: ExitReason::HeatEnded });
            }
        }
        self.end(at, out);
    }

    /// Ends a running heat: players who still race are out, and the secret is revealed.
    pub(super) fn end(&mut self, at: HeatInstant, out: &mut Effects) {
        let RacePhase::Running(run) = &mut self.phase else {
            return;
        };
        let racing = run.seats.iter().filter(|(_, seat)| seat.is_racing());
        let racing: Vec<PlayerId> = racing.map(|(&player, _)| player).collect();
        run.seats.values_mut().for_each(Seat::set_dnf);
        let viewers = racing.into_iter().flat_map(|player| self.viewers_after(player));
        let viewers = viewers.filter(|viewer| viewer.role == Role::Spectator);
        let viewers: BTreeSet<PlayerId> = viewers.map(|viewer| viewer.id).collect();
        let RacePhase::Running(run) = &mut self.phase else {
            return;
        };
        let boards = run.feed.boards();
        let moves = run.feed.take_all();
        // Those who watch only now need the boards that the last moves are played on.
        if fits_message(&moves) {
            for viewer in viewers {
                out.send(viewer, ServerMessage::Boards(boards.clone()));
            }
        }
        self.send_moves(moves, out);
        let RacePhase::Running(run) = &self.phase else {
            return;
        };
        let rows = run.standings(&self.members);
        let result = HeatResult {
            standings: rows.clone(),
            start: run.start.clone(),
            reveal: self.secret.secret.clone(),
            best: run.best(&rows),
        };
        let seats = run.seats.iter();
        let acks = seats.map(|(&player, seat)| (player, seat.ack())).collect();
        self.phase = RacePhase::Over(Box::new(Over {
            go: run.go,
            at,
            result: result.clone(),
            acks,
            next_secret: None,
        }));
        out.push(Effect::Standings(Standings { at, rows: rows.clone() }));
        out.push(Effect::DelayedStandings(Standings { at, rows }));
        out.broadcast(Audience::All, ServerMessage::Phase(Phase::Over(result)));
        // From here on those are ready who want a rematch.
        self.members.reset_ready();
        self.send_roster(out);
        if let Some(record) = self.record() {
            if let Some(table) = &record.table {
                self.report_result(table, out);
            }
            out.report(HeatEvent::Ended(Box::new(record)));
        }
    }

    /// Sends the standings if they changed, and the spectators' moves that are due.
    fn show(&mut self, out: &mut Effects) {
        let now = self.now;
        let RacePhase::Running(run) = &mut self.phase else {
            return;
        };
        let Shown { moves, rows_changed } = run.feed.take_due(now);
        if rows_changed && self.members.has_spectators() {
            out.push(Effect::DelayedStandings(run.feed.standings(now)));
        }
        if std::mem::take(&mut run.standings_changed) {
            let rows = run.standings(&self.members);
            out.push(Effect::Standings(Standings { at: now, rows }));
        }
        self.send_moves(moves, out);
    }

    /// Sends the watchers moves of the feed, or the boards that these lead to if they don't fit a
    /// message: an outbox has no room for many.
    fn send_moves(&self, moves: Vec<Moved>, out: &mut Effects) {
        let RacePhase::Running(run) = &self.phase else {
            return;
        };
        if moves.is_empty() || !self.is_watched(run) {
            return;
        }
        let message = if fits_message(&moves) {
            ServerMessage::Moves(moves)
        } else {
            ServerMessage::Boards(run.feed.boards())
        };
        out.broadcast(Audience::Watchers, message);
    }

    /// Returns the record of a heat that is over.
    pub fn record(&self) -> Option<HeatRecord> {
        let RacePhase::Over(over) = &self.phase else {
            return None;
        };
        Some(HeatRecord {
            code: self.code,
            number: self.number,
            options: HeatOptions {
                // What a PIN guards is shown only to those who raced, even if the room is listed.
                private: self.options.private || self.pin.is_some(),
                ..self.options.clone()
            },
            origin: self.secret.origin,
            duration: over.at.since(over.go),
            outage: self.outage,
            result: over.result.clone(),
            members: self.members.iter().cloned().collect(),
            table: self.table_record(&over.result),
        })
    }

    /// Reports what became of a player, if that player has a seat in a running heat.
    pub(super) fn report_player(&self, player: PlayerId, event: HeatEvent, out: &mut Effects) {
        if self.seat(player).is_some() {
            out.report(event);
        }
    }

    pub const fn host(&self) -> Option<PlayerId> {
        self.members.host
    }

    /// Returns whether the race believes that it is recorded.
    pub const fn is_recorded(&self) -> bool {
        self.recording.recorded
    }

    pub(super) const fn set_recorded(&mut self, recorded: bool) {
        self.recording.recorded = recorded;
    }

    /// Tells the host, once, that nothing is recorded, and that it is again.
    pub(super) fn notify_host(&mut self, out: &mut Effects) {
        let Recording { recorded, told } = &mut self.recording;
        let host = self.members.host;
        *told = told.filter(|&(who, _)| Some(who) == host);
        let assumed = told.is_none_or(|(_, recorded)| recorded);
        if let Some(host) = host
            && assumed != *recorded
        {
            *told = Some((host, *recorded));
            let state =
                if *recorded { RecordingStatus::Recorded } else { RecordingStatus::Unrecorded };
            out.send(host, ServerMessage::Recording(state));
        }
    }
}
