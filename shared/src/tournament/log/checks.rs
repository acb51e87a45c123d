//! Checks an entry before it is appended to the log.

use super::Tournament;
use super::entry::{LogEntry, LogEntryError, MAX_REPLAYS, taken_back};
use super::state::{EntrantState, Presence};
use crate::tournament::draw::RoundDraw;
use crate::tournament::draw_commitment::DrawKey;
use crate::tournament::ids::{EntrantId, ResultKey, RoundKey};
use crate::tournament::plan::{FieldError, MAX_ENTRANTS};
use crate::tournament::result::BoardResult;
use crate::tournament::score::ScoreRule;
use crate::tournament::stage_state::StageState;
use crate::util::seed::Seed;
use std::collections::BTreeSet;

impl Tournament {
    pub(super) fn check(&self, entry: &LogEntry) -> Result<(), LogEntryError> {
        if self.is_full() {
            return Err(LogEntryError::LogFull);
        }
        match entry {
            LogEntry::Enter { entrant, .. } => self.check_entry(*entrant),
            LogEntry::CheckIn { entrant } | LogEntry::Withdraw { entrant } => {
                self.check_running()?;
                self.check_eligible(*entrant)
            }
            // After the end, too: an entrant who is found out late has no place.
            LogEntry::Disqualify { entrant } => self.check_eligible(*entrant),
            LogEntry::Seed { order } => self.check_seeds(order),
            LogEntry::Draw { key, seed, waiting } => {
                self.check_draw(*key, seed, waiting).map(|_| ())
            }
            LogEntry::Result { key, result } => self.check_result(*key, result),
            LogEntry::Replay { round, table, board, attempt } => {
                self.check_replay(*round, *table, *board, *attempt)
            }
            LogEntry::Seat { round, table, entrant } => {
                self.check_running()?;
                self.check_eligible(*entrant)?;
                self.latest_stage(*round)?.check_seat(*table, *entrant)?;
                Ok(())
            }
            LogEntry::Unseat { round, entrant } => {
                self.check_running()?;
                self.entrant(*entrant)?;
                self.latest_stage(*round)?.check_unseat(*entrant)?;
                Ok(())
            }
            LogEntry::Void { round, board } => self.check_void(*round, *board),
            LogEntry::EndStage { stage } => self.check_end_of_stage(*stage),
            LogEntry::TakeBack { entry } => self.check_take_back(*entry),
        }
    }

    /// Checks that an entrant isn't disqualified.
    fn check_eligible(&self, entrant: EntrantId) -> Result<(), LogEntryError> {
        match self.entrant(entrant)?.presence {
            Presence::Disqualified => Err(LogEntryError::Disqualified(entrant)),
            Presence::Entered | Presence::Present | Presence::Withdrawn => Ok(()),
        }
    }

    fn check_seeds(&self, order: &[EntrantId]) -> Result<(), LogEntryError> {
        let named: BTreeSet<&EntrantId> = order.iter().collect();
        if !self.state.stages.is_empty() || named.len() < order.len() {
            return Err(LogEntryError::Seeds);
        }
        order.iter().try_for_each(|&entrant| self.entrant(entrant).map(|_| ()))
    }

    fn check_replay(
        &self,
        round: RoundKey,
        table: Option<u16>,
        board: Option<u8>,
        attempt: u16,
    ) -> Result<(), LogEntryError> {
        let table = table.unwrap_or_else(|| self.any_table(round));
        self.check_board(ResultKey { round, table, board: board.unwrap_or(0), attempt: 0 })?;
        self.check_attempt(round, attempt)?;
        self.check_replays()
    }

    fn check_void(&self, round: RoundKey, board: u8) -> Result<(), LogEntryError> {
        let table = self.any_table(round);
        self.check_board(ResultKey { round, table, board, attempt: 0 })?;
        self.check_replays()?;
        let Some(stage) = self.plan.stages().get(usize::from(round.stage)) else {
            return Err(LogEntryError::UnknownRound(round));
        };
        let void = self.boards.void.iter().filter(|(it, _)| *it == round).count();
        if matches!(stage.score, ScoreRule::Average | ScoreRule::Mean) {
            Err(LogEntryError::VoidInAverage)
        } else if void + 1 >= usize::from(stage.boards) {
            Err(LogEntryError::NoBoardLeft)
        } else {
            Ok(())
        }
    }

    fn check_end_of_stage(&self, stage: u8) -> Result<(), LogEntryError> {
        self.check_running()?;
        let next = self.state.next_round(&self.plan).map(|round| round.stage);
        let runs = !self.state.stages.is_empty() && next == Some(stage);
        if runs { Ok(()) } else { Err(LogEntryError::StageNotRunning(stage)) }
    }

    fn check_take_back(&self, entry: u32) -> Result<(), LogEntryError> {
        let index = usize::try_from(entry).unwrap_or(usize::MAX);
        let stands = index < self.log.len() && !taken_back(&self.log).contains(&index);
        if stands { Ok(()) } else { Err(LogEntryError::NoSuchEntry(entry)) }
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

    /// Returns the draw of a round that comes next. One that is drawn again gives nothing: it follows from
    /// the whole log.
    pub(super) fn check_draw(
        &self,
        key: DrawKey,
        seed: &Seed,
        waiting: &[EntrantId],
    ) -> Result<Option<RoundDraw>, LogEntryError> {
        if self.state.stages.is_empty() {
            self.plan.check_field(self.state.present().len())?;
        }
        if self.boards.draws.contains_key(&key.round) {
            self.check_attempt(key.round, key.attempt)?;
        }
        if self.state.round(key.round).is_some() {
            return Ok(None);
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
        after.draw(&self.plan, &self.boards, key, seed, waiting).map_err(LogEntryError::Draw)?;
        Ok(after.round(key.round).map(|round| round.draw.clone()))
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

    fn entrant(&self, entrant: EntrantId) -> Result<&EntrantState, LogEntryError> {
        self.state.entrants.get(&entrant).ok_or(LogEntryError::UnknownEntrant(entrant))
    }

    fn any_table(&self, round: RoundKey) -> u16 {
        let first = self.state.round(round).and_then(|it| it.draw.tables.first());
        first.map_or(0, |table| table.number)
    }
}
