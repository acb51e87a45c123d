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

mod boards;
mod checks;
mod entry;
mod state;
#[cfg(test)]
mod tests;

pub use entry::{LogEntry, LogEntryError, MAX_LOG_ENTRIES, MAX_REPLAYS};
pub use state::{ABSENCES_UNTIL_WITHDRAWN, Presence};

use crate::tournament::draw::RoundDraw;
use crate::tournament::draw_commitment::DrawKey;
use crate::tournament::ids::{EntrantId, ResultKey, RoundKey};
use crate::tournament::plan::{Format, TournamentPlan};
use crate::tournament::rank::Ranked;
use crate::tournament::result::BoardResult;
use crate::tournament::score::Score;
use crate::tournament::stage_state::StageState;
use crate::tournament::stage_state::round::RoundState;
use crate::tournament::teams::{RankedTeam, rank_teams};
use crate::util::seed::Seed;
use boards::BoardEntries;
use entry::effective;
use state::FoldState;
use std::collections::BTreeSet;

/// A tournament: its plan, its log, and what follows from them.
///
/// Applied one by one, entries give the same as [`Tournament::fold`] of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tournament {
    plan: TournamentPlan,
    log: Vec<LogEntry>,
    boards: BoardEntries,
    state: FoldState,
}

impl Tournament {
    /// Begins a tournament without entrants.
    pub fn new(plan: TournamentPlan) -> Self {
        Self { plan, log: Vec::new(), boards: BoardEntries::default(), state: FoldState::default() }
    }

    /// Folds a log. Entries that have no effect are passed over, so that any log has a meaning.
    pub fn fold(plan: TournamentPlan, log: Vec<LogEntry>) -> Self {
        let effective = effective(&log);
        let boards = BoardEntries::of(&effective);
        let state = FoldState::fold(&plan, &boards, &effective);
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

    /// Returns what an entry that draws a round would draw.
    ///
    /// # Errors
    ///
    /// As [`Tournament::apply`].
    pub fn drawn_by(
        &self,
        key: DrawKey,
        seed: &Seed,
        waiting: &[EntrantId],
    ) -> Result<RoundDraw, LogEntryError> {
        if let Some(draw) = self.check_draw(key, seed, waiting)? {
            return Ok(draw);
        }
        let (seed, waiting) = (seed.clone(), waiting.to_vec());
        let mut after = self.clone();
        after.apply(LogEntry::Draw { key, seed, waiting })?;
        Ok(after.round(key.round).map(|round| round.draw.clone()).unwrap_or_default())
    }

    /// Returns whether it takes no further entry.
    pub const fn is_full(&self) -> bool {
        self.log.len() >= MAX_LOG_ENTRIES
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

    /// Returns whether an entrant has checked in since a round was drawn.
    pub fn has_checked_in_since(&self, entrant: EntrantId, round: RoundKey) -> bool {
        let before = self.state.stages.iter().take(round.stage.into());
        let first: usize = before.map(|stage| stage.rounds().len()).sum();
        let entrant = self.state.entrants.get(&entrant);
        entrant.is_some_and(|it| it.since > first + usize::from(round.round))
    }

    /// Returns the result of a board as it was entered: without later disqualifications.
    pub fn entered_result(&self, key: ResultKey) -> Option<&BoardResult> {
        self.boards.results.get(&key)
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
        let standings = self.standings();
        let mut stages = self.state.stages.iter().rev();
        let last = stages.find(|stage| !stage.rounds().is_empty());
        let alike = last.map_or(&[][..], StageState::scored_alike);
        // Points of different boards can't be added up.
        let by_points = standings
            .iter()
            .all(|row| matches!(row.score, Score::Points(_)) && alike.contains(&row.entrant));
        Some(rank_teams(&standings, by_points, scorers.into(), team_of))
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
            // A first result of the latest round changes nothing that was drawn, nor does one of an arena,
            // whose draws go by no results.
            LogEntry::Result { key, .. } => {
                let is_latest = self.state.latest_round() == Some(key.round);
                let stage = self.state.stages.last().map(|stage| stage.stage().format);
                let is_arena = matches!(stage, Some(Format::Arena { .. }))
                    && usize::from(key.round.stage) + 1 == self.state.stages.len();
                (is_latest || is_arena) && !self.boards.results.contains_key(key)
            }
            LogEntry::Replay { .. }
            | LogEntry::Seat { .. }
            | LogEntry::Unseat { .. }
            | LogEntry::Void { .. }
            | LogEntry::TakeBack { .. } => false,
        };
        takes_effect_alone && !self.state.has_idle_entries
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
