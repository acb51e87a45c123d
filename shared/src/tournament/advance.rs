//! Advancement: the entrants that go on to the next round or stage.
//!
//! In every cut, an entrant who started no board of what is cut doesn't go on, even where fewer than
//! the places go on then. So of a match to which neither came, neither goes on.

use crate::tournament::ids::EntrantId;
use crate::tournament::rank::Ranked;
use std::collections::BTreeSet;

/// Returns the first `top` of a ranking.
pub fn top(ranking: &[Ranked], top: usize) -> Vec<EntrantId> {
    ranking.iter().take(top).filter(|row| row.started).map(|row| row.entrant).collect()
}

/// Returns a ranking without its last `drop`, but never fewer than `until` of it.
pub fn drop_last(ranking: &[Ranked], drop: usize, until: usize) -> Vec<EntrantId> {
    top(ranking, ranking.len().saturating_sub(drop).max(until))
}

/// Returns the first `k` of each table: all winners, then all second places, and so on, each in the
/// order of the ranking of the whole round.
pub fn top_of_each(tables: &[Vec<Ranked>], round: &[Ranked], k: usize) -> Vec<EntrantId> {
    let through: Vec<Vec<EntrantId>> = tables.iter().map(|table| top(table, k)).collect();
    let mut seeds = Vec::new();
    for line in 0..k {
        let level: BTreeSet<EntrantId> =
            through.iter().filter_map(|table| table.get(line).copied()).collect();
        let in_order = round.iter().map(|row| row.entrant).filter(|it| level.contains(it));
        seeds.extend(in_order);
    }
    seeds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::score::Score;

    fn ranking(entrants: impl IntoIterator<Item = (u32, bool)>) -> Vec<Ranked> {
        let row = |(place, (entrant, started))| Ranked {
            entrant: EntrantId(entrant),
            place,
            score: Score::Points(0),
            started,
        };
        (1..).zip(entrants).map(row).collect()
    }

    fn ids(entrants: &[EntrantId]) -> Vec<u32> {
        entrants.iter().map(|entrant| entrant.0).collect()
    }

    #[test]
    fn the_first_go_on_if_they_started() {
        let ranking = ranking([(1, true), (2, true), (3, false)]);
        assert_eq!(ids(&top(&ranking, 1)), [1]);
        assert_eq!(ids(&top(&ranking, 3)), [1, 2]);
        assert_eq!(ids(&drop_last(&ranking, 2, 1)), [1]);
        assert_eq!(ids(&drop_last(&ranking, 2, 2)), [1, 2]);
    }

    #[test]
    fn of_a_match_to_which_neither_came_neither_goes_on() {
        assert_eq!(top(&ranking([(1, false), (2, false)]), 1), []);
        assert_eq!(drop_last(&ranking([(1, false), (2, false)]), 1, 1), []);
    }

    #[test]
    fn winners_are_seeded_before_second_places() {
        let tables = [ranking([(1, true), (2, true), (5, true)]), ranking([(3, true), (4, true)])];
        let round = ranking([(3, true), (1, true), (2, true), (4, true), (5, true)]);
        assert_eq!(ids(&top_of_each(&tables, &round, 2)), [3, 1, 2, 4]);
    }
}
