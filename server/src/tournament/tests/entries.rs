//! Who enters, who is late, and who is absent.

use super::*;
use gridrace_shared::protocol::tournament::{PageOf, PageRows};

const CLOSED: TournamentUpdate = TournamentUpdate::Refused(TournamentError::EntriesClosed);
const FULL: TournamentUpdate = TournamentUpdate::Refused(TournamentError::Full);

fn enters(world: &mut World, number: u8) -> TournamentUpdate {
    world.enter(number);
    world.replies.last().cloned().unwrap()
}

fn checks_in(world: &mut World, number: u8) -> TournamentUpdate {
    world.answer(Event::CheckIn { by: key(number) })
}

fn withdraws(world: &mut World, number: u8) -> TournamentUpdate {
    world.answer(Event::Withdraw { by: key(number) })
}

/// Returns what an entrant and all others are told of their presence.
fn told(world: &World, number: u8) -> [Option<Presence>; 2] {
    let page = world.runner.page(PageOf::Entrants, 0, &BTreeSet::new());
    let PageRows::Entrants(rows) = page.rows else { panic!("{page:?}") };
    let row = rows.iter().find(|row| row.key == key(number));
    let own = world.runner.own_entry(Some(key(number)), false);
    [own.presence, row.map(|row| row.presence)]
}

/// Returns the results that the server recorded, by table, board and attempt.
fn server_results(world: &World) -> Vec<(u16, u8, u16)> {
    let lines = world.runner.lines().iter().filter(|line| line.by == LogAuthor::Server);
    let result = |line: &LogLine| {
        let Some(LogEntry::Result { key, .. }) = line.entry() else { return None };
        Some((key.table, key.board, key.attempt))
    };
    lines.filter_map(result).collect()
}

fn is_replay(line: &LogLine) -> bool {
    matches!(line.entry(), Some(LogEntry::Replay { .. }))
}

#[test]
fn who_is_absent_twice_is_told_so_and_comes_back_by_a_check_in_or_a_board() {
    let mut world = World::entered("series:6", 3);
    world.command(TournamentCommand::Begin);
    // Races a board, and returns whether the absent entrant was told something.
    let race = |world: &mut World, absent: &[u32]| {
        world.until(TournamentPhase::Racing);
        let before = world.effects.len();
        world.end_boards(absent);
        let notice = Effect::NotifyKey(key(2));
        world.effects[before..].iter().any(|it| it.0.contains(&notice))
    };
    let [here, withdrawn] = [Presence::Present, Presence::Withdrawn].map(|it| [Some(it); 2]);
    assert!(!race(&mut world, &[2]));
    assert_eq!(told(&world, 2), here);
    assert!(race(&mut world, &[2]));
    assert_eq!(told(&world, 2), withdrawn);
    assert!(race(&mut world, &[]));
    assert_eq!(told(&world, 2), here);
    race(&mut world, &[2]);
    race(&mut world, &[2]);
    assert_eq!(told(&world, 2), withdrawn);
    assert_eq!(checks_in(&mut world, 2), TournamentUpdate::Done);
    assert_eq!(told(&world, 2), here);
}

#[test]
fn an_absent_entrant_s_withdrawal_is_recorded() {
    let mut world = World::entered("series:3", 3);
    world.command(TournamentCommand::Begin);
    for _ in 0..2 {
        world.until(TournamentPhase::Racing);
        world.end_boards(&[2]);
    }
    assert_eq!(withdraws(&mut world, 2), TournamentUpdate::Done);
    assert_eq!(world.runner.presence(EntrantId(2)), Some(Presence::Withdrawn));
}

#[test]
fn a_check_in_that_is_taken_back_leaves_no_board_with_two_results_of_the_server() {
    let mut world = World::entered("series:2", 32);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    world.end_boards(&[]);
    world.enter(32);
    assert_eq!(server_results(&world), [(0, 0, 0), (1, 0, 0)]);
    let came = LogEntry::CheckIn { entrant: EntrantId(32) };
    let entry = world.runner.fold().log().iter().position(|it| *it == came).unwrap();
    let (entry, reason) = (u32::try_from(entry).unwrap(), "not one of us".to_owned());
    world.command(TournamentCommand::TakeBack { entry, reason });
    world.enter(33);
    assert_eq!(server_results(&world), [(0, 0, 0), (1, 0, 0), (1, 0, 1)]);
    world.until(TournamentPhase::Racing);
    let started = world.started.values().map(|(key, _)| (key.table, key.board, key.attempt));
    assert_eq!(started.collect::<Vec<_>>(), [(0, 1, 0), (1, 1, 0)]);
    world.race_to_the_end();
}

#[test]
fn a_late_table_whose_room_opens_after_go_has_nothing_for_that_board() {
    let mut world = World::entered("series:2", 32);
    world.command(TournamentCommand::Begin);
    world.opens_rooms = false;
    world.enter(32);
    let table = TableKey { round: world.runner.latest_round().unwrap(), number: 1 };
    world.until(TournamentPhase::Racing);
    world.open_room(table);
    assert_eq!(server_results(&world), [(1, 0, 0)]);
    world.end_boards(&[]);
    world.until(TournamentPhase::Racing);
    let started = world.started.values().map(|(key, _)| (key.table, key.board, key.attempt));
    assert_eq!(started.collect::<Vec<_>>(), [(0, 1, 0), (1, 1, 0)]);
    assert!(!world.runner.lines().iter().any(is_replay));
    world.race_to_the_end();
}
