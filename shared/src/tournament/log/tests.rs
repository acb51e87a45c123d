mod corrections;
mod entrants;
mod formats;
mod golden;
mod properties;
mod teams;

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
