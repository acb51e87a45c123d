use super::*;
use gridrace_shared::protocol::server::Farewell;

#[test]
fn in_the_lobby_a_member_that_leaves_is_removed_and_its_name_free() {
    let mut log = Log::lobby(2);
    log.leaves(2);
    assert_eq!(log.last[0], Effect::Release { member: id(2) });
    assert!(log.member(2).is_none());
    log.enters(3, "Person 2", false, PLAYER);
    assert_eq!(log.refusal(3), None);
}

#[test]
fn the_host_s_powers_pass_to_players_before_spectators() {
    let mut log = Log::lobby(1);
    log.joins(2, SPECTATOR);
    log.joins(3, PLAYER);
    log.adds_bot(Some(1), 4);
    log.leaves(1);
    assert_eq!(log.host(), Some(3));
    let roster = log.roster(Audience::All);
    assert_eq!(roster.host, Some(id(3)));
    log.leaves(3);
    assert_eq!(log.host(), Some(2));
    log.leaves(2);
    assert_eq!(log.host(), None);
    assert!(log.race.is_deserted());
}

#[test]
fn a_player_who_leaves_a_running_heat_is_out_and_keeps_row_and_name() {
    let mut log = Log::running(3);
    log.leaves(3);
    assert_eq!(log.last[0], Effect::Release { member: id(3) });
    assert_eq!(log.row(3).state, RaceState::Dnf);
    assert!(!log.row(3).connected);
    assert!(!log.member(3).unwrap().connected);
    log.enters(4, "Person 3", false, SPECTATOR).refused(4, Refusal::NameTaken);
}

#[test]
fn a_heat_without_present_players_ends() {
    let mut log = Log::running(2);
    log.leaves(1);
    assert_eq!(log.race.phase_name(), "running");
    log.leaves(2);
    assert_eq!(log.race.phase_name(), "over");
    assert!(log.race.is_deserted());
}

#[test]
fn house_bots_race_on_for_spectators_only() {
    let mut log = Log::lobby(1);
    log.adds_bot(Some(1), 2);
    log.go();
    log.leaves(1);
    assert_eq!(log.race.phase_name(), "over");

    let mut log = Log::lobby(1);
    log.joins(3, SPECTATOR);
    log.adds_bot(Some(1), 2);
    log.go();
    log.leaves(1);
    assert_eq!(log.race.phase_name(), "running");
    log.leaves(3);
    assert_eq!(log.race.phase_name(), "over");
}

#[test]
fn a_spectator_who_leaves_is_removed_in_any_phase() {
    let mut log = Log::lobby(2);
    log.joins(3, SPECTATOR);
    log.go();
    log.leaves(3);
    assert!(log.member(3).is_none());
    assert_eq!(log.race.phase_name(), "running");
}

#[test]
fn an_event_of_a_member_that_left_is_void() {
    let mut log = Log::running(3);
    log.leaves(3);
    log.gives_up(3);
    assert_eq!(log.last, []);
    log.leaves(3);
    assert_eq!(log.last, []);
    log.gives_up(77);
    assert_eq!(log.last, []);
}

#[test]
fn the_host_removes_members() {
    let mut log = Log::lobby(3);
    log.kicks(2, 3).refused(2, Refusal::NotHost);
    log.kicks(1, 3);
    assert_eq!(log.last[0], Effect::Dismiss { member: id(3), why: Farewell::Kicked });
    assert!(log.member(3).is_none());
    for invalid in [1, 3, 77] {
        log.kicks(1, invalid).refused(1, Refusal::NoSuchPlayer);
    }
}

#[test]
fn a_player_removed_from_a_running_heat_is_out() {
    let mut log = Log::running(3);
    log.kicks(1, 3);
    assert_eq!(log.row(3).state, RaceState::Dnf);
    assert_eq!(log.race.phase_name(), "running");
}

#[test]
fn a_house_bot_is_removed_without_a_farewell() {
    let mut log = Log::lobby(1);
    log.adds_bot(Some(1), 2);
    log.kicks(1, 2);
    assert_eq!(log.last[0], Effect::Release { member: id(2) });
}

#[test]
fn the_host_may_remove_a_disconnected_member() {
    let mut log = Log::running(3);
    log.is_lost(3);
    log.kicks(1, 3);
    let dismissed = Effect::Dismiss { member: id(3), why: Farewell::Kicked };
    assert!(!log.last.contains(&dismissed), "there is no connection");
    assert_eq!(log.row(3).state, RaceState::Dnf);
    log.resumes(3, 0);
    assert_eq!(log.last, []);
    log.kicks(1, 3).refused(1, Refusal::NoSuchPlayer);
}

#[test]
fn without_connected_clients_there_is_no_host_until_one_is_back() {
    let mut log = Log::lobby(2);
    log.is_lost(1);
    log.is_lost(2);
    assert_eq!(log.host(), None);
    log.resumes(2, 0);
    assert_eq!(log.host(), Some(2));
    log.resumes(1, 0);
    assert_eq!(log.host(), Some(1));
}
