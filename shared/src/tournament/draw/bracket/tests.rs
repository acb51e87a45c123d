use super::*;
use crate::tournament::draw::Meetings;
use proptest::prelude::*;

fn field(size: u32) -> Vec<EntrantId> {
    (1..=size).map(EntrantId).collect()
}

fn here(_: EntrantId) -> bool {
    true
}

/// Races a bracket to its end, and returns the rounds as lists of pairs; `wins` says whether the
/// first of two wins.
fn race(
    bracket: &mut Bracket,
    mut wins: impl FnMut(EntrantId, EntrantId) -> bool,
) -> Vec<Vec<(u32, u32)>> {
    let mut rounds = Vec::new();
    loop {
        let draw = bracket.draw(here);
        for walkover in &draw.walkovers {
            bracket.decide(walkover.number, walkover.winner, walkover.loser);
        }
        if draw.tables.is_empty() {
            return rounds;
        }
        let mut round = Vec::new();
        for table in draw.tables {
            let (a, b) = (table.seats[0], table.seats[1]);
            let (winner, loser) = if wins(a, b) { (a, b) } else { (b, a) };
            bracket.decide(table.number, Some(winner), Some(loser));
            round.push((a.0, b.0));
        }
        rounds.push(round);
    }
}

fn levels(field: usize) -> usize {
    field.next_power_of_two().ilog2() as usize
}

#[test]
fn the_seeds_stand_so_that_the_best_meet_last() {
    let mut bracket = Bracket::new(field(8), Elimination::Single);
    let rounds = race(&mut bracket, |a, b| a < b);
    assert_eq!(rounds[0], [(1, 8), (4, 5), (2, 7), (3, 6)]);
    assert_eq!(rounds[1], [(1, 4), (2, 3)]);
    assert_eq!(rounds[2], [(1, 2)]);
    assert_eq!(bracket.champion(), Some(EntrantId(1)));
    // Of sixteen as brackets-manager 1.11 has them, seeded "inner_outer".
    let rounds = race(&mut Bracket::new(field(16), Elimination::Single), |a, b| a < b);
    assert_eq!(rounds[0], [(1, 16), (8, 9), (4, 13), (5, 12), (2, 15), (7, 10), (3, 14), (6, 11)]);
    assert_eq!(rounds[1], [(1, 8), (4, 5), (2, 7), (3, 6)]);
}

#[test]
fn byes_go_to_the_first_seeds() {
    for size in 2..=200u32 {
        let bracket = Bracket::new(field(size), Elimination::Single);
        let draw = bracket.draw(here);
        let byes = size.next_power_of_two() - size;
        let mut resting: Vec<EntrantId> =
            draw.walkovers.iter().filter_map(|it| it.winner).collect();
        resting.sort_unstable();
        assert_eq!(resting, field(byes), "{size}");
        assert_eq!(draw.tables.len() as u32, (size - byes) / 2);
    }
}

#[test]
fn a_knock_out_takes_as_many_rounds_as_the_field_halves_and_one_match_for_each_who_leaves() {
    for size in 2..=200u32 {
        let mut bracket = Bracket::new(field(size), Elimination::Single);
        let rounds = race(&mut bracket, |a, b| (a.0 * 7) % 11 < (b.0 * 7) % 11);
        assert_eq!(rounds.len(), levels(size as usize), "{size}");
        assert_eq!(rounds.iter().map(Vec::len).sum::<usize>(), size as usize - 1);
        assert_eq!(bracket.levels_left().len(), size as usize - 1);
        assert!(bracket.is_decided() && bracket.champion().is_some());
    }
}

#[test]
fn in_a_double_elimination_each_but_the_champion_loses_twice() {
    for size in 2..=200u32 {
        for upsets in [false, true] {
            let mut bracket = Bracket::new(field(size), Elimination::Double);
            let mut losses = std::collections::BTreeMap::<EntrantId, usize>::new();
            let rounds = race(&mut bracket, |a, b| {
                let first = if upsets { (a.0 * 13) % 17 < (b.0 * 13) % 17 } else { a < b };
                *losses.entry(if first { b } else { a }).or_default() += 1;
                first
            });
            let champion = bracket.champion().unwrap();
            let raced: usize = rounds.iter().map(Vec::len).sum();
            let reset = losses.contains_key(&champion);
            assert_eq!(raced, 2 * size as usize - 2 + usize::from(reset), "{size}");
            for entrant in field(size).into_iter().filter(|&it| it != champion) {
                assert_eq!(losses[&entrant], 2, "{entrant} of {size}");
                assert!(bracket.levels_left().contains_key(&entrant));
            }
            assert!(rounds.len() <= 2 * levels(size as usize) + usize::from(reset), "{size}");
        }
    }
}

#[test]
fn the_winner_of_the_lower_bracket_has_to_win_twice() {
    let mut bracket = Bracket::new(field(4), Elimination::Double);
    // 2 loses to 1 in the upper final, and beats 1 in the final.
    let mut meetings = 0;
    let rounds = race(&mut bracket, |a, b| {
        let (low, high) = (a.min(b), a.max(b));
        let upset = (low, high) == (EntrantId(1), EntrantId(2)) && {
            meetings += 1;
            meetings >= 2
        };
        (a == low) != upset
    });
    assert_eq!(rounds.last(), Some(&vec![(1, 2)]));
    assert_eq!(meetings, 3);
    assert_eq!(bracket.champion(), Some(EntrantId(2)));
    assert_eq!(rounds.len(), 5);
}

#[test]
fn an_absent_side_loses_and_of_two_neither_goes_on() {
    let mut bracket = Bracket::new(field(4), Elimination::Single);
    // 1 against 4, of whom neither came; 2 against 3, of whom 3 didn't.
    let draw = bracket.draw(|entrant| entrant == EntrantId(2));
    assert!(draw.tables.is_empty());
    for walkover in draw.walkovers {
        bracket.decide(walkover.number, walkover.winner, walkover.loser);
    }
    assert_eq!(bracket.champion(), Some(EntrantId(2)));
    let left = bracket.levels_left();
    assert_eq!(left.keys().map(|it| it.0).collect::<Vec<_>>(), [1, 3, 4]);
}

#[test]
fn a_final_without_a_winner_has_no_champion() {
    for elimination in [Elimination::Single, Elimination::Double] {
        let mut bracket = Bracket::new(field(2), elimination);
        let draw = bracket.draw(|_| false);
        for walkover in draw.walkovers {
            bracket.decide(walkover.number, walkover.winner, walkover.loser);
        }
        assert!(bracket.is_decided());
        assert_eq!(bracket.champion(), None, "{elimination:?}");
    }
}

proptest! {
    #[test]
    fn whoever_wins_nobody_meets_again_on_the_first_levels(
        (size, apart) in prop::sample::select(vec![(8u32, 3), (16, 4), (32, 5), (64, 7), (128, 8)]),
        results in prop::collection::vec(any::<bool>(), 260),
    ) {
        let mut bracket = Bracket::new(field(size), Elimination::Double);
        let mut results = results.into_iter();
        let rounds = race(&mut bracket, |_, _| results.next().unwrap_or(true));
        let mut met = Meetings::default();
        for round in &rounds[..apart] {
            for &(a, b) in round {
                prop_assert_eq!(met.of(EntrantId(a), EntrantId(b)), 0, "{} and {}", a, b);
                met.add(&[EntrantId(a), EntrantId(b)]);
            }
        }
    }

    #[test]
    fn nobody_sits_at_two_tables_and_whoever_is_in_races_or_waits(
        size in 2u32..40, double: bool, results in prop::collection::vec(any::<bool>(), 90),
    ) {
        let elimination = if double { Elimination::Double } else { Elimination::Single };
        let mut bracket = Bracket::new(field(size), elimination);
        let mut results = results.into_iter();
        let rounds = race(&mut bracket, |_, _| results.next().unwrap_or(true));
        for round in rounds {
            let mut seats: Vec<u32> = round.into_iter().flat_map(|(a, b)| [a, b]).collect();
            seats.sort_unstable();
            prop_assert!(seats.is_sorted_by(|a, b| a < b), "{:?}", seats);
        }
        prop_assert!(bracket.champion().is_some());
    }
}
