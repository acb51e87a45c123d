//! A room as a table of a tournament.

use super::table_logs::{board, seat_of, table_config};
use super::*;
use gridrace_shared::protocol::server::Farewell;
use gridrace_shared::protocol::snapshot::TableSetup;
use gridrace_shared::tournament::ids::EntrantId;
use gridrace_shared::tournament::result::BoardOutcome;

/// A table with this number of reserved seats, in its lobby.
fn table(entrants: u8) -> Log {
    Log::of(table_config(entrants))
}

/// A table in its countdown, GO being at 5 s, with its entrants connected as members 1, 2 …
fn counting_down(entrants: u8) -> Log {
    let mut log = table(entrants);
    (0..entrants).for_each(|entrant| arrives(&mut log, entrant));
    log.does(start(&log, 0, 5_000));
    log
}

/// The entrant joins by its key as the member of the next number, with a name of its own.
fn arrives(log: &mut Log, entrant: u8) {
    let newcomer = entrant_as(entrant, PLAYER);
    let number = u32::from(entrant) + 1;
    log.does(Event::Join { id: id(number), newcomer, token: token(number, 0) });
}

fn entrant_as(entrant: u8, role: Role) -> Newcomer {
    let identity = Some(seat_of(entrant).key);
    Newcomer { role, identity, ..Newcomer::person("Any name".parse().unwrap()) }
}

/// The start of a board, with the seats as they are.
fn start(log: &Log, number: u8, go: u64) -> Event {
    let seats = log.config.table.as_ref().unwrap().seats.clone();
    start_with(number, go, seats)
}

fn start_with(number: u8, go: u64, seats: Vec<ReservedSeat>) -> Event {
    let secret = draw(&format!("board{number}"));
    let spec = "slide:2x2".parse().unwrap();
    let drawn = GeneratedBoard::of(&spec, &secret.secret.seed);
    let go = ServerInstant(go * 1_000);
    let start = TableStart { board: board(number), seats, spec, secret, drawn, go };
    Event::Table(TableEvent::Start(Box::new(start)))
}

fn news(log: &Log) -> Vec<&TableNews> {
    let reports = log.last.iter().filter_map(|effect| match effect {
        Effect::Table(report) => Some(&report.news),
        _ => None,
    });
    reports.collect()
}

/// The order of the entrants in the result that the latest event brought.
fn result(log: &Log) -> Vec<(u32, BoardOutcome)> {
    let result = news(log).into_iter().find_map(|news| match news {
        TableNews::Ended(result) => Some(result),
        _ => None,
    });
    result.unwrap().rows.iter().map(|(EntrantId(entrant), outcome)| (*entrant, *outcome)).collect()
}

#[test]
fn entrants_take_their_seats_by_key_and_others_watch() {
    let mut log = table(2);
    arrives(&mut log, 0);
    let member = log.member(1).unwrap();
    assert_eq!((member.name.as_str(), member.role), ("Entrant 0", PLAYER));
    assert_eq!(log.host(), None);
    let setup = &log.snapshot(1).setup;
    let tournament = "friday-cup".parse().unwrap();
    assert_eq!(setup.table, Some(TableSetup { tournament, board: board(0) }));
    // Whatever the client asks for.
    let newcomer = entrant_as(1, SPECTATOR);
    log.does(Event::Join { id: id(2), newcomer, token: token(2, 0) });
    assert_eq!(log.member(2).unwrap().role, PLAYER);
    log.joins(3, PLAYER).refused(3, Refusal::SeatsReserved);
    log.joins(4, SPECTATOR);
    assert_eq!(log.member(4).unwrap().role, SPECTATOR);
    log.enters(5, "entrant 1", false, SPECTATOR).refused(5, Refusal::NameTaken);
    // A person's seat isn't a bot's.
    let newcomer = Newcomer { bot: true, ..entrant_as(1, PLAYER) };
    assert_eq!(log.race.seat_to_return_to(&newcomer), None);
    log.does(Event::Join { id: id(6), newcomer, token: token(6, 0) });
    log.refused(6, Refusal::NoBots);
}

#[test]
fn the_newest_connection_with_the_key_has_the_seat() {
    let mut log = table(1);
    arrives(&mut log, 0);
    let again = entrant_as(0, PLAYER);
    assert_eq!(log.race.seat_to_return_to(&again), Some(id(1)));
    log.is_lost(1);
    assert_eq!(log.race.seat_to_return_to(&again), Some(id(1)));
    log.at(200_000);
    assert_eq!(log.race.seat_to_return_to(&again), None, "the grace is over");
    arrives(&mut log, 0);
    assert!(log.member(1).unwrap().connected);
}

#[test]
fn the_addresses_of_seats_are_those_of_the_present_connections() {
    let from = |last: u8| Some([192, 0, 2, last].into());
    let mut log = table(2);
    let newcomer = Newcomer { address: from(1), ..entrant_as(0, PLAYER) };
    log.does(Event::Join { id: id(1), newcomer, token: token(1, 0) });
    log.joins(3, SPECTATOR);
    let seat = seat_of(0).key;
    assert_eq!(log.race.seated_addresses(), [(seat, from(1))]);
    log.does(Event::AddressChanged { member: id(1), address: from(2) });
    assert_eq!(log.race.seated_addresses(), [(seat, from(2))]);
    let tournament = "friday-cup".parse().unwrap();
    assert_eq!(log.race.reserved_seat(id(1)), Some((tournament, seat)));
    assert_eq!(log.race.reserved_seat(id(3)), None);
}

#[test]
fn members_decide_nothing() {
    let mut log = table(2);
    (0..2).for_each(|entrant| arrives(&mut log, entrant));
    let (by, player) = (id(1), id(2));
    let options = log.config.options.clone();
    let requests = [
        Event::Options { by, options, secret: draw("mine") },
        Event::Ready { by, ready: true },
        Event::Start { by },
        Event::Kick { by, player },
        Event::Ban { by, player },
        Event::Unban { by, key: seat_of(1).key },
        Event::AddBot { by: Some(by), id: id(9), skill: Skill::Casual },
        Event::TakeSeat { by },
        Event::LeaveSeat { by },
        Event::Rematch { by: Some(by), secret: draw("mine") },
        Event::EndHeat { by },
        Event::Hold { by, hold: true },
        Event::HandOver { by, player },
        Event::Announce { by, text: "Hello".parse().unwrap() },
        Event::Image { by, image: None },
    ];
    for request in requests {
        log.does(request).refused(1, Refusal::TournamentDecides);
    }
    assert_eq!(log.race.phase_name(), "lobby");
    // Nor does an operator of the server.
    let operators = [seat_of(0).key].into();
    log.does(Event::Configured { operators, is_standing: false });
    assert_eq!((log.host(), log.member(1).unwrap().operator), (None, false));
}

#[test]
fn go_comes_at_the_instant_that_was_told_and_may_move() {
    let mut log = counting_down(2);
    assert_eq!(log.phase(), Some(&Phase::Countdown { go: HeatInstant(5_000) }));
    assert!(!log.last.iter().any(|effect| matches!(effect, Effect::GenerateBoard(_))));
    // An entrant who comes now is seated, too.
    log.does(start(&log, 0, 6_000));
    assert_eq!(log.phase(), Some(&Phase::Countdown { go: HeatInstant(6_000) }));
    log.does(Event::Table(TableEvent::MoveGo { go: ServerInstant(9_000_000) }));
    assert_eq!(log.phase(), Some(&Phase::Countdown { go: HeatInstant(9_000) }));
    log.does(Event::Table(TableEvent::Cancel));
    assert_eq!((log.race.phase_name(), log.race.deadline()), ("lobby", None));
    log.does(start(&log, 0, 12_000)).at(12_000);
    let drawn = GeneratedBoard::of(&"slide:2x2".parse().unwrap(), &draw("board0").secret.seed);
    let Some(Phase::Running { go, start, .. }) = log.phase() else { panic!() };
    assert_eq!((*go, start), (HeatInstant(12_000), &drawn.board));
    assert_eq!(news(&log), [&TableNews::Started { absent: Vec::new() }]);
    assert!(!log.last.iter().any(|effect| matches!(effect, Effect::RateBoard { .. })));
}

#[test]
fn who_is_not_connected_at_go_does_not_start_and_waits_for_the_next_board() {
    let mut log = counting_down(3);
    log.is_lost(3);
    log.at(5_000);
    assert_eq!(news(&log), [&TableNews::Started { absent: vec![EntrantId(2)] }]);
    log.resumes(3, 0);
    let member = log.member(3).unwrap();
    assert_eq!((member.role, member.next_seat), (SPECTATOR, true));
    log.finishes(2);
    log.gives_up(1);
    let RaceState::Finished { time } = log.row(2).state else { panic!() };
    let dnf = BoardOutcome::Dnf { progress: 0 };
    assert_eq!(result(&log), [(1, BoardOutcome::Finished { time }), (0, dnf)]);
    log.does(start(&log, 1, 20_000)).at(20_000);
    assert_eq!(log.race.number(), 2);
    assert_eq!(news(&log), [&TableNews::Started { absent: Vec::new() }]);
    log.finishes(3);
}

#[test]
fn a_board_without_players_ends_at_once() {
    let mut log = table(2);
    log.does(start(&log, 0, 5_000)).at(5_000);
    assert!(log.has_ended());
    assert_eq!(result(&log), []);
    assert_eq!(log.race.phase_name(), "over");
}

#[test]
fn an_entrant_who_is_lost_for_good_is_out_and_comes_back_for_the_next_board() {
    let mut log = counting_down(2);
    log.at(5_000);
    log.moves_on(1);
    log.is_lost(1);
    let grace = u64::from(log.config.options.grace_seconds) * 1_000;
    // The board's time limit is over before the grace.
    log.at(25_000);
    let rows = result(&log);
    assert!(
        rows.iter().all(|(_, outcome)| matches!(outcome, BoardOutcome::Dnf { .. })),
        "{rows:?}"
    );
    log.at(5_000 + grace + 30_000);
    let newcomer = entrant_as(0, PLAYER);
    assert_eq!(log.race.seat_to_return_to(&newcomer), None);
    log.does(Event::Join { id: id(11), newcomer, token: token(11, 0) });
    assert!(log.member(11).unwrap().next_seat);
    log.does(start(&log, 1, 200_000)).at(200_000);
    log.finishes(11);
    log.gives_up(2);
    assert_eq!(result(&log).len(), 2);
}

#[test]
fn a_board_starts_once_and_another_one_after_its_end() {
    let mut log = counting_down(2);
    log.at(5_000);
    log.does(start(&log, 0, 9_000));
    assert_eq!((log.race.phase_name(), log.last.len()), ("running", 0));
    log.does(start(&log, 1, 9_000));
    assert_eq!((log.race.phase_name(), log.last.len()), ("running", 0));
    assert!(log.race.runs_other_than(board(1)) && !log.race.runs_other_than(board(0)));
    log.does(Event::Table(TableEvent::End));
    assert_eq!(result(&log).len(), 2);
    log.does(start(&log, 1, 9_000));
    assert_eq!((log.race.phase_name(), log.race.number()), ("countdown", 2));
    log.at(9_000);
    log.does(Event::Table(TableEvent::End));
    assert_eq!(log.race.phase_name(), "over");
    log.does(start(&log, 1, 12_000));
    assert_eq!((log.race.phase_name(), log.last.len()), ("over", 0));
}

#[test]
fn seats_change_with_the_next_start() {
    let mut log = counting_down(2);
    log.enters(8, "Entrant 3", false, SPECTATOR);
    let seats = vec![seat_of(1), seat_of(3)];
    log.does(start_with(0, 7_000, seats));
    assert_eq!(log.member(1).unwrap().role, SPECTATOR);
    assert_eq!(log.member(2).unwrap().role, PLAYER);
    log.refused(8, Refusal::NameTaken);
    assert_eq!(log.member(8), None);
    let newcomer = entrant_as(3, PLAYER);
    log.does(Event::Join { id: id(4), newcomer, token: token(4, 0) });
    assert_eq!(log.member(4).unwrap().name.as_str(), "Entrant 3");
}

#[test]
fn no_house_bot_finds_a_seat_at_a_table() {
    let mut log = table(1);
    log.adds_bot(None, 9);
    assert_eq!(log.member(9), None);
}

#[test]
fn a_board_goes_on_for_the_bots_among_the_entrants() {
    let mut log = table(2);
    let seats = vec![seat_of(0), ReservedSeat { bot: true, ..seat_of(1) }];
    log.does(start_with(0, 5_000, seats));
    arrives(&mut log, 0);
    let newcomer = Newcomer { bot: true, ..entrant_as(1, PLAYER) };
    log.does(Event::Join { id: id(2), newcomer, token: token(2, 0) });
    log.at(5_000);
    log.finishes(1);
    // Elsewhere the heat ends 10 s after the last person.
    log.at(16_000);
    assert_eq!(log.race.phase_name(), "running");
}

#[test]
fn a_table_is_kept_until_it_is_closed_with_a_farewell() {
    let mut log = counting_down(2);
    log.leaves(1).leaves(2);
    log.at(5_000);
    assert!(!log.race.is_deserted());
    log.at(100_000);
    arrives(&mut log, 0);
    log.joins(7, SPECTATOR);
    log.does(Event::Table(TableEvent::Close));
    for member in [1, 7] {
        assert_eq!(log.sent(member), [&ServerMessage::Goodbye(Farewell::TableClosed)]);
        assert!(log.last.contains(&Effect::Release { member: id(member) }));
    }
    assert_eq!(news(&log), [&TableNews::Closed]);
    assert!(log.race.is_deserted());
    let newcomer = entrant_as(0, PLAYER);
    log.does(Event::Join { id: id(20), newcomer, token: token(20, 0) });
    log.refused(20, Refusal::NoSuchRoom);
}

#[test]
fn a_countdown_leaves_time_to_come_back_to_a_restarted_server() {
    let mut log = counting_down(1);
    log.silently_at(4_900);
    log.does(Event::Recovered { away: Millis(60_000) });
    assert_eq!(log.race.deadline(), Some(HeatInstant(19_900)));
    log.at(10_000);
    log.resumes(1, 0);
    log.at(19_900);
    assert_eq!(news(&log), [&TableNews::Started { absent: Vec::new() }]);
}

#[test]
fn a_late_entrant_joins_while_a_board_is_raced_and_races_the_next() {
    let mut log = counting_down(1);
    log.at(5_000);
    let late = Event::Table(TableEvent::Seats(vec![seat_of(0), seat_of(1)]));
    log.does(late);
    arrives(&mut log, 1);
    let member = log.member(2).unwrap();
    assert_eq!((member.role, member.next_seat), (SPECTATOR, true));
    log.does(Event::GiveUp { by: id(1) });
    assert_eq!(result(&log).len(), 1);
    log.does(start_with(1, 9_000, vec![seat_of(0), seat_of(1)]));
    assert_eq!(log.member(2).unwrap().role, PLAYER);
    // In a countdown at once; and the next start says anew who has a seat.
    log.does(Event::Table(TableEvent::Seats(vec![seat_of(2)])));
    arrives(&mut log, 2);
    assert_eq!(log.member(3).unwrap().role, PLAYER);
    log.does(start_with(1, 9_000, vec![seat_of(0), seat_of(1)]));
    assert_eq!(log.member(3).unwrap().role, SPECTATOR);
}

#[test]
fn an_idle_player_whose_opponent_is_absent_holds_up_the_tournament() {
    let mut log = table(2);
    arrives(&mut log, 0);
    log.does(start(&log, 0, 5_000));
    log.at(5_000);
    log.at(15_000);
    let told = log.told(Audience::All);
    assert!(told.iter().any(|message| matches!(message, ServerMessage::Closing(Some(_)))));
}
