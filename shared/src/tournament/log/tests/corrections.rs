//! Results that are corrected, boards that are raced again or void, seats that change, and rounds that
//! are drawn again.

use super::*;

#[test]
fn a_corrected_result_changes_all_that_follows_and_says_what_it_throws_away() {
    let mut tournament = begun("knockout", 4);
    tournament.apply(LogEntry::Seed { order: [1, 2, 3, 4].map(EntrantId).to_vec() }).unwrap();
    let first = draw(&mut tournament);
    let key = |round, table| ResultKey { round, table, board: 0, attempt: 0 };
    let result = |key, order: &[u32]| LogEntry::Result { key, result: in_order(order) };
    tournament.apply(result(key(first, 0), &[1, 4])).unwrap();
    tournament.apply(result(key(first, 1), &[2, 3])).unwrap();
    let last = draw(&mut tournament);
    tournament.apply(result(key(last, 2), &[1, 2])).unwrap();
    assert_eq!(tournament.champions(), [EntrantId(1)]);

    // 4 has beaten 1 after all: the final of 1 and 2 is void, and 4 and 2 have to race it.
    let correction = result(key(first, 0), &[4, 1]);
    assert_eq!(tournament.discarded_by(&correction), Ok(vec![key(last, 2)]));
    let before = tournament.clone();
    tournament.apply(correction).unwrap();
    assert!(!tournament.is_over());
    let seats = &tournament.round(last).unwrap().draw.tables[0].seats;
    assert_eq!(*seats, [4, 2].map(EntrantId));
    // Taken back, everything is as it was.
    let entry = tournament.log().len() as u32 - 1;
    tournament.apply(LogEntry::TakeBack { entry }).unwrap();
    assert_eq!(tournament.stages(), before.stages());
    assert_eq!(tournament.champions(), [EntrantId(1)]);
    // And that can be taken back itself.
    let entry = tournament.log().len() as u32 - 1;
    tournament.apply(LogEntry::TakeBack { entry }).unwrap();
    assert!(!tournament.is_over());
    assert_eq!(
        tournament.apply(LogEntry::TakeBack { entry }),
        Err(LogEntryError::NoSuchEntry(entry))
    );
    // A correction that changes nothing of what follows throws nothing away.
    let harmless = result(key(first, 1), &[2, 3]);
    assert_eq!(tournament.discarded_by(&harmless), Ok(vec![]));
}

#[test]
fn a_board_that_is_raced_again_has_a_higher_attempt_and_the_old_result_is_void() {
    let mut tournament = begun("heats:2/1+final:1", 4);
    let round = draw(&mut tournament);
    race_round(&mut tournament, round, &mut chance("replay"));
    let last = draw(&mut tournament);
    race_round(&mut tournament, last, &mut chance("replay"));
    assert!(tournament.is_over());
    let replay = LogEntry::Replay { round, table: Some(1), board: None, attempt: 1 };
    let old = ResultKey { round, table: 1, board: 0, attempt: 0 };
    let discarded = tournament.discarded_by(&replay).unwrap();
    assert!(discarded.contains(&old) && discarded.len() == 2, "{discarded:?}");
    let before = tournament.clone();
    tournament.apply(replay).unwrap();
    assert_eq!(open_boards(&tournament, round), [ResultKey { attempt: 1, ..old }]);
    let result = before.round(round).unwrap().result(1, 0).unwrap().clone();
    assert_eq!(
        tournament.apply(LogEntry::Result { key: old, result: result.clone() }),
        Err(LogEntryError::OtherAttempt { expected: 1, found: 0 })
    );
    // The same outcome again: what followed stands as it did.
    let key = ResultKey { attempt: 1, ..old };
    tournament.apply(LogEntry::Result { key, result }).unwrap();
    assert!(tournament.is_over());
    assert_eq!(tournament.standings(), before.standings());
}

#[test]
fn a_match_with_a_void_board_has_its_points_all_the_same() {
    let mut tournament = begun("swiss:2x1:bo3", 2);
    let round = draw(&mut tournament);
    tournament.apply(LogEntry::Void { round, board: 0 }).unwrap();
    for (board, order) in [(1, [1, 2]), (2, [2, 1])] {
        let key = ResultKey { round, table: 0, board, attempt: 0 };
        tournament.apply(LogEntry::Result { key, result: in_order(&order) }).unwrap();
    }
    assert!(tournament.is_over());
    let points: Vec<u32> = tournament.standings().iter().map(|row| row.score.points()).collect();
    assert_eq!(points, [1, 1]);
}

#[test]
fn tables_that_are_replayed_at_different_times_never_share_a_seed() {
    let mut tournament = begun("heats:4/2+final:1", 8);
    let round = draw(&mut tournament);
    let replay = |table, attempt| LogEntry::Replay { round, table, board: None, attempt };
    tournament.apply(replay(Some(0), tournament.next_attempt(round))).unwrap();
    let used = LogEntryError::UsedAttempt { round, least: 2 };
    assert_eq!(tournament.apply(replay(Some(1), 1)), Err(used));
    assert_eq!(tournament.apply(draw_of(round, 1, Vec::new())), Err(used));
    tournament.apply(replay(Some(1), tournament.next_attempt(round))).unwrap();
    let attempts = [0, 1].map(|table| tournament.attempt(round, table, 0));
    assert_eq!(attempts, [Some(1), Some(2)]);
    // An attempt that was taken back is known: it is never used again.
    let entry = tournament.log().len() as u32 - 1;
    tournament.apply(LogEntry::TakeBack { entry }).unwrap();
    assert_eq!(tournament.attempt(round, 1, 0), Some(0));
    assert_eq!(tournament.next_attempt(round), 3);
    // A whole round again has one attempt, and so one board and one GO.
    tournament.apply(replay(None, 3)).unwrap();
    assert_eq!([0, 1].map(|table| tournament.attempt(round, table, 0)), [Some(3); 2]);
}

#[test]
fn an_organiser_moves_an_entrant_from_one_table_to_another() {
    let mut tournament = begun("heats:4/2+final:1", 8);
    let round = draw(&mut tournament);
    let seats = |tournament: &Tournament, table: usize| {
        tournament.round(round).unwrap().draw.tables[table].seats.clone()
    };
    let [first, second] = [0, 1].map(|table| seats(&tournament, table));
    let moved = first[0];
    let seat = LogEntry::Seat { round, table: 1, entrant: moved };
    let refused = Err(LogEntryError::Seat(SeatError::InRound(moved)));
    assert_eq!(tournament.apply(seat.clone()), refused);
    tournament.apply(LogEntry::Unseat { round, entrant: moved }).unwrap();
    tournament.apply(seat.clone()).unwrap();
    assert_eq!(seats(&tournament, 0), first[1..]);
    assert_eq!(seats(&tournament, 1), [&second[..], &[moved]].concat());
    // Both tables are raced, and the log gives the same when it is folded as a whole.
    race_round(&mut tournament, round, &mut chance("seat"));
    assert_eq!(Tournament::fold(tournament.plan().clone(), tournament.log().to_vec()), tournament);
    let refused = Err(LogEntryError::Seat(SeatError::NoOpenTable));
    assert_eq!(tournament.apply(LogEntry::Unseat { round, entrant: moved }), refused);
    check(&tournament);

    // A table keeps two, and the sides of a match are the bracket's.
    let mut small = begun("series:1", 2);
    let round = draw(&mut small);
    let unseat = LogEntry::Unseat { round, entrant: EntrantId(1) };
    assert_eq!(small.apply(unseat), Err(LogEntryError::Seat(SeatError::TooFewLeft)));
    let mut bracket = begun("knockout", 4);
    let round = draw(&mut bracket);
    let unseat = LogEntry::Unseat { round, entrant: EntrantId(1) };
    assert_eq!(bracket.apply(unseat), Err(LogEntryError::Seat(SeatError::IsMatch)));
}

#[test]
fn a_result_with_an_entrant_who_lost_the_seat_does_not_count() {
    let mut tournament = begun("series:2", 3);
    let round = draw(&mut tournament);
    let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
    tournament.apply(LogEntry::Result { key, result: in_order(&[1, 2, 3]) }).unwrap();
    let unseat = LogEntry::Unseat { round, entrant: EntrantId(2) };
    assert_eq!(tournament.discarded_by(&unseat), Ok(vec![key]));
    tournament.apply(unseat).unwrap();
    assert_eq!(tournament.round(round).unwrap().result(0, 0), None);
    tournament.apply(LogEntry::Result { key, result: in_order(&[1, 3]) }).unwrap();
    assert!(tournament.round(round).unwrap().result(0, 0).is_some());
}

#[test]
fn a_table_of_an_arena_is_not_replayed_while_its_entrants_race_elsewhere() {
    let mut tournament = begun("arena:2x20m", 4);
    let all = || (1..=4).map(EntrantId).collect::<Vec<_>>();
    let mut drawn = Vec::new();
    for _ in 0..2 {
        let round = tournament.next_draw().unwrap();
        tournament.apply(draw_of(round, 0, all())).unwrap();
        drawn.push(round);
        if drawn.len() == 1 {
            race_round(&mut tournament, round, &mut chance("arena"));
        }
    }
    let replay = LogEntry::Replay { round: drawn[0], table: Some(0), board: None, attempt: 1 };
    let before = tournament.clone();
    assert!(matches!(tournament.apply(replay.clone()), Err(LogEntryError::Racing(_))));
    assert_eq!(tournament, before);
    race_round(&mut tournament, drawn[1], &mut chance("arena"));
    tournament.apply(replay).unwrap();
    check(&tournament);
}

#[test]
fn a_void_board_counts_for_nobody_but_an_average_needs_it() {
    let mut tournament = begun("series:3", 3);
    let round = draw(&mut tournament);
    let key = |board| ResultKey { round, table: 0, board, attempt: 0 };
    for (board, order) in [(0, [1, 2, 3]), (1, [3, 2, 1]), (2, [1, 2, 3])] {
        let result = in_order(&order);
        tournament.apply(LogEntry::Result { key: key(board), result }).unwrap();
    }
    let void = LogEntry::Void { round, board: 1 };
    assert_eq!(tournament.discarded_by(&void), Ok(vec![key(1)]));
    tournament.apply(void).unwrap();
    let points: Vec<u32> = tournament.standings().iter().map(|row| row.score.points()).collect();
    assert_eq!(points, [6, 4, 2]);
    assert!(tournament.is_over());
    tournament.apply(LogEntry::Void { round, board: 0 }).unwrap();
    assert_eq!(
        tournament.apply(LogEntry::Void { round, board: 2 }),
        Err(LogEntryError::NoBoardLeft)
    );

    let mut average = begun("ao5", 3);
    let round = draw(&mut average);
    assert_eq!(
        average.apply(LogEntry::Void { round, board: 1 }),
        Err(LogEntryError::VoidInAverage)
    );
}

#[test]
fn a_bye_brings_nothing_for_a_void_board() {
    let mut tournament = begun("swiss:2x1:3:linear", 3);
    let round = draw(&mut tournament);
    tournament.apply(LogEntry::Void { round, board: 1 }).unwrap();
    race_round(&mut tournament, round, &mut chance("bye"));
    let bye = tournament.round(round).unwrap().draw.walkovers[0].winner.unwrap();
    let standings = tournament.standings();
    let row = standings.iter().find(|row| row.entrant == bye).unwrap();
    assert_eq!(row.score, Score::Points(4), "two boards won");
    check(&tournament);
}

#[test]
fn a_round_that_is_drawn_again_takes_a_higher_attempt_and_other_tables() {
    let mut tournament = begun("heats:4/2+final:1", 16);
    let round = draw(&mut tournament);
    let before = tournament.round(round).unwrap().draw.clone();
    assert_eq!(
        tournament.apply(draw_of(round, 0, Vec::new())),
        Err(LogEntryError::UsedAttempt { round, least: 1 })
    );
    tournament.apply(draw_of(round, 1, Vec::new())).unwrap();
    assert_ne!(tournament.round(round).unwrap().draw, before);
    assert_eq!(tournament.attempt(round, 0, 0), Some(1));
    assert_eq!(Tournament::fold(tournament.plan().clone(), tournament.log().to_vec()), tournament);
}
