//! A round that was drawn, and the results of its boards.

use crate::tournament::draw::{DrawnTable, RoundDraw};
use crate::tournament::ids::EntrantId;
use crate::tournament::result::{BoardOutcome, BoardResult};
use crate::tournament::score::RacedTable;
use std::collections::{BTreeMap, BTreeSet};

/// A round that was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundState {
    /// The entrants that were drawn, or had a walkover, in the order in which they came into the round.
    pub entering: Vec<EntrantId>,
    pub draw: RoundDraw,
    /// The attempt of the draw, from which its tables' attempts count.
    pub attempt: u16,
    /// By table: the result of each board; none while it is open.
    results: BTreeMap<u16, Vec<Option<BoardResult>>>,
    /// Boards that don't count.
    void: BTreeSet<u8>,
    disqualified: BTreeSet<EntrantId>,
}

impl RoundState {
    /// A round of tables that race `boards` boards each.
    pub(super) fn new(
        draw: RoundDraw,
        entering: Vec<EntrantId>,
        attempt: u16,
        boards: usize,
    ) -> Self {
        let results = draw.tables.iter().map(|table| (table.number, vec![None; boards])).collect();
        let (void, disqualified) = (BTreeSet::new(), BTreeSet::new());
        Self { entering, draw, attempt, results, void, disqualified }
    }

    pub(super) fn set_result(&mut self, table: u16, board: u8, result: BoardResult) {
        let result = self.disqualify_in(result);
        let slot = self.results.get_mut(&table).and_then(|it| it.get_mut(usize::from(board)));
        if let Some(slot) = slot {
            *slot = Some(result);
        }
    }

    pub(super) fn set_void(&mut self, board: u8) {
        self.void.insert(board);
    }

    /// Ranks an entrant last on all boards.
    pub(super) fn disqualify(&mut self, entrant: EntrantId) {
        self.disqualified.insert(entrant);
        let results = std::mem::take(&mut self.results);
        let mapped = results.into_iter().map(|(table, boards)| {
            let boards = boards.into_iter().map(|it| it.map(|it| self.disqualify_in(it)));
            (table, boards.collect())
        });
        self.results = mapped.collect();
    }

    /// Forgets the results that name an entrant.
    pub(super) fn forget_results_of(&mut self, entrant: EntrantId) {
        let names = |result: &BoardResult| result.rows.iter().any(|(it, _)| *it == entrant);
        for result in self.results.values_mut().flatten() {
            result.take_if(|result| names(result));
        }
    }

    pub fn result(&self, table: u16, board: u8) -> Option<&BoardResult> {
        self.results.get(&table)?.get(usize::from(board))?.as_ref()
    }

    pub fn is_void(&self, board: u8) -> bool {
        self.void.contains(&board)
    }

    /// Returns whether all rows of a result are of entrants who sit at the table, one of each.
    pub fn fits(&self, table: u16, result: &BoardResult) -> bool {
        let Some(table) = self.draw.table(table) else { return false };
        let mut named = BTreeSet::new();
        result
            .rows
            .iter()
            .all(|(entrant, _)| table.seats.contains(entrant) && named.insert(*entrant))
    }

    /// Returns the results of a table that count, the latest board first.
    pub(in crate::tournament) fn latest_results(
        &self,
        table: u16,
    ) -> impl Iterator<Item = &BoardResult> {
        let boards = self.results.get(&table).map_or(&[][..], Vec::as_slice).iter().enumerate();
        let is_void = |board| u8::try_from(board).is_ok_and(|board| self.is_void(board));
        boards.rev().filter(move |&(board, _)| !is_void(board)).filter_map(|(_, it)| it.as_ref())
    }

    /// Returns the results of a table by board, without the void ones.
    pub(super) fn counting(&self, table: u16) -> Vec<Option<BoardResult>> {
        let boards = self.results.get(&table).map_or(&[][..], Vec::as_slice);
        let counts = |(board, result): (u8, &Option<BoardResult>)| {
            if self.void.contains(&board) { None } else { result.clone() }
        };
        (0..).zip(boards).map(counts).collect()
    }

    pub(super) fn raced<'a>(
        &self,
        table: &'a DrawnTable,
        results: &'a [Option<BoardResult>],
    ) -> RacedTable<'a> {
        RacedTable {
            number: table.number,
            seats: table.seats.as_slice(),
            results,
            void: self.void.len(),
        }
    }

    fn disqualify_in(&self, mut result: BoardResult) -> BoardResult {
        for (entrant, outcome) in &mut result.rows {
            if self.disqualified.contains(entrant) {
                *outcome = BoardOutcome::Disqualified;
            }
        }
        result
    }

    /// Returns the index of the table that has the most free seats of `table`.
    pub fn free_table(&self, table: usize) -> Option<usize> {
        let free = self.draw.tables.iter().enumerate().filter(|(_, it)| it.seats.len() < table);
        free.min_by_key(|(_, it)| it.seats.len()).map(|(index, _)| index)
    }

    /// Seats one more, where most of `table` seats are free, or at a table that is added.
    pub(super) fn add_seat(&mut self, entrant: EntrantId, table: usize) {
        self.entering.push(entrant);
        if let Some(index) = self.free_table(table) {
            self.draw.tables[index].seats.push(entrant);
            return;
        }
        let number = u16::try_from(self.draw.tables.len()).unwrap_or(u16::MAX);
        let boards = self.results.values().next().map_or(0, Vec::len);
        self.results.insert(number, vec![None; boards]);
        self.draw.tables.push(DrawnTable { number, seats: vec![entrant] });
    }
}
