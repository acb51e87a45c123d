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
use std::collections::BTreeSet;

impl TournamentRunner {
    /// Opens rooms for the tables that have boards to race, and closes those of rounds that are over.
    pub(super) fn update_tables(&mut self, out: &mut Effects) {
        let is_kept = |table: &TableKey| {
            let drawn = self.fold.round(table.round).and_then(|it| it.draw.table(table.number));
            drawn.is_some() && self.schedules.contains_key(&table.round)
        };
        let over: Vec<TableKey> =
            self.tables.keys().filter(|table| !is_kept(table)).copied().collect();
        for table in over {
            self.close_table(table, out);
        }
        let drawn = self.schedules.keys().flat_map(|&round| {
            let tables = self.fold.round(round).map(|state| &state.draw.tables);
            tables.into_iter().flatten().map(move |table| TableKey { round, number: table.number })
        });
        let missing: Vec<(TableKey, ResultKey)> = drawn
            .filter(|table| !self.tables.contains_key(table))
            .filter_map(|table| Some((table, *self.open_boards_at(table).first()?)))
            .collect();
        for (table, first) in missing {
            let Some(seats) = self.seats(table) else { continue };
            self.tables.insert(table, TableRoom::default());
            out.push(Effect::OpenTable { table, first, seats });
        }
        self.call_entrants(out);
    }

    pub(super) fn on_table_opened(
        &mut self,
        table: TableKey,
        room: Option<RoomCode>,
        out: &mut Effects,
    ) {
        match (self.tables.get_mut(&table), room) {
            (Some(open), Some(room)) if open.room.is_none() => open.room = Some(room),
            // It is asked for again.
            (Some(_), None) => drop(self.tables.remove(&table)),
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

    /// Calls the entrants to the rooms that they don't know yet.
    fn call_entrants(&mut self, out: &mut Effects) {
        let mut called = Vec::new();
        for (&table, open) in &self.tables {
            let Some(code) = open.room else { continue };
            if self.open_boards_at(table).is_empty() {
                continue;
            }
            let seats: BTreeSet<EntrantId> =
                self.seats(table).unwrap_or_default().into_iter().collect();
            for key in seats.difference(&open.called).filter_map(|it| self.entrants.key_of(*it)) {
                out.push(Effect::Call { key, call: self.call(table, code) });
            }
            // Whoever is seated elsewhere is called again on coming back.
            called.push((table, seats));
        }
        for (table, seats) in called {
            if let Some(open) = self.tables.get_mut(&table) {
                open.called = seats;
            }
        }
    }

    fn call(&self, table: TableKey, code: RoomCode) -> TableCall {
        let go = self.schedules.get(&table.round).map(RoundSchedule::go);
        TableCall { code, round: table.round, table: table.number, go }
    }

    /// Returns the table where an entrant's key is awaited.
    pub fn call_of(&self, key: Fingerprint) -> Option<TableCall> {
        let entrant = self.entrants.of_key(key)?;
        let sits = |table: &TableKey| {
            let drawn = self.fold.round(table.round).and_then(|it| it.draw.table(table.number));
            drawn.is_some_and(|drawn| drawn.seats.contains(&entrant))
        };
        let mut own = self.tables.iter().filter(|(table, _)| sits(table));
        own.find_map(|(&table, open)| {
            let is_awaited = !self.open_boards_at(table).is_empty();
            Some(self.call(table, open.room.filter(|_| is_awaited)?))
        })
    }

    pub(super) fn room(&self, table: TableKey) -> Option<RoomCode> {
        self.tables.get(&table)?.room
    }

    pub(super) fn seats(&self, table: TableKey) -> Option<Vec<EntrantId>> {
        Some(self.fold.round(table.round)?.draw.table(table.number)?.seats.clone())
    }
}
