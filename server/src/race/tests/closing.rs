//! Heats that end before their time limit.

use super::*;
use gridrace_shared::protocol::snapshot::{Closing, ClosingReason};

/// A heat of people in which players are idle after 30 s; GO is at 3 s, the time limit at 603 s.
fn heat(people: u32) -> Log {
    Log::running_with(people, |options| {
        options.time_limit_seconds = 600;
        options.idle_seconds = 30;
    })
}

/// What the latest event told everybody of an early end.
fn closings(log: &Log) -> Vec<Option<Closing>> {
    let told = log.told(Audience::All).into_iter();
    told.filter_map(|message| match message {
        ServerMessage::Closing(closing) => Some(*closing),
        _ => None,
    })
    .collect()
}

fn idle(ends: u64) -> Option<Closing> {
    Some(Closing { ends: HeatInstant(ends), why: ClosingReason::Idle })
}

fn only_bots(ends: u64) -> Option<Closing> {
    Some(Closing { ends: HeatInstant(ends), why: ClosingReason::OnlyBots })
}

#[test]
fn when_all_are_idle_a_countdown_that_all_see_ends_the_heat() {
    let mut log = heat(2);
    log.silently_at(8_000);
    log.moves_on(1);
    log.at(33_000);
    assert_eq!(closings(&log), []);
    log.at(37_999);
    assert_eq!(closings(&log), []);
    log.at(38_000);
    assert_eq!(closings(&log), [idle(48_000)]);
    log.joins(3, SPECTATOR);
    assert_eq!(log.snapshot(3).closing, idle(48_000));
    log.at(47_999);
    assert_eq!(log.race.phase_name(), "running");
    log.at(48_000);
    assert!(log.has_ended());
    assert_eq!(log.row(1).place, 1);
}

#[test]
fn an_action_of_one_takes_it_back() {
    let mut log = heat(3);
    log.at(33_000);
    assert_eq!(closings(&log), [idle(43_000)]);
    log.silently_at(42_999);
    // One that isn't accepted is none.
    log.plays(1, 9, log.board(1).legal_moves().swap_remove(0));
    assert_eq!(closings(&log), []);
    log.moves_on(1);
    assert_eq!(closings(&log), [None]);
    log.at(72_998);
    assert_eq!(closings(&log), []);
    log.at(72_999);
    assert_eq!(closings(&log), [idle(82_999)]);
    log.asks_hint(2);
    assert_eq!(closings(&log), [None]);
    log.is_lost(3);
    log.at(102_999);
    assert_eq!(closings(&log), [idle(112_999)]);
    log.resumes(3, 0);
    assert_eq!(closings(&log), [None]);
}

#[test]
fn a_move_at_the_last_instant_is_late() {
    let mut log = heat(2);
    log.at(33_000);
    log.silently_at(43_000);
    let play = log.board(1).legal_moves().swap_remove(0);
    log.plays(1, 1, play).rejected(1, Rejection::Late);
    assert_eq!(log.race.phase_name(), "over");
}

#[test]
fn the_last_one_is_idle_ten_seconds_after_the_others_are_done() {
    let mut log = heat(3);
    log.silently_at(4_000);
    log.finishes(1);
    log.silently_at(6_000);
    log.gives_up(2);
    log.at(15_999);
    assert_eq!(closings(&log), []);
    log.at(16_000);
    assert_eq!(closings(&log), [idle(26_000)]);
    log.moves_on(3);
    assert_eq!(closings(&log), [None]);
    log.at(26_000);
    assert_eq!(closings(&log), [idle(36_000)]);
    log.at(36_000);
    assert!(log.has_ended());
    assert_eq!(log.row(3).state, RaceState::Dnf);
}

#[test]
fn the_last_one_has_the_grace_while_the_connection_is_lost() {
    let mut log = heat(2);
    log.silently_at(4_000);
    log.finishes(1);
    log.is_lost(2);
    log.at(14_000);
    assert_eq!(closings(&log), []);
    // It comes back, and has the time of one who has just acted.
    log.silently_at(20_000);
    log.resumes(2, 0);
    log.at(29_999);
    assert_eq!(closings(&log), []);
    log.at(30_000);
    assert_eq!(closings(&log), [idle(40_000)]);
}

#[test]
fn one_who_does_not_race_takes_nothing_back_by_coming_back() {
    let mut log = heat(3);
    log.joins(4, SPECTATOR);
    log.silently_at(4_000);
    log.finishes(1);
    log.at(33_000);
    assert_eq!(closings(&log), [idle(43_000)]);
    for number in [1, 4] {
        log.is_lost(number);
        log.resumes(number, 0);
        assert_eq!(closings(&log), []);
    }
    log.at(43_000);
    assert!(log.has_ended());
}

#[test]
fn one_who_was_idle_before_the_others_were_done_is_so_at_once() {
    let mut log = heat(2);
    log.silently_at(40_000 - 7_001);
    log.moves_on(2);
    log.silently_at(40_000);
    log.finishes(2);
    assert_eq!(closings(&log), [idle(50_000)]);
}

#[test]
fn a_player_alone_holds_no_other_up() {
    let mut log = heat(1);
    assert_eq!(log.race.deadline(), Some(HeatInstant(603_000)));
    log.joins(2, SPECTATOR);
    log.at(33_000);
    assert_eq!(closings(&log), [idle(43_000)]);
    log.leaves(2);
    assert_eq!(closings(&log), [None]);
}

#[test]
fn with_bots_that_are_done_a_player_alone_has_all_the_time() {
    let mut log = Log::with(|options| options.time_limit_seconds = 600);
    log.joins(1, PLAYER);
    log.adds_bot(Some(1), 2);
    log.go();
    log.finishes(2);
    assert_eq!(log.race.deadline(), Some(HeatInstant(603_000)));
}

#[test]
fn the_host_may_switch_idleness_off() {
    let mut log = Log::running_with(2, |options| {
        options.time_limit_seconds = 600;
        options.idle_seconds = 0;
    });
    log.finishes(1);
    assert_eq!(log.race.deadline(), Some(HeatInstant(603_000)));
}

#[test]
fn when_only_bots_race_the_heat_ends_within_ten_seconds_by_progress() {
    let mut log = Log::with(|options| options.time_limit_seconds = 600);
    log.people(2);
    log.adds_bot(Some(1), 3);
    log.enters(4, "Robot", true, PLAYER);
    log.go();
    log.gives_up(2);
    assert_eq!(closings(&log), []);
    log.silently_at(5_000);
    log.finishes(1);
    assert_eq!(closings(&log), [only_bots(15_000)]);
    // Bots go on, and take nothing back.
    log.silently_at(9_000);
    for _ in 0..3 {
        log.moves_on(3);
    }
    assert_eq!(closings(&log), []);
    log.at(15_000);
    assert!(log.has_ended());
    let states: Vec<RaceState> = log.result().standings.iter().map(|row| row.state).collect();
    assert!(matches!(
        states[..],
        [RaceState::Finished { .. }, RaceState::Dnf, RaceState::Dnf, RaceState::Dnf]
    ));
    let progress: Vec<u16> = log.result().standings.iter().map(|row| row.progress).collect();
    assert!(progress.is_sorted_by(|before, after| before >= after), "{progress:?}");
}

#[test]
fn a_heat_of_bots_alone_goes_on() {
    let mut log = Log::with(|options| options.time_limit_seconds = 600);
    log.joins(1, SPECTATOR);
    log.adds_bot(Some(1), 2);
    log.adds_bot(Some(1), 3);
    log.go();
    assert_eq!(log.race.deadline(), Some(HeatInstant(603_000)));
}

#[test]
fn a_person_who_leaves_for_good_leaves_the_heat_to_the_bots() {
    let mut log = Log::with(|options| options.time_limit_seconds = 600);
    log.people(2);
    log.adds_bot(Some(1), 3);
    log.go();
    log.finishes(1);
    log.is_lost(2);
    assert_eq!(closings(&log), []);
    log.at(63_000);
    assert_eq!(closings(&log), [only_bots(73_000)]);
}

#[test]
fn no_player_is_idle_because_no_server_ran() {
    let mut log = heat(2);
    log.at(33_000);
    log.does(Event::Recovered { away: Millis(100_000) });
    log.resumes(1, 0);
    log.at(62_999);
    assert_eq!(closings(&log), []);
    log.at(63_000);
    assert_eq!(closings(&log), [idle(73_000)]);
}

#[test]
fn the_time_limit_ends_a_heat_that_would_close_later() {
    let mut log = Log::running_with(2, |options| {
        options.time_limit_seconds = 35;
        options.idle_seconds = 30;
    });
    log.at(33_000);
    assert_eq!(closings(&log), [idle(38_000)]);
    log.at(38_000);
    assert!(log.has_ended());
}
