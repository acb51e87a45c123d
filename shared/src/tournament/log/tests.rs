mod golden;

use super::*;
use crate::tournament::draw_commitment::TournamentSecret;
use crate::tournament::plan::TournamentStage;
use crate::tournament::result::BoardOutcome;
use crate::util::seed::PortableRng;
use crate::util::time::Millis;
use proptest::prelude::*;

const FIELDS: [u32; 20] =
    [2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 48, 64, 65, 100, 129, 200];

fn secret() -> TournamentSecret {
    TournamentSecret::from_entropy([7; 32])
}

/// Begins a tournament in which all have checked in.
fn begun(plan: &str, field: u32) -> Tournament {
    let mut tournament = Tournament::new(plan.parse().unwrap());
    for entrant in (1..=field).map(EntrantId) {
        tournament.apply(LogEntry::Enter { entrant, team: None }).unwrap();
        tournament.apply(LogEntry::CheckIn { entrant }).unwrap();
    }
    tournament
}

fn draw_of(round: RoundKey, attempt: u16, waiting: Vec<EntrantId>) -> LogEntry {
    let key = DrawKey { round, attempt };
    LogEntry::Draw { key, seed: secret().draw_seed(key), waiting }
}

fn draw(tournament: &mut Tournament) -> RoundKey {
    let round = tournament.next_draw().expect("a round to draw");
    tournament.apply(draw_of(round, 0, Vec::new())).unwrap();
    round
}

/// Returns the open boards of a round.
fn open_boards(tournament: &Tournament, round: RoundKey) -> Vec<ResultKey> {
    let Some(state) = tournament.round(round) else { return Vec::new() };
    let stage = &tournament.stages()[usize::from(round.stage)];
    let mut open = Vec::new();
    for table in state.draw.tables.iter().filter(|it| !stage.is_table_complete(state, it)) {
        for board in 0..stage.stage().boards {
            if state.result(table.number, board).is_none() && !state.is_void(board) {
                let attempt = tournament.attempt(round, table.number, board).unwrap();
                open.push(ResultKey { round, table: table.number, board, attempt });
            }
        }
    }
    open
}

/// Makes a result in which the lower numbers tend to be faster.
fn race(tournament: &Tournament, key: ResultKey, chance: &mut PortableRng) -> BoardResult {
    let table = tournament.round(key.round).unwrap().draw.table(key.table).unwrap();
    let outcome = |&entrant: &EntrantId| {
        let time = Millis(u64::from(1_000 + 100 * entrant.0 + chance.below(2_000)));
        let outcome = match chance.below(20) {
            0 => BoardOutcome::Dnf { progress: chance.below(1_000) as u16 },
            _ => BoardOutcome::Finished { time },
        };
        (entrant, outcome)
    };
    let mut rows: Vec<_> = table.seats.iter().map(outcome).collect();
    rows.sort_by_key(|(_, outcome)| outcome.order());
    BoardResult { rows }
}

/// Makes a result of these in this order, a second between any two.
fn in_order(order: &[u32]) -> BoardResult {
    let row = |(place, &id): (u64, &u32)| {
        (EntrantId(id), BoardOutcome::Finished { time: Millis(1_000 * place) })
    };
    BoardResult { rows: (1..).zip(order).map(row).collect() }
}

fn chance(seed: &str) -> PortableRng {
    seed.parse::<Seed>().unwrap().rng("test", "")
}

/// Races a round to its end, the boards of a table one after another.
fn race_round(tournament: &mut Tournament, round: RoundKey, chance: &mut PortableRng) {
    while let Some(&key) = open_boards(tournament, round).first() {
        let result = race(tournament, key, chance);
        tournament.apply(LogEntry::Result { key, result }).unwrap();
    }
}

/// Races a tournament to its end, and returns the number of its rounds.
fn race_all(tournament: &mut Tournament, chance: &mut PortableRng) -> usize {
    let mut rounds = 0;
    while tournament.next_draw().is_some() {
        let round = draw(tournament);
        race_round(tournament, round, chance);
        rounds += 1;
    }
    assert!(tournament.is_over());
    rounds
}

fn log2(field: u32) -> usize {
    field.next_power_of_two().ilog2() as usize
}

/// Checks what holds in every tournament.
fn check(tournament: &Tournament) {
    for stage in tournament.stages() {
        for round in stage.rounds() {
            let mut seats: Vec<EntrantId> =
                round.draw.tables.iter().flat_map(|table| table.seats.clone()).collect();
            let is_bracket = matches!(stage.stage().format, Format::Knockout | Format::Double);
            if !is_bracket {
                // In a bracket one draw may hold walkovers of several levels.
                seats.extend(round.draw.walkovers.iter().filter_map(|it| it.winner));
            }
            seats.extend(&round.draw.resting);
            let unique: BTreeSet<EntrantId> = seats.iter().copied().collect();
            assert_eq!(unique.len(), seats.len(), "two seats in a round");
            assert!(seats.iter().all(|entrant| stage.field().contains(entrant)));
        }
    }
    for stage in tournament.stages() {
        check_points(stage);
        check_byes(stage);
    }
    let standings = tournament.standings();
    let unique: BTreeSet<EntrantId> = standings.iter().map(|row| row.entrant).collect();
    assert_eq!(unique.len(), standings.len(), "two places of one entrant");
    assert!(standings.is_sorted_by_key(|row| row.place));
    for (listed, row) in standings.iter().enumerate() {
        assert!(usize::from(row.place) <= listed + 2, "{standings:?}");
    }
}

/// Checks that the points of a stage are those that its boards and walkovers brought in.
fn check_points(stage: &StageState) {
    let TournamentStage { format, score, boards, .. } = stage.stage();
    let is_bracket = matches!(format, Format::Knockout | Format::Double);
    let adds_up = matches!(score, ScoreRule::Points(_) | ScoreRule::BestOf);
    // At several tables that are ranked as one, equal times share the better place.
    let is_one_table = stage.field().len() <= 32 || !format.ranks_together();
    if is_bracket || !adds_up || !is_one_table {
        return;
    }
    // The points of the first places of a board, or of the winner of a match.
    let points = |places: usize, seats: usize| -> u32 {
        if let ScoreRule::Points(table) = score {
            (1..=places as u16).map(|place| table.of(place, seats)).sum()
        } else {
            2 * u32::from(places > 0)
        }
    };
    let mut expected = 0;
    for round in stage.rounds() {
        let is_match = *score == ScoreRule::BestOf;
        let seats = round.draw.tables.iter().map(|table| table.seats.len()).max().unwrap_or(2);
        let walkovers = round.draw.walkovers.iter().filter(|it| it.winner.is_some()).count() as u32;
        let boards_won = if is_match { 1 } else { u32::from(*boards) };
        expected += walkovers * boards_won * points(1, seats);
        for table in &round.draw.tables {
            let counting = (0..*boards).filter(|board| !round.is_void(*board));
            let results = counting.filter_map(|board| round.result(table.number, board));
            let finished = results
                .map(|result| result.rows.iter().filter(|(_, it)| it.has_finished()).count());
            if is_match {
                let won = finished.sum::<usize>();
                // Both sides' points of a match that is over and that anybody won.
                let is_over = stage.is_table_complete(round, table);
                expected += points(if is_over { won } else { 0 }, seats);
            } else {
                expected += finished.map(|places| points(places, seats)).sum::<u32>();
            }
        }
    }
    let total: u32 = stage.ranking().iter().map(|row| row.score.points()).sum();
    assert_eq!(total, expected, "{format:?}");
}

/// Checks that nobody has a second bye in a Swiss stage before all whom it could have been given had
/// one.
fn check_byes(stage: &StageState) {
    if !matches!(stage.stage().format, Format::Swiss { .. }) {
        return;
    }
    let mut had: BTreeMap<EntrantId, u16> = BTreeMap::new();
    for round in stage.rounds() {
        let fewest = round.entering.iter().map(|it| had.get(it).copied().unwrap_or(0)).min();
        for winner in round.draw.walkovers.iter().filter_map(|walkover| walkover.winner) {
            let count = had.entry(winner).or_default();
            assert_eq!(Some(*count), fewest, "a second bye of {winner}");
            *count += 1;
        }
    }
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
fn one_entrant_or_none_is_no_tournament() {
    for field in [0, 1] {
        let mut tournament = begun("knockout", field);
        let round = RoundKey { stage: 0, round: 0 };
        let refused = tournament.apply(draw_of(round, 0, Vec::new()));
        let found = field as usize;
        assert_eq!(refused, Err(LogEntryError::Field(FieldError::Entrants { found })));
        assert!(tournament.stages().is_empty() && !tournament.is_over());
    }
}

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
fn who_is_absent_twice_in_a_row_is_drawn_no_more_until_they_check_in() {
    let mut tournament = begun("swiss:4x4", 4);
    let absent = EntrantId(4);
    for _ in 0..2 {
        assert!(tournament.is_present(absent));
        let round = draw(&mut tournament);
        let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
        // Who has no row did not start.
        tournament.apply(LogEntry::Result { key, result: in_order(&[1, 2, 3]) }).unwrap();
    }
    assert!(!tournament.is_present(absent));
    let round = draw(&mut tournament);
    assert_eq!(tournament.round(round).unwrap().draw.tables[0].seats.len(), 3);
    race_round(&mut tournament, round, &mut chance("absent"));
    tournament.apply(LogEntry::CheckIn { entrant: absent }).unwrap();
    let round = draw(&mut tournament);
    assert_eq!(tournament.round(round).unwrap().draw.tables[0].seats.len(), 4);
    assert_eq!(tournament.standings().len(), 4);
}

#[test]
fn who_comes_late_begins_with_nothing_until_the_first_cut() {
    let late = EntrantId(9);
    let enter = LogEntry::Enter { entrant: late, team: None };
    // A series seats them at once.
    let mut series = begun("series:2", 3);
    let round = draw(&mut series);
    let key = |board| ResultKey { round, table: 0, board, attempt: 0 };
    series.apply(LogEntry::Result { key: key(0), result: in_order(&[1, 2, 3]) }).unwrap();
    series.apply(enter.clone()).unwrap();
    series.apply(LogEntry::CheckIn { entrant: late }).unwrap();
    series.apply(LogEntry::Result { key: key(1), result: in_order(&[9, 1, 2, 3]) }).unwrap();
    let standings = series.standings();
    let points = |id| standings.iter().find(|row| row.entrant == EntrantId(id)).unwrap().score;
    assert_eq!(points(9).points(), 4);
    assert_eq!(points(1).points(), 7);
    assert_eq!(Tournament::fold(series.plan().clone(), series.log().to_vec()), series);

    // A Swiss stage draws them from the next round on; heats and brackets take nobody once drawn.
    for (plan, taken) in [
        ("swiss:4x3", true),
        // All seats of both tables are taken.
        ("heats:2/1+final:1", false),
        ("knockout", false),
        ("roundrobin", false),
    ] {
        let mut tournament = begun(plan, 4);
        let round = draw(&mut tournament);
        let expected = if taken { Ok(()) } else { Err(LogEntryError::EntriesClosed) };
        assert_eq!(tournament.apply(enter.clone()), expected, "{plan}");
        if taken {
            tournament.apply(LogEntry::CheckIn { entrant: late }).unwrap();
            race_round(&mut tournament, round, &mut chance("late"));
            let round = draw(&mut tournament);
            assert!(tournament.round(round).unwrap().entering.contains(&late));
        }
    }
    // Heats have a free seat until the first cut.
    let mut heats = begun("heats:4/1+final:1", 7);
    let round = draw(&mut heats);
    heats.apply(enter.clone()).unwrap();
    heats.apply(LogEntry::CheckIn { entrant: late }).unwrap();
    let seats = |heats: &Tournament| {
        let tables = heats.round(round).unwrap().draw.tables.clone();
        tables.into_iter().map(|table| table.seats.len()).collect::<Vec<_>>()
    };
    assert_eq!(seats(&heats), [4, 4]);
    let another = LogEntry::Enter { entrant: EntrantId(10), team: None };
    assert_eq!(heats.apply(another), Err(LogEntryError::EntriesClosed));
    race_round(&mut heats, round, &mut chance("late"));
    assert_eq!(Tournament::fold(heats.plan().clone(), heats.log().to_vec()), heats);
    // After a cut nobody gets in.
    let mut cut = begun("series/2:1+final:1", 4);
    let round = draw(&mut cut);
    race_round(&mut cut, round, &mut chance("late"));
    draw(&mut cut);
    assert_eq!(cut.apply(enter), Err(LogEntryError::EntriesClosed));
}

#[test]
fn who_withdraws_is_drawn_no_more_and_keeps_the_place() {
    let mut tournament = begun("lastout:1", 4);
    let round = draw(&mut tournament);
    let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
    tournament.apply(LogEntry::Result { key, result: in_order(&[1, 2, 3, 4]) }).unwrap();
    tournament.apply(LogEntry::Withdraw { entrant: EntrantId(1) }).unwrap();
    let round = draw(&mut tournament);
    let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
    tournament.apply(LogEntry::Result { key, result: in_order(&[3, 2]) }).unwrap();
    let order: Vec<(u32, u16)> =
        tournament.standings().iter().map(|row| (row.entrant.0, row.place)).collect();
    // 3 won the second round, 2 was dropped in it, 1 was through to it, 4 was dropped in the first.
    assert_eq!(order, [(3, 1), (2, 2), (1, 3), (4, 4)]);
    assert_eq!(tournament.champions(), [EntrantId(3)]);
}

#[test]
fn the_disqualified_have_no_place_and_those_behind_move_up() {
    let mut tournament = begun("series:1:f1", 3);
    let round = draw(&mut tournament);
    let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
    tournament.apply(LogEntry::Result { key, result: in_order(&[1, 2, 3]) }).unwrap();
    tournament.apply(LogEntry::Disqualify { entrant: EntrantId(1) }).unwrap();
    let rows: Vec<(u32, u16, u32)> = tournament
        .standings()
        .iter()
        .map(|row| (row.entrant.0, row.place, row.score.points()))
        .collect();
    assert_eq!(rows, [(2, 1, 25), (3, 2, 18)]);
    let entrant = EntrantId(1);
    assert_eq!(
        begun("series:1", 2).apply(LogEntry::CheckIn { entrant: EntrantId(3) }),
        Err(LogEntryError::UnknownEntrant(EntrantId(3)))
    );
    // Taken back, the entrant is the first again.
    let entry = tournament.log().len() as u32 - 1;
    tournament.apply(LogEntry::TakeBack { entry }).unwrap();
    assert_eq!(tournament.champions(), [entrant]);
}

#[test]
fn of_a_match_to_which_neither_came_the_next_opponent_has_a_bye() {
    let mut tournament = begun("knockout", 4);
    let order = [1, 2, 3, 4].map(EntrantId).to_vec();
    tournament.apply(LogEntry::Seed { order }).unwrap();
    let round = draw(&mut tournament);
    let key = |table| ResultKey { round, table, board: 0, attempt: 0 };
    let nobody = BoardResult { rows: Vec::new() };
    tournament.apply(LogEntry::Result { key: key(0), result: nobody }).unwrap();
    tournament.apply(LogEntry::Result { key: key(1), result: in_order(&[3, 2]) }).unwrap();
    assert!(tournament.is_over(), "{:?}", tournament.next_draw());
    assert_eq!(tournament.champions(), [EntrantId(3)]);
    let order: Vec<(u32, u16)> =
        tournament.standings().iter().map(|row| (row.entrant.0, row.place)).collect();
    assert_eq!(order, [(3, 1), (1, 2), (2, 2), (4, 2)]);
}

#[test]
fn a_final_to_which_nobody_comes_is_ended_and_the_stage_before_it_counts() {
    let mut tournament = begun("series/2:1+final:1", 3);
    let round = draw(&mut tournament);
    let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
    tournament.apply(LogEntry::Result { key, result: in_order(&[1, 2, 3]) }).unwrap();
    for entrant in [1, 2].map(EntrantId) {
        tournament.apply(LogEntry::Withdraw { entrant }).unwrap();
    }
    let last = tournament.next_draw().unwrap();
    assert_eq!(
        tournament.apply(draw_of(last, 0, Vec::new())),
        Err(LogEntryError::Draw(DrawError::TooFew))
    );
    assert_eq!(
        tournament.apply(LogEntry::EndStage { stage: 0 }),
        Err(LogEntryError::StageNotRunning(0))
    );
    tournament.apply(LogEntry::EndStage { stage: 1 }).unwrap();
    assert!(tournament.is_over());
    assert_eq!(tournament.champions(), [EntrantId(1)]);
    assert_eq!(Tournament::fold(tournament.plan().clone(), tournament.log().to_vec()), tournament);
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
fn teams_add_up_the_points_of_their_best_members() {
    let mut tournament = Tournament::new("series:1@teams:2".parse().unwrap());
    for (id, team) in [(1, "RED"), (2, "BLUE"), (3, "BLUE"), (4, "RED"), (5, "RED")] {
        let (entrant, team) = (EntrantId(id), team.parse().ok());
        tournament.apply(LogEntry::Enter { entrant, team }).unwrap();
        tournament.apply(LogEntry::CheckIn { entrant }).unwrap();
    }
    let round = draw(&mut tournament);
    let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
    tournament.apply(LogEntry::Result { key, result: in_order(&[1, 2, 3, 4, 5]) }).unwrap();
    let teams: Vec<(String, u32)> = tournament
        .team_standings()
        .unwrap()
        .into_iter()
        .map(|row| (row.team.to_string(), row.score.points()))
        .collect();
    // 5 and 2 points, 4 and 3.
    assert_eq!(teams, [("RED".to_owned(), 7), ("BLUE".to_owned(), 7)]);
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

#[test]
fn what_makes_no_sense_is_refused_and_nothing_changes() {
    let mut tournament = begun("heats:2/1+final:1", 4);
    let round = draw(&mut tournament);
    let other = RoundKey { stage: 1, round: 0 };
    let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
    let stranger = BoardResult { rows: vec![(EntrantId(77), BoardOutcome::Dns)] };
    let seat = tournament.round(round).unwrap().draw.tables[0].seats[0];
    let twice = BoardResult { rows: vec![(seat, BoardOutcome::Dns), (seat, BoardOutcome::Dns)] };
    let entrant = EntrantId(1);
    for (entry, error) in [
        (LogEntry::Enter { entrant, team: None }, LogEntryError::AlreadyEntered(entrant)),
        (LogEntry::Seed { order: vec![] }, LogEntryError::Seeds),
        (
            draw_of(other, 0, vec![]),
            LogEntryError::OtherRound { expected: RoundKey { stage: 0, round: 1 }, found: other },
        ),
        (
            LogEntry::Result { key: ResultKey { round: other, ..key }, result: stranger.clone() },
            LogEntryError::UnknownRound(other),
        ),
        (
            LogEntry::Result { key: ResultKey { table: 9, ..key }, result: stranger.clone() },
            LogEntryError::UnknownBoard(ResultKey { table: 9, ..key }),
        ),
        (
            LogEntry::Result { key: ResultKey { board: 1, ..key }, result: stranger.clone() },
            LogEntryError::UnknownBoard(ResultKey { board: 1, ..key }),
        ),
        (LogEntry::Result { key, result: stranger }, LogEntryError::OtherSeats),
        (LogEntry::Result { key, result: twice }, LogEntryError::OtherSeats),
        (LogEntry::EndStage { stage: 1 }, LogEntryError::StageNotRunning(1)),
        (LogEntry::TakeBack { entry: 99 }, LogEntryError::NoSuchEntry(99)),
    ] {
        let before = tournament.clone();
        assert_eq!(tournament.apply(entry.clone()), Err(error), "{entry:?}");
        assert_eq!(tournament, before);
    }
    race_round(&mut tournament, round, &mut chance("over"));
    race_all(&mut tournament, &mut chance("over"));
    let standings = tournament.standings();
    assert_eq!(tournament.apply(LogEntry::Withdraw { entrant }), Err(LogEntryError::Over));
    let late = LogEntry::Enter { entrant: EntrantId(50), team: None };
    assert_eq!(tournament.apply(late), Err(LogEntryError::Over));
    assert_eq!(tournament.standings(), standings);
}

const PLANS: [&str; 10] = [
    "series:3",
    "ao5",
    "heats:4/2+final:2",
    "swiss:2x3:bo3",
    "swiss:4x3/4+knockout",
    "roundrobin",
    "knockout:bo3",
    "double",
    "lastout:2/3+final:1",
    "arena:2x5m/4+final:1",
];

/// Applies an entry chosen by chance, which often makes no sense.
fn apply_any(tournament: &mut Tournament, chance: &mut PortableRng) {
    let any_entrant = |chance: &mut PortableRng| EntrantId(chance.below(14));
    let rounds: Vec<RoundKey> = (0u8..)
        .zip(tournament.stages())
        .flat_map(|(stage, it)| {
            (0..it.rounds().len() as u16).map(move |round| RoundKey { stage, round })
        })
        .collect();
    let any_round =
        |chance: &mut PortableRng| rounds.get(chance.below(rounds.len() as u32) as usize).copied();
    let latest = rounds.last().copied();
    let entry = match chance.below(40) {
        0 => Some(LogEntry::Enter { entrant: any_entrant(chance), team: None }),
        1 => Some(LogEntry::CheckIn { entrant: any_entrant(chance) }),
        2 if chance.below(3) == 0 => Some(LogEntry::Withdraw { entrant: any_entrant(chance) }),
        3 if chance.below(6) == 0 => Some(LogEntry::Disqualify { entrant: any_entrant(chance) }),
        4 => Some(LogEntry::Seed { order: vec![any_entrant(chance), any_entrant(chance)] }),
        5..=12 => tournament.next_draw().map(|round| {
            let races = tournament.stages().last().map(StageState::open_seats).unwrap_or_default();
            let waiting = (0..14).map(EntrantId).filter(|it| !races.contains(it)).collect();
            draw_of(round, chance.below(2) as u16, waiting)
        }),
        13 if chance.below(4) == 0 => any_round(chance).map(|it| draw_of(it, 2, vec![])),
        14 => any_round(chance).map(|round| {
            let table = Some(chance.below(4) as u16).filter(|_| chance.below(2) == 0);
            let attempt = tournament.next_attempt(round) + chance.below(2) as u16;
            LogEntry::Replay { round, table, board: None, attempt }
        }),
        15 if chance.below(3) == 0 => {
            any_round(chance).map(|round| LogEntry::Void { round, board: 0 })
        }
        20 => latest.map(|round| {
            let (table, entrant) = (chance.below(3) as u16, any_entrant(chance));
            LogEntry::Seat { round, table, entrant }
        }),
        21 if chance.below(2) == 0 => {
            latest.map(|round| LogEntry::Unseat { round, entrant: any_entrant(chance) })
        }
        16 if chance.below(5) == 0 => {
            Some(LogEntry::EndStage { stage: latest.map_or(0, |round| round.stage) })
        }
        17 => Some(LogEntry::TakeBack { entry: chance.below(tournament.log().len() as u32 + 1) }),
        18 | 19 => {
            // A correction, or a result of any round.
            let round = any_round(chance);
            round.and_then(|round| {
                let tables = &tournament.round(round)?.draw.tables;
                let table = tables.get(chance.below(tables.len() as u32) as usize)?.number;
                let attempt = tournament.attempt(round, table, 0)?;
                let key = ResultKey { round, table, board: 0, attempt };
                Some(LogEntry::Result { key, result: race(tournament, key, chance) })
            })
        }
        _ => latest.and_then(|round| {
            let open = open_boards(tournament, round);
            let key = *open.get(chance.below(open.len() as u32) as usize)?;
            let mut result = race(tournament, key, chance);
            if chance.below(8) == 0 {
                result.rows.pop();
            }
            Some(LogEntry::Result { key, result })
        }),
    };
    if let Some(entry) = entry {
        let before = tournament.clone();
        if tournament.apply(entry).is_err() {
            assert_eq!(*tournament, before);
        }
    }
}

fn any_tournament() -> impl Strategy<Value = Tournament> {
    (0..PLANS.len(), "[a-z]{10}", 2u32..12, 0usize..120).prop_map(|(plan, seed, field, steps)| {
        let mut tournament = begun(PLANS[plan], field);
        let mut chance = chance(&seed);
        for _ in 0..steps {
            apply_any(&mut tournament, &mut chance);
        }
        tournament
    })
}

/// Returns a log without one of its entries, which none of it takes back.
fn without(log: &[LogEntry], index: usize) -> Vec<LogEntry> {
    let target = index as u32;
    let kept = log.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, entry)| entry);
    let renumbered = kept.map(|entry| {
        let LogEntry::TakeBack { entry: named } = entry else { return entry.clone() };
        LogEntry::TakeBack { entry: named - u32::from(*named > target) }
    });
    renumbered.collect()
}

/// How many logs a property is tried on: GRIDRACE_TOURNAMENT_LOGS, else a few.
fn logs() -> ProptestConfig {
    let logs = std::env::var("GRIDRACE_TOURNAMENT_LOGS").ok().and_then(|it| it.parse().ok());
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(logs.unwrap_or(96)) }
}

proptest! {
    #![proptest_config(logs())]

    #[test]
    fn one_by_one_entries_give_the_fold_of_the_log(tournament in any_tournament()) {
        check(&tournament);
        // Of a log that was not applied entry by entry, this need not hold in an arena.
        for stage in tournament.stages() {
            prop_assert_eq!(stage.racing_twice(), None, "a seat at two open tables");
        }
        let fold = Tournament::fold(tournament.plan().clone(), tournament.log().to_vec());
        prop_assert_eq!(fold.stages(), tournament.stages());
        prop_assert_eq!(fold.standings(), tournament.standings());
        prop_assert!(fold == tournament);
    }

    #[test]
    fn no_result_counts_twice(tournament in any_tournament()) {
        let counting = tournament.counting_results();
        let boards: BTreeSet<_> = counting.iter().map(|it| (it.round, it.table, it.board)).collect();
        prop_assert_eq!(boards.len(), counting.len());
        // Whatever the log has of results, once more: the last of each key is what counted before.
        let mut log = tournament.log().to_vec();
        let standing: Vec<LogEntry> = effective(&log).into_iter().cloned().collect();
        log.extend(standing.into_iter().filter(|it| matches!(it, LogEntry::Result { .. })));
        let twice = Tournament::fold(tournament.plan().clone(), log);
        prop_assert_eq!(twice.stages(), tournament.stages());
        prop_assert_eq!(twice.standings(), tournament.standings());
    }

    #[test]
    fn to_take_an_entry_back_is_the_log_without_it(tournament in any_tournament(), at: prop::sample::Index) {
        let log = tournament.log();
        let index = at.index(log.len());
        // One that was taken back and isn't any more is named by entries that would name another.
        let named = log.contains(&LogEntry::TakeBack { entry: index as u32 });
        let mut after = tournament.clone();
        if !named
            && !matches!(log[index], LogEntry::TakeBack { .. })
            && after.apply(LogEntry::TakeBack { entry: index as u32 }).is_ok()
        {
            let fold = Tournament::fold(tournament.plan().clone(), without(log, index));
            prop_assert_eq!(after.stages(), fold.stages());
            prop_assert_eq!(after.standings(), fold.standings());
            check(&after);
            // Put in again, where it stood or, of a result, anywhere, it gives the same state.
            if let LogEntry::Result { key, .. } = &log[index] {
                let last = |entry: &&LogEntry| matches!(entry, LogEntry::Result { key: it, .. } if it == key);
                let is_last = log[index + 1..].iter().find(last).is_none();
                let mut again = log.to_vec();
                again.push(LogEntry::TakeBack { entry: index as u32 });
                again.push(log[index].clone());
                if is_last {
                    let again = Tournament::fold(tournament.plan().clone(), again);
                    prop_assert_eq!(again.stages(), tournament.stages());
                }
            }
        }
    }

    #[test]
    fn the_order_of_the_results_of_a_round_doesn_t_matter(
        plan in 0..PLANS.len() - 1, field in 2u32..12, seed in "[a-z]{10}",
    ) {
        let mut chance = chance(&seed);
        let mut tournament = begun(PLANS[plan], field);
        while tournament.next_draw().is_some() {
            let round = draw(&mut tournament);
            let mut results = Vec::new();
            let start = tournament.clone();
            while let Some(&key) = open_boards(&tournament, round).first() {
                let entry = LogEntry::Result { key, result: race(&tournament, key, &mut chance) };
                results.push(entry.clone());
                tournament.apply(entry).unwrap();
            }
            chance.permute(&mut results);
            let mut other = start;
            for entry in results {
                other.apply(entry).unwrap();
            }
            prop_assert_eq!(other.stages(), tournament.stages());
            prop_assert_eq!(other.standings(), tournament.standings());
        }
        check(&tournament);
        prop_assert!(tournament.is_over());
    }

    #[test]
    fn any_log_folds(entries in prop::collection::vec((0u8..13, 0u32..6, 0u16..3), 0..60)) {
        let entry = |(kind, number, small): (u8, u32, u16)| {
            let (entrant, round) = (EntrantId(number), RoundKey { stage: (small % 2) as u8, round: small / 2 });
            let key = ResultKey { round, table: small, board: number as u8, attempt: small };
            match kind {
                0 => LogEntry::Enter { entrant, team: None },
                1 | 2 => LogEntry::CheckIn { entrant },
                3 => LogEntry::Withdraw { entrant },
                4 => LogEntry::Disqualify { entrant },
                5 => draw_of(round, small, (0..6).map(EntrantId).collect()),
                6 => LogEntry::Result { key, result: in_order(&[number, u32::from(small)]) },
                7 => LogEntry::Replay { round, table: Some(small), board: None, attempt: small },
                8 => LogEntry::Void { round, board: number as u8 },
                9 => LogEntry::EndStage { stage: small as u8 },
                10 => LogEntry::Seat { round, table: small, entrant },
                11 => LogEntry::Unseat { round, entrant },
                _ => LogEntry::TakeBack { entry: number },
            }
        };
        let log: Vec<LogEntry> = entries.into_iter().map(entry).collect();
        for plan in PLANS {
            check(&Tournament::fold(plan.parse().unwrap(), log.clone()));
        }
    }
}
