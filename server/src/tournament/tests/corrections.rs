//! Boards that are raced again, and results that are corrected or taken back.

use super::*;

#[test]
fn a_board_raced_again_after_its_round_waits_for_the_pause_and_not_for_the_break() {
    for (pause, waits) in [(20, 20_000), (3, LEAD_IN.0)] {
        let mut world = World::entered("series:1", 2);
        world.runner.config.settings.pause_seconds = pause;
        world.command(TournamentCommand::Begin);
        world.until(TournamentPhase::Racing);
        let first = world.board().0;
        world.end_boards(&[]);
        world.tick();
        assert!(world.rooms.is_empty(), "the results were shown");
        world.now = world.now + Millis(100_000);
        let replay = TournamentCommand::Replay {
            round: first.round,
            table: None,
            board: None,
            reason: None,
        };
        assert_eq!(world.command(replay), TournamentUpdate::Done);
        assert_eq!(world.phase(), TournamentPhase::Pause);
        assert_eq!(world.runner.head().go, Some(world.now + Millis(waits)));
        world.race_to_the_end();
        // The settings are no part of the log.
        std::mem::forget(world);
    }
}

#[test]
fn a_correction_that_changes_the_seats_of_a_board_in_mid_race_has_it_raced_again() {
    let mut world = World::racing("knockout", 4);
    let (semi_final, seats) = world.board();
    world.end_boards(&[]);
    world.tick();
    world.until(TournamentPhase::Racing);
    let (&room, (of_final, finalists)) = world.started.first_key_value().unwrap();
    let (of_final, finalists) = (*of_final, finalists.clone());
    assert!(finalists.contains(&seats[0]));
    let exchange = |first: usize, reason: &str| {
        let finished = |time| BoardOutcome::Finished { time: Millis(time) };
        let rows = vec![(seats[first], finished(7)), (seats[1 - first], finished(8))];
        let (result, reason) = (BoardResult { rows }, reason.to_owned());
        TournamentCommand::SetResult { key: semi_final, result, reason }
    };
    // The times change, and no seat does.
    assert_eq!(world.command(exchange(0, "a slow clock")), TournamentUpdate::Done);
    assert_eq!(world.started[&room].0, of_final);
    // Another one has reached the final.
    assert_eq!(world.command(exchange(1, "exchanged")), TournamentUpdate::Done);
    assert!(
        world.effects.iter().any(|it| it.0.contains(&Effect::Job(TableJob::EndBoard { room })))
    );
    assert!(world.started.is_empty());
    // What was raced until then doesn't count.
    let lines = world.runner.lines().len();
    let rows = vec![(finalists[0], BoardOutcome::Dnf { progress: 10 })];
    world.apply(Event::BoardEnded { key: of_final, result: BoardResult { rows } });
    assert_eq!(world.runner.lines().len(), lines);
    world.until(TournamentPhase::Racing);
    let (again, finalists) = world.board();
    assert_eq!(again, ResultKey { attempt: 1, ..of_final });
    assert!(finalists.contains(&seats[1]) && !finalists.contains(&seats[0]), "{finalists:?}");
    world.race_to_the_end();
    assert_eq!(world.places().len(), 4);
}

#[test]
fn a_board_that_a_command_ends_counts_in_no_case() {
    let commands = |round| {
        [
            TournamentCommand::Void { round, board: 0, reason: None },
            TournamentCommand::Replay { round, table: None, board: None, reason: None },
            TournamentCommand::Redraw { reason: None },
        ]
    };
    for which in 0..3 {
        let mut world = World::racing("series:2", 2);
        let (key, seats) = world.board();
        let command = commands(key.round)[which].clone();
        assert_eq!(world.command(command.clone()), TournamentUpdate::Done, "{command:?}");
        // The table says how it ended, and the command is taken back.
        let rows = vec![(seats[0], BoardOutcome::Dnf { progress: 10 })];
        world.apply(Event::BoardEnded { key, result: BoardResult { rows } });
        let entry = world.last_entry();
        world.command(TournamentCommand::TakeBack { entry, reason: "a mistake".to_owned() });
        world.until(TournamentPhase::Racing);
        let (again, _) = world.board();
        assert!(again.board == 0 && again.attempt > 0, "{command:?}: {again:?}");
        world.race_to_the_end();
    }
}

#[test]
fn a_countdown_is_cancelled_by_a_replay_and_begins_anew_when_that_is_taken_back() {
    let mut world = World::entered("series:1", 2);
    world.command(TournamentCommand::Begin);
    let (&room, &(key, _)) = world.started.first_key_value().unwrap();
    let replay =
        TournamentCommand::Replay { round: key.round, table: Some(0), board: None, reason: None };
    let before = world.effects.len();
    world.command(replay);
    let cancelled = Effect::Job(TableJob::Cancel { room });
    assert!(world.effects[before..].iter().any(|it| it.0.contains(&cancelled)));
    let entry = world.last_entry();
    world.command(TournamentCommand::TakeBack { entry, reason: "a mistake".to_owned() });
    world.until(TournamentPhase::Racing);
    assert_eq!(world.board().0, key, "nobody has seen the board");
    world.race_to_the_end();
}

#[test]
fn a_table_whose_countdown_was_cancelled_races_no_board_that_others_know() {
    let mut world = World::entered("heats:2/1+final:1", 4);
    world.command(TournamentCommand::Begin);
    let key = world.board().0;
    let replay = TournamentCommand::Replay {
        round: key.round,
        table: Some(key.table),
        board: None,
        reason: None,
    };
    world.command(replay);
    let entry = world.last_entry();
    world.until(TournamentPhase::Racing);
    world.command(TournamentCommand::TakeBack { entry, reason: "a mistake".to_owned() });
    world.end_boards(&[]);
    world.until(TournamentPhase::Racing);
    let again = world.board().0;
    assert_eq!((again.table, again.board), (key.table, key.board));
    assert!(again.attempt > 1, "{again:?}");
    world.race_to_the_end();
}

#[test]
fn a_board_goes_on_while_an_earlier_one_of_the_round_is_open_again() {
    let mut world = World::racing("series:2", 2);
    world.end_boards(&[]);
    let entry = world.last_entry();
    world.until(TournamentPhase::Racing);
    let second = world.board().0;
    world.command(TournamentCommand::TakeBack { entry, reason: "a slow clock".to_owned() });
    assert_eq!(world.board().0, second);
    assert_eq!(world.phase(), TournamentPhase::Racing);
    // Also through a restart.
    let room = *world.started.first_key_value().unwrap().0;
    let mut runner = TournamentRunner::recover(config(world.plan), world.runner.lines().to_vec());
    let tables = vec![RecoveredTable { room, key: second, is_running: true }];
    let effects = runner.apply(world.now, Event::Recovered { tables, results: Vec::new() });
    assert!(!effects.0.contains(&Effect::Job(TableJob::EndBoard { room })));
    assert_eq!((runner.head().phase, runner.head().board), (TournamentPhase::Racing, 1));
    world.end_boards(&[]);
    assert!(world.runner.fold.round(second.round).unwrap().result(0, 1).is_some());
    world.until(TournamentPhase::Racing);
    let first = world.board().0;
    assert_eq!((first.board, first.attempt), (0, 1));
    world.race_to_the_end();
}

#[test]
fn a_correction_right_after_the_end_calls_the_players_back() {
    let mut world = World::racing("series:1", 2);
    world.end_boards(&[]);
    assert_eq!((world.phase(), world.rooms.len()), (TournamentPhase::Over, 1));
    let entry = world.last_entry();
    let before = world.effects.len();
    world.command(TournamentCommand::TakeBack { entry, reason: "the wrong board".to_owned() });
    let called = |it: &Effect| matches!(it, Effect::Job(TableJob::Call { .. }));
    let calls = world.effects[before..].iter().flat_map(|it| &it.0).filter(|it| called(it));
    assert_eq!(calls.count(), 2, "clients leave their tables at the end");
    world.race_to_the_end();
}

#[test]
fn players_of_a_table_that_was_done_are_called_back_to_race_again() {
    let mut world = World::racing("heats:2/1+final:1", 4);
    let (&done, (first, _)) = world.started.first_key_value().unwrap();
    let first = *first;
    let others = world.started.split_off(&RoomCode::from_number(1));
    assert!(world.started.contains_key(&done) && others.len() == 1);
    world.end_boards(&[]);
    world.started = others;
    let before = world.effects.len();
    let (table, reason) = (Some(first.table), None);
    world.command(TournamentCommand::Replay { round: first.round, table, board: None, reason });
    let calls = world.effects[before..].iter().flat_map(|it| &it.0);
    assert_eq!(calls.filter(|it| matches!(it, Effect::Job(TableJob::Call { .. }))).count(), 2);
    world.race_to_the_end();
}

#[test]
fn go_waits_for_players_whom_a_correction_moves_in_the_countdown() {
    let mut world = World::racing("swiss:2x2", 4);
    let (key, seats) = world.board();
    world.end_boards(&[]);
    world.until(TournamentPhase::Break);
    let go = world.runner.head().go.unwrap();
    world.now = TournamentInstant(go.0 - 100);
    let finished = |time| BoardOutcome::Finished { time: Millis(time) };
    let rows = vec![(seats[1], finished(7)), (seats[0], finished(8))];
    let (result, reason) = (BoardResult { rows }, "exchanged".to_owned());
    let tables: BTreeSet<RoomCode> = world.started.keys().copied().collect();
    assert_eq!(tables.len(), 2);
    world.command(TournamentCommand::SetResult { key, result, reason });
    let go = world.now + LEAD_IN;
    assert_eq!(world.runner.head().go, Some(go));
    let told = |room| {
        world.effects.last().unwrap().0.contains(&Effect::Job(TableJob::MoveGo { room, go }))
    };
    assert!(tables.into_iter().all(told));
    world.race_to_the_end();
}

#[test]
fn a_replay_takes_another_board_and_discards_only_when_confirmed() {
    let mut world = World::racing("series:2", 2);
    let first = world.board().0;
    world.end_boards(&[]);
    let replay =
        TournamentCommand::Replay { round: first.round, table: None, board: Some(0), reason: None };
    let asked = world.command_of(FOUNDER, replay.clone(), false);
    let TournamentUpdate::NeedsConfirmation(asked) = asked else { panic!("{asked:?}") };
    assert_eq!(asked.discards, 1);
    world.command(replay);
    world.until(TournamentPhase::Racing);
    let again = world.board().0;
    assert_eq!(again, ResultKey { attempt: 1, ..first });
    let source = |key: ResultKey| world.runner.board_source(key.into()).secret;
    assert_ne!(source(first), source(again));
    // The result of the void attempt, once more, changes nothing.
    let before = world.runner.lines().len();
    world.apply(Event::BoardEnded { key: first, result: BoardResult::default() });
    assert_eq!(world.runner.lines().len(), before);
}

#[test]
fn a_board_whose_result_is_taken_back_is_raced_again_with_another_seed() {
    let mut world = World::racing("series:2", 2);
    let first = world.board().0;
    world.end_boards(&[]);
    let entry = world.last_entry();
    let reason = "the wrong board".to_owned();
    let taken_back = world.command(TournamentCommand::TakeBack { entry, reason });
    assert_eq!(taken_back, TournamentUpdate::Done);
    world.until(TournamentPhase::Racing);
    let again = world.board().0;
    assert_eq!(again, ResultKey { attempt: 1, ..first });
    world.end_boards(&[]);
    world.race_to_the_end();
    assert_eq!(world.places(), [0, 1]);
}

#[test]
fn a_corrected_semi_final_has_the_final_raced_again_by_others() {
    let mut world = World::racing("knockout", 4);
    let (semi_final, seats) = world.board();
    world.end_boards(&[]);
    world.tick();
    world.until(TournamentPhase::Racing);
    let (_, finalists) = world.board();
    assert!(finalists.contains(&seats[0]));
    world.end_boards(&[]);
    let finished = |time| BoardOutcome::Finished { time: Millis(time) };
    let result = BoardResult { rows: vec![(seats[1], finished(7)), (seats[0], finished(8))] };
    let reason = "exchanged".to_owned();
    let set = TournamentCommand::SetResult { key: semi_final, result, reason };
    assert_eq!(world.command(set), TournamentUpdate::Done);
    world.until(TournamentPhase::Racing);
    let (_, finalists) = world.board();
    assert!(finalists.contains(&seats[1]) && !finalists.contains(&seats[0]), "{finalists:?}");
    world.race_to_the_end();
}

#[test]
fn a_final_that_one_side_missed_is_raced_again_by_whom_a_correction_brings_there() {
    for is_set in [false, true] {
        let mut world = World::racing("knockout", 4);
        let (semi_final, seats) = world.board();
        world.end_boards(&[]);
        world.tick();
        world.until(TournamentPhase::Racing);
        let (last, finalists) = world.board();
        let champion = *finalists.iter().find(|it| **it != seats[0]).unwrap();
        let set = |key, order: &[EntrantId]| {
            let finished = |time| BoardOutcome::Finished { time: Millis(time) };
            let rows = order.iter().zip([7, 8]).map(|(it, time)| (*it, finished(time)));
            let (result, reason) = (BoardResult { rows: rows.collect() }, "a mistake".to_owned());
            TournamentCommand::SetResult { key, result, reason }
        };
        if is_set {
            world.command(set(last, &[champion]));
        } else {
            world.end_boards(&[seats[0].0]);
        }
        assert_eq!(world.runner.fold.champions(), [champion]);
        world.command(set(semi_final, &[seats[1], seats[0]]));
        assert_eq!(world.runner.fold.champions(), []);
        world.until(TournamentPhase::Racing);
        let (again, finalists) = world.board();
        assert_eq!(again, ResultKey { attempt: 1, ..last });
        assert!(finalists.contains(&seats[1]) && finalists.contains(&champion), "{finalists:?}");
        world.race_to_the_end();
    }
}

#[test]
fn a_result_counts_once_and_never_over_one_that_the_organiser_has_set() {
    let mut world = World::racing("series:1", 2);
    let (key, seats) = world.board();
    let rows = vec![(seats[1], BoardOutcome::Finished { time: Millis(7) })];
    let result = BoardResult { rows };
    let reason = "the power failed".to_owned();
    let set = TournamentCommand::SetResult { key, result: result.clone(), reason };
    assert_eq!(world.command(set), TournamentUpdate::Done);
    let rows = vec![(seats[0], BoardOutcome::Finished { time: Millis(5) })];
    world.apply(Event::BoardEnded { key, result: BoardResult { rows } });
    let round = world.runner.fold.round(key.round).unwrap();
    assert_eq!(round.result(0, 0), Some(&result));
}

#[test]
fn a_table_that_breaks_races_its_board_again_with_another_seed() {
    let mut world = World::racing("series:1", 2);
    let (room, (key, _)) = world.started.pop_first().unwrap();
    world.rooms.remove(&room);
    world.apply(Event::TableClosed { room });
    world.until(TournamentPhase::Racing);
    let (again, _) = world.board();
    assert_eq!(again, ResultKey { attempt: 1, ..key });
    assert!(!world.rooms.contains_key(&room));
}

/// Returns the command that a form sends for a board: all rows in the order of the seats, sorted by their
/// outcomes.
fn form_result(
    world: &World,
    key: ResultKey,
    change: impl Fn(EntrantId, BoardOutcome) -> BoardOutcome,
) -> TournamentCommand {
    let round = world.runner.fold.round(key.round).unwrap();
    let shown = round.result(key.table, key.board).unwrap();
    let seats = round.draw.table(key.table).unwrap().seats.iter();
    let mut rows: Vec<_> = seats.map(|&it| (it, change(it, shown.outcome(it)))).collect();
    rows.sort_by_key(|(_, outcome)| outcome.order());
    let (result, reason) = (BoardResult { rows }, "a slow clock".to_owned());
    TournamentCommand::SetResult { key, result, reason }
}

#[test]
fn a_correction_makes_no_disqualification_a_part_of_the_result() {
    let mut world = World::racing("series:2", 3);
    let (key, seats) = world.board();
    world.end_boards(&[]);
    let [first, entrant, last] = seats[..] else { panic!("{seats:?}") };
    let reason = "two keyboards".to_owned();
    world.command(TournamentCommand::Disqualify { entrant, reason: reason.clone() });
    let entry = world.last_entry();
    let fast = BoardOutcome::Finished { time: Millis(7) };
    let correction = form_result(&world, key, |it, outcome| match it {
        it if it == first => fast,
        it if it == last => BoardOutcome::Disqualified,
        _ => outcome,
    });
    assert_eq!(world.command(correction), TournamentUpdate::Done);
    let outcomes = |world: &World| {
        let round = world.runner.fold.round(key.round).unwrap();
        [first, entrant, last].map(|it| round.result(0, 0).unwrap().outcome(it))
    };
    let out = BoardOutcome::Disqualified;
    assert_eq!(outcomes(&world), [fast, out, out]);
    world.command(TournamentCommand::TakeBack { entry, reason });
    let raced = BoardOutcome::Finished { time: Millis(1_500) };
    assert_eq!(outcomes(&world), [fast, raced, out]);
    world.race_to_the_end();
}

#[test]
fn a_correction_leaves_ties_in_the_order_in_which_the_heat_ranked_them() {
    let mut world = World::racing("series:1", 3);
    let (key, seats) = world.board();
    world.started.clear();
    let finished = |seat: usize, time| (seats[seat], BoardOutcome::Finished { time: Millis(time) });
    let rows = vec![finished(2, 1_000), finished(0, 1_000), finished(1, 2_000)];
    world.apply(Event::BoardEnded { key, result: BoardResult { rows } });
    let (corrected, faster) = finished(1, 1_500);
    let change = |it, outcome| if it == corrected { faster } else { outcome };
    let correction = form_result(&world, key, change);
    assert_eq!(world.command(correction), TournamentUpdate::Done);
    let result = world.runner.fold.round(key.round).unwrap().result(0, 0).unwrap();
    assert_eq!(result.rows, [finished(2, 1_000), finished(0, 1_000), finished(1, 1_500)]);
}

#[test]
fn go_waits_for_a_loser_whom_a_correction_brings_into_the_final() {
    let mut world = World::entered("knockout:bo1", 4);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    let (key, seats) = world.started.values().next().unwrap().clone();
    world.end_boards(&[]);
    world.until(TournamentPhase::Break);
    let go = world.runner.head().go.unwrap();
    world.now = TournamentInstant(go.0 - 100);
    world.apply(Event::Tick);
    assert_eq!(world.started.len(), 1);
    let round = world.runner.fold.round(key.round).unwrap();
    let winner = round.result(key.table, 0).unwrap().rows[0].0;
    let faster =
        |it, outcome| if it == winner { BoardOutcome::Dnf { progress: 0 } } else { outcome };
    assert_eq!(world.command(form_result(&world, key, faster)), TournamentUpdate::Done);
    assert_eq!(world.runner.head().go, Some(world.now + LEAD_IN));
    let (_, seated) = world.started.values().next().unwrap();
    assert!(!seated.contains(&winner) && seated.iter().any(|it| seats.contains(it)));
    world.race_to_the_end();
}

#[test]
fn an_entry_to_the_tournament_is_not_taken_back() {
    let mut world = World::entered("series:2", 3);
    let (entry, reason) = (0, "a wrong name".to_owned());
    assert!(matches!(world.runner.fold.log()[0], LogEntry::Enter { .. }));
    let refused = world.command(TournamentCommand::TakeBack { entry, reason });
    assert_eq!(refused, TournamentUpdate::Refused(TournamentError::KeepsEntries));
}
