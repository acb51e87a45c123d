//! Replays in which something doesn't hold: each field changed by itself.

use super::size::race;
use super::*;
use crate::heat::ids::Seq;
use crate::heat::options::OptionsError;
use crate::puzzle::IllegalMove;
use crate::puzzle::skill::Skill;

pub(super) const SKILLS: [Skill; 3] = [Skill::Casual, Skill::Steady, Skill::Expert];

pub(super) fn faults(replay: &Replay) -> Vec<VerifyError> {
    verify(&replay.encode()).unwrap().errors
}

/// Says what is found once something has been changed.
pub(super) fn kinds(spec: &str, change: impl FnOnce(&mut Replay)) -> Vec<VerifyErrorKind> {
    let mut replay = race(spec, "friday", &SKILLS);
    change(&mut replay);
    faults(&replay).into_iter().map(|fault| fault.kind).collect()
}

/// Writes an event log anew, changing what happened on the way.
pub(super) fn rewrite(
    events: &EventLog,
    mut change: impl FnMut(usize, Record) -> Vec<Record>,
) -> EventLog {
    let mut writer = EventLogWriter::new(events.start().clone(), events.racers().to_vec()).unwrap();
    for (n, (_, record)) in events.records().enumerate() {
        for record in change(n, record) {
            writer.record(record.at, &record.kind).unwrap();
        }
    }
    writer.finish()
}

fn breaches(spec: &str, change: impl FnMut(usize, Record) -> Vec<Record>) -> Vec<RuleViolation> {
    let all = kinds(spec, |replay| {
        replay.events = rewrite(&replay.events, change);
    });
    let breach = |kind| {
        let VerifyErrorKind::RuleViolation(breach) = kind else {
            return None;
        };
        Some(breach)
    };
    all.into_iter().filter_map(breach).collect()
}

pub(super) fn event(at: Millis, player: u32, event: RacerEvent) -> Record {
    let player = PlayerId(player);
    Record { at, kind: RecordKind::Racer { player, event } }
}

#[test]
fn an_unchanged_replay_holds() {
    for spec in ["slide:3x3", "link:6x6"] {
        assert_eq!(kinds(spec, |_| ()), []);
    }
}

#[test]
fn another_seed_salt_or_commitment_is_found() {
    let commitment =
        |kinds: &[VerifyErrorKind]| matches!(kinds, [VerifyErrorKind::Commitment { .. }]);
    assert!(commitment(&kinds("slide:3x3", |replay| {
        replay.header.secret.salt = Salt::from_bytes([8; 16]);
    })));
    assert!(commitment(&kinds("slide:3x3", |replay| {
        replay.header.commitment = Commitment::from_bytes([0; 32]);
    })));
    let seed = kinds("slide:3x3", |replay| {
        replay.header.secret.seed = "monday".parse().unwrap();
    });
    assert!(matches!(
        seed.as_slice(),
        [VerifyErrorKind::Commitment { .. }, VerifyErrorKind::Board]
    ));
}

#[test]
fn another_board_than_the_seeds_is_found() {
    let other = race("slide:3x3", "monday", &SKILLS).events;
    let kinds = kinds("slide:3x3", |replay| replay.events = other);
    assert_eq!(kinds[0], VerifyErrorKind::Board);
    let spec = |replay: &mut Replay| replay.header.options.spec = "slide:3x4".parse().unwrap();
    let mut replay = race("slide:3x3", "friday", &SKILLS);
    spec(&mut replay);
    assert!(faults(&replay).iter().any(|fault| fault.kind == VerifyErrorKind::Board));
}

#[test]
fn options_that_no_heat_has_are_found() {
    let options = kinds("slide:3x3", |replay| {
        replay.header.options.countdown_seconds = 0;
    });
    assert_eq!(options, [VerifyErrorKind::Options(OptionsError::Countdown)]);
    let bots = kinds("slide:3x3", |replay| {
        replay.header.options.bots_allowed = false;
    });
    assert_eq!(bots, [VerifyErrorKind::Bot, VerifyErrorKind::Bot, VerifyErrorKind::Bot]);
}

#[test]
fn a_name_that_is_another_player_s_is_found_and_any_other_is_believed() {
    let named = |name: &str| {
        kinds("slide:3x3", |replay| {
            let mut racers = replay.events.racers().to_vec();
            racers[2].name = name.parse().unwrap();
            let mut writer = EventLogWriter::new(replay.events.start().clone(), racers).unwrap();
            for (_, record) in replay.events.records() {
                writer.record(record.at, &record.kind).unwrap();
            }
            replay.events = writer.finish();
        })
    };
    assert_eq!(named("Zoë 1"), [VerifyErrorKind::Name]);
    assert_eq!(named("ZOË l"), [VerifyErrorKind::Name], "it looks alike");
    assert_eq!(named("Stranger"), []);
}

#[test]
fn another_move_is_found_where_it_leads_to() {
    let mut replay = race("slide:3x3", "friday", &SKILLS);
    let mut board = replay.events.start().clone();
    // The first of this player's moves becomes another one that is as legal there.
    let mut changed = false;
    replay.events = rewrite(&replay.events, |_, record| {
        let RecordKind::Racer { player: PlayerId(2), event: RacerEvent::Move(play) } = &record.kind
        else {
            return vec![record];
        };
        if std::mem::replace(&mut changed, true) {
            // What can't be written down can't be tampered with either.
            return if board.clone().play(play).is_ok() {
                board.play(play).unwrap();
                vec![record]
            } else {
                Vec::new()
            };
        }
        let other = board.legal_moves().into_iter().find(|other| other != play);
        let other = other.unwrap();
        board.play(&other).unwrap();
        vec![event(record.at, 2, RacerEvent::Move(other))]
    });
    let found = faults(&replay);
    assert!(!found.is_empty());
    let theirs = |fault: &&VerifyError| fault.player == Some(PlayerId(2));
    assert!(found.iter().any(|fault| theirs(&fault)), "{found:?}");
}

#[test]
fn another_time_is_found_in_the_finisher_s_row() {
    let winner = race("slide:3x3", "friday", &SKILLS).outcome.standings[0].player;
    let last = race("slide:3x3", "friday", &SKILLS);
    let last = last
        .events
        .records()
        .filter(|(_, record)| matches!(record.kind, RecordKind::Racer { player, .. } if player == winner))
        .count();
    let mut seen = 0;
    let found = kinds("slide:3x3", |replay| {
        replay.events = rewrite(&replay.events, |_, mut record| {
            seen += usize::from(
                matches!(record.kind, RecordKind::Racer { player, .. } if player == winner),
            );
            if seen == last {
                record.at = record.at + Millis(3);
            }
            vec![record]
        });
    });
    assert!(
        found.iter().any(|kind| matches!(kind, VerifyErrorKind::Row { part: Part::State, .. })),
        "{found:?}"
    );
}

#[test]
fn an_illegal_stroke_is_found_at_its_byte_with_player_and_number() {
    let mut replay = race("link:6x6", "friday", &SKILLS);
    let before: Vec<Record> = replay.events.records().map(|(_, record)| record).collect();
    // The same stroke once more changes nothing, which is illegal.
    let at = 6;
    replay.events =
        rewrite(
            &replay.events,
            |n, record| {
                if n == at { vec![record.clone(), record] } else { vec![record] }
            },
        );
    let found = faults(&replay);
    let [illegal] = &found[..] else {
        panic!("{found:?}");
    };
    let nothing = IllegalMove::Link(crate::puzzle::numberlink::IllegalStroke::ChangesNothing);
    assert_eq!(illegal.kind, VerifyErrorKind::RuleViolation(RuleViolation::Illegal(nothing)));
    let (_, places, _) = Replay::locate(&replay.encode()).unwrap();
    let (offset, record) = replay.events.records().nth(at + 1).unwrap();
    assert_eq!(illegal.offset, places.records + offset);
    let player = |record: &Record| match record.kind {
        RecordKind::Racer { player, .. } => player,
        RecordKind::Outage { .. } => panic!("there is none"),
    };
    let same = |other: &&Record| player(other) == player(&record);
    let moves = before[..=at].iter().filter(same).count() as u32;
    assert_eq!(illegal.player, Some(player(&record)));
    assert_eq!(illegal.after, Some(Seq(moves)));
    assert_eq!(illegal.at, Some(record.at));
    let text = format!(
        "byte {}, player {}, after move {moves}, at {}: the move is illegal: the stroke changes nothing",
        illegal.offset,
        player(&record),
        record.at
    );
    assert_eq!(illegal.to_string(), text);
}

#[test]
fn moves_that_are_left_out_spoil_the_result() {
    let last = PlayerId(3);
    let found = kinds("slide:3x3", |replay| {
        replay.events = rewrite(&replay.events, |n, record| {
            let theirs = matches!(record.kind, RecordKind::Racer { player, .. } if player == last);
            if theirs && n > 9 { Vec::new() } else { vec![record] }
        });
    });
    for wrong in [Part::Place, Part::State, Part::Moves] {
        let row = |kind: &VerifyErrorKind| matches!(kind, VerifyErrorKind::Row { part, .. } if *part == wrong);
        assert!(found.iter().any(row), "{found:?}");
    }
}

#[test]
fn what_happens_after_a_players_end_is_found() {
    let mut last = Millis(0);
    let found = breaches("slide:3x3", |n, record| {
        last = record.at;
        match n {
            0 => vec![event(record.at, 1, RacerEvent::Out(ExitReason::GaveUp)), record],
            _ => vec![record],
        }
    });
    assert!(found.len() > 3);
    assert!(found.iter().all(|&breach| breach == RuleViolation::NotRacing), "{found:?}");
    let twice = breaches("slide:3x3", |n, record| match n {
        0 => vec![
            event(record.at, 1, RacerEvent::Out(ExitReason::Left)),
            event(record.at, 1, RacerEvent::Out(ExitReason::Left)),
            record,
        ],
        _ => vec![record],
    });
    assert_eq!(twice[0], RuleViolation::Gone);
}

#[test]
fn what_is_done_without_a_connection_is_found() {
    let first = |acts: Vec<RacerEvent>| {
        breaches("slide:3x3", move |n, record| {
            let mut all = Vec::new();
            if n == 0 {
                all.extend(acts.iter().map(|other| event(record.at, 2, other.clone())));
            }
            all.push(record);
            all
        })
    };
    assert_eq!(first(vec![RacerEvent::Lost, RacerEvent::Lost])[0], RuleViolation::NotConnected);
    assert_eq!(first(vec![RacerEvent::Lost])[0], RuleViolation::NotConnected);
    assert_eq!(first(vec![RacerEvent::Back])[0], RuleViolation::Connected);
    assert_eq!(first(vec![RacerEvent::Out(ExitReason::Expired)])[0], RuleViolation::Connected);
    let gone = vec![RacerEvent::Lost, RacerEvent::Out(ExitReason::Expired), RacerEvent::Back];
    assert_eq!(first(gone)[0], RuleViolation::Gone);
    assert_eq!(first(vec![RacerEvent::Lost, RacerEvent::Back]), []);
}
