use super::*;
use crate::util::seed::Seed;
use proptest::prelude::*;

fn field(size: u32) -> Vec<EntrantId> {
    (0..size).map(EntrantId).collect()
}

fn seats(draw: &RoundDraw) -> Vec<Vec<EntrantId>> {
    draw.tables.iter().map(|table| table.seats.clone()).collect()
}

fn cost(tables: &[Vec<EntrantId>], met: &Meetings) -> u32 {
    let of = |table: &Vec<EntrantId>| -> u32 {
        let pairs =
            table.iter().enumerate().flat_map(|(n, &a)| table[..n].iter().map(move |&b| (a, b)));
        pairs.map(|(a, b)| u32::from(met.of(a, b))).sum()
    };
    tables.iter().map(of).sum()
}

/// Finds the fewest re-meetings of all ways to form tables of these sizes.
fn fewest(left: &[EntrantId], sizes: &[usize], met: &Meetings) -> u32 {
    let Some((&size, rest)) = sizes.split_first() else { return 0 };
    let (first, others) = left.split_first().unwrap();
    let mut best = u32::MAX;
    for bits in 0u32..1 << others.len() {
        if bits.count_ones() as usize != size - 1 {
            continue;
        }
        let chosen = |n: usize| bits >> n & 1 == 1;
        let mut table = vec![*first];
        table.extend((0..others.len()).filter(|&n| chosen(n)).map(|n| others[n]));
        let left: Vec<EntrantId> =
            (0..others.len()).filter(|&n| !chosen(n)).map(|n| others[n]).collect();
        // Tables of one size are alike: the first left may as well sit at the next.
        best = best.min(cost(&[table], met) + fewest(&left, rest, met));
    }
    best
}

#[test]
fn the_first_round_seats_the_standing_from_the_top() {
    let draw = draw(&field(6), 2, &Meetings::default(), &BTreeMap::new());
    assert_eq!(seats(&draw), [[0, 1], [2, 3], [4, 5]].map(|pair| pair.map(EntrantId).to_vec()));
}

#[test]
fn who_has_met_is_kept_apart_as_near_as_can_be() {
    let mut met = Meetings::default();
    met.add(&[EntrantId(0), EntrantId(1)]);
    met.add(&[EntrantId(4), EntrantId(5)]);
    let draw = draw(&field(6), 2, &met, &BTreeMap::new());
    // The end of the list makes the draw go back: 2 and 3 part for 4 and 5.
    assert_eq!(seats(&draw), [[0, 2], [1, 4], [3, 5]].map(|pair| pair.map(EntrantId).to_vec()));
}

#[test]
fn a_bye_goes_to_the_lowest_of_those_with_the_fewest() {
    let byes = BTreeMap::from([(EntrantId(4), 1)]);
    let draw = draw(&field(5), 2, &Meetings::default(), &byes);
    assert_eq!(draw.walkovers, [Walkover { number: 2, winner: Some(EntrantId(3)), loser: None }]);
}

#[test]
fn a_large_field_is_drawn_without_meeting_again() {
    for (size, table, rounds) in
        [(200, 2, 12), (199, 2, 10), (64, 2, 20), (96, 8, 4), (1_024, 8, 5)]
    {
        let seed: Seed = "swiss".parse().unwrap();
        let mut chance = seed.rng("test", "");
        let (mut met, mut byes) = (Meetings::default(), BTreeMap::new());
        for round in 0..rounds {
            let mut standing = field(size);
            chance.permute(&mut standing);
            let draw = draw(&standing, table, &met, &byes);
            assert_eq!(cost(&seats(&draw), &met), 0, "round {round} of {size} at {table}");
            for table in &draw.tables {
                met.add(&table.seats);
            }
            for walkover in draw.walkovers {
                *byes.entry(walkover.winner.unwrap()).or_default() += 1;
            }
        }
        assert!(byes.values().all(|&count| count == 1), "{byes:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn each_sits_at_one_table_or_has_a_bye(
        size in 2u32..60, table in 2usize..=32, rounds in 1usize..8, seed in "[a-z]{8}",
    ) {
        let seed: Seed = seed.parse().unwrap();
        let mut chance = seed.rng("test", "");
        let (mut met, mut byes) = (Meetings::default(), BTreeMap::new());
        for _ in 0..rounds {
            let mut standing = field(size);
            chance.permute(&mut standing);
            let draw = draw(&standing, table, &met, &byes);
            let mut seen: Vec<EntrantId> = seats(&draw).into_iter().flatten().collect();
            seen.extend(draw.walkovers.iter().filter_map(|walkover| walkover.winner));
            seen.sort_unstable();
            prop_assert_eq!(seen, field(size));
            prop_assert!(draw.tables.iter().all(|it| (2..=table).contains(&it.seats.len())));
            for table in &draw.tables {
                met.add(&table.seats);
            }
            for walkover in draw.walkovers {
                *byes.entry(walkover.winner.unwrap()).or_insert(0u16) += 1;
            }
            let counts: Vec<u16> = field(size).iter().map(|it| byes.get(it).copied().unwrap_or(0)).collect();
            prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1);
        }
    }

    #[test]
    fn in_a_small_field_nobody_meets_again_where_it_can_be_avoided(
        size in 4u32..=9, table in 2usize..=4, rounds in 1usize..9, seed in "[a-z]{8}",
    ) {
        let size = if table == 2 { size / 2 * 2 } else { size };
        let seed: Seed = seed.parse().unwrap();
        let mut chance = seed.rng("test", "");
        let mut met = Meetings::default();
        for _ in 0..rounds {
            let mut standing = field(size);
            chance.permute(&mut standing);
            let drawn = seats(&draw(&standing, table, &met, &BTreeMap::new()));
            let sizes = table_sizes(size as usize, table);
            // The tables may be of two sizes, so that the first left sits at either.
            let orders = [sizes.clone(), sizes.into_iter().rev().collect()];
            let best = orders.iter().map(|sizes| fewest(&field(size), sizes, &met)).min().unwrap();
            prop_assert!(cost(&drawn, &met) <= best, "{:?}: {}", drawn, best);
            for table in drawn {
                met.add(&table);
            }
        }
    }
}
