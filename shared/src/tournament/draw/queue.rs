//! The queue of an arena: a table forms as soon as enough entrants wait.

use crate::tournament::ids::EntrantId;

/// Returns those of `waiting` (longest first) whose tables form now: as many as fill
/// tables of `table` seats. If fewer wait and no entrant races, all of them form a smaller table.
///
/// ```
/// use gridrace_shared::tournament::draw::queue::ready;
/// use gridrace_shared::tournament::ids::EntrantId;
/// let waiting = [5, 3, 9].map(EntrantId);
/// assert_eq!(ready(&waiting, true, 2), &waiting[..2]);
/// assert_eq!(ready(&waiting, true, 4), &[]);
/// assert_eq!(ready(&waiting, false, 4), &waiting);
/// ```
pub fn ready(waiting: &[EntrantId], anybody_races: bool, table: usize) -> &[EntrantId] {
    match waiting.len() - waiting.len() % table.max(1) {
        0 if anybody_races || waiting.len() < 2 => &[],
        0 => waiting,
        full => &waiting[..full],
    }
}
