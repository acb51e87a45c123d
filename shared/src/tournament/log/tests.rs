mod entrants;
mod golden;
mod properties;

use super::*;
use crate::tournament::draw_commitment::{DrawKey, TournamentSecret};
use crate::tournament::plan::{FieldError, TournamentStage};
use crate::tournament::result::{BoardOutcome, BoardResult};
use crate::tournament::score::{Score, ScoreRule};
use crate::tournament::stage_state::DrawError;
use crate::tournament::stage_state::seats::SeatError;
use crate::util::seed::{PortableRng, Seed};
use crate::util::time::Millis;
use std::collections::BTreeMap;

const FIELDS: [u32; 20] =
    [2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 48, 64, 65, 100, 129, 200];

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
        let counting = (0..*boards).filter(|board| !round.is_void(*board));
        let boards_won = if is_match { 1 } else { counting.clone().count() as u32 };
        expected += walkovers * boards_won * points(1, seats);
        for table in &round.draw.tables {
            let results = counting.clone().filter_map(|board| round.result(table.number, board));
            let finished = results
                .clone()
                .map(|result| result.rows.iter().filter(|(_, it)| it.has_finished()).count());
            if is_match {
                let rows = results.flat_map(|result| &result.rows);
                let started: BTreeSet<EntrantId> =
                    rows.filter(|(_, it)| it.has_started()).map(|(entrant, _)| *entrant).collect();
                // Whose rival is absent or disqualified wins without finishing.
                let won = finished.sum::<usize>() + usize::from(started.len() == 1);
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
fn teams_add_up_places_where_points_are_of_different_stages_or_rounds() {
    for plan in ["series/2:1:f1+final:1:linear@teams:2", "lastout:2:f1@teams:2"] {
        let mut tournament = Tournament::new(plan.parse().unwrap());
        for (id, team) in [(1, "RED"), (2, "RED"), (3, "BLUE"), (4, "BLUE")] {
            let (entrant, team) = (EntrantId(id), team.parse().ok());
            tournament.apply(LogEntry::Enter { entrant, team }).unwrap();
            tournament.apply(LogEntry::CheckIn { entrant }).unwrap();
        }
        for order in [&[1, 2, 3, 4][..], &[1, 2]] {
            let round = draw(&mut tournament);
            let key = ResultKey { round, table: 0, board: 0, attempt: 0 };
            tournament.apply(LogEntry::Result { key, result: in_order(order) }).unwrap();
        }
        let teams = tournament.team_standings().unwrap();
        let scores: Vec<(String, Score)> =
            teams.iter().map(|row| (row.team.to_string(), row.score)).collect();
        // RED has the first two places, with 3 points of the final; BLUE has 27 of the first stage.
        let [red, blue] = ["RED", "BLUE"].map(str::to_owned);
        assert_eq!(scores, [(red, Score::Places(3)), (blue, Score::Places(7))], "{plan}");
    }
}

#[test]
fn teams_add_up_places_in_a_bracket() {
    let mut tournament = Tournament::new("double:bo1@teams:1".parse().unwrap());
    for id in 1..=4 {
        let (entrant, team) = (EntrantId(id), format!("T{id}").parse().ok());
        tournament.apply(LogEntry::Enter { entrant, team }).unwrap();
        tournament.apply(LogEntry::CheckIn { entrant }).unwrap();
    }
    while !tournament.is_over() {
        let round = draw(&mut tournament);
        for table in tournament.round(round).unwrap().draw.tables.clone() {
            let key = ResultKey { round, table: table.number, board: 0, attempt: 0 };
            let mut seats: Vec<u32> = table.seats.iter().map(|it| it.0).collect();
            seats.sort_unstable();
            tournament.apply(LogEntry::Result { key, result: in_order(&seats) }).unwrap();
        }
    }
    let teams = tournament.team_standings().unwrap();
    assert_eq!(teams[0].team.to_string(), "T1");
    assert!(teams.iter().all(|row| matches!(row.score, Score::Places(_))), "{teams:?}");
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
