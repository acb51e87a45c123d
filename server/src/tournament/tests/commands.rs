//! The organiser's commands, and their refusals.

use super::*;

#[test]
fn nothing_starts_while_the_organiser_pauses() {
    let mut world = World::entered("series:2", 2);
    world.command(TournamentCommand::Begin);
    assert_eq!(world.started.len(), 1);
    world.command(TournamentCommand::Pause);
    assert!(world.started.is_empty(), "the countdown is taken back");
    assert_eq!(world.runner.deadline(), Some(world.now + ABANDONED_AFTER));
    world.now = TournamentInstant(600_000);
    assert_eq!(world.command(TournamentCommand::Resume), TournamentUpdate::Done);
    assert_eq!(world.runner.head().go, Some(TournamentInstant(605_000)));
    assert_eq!(world.started.len(), 1);
    world.command(TournamentCommand::MoveGo { seconds: 30 });
    assert_eq!(world.runner.head().go, Some(TournamentInstant(630_000)));
    world.until(TournamentPhase::Racing);
    let no_go = TournamentUpdate::Refused(TournamentError::NoGo);
    assert_eq!(world.command(TournamentCommand::MoveGo { seconds: 30 }), no_go);
}

#[test]
fn a_command_out_of_place_is_told_what_is_the_case() {
    let mut world = World::entered("series:1", 2);
    let mut refused = |command, error| {
        assert_eq!(world.command(command), TournamentUpdate::Refused(error));
    };
    refused(TournamentCommand::Pause, TournamentError::NotBegun);
    refused(TournamentCommand::Resume, TournamentError::NotPaused);
    refused(TournamentCommand::MoveGo { seconds: 5 }, TournamentError::NotBegun);
    refused(TournamentCommand::Redraw { reason: None }, TournamentError::NoRound);
    refused(TournamentCommand::CloseCheckIn, TournamentError::CheckInClosed);
    refused(TournamentCommand::LateEntries { open: true }, TournamentError::TakesLateEntries);
    refused(TournamentCommand::HandOver { to: key(FOUNDER) }, TournamentError::IsOrganiser);
    refused(TournamentCommand::RemoveHelper { key: key(0) }, TournamentError::NotHelper);
    for command in [TournamentCommand::OpenCheckIn, TournamentCommand::Begin] {
        assert_eq!(world.command(command), TournamentUpdate::Done);
    }
    let mut refused = |command, error| {
        assert_eq!(world.command(command), TournamentUpdate::Refused(error));
    };
    refused(TournamentCommand::Begin, TournamentError::HasBegun);
    refused(TournamentCommand::OpenCheckIn, TournamentError::HasBegun);
    assert_eq!(world.command(TournamentCommand::Pause), TournamentUpdate::Done);
    let paused = TournamentUpdate::Refused(TournamentError::Paused);
    assert_eq!(world.command(TournamentCommand::Pause), paused);
}

#[test]
fn an_end_before_the_plan_is_raced_asks_first() {
    let asked = |world: &mut World| {
        let end = TournamentCommand::End { reason: None };
        let answer = world.command_of(FOUNDER, end, false);
        if let TournamentUpdate::NeedsConfirmation(asked) = answer {
            assert_eq!(asked.discards, 0);
            return Some(asked.unraced);
        }
        assert_eq!(answer, TournamentUpdate::Done);
        None
    };
    let mut world = World::entered("heats:2/1+final:2", 4);
    assert_eq!(asked(&mut world), Some(0), "nothing is drawn yet");
    world.command(TournamentCommand::Begin);
    assert_eq!(asked(&mut world), Some(2));
    world.until(TournamentPhase::Racing);
    assert_eq!(asked(&mut world), Some(2));
    world.end_boards(&[]);
    assert_eq!(asked(&mut world), Some(0), "between two rounds");
    assert!(!world.runner.is_closed());
    world.race_to_the_end();
    assert_eq!(asked(&mut world), None, "nothing is left to be raced");
    assert!(world.runner.is_closed());
}

#[test]
fn an_end_that_is_confirmed_leaves_the_standings_as_they_are() {
    let mut world = World::racing("series:2", 2);
    world.end_boards(&[]);
    let places = world.places();
    assert_eq!(world.command(TournamentCommand::End { reason: None }), TournamentUpdate::Done);
    assert!(world.runner.head().closed && world.rooms.is_empty());
    assert_eq!(world.places(), places);
}

#[test]
fn a_board_that_the_end_cuts_off_counts_for_nobody() {
    let mut world = World::racing("knockout", 2);
    let started = world.started.clone();
    world.command(TournamentCommand::End { reason: None });
    let lines = world.runner.lines().len();
    for (key, seats) in started.into_values() {
        let rows = vec![(seats[0], BoardOutcome::Dnf { progress: 500 })];
        world.apply(Event::BoardEnded { key, result: BoardResult { rows } });
    }
    assert_eq!(world.runner.lines().len(), lines);
    assert!(world.runner.fold.champions().is_empty());
}

#[test]
fn a_final_that_is_a_walkover_ends_the_tournament_at_once() {
    let mut world = World::racing("knockout", 4);
    world.command(TournamentCommand::Pause);
    world.end_boards(&[]);
    let entrant = world.runner.fold.standings()[0].entrant;
    world.command(TournamentCommand::Withdraw { entrant, reason: None });
    world.command(TournamentCommand::Resume);
    // The results of the semi-finals stay for a while.
    world.tick();
    assert!(world.runner.fold.is_over());
    assert_eq!(world.runner.deadline(), Some(world.now + CORRECTION_PERIOD));
}

#[test]
fn a_pause_takes_nothing_of_an_arena_s_time() {
    let mut world = World::entered("arena:2x2m", 4);
    world.command(TournamentCommand::Begin);
    let ends = world.runner.arena_ends().unwrap();
    world.command(TournamentCommand::Pause);
    let pause = Millis::from_seconds(600);
    world.now = world.now + pause;
    world.apply(Event::CheckIn { by: key(0) });
    assert_eq!(world.runner.arena_ends(), None);
    world.command(TournamentCommand::Resume);
    assert_eq!(world.runner.arena_ends(), Some(ends + pause));
}

#[test]
fn the_organiser_ends_a_final_to_which_fewer_than_two_come() {
    let mut world = World::racing("heats:2/1+final:1", 4);
    world.end_boards(&[]);
    let winner = world.runner.fold.standings()[0].entrant;
    world.command(TournamentCommand::Withdraw { entrant: winner, reason: None });
    world.tick();
    assert_eq!(world.phase(), TournamentPhase::Waiting);
    assert_eq!(world.command(TournamentCommand::EndStage), TournamentUpdate::Done);
    assert_eq!(world.phase(), TournamentPhase::Over);
    assert_eq!(world.places().len(), 4);
}

#[test]
fn commands_are_the_organiser_s_and_helpers_choose_no_organisers() {
    let mut world = World::entered("series:1", 2);
    let not = TournamentUpdate::Refused(TournamentError::NotOrganiser);
    assert_eq!(world.command_of(0, TournamentCommand::Begin, true), not);
    world.command(TournamentCommand::AddHelper { key: key(0) });
    let hand_over = TournamentCommand::HandOver { to: key(0) };
    assert_eq!(world.command_of(0, hand_over.clone(), true), not);
    assert_eq!(world.command_of(0, TournamentCommand::Begin, true), TournamentUpdate::Done);
    assert_eq!(world.command(hand_over), TournamentUpdate::Done);
    assert_eq!(world.runner.organiser(), key(0));
    let end = TournamentCommand::End { reason: None };
    assert_eq!(world.command(end.clone()), not);
    assert_eq!(world.command_of(0, end, true), TournamentUpdate::Done);
    let over = TournamentUpdate::Refused(TournamentError::Over);
    assert_eq!(world.command_of(0, TournamentCommand::Pause, true), over);
    assert!(world.rooms.is_empty());
}

#[test]
fn check_in_is_asked_for_only_where_the_settings_say_so() {
    let mut world = World::open("series:1");
    world.runner.config.settings.check_in = true;
    for number in 0..3 {
        world.enter(number);
    }
    world.apply(Event::CheckIn { by: key(0) });
    let closed = TournamentUpdate::Refused(TournamentError::CheckInClosed);
    assert_eq!(world.replies.last(), Some(&closed));
    world.command(TournamentCommand::OpenCheckIn);
    for number in 0..2 {
        world.apply(Event::CheckIn { by: key(number) });
    }
    world.command(TournamentCommand::Begin);
    assert_eq!(world.runner.presence(EntrantId(2)), Some(Presence::Entered));
    let seats = &world.runner.fold.round(world.runner.latest_round().unwrap()).unwrap().draw;
    assert_eq!(seats.tables[0].seats.len(), 2);
    // The settings are no part of the log.
    world.effects.clear();
    std::mem::forget(world);
}
