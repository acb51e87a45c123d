//! The starts and ends of a round's boards.
//!
//! All tables of a round race board by board, and each board has one GO for all of them. A board that
//! only some tables race again comes before those that follow it.

use super::draws::LEAD_IN;
use super::round_schedule::{COUNTDOWN, RESULTS_SHOWN, RoundSchedule, RoundStep};
use super::{BoardKey, Effect, Effects, TableJob, TableKey, TournamentRunner, short};
use gridrace_shared::tournament::draw::DrawnTable;
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, RoundKey};
use gridrace_shared::tournament::log::{LogEntry, Tournament};
use gridrace_shared::tournament::plan::Format;
use gridrace_shared::tournament::public_log::LogAuthor;
use gridrace_shared::tournament::result::{BoardOutcome, BoardResult};
use gridrace_shared::tournament::stage_state::StageState;
use gridrace_shared::util::time::{Millis, TournamentInstant};
use std::collections::{BTreeMap, BTreeSet};

/// The shortest countdown, where rooms or boards were late.
const SHORTEST_COUNTDOWN: Millis = Millis::from_seconds(3);

/// The boards that each table of a round has yet to race.
type OpenBoards = BTreeMap<u16, Vec<ResultKey>>;

impl TournamentRunner {
    /// Takes the result of a board from its table. It counts once, and only if no other attempt of the
    /// board counts by now, nor a result that the organiser has set.
    pub(super) fn on_board_ended(
        &mut self,
        now: TournamentInstant,
        key: ResultKey,
        mut result: BoardResult,
        out: &mut Effects,
    ) {
        // The tables that the end cut off report what was raced until then.
        if self.is_closed {
            return;
        }
        if let Some(schedule) = self.schedules.get_mut(&key.round)
            && schedule.started(key.table) == Some(key)
        {
            schedule.forget(key.table);
        }
        let attempt = self.fold.attempt(key.round, key.table, key.board);
        if self.raced.contains(&key) || attempt != Some(key.attempt) {
            return;
        }
        let Some(round) = self.fold.round(key.round) else { return };
        let Some(table) = round.draw.table(key.table) else { return };
        if round.result(key.table, key.board).is_some() {
            return;
        }
        result.rows.retain(|(entrant, _)| table.seats.contains(entrant));
        let entry = LogEntry::Result { key, result: self.name_absent(key, result) };
        // A full log takes none.
        self.record_entry(now, LogAuthor::Server, entry, None, out).ok();
        self.forget_calls_if_done(key.into());
    }

    /// Gives those who did not start a match rows of their own. If a correction changes its sides, the
    /// result fits it no more, as it would without them.
    pub(super) fn name_absent(&self, key: ResultKey, mut result: BoardResult) -> BoardResult {
        if self.has_matches(key.round) {
            let seats = self.drawn_seats(key.into()).unwrap_or_default().iter();
            let is_absent = |seat: &&EntrantId| result.rows.iter().all(|(row, _)| row != *seat);
            let absent: Vec<EntrantId> = seats.filter(is_absent).copied().collect();
            result.rows.extend(absent.into_iter().map(|seat| (seat, BoardOutcome::Dns)));
        }
        result
    }

    /// Returns whether a board was asked for, and is still to be raced.
    pub fn awaits_board(&self, board: BoardKey) -> bool {
        !self.is_closed && self.boards.contains_key(&board)
    }

    pub(super) fn on_board_drawn(&mut self, board: BoardKey, is_drawn: bool) {
        if !is_drawn {
            // It is asked for again.
            self.boards.remove(&board);
        } else if let Some(drawn) = self.boards.get_mut(&board) {
            *drawn = true;
        }
    }

    /// Starts the boards that are due.
    pub(super) fn advance_boards(&mut self, now: TournamentInstant, out: &mut Effects) {
        let rounds: Vec<RoundKey> = self.schedules.keys().copied().collect();
        let mut wanted = BTreeSet::new();
        for round in rounds {
            if let Some(schedule) = self.schedules.remove(&round) {
                let advanced = self.advance_round(now, round, schedule, &mut wanted, out);
                self.schedules.insert(round, advanced);
            }
        }
        let dropped: Vec<BoardKey> =
            self.boards.keys().filter(|board| !wanted.contains(*board)).copied().collect();
        for board in dropped {
            self.boards.remove(&board);
            out.push(Effect::DropBoard(board));
        }
        for board in wanted {
            self.boards.entry(board).or_insert_with(|| {
                out.push_job(TableJob::DrawBoard(board));
                false
            });
        }
    }

    fn advance_round(
        &self,
        now: TournamentInstant,
        round: RoundKey,
        mut schedule: RoundSchedule,
        wanted: &mut BTreeSet<BoardKey>,
        out: &mut Effects,
    ) -> RoundSchedule {
        let none = OpenBoards::new();
        let open = self.open_boards.get(&round).unwrap_or(&none);
        self.end_closed_boards(round, open, &mut schedule, out);
        if matches!(self.format(round), Format::Arena { .. }) {
            let tables = self.fold.round(round).into_iter().flat_map(|it| &it.draw.tables);
            for table in tables.filter(|table| !open.contains_key(&table.number)) {
                schedule.note_done(now, table.number);
            }
        }
        let Some(board) = open.values().filter_map(|keys| keys.first()).map(|key| key.board).min()
        else {
            schedule.started.clear();
            if !matches!(schedule.step, RoundStep::Done { .. }) {
                schedule.step = RoundStep::Done { since: now };
            }
            return schedule;
        };
        // The board after the next is drawn ahead.
        wanted.extend(
            open.values().flat_map(|keys| keys.iter().take(2)).map(|key| BoardKey::from(*key)),
        );
        if schedule.started.is_empty() {
            self.schedule_board(now, board, &mut schedule);
            self.start_countdown_if_due(now, round, open, &mut schedule, out);
        } else if now >= schedule.go {
            schedule.step = RoundStep::Racing;
        } else if matches!(schedule.step, RoundStep::CountingDown { .. }) {
            self.add_opened_tables(open, &mut schedule);
            self.reseat_tables(now, round, &mut schedule, out);
        }
        schedule
    }

    /// Ends the boards that count no more, or another attempt of which counts.
    fn end_closed_boards(
        &self,
        round: RoundKey,
        open: &OpenBoards,
        schedule: &mut RoundSchedule,
        out: &mut Effects,
    ) {
        schedule.started.retain(|&number, key| {
            let is_open = open.get(&number).is_some_and(|keys| keys.contains(key));
            if !is_open && let Some(room) = self.room(TableKey { round, number }) {
                // The room takes the one that applies: in the countdown the first, in the race the second.
                out.push_job(TableJob::Cancel { room });
                out.push_job(TableJob::EndBoard { room });
            }
            is_open
        });
    }

    /// Sets the GO of the next board unless it is set.
    fn schedule_board(&self, now: TournamentInstant, board: u8, schedule: &mut RoundSchedule) {
        if !matches!(schedule.step, RoundStep::Scheduled { .. }) {
            // Players whose table was done have left it, and come back to race a board again.
            let pause = self.pause().max(if board > schedule.board { Millis(0) } else { LEAD_IN });
            schedule.schedule_next(self.no_go_before.max(now + pause));
        }
        schedule.board = board;
    }

    /// Starts the countdown of the tables that race the next board, once that is due and all are ready.
    fn start_countdown_if_due(
        &self,
        now: TournamentInstant,
        round: RoundKey,
        open: &OpenBoards,
        schedule: &mut RoundSchedule,
        out: &mut Effects,
    ) {
        let RoundStep::Scheduled { is_first } = schedule.step else { return };
        let next = next_boards(open, schedule.board);
        if self.is_paused || now < schedule.countdown_begins() || !self.can_start(&next) {
            return;
        }
        schedule.go = schedule.go.max(now + SHORTEST_COUNTDOWN);
        schedule.step = RoundStep::CountingDown { is_first };
        for (&number, &key) in &next {
            let table = TableKey { round, number };
            let (Some(room), Some(seats)) = (self.room(table), self.seats(table)) else { continue };
            schedule.seated.insert(number, seats.clone());
            out.push_job(TableJob::Start { room, key, seats, go: schedule.go });
        }
        schedule.started = next;
    }

    /// Adds the tables that late entrants have opened to the countdown.
    fn add_opened_tables(&self, open: &OpenBoards, schedule: &mut RoundSchedule) {
        let boards: BTreeSet<BoardKey> =
            schedule.started.values().map(|key| BoardKey::from(*key)).collect();
        let joins =
            |key: &ResultKey| boards.contains(&(*key).into()) && self.room((*key).into()).is_some();
        let first = open.values().filter_map(|keys| keys.first().copied());
        schedule.started.extend(first.filter(joins).map(|key| (key.table, key)));
    }

    /// Lets tables count down with the seats that they have now: an entrant came late, or was seated.
    /// Where a correction moves players to other tables, GO waits until they can be there.
    fn reseat_tables(
        &self,
        now: TournamentInstant,
        round: RoundKey,
        it: &mut RoundSchedule,
        out: &mut Effects,
    ) {
        let seated = it.seated.clone();
        // Where a drawn round takes no late entrants, an entrant who is new at a table comes by a correction.
        let is_closed = matches!(
            self.format(round),
            Format::Swiss { .. } | Format::RoundRobin { .. } | Format::Knockout | Format::Double
        );
        let is_moved = |entrant: &EntrantId, table: u16| {
            let holds = |seats: &Vec<EntrantId>| seats.contains(entrant);
            let is_elsewhere = seated.iter().any(|(number, it)| *number != table && holds(it));
            is_elsewhere || is_closed && !seated.get(&table).is_some_and(holds)
        };
        let (mut reseated, mut moves_any) = (Vec::new(), false);
        for (&number, &key) in &it.started {
            let table = TableKey { round, number };
            let (Some(room), Some(seats)) = (self.room(table), self.seats(table)) else { continue };
            if seated.get(&number) != Some(&seats) {
                moves_any |= seats.iter().any(|entrant| is_moved(entrant, number));
                reseated.push((number, room, key, seats));
            }
        }
        if moves_any && it.go < now + LEAD_IN {
            it.go = now + LEAD_IN;
            let tables = it.started.keys().map(|&number| TableKey { round, number });
            for room in tables.filter_map(|table| self.room(table)) {
                out.push_job(TableJob::MoveGo { room, go: it.go });
            }
        }
        for (number, room, key, seats) in reseated {
            it.seated.insert(number, seats.clone());
            out.push_job(TableJob::Start { room, key, seats, go: it.go });
        }
    }

    /// Returns whether all of these tables have a room and a board.
    fn can_start(&self, next: &BTreeMap<u16, ResultKey>) -> bool {
        next.values().all(|key| {
            let is_drawn = self.boards.get(&BoardKey::from(*key)) == Some(&true);
            is_drawn && self.room(TableKey::from(*key)).is_some()
        })
    }

    /// Computes the boards that are open anew, after an entry of the fold.
    pub(super) fn update_open_boards(&mut self) {
        let Some(latest) = self.latest_round() else { return self.open_boards.clear() };
        let is_arena = matches!(self.format(latest), Format::Arena { .. });
        let stage = self.fold.stages().get(usize::from(latest.stage));
        let rounds = stage.into_iter().flat_map(StageState::open_rounds);
        let rounds = rounds.map(|round| RoundKey { round: short(round), ..latest });
        // Of an arena several rounds run at once.
        let rounds = rounds.filter(|round| is_arena || *round == latest);
        let open = rounds.map(|round| (round, open_boards_of(&self.fold, round)));
        self.open_boards = open.filter(|(_, tables)| !tables.is_empty()).collect();
    }

    /// Returns the boards that a table has yet to race.
    pub(super) fn open_boards_at(&self, table: TableKey) -> &[ResultKey] {
        let round = self.open_boards.get(&table.round);
        round.and_then(|tables| tables.get(&table.number)).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a table races no board now that others of its round still race.
    pub(super) fn is_done(&self, table: TableKey) -> bool {
        let schedule = self.schedules.get(&table.round);
        schedule.is_none_or(|schedule| schedule.started(table.number).is_none())
    }

    /// Returns when something of a round is due.
    pub(super) fn start_due(&self, round: RoundKey) -> Option<TournamentInstant> {
        let schedule = self.schedules.get(&round)?;
        match schedule.step {
            RoundStep::Racing => None,
            RoundStep::CountingDown { .. } => Some(schedule.go),
            RoundStep::Done { since } => Some(since + RESULTS_SHOWN),
            RoundStep::Scheduled { .. } if self.is_paused => None,
            RoundStep::Scheduled { .. } => {
                let open = self.open_boards.get(&round)?;
                // Otherwise a board or a room comes first.
                self.can_start(&next_boards(open, schedule.board))
                    .then(|| schedule.countdown_begins())
            }
        }
    }

    pub(super) fn cancel_countdowns(&mut self, out: &mut Effects) {
        let mut cancelled = Vec::new();
        for (round, schedule) in &mut self.schedules {
            if let RoundStep::CountingDown { is_first } = schedule.step {
                schedule.step = RoundStep::Scheduled { is_first };
                let tables = std::mem::take(&mut schedule.started).into_keys();
                cancelled.extend(tables.map(|number| TableKey { round: *round, number }));
            }
        }
        for room in cancelled.into_iter().filter_map(|table| self.room(table)) {
            out.push_job(TableJob::Cancel { room });
        }
    }

    /// Moves the GO of boards that haven't started; returns whether there are any.
    pub(super) fn move_go(&mut self, to: TournamentInstant, out: &mut Effects) -> bool {
        let mut is_moved = false;
        let mut moved = Vec::new();
        for (round, schedule) in &mut self.schedules {
            if let RoundStep::Scheduled { .. } | RoundStep::CountingDown { .. } = schedule.step {
                is_moved = true;
                schedule.go = to;
                let tables = schedule.started.keys();
                moved.extend(tables.map(|&number| TableKey { round: *round, number }));
            }
        }
        for room in moved.into_iter().filter_map(|table| self.room(table)) {
            out.push_job(TableJob::MoveGo { room, go: to });
        }
        is_moved
    }

    /// Lets no board start before this instant that hasn't started.
    pub(super) fn delay_boards(&mut self, until: TournamentInstant) {
        for schedule in self.schedules.values_mut() {
            if let RoundStep::Scheduled { .. } = schedule.step {
                schedule.go = schedule.go.max(until);
            }
        }
    }

    /// Returns the least countdown after a pause of the organiser's.
    pub(super) const fn countdown_after_pause() -> Millis {
        COUNTDOWN
    }
}

/// Returns the boards that the tables of a round have yet to race, by table.
fn open_boards_of(fold: &Tournament, round: RoundKey) -> OpenBoards {
    let Some(stage) = fold.stages().get(usize::from(round.stage)) else {
        return BTreeMap::new();
    };
    let Some(state) = stage.rounds().get(usize::from(round.round)) else {
        return BTreeMap::new();
    };
    let boards_at = |table: &DrawnTable| {
        let number = table.number;
        let is_open = |&board: &u8| !state.is_void(board) && state.result(number, board).is_none();
        let key = |board| {
            let attempt = fold.attempt(round, number, board)?;
            Some(ResultKey { round, table: number, board, attempt })
        };
        (0..stage.stage().boards).filter(is_open).filter_map(key).collect()
    };
    let tables = state.draw.tables.iter();
    tables
        .filter(|table| !stage.is_table_complete(state, table))
        .map(|table| (table.number, boards_at(table)))
        .collect()
}

/// Returns whether a board is to be raced, or raced to its end, by a fold.
pub(super) fn is_open_in(fold: &Tournament, key: ResultKey) -> bool {
    let open = open_boards_of(fold, key.round);
    open.get(&key.table).is_some_and(|keys| keys.contains(&key))
}

/// Returns the tables whose next board is this one.
fn next_boards(open: &OpenBoards, board: u8) -> BTreeMap<u16, ResultKey> {
    let next = open.iter().filter_map(|(table, keys)| Some((*table, *keys.first()?)));
    next.filter(|(_, key)| key.board == board).collect()
}
