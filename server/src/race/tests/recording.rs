//! The host is told whether the heats are recorded.

use super::*;
use gridrace_shared::protocol::server::RecordingStatus;

fn records(log: &mut Log, recorded: bool) {
    log.does(Event::Recording { recorded });
}

/// What the latest event told a member of the recording.
fn told(log: &Log, to: u32) -> Vec<bool> {
    let told = log.sent(to).into_iter().filter_map(|message| match message {
        ServerMessage::Recording(RecordingStatus::Recorded) => Some(true),
        ServerMessage::Recording(RecordingStatus::Unrecorded) => Some(false),
        _ => None,
    });
    told.collect()
}

fn told_of_damage(log: &Log, to: u32) -> usize {
    let damaged = ServerMessage::Recording(RecordingStatus::Damaged);
    log.sent(to).into_iter().filter(|&message| *message == damaged).count()
}

#[test]
fn the_host_alone_is_told_once_and_told_when_it_is_over() {
    let mut log = Log::lobby(2);
    records(&mut log, true);
    assert_eq!(log.last, []);
    records(&mut log, false);
    assert_eq!((told(&log, 1), told(&log, 2)), (vec![false], vec![]));
    records(&mut log, false);
    assert_eq!(log.last, []);
    records(&mut log, true);
    assert_eq!((told(&log, 1), told(&log, 2)), (vec![true], vec![]));
}

#[test]
fn the_first_and_the_next_host_are_told_after_they_know_that_they_are() {
    let mut log = Log::new();
    records(&mut log, false);
    log.people(2);
    log.leaves(1);
    let sent = log.sent(2);
    assert_eq!(sent, [&ServerMessage::Recording(RecordingStatus::Unrecorded)]);
    assert_eq!(log.race.members.host, Some(id(2)));
    records(&mut log, true);
    assert_eq!(told(&log, 2), [true]);
}

#[test]
fn a_host_that_resumes_is_told_anew() {
    let mut log = Log::lobby(1);
    records(&mut log, false);
    log.resumes(1, 0);
    assert_eq!(told(&log, 1), [false]);
    let sent = log.sent(1);
    assert!(matches!(
        sent[..],
        [ServerMessage::Joined { .. }, ServerMessage::Recording(RecordingStatus::Unrecorded)]
    ));
}

#[test]
fn a_recovered_room_is_recorded() {
    let mut log = Log::lobby(1);
    records(&mut log, false);
    log.does(Event::Recovered { away: Millis(1) });
    log.resumes(1, 0);
    assert!(told(&log, 1).is_empty());
}

#[test]
fn members_who_come_back_to_a_damaged_journal_are_told_once_even_by_the_server_after_the_next() {
    let mut log = Log::lobby(3);
    log.does(Event::JournalDamaged);
    log.does(Event::Recovered { away: Millis(1) });
    assert_eq!((1..=3).map(|to| told_of_damage(&log, to)).sum::<usize>(), 0);
    log.resumes(1, 0);
    let sent = log.sent(1);
    assert!(matches!(
        sent[..],
        [ServerMessage::Joined { .. }, ServerMessage::Recording(RecordingStatus::Damaged)]
    ));
    // The next server continues from a checkpoint, which needs nothing of what is damaged.
    log.does(Event::Recovered { away: Millis(1) });
    log.resumes(1, 1);
    assert_eq!(told_of_damage(&log, 1), 0);
    log.resumes(2, 0);
    assert_eq!(told_of_damage(&log, 2), 1);
    log.joins(4, PLAYER);
    assert_eq!(told_of_damage(&log, 4), 0);
}
