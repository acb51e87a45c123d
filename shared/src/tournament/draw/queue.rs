//! The queue of an arena: a table forms as soon as enough entrants wait.

use crate::tournament::ids::EntrantId;

/// Returns those of `waiting` (longest first) whose tables form now: as many as fill
/// tables of `table` seats. If fewer wait and no entrant races, all of them form a smaller table.
///
/// While others race, two tables form at least: the players of one table, who wait at the same time,
/// would meet each other again.
///
/// ```
/// use gridrace_shared::tournament::draw::queue::ready;
/// use gridrace_shared::tournament::ids::EntrantId;
/// let waiting = [5, 3, 9, 1, 2].map(EntrantId);
/// assert_eq!(ready(&waiting, true, 2), &waiting[..4]);
/// assert_eq!(ready(&waiting[..3], true, 2), &[]);
/// assert_eq!(ready(&waiting[..3], false, 2), &waiting[..2]);
/// assert_eq!(ready(&waiting[..3], false, 4), &waiting[..3]);
/// ```
pub fn ready(waiting: &[EntrantId], anybody_races: bool, table: usize) -> &[EntrantId] {
    match waiting.len() - waiting.len() % table.max(1) {
        full if anybody_races && full < 2 * table => &[],
        0 if waiting.len() < 2 => &[],
        0 => waiting,
        full => &waiting[..full],
    }
}
