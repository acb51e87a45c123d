use super::*;
use proptest::prelude::*;

fn field(size: u32) -> Vec<EntrantId> {
    (0..size).map(EntrantId).collect()
}

#[test]
fn a_lot_is_the_seed_s_for_ever_and_not_the_list_s() {
    let seed: Seed = "golden".parse().unwrap();
    let mut list = field(8);
    let order = order_by_lot(&list, &seed);
    assert_eq!(order.iter().map(|it| it.0).collect::<Vec<_>>(), GOLDEN_LOT);
    list.reverse();
    assert_eq!(order_by_lot(&list, &seed), order);
}

const GOLDEN_LOT: [u32; 8] = [6, 1, 7, 0, 2, 4, 3, 5];

proptest! {
    #[test]
    fn a_snake_seats_each_once_at_even_tables(size in 1u32..300, table in 2usize..=32) {
        let draw = snake(&field(size), table);
        let sizes: Vec<usize> = draw.tables.iter().map(|table| table.seats.len()).collect();
        prop_assert_eq!(sizes.len(), (size as usize).div_ceil(table));
        prop_assert!(sizes.iter().all(|&seats| seats <= table));
        prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        let mut seated: Vec<EntrantId> = draw.tables.iter().flat_map(|it| it.seats.clone()).collect();
        seated.sort_unstable();
        prop_assert_eq!(seated, field(size));
    }

    #[test]
    fn a_snake_makes_tables_of_like_strength(tables in 2u32..8, lines in 1u32..4) {
        // With an even number of lines the seeds of each table add up alike.
        let draw = snake(&field(2 * lines * tables), 2 * lines as usize);
        let sums: Vec<u32> = draw.tables.iter().map(|it| it.seats.iter().map(|it| it.0).sum()).collect();
        prop_assert!(sums.iter().all(|&sum| sum == sums[0]), "{:?}", sums);
    }
}
