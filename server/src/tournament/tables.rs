//! The rooms of a round's tables, and who is called to them.

use super::round_schedule::RoundSchedule;
use super::table_room::TableRoom;
use super::{Effect, Effects, RETURN_TIME, RecoveredTable, TableKey, TournamentRunner};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::tournament::TableCall;
use gridrace_shared::tournament::ids::{EntrantId, ResultKey};
use gridrace_shared::tournament::log::LogEntry;
use gridrace_shared::tournament::public_log::LogAuthor;
use gridrace_shared::util::time::TournamentInstant;
use std::collections::{BTreeMap, BTreeSet};

impl TournamentRunner {
    /// Opens rooms for the tables that have boards to race, closes those of rounds that are over, and
    /// calls the entrants.
    pub(super) fn update_tables(&mut self, out: &mut Effects) {
        if !std::mem::take(&mut self.are_rooms_due) {
            return;
        }
        let drawn = self.drawn_tables();
        let over: Vec<TableKey> =
            self.tables.keys().filter(|table| !drawn.contains_key(table)).copied().collect();
        for table in over {
            self.close_table(table, out);
        }
        for (table, seats) in drawn {
            match (self.open_boards_at(table).first().copied(), self.tables.contains_key(&table)) {
                (Some(first), false) => {
                    self.tables.insert(table, TableRoom::default());
                    out.push(Effect::OpenTable { table, first, seats });
                }
                (Some(_), true) => self.call_entrants(table, seats, out),
                (None, _) => {}
            }
        }
    }

    /// Returns the seats of all tables of the rounds that are raced, or whose results are shown.
    fn drawn_tables(&self) -> BTreeMap<TableKey, Vec<EntrantId>> {
        let rounds =
            self.schedules.keys().filter_map(|&round| Some((round, self.fold.round(round)?)));
        let tables = rounds.flat_map(|(round, state)| {
            let key = move |number| TableKey { round, number };
            state.draw.tables.iter().map(move |table| (key(table.number), table.seats.clone()))
        });
        tables.collect()
    }

    pub(super) fn on_table_opened(
        &mut self,
        table: TableKey,
        room: Option<RoomCode>,
        out: &mut Effects,
    ) {
        match (self.tables.get_mut(&table), room) {
            (Some(open), Some(room)) if open.room.is_none() => {
                open.room = Some(room);
                let seats = self.seats(table).filter(|_| !self.open_boards_at(table).is_empty());
                self.call_entrants(table, seats.unwrap_or_default(), out);
            }
            (Some(_), None) => {
                // It is asked for again.
                self.tables.remove(&table);
                self.are_rooms_due = true;
            }
            (_, Some(room)) => out.push(Effect::CloseTable { room }),
            (None, None) => {}
        }
    }

    /// Has the board that a room raced as it broke raced again; its players know it.
    pub(super) fn on_table_closed(
        &mut self,
        now: TournamentInstant,
        room: RoomCode,
        out: &mut Effects,
    ) {
        let found = self.tables.iter().find(|(_, open)| open.room == Some(room));
        let Some((&table, _)) = found else { return };
        self.tables.remove(&table);
        self.are_rooms_due = true;
        let schedule = self.schedules.get_mut(&table.round);
        let Some(schedule) = schedule else { return };
        if let Some(key) = schedule.started(table.number) {
            schedule.forget(table.number);
            self.replay_board(now, key, out);
        }
    }

    fn replay_board(&mut self, now: TournamentInstant, key: ResultKey, out: &mut Effects) {
        let entry = LogEntry::Replay {
            round: key.round,
            table: Some(key.table),
            board: Some(key.board),
            attempt: self.fold.next_attempt(key.round),
        };
        // A log that takes no more replays leaves the board to the organiser.
        self.record_entry(now, LogAuthor::Server, entry, None, out).ok();
    }

    /// Takes over the tables of an earlier server.
    pub(super) fn adopt_tables(
        &mut self,
        now: TournamentInstant,
        tables: Vec<RecoveredTable>,
        out: &mut Effects,
    ) {
        self.awaits_tables = false;
        self.are_rooms_due = true;
        if !self.is_closed {
            for (_, profile) in self.entrants.iter() {
                out.push(Effect::AdmitKey { key: profile.key, admitted: true });
            }
        }
        self.update_schedules(now, out);
        for schedule in self.schedules.values_mut() {
            *schedule = RoundSchedule::first(now + RETURN_TIME);
        }
        for RecoveredTable { room, key, is_running } in tables {
            let table = TableKey::from(key);
            let next = self.open_boards_at(table).first().copied();
            let is_known = self.tables.contains_key(&table);
            match self.schedules.get_mut(&table.round).filter(|_| next.is_some() && !is_known) {
                Some(schedule) => {
                    let called = BTreeSet::new();
                    self.tables.insert(table, TableRoom { room: Some(room), called });
                    if is_running && next == Some(key) {
                        schedule.adopt_racing(table.number, key);
                    }
                }
                None => out.push(Effect::CloseTable { room }),
            }
        }
        self.replay_known_boards(now, out);
    }

    /// Has a board raced again, with another seed, at each table that lost it, if players of another
    /// table know it.
    fn replay_known_boards(&mut self, now: TournamentInstant, out: &mut Effects) {
        let mut lost = Vec::new();
        for (&round, schedule) in &self.schedules {
            let Some(state) = self.fold.round(round) else { continue };
            let numbers: Vec<u16> = state.draw.tables.iter().map(|table| table.number).collect();
            for &number in &numbers {
                let next = self.open_boards_at(TableKey { round, number }).first().copied();
                let Some(key) = next.filter(|key| !schedule.is_racing(number, *key)) else {
                    continue;
                };
                let is_known = numbers.iter().any(|&other| {
                    let key = ResultKey { table: other, ..key };
                    let is_raced = self.raced.contains(&key);
                    is_raced || schedule.is_racing(other, key)
                });
                if is_known {
                    lost.push(key);
                }
            }
        }
        for key in lost {
            self.replay_board(now, key, out);
        }
    }

    /// Has each open board raced again, with another seed, that was raced already: its result was taken
    /// back, or a correction gave its seats to others.
    pub(super) fn replay_raced_boards(&mut self, now: TournamentInstant, out: &mut Effects) {
        let rounds = self.schedules.keys().filter_map(|round| self.open_boards.get(round));
        let open = rounds.flat_map(BTreeMap::values).flatten();
        let raced: Vec<ResultKey> = open.filter(|key| self.raced.contains(key)).copied().collect();
        for key in raced {
            self.replay_board(now, key, out);
        }
    }

    pub(super) fn close_all_tables(&mut self, out: &mut Effects) {
        let tables: Vec<TableKey> = self.tables.keys().copied().collect();
        for table in tables {
            self.close_table(table, out);
        }
        self.schedules.clear();
    }

    fn close_table(&mut self, table: TableKey, out: &mut Effects) {
        if let Some(TableRoom { room: Some(room), .. }) = self.tables.remove(&table) {
            out.push(Effect::CloseTable { room });
        }
    }

    /// Calls the entrants of a table to its room who don't know it yet.
    fn call_entrants(&mut self, table: TableKey, seats: Vec<EntrantId>, out: &mut Effects) {
        let Some(code) = self.room(table) else { return };
        let call = self.call(table, code);
        // An entrant who is seated elsewhere meanwhile is called again on coming back.
        let seats = seats.into_iter().collect();
        let Some(open) = self.tables.get_mut(&table) else { return };
        let before = std::mem::replace(&mut open.called, seats);
        let new = open.called.difference(&before);
        for key in new.filter_map(|entrant| self.entrants.key_of(*entrant)) {
            out.push(Effect::Call { key, call });
        }
    }

    fn call(&self, table: TableKey, code: RoomCode) -> TableCall {
        let go = self.schedules.get(&table.round).map(RoundSchedule::go);
        TableCall { code, round: table.round, table: table.number, go }
    }

    /// Returns the table where an entrant's key is awaited.
    pub fn call_of(&self, key: Fingerprint) -> Option<TableCall> {
        let entrant = self.entrants.of_key(key)?;
        let rounds =
            self.schedules.keys().filter_map(|&round| Some((round, self.fold.round(round)?)));
        let mut own = rounds.filter_map(|(round, state)| {
            let table = state.draw.tables.iter().find(|table| table.seats.contains(&entrant))?;
            Some(TableKey { round, number: table.number })
        });
        own.find_map(|table| {
            let is_awaited = !self.open_boards_at(table).is_empty();
            Some(self.call(table, self.room(table).filter(|_| is_awaited)?))
        })
    }

    /// Returns whether a key's owner has boards to race at another table of the round than a room's: they
    /// are the same ones, so who watches there would know them beforehand.
    pub fn races_boards_of(&self, key: Fingerprint, room: RoomCode) -> bool {
        let Some(entrant) = self.entrants.of_key(key) else { return false };
        let watched = self.tables.iter().find(|(_, table)| table.room == Some(room));
        let Some((watched, state)) =
            watched.and_then(|(key, _)| Some((*key, self.fold.round(key.round)?)))
        else {
            return false;
        };
        let own = state.draw.tables.iter().find(|table| table.seats.contains(&entrant));
        let own = own.map(|table| TableKey { round: watched.round, number: table.number });
        own.is_some_and(|own| own != watched && !self.open_boards_at(own).is_empty())
    }

    /// Counts the tables whose rooms are open.
    pub fn open_tables(&self) -> usize {
        self.tables.values().filter(|table| table.room.is_some()).count()
    }

    pub(super) fn room(&self, table: TableKey) -> Option<RoomCode> {
        self.tables.get(&table)?.room
    }

    pub(super) fn seats(&self, table: TableKey) -> Option<Vec<EntrantId>> {
        Some(self.fold.round(table.round)?.draw.table(table.number)?.seats.clone())
    }
}
