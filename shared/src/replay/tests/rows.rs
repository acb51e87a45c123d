//! Results that don't follow from what happened.

use super::size::race;
use super::tampered::{SKILLS, event, faults, kinds, rewrite};
use super::*;
use crate::heat::options::HintRule;
use crate::heat::standings::RaceState;

fn part(part: Part, expected: &str, found: &str) -> VerifyErrorKind {
    VerifyErrorKind::Row { part, expected: expected.to_owned(), found: found.to_owned() }
}

#[test]
fn a_hint_counts_and_costs() {
    let hint = |replay: &mut Replay| {
        replay.events = rewrite(&replay.events, |n, record| match n {
            0 => vec![event(Millis(0), 1, RacerEvent::Hint), record],
            _ => vec![record],
        });
    };
    let found = kinds("slide:3x3", hint);
    assert!(found.contains(&part(Part::Hints, "1", "0")), "{found:?}");
    assert!(found.contains(&part(Part::Penalty, "0:10.000", "0:00.000")));
    assert!(
        found.iter().any(|kind| matches!(kind, VerifyErrorKind::Row { part: Part::State, .. }))
    );
    let off = kinds("slide:3x3", |replay| {
        hint(replay);
        replay.header.options.hints = HintRule::Off;
    });
    assert_eq!(off, [VerifyErrorKind::RuleViolation(RuleViolation::NoHints)]);
}

#[test]
fn the_end_is_neither_too_late_nor_too_early() {
    let limit = Millis(600_000);
    let late = kinds("slide:3x3", |replay| {
        replay.outcome.ended = limit + Millis(1);
    });
    assert_eq!(late, [VerifyErrorKind::TooLong { limit }]);
    let over = race("slide:3x3", "friday", &SKILLS).outcome.ended;
    for ended in [over + Millis(1), over.since(Millis(1)), limit] {
        let moved = kinds("slide:3x3", |replay| replay.outcome.ended = ended);
        assert!(moved.contains(&VerifyErrorKind::OtherEnd { over }), "{moved:?}");
    }
    let early = kinds("slide:3x3", |replay| replay.outcome.ended = Millis(9));
    assert!(early.contains(&VerifyErrorKind::AfterEnd { ended: Millis(9) }));
    let mut replay = race("slide:3x3", "friday", &SKILLS);
    let mut racers = replay.events.racers().to_vec();
    racers[0].kind = PlayerKind::Human;
    let mut writer = EventLogWriter::new(replay.events.start().clone(), racers).unwrap();
    let (_, first) = replay.events.records().next().unwrap();
    writer.record(first.at, &first.kind).unwrap();
    replay = super::replay(replay.header, writer.finish(), first.at);
    assert_eq!(faults(&replay)[0].kind, VerifyErrorKind::TooShort);
    replay.outcome.ended = limit;
    assert_eq!(faults(&replay), []);
}

#[test]
fn a_move_at_the_time_limit_is_late() {
    let found = kinds("slide:3x3", |replay| {
        replay.events =
            rewrite(&replay.events, |_, record| vec![Record { at: Millis(600_000), ..record }]);
        replay.outcome.ended = Millis(600_000);
    });
    assert_eq!(found[0], VerifyErrorKind::RuleViolation(RuleViolation::Late));
}

#[test]
fn each_part_of_a_row_is_held_against_what_happened() {
    let row = |change: fn(&mut Standing)| {
        kinds("slide:3x3", |replay| {
            change(&mut replay.outcome.standings[1]);
        })
    };
    assert_eq!(row(|row| row.place = 7), [part(Part::Place, "2", "7")]);
    assert_eq!(row(|row| row.progress = 9), [part(Part::Progress, "1000", "9")]);
    assert_eq!(row(|row| row.hints = 1), [part(Part::Hints, "0", "1")]);
    let penalty = row(|row| row.penalty = Millis(1));
    assert_eq!(penalty, [part(Part::Penalty, "0:00.000", "0:00.001")]);
    assert_eq!(row(|row| row.connected = false), [part(Part::Connected, "true", "false")]);
    for change in [(|row: &mut Standing| row.moves.moves += 1) as fn(&mut Standing), |row| {
        row.moves.acts -= 1;
    }] {
        assert!(matches!(row(change)[..], [VerifyErrorKind::Row { part: Part::Moves, .. }]));
    }
    for state in [RaceState::Dnf, RaceState::Racing, RaceState::Finished { time: Millis(5) }] {
        let changed = kinds("slide:3x3", |replay| {
            replay.outcome.standings[1].state = state;
        });
        assert!(matches!(changed[..], [VerifyErrorKind::Row { part: Part::State, .. }]));
    }
    let tally = kinds("link:6x6", |replay| {
        replay.outcome.standings[0].tally = None;
    });
    assert!(matches!(tally[..], [VerifyErrorKind::Row { part: Part::Tally, .. }]));
}

#[test]
fn rows_that_change_places_are_missing_or_are_too_many_are_found() {
    let exchanged = kinds("slide:3x3", |replay| {
        let rows = &mut replay.outcome.standings;
        (rows[0].place, rows[1].place) = (rows[1].place, rows[0].place);
    });
    assert_eq!(exchanged, [part(Part::Place, "1", "2"), part(Part::Place, "2", "1")]);
    let missing = kinds("slide:3x3", |replay| replay.outcome.standings.truncate(2));
    assert_eq!(missing, [VerifyErrorKind::NoRow]);
    let twice = kinds("slide:3x3", |replay| {
        let row = replay.outcome.standings[0].clone();
        replay.outcome.standings.push(row);
    });
    assert_eq!(twice, [VerifyErrorKind::ExtraRow]);
    let strange = kinds("slide:3x3", |replay| {
        replay.outcome.standings[0].player = PlayerId(77);
    });
    assert_eq!(strange, [VerifyErrorKind::ExtraRow, VerifyErrorKind::NoRow]);
}

#[test]
fn players_of_one_time_rank_by_the_order_of_the_queue() {
    let header = header("slide:2x2");
    let start = board(&header);
    let racers = vec![racer(1, PlayerKind::Human), racer(2, PlayerKind::Human)];
    let solve = |order: [u32; 2]| {
        let mut writer = EventLogWriter::new(start.clone(), racers.clone()).unwrap();
        let mut board = start.clone();
        let mut last = None;
        while !board.is_solved() {
            let legal = board.legal_moves();
            let play = legal.into_iter().find(|play| Some(play) != last.as_ref()).unwrap();
            let Board::Slide(before) = board.clone() else { panic!() };
            last = Some(Move::Slide(before.blank()));
            board.play(&play).unwrap();
            for player in order {
                writer
                    .record(
                        Millis(50),
                        &event(Millis(50), player, RacerEvent::Move(play.clone())).kind,
                    )
                    .unwrap();
            }
        }
        replay(header.clone(), writer.finish(), Millis(50))
    };
    for order in [[1, 2], [2, 1]] {
        let replay = solve(order);
        assert_eq!(replay.outcome.standings[0].player, PlayerId(order[0]));
        assert_eq!(faults(&replay), []);
    }
}

#[test]
fn what_a_finisher_refutes_is_not_the_best() {
    let with = |at_least, at_most| {
        let best = crate::puzzle::MoveBounds { at_least, at_most };
        kinds("slide:3x3", |replay| replay.outcome.best = Some(best))
    };
    assert_eq!(with(1, 2), []);
    assert!(matches!(with(3, 2)[..], [VerifyErrorKind::BestBounds { .. }]));
    assert!(matches!(with(3, 10_000)[..], [VerifyErrorKind::BestBeaten { .. }]));
}

#[test]
fn a_record_that_was_cut_is_believed_and_said_so() {
    let mut replay = race("slide:3x3", "friday", &SKILLS);
    let mut cut = false;
    replay.events = rewrite(&replay.events, |n, record| {
        let RecordKind::Racer { player: PlayerId(2), .. } = record.kind else {
            return vec![record];
        };
        if n < 6 {
            return vec![record];
        }
        if std::mem::replace(&mut cut, true) {
            return Vec::new();
        }
        vec![event(record.at, 2, RacerEvent::Cut)]
    });
    let verdict = verify(&replay.encode()).unwrap();
    assert_eq!((verdict.errors, verdict.cut), (Vec::new(), vec![PlayerId(2)]));
}

#[test]
fn of_very_many_faults_the_first_are_told_and_all_are_counted() {
    let mut replay = race("slide:3x3", "friday", &SKILLS);
    let mut writer =
        EventLogWriter::new(replay.events.start().clone(), replay.events.racers().to_vec())
            .unwrap();
    for _ in 0..1_000 {
        writer.record(Millis(0), &event(Millis(0), 1, RacerEvent::Back).kind).unwrap();
    }
    replay.events = writer.finish();
    let verdict = verify(&replay.encode()).unwrap();
    assert_eq!(verdict.errors.len(), MAX_REPORTED_ERRORS);
    assert!(verdict.count >= 1_000);
}

#[test]
fn nothing_follows_a_cut() {
    let replay = race("slide:3x3", "friday", &SKILLS);
    let mut rerun = Simulation::new(&replay.events, &replay.header.options);
    let at = Millis(1);
    assert_eq!(rerun.run(&event(at, 1, RacerEvent::Cut)), Ok(()));
    assert_eq!(rerun.run(&event(at, 1, RacerEvent::Hint)), Err(RuleViolation::AfterCut));
    assert_eq!(rerun.run(&event(at, 9, RacerEvent::Hint)), Err(RuleViolation::Stranger));
}
