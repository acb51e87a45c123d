//! Lost connections: the grace, the tokens, the host's powers, and what waits meanwhile.

use super::*;
use gridrace_shared::protocol::snapshot::OwnSeat;

fn own_seat(log: &Log, to: u32) -> &OwnSeat {
    log.snapshot(to).seat.as_ref().unwrap()
}

#[test]
fn a_disconnected_player_is_released_and_keeps_seat_and_name_for_a_grace() {
    let mut log = Log::running(3);
    log.is_lost(3);
    assert_eq!(log.last[0], Effect::Release { member: id(3) });
    assert!(!log.row(3).connected);
    assert_eq!(log.row(3).state, RaceState::Racing);
    log.enters(4, "Person 3", false, SPECTATOR).refused(4, Refusal::NameTaken);
    // What it said before it was lost comes too late.
    log.gives_up(3);
    assert_eq!(log.last, []);
    log.at(62_999);
    assert_eq!(log.row(3).state, RaceState::Racing);
}

#[test]
fn a_resumed_seat_is_as_it_was() {
    let mut log = Log::running_with(2, priced(10));
    log.moves_on(1);
    log.moves_on(1);
    log.asks_hint(1);
    log.answers();
    let (board, row) = (log.board(1), log.row(1));
    log.silently_at(8_000);
    log.is_lost(1);
    log.silently_at(20_000);
    log.resumes(1, 0);
    let seat = own_seat(&log, 1);
    assert_eq!((seat.seq, &seat.board), (Seq(2), &board));
    assert_eq!((seat.moves, seat.state), (row.moves, RaceState::Racing));
    assert_eq!((seat.hints, seat.penalty), (1, Millis(10_000)));
    assert_eq!(seat.hint.as_ref().map(|given| given.after), Some(Seq(2)));
    assert!(!seat.hint_pending);
    assert!(matches!(log.snapshot(1).phase, Phase::Running { .. }));
    assert!(log.row(1).connected);
    log.finishes(1);
    let time = Millis(20_000 - 3_000 + 10_000);
    assert_eq!(log.row(1).state, RaceState::Finished { time });
}

#[test]
fn the_others_are_told_of_a_lost_connection_and_of_a_resumed_one() {
    let mut log = Log::running(2);
    let connected = |log: &Log, audience| -> Vec<bool> {
        log.roster(audience).members.iter().map(|m| m.connected).collect()
    };
    log.is_lost(2);
    assert_eq!(connected(&log, Audience::All), [true, false]);
    log.resumes(2, 0);
    assert_eq!(connected(&log, Audience::Others(id(2))), [true, true]);
}

#[test]
fn the_newest_connection_takes_over_from_one_that_still_stands() {
    let mut log = Log::running(2);
    log.moves_on(1);
    log.resumes(1, 0);
    assert_eq!(own_seat(&log, 1).seq, Seq(1));
    // For the others nothing has changed.
    assert_eq!(log.told(Audience::Others(id(1))).len(), 0);
}

#[test]
fn until_the_next_token_is_confirmed_the_one_before_is_good_as_well() {
    let mut log = Log::running(2);
    for _ in 0..3 {
        // The answer is lost each time, and with it the next token.
        log.is_lost(1);
        log.resumes(1, 0);
        log.snapshot(1);
    }
    log.is_lost(1);
    // To use the next one is to confirm it.
    log.resumes(1, 1);
    log.snapshot(1);
    log.does(Event::Confirm { by: id(1) });
    log.is_lost(1);
    for used in [0, 1] {
        log.resumes(1, used);
        assert_eq!(log.last, []);
    }
    log.resumes(1, 2);
    log.snapshot(1);
}

#[test]
fn no_seat_is_resumed_by_another_s_token_nor_a_bot_s_by_any() {
    let mut log = Log::lobby(2);
    log.adds_bot(Some(1), 3);
    for by in [2, 3, 77] {
        log.does(Event::Resume { by: id(by), presented: token(1, 0), next: token(1, 1) });
        assert_eq!(log.last, [], "{by}");
        assert!(!log.race.may_resume(id(by), &token(1, 0)));
    }
    assert!(log.race.may_resume(id(2), &token(2, 0)));
}

#[test]
fn after_the_grace_a_player_is_out_and_the_token_void() {
    let mut log = Log::running(3);
    log.silently_at(4_000);
    log.is_lost(3);
    log.at(63_000);
    // A grace reaches beyond the end of this heat.
    assert_eq!(log.race.phase_name(), "over");

    let mut log = Log::running_with(3, |options| options.grace_seconds = 10);
    log.is_lost(3);
    assert_eq!(log.race.deadline(), Some(HeatInstant(13_000)));
    log.at(12_999);
    assert_eq!(log.row(3).state, RaceState::Racing);
    log.at(13_000);
    assert_eq!(log.row(3).state, RaceState::Dnf);
    assert!(log.member(3).is_some(), "the row keeps its name");
    log.resumes(3, 0);
    assert_eq!(log.last, []);
}

#[test]
fn without_a_grace_a_disconnected_player_is_out_at_once() {
    let mut log = Log::with(|options| options.grace_seconds = 0);
    log.people(3);
    log.is_lost(3);
    assert!(log.member(3).is_none());
    log.go();
    log.is_lost(2);
    assert_eq!(log.row(2).state, RaceState::Dnf);
    assert!(!log.race.may_resume(id(2), &token(2, 0)));
}

#[test]
fn a_seat_in_the_lobby_is_freed_after_the_grace() {
    let mut log = Log::lobby(2);
    log.is_lost(2);
    assert_eq!(log.race.members.players(), 2);
    assert_eq!(log.race.deadline(), Some(HeatInstant(60_000)));
    log.at(60_000);
    assert!(log.member(2).is_none());
    let roster = log.roster(Audience::All);
    assert_eq!(roster.members.len(), 1);
    assert_eq!(log.race.deadline(), None);
}

#[test]
fn what_ends_first_happens_first_however_late_the_timer_is() {
    let mut log = Log::with(|options| options.grace_seconds = 1);
    log.people(1);
    log.does(Event::Start { by: id(1) });
    log.is_lost(1);
    // The grace ends at 1 s and GO would be at 3 s: no player is left.
    log.at(5_000);
    assert_eq!(log.race.phase_name(), "lobby");
    assert!(log.race.is_deserted());

    let mut log = Log::with(|options| options.grace_seconds = 4);
    log.people(2);
    log.does(Event::Start { by: id(1) });
    log.is_lost(2);
    log.at(5_000);
    // GO is at 3 s, the grace ends at 4 s.
    assert_eq!(log.row(2).state, RaceState::Dnf);
}

#[test]
fn a_heat_starts_by_itself_only_when_all_players_are_connected() {
    let mut log = Log::lobby(2);
    log.ready(2);
    log.is_lost(2);
    log.ready(1);
    assert_eq!(log.race.phase_name(), "lobby");
    log.resumes(2, 0);
    assert!(log.snapshot(2).roster.members[1].ready);
    assert_eq!(log.race.phase_name(), "countdown");
}

#[test]
fn a_player_disconnected_at_go_has_a_seat_to_resume() {
    let mut log = Log::lobby(2);
    log.does(Event::Start { by: id(1) });
    log.is_lost(2);
    log.at(3_000);
    log.silently_at(4_000);
    log.resumes(2, 0);
    assert_eq!(own_seat(&log, 2).seq, Seq(0));
    log.moves_on(2);
    assert!(log.was_accepted(2));
}

#[test]
fn before_go_and_after_the_end_there_is_no_seat_in_the_snapshot() {
    let mut log = Log::lobby(2);
    log.is_lost(2);
    log.resumes(2, 0);
    assert_eq!(log.snapshot(2).seat, None);
    log.does(Event::Start { by: id(1) });
    log.resumes(2, 1);
    assert!(matches!(log.snapshot(2).phase, Phase::Countdown { .. }));
    assert_eq!(log.snapshot(2).seat, None);
    log.at(3_000);
    log.gives_up(1);
    log.gives_up(2);
    log.resumes(2, 2);
    assert!(matches!(log.snapshot(2).phase, Phase::Over(_)));
    assert_eq!(log.snapshot(2).seat, None);
}

#[test]
fn a_spectator_comes_back_to_the_boards() {
    let mut log = Log::lobby(2);
    log.joins(3, SPECTATOR);
    log.go();
    log.moves_on(1);
    log.is_lost(3);
    log.silently_at(10_000);
    log.resumes(3, 0);
    let heat = log.snapshot(3);
    assert_eq!((heat.boards.len(), &heat.seat), (2, &None));
    log.is_lost(3);
    log.at(70_000);
    assert!(log.member(3).is_none());
}

#[test]
fn the_host_s_powers_pass_on_while_it_is_away_and_return_with_its_token() {
    let mut log = Log::lobby(3);
    log.is_lost(1);
    assert_eq!(log.host(), Some(2));
    log.kicks(2, 3);
    assert_eq!(log.refusal(2), None);
    // But not against the host itself.
    log.kicks(2, 1).refused(2, Refusal::NotHost);
    log.resumes(1, 0);
    assert_eq!(log.host(), Some(1));
    let roster = log.roster(Audience::Others(id(1)));
    assert_eq!(roster.host, Some(id(1)));
}

#[test]
fn once_the_host_is_gone_for_good_the_powers_stay_where_they_are() {
    let mut log = Log::lobby(3);
    log.is_lost(1);
    log.at(60_000);
    assert_eq!(log.host(), Some(2));
    log.is_lost(2);
    assert_eq!(log.host(), Some(3));
    log.resumes(2, 0);
    assert_eq!(log.host(), Some(2));
}

#[test]
fn a_heat_is_deserted_when_the_last_grace_is_over() {
    let mut log = Log::running(2);
    log.is_lost(1);
    log.silently_at(5_000);
    log.is_lost(2);
    assert!(!log.race.is_deserted());
    assert_eq!(log.race.phase_name(), "running");
    log.at(63_000);
    assert!(!log.race.is_deserted());
    log.at(65_000);
    assert!(log.race.is_deserted());
}

#[test]
fn a_heat_goes_on_for_those_who_may_come_back() {
    let mut log = Log::running_with(2, |options| options.grace_seconds = 20);
    log.is_lost(2);
    log.gives_up(1);
    assert_eq!(log.race.phase_name(), "running");
    log.at(23_000);
    assert_eq!(log.race.phase_name(), "over");
    assert_eq!(log.result().standings.len(), 2);
}

#[test]
fn a_hint_for_a_disconnected_player_costs_nothing_and_is_there_later() {
    let mut log = Log::running_with(2, priced(10));
    log.asks_hint(1);
    log.is_lost(1);
    let board = log.board(1);
    log.hinted(1, 1, &board);
    assert_eq!(log.last, []);
    assert_eq!(log.row(1).hints, 0);
    log.resumes(1, 0);
    assert!(!own_seat(&log, 1).hint_pending);
    log.asks_hint(1);
    assert_eq!(log.solves(), 0);
    assert!(matches!(log.sent(1)[..], [ServerMessage::Hint { taken: 1, .. }]));
}

#[test]
fn a_hint_is_given_to_a_player_who_resumes_before_it_comes() {
    let mut log = Log::running_with(2, priced(10));
    log.asks_hint(1);
    log.is_lost(1);
    log.resumes(1, 0);
    assert!(own_seat(&log, 1).hint_pending);
    let board = log.board(1);
    log.hinted(1, 1, &board);
    assert!(matches!(log.sent(1)[..], [ServerMessage::Hint { taken: 1, .. }]));
}

#[test]
fn a_rematch_keeps_members_that_may_come_back() {
    let mut log = Log::running(2);
    log.joins(3, PLAYER);
    log.gives_up(1);
    log.gives_up(2);
    log.is_lost(2);
    log.is_lost(3);
    log.rematches(1);
    let roles: Vec<_> = (1..=3).map(|n| log.member(n).map(|m| m.role)).collect();
    assert_eq!(roles, [Some(PLAYER); 3]);
    log.resumes(3, 0);
    assert_eq!(log.snapshot(3).phase, Phase::Lobby);
}
