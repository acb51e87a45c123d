use super::*;

#[test]
fn when_all_are_ready_the_countdown_starts() {
    let mut log = Log::lobby(2);
    log.silently_at(1_000);
    log.ready(1);
    assert_eq!(log.phase(), None);
    log.ready(2);
    assert_eq!(log.phase(), Some(&Phase::Countdown { go: HeatInstant(4_000) }));
    assert_eq!(log.race.deadline(), Some(HeatInstant(4_000)));
}

#[test]
fn ready_can_be_taken_back() {
    let mut log = Log::lobby(2);
    log.ready(1);
    log.does(Event::Ready { by: id(1), ready: false });
    log.ready(2);
    assert_eq!(log.race.phase_name(), "lobby");
}

#[test]
fn one_player_alone_waits_for_company_and_house_bots_are_company() {
    let mut log = Log::lobby(1);
    log.ready(1);
    assert_eq!(log.race.phase_name(), "lobby");
    log.adds_bot(Some(1), 2);
    assert_eq!(log.race.phase_name(), "countdown");
}

#[test]
fn house_bots_don_t_start_without_a_client_that_plays() {
    let mut log = Log::new();
    log.joins(1, SPECTATOR);
    log.adds_bot(Some(1), 2);
    log.adds_bot(Some(1), 3);
    assert_eq!(log.race.phase_name(), "lobby");
    log.does(Event::Start { by: id(1) });
    assert_eq!(log.race.phase_name(), "countdown");
}

#[test]
fn a_house_bot_is_always_ready() {
    let mut log = Log::lobby(1);
    log.adds_bot(Some(1), 2);
    log.does(Event::Ready { by: id(2), ready: false });
    assert!(log.member(2).unwrap().ready);
}

#[test]
fn a_heat_starts_when_the_player_who_wasn_t_ready_leaves() {
    let mut log = Log::lobby(3);
    log.ready(1);
    log.ready(2);
    log.leaves(3);
    assert_eq!(log.race.phase_name(), "countdown");
}

#[test]
fn only_players_in_the_lobby_are_ready() {
    let mut log = Log::lobby(2);
    log.joins(3, SPECTATOR);
    log.ready(3).refused(3, Refusal::NotSeated);
    log.go();
    log.ready(1).refused(1, Refusal::WrongPhase);
}

#[test]
fn the_host_starts_without_waiting_for_the_others() {
    let mut log = Log::lobby(2);
    log.does(Event::Start { by: id(2) }).refused(2, Refusal::NotHost);
    log.does(Event::Start { by: id(1) });
    assert!(matches!(log.phase(), Some(Phase::Countdown { .. })));
    log.does(Event::Start { by: id(1) }).refused(1, Refusal::WrongPhase);
}

#[test]
fn a_heat_without_players_doesn_t_start() {
    let mut log = Log::new();
    log.joins(1, SPECTATOR);
    log.does(Event::Start { by: id(1) }).refused(1, Refusal::NoPlayers);
}

#[test]
fn go_sends_the_seed_s_board_to_all_members() {
    let log = Log::running(2);
    let start = log.race.options.spec.board(&"friday".parse().unwrap());
    let phase = Phase::Running { go: HeatInstant(3_000), ends: HeatInstant(63_000), start };
    assert_eq!(log.told(Audience::All), [&ServerMessage::Phase(phase)]);
    assert_eq!(log.standings().unwrap().rows.len(), 2);
}

#[test]
fn a_late_timer_changes_nothing_about_go() {
    let mut log = Log::lobby(2);
    log.does(Event::Start { by: id(1) });
    log.at(3_040);
    assert!(matches!(
        log.phase(),
        Some(Phase::Running { go: HeatInstant(3_000), ends: HeatInstant(63_000), .. })
    ));
}

#[test]
fn a_countdown_that_all_players_leave_goes_back_to_the_lobby() {
    let mut log = Log::lobby(2);
    log.does(Event::Start { by: id(1) });
    log.joins(3, PLAYER);
    log.leaves(1);
    assert_eq!(log.race.phase_name(), "countdown");
    log.leaves(2);
    assert_eq!(log.phase(), Some(&Phase::Lobby));
    assert_eq!(log.race.deadline(), None);
    // The latecomer has the seat now.
    assert_eq!(log.member(3).unwrap().role, PLAYER);
    assert_eq!(log.host(), Some(3));
}

#[test]
fn a_countdown_for_house_bots_alone_is_cancelled() {
    let mut log = Log::lobby(1);
    log.adds_bot(Some(1), 2);
    log.does(Event::Start { by: id(1) });
    log.leaves(1);
    assert_eq!(log.race.phase_name(), "lobby");
}

#[test]
fn a_player_who_leaves_in_the_countdown_has_no_seat_at_go() {
    let mut log = Log::lobby(3);
    log.does(Event::Start { by: id(1) });
    log.leaves(3);
    log.at(3_000);
    assert_eq!(log.standings().unwrap().rows.len(), 2);
    assert!(log.member(3).is_none());
}
