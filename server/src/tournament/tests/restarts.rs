//! Tournaments that continue after a restart.

use super::*;

/// Returns the next GO of a server that continues a tournament at this instant.
fn go_after_restart(world: &World, now: TournamentInstant) -> TournamentInstant {
    let config = world.runner.config.clone();
    let mut runner = TournamentRunner::recover(config, world.runner.lines().to_vec());
    let recovered = Event::Recovered { tables: Vec::new(), results: Vec::new() };
    let _effects = runner.apply(now, recovered);
    runner.head().go.expect("no board is raced")
}

#[test]
fn the_break_and_a_go_that_was_moved_outlast_a_restart() {
    let mut world = World::entered("series:2", 2);
    world.command(TournamentCommand::Begin);
    let go = world.runner.head().go.unwrap();
    assert_eq!(go_after_restart(&world, world.now), go);
    // Players need time to come back.
    let late = TournamentInstant(go.0 - 1_000);
    assert_eq!(go_after_restart(&world, late), late + RETURN_TIME);
    for seconds in [3_600, 40] {
        world.command(TournamentCommand::MoveGo { seconds });
        let go = world.now + Millis::from_seconds(seconds.into());
        assert_eq!(go_after_restart(&world, world.now), go);
    }
}

#[test]
fn the_pause_between_two_boards_outlasts_a_restart() {
    let mut world = World::entered("series:3", 2);
    world.runner.config.settings.pause_seconds = 3_600;
    world.command(TournamentCommand::Begin);
    world.command(TournamentCommand::MoveGo { seconds: 5 });
    world.until(TournamentPhase::Racing);
    let (key, seats) = world.board();
    world.end_boards(&[]);
    let go = world.runner.head().go.unwrap();
    assert_eq!(go, world.now + Millis::from_seconds(3_600));
    world.now = world.now + Millis::from_seconds(60);
    // Neither a late entrant nor a correction moves it.
    world.enter(2);
    let rows = vec![(seats[1], BoardOutcome::Finished { time: Millis(7) })];
    let (result, reason) = (BoardResult { rows }, "a slow clock".to_owned());
    world.command(TournamentCommand::SetResult { key, result, reason });
    assert_eq!(go_after_restart(&world, world.now), go);
    // The settings are no part of the log.
    std::mem::forget(world);
}

#[test]
fn the_pause_before_a_board_that_is_raced_again_outlasts_a_restart() {
    let mut world = World::entered("series:1", 2);
    world.runner.config.settings.pause_seconds = 600;
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    let (key, _) = world.board();
    world.end_boards(&[]);
    world.now = world.now + Millis::from_seconds(60);
    let (round, table, board) = (key.round, Some(key.table), Some(key.board));
    let again = TournamentCommand::Replay { round, table, board, reason: None };
    world.command(again);
    let go = world.runner.head().go.unwrap();
    assert_eq!(go, world.now + Millis::from_seconds(600));
    world.now = world.now + Millis::from_seconds(5);
    assert_eq!(go_after_restart(&world, world.now), go);
    // The settings are no part of the log.
    std::mem::forget(world);
}

#[test]
fn a_pause_that_the_rooms_were_not_told_of_takes_their_countdowns_back() {
    let mut world = World::entered("series:1", 2);
    world.command(TournamentCommand::Begin);
    let (room, key) = (RoomCode::from_number(1), world.board().0);
    let cancelled = |world: &World| {
        let (config, lines) = (world.runner.config.clone(), world.runner.lines().to_vec());
        let mut runner = TournamentRunner::recover(config, lines);
        let tables = vec![RecoveredTable { room, key, is_running: false }];
        let effects = runner.apply(world.now, Event::Recovered { tables, results: Vec::new() });
        effects.0.contains(&Effect::Job(TableJob::Cancel { room }))
    };
    assert!(!cancelled(&world));
    world.command(TournamentCommand::Pause);
    assert!(cancelled(&world));
}
