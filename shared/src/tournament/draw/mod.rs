//! The draw of a round: its tables, and the entrants at each.
//!
//! Each function is pure: the field comes in the order of seeds, best first, chance as a seed.
//!
//! - here: all together, and tables dealt in snake order;
//! - [`swiss`]: tables of entrants with about the same points who haven't met;
//! - [`round_robin`]: Berger's tables; [`bracket`]: knock-out and double elimination;
//! - [`queue`]: the tables of an arena.

pub mod bracket;
pub mod queue;
pub mod round_robin;
pub mod swiss;

use crate::tournament::ids::EntrantId;
use crate::util::seed::Seed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The tables of a round.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RoundDraw {
    pub tables: Vec<DrawnTable>,
    pub walkovers: Vec<Walkover>,
    /// The entrants who sit out by the schedule, without gain or loss.
    pub resting: Vec<EntrantId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawnTable {
    /// From 0; in a bracket the number of the match, so that tables aren't numbered in sequence.
    pub number: u16,
    pub seats: Vec<EntrantId>,
}

/// A table without a race: a bye, or a match to which one side or both didn't come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walkover {
    pub number: u16,
    /// The entrant who goes on, if anybody does.
    pub winner: Option<EntrantId>,
    /// The entrants who were absent, and whose opponent came.
    pub loser: Option<EntrantId>,
}

/// How often any two entrants have sat at one table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Meetings(BTreeMap<(EntrantId, EntrantId), u16>);

impl Meetings {
    /// Counts that these have sat at one table.
    pub fn add(&mut self, seats: &[EntrantId]) {
        for (index, &a) in seats.iter().enumerate() {
            for &b in &seats[index + 1..] {
                *self.0.entry((a.min(b), a.max(b))).or_default() += 1;
            }
        }
    }

    pub fn of(&self, a: EntrantId, b: EntrantId) -> u16 {
        self.0.get(&(a.min(b), a.max(b))).copied().unwrap_or(0)
    }
}

impl RoundDraw {
    /// Numbers tables from 0.
    pub fn of_tables(tables: Vec<Vec<EntrantId>>) -> Self {
        let numbered = (0..).zip(tables).map(|(number, seats)| DrawnTable { number, seats });
        Self { tables: numbered.collect(), ..Self::default() }
    }

    pub fn table(&self, number: u16) -> Option<&DrawnTable> {
        self.tables.iter().find(|table| table.number == number)
    }
}

/// Puts a field in an order that the seed alone decides, whatever order it comes in.
pub fn order_by_lot(field: &[EntrantId], seed: &Seed) -> Vec<EntrantId> {
    let mut order = field.to_vec();
    order.sort_unstable();
    seed.rng("tournament-draw", "order").permute(&mut order);
    order
}

/// Deals a field to as few tables of at most `table` seats as hold it, in snake order: the first
/// table gets the first of the first line, the last of the second, and so on. Tables differ by one
/// seat at most.
///
/// ```
/// use gridrace_shared::tournament::draw::snake;
/// use gridrace_shared::tournament::ids::EntrantId;
/// let tables = snake(&[1, 2, 3, 4, 5, 6].map(EntrantId), 3).tables;
/// assert_eq!(tables[0].seats, [1, 4, 5].map(EntrantId));
/// assert_eq!(tables[1].seats, [2, 3, 6].map(EntrantId));
/// ```
pub fn snake(field: &[EntrantId], table: usize) -> RoundDraw {
    let count = field.len().div_ceil(table.max(1));
    let mut tables = vec![Vec::new(); count];
    for (line, row) in field.chunks(count.max(1)).enumerate() {
        for (index, &entrant) in row.iter().enumerate() {
            let seat = if line % 2 == 0 { index } else { count - 1 - index };
            tables[seat].push(entrant);
        }
    }
    RoundDraw::of_tables(tables)
}

/// Returns the sizes of as few tables of at most `table` seats as hold `field`; they differ by one
/// at most, the larger first.
fn table_sizes(field: usize, table: usize) -> Vec<usize> {
    let count = field.div_ceil(table.max(1)).max(1);
    let (least, more) = (field / count, field % count);
    (0..count).map(|index| least + usize::from(index < more)).collect()
}

#[cfg(test)]
mod tests;
