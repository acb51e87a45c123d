//! Entries, late entries and absences.

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
fn a_withdrawal_before_the_tournament_begins_gives_the_place_to_others() {
    let mut world = World::open("series:1");
    world.runner.config.settings.max_entrants = 2;
    for number in 0..2 {
        assert_eq!(enters(&mut world, number), TournamentUpdate::Done);
    }
    assert_eq!(enters(&mut world, 2), FULL);
    withdraws(&mut world, 0);
    assert_eq!(enters(&mut world, 2), TournamentUpdate::Done);
    assert_eq!(world.runner.summary(false).entrants, 2);
    assert_eq!(world.runner.head().counts.entrants, 2);
    assert_eq!(checks_in(&mut world, 0), FULL);
    withdraws(&mut world, 1);
    assert_eq!(checks_in(&mut world, 0), TournamentUpdate::Done);
    world.command(TournamentCommand::Begin);
    // An entrant who has a seat keeps the place.
    withdraws(&mut world, 0);
    assert_eq!(enters(&mut world, 3), FULL);
    assert_eq!(checks_in(&mut world, 0), TournamentUpdate::Done);
    // The settings are no part of the log.
    std::mem::forget(world);
    // A place that was not taken is free for late entrants.
    let mut world = World::entered("series:2", 3);
    world.runner.config.settings.max_entrants = 3;
    withdraws(&mut world, 2);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    assert_eq!(world.runner.summary(false).entrants, 2);
    assert_eq!(enters(&mut world, 3), TournamentUpdate::Done);
    assert_eq!(enters(&mut world, 4), FULL);
    std::mem::forget(world);
}

#[test]
fn who_missed_the_check_in_is_kept_out_like_other_late_entrants() {
    let mut world = World::open("series:1");
    world.runner.config.settings.check_in = true;
    for number in 0..4 {
        world.enter(number);
    }
    world.command(TournamentCommand::OpenCheckIn);
    for number in 0..2 {
        checks_in(&mut world, number);
    }
    world.command(TournamentCommand::Begin);
    world.command(TournamentCommand::LateEntries { open: false });
    assert_eq!(checks_in(&mut world, 2), CLOSED);
    // To withdraw first is no way in.
    assert_eq!(withdraws(&mut world, 2), TournamentUpdate::Done);
    assert_eq!(checks_in(&mut world, 2), CLOSED);
    let entrant = EntrantId(2);
    assert_eq!(
        world.command(TournamentCommand::CheckIn { entrant }),
        TournamentUpdate::Done,
        "the organiser lets one in"
    );
    world.command(TournamentCommand::LateEntries { open: true });
    assert_eq!(checks_in(&mut world, 3), TournamentUpdate::Done);
    // The settings are no part of the log.
    std::mem::forget(world);
}

#[test]
fn heats_take_late_entrants_while_their_table_has_a_board_to_start() {
    for (plan, answer) in
        [("heats:4/1+final:1", CLOSED), ("heats:4/1:2+final:1", TournamentUpdate::Done)]
    {
        let mut world = World::entered(plan, 6);
        world.command(TournamentCommand::Begin);
        assert_eq!(enters(&mut world, 6), TournamentUpdate::Done, "{plan}: in the countdown");
        world.until(TournamentPhase::Racing);
        assert_eq!(enters(&mut world, 7), answer, "{plan}: while the first board is raced");
        world.end_boards(&[]);
        assert!(plan.contains(":2+") || enters(&mut world, 8) == CLOSED, "after the last board");
        world.race_to_the_end();
    }
}

#[test]
fn who_enters_a_paused_arena_waits_behind_the_others() {
    let mut world = World::racing("arena:2x9m", 2);
    world.command(TournamentCommand::Pause);
    world.end_boards(&[]);
    world.tick();
    world.now = world.now + Millis::from_seconds(60);
    world.enter(2);
    world.command(TournamentCommand::Resume);
    let drawn = &world.runner.fold.stages()[0].rounds()[1].draw;
    let seats: BTreeSet<EntrantId> = drawn.tables[0].seats.iter().copied().collect();
    assert_eq!(seats, BTreeSet::from([EntrantId(0), EntrantId(1)]));
}

#[test]
fn a_check_in_that_is_taken_back_leaves_no_board_with_two_results_of_the_server() {
    let mut world = World::racing("series:2", 32);
    world.end_boards(&[]);
    world.enter(32);
    assert_eq!(server_results(&world), [(0, 0, 0), (1, 0, 0)]);
    let came = LogEntry::CheckIn { entrant: EntrantId(32) };
    let entry = world.runner.fold.log().iter().position(|it| *it == came).unwrap();
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
