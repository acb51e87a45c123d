//! A room as a table of a tournament: its seats are reserved by key, it has no host, and the
//! tournament starts each board and closes the room.

use super::event::{TableEvent, TableStart};
use super::members::{Departure, Members};
use super::table::{
    ReservedSeat, TableNews, TablePhase, TableRecord, TableReport, TableStatus, TournamentTable,
};
use super::{Audience, Effect, Effects, Newcomer, Race};
use crate::race::phase::RacePhase;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::heat::player_name::PlayerName;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::server::{Farewell, Refusal, ServerMessage};
use gridrace_shared::protocol::snapshot::{HeatResult, Member, Phase, TableSetup};
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, TournamentName};
use gridrace_shared::tournament::result::{BoardResult, MAX_SEATS};
use gridrace_shared::util::time::{HeatInstant, Millis, ServerInstant};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// The shortest countdown after a restart of the server: players come back within it.
const RETURN_COUNTDOWN: Millis = Millis::from_seconds(15);

const _: () = assert!(MAX_SEATS <= super::MAX_PLAYERS, "a heat holds the players of a table");

/// Why a member can't stay beside the entrants.
#[derive(Debug, Clone, Copy)]
enum Removal {
    /// Its key has a seat already.
    Superseded,
    /// An entrant has its name.
    NameTaken,
}

impl Removal {
    const fn message(self) -> ServerMessage {
        match self {
            Self::Superseded => ServerMessage::Goodbye(Farewell::Superseded),
            Self::NameTaken => ServerMessage::Refused(Refusal::NameTaken),
        }
    }
}

impl TournamentTable {
    /// Returns the entrants with a seat and a connection, or those without.
    fn entrants(&self, members: &Members, connected: bool) -> Vec<EntrantId> {
        let is_here =
            |seat: &&ReservedSeat| members.of_key(seat.key).any(|member| member.connected);
        let seats = self.seats.iter().filter(|seat| is_here(seat) == connected);
        seats.map(|seat| seat.entrant).collect()
    }

    fn result(&self, result: &HeatResult, members: &Members) -> BoardResult {
        let rows = result.standings.iter().filter_map(|row| {
            let key = members.get(row.player)?.identity;
            Some((self.seat_of(key)?.entrant, row.into()))
        });
        BoardResult { rows: rows.collect() }
    }
}

impl Race {
    pub fn table_status(&self) -> Option<TableStatus> {
        let table = self.table.as_ref().filter(|table| !table.is_closed)?;
        Some(TableStatus {
            tournament: table.tournament.clone(),
            opened: self.epoch,
            board: table.board,
            phase: match &self.phase {
                RacePhase::Lobby | RacePhase::Drawing => TablePhase::Lobby,
                RacePhase::Countdown { go, .. } => {
                    TablePhase::Countdown { go: go.to_server(self.epoch) }
                }
                RacePhase::Running(_) => TablePhase::Running,
                RacePhase::Over(over) => {
                    TablePhase::Over(table.result(&over.result, &self.members))
                }
            },
            connected: table.entrants(&self.members, true),
        })
    }

    /// Returns whether a house bot finds a seat: none at a table.
    pub(super) fn has_seat_for_bot(&self) -> bool {
        self.table.is_none() && self.members.has_free_seat()
    }

    /// Returns whether a seat of this table is reserved for a key.
    pub fn reserves(&self, key: Option<Fingerprint>) -> bool {
        let open = self.table.as_ref().filter(|table| !table.is_closed);
        open.is_some_and(|table| table.seat_of(key).is_some())
    }

    /// Returns whether a board runs at this table, and another one is to start.
    pub fn runs_other_than(&self, board: ResultKey) -> bool {
        self.is_running() && self.number_of(board).is_none()
    }

    /// Returns the number of the heat that races a board at this table.
    pub fn number_of(&self, board: ResultKey) -> Option<u32> {
        self.table.as_ref().filter(|table| table.board == board).map(|_| self.number)
    }

    /// Returns what the tournament is told if the room is closed without its doing.
    pub(crate) fn closed_report(&self) -> Option<TableReport> {
        let table = self.table.as_ref().filter(|table| !table.is_closed)?;
        Some(self.report(table, TableNews::Closed))
    }

    pub(super) fn table_setup(&self) -> Option<TableSetup> {
        let TournamentTable { tournament, board, .. } = self.table.as_ref()?;
        Some(TableSetup { tournament: tournament.clone(), board: *board })
    }

    pub(super) fn table_record(&self, result: &HeatResult) -> Option<TableRecord> {
        let table = self.table.as_ref()?;
        let result = table.result(result, &self.members);
        let TournamentTable { tournament, board, .. } = table;
        Some(TableRecord {
            tournament: tournament.clone(),
            opened: self.epoch,
            board: *board,
            result,
        })
    }

    fn report(&self, table: &TournamentTable, news: TableNews) -> TableReport {
        let TournamentTable { tournament, board, .. } = table;
        let (room, opened) = (self.code, self.epoch);
        TableReport { room, tournament: tournament.clone(), opened, board: *board, news }
    }

    /// Gives a newcomer with a reserved seat that seat and its name; others only watch.
    pub(super) fn seat_at_table(&self, newcomer: Newcomer) -> Result<Newcomer, Refusal> {
        let Some(table) = &self.table else {
            return Ok(newcomer);
        };
        match table.seat_of(newcomer.identity) {
            _ if table.is_closed => Err(Refusal::NoSuchRoom),
            Some(seat) if newcomer.bot && !seat.bot => Err(Refusal::NoBots),
            Some(ReservedSeat { name, bot, .. }) => {
                Ok(Newcomer { name: name.clone(), bot: *bot, role: Role::Player, ..newcomer })
            }
            None if newcomer.role == Role::Player => Err(Refusal::SeatsReserved),
            None if table.has_name_like(&newcomer.name) => Err(Refusal::NameTaken),
            None => Ok(newcomer),
        }
    }

    /// Returns the present member with a newcomer's key, if a seat is reserved for that: the newest
    /// connection has it.
    pub(super) fn member_at_table(&self, newcomer: &Newcomer) -> Option<PlayerId> {
        let seat = self.table.as_ref()?.seat_of(newcomer.identity)?;
        let mut of_key = self.members.of_key(seat.key).map(|member| member.id);
        of_key.find(|&id| self.members.is_present(id)).filter(|_| seat.bot || !newcomer.bot)
    }

    pub(super) fn apply_table_event(&mut self, event: TableEvent, out: &mut Effects) {
        if self.table.as_ref().is_none_or(|table| table.is_closed) {
            return;
        }
        match event {
            TableEvent::Start(start) => self.start_board(*start, out),
            TableEvent::MoveGo { go } => self.move_go(self.future_instant(go), out),
            TableEvent::Cancel => self.cancel_countdown(out),
            TableEvent::Exclude(spectators) => self.exclude(&spectators, out),
            TableEvent::End => self.end_early(self.now, out),
            TableEvent::Close => self.close_table(out),
            TableEvent::Seats(seats) => self.reserve_seats(seats, out),
        }
    }

    /// Reserves seats for keys that have none. The others stay: who races has a row in the result by the
    /// seat.
    fn reserve_seats(&mut self, seats: Vec<ReservedSeat>, out: &mut Effects) {
        let Some(table) = &mut self.table else { return };
        for seat in seats {
            if table.seat_of(Some(seat.key)).is_none() {
                table.seats.push(seat);
            }
        }
        for (id, why) in self.identify_entrants() {
            if self.members.is_connected(id) {
                out.send(id, why.message());
            }
            self.remove_member(id, Departure::Left, out);
        }
        self.send_roster(out);
    }

    fn start_board(&mut self, start: TableStart, out: &mut Effects) {
        let TableStart { board, seats, spec, secret, drawn, go } = start;
        let go = self.future_instant(go);
        let is_same = self.table.as_ref().is_some_and(|table| table.board == board);
        match self.phase {
            RacePhase::Running(_) => return,
            RacePhase::Over(_) if is_same => return,
            RacePhase::Over(_) => {
                self.number = self.number.saturating_add(1);
                self.members.remove_gone();
            }
            RacePhase::Lobby | RacePhase::Drawing | RacePhase::Countdown { .. } => {}
        }
        // The phase is sent first, so that an old result is never checked against the new
        // commitment.
        if !matches!(self.phase, RacePhase::Lobby) {
            self.phase = RacePhase::Lobby;
            out.broadcast(Audience::All, ServerMessage::Phase(Phase::Lobby));
        }
        self.options.spec = spec;
        self.secret = secret;
        self.outage = Millis(0);
        if let Some(table) = &mut self.table {
            table.board = board;
            table.seats = seats;
        }
        self.reseat(out);
        out.broadcast(Audience::All, ServerMessage::Setup(self.setup()));
        self.send_roster(out);
        self.prepare_solver(out);
        self.phase = RacePhase::Countdown { go, drawn: Box::new(drawn) };
        out.broadcast(Audience::All, ServerMessage::Phase(Phase::Countdown { go }));
    }

    /// Returns the members of this table who have no seat, each with its key and its address.
    pub(crate) fn table_spectators(&self) -> Vec<(PlayerId, Option<Fingerprint>, Option<IpAddr>)> {
        let Some(table) = &self.table else { return Vec::new() };
        let spectators = self.members.list.iter().filter(|entry| {
            self.members.is_present(entry.member.id)
                && table.seat_of(entry.member.identity).is_none()
        });
        spectators.map(|entry| (entry.member.id, entry.member.identity, entry.address)).collect()
    }

    /// Returns the tournament and the key of a member who has a reserved seat at this table.
    pub(crate) fn reserved_seat(&self, id: PlayerId) -> Option<(TournamentName, Fingerprint)> {
        let table = self.table.as_ref().filter(|table| !table.is_closed)?;
        let seat = table.seat_of(self.members.get(id)?.identity)?;
        Some((table.tournament.clone(), seat.key))
    }

    /// Returns the keys of the present members who have reserved seats, each with its address.
    pub(crate) fn seated_addresses(&self) -> Vec<(Fingerprint, Option<IpAddr>)> {
        let Some(table) = &self.table else { return Vec::new() };
        let present = self.members.list.iter().filter(|it| self.members.is_present(it.member.id));
        let seated =
            present.filter_map(|it| Some((table.seat_of(it.member.identity)?.key, it.address)));
        seated.collect()
    }

    fn exclude(&mut self, spectators: &[PlayerId], out: &mut Effects) {
        let watches: BTreeSet<PlayerId> =
            self.table_spectators().into_iter().map(|(id, ..)| id).collect();
        for &member in spectators.iter().filter(|id| watches.contains(id)) {
            if self.members.is_connected(member) {
                out.send(member, ServerMessage::Goodbye(Farewell::SameBoards));
            }
            self.remove_member(member, Departure::Left, out);
        }
    }

    fn move_go(&mut self, to: HeatInstant, out: &mut Effects) {
        if let RacePhase::Countdown { go, .. } = &mut self.phase
            && *go != to
        {
            *go = to;
            out.broadcast(Audience::All, ServerMessage::Phase(Phase::Countdown { go: to }));
        }
    }

    /// Seats the members as the seats are reserved now. A member with an entrant's name, or with a
    /// key that has a seat already, is removed.
    fn reseat(&mut self, out: &mut Effects) {
        let Some(table) = &self.table else {
            return;
        };
        for member in self.members.iter_mut() {
            let has_seat = table.seat_of(member.identity).is_some();
            member.role = if has_seat { Role::Player } else { Role::Spectator };
            member.next_seat = false;
            member.ready = false;
        }
        for (id, why) in self.identify_entrants() {
            if self.members.is_connected(id) {
                match why {
                    Removal::NameTaken => {
                        out.send(id, why.message());
                        out.push(Effect::Release { member: id });
                    }
                    Removal::Superseded => {
                        out.push(Effect::Dismiss { member: id, why: Farewell::Superseded });
                    }
                }
            }
            self.members.remove(id);
        }
    }

    /// Gives the present members with reserved seats the names of these. Returns the members who can't
    /// stay beside them.
    fn identify_entrants(&mut self) -> Vec<(PlayerId, Removal)> {
        let Some(table) = &self.table else { return Vec::new() };
        let mut seated: Vec<Fingerprint> = Vec::new();
        let mut removed: Vec<(PlayerId, Removal)> = Vec::new();
        let mut named: Vec<(PlayerId, PlayerName)> = Vec::new();
        for member in self.members.iter().filter(|member| self.members.is_present(member.id)) {
            match table.seat_of(member.identity) {
                Some(seat) if seated.contains(&seat.key) => {
                    removed.push((member.id, Removal::Superseded));
                }
                Some(seat) => {
                    seated.push(seat.key);
                    named.push((member.id, seat.name.clone()));
                }
                None if table.has_name_like(&member.name) => {
                    removed.push((member.id, Removal::NameTaken));
                }
                None => {}
            }
        }
        for (id, name) in named {
            self.members.rename(id, name);
        }
        removed
    }

    /// Lets those watch who have a seat and aren't connected at GO, and tells the tournament.
    pub(super) fn leave_out_the_absent(&mut self, out: &mut Effects) {
        let Some(table) = &self.table else {
            return;
        };
        let absent = table.entrants(&self.members, false);
        let report = self.report(table, TableNews::Started { absent });
        let plays = |member: &&mut Member| member.role == Role::Player && !member.connected;
        let mut is_changed = false;
        for member in self.members.iter_mut().filter(plays) {
            member.role = Role::Spectator;
            member.next_seat = true;
            is_changed = true;
        }
        if is_changed {
            self.send_roster(out);
        }
        out.push(Effect::Table(report));
    }

    pub(super) fn report_result(&self, record: &TableRecord, out: &mut Effects) {
        if let Some(table) = &self.table {
            let news = TableNews::Ended(record.result.clone());
            out.push(Effect::Table(self.report(table, news)));
        }
    }

    /// Gives the players of a countdown time to come back to a restarted server.
    pub(super) fn extend_countdown(&mut self) {
        if let RacePhase::Countdown { go, .. } = &mut self.phase
            && self.table.is_some()
        {
            *go = (*go).max(self.now + RETURN_COUNTDOWN);
        }
    }

    fn cancel_countdown(&mut self, out: &mut Effects) {
        if let RacePhase::Countdown { .. } = self.phase {
            self.return_to_lobby(out);
        }
    }

    fn close_table(&mut self, out: &mut Effects) {
        self.cancel_countdown(out);
        self.end_early(self.now, out);
        for member in self.members.iter().filter(|member| member.connected) {
            out.send(member.id, ServerMessage::Goodbye(Farewell::TableClosed));
            out.push(Effect::Release { member: member.id });
        }
        self.members.list.clear();
        if let Some(report) = self.closed_report() {
            out.push(Effect::Table(report));
        }
        if let Some(table) = &mut self.table {
            table.is_closed = true;
        }
    }

    /// Returns an instant of the server's clock on the room's own, or the next one if it has passed.
    fn future_instant(&self, at: ServerInstant) -> HeatInstant {
        let at = HeatInstant::from_server(at, self.epoch);
        at.max(self.now + Millis(1))
    }
}
