use super::*;
use gridrace_shared::protocol::snapshot::RoomPhase;

/// A heat of two that is over.
fn over() -> Log {
    let mut log = Log::running(2);
    log.gives_up(1);
    log.finishes(2);
    log
}

#[test]
fn the_result_reveals_what_was_committed_to() {
    let log = over();
    let setup = log.race.setup();
    assert!(log.result().reveal.proves(&setup.options.spec, setup.commitment));
    assert_eq!(log.result().reveal, draw("friday").secret);
}

#[test]
fn the_phase_then_the_setup_then_the_people() {
    let mut log = over();
    log.rematches(1);
    let [ServerMessage::Phase(Phase::Lobby), ServerMessage::Setup(setup), ServerMessage::Roster(_)] =
        log.told(Audience::All)[..]
    else {
        panic!("{:?}", log.last)
    };
    assert_eq!(setup.number, 2);
    assert_eq!(setup.commitment, draw("sunday").secret.commitment(&setup.options.spec));
    assert_eq!(log.race.number(), 2);
}

#[test]
fn a_room_is_listed_in_the_phase_that_it_is_in() {
    let mut log = Log::lobby(2);
    let mut listed = vec![log.race.summary().phase];
    log.go();
    listed.push(log.race.summary().phase);
    log.gives_up(1);
    log.finishes(2);
    listed.push(log.race.summary().phase);
    log.rematches(1);
    listed.push(log.race.summary().phase);
    assert_eq!(listed, [RoomPhase::Lobby, RoomPhase::Racing, RoomPhase::Results, RoomPhase::Lobby]);
}

#[test]
fn the_host_or_the_server_goes_back_at_once_and_only_after_the_end() {
    let mut log = over();
    log.does(Event::Rematch { by: None, secret: draw("monday") });
    assert_eq!(log.race.phase_name(), "lobby");
    log.rematches(1).refused(1, Refusal::WrongPhase);
    log.does(Event::Rematch { by: None, secret: draw("monday") });
    assert_eq!(log.last, []);
}

#[test]
fn players_say_that_they_are_ready_until_all_people_have_and_the_heat_begins() {
    let mut log = Log::lobby(3);
    log.adds_bot(Some(1), 4);
    log.enters(5, "Robot", true, PLAYER);
    log.joins(6, SPECTATOR);
    log.go();
    for by in 1..=5 {
        log.gives_up(by);
    }
    assert!((1..=3).all(|by| !log.member(by).unwrap().ready));
    log.rematches(6).refused(6, Refusal::NotSeated);
    log.rematches(2);
    assert!(log.roster(Audience::All).members[1].ready);
    log.rematches(2);
    assert_eq!(log.last, []);
    // It is taken back, and said again.
    log.does(Event::Ready { by: id(2), ready: false });
    assert!(!log.member(2).unwrap().ready);
    log.ready(2).refused(2, Refusal::WrongPhase);
    log.rematches(2);
    log.rematches(3);
    assert_eq!(log.race.phase_name(), "over");
    // The host doesn't play the next heat, so it needn't be ready; its leaving is the last word.
    log.does(Event::LeaveSeat { by: id(1) });
    assert_eq!(log.race.phase_name(), "lobby");
    let ready: Vec<bool> = (1..=5).map(|n| log.member(n).unwrap().ready).collect();
    assert_eq!(ready, [false, true, true, true, false]);
}

#[test]
fn when_all_people_are_ready_for_a_rematch_the_countdown_follows() {
    let mut log = over();
    log.joins(3, PLAYER);
    log.leaves(1);
    assert_eq!(log.host(), Some(2));
    log.does(Event::HandOver { by: id(2), player: id(3) });
    log.rematches(2);
    assert_eq!(log.race.phase_name(), "lobby");
    assert_eq!(log.race.number(), 2);
    log.ready(3);
    assert_eq!(log.race.phase_name(), "countdown");
}

#[test]
fn a_rematch_removes_gone_members_and_seats_those_who_wait() {
    let mut log = Log::running(3);
    log.joins(4, PLAYER);
    log.joins(5, SPECTATOR);
    log.leaves(3);
    log.gives_up(1);
    log.finishes(2);
    log.leaves(2);
    assert!(log.member(2).is_some());
    log.rematches(1);
    let roles: Vec<_> = (1..=5).map(|n| log.member(n).map(|member| member.role)).collect();
    assert_eq!(roles, [Some(PLAYER), None, None, Some(PLAYER), Some(SPECTATOR)]);
    assert!(log.race.members.iter().all(|member| !member.ready && !member.next_seat));
}

#[test]
fn house_bots_stay_ready() {
    let mut log = Log::lobby(1);
    log.adds_bot(Some(1), 2);
    log.go();
    log.gives_up(1);
    log.finishes(2);
    log.rematches(1);
    assert!(log.member(2).unwrap().ready);
    assert_eq!(log.race.phase_name(), "lobby");
}

#[test]
fn a_big_screen_takes_no_seat_names_no_room_and_is_no_person() {
    use gridrace_shared::heat::player_name::{NameError, PlayerName};
    let mut log = Log::lobby(1);
    let name = PlayerName::of_screen("Screen 1234").unwrap();
    let newcomer = Newcomer { role: SPECTATOR, ..Newcomer::person(name) };
    log.does(Event::Join { id: id(2), newcomer, token: token(2, 0) });
    assert_eq!(log.race.check_seat(id(2)), Err(Refusal::Name(NameError::Reserved)));
    assert_eq!(log.race.check_seat(id(1)), Ok(()));
    let listed = |log: &Log| {
        let summary = log.race.summary();
        (summary.host.is_some(), summary.people)
    };
    assert_eq!(listed(&log), (true, 1));
    log.leaves(1);
    assert_eq!((log.host(), listed(&log)), (Some(2), (false, 0)));
}

#[test]
fn after_the_end_a_player_may_get_up_and_sit_down_for_the_next_heat() {
    let mut log = over();
    log.does(Event::LeaveSeat { by: id(2) });
    assert_eq!(log.member(2).unwrap().role, SPECTATOR);
    log.does(Event::TakeSeat { by: id(2) });
    assert!(log.member(2).unwrap().next_seat);
    log.rematches(1);
    assert_eq!(log.member(2).unwrap().role, PLAYER);
}

#[test]
fn a_newcomer_after_the_end_sees_the_result() {
    let mut log = over();
    log.joins(3, PLAYER);
    let heat = log.snapshot(3);
    assert_eq!(heat.phase, Phase::Over(log.result().clone()));
    assert_eq!(heat.standings.as_ref().unwrap().rows, log.result().standings);
    assert_eq!(heat.boards, []);
}

#[test]
fn late_messages_of_the_last_heat_do_no_harm() {
    let mut log = Log::running(2);
    let board = log.board(1);
    log.asks_hint(1);
    log.gives_up(2);
    log.gives_up(1);
    log.rematches(1);
    log.plays(1, 1, board.legal_moves().swap_remove(0)).rejected(1, Rejection::Early);
    log.go();
    log.asks_hint(1);
    log.hinted(1, 1, &board);
    assert_eq!(log.last, []);
    let board = log.board(1);
    log.hinted(1, 2, &board);
    assert_eq!(log.row(1).hints, 1);
}

#[test]
fn the_next_heat_has_another_board_and_starts_from_nothing() {
    let mut log = Log::running(2);
    let first = log.board(1);
    log.moves_on(1);
    log.gives_up(1);
    log.gives_up(2);
    log.rematches(1);
    log.go();
    assert_ne!(log.board(1), first);
    assert_eq!((log.seq(1), log.row(1).moves.moves), (0, 0));
}
