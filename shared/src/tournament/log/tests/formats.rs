//! Each format from its first draw to its end.

use super::*;

const FIELDS: [u32; 20] =
    [2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 48, 64, 65, 100, 129, 200];

fn log2(field: u32) -> usize {
    field.next_power_of_two().ilog2() as usize
}

#[test]
fn every_format_comes_to_its_end_in_as_many_rounds_as_it_should() {
    let heats = |mut field: u32, table: u32, top: u32| {
        let mut rounds = 0;
        while field > table {
            field = field.div_ceil(table) * top;
            rounds += 1;
        }
        rounds
    };
    let mut chance = chance("formats");
    for field in FIELDS {
        let n = field as usize;
        let mut plans = vec![
            ("series:5:f1", 1..=1),
            ("ao5", 1..=1),
            ("heats:8/2+final:3", heats(field, 8, 2) + 1..=heats(field, 8, 2) + 1),
            ("heats:32/8+final:5", heats(field, 32, 8) + 1..=heats(field, 32, 8) + 1),
            ("swiss:2x4:bo3", 4..=4),
            ("swiss:8x5/8+final:3", 6..=6),
            ("knockout:bo3", log2(field)..=log2(field)),
            ("double", 2 * log2(field)..=2 * log2(field) + 1),
        ];
        if n <= 32 {
            plans.push(("roundrobin", n - 1 + n % 2..=n - 1 + n % 2));
        }
        if n <= 64 {
            plans.push(("lastout:3", (n - 1).div_ceil(3)..=(n - 1).div_ceil(3)));
        }
        for (plan, expected) in plans {
            let mut tournament = begun(plan, field);
            let rounds = race_all(&mut tournament, &mut chance);
            assert!(expected.contains(&rounds), "{plan} of {field}: {rounds}");
            check(&tournament);
            assert_eq!(tournament.standings().len(), n, "{plan} of {field}");
            assert!(!tournament.champions().is_empty(), "{plan} of {field}");
        }
    }
}

#[test]
fn the_points_of_a_series_add_up() {
    let mut tournament = begun("series:5", 9);
    let round = draw(&mut tournament);
    let mut expected = 0;
    while let Some(&key) = open_boards(&tournament, round).first() {
        let result = race(&tournament, key, &mut chance("points"));
        let finished = result.rows.iter().filter(|(_, it)| it.has_finished()).count() as u32;
        expected += (0..finished).map(|place| 9 - place).sum::<u32>();
        tournament.apply(LogEntry::Result { key, result }).unwrap();
    }
    let total: u32 = tournament.standings().iter().map(|row| row.score.points()).sum();
    assert_eq!(total, expected);
}

#[test]
fn a_final_to_which_neither_side_comes_has_no_champion() {
    let mut tournament = begun("knockout", 2);
    let round = draw(&mut tournament);
    let key = open_boards(&tournament, round)[0];
    tournament.apply(LogEntry::Result { key, result: BoardResult::default() }).unwrap();
    assert!(tournament.is_over());
    assert_eq!(tournament.champions(), []);
    assert_eq!(tournament.standings().iter().map(|row| row.place).collect::<Vec<_>>(), [2, 2]);
}

#[test]
fn the_first_round_of_a_swiss_stage_goes_by_the_seeds_and_without_any_by_lot() {
    let tables = |order: &[u32], plan: &str, field: u32| {
        let mut tournament = begun(plan, field);
        if !order.is_empty() {
            let order = order.iter().copied().map(EntrantId).collect();
            tournament.apply(LogEntry::Seed { order }).unwrap();
        }
        let round = draw(&mut tournament);
        let draw = tournament.round(round).unwrap().draw.clone();
        let seats = draw.tables.iter().map(|table| table.seats.iter().map(|it| it.0).collect());
        (seats.collect::<Vec<Vec<u32>>>(), draw.walkovers.first().and_then(|it| it.winner))
    };
    let seeds = [7, 6, 5, 4, 3, 2, 1];
    let (pairs, bye) = tables(&seeds, "swiss:2x3", 7);
    // The first half against the second, and the last has the bye.
    assert_eq!(pairs, [[7, 4], [6, 3], [5, 2]]);
    assert_eq!(bye, Some(EntrantId(1)));
    assert_eq!(tables(&seeds, "swiss:4x3", 7).0, [vec![7, 5, 3, 1], vec![6, 4, 2]]);
    assert_ne!(tables(&[], "swiss:2x3", 7).0, [[1, 4], [2, 5], [3, 6]]);
}

#[test]
fn the_tables_of_an_arena_form_while_others_race_and_its_end_lets_them_finish() {
    let mut tournament = begun("arena:2x20m", 5);
    let ids = |list: &[u32]| list.iter().copied().map(EntrantId).collect::<Vec<_>>();
    let draw_these = |tournament: &mut Tournament, waiting: &[u32]| {
        let round = tournament.next_draw().unwrap();
        tournament.apply(draw_of(round, 0, ids(waiting))).map(|()| round)
    };
    let first = draw_these(&mut tournament, &[1, 2, 3, 4]).unwrap();
    assert_eq!(tournament.round(first).unwrap().draw.tables.len(), 2);
    assert_eq!(draw_these(&mut tournament, &[5, 1]), Err(LogEntryError::Racing(EntrantId(1))));
    let table = tournament.round(first).unwrap().draw.tables[0].clone();
    let key = ResultKey { round: first, table: table.number, board: 0, attempt: 0 };
    let result = race(&tournament, key, &mut chance("arena"));
    tournament.apply(LogEntry::Result { key, result }).unwrap();
    let second = draw_these(&mut tournament, &[5, table.seats[0].0]).unwrap();
    tournament.apply(LogEntry::EndStage { stage: 0 }).unwrap();
    assert_eq!(tournament.next_draw(), None);
    assert!(!tournament.is_over());
    for round in [second, first] {
        race_round(&mut tournament, round, &mut chance("arena"));
    }
    assert!(tournament.is_over());
    assert_eq!(tournament.standings().len(), 5);
    assert_eq!(Tournament::fold(tournament.plan().clone(), tournament.log().to_vec()), tournament);
}

#[test]
fn the_disqualified_take_no_place_of_a_cut() {
    let mut tournament = begun("swiss:2x2/2+final:1", 4);
    while tournament.next_draw().is_some_and(|round| round.stage == 0) {
        let round = draw(&mut tournament);
        race_round(&mut tournament, round, &mut chance("cut"));
    }
    let first = tournament.standings()[0].entrant;
    tournament.apply(LogEntry::Disqualify { entrant: first }).unwrap();
    let left: Vec<EntrantId> = tournament.standings().iter().map(|row| row.entrant).collect();
    draw(&mut tournament);
    assert_eq!(tournament.stages()[1].field(), &left[..2]);
}

#[test]
fn one_who_is_alone_at_a_table_has_a_board_to_start() {
    let mut tournament = begun("heats:2/1:bo3+final:3", 3);
    let round = draw(&mut tournament);
    let tables = &tournament.round(round).unwrap().draw.tables;
    let alone = tables.iter().find(|table| table.seats.len() == 1).unwrap().clone();
    let open = open_boards(&tournament, round);
    let key = open.into_iter().find(|key| key.table == alone.number).unwrap();
    let result = race(&tournament, key, &mut chance("alone"));
    tournament.apply(LogEntry::Result { key, result }).unwrap();
    assert!(open_boards(&tournament, round).iter().all(|key| key.table != alone.number));
}
