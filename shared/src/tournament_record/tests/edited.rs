//! Records in which something doesn't hold: each part edited by itself.

use super::*;
use crate::tournament::draw_commitment::TournamentSecret;
use crate::tournament::log::LogEntryError;
use crate::tournament::public_log::LogAuthor;
use crate::tournament::result::BoardOutcome;

/// Returns what is found once something has been changed.
fn errors(change: impl FnOnce(&mut TournamentRecord)) -> Vec<RecordError> {
    let mut record = sample();
    change(&mut record);
    verify(&record.sign(&server_key())).unwrap().errors
}

fn kinds(change: impl FnOnce(&mut TournamentRecord)) -> Vec<RecordErrorKind> {
    errors(change).into_iter().map(|error| error.kind).collect()
}

/// Returns the number of the first line with such an event.
fn line(record: &TournamentRecord, is_it: impl Fn(&PublicEvent) -> bool) -> usize {
    record.log.iter().position(|line| is_it(&line.event)).unwrap()
}

fn is_draw(event: &PublicEvent) -> bool {
    matches!(event, PublicEvent::Entry { entry: LogEntry::Draw { .. }, .. })
}

fn is_result(event: &PublicEvent) -> bool {
    matches!(event, PublicEvent::Entry { entry: LogEntry::Result { .. }, .. })
}

#[test]
fn what_is_not_edited_holds() {
    assert_eq!(errors(|_| ()), []);
}

#[test]
fn another_champion_or_place_is_found_in_the_outcome() {
    let champion = kinds(|record| record.outcome.champions = vec![EntrantId(5), EntrantId(4)]);
    assert!(
        matches!(&champion[..], [RecordErrorKind::Champions { found, .. }] if found == "#6, #5"),
        "{champion:?}"
    );
    let swapped = errors(|record| record.outcome.standings.swap(0, 1));
    let lines: Vec<usize> = swapped
        .iter()
        .filter_map(|error| {
            let RecordErrorKind::Standings { line, .. } = error.kind else { return None };
            Some(line)
        })
        .collect();
    assert_eq!(lines, [0, 1]);
    assert!(swapped.iter().all(|error| error.part == RecordPart::Outcome));
    assert_eq!(kinds(|record| record.outcome.teams = None), [RecordErrorKind::Teams]);
    let tables = kinds(|record| {
        let tables = &mut record.outcome.rounds[0].draw.tables;
        let (first, second) = (tables[0].seats[0], tables[1].seats[0]);
        tables[0].seats[0] = second;
        tables[1].seats[0] = first;
    });
    assert_eq!(tables, [RecordErrorKind::Tables(RoundKey { stage: 0, round: 0 })]);
    assert_eq!(kinds(|record| record.outcome.rounds.truncate(1)), [RecordErrorKind::Rounds]);
}

#[test]
fn a_result_that_is_not_that_of_the_replay_is_found_at_its_line() {
    let at = line(&sample(), is_result);
    let found = errors(|record| {
        let PublicEvent::Entry { entry: LogEntry::Result { result, .. }, .. } =
            &mut record.log[at].event
        else {
            panic!("a result")
        };
        result.rows[0].1 = BoardOutcome::Finished { time: Millis(1) };
    });
    assert_eq!(found[0].part, RecordPart::Line(at));
    assert!(matches!(found[0].kind, RecordErrorKind::Result { .. }), "{found:?}");
    // The byte is that of the line.
    let file = sample().sign(&server_key());
    let stands = file[found[0].offset as usize..].starts_with(b"{\"at\":");
    assert!(stands);
}

#[test]
fn a_replay_that_is_missing_added_or_of_another_board_is_found() {
    let missing = kinds(|record| record.heats.truncate(4));
    assert!(missing.contains(&RecordErrorKind::NoReplay), "{missing:?}");
    let exchanged = kinds(|record| {
        let (first, second) = (record.heats[3].replay.clone(), record.heats[4].replay.clone());
        record.heats[3].replay = second;
        record.heats[4].replay = first;
    });
    let seeds = exchanged.iter().filter(|it| matches!(it, RecordErrorKind::BoardSeed { .. }));
    assert_eq!(seeds.count(), 2, "{exchanged:?}");
    let added = kinds(|record| {
        let mut heat = record.heats[4].clone();
        heat.key.attempt = 7;
        record.heats.push(heat);
    });
    assert!(added.contains(&RecordErrorKind::NoResult), "{added:?}");
    // One that the server didn't sign, and one that is damaged.
    let unsigned = kinds(|record| {
        let replay = crate::replay::Replay::decode(&record.heats[0].replay).unwrap();
        record.heats[0].replay = replay.encode();
    });
    assert_eq!(unsigned, [RecordErrorKind::ReplaySignature]);
    let damaged = errors(|record| record.heats[0].replay[60] ^= 1);
    assert!(matches!(damaged[0].kind, RecordErrorKind::Damaged(_)), "{damaged:?}");
    assert_eq!(damaged[0].part, RecordPart::Heat(sample().heats[0].key));
}

#[test]
fn another_seed_secret_or_commitment_is_found() {
    let seed = kinds(|record| {
        let at = line(record, is_draw);
        if let PublicEvent::Entry { entry: LogEntry::Draw { seed, .. }, .. } =
            &mut record.log[at].event
        {
            *seed = "monday".parse().unwrap();
        }
    });
    assert!(matches!(
        seed[..2],
        [RecordErrorKind::DrawCommitment { .. }, RecordErrorKind::DrawSeed { .. }]
    ));
    let uncommitted = kinds(|record| {
        record.log.retain(|line| !matches!(line.event, PublicEvent::DrawCommitted { .. }));
    });
    assert_eq!(uncommitted, [RecordErrorKind::NoCommitment, RecordErrorKind::NoCommitment]);
    let secret = kinds(|record| {
        let secret = TournamentSecret::from_entropy([1; 32]);
        record.log.last_mut().unwrap().event = PublicEvent::SecretRevealed { secret };
    });
    assert!(secret.iter().any(|it| matches!(it, RecordErrorKind::Secret { .. })));
    assert!(secret.iter().any(|it| matches!(it, RecordErrorKind::BoardSeed { .. })));
    let hidden = kinds(|record| {
        record.log.pop();
    });
    assert_eq!(hidden, [RecordErrorKind::NoSecret]);
    let early = kinds(|record| {
        let mut line = record.log.pop().unwrap();
        line.at = TournamentInstant(0);
        record.log.insert(0, line);
    });
    assert_eq!(early, [RecordErrorKind::EarlySecret]);
}

#[test]
fn a_log_that_no_server_wrote_is_found_at_its_line() {
    let unreasoned = kinds(|record| {
        for line in &mut record.log {
            if let PublicEvent::Entry { reason, .. } = &mut line.event {
                *reason = None;
            }
        }
    });
    assert_eq!(unreasoned, [RecordErrorKind::NoReason]);
    let earlier = errors(|record| record.log[3].at = TournamentInstant(0));
    assert_eq!(
        (earlier[0].part, &earlier[0].kind),
        (RecordPart::Line(3), &RecordErrorKind::Earlier)
    );
    let committed_by_a_player = kinds(|record| {
        let at = line(record, |it| matches!(it, PublicEvent::DrawCommitted { .. }));
        record.log[at].by = record.log[1].by;
    });
    assert!(committed_by_a_player.contains(&RecordErrorKind::NotByServer));
    let twice = kinds(|record| {
        let at = line(record, is_result);
        record.log.insert(at, record.log[at].clone());
    });
    assert_eq!(twice, [RecordErrorKind::RepeatedResult]);
    let alike = kinds(|record| {
        let name = "ZOË".parse().unwrap();
        let at =
            line(record, |it| matches!(it, PublicEvent::Entrant { entrant: EntrantId(2), .. }));
        if let PublicEvent::Entrant { name: of_second, .. } = &mut record.log[at].event {
            *of_second = name;
        }
    });
    assert!(alike.contains(&RecordErrorKind::RepeatedEntrant), "{alike:?}");
    let after_the_end = kinds(|record| {
        let entry = LogEntry::Withdraw { entrant: EntrantId(1) };
        let mut line = record.log.last().unwrap().clone();
        line.by = LogAuthor::Server;
        line.event = PublicEvent::Entry { entry, reason: None };
        record.log.push(line);
    });
    assert_eq!(after_the_end, [RecordErrorKind::Entry(LogEntryError::Over)]);
    let options = kinds(|record| record.head.settings.options.time_limit_seconds = 90);
    assert!(options.iter().all(|it| *it == RecordErrorKind::OtherOptions), "{options:?}");
    let puzzle = kinds(|record| record.head.settings.options.spec = "slide:3x3".parse().unwrap());
    assert!(matches!(puzzle[0], RecordErrorKind::Puzzle { .. }));
}
