//! The rooms of a round's tables, and the entrants that are called to them.

use super::boards::is_open_in;
use super::round_schedule::RoundSchedule;
use super::table_room::TableRoom;
use super::{BoardKey, Effects, RETURN_TIME, RecoveredTable, TableJob, TableKey, TournamentRunner};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::tournament::TableCall;
use gridrace_shared::tournament::ids::{EntrantId, ResultKey};
use gridrace_shared::tournament::log::{LogEntry, LogEntryError, Presence, Tournament};
use gridrace_shared::tournament::public_log::LogAuthor;
use gridrace_shared::tournament::result::{BoardOutcome, BoardResult};
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
                    out.push_job(TableJob::Open { table, first, seats });
                }
                (Some(_), true) => self.call_entrants(table, seats, out),
                (None, _) => self.forget_calls_if_done(table),
            }
        }
    }

    /// Returns the seats of all tables of the rounds that are raced, or whose results are shown.
    fn drawn_tables(&self) -> BTreeMap<TableKey, Vec<EntrantId>> {
        let rounds = self.schedules.iter();
        let rounds = rounds.filter_map(|(round, it)| Some((*round, it, self.fold.round(*round)?)));
        let tables = rounds.flat_map(|(round, schedule, state)| {
            let numbers = state.draw.tables.iter().map(|table| table.number);
            let stay = numbers.filter(|number| !schedule.has_left(*number));
            stay.map(move |number| TableKey { round, number })
        });
        tables.filter_map(|table| Some((table, self.seats(table)?))).collect()
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
            (_, Some(room)) => out.push_job(TableJob::Close { room }),
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

    /// Has a board raced again; returns its new attempt.
    fn replay_board(
        &mut self,
        now: TournamentInstant,
        key: ResultKey,
        out: &mut Effects,
    ) -> Option<ResultKey> {
        let attempt = self.fold.next_attempt(key.round);
        let (table, board) = (Some(key.table), Some(key.board));
        let entry = LogEntry::Replay { round: key.round, table, board, attempt };
        // A log that takes no more replays leaves the board to the organiser.
        self.record_entry(now, LogAuthor::Server, entry, None, out).ok()?;
        Some(ResultKey { attempt, ..key })
    }

    /// Takes over the tables of an earlier server, and the results that it stored.
    pub(super) fn adopt_tables(
        &mut self,
        now: TournamentInstant,
        tables: Vec<RecoveredTable>,
        results: Vec<(ResultKey, BoardResult)>,
        out: &mut Effects,
    ) {
        for (key, result) in results {
            // A heat whose end is stored and not journalled goes on, and its next end replaces the result.
            if !tables.iter().any(|table| table.is_running && table.key == key) {
                self.on_board_ended(now, key, result, out);
            }
        }
        self.awaits_tables = false;
        self.are_rooms_due = true;
        self.no_go_before = now + RETURN_TIME;
        if !self.is_closed {
            for (_, profile) in self.entrants.iter() {
                out.push_job(TableJob::AdmitKey { key: profile.key, admitted: true });
            }
        }
        self.update_schedules(now);
        // The GO that the earlier server announced stands. All tables count down to it from now on: a room
        // may have begun to.
        let go = |round| self.no_go_before.max(self.announced_go(round));
        let rounds = self.schedules.keys();
        self.schedules = rounds.map(|&it| (it, RoundSchedule::first(go(it)))).collect();
        for RecoveredTable { room, key, is_running } in tables {
            let table = TableKey::from(key);
            let open = self.open_boards_at(table);
            let (is_needed, counts) = (!open.is_empty(), open.contains(&key));
            let is_known = self.tables.contains_key(&table);
            match self.schedules.get_mut(&table.round).filter(|_| is_needed && !is_known) {
                Some(schedule) => {
                    let called = BTreeSet::new();
                    self.tables.insert(table, TableRoom { room: Some(room), called });
                    if is_running && counts {
                        schedule.adopt_racing(table.number, key);
                    } else if is_running {
                        // The server ended before the room was told.
                        out.push_job(TableJob::EndBoard { room });
                    } else if self.is_paused {
                        // As above: its countdown may go on.
                        out.push_job(TableJob::Cancel { room });
                    }
                }
                None => out.push_job(TableJob::Close { room }),
            }
        }
    }

    /// Has each open board raced again, with another seed, that players know: its result was taken back, a
    /// correction gave its seats to others, or other tables have raced it without this one. Late entrants
    /// whose room wasn't open at its GO get nothing for it.
    pub(super) fn replay_known_boards(&mut self, now: TournamentInstant, out: &mut Effects) {
        for key in self.known_boards(now) {
            let mut seats = self.drawn_seats(key.into()).unwrap_or_default().iter();
            let are_late = seats.all(|&it| self.fold.has_checked_in_since(it, key.round));
            if are_late && !self.had_results.contains(&key) && !self.has_matches(key.round) {
                self.pass_over(now, key, out);
            } else {
                self.replay_board(now, key, out);
            }
        }
    }

    /// Gives a late entrant who has opened a table nothing for the boards that others know. In a match, who
    /// is alone at a table would be out by that.
    pub(super) fn pass_over_known_boards(
        &mut self,
        now: TournamentInstant,
        entrant: EntrantId,
        out: &mut Effects,
    ) {
        for key in self.known_boards(now) {
            if self.drawn_seats(key.into()) == Some(&[entrant]) && !self.has_matches(key.round) {
                self.pass_over(now, key, out);
            }
        }
    }

    /// Records that no entrant at a table started a board.
    fn pass_over(&mut self, now: TournamentInstant, mut key: ResultKey, out: &mut Effects) {
        if self.raced.contains(&key) {
            // It was that of an entrant who sits here no more: the server records one result of an attempt.
            let Some(again) = self.replay_board(now, key, out) else { return };
            key = again;
        }
        let seats = self.drawn_seats(key.into()).unwrap_or_default();
        let rows = seats.iter().map(|seat| (*seat, BoardOutcome::Dns)).collect();
        let entry = LogEntry::Result { key, result: BoardResult { rows } };
        // A full log leaves the board to be raced again.
        self.record_entry(now, LogAuthor::Server, entry, None, out).ok();
    }

    /// Returns the open boards that players know.
    fn known_boards(&self, now: TournamentInstant) -> Vec<ResultKey> {
        let mut known = Vec::new();
        for (round, schedule) in &self.schedules {
            let racing: BTreeSet<BoardKey> = schedule.racing(now).map(BoardKey::from).collect();
            let open = self.open_boards.get(round).into_iter().flat_map(BTreeMap::values).flatten();
            let is_known = |key: &&ResultKey| {
                let board = BoardKey::from(**key);
                let others_know = self.raced_boards.contains(&board) || racing.contains(&board);
                let is_on = schedule.started(key.table) == Some(**key);
                self.had_results.contains(*key) || others_know && !is_on
            };
            known.extend(open.filter(is_known).copied());
        }
        known
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
            out.push_job(TableJob::Close { room });
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
            out.push_job(TableJob::Call { key, call });
        }
    }

    fn call(&self, table: TableKey, code: RoomCode) -> TableCall {
        let go = self.schedules.get(&table.round).and_then(RoundSchedule::go);
        TableCall { code, round: table.round, table: table.number, go }
    }

    /// Returns the table where an entrant's key is awaited.
    pub fn call_of(&self, key: Fingerprint) -> Option<TableCall> {
        let entrant = self.entrants.of_key(key)?;
        let rounds =
            self.schedules.keys().filter_map(|&round| Some((round, self.fold.round(round)?)));
        let mut own = rounds.filter_map(|(round, state)| {
            let table = state.draw.tables.iter().find(|table| table.seats.contains(&entrant))?;
            let table = TableKey { round, number: table.number };
            self.seats(table).filter(|seats| seats.contains(&entrant)).map(|_| table)
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

    /// Returns the entrants that race at a table: not the disqualified, unless only they have seats.
    pub(super) fn seats(&self, table: TableKey) -> Option<Vec<EntrantId>> {
        let drawn = self.drawn_seats(table)?;
        let races = |entrant: &&EntrantId| !self.is_disqualified(**entrant);
        let racing: Vec<EntrantId> = drawn.iter().filter(races).copied().collect();
        Some(if racing.is_empty() { drawn.to_vec() } else { racing })
    }

    fn is_disqualified(&self, entrant: EntrantId) -> bool {
        self.presence(entrant) == Some(Presence::Disqualified)
    }

    pub(super) fn drawn_seats(&self, table: TableKey) -> Option<&[EntrantId]> {
        seats_in(&self.fold, table)
    }

    /// Has each board raced again, with another seed, that is raced now and ends by an entry: its players
    /// know it, also if the entry is taken back. This comes before the entry, as long as there is such a
    /// board.
    pub(super) fn replay_interrupted_boards(
        &mut self,
        now: TournamentInstant,
        entry: &LogEntry,
        out: &mut Effects,
    ) -> Result<(), LogEntryError> {
        let mut after = self.fold.clone();
        after.apply(entry.clone())?;
        // The organiser's own seats, and those of late entrants, are for the boards to come.
        let gives_seats = matches!(
            entry,
            LogEntry::Seat { .. } | LogEntry::Unseat { .. } | LogEntry::CheckIn { .. }
        );
        let is_interrupted = |key: &ResultKey| {
            let table = TableKey::from(*key);
            let is_set = matches!(entry, LogEntry::Result { key: set, .. } if set == key);
            let keeps_seats = gives_seats || seats_in(&after, table) == self.drawn_seats(table);
            !(is_set || is_open_in(&after, *key) && keeps_seats)
        };
        let racing = self.schedules.values().flat_map(|schedule| schedule.racing(now));
        let interrupted: Vec<ResultKey> = racing.filter(is_interrupted).collect();
        for key in interrupted {
            self.replay_board(now, key, out);
        }
        Ok(())
    }

    /// Lets the entrants of a table that has no board left be called again, if it has one later: they may
    /// have left it.
    pub(super) fn forget_calls_if_done(&mut self, table: TableKey) {
        if self.open_boards_at(table).is_empty()
            && let Some(open) = self.tables.get_mut(&table)
        {
            open.called.clear();
        }
    }
}

fn seats_in(fold: &Tournament, table: TableKey) -> Option<&[EntrantId]> {
    Some(&fold.round(table.round)?.draw.table(table.number)?.seats)
}
