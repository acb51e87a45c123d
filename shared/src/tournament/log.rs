//! A tournament as the fold of its log.
//!
//! Entries of two kinds stand in a log. Entries, check-ins, withdrawals, disqualifications, draws and
//! ends of stages take effect where they stand. Results, replays and void boards don't: a result
//! belongs to the board that its key names, wherever it stands, the last of one key counts, and
//! one of an earlier attempt is void. So results may come in any order, and one that is corrected, or
//! taken back and put in again, changes what follows from it and nothing else.
//!
//! A draw that has no place any more, because the round before it is open again, has no effect, and
//! neither has a result of entrants who don't sit at that table any more.
//! [`Tournament::discarded_by`] says beforehand which results an entry would leave without effect.

use crate::tournament::draw;
use crate::tournament::draw_commitment::DrawKey;
use crate::tournament::ids::{EntrantId, ResultKey, RoundKey, TeamTag};
use crate::tournament::plan::{FieldError, Format, MAX_ENTRANTS, MIN_ENTRANTS, TournamentPlan};
use crate::tournament::rank::Ranked;
use crate::tournament::result::BoardResult;
use crate::tournament::score::ScoreRule;
use crate::tournament::stage_state::{DrawError, RoundState, SeatError, StageState, append};
use crate::tournament::teams::{RankedTeam, rank_teams};
use crate::util::bounded_vec;
use crate::util::seed::Seed;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Most entries of a log: 1,024 entrants, twelve boards of twenty rounds one on one, and as much again
/// of commands.
pub const MAX_LOG_ENTRIES: usize = 262_144;
/// Most replays and void boards of a log.
pub const MAX_REPLAYS: usize = 4_096;
/// Boards in a row, absent at GO, after which an entrant isn't drawn any more.
pub const ABSENCES_UNTIL_WITHDRAWN: usize = 2;

/// One entry of a tournament's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogEntry {
    /// Enters, before the first draw or late. An entrant is drawn only after a check-in.
    Enter {
        entrant: EntrantId,
        team: Option<TeamTag>,
    },
    /// Says that the entrant is there; takes a withdrawal back.
    CheckIn {
        entrant: EntrantId,
    },
    Withdraw {
        entrant: EntrantId,
    },
    /// Ranks last on all boards of the round drawn last, is drawn no more, and has no place.
    Disqualify {
        entrant: EntrantId,
    },
    /// Puts these first in the order of seeds, the best first; the lot decides about all others.
    Seed {
        #[serde(deserialize_with = "bounded_vec::read::<_, _, MAX_ENTRANTS>")]
        order: Vec<EntrantId>,
    },
    /// Draws a round, with the seed that is revealed by it. Of several draws of one round the one of
    /// the highest attempt takes effect.
    Draw {
        key: DrawKey,
        seed: Seed,
        /// Of an arena, who waits and is drawn now; of other formats it has no meaning.
        #[serde(deserialize_with = "bounded_vec::read::<_, _, MAX_ENTRANTS>")]
        waiting: Vec<EntrantId>,
    },
    /// What a board brought in, or what the organiser corrected it to.
    Result {
        key: ResultKey,
        result: BoardResult,
    },
    /// Has boards raced again: of one table or all, one board or all. Results of lower attempts are
    /// void. No attempt is used twice in a round, because the seed of a board follows from it.
    Replay {
        round: RoundKey,
        table: Option<u16>,
        board: Option<u8>,
        attempt: u16,
    },
    /// Gives an entrant of the stage a seat at an open table of the round drawn last.
    Seat {
        round: RoundKey,
        table: u16,
        entrant: EntrantId,
    },
    /// Takes an entrant's seat in the round drawn last away; results that name the entrant there
    /// have no effect then.
    Unseat {
        round: RoundKey,
        entrant: EntrantId,
    },
    /// Lets a board of a round count for nobody.
    Void {
        round: RoundKey,
        board: u8,
    },
    /// Draws no further round of the stage that runs, such as when an arena's time is over.
    EndStage {
        stage: u8,
    },
    /// Folds the log without that entry, counted from 0.
    TakeBack {
        entry: u32,
    },
}

/// Why an entry can't be appended; nothing changes then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum LogEntryError {
    #[error("the log is full: {MAX_LOG_ENTRIES} entries")]
    LogFull,
    #[error("at most {MAX_REPLAYS} replays and void boards")]
    TooManyReplays,
    #[error("entrant {0} has entered already")]
    AlreadyEntered(EntrantId),
    #[error("there is no entrant {0}")]
    UnknownEntrant(EntrantId),
    #[error("entrant {0} is disqualified")]
    Disqualified(EntrantId),
    #[error("entries are closed: a cut was made, or the bracket or schedule is drawn")]
    EntriesClosed,
    #[error("seeds are set before the first draw, and name each entrant once")]
    Seeds,
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error("the next draw is of {expected}, not of {found}")]
    OtherRound { expected: RoundKey, found: RoundKey },
    #[error("a new draw or a replay of {round} has attempt {} or a higher one", .least + 1)]
    UsedAttempt { round: RoundKey, least: u16 },
    #[error(transparent)]
    Draw(#[from] DrawError),
    #[error("entrant {0} races at a table that isn't over")]
    Racing(EntrantId),
    #[error("there is no {0}")]
    UnknownRound(RoundKey),
    #[error("there is no such table or board: {0}")]
    UnknownBoard(ResultKey),
    #[error("attempt {} counts, not attempt {}", .expected + 1, .found + 1)]
    OtherAttempt { expected: u16, found: u16 },
    #[error("the result names entrants twice or such as have no seat at the table")]
    OtherSeats,
    #[error("{0} isn't the round that was drawn last")]
    NotLatestRound(RoundKey),
    #[error(transparent)]
    Seat(#[from] SeatError),
    #[error("an average needs all its boards: have the board raced again instead")]
    VoidInAverage,
    #[error("a round needs a board that counts: have the board raced again instead")]
    NoBoardLeft,
    #[error("stage {} doesn't run", u16::from(*.0) + 1)]
    StageNotRunning(u8),
    #[error("the log has no entry {0}, or it is taken back already")]
    NoSuchEntry(u32),
    #[error("the tournament is over")]
    Over,
}

/// Where an entrant stands towards the tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// Entered, and not checked in yet.
    Entered,
    Present,
    Withdrawn,
    Disqualified,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entrant {
    team: Option<TeamTag>,
    presence: Presence,
    /// The number of rounds drawn before the latest check-in: absences in those don't count.
    since: usize,
}

/// A tournament: its plan, its log, and what follows from them.
///
/// Applied one by one, entries give the same as [`Tournament::fold`] of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tournament {
    plan: TournamentPlan,
    log: Vec<LogEntry>,
    boards: BoardEntries,
    state: State,
}

/// What a log says of boards and draws, wherever it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct BoardEntries {
    results: BTreeMap<ResultKey, BoardResult>,
    replays: Vec<BoardReplay>,
    void: BTreeSet<(RoundKey, u8)>,
    /// The highest attempt of the draws of each round.
    draws: BTreeMap<RoundKey, u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BoardReplay {
    round: RoundKey,
    table: Option<u16>,
    board: Option<u8>,
    attempt: u16,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct State {
    entrants: BTreeMap<EntrantId, Entrant>,
    seeds: Vec<EntrantId>,
    /// The stages up to the present one.
    stages: Vec<StageState>,
    /// Whether an entry of the log has no effect where it stands; it may get one by a later entry.
    has_idle_entries: bool,
}

impl Tournament {
    /// Begins a tournament without entrants.
    pub fn new(plan: TournamentPlan) -> Self {
        Self { plan, log: Vec::new(), boards: BoardEntries::default(), state: State::default() }
    }

    /// Folds a log. Entries that have no effect are passed over, so that any log has a meaning.
    pub fn fold(plan: TournamentPlan, log: Vec<LogEntry>) -> Self {
        let effective = effective(&log);
        let boards = BoardEntries::of(&effective);
        let state = State::fold(&plan, &boards, &effective);
        Self { plan, log, boards, state }
    }

    /// Appends an entry.
    ///
    /// # Errors
    ///
    /// The entry makes no sense now; the tournament is as before.
    pub fn apply(&mut self, entry: LogEntry) -> Result<(), LogEntryError> {
        self.check(&entry)?;
        if self.is_appendable(&entry) {
            self.boards.add(&entry);
            if let LogEntry::Result { key, .. } = &entry {
                self.state.load_result(&self.boards, key.round, key.table, key.board);
            } else {
                self.state.apply(&self.plan, &self.boards, &entry);
            }
            self.log.push(entry);
        } else {
            let mut log = self.log.clone();
            log.push(entry);
            let after = Self::fold(self.plan.clone(), log);
            // In an arena, an earlier table may open again while its entrants race at another one.
            let twice = after.state.stages.last().and_then(StageState::racing_twice);
            if let Some(entrant) = twice {
                return Err(LogEntryError::Racing(entrant));
            }
            *self = after;
        }
        Ok(())
    }

    /// Returns the results that count now and wouldn't after this entry, but for one that it replaces.
    ///
    /// # Errors
    ///
    /// As [`Tournament::apply`].
    pub fn discarded_by(&self, entry: &LogEntry) -> Result<Vec<ResultKey>, LogEntryError> {
        let mut after = self.clone();
        after.apply(entry.clone())?;
        let counting = after.counting_results();
        Ok(self.counting_results().into_iter().filter(|key| !counting.contains(key)).collect())
    }

    pub const fn plan(&self) -> &TournamentPlan {
        &self.plan
    }

    pub fn log(&self) -> &[LogEntry] {
        &self.log
    }

    /// Returns the stages up to the present one.
    pub fn stages(&self) -> &[StageState] {
        &self.state.stages
    }

    pub fn round(&self, key: RoundKey) -> Option<&RoundState> {
        self.state.round(key)
    }

    pub fn entrants(&self) -> impl Iterator<Item = (EntrantId, Presence)> {
        self.state.entrants.iter().map(|(&id, entrant)| (id, entrant.presence))
    }

    pub fn presence(&self, entrant: EntrantId) -> Option<Presence> {
        self.state.entrants.get(&entrant).map(|entrant| entrant.presence)
    }

    /// Returns the attempt of a board whose result counts.
    pub fn attempt(&self, round: RoundKey, table: u16, board: u8) -> Option<u16> {
        let state = self.state.round(round)?;
        Some(self.boards.attempt(state.attempt, round, table, board))
    }

    /// Returns the attempt of the next replay in a round, or of its next draw: one that the log has
    /// nowhere, not even in an entry that was taken back.
    pub fn next_attempt(&self, round: RoundKey) -> u16 {
        let attempts = self.log.iter().filter_map(|entry| match entry {
            LogEntry::Draw { key, .. } if key.round == round => Some(key.attempt),
            LogEntry::Replay { round: it, attempt, .. } if *it == round => Some(*attempt),
            LogEntry::Draw { .. }
            | LogEntry::Replay { .. }
            | LogEntry::Enter { .. }
            | LogEntry::CheckIn { .. }
            | LogEntry::Withdraw { .. }
            | LogEntry::Disqualify { .. }
            | LogEntry::Seed { .. }
            | LogEntry::Result { .. }
            | LogEntry::Seat { .. }
            | LogEntry::Unseat { .. }
            | LogEntry::Void { .. }
            | LogEntry::EndStage { .. }
            | LogEntry::TakeBack { .. } => None,
        });
        attempts.max().map_or(0, |highest| highest.saturating_add(1))
    }

    /// Returns which round is drawn next; none while a round is open, and after the last.
    pub fn next_draw(&self) -> Option<RoundKey> {
        let key = self.state.next_round(&self.plan)?;
        let open = self.state.stages.last().is_some_and(|stage| {
            !matches!(stage.stage().format, Format::Arena { .. }) && !stage.is_between_rounds()
        });
        (!open).then_some(key)
    }

    pub fn is_over(&self) -> bool {
        self.state.is_over(&self.plan)
    }

    /// Returns whether an entrant would be drawn now: checked in, and not absent
    /// [`ABSENCES_UNTIL_WITHDRAWN`] boards in a row since.
    pub fn is_present(&self, entrant: EntrantId) -> bool {
        self.state.present().contains(&entrant)
    }

    /// Returns all of whom [`Tournament::is_present`] is true.
    pub fn present(&self) -> BTreeSet<EntrantId> {
        self.state.present()
    }

    /// Returns the standings of all who were drawn, without the disqualified.
    pub fn standings(&self) -> Vec<Ranked> {
        self.state.standings()
    }

    /// Returns the first entrants, once the tournament is over: several if no rule parts them, none
    /// if neither side came to the last match.
    pub fn champions(&self) -> Vec<EntrantId> {
        if !self.is_over() {
            return Vec::new();
        }
        let standings = self.standings();
        let first = standings.iter().take_while(|row| row.place == 1 && row.started);
        first.map(|row| row.entrant).collect()
    }

    /// Returns the standings of the teams; none if the plan has no teams.
    pub fn team_standings(&self) -> Option<Vec<RankedTeam>> {
        let scorers = self.plan.team_scorers()?;
        let team_of = |entrant| self.state.entrants.get(&entrant)?.team.clone();
        Some(rank_teams(&self.standings(), scorers.into(), team_of))
    }

    /// Returns whether the state after this entry is that of the log's fold when it is applied alone.
    fn is_appendable(&self, entry: &LogEntry) -> bool {
        let takes_effect_alone = match entry {
            LogEntry::Enter { .. }
            | LogEntry::CheckIn { .. }
            | LogEntry::Withdraw { .. }
            | LogEntry::Disqualify { .. }
            | LogEntry::Seed { .. }
            | LogEntry::EndStage { .. } => true,
            LogEntry::Draw { key, .. } => !self.boards.draws.contains_key(&key.round),
            // A first result of the latest round changes nothing that was drawn.
            LogEntry::Result { key, .. } => {
                self.state.latest_round() == Some(key.round)
                    && !self.boards.results.contains_key(key)
            }
            LogEntry::Replay { .. }
            | LogEntry::Seat { .. }
            | LogEntry::Unseat { .. }
            | LogEntry::Void { .. }
            | LogEntry::TakeBack { .. } => false,
        };
        takes_effect_alone && !self.state.has_idle_entries
    }

    fn check(&self, entry: &LogEntry) -> Result<(), LogEntryError> {
        if self.log.len() >= MAX_LOG_ENTRIES {
            return Err(LogEntryError::LogFull);
        }
        match entry {
            LogEntry::Enter { entrant, .. } => self.check_entry(*entrant),
            LogEntry::CheckIn { entrant } | LogEntry::Withdraw { entrant } => {
                self.check_running()?;
                match self.entrant(*entrant)?.presence {
                    Presence::Disqualified => Err(LogEntryError::Disqualified(*entrant)),
                    Presence::Entered | Presence::Present | Presence::Withdrawn => Ok(()),
                }
            }
            // After the end, too: who is found out late has no place.
            LogEntry::Disqualify { entrant } => match self.entrant(*entrant)?.presence {
                Presence::Disqualified => Err(LogEntryError::Disqualified(*entrant)),
                Presence::Entered | Presence::Present | Presence::Withdrawn => Ok(()),
            },
            LogEntry::Seed { order } => {
                let named: BTreeSet<&EntrantId> = order.iter().collect();
                if !self.state.stages.is_empty() || named.len() < order.len() {
                    return Err(LogEntryError::Seeds);
                }
                order.iter().try_for_each(|&entrant| self.entrant(entrant).map(|_| ()))
            }
            LogEntry::Draw { key, seed, waiting } => self.check_draw(*key, seed, waiting),
            LogEntry::Result { key, result } => self.check_result(*key, result),
            LogEntry::Replay { round, table, board, attempt } => {
                let key = ResultKey {
                    round: *round,
                    table: table.unwrap_or_else(|| self.any_table(*round)),
                    board: board.unwrap_or(0),
                    attempt: 0,
                };
                self.check_board(key)?;
                self.check_attempt(*round, *attempt)?;
                self.check_replays()
            }
            LogEntry::Seat { round, table, entrant } => {
                self.check_running()?;
                if self.entrant(*entrant)?.presence == Presence::Disqualified {
                    return Err(LogEntryError::Disqualified(*entrant));
                }
                self.latest_stage(*round)?.check_seat(*table, *entrant)?;
                Ok(())
            }
            LogEntry::Unseat { round, entrant } => {
                self.check_running()?;
                self.entrant(*entrant)?;
                self.latest_stage(*round)?.check_unseat(*entrant)?;
                Ok(())
            }
            LogEntry::Void { round, board } => {
                let table = self.any_table(*round);
                self.check_board(ResultKey { round: *round, table, board: *board, attempt: 0 })?;
                self.check_replays()?;
                let Some(stage) = self.plan.stages().get(usize::from(round.stage)) else {
                    return Err(LogEntryError::UnknownRound(*round));
                };
                let void = self.boards.void.iter().filter(|(it, _)| it == round).count();
                if matches!(stage.score, ScoreRule::Average | ScoreRule::Mean) {
                    Err(LogEntryError::VoidInAverage)
                } else if void + 1 >= usize::from(stage.boards) {
                    Err(LogEntryError::NoBoardLeft)
                } else {
                    Ok(())
                }
            }
            LogEntry::EndStage { stage } => {
                self.check_running()?;
                let next = self.state.next_round(&self.plan).map(|round| round.stage);
                let runs = !self.state.stages.is_empty() && next == Some(*stage);
                if runs { Ok(()) } else { Err(LogEntryError::StageNotRunning(*stage)) }
            }
            LogEntry::TakeBack { entry } => {
                let index = usize::try_from(*entry).unwrap_or(usize::MAX);
                let stands = index < self.log.len() && !taken_back(&self.log).contains(&index);
                if stands { Ok(()) } else { Err(LogEntryError::NoSuchEntry(*entry)) }
            }
        }
    }

    fn check_entry(&self, entrant: EntrantId) -> Result<(), LogEntryError> {
        if self.state.entrants.contains_key(&entrant) {
            return Err(LogEntryError::AlreadyEntered(entrant));
        }
        if self.state.entrants.len() == MAX_ENTRANTS {
            return Err(FieldError::Entrants { found: MAX_ENTRANTS + 1 }.into());
        }
        self.check_running()?;
        if self.state.takes_late_entries() { Ok(()) } else { Err(LogEntryError::EntriesClosed) }
    }

    fn check_draw(
        &self,
        key: DrawKey,
        seed: &Seed,
        waiting: &[EntrantId],
    ) -> Result<(), LogEntryError> {
        if self.state.stages.is_empty() {
            self.plan.check_field(self.state.present().len())?;
        }
        if self.boards.draws.contains_key(&key.round) {
            self.check_attempt(key.round, key.attempt)?;
        }
        if self.state.round(key.round).is_some() {
            return Ok(());
        }
        let Some(expected) = self.state.next_round(&self.plan) else {
            return Err(LogEntryError::Over);
        };
        if expected != key.round {
            return Err(LogEntryError::OtherRound { expected, found: key.round });
        }
        if let Some(stage) = self.state.stages.last() {
            let racing = stage.open_seats();
            if let Some(&entrant) = waiting.iter().find(|entrant| racing.contains(entrant)) {
                return Err(LogEntryError::Racing(entrant));
            }
        }
        let mut after = self.state.clone();
        after.draw(&self.plan, &self.boards, key, seed, waiting).map_err(LogEntryError::Draw)
    }

    fn check_attempt(&self, round: RoundKey, attempt: u16) -> Result<(), LogEntryError> {
        let least = self.next_attempt(round);
        if attempt < least { Err(LogEntryError::UsedAttempt { round, least }) } else { Ok(()) }
    }

    /// Returns the stage of a round, if that is the one that was drawn last.
    fn latest_stage(&self, round: RoundKey) -> Result<&StageState, LogEntryError> {
        let stage = self.state.stages.last().filter(|_| self.state.latest_round() == Some(round));
        stage.ok_or(LogEntryError::NotLatestRound(round))
    }

    fn check_result(&self, key: ResultKey, result: &BoardResult) -> Result<(), LogEntryError> {
        let expected = self.check_board(key)?;
        if key.attempt != expected {
            return Err(LogEntryError::OtherAttempt { expected, found: key.attempt });
        }
        let fits = self.state.round(key.round).is_some_and(|it| it.fits(key.table, result));
        if fits { Ok(()) } else { Err(LogEntryError::OtherSeats) }
    }

    /// Checks that there is such a board, and returns which attempt of it counts.
    fn check_board(&self, key: ResultKey) -> Result<u16, LogEntryError> {
        let ResultKey { round, table, board, .. } = key;
        let state = self.state.round(round).ok_or(LogEntryError::UnknownRound(round))?;
        let boards = self.state.stages[usize::from(round.stage)].stage().boards;
        if state.draw.table(table).is_none() || board >= boards {
            return Err(LogEntryError::UnknownBoard(key));
        }
        Ok(self.boards.attempt(state.attempt, round, table, board))
    }

    fn check_replays(&self) -> Result<(), LogEntryError> {
        let count = self.boards.replays.len() + self.boards.void.len();
        if count < MAX_REPLAYS { Ok(()) } else { Err(LogEntryError::TooManyReplays) }
    }

    fn check_running(&self) -> Result<(), LogEntryError> {
        if self.is_over() { Err(LogEntryError::Over) } else { Ok(()) }
    }

    fn entrant(&self, entrant: EntrantId) -> Result<&Entrant, LogEntryError> {
        self.state.entrants.get(&entrant).ok_or(LogEntryError::UnknownEntrant(entrant))
    }

    fn any_table(&self, round: RoundKey) -> u16 {
        let first = self.state.round(round).and_then(|it| it.draw.tables.first());
        first.map_or(0, |table| table.number)
    }

    fn counting_results(&self) -> BTreeSet<ResultKey> {
        let counts = |key: &ResultKey| {
            let Some(round) = self.state.round(key.round) else { return false };
            let expected = self.boards.attempt(round.attempt, key.round, key.table, key.board);
            let held = round.result(key.table, key.board).is_some();
            held && key.attempt == expected && !round.is_void(key.board)
        };
        self.boards.results.keys().copied().filter(counts).collect()
    }
}

impl BoardEntries {
    fn of(effective: &[&LogEntry]) -> Self {
        let mut boards = Self::default();
        for entry in effective {
            boards.add(entry);
        }
        boards
    }

    fn add(&mut self, entry: &LogEntry) {
        match entry {
            LogEntry::Result { key, result } => {
                self.results.insert(*key, result.clone());
            }
            LogEntry::Replay { round, table, board, attempt } => {
                let (round, table, board, attempt) = (*round, *table, *board, *attempt);
                self.replays.push(BoardReplay { round, table, board, attempt });
            }
            LogEntry::Void { round, board } => {
                self.void.insert((*round, *board));
            }
            LogEntry::Draw { key, .. } => {
                let attempt = self.draws.entry(key.round).or_default();
                *attempt = key.attempt.max(*attempt);
            }
            LogEntry::Enter { .. }
            | LogEntry::CheckIn { .. }
            | LogEntry::Withdraw { .. }
            | LogEntry::Disqualify { .. }
            | LogEntry::Seed { .. }
            | LogEntry::Seat { .. }
            | LogEntry::Unseat { .. }
            | LogEntry::EndStage { .. }
            | LogEntry::TakeBack { .. } => {}
        }
    }

    /// Returns the attempt that counts: the highest of the draw and of the replays that cover the
    /// board.
    fn attempt(&self, drawn: u16, round: RoundKey, table: u16, board: u8) -> u16 {
        let covers = |replay: &&BoardReplay| {
            replay.round == round
                && replay.table.is_none_or(|it| it == table)
                && replay.board.is_none_or(|it| it == board)
        };
        let replays = self.replays.iter().filter(covers).map(|replay| replay.attempt);
        replays.max().map_or(drawn, |attempt| attempt.max(drawn))
    }
}

impl State {
    fn fold(plan: &TournamentPlan, boards: &BoardEntries, effective: &[&LogEntry]) -> Self {
        let mut state = Self::default();
        for entry in effective {
            state.apply(plan, boards, entry);
        }
        state
    }

    /// Applies an entry that takes effect where it stands.
    fn apply(&mut self, plan: &TournamentPlan, boards: &BoardEntries, entry: &LogEntry) {
        let has_effect = match entry {
            LogEntry::Enter { entrant, team } => self.enter(*entrant, team.clone()),
            LogEntry::CheckIn { entrant } => self.check_in(boards, *entrant),
            LogEntry::Withdraw { entrant } => self.set_presence(*entrant, Presence::Withdrawn),
            LogEntry::Disqualify { entrant } => {
                let known = self.set_presence(*entrant, Presence::Disqualified);
                if let Some(stage) = self.stages.last_mut() {
                    stage.disqualify(*entrant);
                }
                known
            }
            LogEntry::Seed { order } => {
                if self.stages.is_empty() {
                    self.seeds.clone_from(order);
                }
                self.stages.is_empty()
            }
            LogEntry::Draw { key, seed, waiting } => {
                let is_latest = boards.draws.get(&key.round) == Some(&key.attempt);
                !is_latest || self.draw(plan, boards, *key, seed, waiting).is_ok()
            }
            LogEntry::Seat { round, table, entrant } => {
                self.seat(boards, *round, |stage| stage.seat(*table, *entrant))
            }
            LogEntry::Unseat { round, entrant } => {
                self.seat(boards, *round, |stage| stage.unseat(*entrant))
            }
            LogEntry::EndStage { stage } => self.end_stage(plan, *stage),
            LogEntry::Result { .. }
            | LogEntry::Replay { .. }
            | LogEntry::Void { .. }
            | LogEntry::TakeBack { .. } => true,
        };
        self.has_idle_entries |= !has_effect;
    }

    fn enter(&mut self, entrant: EntrantId, team: Option<TeamTag>) -> bool {
        let is_new = !self.entrants.contains_key(&entrant) && self.entrants.len() < MAX_ENTRANTS;
        let enters = is_new && self.takes_late_entries();
        if enters {
            self.entrants.insert(entrant, Entrant { team, presence: Presence::Entered, since: 0 });
        }
        enters
    }

    fn set_presence(&mut self, entrant: EntrantId, presence: Presence) -> bool {
        let entrant = self.entrants.get_mut(&entrant);
        let Some(it) = entrant.filter(|it| it.presence != Presence::Disqualified) else {
            return false;
        };
        it.presence = presence;
        true
    }

    /// Changes the seats of the round drawn last, if that is this one.
    fn seat(
        &mut self,
        boards: &BoardEntries,
        round: RoundKey,
        change: impl FnOnce(&mut StageState) -> Result<(), SeatError>,
    ) -> bool {
        let is_latest = self.latest_round() == Some(round);
        let Some(stage) = self.stages.last_mut().filter(|_| is_latest) else { return false };
        let is_changed = change(stage).is_ok();
        if is_changed {
            self.load_latest(boards);
        }
        is_changed
    }

    /// Ends the stage that runs, or the one that comes next.
    fn end_stage(&mut self, plan: &TournamentPlan, stage: u8) -> bool {
        let number = usize::from(stage);
        if number == self.stages.len() && number > 0 {
            let upcoming = self.upcoming(plan, None);
            if upcoming.len() == number + 1 {
                self.stages = upcoming;
            }
        }
        let runs = number + 1 == self.stages.len();
        if let Some(running) = self.stages.last_mut().filter(|_| runs) {
            running.end();
        }
        runs
    }

    fn check_in(&mut self, boards: &BoardEntries, entrant: EntrantId) -> bool {
        if !self.set_presence(entrant, Presence::Present) {
            return false;
        }
        let since = self.stages.iter().map(|stage| stage.rounds().len()).sum();
        if let Some(it) = self.entrants.get_mut(&entrant) {
            it.since = since;
        }
        if self.takes_late_entries()
            && let Some(running) = self.stages.last_mut()
        {
            running.add_late(entrant);
            // Results that name the entrant fit now.
            self.load_latest(boards);
        }
        true
    }

    /// Draws a round, if it is the next one and the one before it is over.
    fn draw(
        &mut self,
        plan: &TournamentPlan,
        boards: &BoardEntries,
        key: DrawKey,
        seed: &Seed,
        waiting: &[EntrantId],
    ) -> Result<(), DrawError> {
        if self.next_round(plan) != Some(key.round) {
            return Err(DrawError::RoundOpen);
        }
        let present = self.present();
        if self.stages.is_empty() && present.len() < MIN_ENTRANTS {
            return Err(DrawError::TooFew);
        }
        let mut stages = self.upcoming(plan, Some(seed));
        let Some(stage) = stages.last_mut() else { return Err(DrawError::StageOver) };
        let (draw, entering) = match stage.stage().format {
            Format::Arena { .. } => stage.draw_waiting(waiting, seed)?,
            Format::Series { .. }
            | Format::LastOut { .. }
            | Format::Heats { .. }
            | Format::Swiss { .. }
            | Format::RoundRobin { .. }
            | Format::Knockout
            | Format::Double => stage.draw(seed, |entrant| present.contains(&entrant))?,
        };
        stage.begin_round(draw, entering, key.attempt);
        self.stages = stages;
        self.load_latest(boards);
        Ok(())
    }

    /// Returns the stages with those opened that come next, up to one that has rounds to draw. Before
    /// the first draw the field is who is there; without a seed its order isn't decided yet.
    fn upcoming(&self, plan: &TournamentPlan, seed: Option<&Seed>) -> Vec<StageState> {
        let mut stages = self.stages.clone();
        while stages.last().is_none_or(StageState::is_over)
            && let Some(stage) = plan.stages().get(stages.len())
        {
            let field = match stages.last() {
                Some(before) => before.through(),
                None => self.first_field(seed),
            };
            stages.push(StageState::new(stage.clone(), field));
        }
        stages
    }

    /// Returns who is there, those with seeds first, the others by lot.
    fn first_field(&self, seed: Option<&Seed>) -> Vec<EntrantId> {
        let present = self.present();
        let seeds = self.seeds.iter().copied().filter(|entrant| present.contains(entrant));
        let mut field: Vec<EntrantId> = seeds.collect();
        let others = present.iter().copied().filter(|entrant| !field.contains(entrant));
        let others: Vec<EntrantId> = others.collect();
        field.extend(seed.map_or(others.clone(), |seed| draw::order_by_lot(&others, seed)));
        field
    }

    fn next_round(&self, plan: &TournamentPlan) -> Option<RoundKey> {
        let stages = self.upcoming(plan, None);
        let stage = stages.last().filter(|stage| stage.has_more_rounds())?;
        let number = u8::try_from(stages.len() - 1).ok()?;
        Some(RoundKey { stage: number, round: u16::try_from(stage.rounds().len()).ok()? })
    }

    fn is_over(&self, plan: &TournamentPlan) -> bool {
        !self.stages.is_empty() && self.upcoming(plan, None).last().is_some_and(StageState::is_over)
    }

    /// Returns whether no cut was made yet, and the stage that runs takes entrants.
    fn takes_late_entries(&self) -> bool {
        let Some((running, before)) = self.stages.split_last() else { return true };
        before.iter().all(|stage| stage.rounds().is_empty()) && running.takes_late_entries()
    }

    fn present(&self) -> BTreeSet<EntrantId> {
        let since = |entrant| self.entrants.get(&entrant).map_or(0, |it| it.since);
        let mut runs = BTreeMap::new();
        let mut first = 0;
        for stage in &self.stages {
            stage.count_absences(first, since, &mut runs);
            first += stage.rounds().len();
        }
        let here = |(id, it): (&EntrantId, &Entrant)| {
            let stays = runs.get(id).is_none_or(|run| *run < ABSENCES_UNTIL_WITHDRAWN);
            (it.presence == Presence::Present && stays).then_some(*id)
        };
        self.entrants.iter().filter_map(here).collect()
    }

    fn round(&self, key: RoundKey) -> Option<&RoundState> {
        self.stages.get(usize::from(key.stage))?.rounds().get(usize::from(key.round))
    }

    fn latest_round(&self) -> Option<RoundKey> {
        let stage = self.stages.len().checked_sub(1)?;
        let round = self.stages[stage].rounds().len().checked_sub(1)?;
        Some(RoundKey { stage: u8::try_from(stage).ok()?, round: u16::try_from(round).ok()? })
    }

    /// Puts in what the log has for the round that was drawn last.
    fn load_latest(&mut self, boards: &BoardEntries) {
        let Some(round) = self.latest_round() else { return };
        let Some(state) = self.round(round) else { return };
        let tables: Vec<u16> = state.draw.tables.iter().map(|table| table.number).collect();
        let count = self.stages[usize::from(round.stage)].stage().boards;
        for board in 0..count {
            if boards.void.contains(&(round, board)) {
                self.stages[usize::from(round.stage)].set_void(round.round.into(), board);
            }
            for &table in &tables {
                self.load_result(boards, round, table, board);
            }
        }
    }

    /// Puts in the result of a board that counts, if the log has it.
    fn load_result(&mut self, boards: &BoardEntries, round: RoundKey, table: u16, board: u8) {
        let Some(state) = self.round(round) else { return };
        let attempt = boards.attempt(state.attempt, round, table, board);
        let result = boards.results.get(&ResultKey { round, table, board, attempt });
        if let Some(result) = result.filter(|result| state.fits(table, result)) {
            let stage = &mut self.stages[usize::from(round.stage)];
            stage.set_result(round.round.into(), table, board, result.clone());
        }
    }

    /// Ranks by the latest stage that was raced, then those whom it left out by the stage before, and
    /// so on.
    fn standings(&self) -> Vec<Ranked> {
        let mut listed = BTreeSet::new();
        let mut ranking = Vec::new();
        for stage in self.stages.iter().rev().filter(|stage| !stage.rounds().is_empty()) {
            let rows = stage.ranking().into_iter();
            append(&mut ranking, rows.filter(|row| listed.insert(row.entrant)));
        }
        let disqualified = |row: &Ranked| {
            let entrant = self.entrants.get(&row.entrant);
            entrant.is_some_and(|it| it.presence == Presence::Disqualified)
        };
        let mut behind = 0;
        let mut kept = Vec::with_capacity(ranking.len());
        for equal in ranking.chunk_by(|a, b| a.place == b.place) {
            let place = |row: &Ranked| Ranked { place: row.place - behind, ..*row };
            kept.extend(equal.iter().filter(|row| !disqualified(row)).map(place));
            let count = equal.iter().filter(|row| disqualified(row)).count();
            behind += u16::try_from(count).unwrap_or(u16::MAX);
        }
        kept
    }
}

/// Returns the entries of a log that aren't taken back, in order.
fn effective(log: &[LogEntry]) -> Vec<&LogEntry> {
    let taken_back = taken_back(log);
    let stands = |(index, _): &(usize, &LogEntry)| !taken_back.contains(index);
    log.iter().enumerate().filter(stands).map(|(_, entry)| entry).collect()
}

/// Returns the indices of the entries that are taken back. An entry that takes another one back can
/// be taken back itself.
fn taken_back(log: &[LogEntry]) -> BTreeSet<usize> {
    let mut taken_back = BTreeSet::new();
    for (index, entry) in log.iter().enumerate().rev() {
        if let LogEntry::TakeBack { entry } = entry
            && !taken_back.contains(&index)
        {
            let target = usize::try_from(*entry).unwrap_or(usize::MAX);
            if target < index {
                taken_back.insert(target);
            }
        }
    }
    taken_back
}

#[cfg(test)]
mod tests;
