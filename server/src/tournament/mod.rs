//! A tournament on the server: the pure state machine between its log and its tables.
//!
//! `apply(now, event) -> Effects` is all that changes it, as for a race. What is lasting follows from
//! the lines of the public log alone, so a server that continues a tournament folds them again:
//! [`TournamentRunner::recover`]. What isn't (rooms, boards that are drawn, instants of GO) comes in by
//! events.
//!
//! - [`event`], [`effect`]: its inputs, and what the shell must do;
//! - [`entrants`]: the entrants; `entries`: entering, check-in, withdrawal;
//! - `commands`: the organiser's commands; `organisers`: the keys that may give them;
//! - `draws`: the draws of rounds; `tables`, `table_room`: rooms of a round;
//! - `boards`, `round_schedule`: the starts of boards;
//! - `pages`: parts that clients request.

mod boards;
mod commands;
mod draws;
pub mod effect;
pub mod entrants;
mod entries;
pub mod event;
mod organisers;
mod pages;
mod round_schedule;
mod table_room;
mod tables;
#[cfg(test)]
mod tests;

pub use effect::{BoardSource, Effect, Effects, TableJob};
pub use event::{BoardKey, Event, RecoveredTable, TableKey};

use entrants::{EntrantProfile, EntrantRegistry};
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::heat::short_text::Announcement;
use gridrace_shared::protocol::tournament::{
    OwnEntry, PageChanges, TournamentCounts, TournamentError, TournamentHead, TournamentPhase,
    TournamentUpdate,
};
use gridrace_shared::tournament::draw_commitment::{DrawKey, TournamentSecret};
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, RoundKey, TournamentName};
use gridrace_shared::tournament::log::{LogEntry, LogEntryError, MAX_LOG_ENTRIES, Tournament};
use gridrace_shared::tournament::plan::{Format, MIN_ENTRANTS, TournamentPlan};
use gridrace_shared::tournament::public_log::{LogAuthor, LogLine, PublicEvent};
use gridrace_shared::tournament::settings::TournamentSettings;
use gridrace_shared::util::time::{Millis, TournamentInstant};
use organisers::Organisers;
use round_schedule::RoundSchedule;
use std::collections::{BTreeMap, BTreeSet};
use table_room::TableRoom;

/// Most lines of the public log: as many as entries, and as much again of all else.
const MAX_LINES: usize = 2 * MAX_LOG_ENTRIES;
/// The time after the end in which the organiser may still correct results, until the secret is
/// revealed.
const CORRECTION_PERIOD: Millis = Millis::from_seconds(600);
/// How long nothing may happen until the tournament is closed: one that was given up doesn't take the
/// place of another for ever. A league may well pause for a week.
const ABANDONED_AFTER: Millis = Millis::from_seconds(14 * 24 * 3_600);
/// The same while fewer have entered than a tournament needs.
const EMPTY_FOR: Millis = Millis::from_seconds(3 * 24 * 3_600);
/// Least time to the first GO after a restart of the server: players come back within it.
const RETURN_TIME: Millis = Millis::from_seconds(15);

/// What never changes in a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TournamentConfig {
    pub name: TournamentName,
    pub plan: TournamentPlan,
    pub settings: TournamentSettings,
    pub secret: TournamentSecret,
    /// The key that opened it.
    pub founder: Fingerprint,
}

/// A tournament as the server runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TournamentRunner {
    config: TournamentConfig,
    // What follows from the lines.
    fold: Tournament,
    lines: Vec<LogLine>,
    entrants: EntrantRegistry,
    organisers: Organisers,
    is_check_in_open: bool,
    has_begun: bool,
    is_paused: bool,
    takes_late_entries: bool,
    is_revealed: bool,
    is_closed: bool,
    changed: PageChanges,
    committed: BTreeSet<DrawKey>,
    /// The first draw of the latest arena, later by its pauses.
    arena_begins: Option<TournamentInstant>,
    /// When the pause began that takes time of the arena.
    paused_at: Option<TournamentInstant>,
    /// The boards whose results came from tables.
    raced: BTreeSet<ResultKey>,
    /// The boards that some table has raced.
    raced_boards: BTreeSet<BoardKey>,
    /// All boards that had a result, also those that the organiser set while they were raced.
    had_results: BTreeSet<ResultKey>,
    /// Check-ins and withdrawals by entrants themselves, by key.
    toggles: BTreeMap<Fingerprint, u16>,
    /// The boards that each table has yet to race, of each round that isn't over. Follows from the fold,
    /// and is kept as most events ask for it.
    open_boards: BTreeMap<RoundKey, BTreeMap<u16, Vec<ResultKey>>>,
    /// The entrants that would be drawn, as of the latest event. Follows from the fold.
    present: BTreeSet<EntrantId>,
    // What doesn't.
    /// Whether it isn't known yet which tables of an earlier server are open.
    awaits_tables: bool,
    reveal_at: Option<TournamentInstant>,
    /// Before this no board starts: players come back after a restart of the server.
    no_go_before: TournamentInstant,
    /// Since when entrants wait for a table of an arena.
    waiting_since: BTreeMap<EntrantId, TournamentInstant>,
    schedules: BTreeMap<RoundKey, RoundSchedule>,
    tables: BTreeMap<TableKey, TableRoom>,
    /// Whether rooms may have to be opened or closed, or entrants called to them.
    are_rooms_due: bool,
    /// The boards that were asked for, and whether each is drawn.
    boards: BTreeMap<BoardKey, bool>,
}

impl TournamentRunner {
    pub fn open(config: TournamentConfig) -> (Self, Effects) {
        let mut runner = Self::new(config);
        let mut out = Effects::default();
        runner.commit_to_next_draw(TournamentInstant(0), &mut out);
        (runner, out)
    }

    /// Continues a tournament from its lines; [`Event::Recovered`] comes next.
    pub fn recover(config: TournamentConfig, lines: Vec<LogLine>) -> Self {
        let mut runner = Self::new(config);
        let entries = lines.iter().filter_map(LogLine::entry).cloned().collect();
        runner.fold = Tournament::fold(runner.config.plan.clone(), entries);
        lines.into_iter().for_each(|line| runner.fold_line(line));
        runner.update_open_boards();
        runner.present = runner.fold.present();
        runner.awaits_tables = true;
        runner
    }

    fn new(config: TournamentConfig) -> Self {
        Self {
            fold: Tournament::new(config.plan.clone()),
            lines: Vec::new(),
            entrants: EntrantRegistry::default(),
            organisers: Organisers::new(config.founder),
            is_check_in_open: false,
            has_begun: false,
            is_paused: false,
            takes_late_entries: config.settings.late_entries,
            is_revealed: false,
            is_closed: false,
            changed: PageChanges::default(),
            committed: BTreeSet::new(),
            arena_begins: None,
            paused_at: None,
            raced: BTreeSet::new(),
            raced_boards: BTreeSet::new(),
            had_results: BTreeSet::new(),
            toggles: BTreeMap::new(),
            open_boards: BTreeMap::new(),
            present: BTreeSet::new(),
            awaits_tables: false,
            reveal_at: None,
            no_go_before: TournamentInstant(0),
            waiting_since: BTreeMap::new(),
            schedules: BTreeMap::new(),
            tables: BTreeMap::new(),
            are_rooms_due: false,
            boards: BTreeMap::new(),
            config,
        }
    }

    pub fn apply(&mut self, now: TournamentInstant, event: Event) -> Effects {
        let mut out = Effects::default();
        let lines = self.lines.len();
        match event {
            Event::Enter { by, name, bot, team } => {
                let entered = self.enter(now, by, name, bot, team, &mut out);
                answer(entered, &mut out);
            }
            Event::CheckIn { by } => answer(self.check_in(now, by, &mut out), &mut out),
            Event::Withdraw { by } => answer(self.withdraw(now, by, &mut out), &mut out),
            Event::Command { by, is_operator, command, confirmed } => {
                self.command(now, (by, is_operator), command, confirmed, &mut out);
            }
            Event::BoardDrawn { board, is_drawn } => self.on_board_drawn(board, is_drawn),
            Event::TableOpened { table, room } => self.on_table_opened(table, room, &mut out),
            Event::TableClosed { room } => self.on_table_closed(now, room, &mut out),
            Event::BoardEnded { key, result } => self.on_board_ended(now, key, result, &mut out),
            Event::Recovered { tables, results } => {
                self.adopt_tables(now, tables, results, &mut out);
            }
            Event::Tick => {}
        }
        self.advance(now, &mut out);
        if self.lines.len() > lines {
            self.update_present(&mut out);
        }
        out
    }

    /// Returns when [`Event::Tick`] is due.
    pub fn deadline(&self) -> Option<TournamentInstant> {
        if self.is_closed || self.awaits_tables {
            return None;
        }
        let starts = self.schedules.keys().filter_map(|round| self.start_due(*round));
        let left = self.schedules.values().filter_map(RoundSchedule::next_left);
        let starts = starts.chain(left);
        let abandoned = Some(self.abandoned_at());
        self.reveal_at.into_iter().chain(abandoned).chain(self.arena_ends()).chain(starts).min()
    }

    /// Returns when the tournament is closed unless something happens before.
    fn abandoned_at(&self) -> TournamentInstant {
        let last = self.lines.last().map_or(TournamentInstant(0), |line| line.at);
        let is_empty = self.entrants.count() < MIN_ENTRANTS;
        last + if is_empty { EMPTY_FOR } else { ABANDONED_AFTER }
    }

    /// Carries out what is due, and what follows from the present state.
    fn advance(&mut self, now: TournamentInstant, out: &mut Effects) {
        if self.awaits_tables {
            return;
        }
        let reason = if self.lines.len() >= MAX_LINES || self.fold.is_full() {
            Some("its log is full")
        } else if now >= self.abandoned_at() {
            Some("nothing has happened for too long")
        } else {
            None
        };
        if let Some(reason) = reason.filter(|_| !self.is_closed) {
            self.close(now, LogAuthor::Server, reason.parse().ok(), out);
        }
        if self.is_closed {
            self.close_all_tables(out);
            return;
        }
        self.update_schedules(now);
        loop {
            let lines = self.lines.len();
            self.draw_if_due(now, out);
            if self.is_closed {
                self.close_all_tables(out);
                return;
            }
            self.update_schedules(now);
            // After a round of walkovers alone the next one is due at once.
            if self.lines.len() == lines || !self.schedules.is_empty() {
                break;
            }
        }
        self.replay_known_boards(now, out);
        self.update_tables(out);
        self.advance_boards(now, out);
    }

    pub fn lines(&self) -> &[LogLine] {
        &self.lines
    }

    pub const fn entrants(&self) -> &EntrantRegistry {
        &self.entrants
    }

    /// Returns whether nothing follows any more.
    pub const fn is_closed(&self) -> bool {
        self.is_closed
    }

    pub const fn organiser(&self) -> Fingerprint {
        self.organisers.organiser()
    }

    pub fn may_command(&self, key: Fingerprint) -> bool {
        self.organisers.may_command(key)
    }

    /// Returns the puzzle of a board and the secret of its heats.
    pub fn board_source(&self, board: BoardKey) -> BoardSource {
        let stage = self.config.plan.stages().get(usize::from(board.draw.round.stage));
        let spec = stage.and_then(|stage| stage.puzzle(board.board));
        BoardSource {
            spec: spec.unwrap_or(self.config.settings.options.spec),
            secret: self.config.secret.board_secret(board.draw, board.board),
        }
    }

    pub fn head(&self) -> TournamentHead {
        let round = self.latest_round();
        let schedule = round.and_then(|round| self.schedules.get(&round));
        TournamentHead {
            phase: self.phase(),
            paused: self.is_paused,
            round,
            board: schedule.map_or(0, RoundSchedule::board),
            go: schedule.and_then(RoundSchedule::go),
            counts: self.counts(round),
            log: count(self.lines.len()),
            changed: self.changed,
            late_entries: self.takes_late_entries,
            closed: self.is_closed,
        }
    }

    /// Returns what a key is in the tournament.
    pub fn own_entry(&self, key: Option<Fingerprint>, is_operator: bool) -> OwnEntry {
        let entrant = key.and_then(|key| self.entrants.of_key(key));
        let presence = entrant.and_then(|id| self.shown_presence(id));
        let organiser = key.is_some_and(|key| is_operator || self.may_command(key));
        OwnEntry { entrant, presence, organiser }
    }

    fn phase(&self) -> TournamentPhase {
        if self.is_closed || self.fold.is_over() {
            return TournamentPhase::Over;
        }
        if !self.has_begun {
            return if self.is_check_in_open {
                TournamentPhase::CheckIn
            } else {
                TournamentPhase::Entries
            };
        }
        let schedules = self.schedules.values();
        let phases = schedules.map(RoundSchedule::phase);
        // Of an arena several rounds run at once: one that races counts first, then one that is to begin.
        let order = |it: &TournamentPhase| {
            (*it != TournamentPhase::Racing, *it == TournamentPhase::Waiting)
        };
        phases.min_by_key(order).unwrap_or(TournamentPhase::Waiting)
    }

    fn counts(&self, round: Option<RoundKey>) -> TournamentCounts {
        let tables = round.and_then(|round| self.fold.round(round)).map(|it| &it.draw.tables);
        let numbers = tables.into_iter().flatten().map(|table| table.number);
        let done = round.map_or(0, |round| {
            numbers.filter(|&number| self.is_done(TableKey { round, number })).count()
        });
        TournamentCounts {
            entrants: short(self.count_places()),
            present: short(self.present.len()),
            tables: short(tables.map_or(0, Vec::len)),
            tables_done: short(done),
        }
    }

    fn latest_round(&self) -> Option<RoundKey> {
        let stage = self.fold.stages().len().checked_sub(1)?;
        let round = self.fold.stages().get(stage)?.rounds().len().checked_sub(1);
        let (stage, round) = match round {
            Some(round) => (stage, round),
            // The stage was opened by its end before its first draw.
            None => {
                let before = stage.checked_sub(1)?;
                (before, self.fold.stages().get(before)?.rounds().len().checked_sub(1)?)
            }
        };
        Some(RoundKey { stage: u8::try_from(stage).ok()?, round: u16::try_from(round).ok()? })
    }

    /// Appends an entry to the fold and the log.
    fn record_entry(
        &mut self,
        now: TournamentInstant,
        by: LogAuthor,
        entry: LogEntry,
        reason: Option<Announcement>,
        out: &mut Effects,
    ) -> Result<(), LogEntryError> {
        if self.lines.len() >= MAX_LINES {
            return Err(LogEntryError::LogFull);
        }
        self.fold.apply(entry.clone())?;
        let came = if let LogEntry::CheckIn { entrant } = entry { Some(entrant) } else { None };
        self.append(LogLine { at: now, by, event: PublicEvent::Entry { entry, reason } }, out);
        if let Some(entrant) = came {
            if !self.present.contains(&entrant) {
                self.waiting_since.insert(entrant, now);
            }
            self.pass_over_known_boards(now, entrant, out);
        }
        Ok(())
    }

    /// Appends a line that changes nothing in the fold.
    fn record(
        &mut self,
        now: TournamentInstant,
        by: LogAuthor,
        event: PublicEvent,
        out: &mut Effects,
    ) -> Result<(), TournamentError> {
        if self.lines.len() >= MAX_LINES {
            return Err(TournamentError::Log(LogEntryError::LogFull));
        }
        self.append(LogLine { at: now, by, event }, out);
        Ok(())
    }

    /// Appends a line even to a full log: those that end it.
    fn append_last(
        &mut self,
        at: TournamentInstant,
        by: LogAuthor,
        event: PublicEvent,
        out: &mut Effects,
    ) {
        self.append(LogLine { at, by, event }, out);
    }

    fn append(&mut self, mut line: LogLine, out: &mut Effects) {
        // The times of a log never go back.
        line.at = line.at.max(self.lines.last().map_or(line.at, |last| last.at));
        out.push(Effect::Append(line.clone()));
        if let Some(entry) = line.entry() {
            // A result of a table moves no entrant.
            self.are_rooms_due |= line.by != LogAuthor::Server || !is_result(entry);
            self.update_open_boards();
        }
        self.fold_line(line);
    }

    /// Takes in what a line says beside its entry, which the fold has already.
    fn fold_line(&mut self, line: LogLine) {
        let number = count(self.lines.len() + 1);
        match &line.event {
            PublicEvent::Entry { entry, .. } => self.fold_entry(number, &line, entry),
            PublicEvent::Entrant { entrant, name, key, kind } => {
                let (name, kind) = (name.clone(), *kind);
                self.entrants.add(*entrant, EntrantProfile { key: *key, name, kind, team: None });
                self.changed.entrants = number;
            }
            PublicEvent::DrawCommitted { key, .. } => drop(self.committed.insert(*key)),
            PublicEvent::SecretRevealed { .. } => self.is_revealed = true,
            PublicEvent::CheckInOpened => self.is_check_in_open = true,
            PublicEvent::CheckInClosed => self.is_check_in_open = false,
            PublicEvent::Begun => self.has_begun = true,
            PublicEvent::Paused => (self.is_paused, self.paused_at) = (true, Some(line.at)),
            PublicEvent::Resumed => {
                self.is_paused = false;
                if let (Some(begins), Some(paused)) = (self.arena_begins, self.paused_at.take()) {
                    self.arena_begins = Some(begins + line.at.since(paused));
                }
            }
            PublicEvent::GoMoved { .. } | PublicEvent::Announced { .. } => {}
            PublicEvent::HelperAdded { key } => self.organisers.add_helper(*key),
            PublicEvent::HelperRemoved { key } => self.organisers.remove_helper(*key),
            PublicEvent::HandedOver { to } => self.organisers.hand_over(*to),
            PublicEvent::LateEntries { open } => self.takes_late_entries = *open,
            PublicEvent::Ended { .. } => self.is_closed = true,
        }
        self.lines.push(line);
    }

    fn fold_entry(&mut self, number: u32, line: &LogLine, entry: &LogEntry) {
        let by = line.by;
        match entry {
            LogEntry::Enter { entrant, team } => self.entrants.set_team(*entrant, team.clone()),
            LogEntry::CheckIn { entrant } | LogEntry::Withdraw { entrant } => {
                if let LogAuthor::Key(key) = by
                    && self.entrants.of_key(key) == Some(*entrant)
                {
                    let toggles = self.toggles.entry(key).or_default();
                    *toggles = toggles.saturating_add(1);
                }
            }
            LogEntry::Result { key, .. } => {
                self.had_results.insert(*key);
                if by == LogAuthor::Server {
                    self.raced.insert(*key);
                    self.raced_boards.insert((*key).into());
                }
            }
            LogEntry::Draw { key, .. } => {
                // The first round may be drawn again.
                if key.round.round == 0 && matches!(self.format(key.round), Format::Arena { .. }) {
                    (self.arena_begins, self.paused_at) = (Some(line.at), None);
                }
            }
            LogEntry::Disqualify { .. }
            | LogEntry::Seed { .. }
            | LogEntry::Replay { .. }
            | LogEntry::Seat { .. }
            | LogEntry::Unseat { .. }
            | LogEntry::Void { .. }
            | LogEntry::EndStage { .. }
            | LogEntry::TakeBack { .. } => {}
        }
        // A correction, or an absence, may change who is drawn next.
        self.changed = PageChanges { entrants: number, standings: number, tables: number };
    }
}

const fn is_result(entry: &LogEntry) -> bool {
    matches!(entry, LogEntry::Result { .. })
}

fn answer(result: Result<(), TournamentError>, out: &mut Effects) {
    out.reply(match result {
        Ok(()) => TournamentUpdate::Done,
        Err(error) => TournamentUpdate::Refused(error),
    });
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn short(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}
