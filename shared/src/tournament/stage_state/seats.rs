//! An organiser's changes to the seats of the round that was drawn last.

use super::StageState;
use super::round::RoundState;
use crate::tournament::draw::RoundDraw;
use crate::tournament::ids::EntrantId;
use crate::tournament::plan::MIN_ENTRANTS;
use crate::tournament::result::MAX_SEATS;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Why an entrant can't be given a seat, or lose one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum SeatError {
    #[error("the sides of a match follow from the bracket or the schedule")]
    IsMatch,
    #[error("there is no open table of this number in the round")]
    NoOpenTable,
    #[error("entrant {0} isn't in the stage")]
    NotInStage(EntrantId),
    #[error("entrant {0} has a seat in the round, or sits it out")]
    InRound(EntrantId),
    #[error("entrant {0} has no seat in the round")]
    NotInRound(EntrantId),
    #[error("a table has at most {MAX_SEATS} seats")]
    TableFull,
    #[error("a table keeps at least two entrants")]
    TooFewLeft,
}

impl StageState {
    /// Checks whether an entrant may get a seat at a table of the round that was drawn last.
    pub fn check_seat(&self, table: u16, entrant: EntrantId) -> Result<(), SeatError> {
        if self.open_seats().contains(&entrant) {
            return Err(SeatError::InRound(entrant));
        }
        self.check_open(table)?;
        self.clone().seat(table, entrant)
    }

    /// Checks whether an entrant may lose a seat in the round that was drawn last.
    pub fn check_unseat(&self, entrant: EntrantId) -> Result<(), SeatError> {
        self.check_open(self.table_of(entrant)?)?;
        self.clone().unseat(entrant)
    }

    /// Gives an entrant a seat, whether the table has its results or not.
    ///
    /// # Errors
    ///
    /// There is no such table or entrant, the table is full, or the entrant is in the round.
    pub fn seat(&mut self, table: u16, entrant: EntrantId) -> Result<(), SeatError> {
        let is_in_stage = self.field.contains(&entrant);
        let round = self.seated_round()?;
        if !is_in_stage {
            return Err(SeatError::NotInStage(entrant));
        }
        let RoundDraw { tables, resting, .. } = &round.draw;
        if resting.contains(&entrant) || round.draw.entrants().any(|it| it == entrant) {
            return Err(SeatError::InRound(entrant));
        }
        let table = tables.iter().position(|it| it.number == table);
        let seats = &mut round.draw.tables[table.ok_or(SeatError::NoOpenTable)?].seats;
        if seats.len() == MAX_SEATS {
            return Err(SeatError::TableFull);
        }
        seats.push(entrant);
        round.entering.push(entrant);
        self.update_open(self.rounds.len() - 1);
        Ok(())
    }

    /// Takes the seat of an entrant away, and the results that name the entrant.
    ///
    /// # Errors
    ///
    /// The entrant has no seat, or the table is too small.
    pub fn unseat(&mut self, entrant: EntrantId) -> Result<(), SeatError> {
        let number = self.table_of(entrant)?;
        let round = self.seated_round()?;
        let table = round.draw.tables.iter_mut().find(|it| it.number == number);
        let seats = &mut table.ok_or(SeatError::NoOpenTable)?.seats;
        if seats.len() <= MIN_ENTRANTS {
            return Err(SeatError::TooFewLeft);
        }
        seats.retain(|it| *it != entrant);
        round.entering.retain(|it| *it != entrant);
        round.forget_results_of(entrant);
        self.update_open(self.rounds.len() - 1);
        Ok(())
    }

    /// Returns the table of the round drawn last at which an entrant has a seat.
    fn table_of(&self, entrant: EntrantId) -> Result<u16, SeatError> {
        let mut tables = self.rounds.last().into_iter().flat_map(|round| &round.draw.tables);
        let table = tables.find(|table| table.seats.contains(&entrant));
        table.map(|table| table.number).ok_or(SeatError::NotInRound(entrant))
    }

    fn check_open(&self, table: u16) -> Result<(), SeatError> {
        let round = self.rounds.last().ok_or(SeatError::NoOpenTable)?;
        let table = round.draw.table(table).ok_or(SeatError::NoOpenTable)?;
        if self.is_table_complete(round, table) { Err(SeatError::NoOpenTable) } else { Ok(()) }
    }

    /// Returns the round drawn last, if an organiser may change its seats.
    fn seated_round(&mut self) -> Result<&mut RoundState, SeatError> {
        if self.stage.has_matches() {
            return Err(SeatError::IsMatch);
        }
        self.rounds.last_mut().map(Arc::make_mut).ok_or(SeatError::NoOpenTable)
    }
}
