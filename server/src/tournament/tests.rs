//! A tournament as the log of its events. Each log is applied twice, and its lines are folded again.

use super::draws::LEAD_IN;
use super::*;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::tournament::TournamentCommand;
use gridrace_shared::tournament::ids::EntrantId;
use gridrace_shared::tournament::log::Presence;
use gridrace_shared::tournament::result::{BoardOutcome, BoardResult};

const FOUNDER: u8 = 99;

fn key(number: u8) -> Fingerprint {
    Key::from_bytes([number; 32]).public().fingerprint(false)
}

fn config(plan: &str) -> TournamentConfig {
    TournamentConfig {
        name: "friday".parse().unwrap(),
        plan: plan.parse().unwrap(),
        settings: TournamentSettings::new("slide:3x3".parse().unwrap()),
        secret: TournamentSecret::from_entropy([7; 32]),
        founder: key(FOUNDER),
    }
}

/// A tournament, and a shell that does what it says at once.
struct World {
    plan: &'static str,
    runner: TournamentRunner,
    now: TournamentInstant,
    log: Vec<(TournamentInstant, Event)>,
    effects: Vec<Effects>,
    rooms: BTreeMap<RoomCode, TableKey>,
    /// What each room counts down to, or races.
    started: BTreeMap<RoomCode, (ResultKey, Vec<EntrantId>)>,
    replies: Vec<TournamentUpdate>,
    next_room: u32,
}

impl World {
    fn open(plan: &'static str) -> Self {
        let (runner, opened) = TournamentRunner::open(config(plan));
        Self {
            plan,
            runner,
            now: TournamentInstant(0),
            log: Vec::new(),
            effects: vec![opened],
            rooms: BTreeMap::new(),
            started: BTreeMap::new(),
            replies: Vec::new(),
            next_room: 0,
        }
    }

    /// Opens a tournament that this many players have entered.
    fn entered(plan: &'static str, players: u8) -> Self {
        let mut world = Self::open(plan);
        for number in 0..players {
            world.enter(number);
        }
        world
    }

    fn enter(&mut self, number: u8) {
        let name = format!("Player {number}").parse().unwrap();
        self.apply(Event::Enter { by: key(number), name, bot: false, team: None });
    }

    fn apply(&mut self, event: Event) {
        self.log.push((self.now, event.clone()));
        let effects = self.runner.apply(self.now, event);
        let open = self.runner.open_boards.clone();
        self.runner.update_open_boards();
        assert_eq!(self.runner.open_boards, open);
        self.effects.push(effects.clone());
        for effect in effects.0 {
            match effect {
                Effect::DrawBoard(board) => {
                    self.apply(Event::BoardDrawn { board, is_drawn: true });
                }
                Effect::OpenTable { table, .. } => {
                    let room = RoomCode::from_number(self.next_room);
                    self.next_room += 1;
                    self.rooms.insert(room, table);
                    self.apply(Event::TableOpened { table, room: Some(room) });
                }
                Effect::StartTable { room, key, seats, .. } => {
                    self.started.insert(room, (key, seats));
                }
                Effect::CancelTable { room } | Effect::EndBoard { room } => {
                    self.started.remove(&room);
                }
                Effect::CloseTable { room } => {
                    self.rooms.remove(&room);
                    self.started.remove(&room);
                }
                Effect::Reply(update) => self.replies.push(update),
                Effect::Append(_)
                | Effect::Broadcast(_)
                | Effect::NotifyKey(_)
                | Effect::Call { .. }
                | Effect::DropBoard(_)
                | Effect::MoveGo { .. }
                | Effect::AdmitKey { .. }
                | Effect::Closed => {}
            }
        }
    }

    fn command(&mut self, command: TournamentCommand) -> TournamentUpdate {
        self.command_of(FOUNDER, command, true)
    }

    fn command_of(
        &mut self,
        by: u8,
        command: TournamentCommand,
        confirmed: bool,
    ) -> TournamentUpdate {
        let by = key(by);
        self.apply(Event::Command { by, is_operator: false, command, confirmed });
        self.replies.last().cloned().unwrap()
    }

    /// Lets time pass until the next deadline.
    fn tick(&mut self) {
        self.now = self.runner.deadline().expect("a deadline").max(self.now);
        self.apply(Event::Tick);
    }

    fn phase(&self) -> TournamentPhase {
        self.runner.head().phase
    }

    fn until(&mut self, phase: TournamentPhase) {
        for _ in 0..50 {
            if self.phase() == phase {
                return;
            }
            self.tick();
        }
        panic!("never {phase:?}, but {:?}", self.phase());
    }

    /// Ends the boards that are raced, in the order of the seats; the absent have no row.
    fn end_boards(&mut self, absent: &[u32]) {
        for (_, (key, seats)) in std::mem::take(&mut self.started) {
            let present = seats.into_iter().filter(|entrant| !absent.contains(&entrant.0));
            let rows = (1_000..)
                .step_by(500)
                .zip(present)
                .map(|(time, entrant)| (entrant, BoardOutcome::Finished { time: Millis(time) }));
            let result = BoardResult { rows: rows.collect() };
            self.apply(Event::BoardEnded { key, result });
        }
    }

    /// Races all that is left.
    fn race_to_the_end(&mut self) {
        for _ in 0..100 {
            if self.runner.fold().is_over() {
                return;
            }
            self.until(TournamentPhase::Racing);
            self.end_boards(&[]);
            if !self.runner.fold().is_over() {
                self.tick();
            }
        }
        panic!("never over");
    }

    fn places(&self) -> Vec<u32> {
        self.runner.fold().standings().iter().map(|row| row.entrant.0).collect()
    }
}

impl Drop for World {
    /// Applies the log again: the effects are the same, and the lines give the same tournament.
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let (mut again, opened) = TournamentRunner::open(config(self.plan));
        let mut effects = vec![opened];
        effects.extend(self.log.iter().map(|(at, event)| again.apply(*at, event.clone())));
        assert_eq!(effects, self.effects);
        assert_eq!(again, self.runner);
        let lines = self.runner.lines().to_vec();
        let recovered = TournamentRunner::recover(config(self.plan), lines);
        assert_eq!(recovered.fold, self.runner.fold);
        assert_eq!(recovered.entrants, self.runner.entrants);
        assert_eq!(recovered.organisers, self.runner.organisers);
        assert_eq!(recovered.changed, self.runner.changed);
        assert_eq!(recovered.raced, self.runner.raced);
        assert_eq!(recovered.had_results, self.runner.had_results);
        let flags = |it: &TournamentRunner| {
            (it.is_check_in_open, it.has_begun, it.is_paused, it.takes_late_entries, it.is_closed)
        };
        assert_eq!(flags(&recovered), flags(&self.runner));
    }
}

#[test]
fn a_series_is_raced_board_by_board_to_its_champion() {
    let mut world = World::entered("series:2", 3);
    assert_eq!(world.phase(), TournamentPhase::Entries);
    assert_eq!(world.command(TournamentCommand::Begin), TournamentUpdate::Done);
    assert_eq!((world.phase(), world.rooms.len()), (TournamentPhase::Break, 1));
    let go = world.runner.head().go.unwrap();
    assert_eq!(go, TournamentInstant(60_000));
    world.until(TournamentPhase::Racing);
    assert_eq!(world.now, go);
    world.end_boards(&[]);
    assert_eq!(
        (world.phase(), world.runner.head().go),
        (TournamentPhase::Pause, Some(go + Millis(20_000)))
    );
    world.until(TournamentPhase::Racing);
    assert_eq!(world.runner.head().board, 1);
    world.end_boards(&[]);
    assert_eq!(world.phase(), TournamentPhase::Over);
    world.tick();
    assert!(world.rooms.is_empty(), "the room closes once the results were shown");
    // Then the secret is revealed.
    world.tick();
    assert!(world.runner.is_closed());
    let reveals = |line: &LogLine| matches!(line.event, PublicEvent::SecretRevealed { .. });
    assert!(world.runner.lines().iter().any(reveals));
}

#[test]
fn every_format_comes_to_its_end() {
    for plan in
        ["heats:4/2+final:1", "swiss:2x3", "knockout:bo3", "double", "roundrobin", "lastout:2"]
    {
        let mut world = World::entered(plan, 8);
        assert_eq!(world.command(TournamentCommand::Begin), TournamentUpdate::Done, "{plan}");
        world.race_to_the_end();
        assert_eq!(world.places().len(), 8, "{plan}");
    }
}

#[test]
fn an_arena_draws_whoever_waits_until_its_time_is_over() {
    let mut world = World::entered("arena:2x2m", 4);
    world.command(TournamentCommand::Begin);
    assert_eq!(world.rooms.len(), 2);
    for _ in 0..60 {
        if world.runner.fold().is_over() {
            break;
        }
        world.tick();
        if world.phase() == TournamentPhase::Racing {
            world.end_boards(&[]);
        }
    }
    assert!(world.runner.fold().is_over());
    assert!(world.now >= TournamentInstant(120_000), "{:?}", world.now);
    assert!(world.runner.fold().stages()[0].rounds().len() > 2);
}

#[test]
fn who_is_absent_twice_is_drawn_no_more_until_a_check_in() {
    let mut world = World::entered("swiss:4x4", 4);
    world.command(TournamentCommand::Begin);
    for _ in 0..2 {
        world.until(TournamentPhase::Racing);
        world.end_boards(&[3]);
        world.tick();
    }
    let seats = |world: &World| {
        let round = world.runner.latest_round().unwrap();
        world.runner.fold().round(round).unwrap().draw.tables[0].seats.clone()
    };
    assert!(!seats(&world).contains(&EntrantId(3)));
    world.apply(Event::CheckIn { by: key(3) });
    world.until(TournamentPhase::Racing);
    world.end_boards(&[]);
    world.tick();
    assert!(seats(&world).contains(&EntrantId(3)));
}

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
        if let TournamentUpdate::NeedsConfirmation { discards: 0, unraced, .. } = answer {
            return Some(unraced);
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
    let mut world = World::entered("series:2", 2);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    world.end_boards(&[]);
    let places = world.places();
    assert_eq!(world.command(TournamentCommand::End { reason: None }), TournamentUpdate::Done);
    assert!(world.runner.head().closed && world.rooms.is_empty());
    assert_eq!(world.places(), places);
}

#[test]
fn a_board_raced_again_after_its_round_waits_for_the_pause_and_not_for_the_break() {
    for (pause, waits) in [(20, 20_000), (3, LEAD_IN.0)] {
        let mut world = World::entered("series:1", 2);
        world.runner.config.settings.pause_seconds = pause;
        world.command(TournamentCommand::Begin);
        world.until(TournamentPhase::Racing);
        let first = world.started.values().next().unwrap().0;
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
    let mut world = World::entered("knockout", 4);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    let (semi_final, seats) = world.started.values().next().unwrap().clone();
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
    // The times change, and nobody's seat.
    assert_eq!(world.command(exchange(0, "a slow clock")), TournamentUpdate::Done);
    assert_eq!(world.started[&room].0, of_final);
    // Another one has reached the final.
    assert_eq!(world.command(exchange(1, "exchanged")), TournamentUpdate::Done);
    assert!(world.effects.iter().any(|it| it.0.contains(&Effect::EndBoard { room })));
    assert!(world.started.is_empty());
    // What was raced until then counts for nobody.
    let lines = world.runner.lines().len();
    let rows = vec![(finalists[0], BoardOutcome::Dnf { progress: 10 })];
    world.apply(Event::BoardEnded { key: of_final, result: BoardResult { rows } });
    assert_eq!(world.runner.lines().len(), lines);
    world.until(TournamentPhase::Racing);
    let (again, finalists) = world.started.values().next().unwrap().clone();
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
        let mut world = World::entered("series:2", 2);
        world.command(TournamentCommand::Begin);
        world.until(TournamentPhase::Racing);
        let (key, seats) = world.started.values().next().unwrap().clone();
        let command = commands(key.round)[which].clone();
        assert_eq!(world.command(command.clone()), TournamentUpdate::Done, "{command:?}");
        // The table says how it ended, and the command is taken back.
        let rows = vec![(seats[0], BoardOutcome::Dnf { progress: 10 })];
        world.apply(Event::BoardEnded { key, result: BoardResult { rows } });
        let entry = u32::try_from(world.runner.fold().log().len()).unwrap() - 1;
        world.command(TournamentCommand::TakeBack { entry, reason: "a mistake".to_owned() });
        world.until(TournamentPhase::Racing);
        let (again, _) = world.started.values().next().unwrap();
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
    let cancelled = Effect::CancelTable { room };
    assert!(world.effects[before..].iter().any(|it| it.0.contains(&cancelled)));
    let entry = u32::try_from(world.runner.fold().log().len()).unwrap() - 1;
    world.command(TournamentCommand::TakeBack { entry, reason: "a mistake".to_owned() });
    world.until(TournamentPhase::Racing);
    assert_eq!(world.started.values().next().unwrap().0, key, "nobody has seen the board");
    world.race_to_the_end();
}

#[test]
fn a_table_whose_countdown_was_cancelled_races_no_board_that_others_know() {
    let mut world = World::entered("heats:2/1+final:1", 4);
    world.command(TournamentCommand::Begin);
    let key = world.started.values().next().unwrap().0;
    let replay = TournamentCommand::Replay {
        round: key.round,
        table: Some(key.table),
        board: None,
        reason: None,
    };
    world.command(replay);
    let entry = u32::try_from(world.runner.fold().log().len()).unwrap() - 1;
    world.until(TournamentPhase::Racing);
    world.command(TournamentCommand::TakeBack { entry, reason: "a mistake".to_owned() });
    world.end_boards(&[]);
    world.until(TournamentPhase::Racing);
    let again = world.started.values().next().unwrap().0;
    assert_eq!((again.table, again.board), (key.table, key.board));
    assert!(again.attempt > 1, "{again:?}");
    world.race_to_the_end();
}

#[test]
fn the_organiser_ends_a_final_to_which_fewer_than_two_come() {
    let mut world = World::entered("heats:2/1+final:1", 4);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    world.end_boards(&[]);
    let winner = world.runner.fold().standings()[0].entrant;
    world.command(TournamentCommand::Withdraw { entrant: winner, reason: None });
    world.tick();
    assert_eq!(world.phase(), TournamentPhase::Waiting);
    assert_eq!(world.command(TournamentCommand::EndStage), TournamentUpdate::Done);
    assert_eq!(world.phase(), TournamentPhase::Over);
    assert_eq!(world.places().len(), 4);
}

#[test]
fn a_board_goes_on_while_an_earlier_one_of_the_round_is_open_again() {
    let mut world = World::entered("series:2", 2);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    world.end_boards(&[]);
    let entry = u32::try_from(world.runner.fold().log().len()).unwrap() - 1;
    world.until(TournamentPhase::Racing);
    let second = world.started.values().next().unwrap().0;
    world.command(TournamentCommand::TakeBack { entry, reason: "a slow clock".to_owned() });
    assert_eq!(world.started.values().next().unwrap().0, second);
    assert_eq!(world.phase(), TournamentPhase::Racing);
    // Also through a restart.
    let room = *world.started.first_key_value().unwrap().0;
    let mut runner = TournamentRunner::recover(config(world.plan), world.runner.lines().to_vec());
    let tables = vec![RecoveredTable { room, key: second, is_running: true }];
    let effects = runner.apply(world.now, Event::Recovered { tables });
    assert!(!effects.0.contains(&Effect::EndBoard { room }));
    assert_eq!((runner.head().phase, runner.head().board), (TournamentPhase::Racing, 1));
    world.end_boards(&[]);
    assert!(world.runner.fold().round(second.round).unwrap().result(0, 1).is_some());
    world.until(TournamentPhase::Racing);
    let first = world.started.values().next().unwrap().0;
    assert_eq!((first.board, first.attempt), (0, 1));
    world.race_to_the_end();
}

#[test]
fn a_restarted_server_ends_a_board_that_counts_no_more() {
    let mut world = World::entered("series:2", 2);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    let (&room, &(key, _)) = world.started.first_key_value().unwrap();
    world.command(TournamentCommand::Replay {
        round: key.round,
        table: None,
        board: None,
        reason: None,
    });
    let mut runner = TournamentRunner::recover(config(world.plan), world.runner.lines().to_vec());
    let tables = vec![RecoveredTable { room, key, is_running: true }];
    let effects = runner.apply(world.now, Event::Recovered { tables });
    assert!(effects.0.contains(&Effect::EndBoard { room }));
    assert_ne!(runner.head().phase, TournamentPhase::Racing);
}

#[test]
fn the_disqualified_race_no_further_board_of_the_round() {
    let mut world = World::entered("series:2", 3);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    let (entrant, reason) = (EntrantId(1), "two keyboards".to_owned());
    assert_eq!(
        world.command(TournamentCommand::Disqualify { entrant, reason }),
        TournamentUpdate::Done
    );
    let seats = |world: &World| world.started.values().next().unwrap().1.clone();
    assert_eq!(seats(&world).len(), 3, "the board that is raced goes on");
    world.end_boards(&[]);
    assert_eq!(world.runner.call_of(key(1)), None);
    world.until(TournamentPhase::Racing);
    assert_eq!(seats(&world), [EntrantId(0), EntrantId(2)]);
    world.end_boards(&[]);
    assert_eq!(world.places(), [0, 2]);
}

#[test]
fn a_correction_right_after_the_end_calls_the_players_back() {
    let mut world = World::entered("series:1", 2);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    world.end_boards(&[]);
    assert_eq!((world.phase(), world.rooms.len()), (TournamentPhase::Over, 1));
    let entry = u32::try_from(world.runner.fold().log().len()).unwrap() - 1;
    let before = world.effects.len();
    world.command(TournamentCommand::TakeBack { entry, reason: "the wrong board".to_owned() });
    let called = |it: &Effect| matches!(it, Effect::Call { .. });
    let calls = world.effects[before..].iter().flat_map(|it| &it.0).filter(|it| called(it));
    assert_eq!(calls.count(), 2, "clients leave their tables at the end");
    world.race_to_the_end();
}

#[test]
fn players_of_a_table_that_was_done_are_called_back_to_race_again() {
    let mut world = World::entered("heats:2/1+final:1", 4);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
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
    assert_eq!(calls.filter(|it| matches!(it, Effect::Call { .. })).count(), 2);
    world.race_to_the_end();
}

#[test]
fn go_waits_for_players_whom_a_correction_moves_in_the_countdown() {
    let mut world = World::entered("swiss:2x2", 4);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    let (key, seats) = world.started.values().next().unwrap().clone();
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
    let told = |room| world.effects.last().unwrap().0.contains(&Effect::MoveGo { room, go });
    assert!(tables.into_iter().all(told));
    world.race_to_the_end();
}

#[test]
fn no_round_starts_before_players_are_back_after_a_restart() {
    let mut world = World::entered("swiss:2x2", 4);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    world.end_boards(&[]);
    let mut runner = TournamentRunner::recover(config(world.plan), world.runner.lines().to_vec());
    runner.config.settings.break_seconds = 5;
    let effects = runner.apply(world.now, Event::Recovered { tables: Vec::new() });
    assert!(effects.0.iter().any(|it| matches!(it, Effect::OpenTable { .. })));
    let go = runner.head().go.expect("the second round is drawn");
    assert_eq!(go, world.now + RETURN_TIME);
}

#[test]
fn a_replay_takes_another_board_and_discards_only_when_confirmed() {
    let mut world = World::entered("series:2", 2);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    let first = world.started.values().next().unwrap().0;
    world.end_boards(&[]);
    let replay =
        TournamentCommand::Replay { round: first.round, table: None, board: Some(0), reason: None };
    let asked = world.command_of(FOUNDER, replay.clone(), false);
    assert!(matches!(asked, TournamentUpdate::NeedsConfirmation { discards: 1, .. }), "{asked:?}");
    world.command(replay);
    world.until(TournamentPhase::Racing);
    let again = world.started.values().next().unwrap().0;
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
    let mut world = World::entered("series:2", 2);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    let first = world.started.values().next().unwrap().0;
    world.end_boards(&[]);
    let entry = u32::try_from(world.runner.fold().log().len()).unwrap() - 1;
    let reason = "the wrong board".to_owned();
    let taken_back = world.command(TournamentCommand::TakeBack { entry, reason });
    assert_eq!(taken_back, TournamentUpdate::Done);
    world.until(TournamentPhase::Racing);
    let again = world.started.values().next().unwrap().0;
    assert_eq!(again, ResultKey { attempt: 1, ..first });
    world.end_boards(&[]);
    world.race_to_the_end();
    assert_eq!(world.places(), [0, 1]);
}

#[test]
fn a_corrected_semi_final_has_the_final_raced_again_by_others() {
    let mut world = World::entered("knockout", 4);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    let (semi_final, seats) = world.started.values().next().unwrap().clone();
    world.end_boards(&[]);
    world.tick();
    world.until(TournamentPhase::Racing);
    let (_, finalists) = world.started.values().next().unwrap().clone();
    assert!(finalists.contains(&seats[0]));
    world.end_boards(&[]);
    let finished = |time| BoardOutcome::Finished { time: Millis(time) };
    let result = BoardResult { rows: vec![(seats[1], finished(7)), (seats[0], finished(8))] };
    let reason = "exchanged".to_owned();
    let set = TournamentCommand::SetResult { key: semi_final, result, reason };
    assert_eq!(world.command(set), TournamentUpdate::Done);
    world.until(TournamentPhase::Racing);
    let (_, finalists) = world.started.values().next().unwrap().clone();
    assert!(finalists.contains(&seats[1]) && !finalists.contains(&seats[0]), "{finalists:?}");
    world.race_to_the_end();
}

#[test]
fn a_result_counts_once_and_never_over_one_that_the_organiser_has_set() {
    let mut world = World::entered("series:1", 2);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    let (key, seats) = world.started.values().next().unwrap().clone();
    let rows = vec![(seats[1], BoardOutcome::Finished { time: Millis(7) })];
    let result = BoardResult { rows };
    let reason = "the power failed".to_owned();
    let set = TournamentCommand::SetResult { key, result: result.clone(), reason };
    assert_eq!(world.command(set), TournamentUpdate::Done);
    let rows = vec![(seats[0], BoardOutcome::Finished { time: Millis(5) })];
    world.apply(Event::BoardEnded { key, result: BoardResult { rows } });
    let round = world.runner.fold().round(key.round).unwrap();
    assert_eq!(round.result(0, 0), Some(&result));
}

#[test]
fn a_table_that_breaks_races_its_board_again_with_another_seed() {
    let mut world = World::entered("series:1", 2);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    let (room, (key, _)) = world.started.pop_first().unwrap();
    world.rooms.remove(&room);
    world.apply(Event::TableClosed { room });
    world.until(TournamentPhase::Racing);
    let (again, _) = world.started.values().next().unwrap();
    assert_eq!(*again, ResultKey { attempt: 1, ..key });
    assert!(!world.rooms.contains_key(&room));
}

#[test]
fn names_that_look_alike_and_second_entries_are_refused() {
    let mut world = World::entered("series:1", 1);
    let mut enter = |by: u8, name: &str| {
        let name = name.parse().unwrap();
        world.apply(Event::Enter { by: key(by), name, bot: false, team: None });
        world.replies.last().cloned().unwrap()
    };
    let refused = TournamentUpdate::Refused;
    assert_eq!(enter(5, "P1ayer 0"), refused(TournamentError::PlayerNameTaken));
    assert_eq!(enter(0, "Anna"), refused(TournamentError::AlreadyEntered));
    assert_eq!(enter(5, "Ben"), TournamentUpdate::Done);
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
    let seats = &world.runner.fold().round(world.runner.latest_round().unwrap()).unwrap().draw;
    assert_eq!(seats.tables[0].seats.len(), 2);
    // The settings are no part of the log.
    world.effects.clear();
    std::mem::forget(world);
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
fn a_restarted_server_adopts_the_tables_and_replays_the_boards_that_others_know() {
    let mut world = World::entered("heats:2/1+final:1", 4);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    let racing: Vec<(RoomCode, ResultKey)> =
        world.started.iter().map(|(room, (key, _))| (*room, *key)).collect();
    let [(kept, key), (_, lost)] = racing[..] else { panic!("{racing:?}") };
    let mut runner = TournamentRunner::recover(config(world.plan), world.runner.lines().to_vec());
    // A result that was stored without its line comes first, and opens no table.
    let stored = Event::BoardEnded { key: lost, result: BoardResult::default() };
    let mut with_result = runner.clone();
    let opens_none = |effects: &Effects| effects.0.iter().all(|it| matches!(it, Effect::Append(_)));
    assert!(opens_none(&with_result.apply(world.now, stored)));
    let tables = vec![RecoveredTable { room: kept, key, is_running: true }];
    let effects = with_result.apply(world.now, Event::Recovered { tables: tables.clone() });
    assert!(
        !effects.0.iter().any(|it| matches!(it, Effect::OpenTable { first, .. } if *first == key))
    );
    assert!(!effects.0.contains(&Effect::CloseTable { room: kept }));
    let effects = runner.apply(world.now, Event::Recovered { tables });
    let opens = |effect: &Effect| {
        if let Effect::OpenTable { first, .. } = effect { Some(*first) } else { None }
    };
    let opened: Vec<ResultKey> = effects.0.iter().filter_map(opens).collect();
    assert_eq!(opened, [ResultKey { attempt: 1, ..lost }]);
    assert_eq!(runner.head().phase, TournamentPhase::Racing);
    assert_eq!(runner.head().go, None, "the GO of a board that an earlier server started");
}

#[test]
fn an_entrant_who_is_seated_at_a_table_again_is_called_again() {
    let mut world = World::entered("heats:3/1+final:1", 5);
    world.command(TournamentCommand::Begin);
    let round = world.runner.latest_round().unwrap();
    let tables = &world.runner.fold().round(round).unwrap().draw.tables;
    // From the table with three seats to the one with two, and back.
    let from = tables.iter().find(|table| table.seats.len() == 3).unwrap();
    let (from, to, moved) = (from.number, 1 - from.number, from.seats[0]);
    let call = |world: &World| world.runner.call_of(world.runner.entrants().key_of(moved)?);
    let first = call(&world).unwrap();
    for table in [to, from] {
        world.command(TournamentCommand::Unseat { entrant: moved, reason: None });
        world.command(TournamentCommand::Seat { table, entrant: moved, reason: None });
        let own = call(&world).unwrap();
        assert_eq!(own.table, table);
        let key = world.runner.entrants().key_of(moved).unwrap();
        let called = Effect::Call { key, call: own };
        assert!(world.effects.last().unwrap().0.contains(&called), "table {table}");
    }
    assert_eq!(call(&world).unwrap().code, first.code);
}

#[test]
fn who_has_the_same_boards_to_race_watches_no_other_table() {
    let mut world = World::entered("heats:2/1+final:1", 4);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    let seated: Vec<(RoomCode, Vec<EntrantId>)> =
        world.started.iter().map(|(room, (_, seats))| (*room, seats.clone())).collect();
    let [(own, seats), (other, _)] = &seated[..] else { panic!("{seated:?}") };
    let key_of = |world: &World| world.runner.entrants().key_of(seats[0]).unwrap();
    let races = |world: &World, room| world.runner.races_boards_of(key_of(world), room);
    assert!(races(&world, *other));
    assert!(!races(&world, *own));
    assert!(!world.runner.races_boards_of(key(FOUNDER), *other), "who has no seat watches all");
    // The own table's board ends first.
    let (board, seats) = world.started.remove(own).unwrap();
    let rows = seats.iter().map(|it| (*it, BoardOutcome::Finished { time: Millis(1_000) }));
    let result = BoardResult { rows: rows.collect() };
    world.apply(Event::BoardEnded { key: board, result });
    assert!(!races(&world, *other));
}

#[test]
fn a_tournament_in_which_nothing_happens_is_closed() {
    let ends = |world: &mut World| {
        let last = world.runner.lines().last().unwrap().at;
        world.tick();
        assert!(world.runner.is_closed());
        assert!(world.rooms.is_empty());
        world.now.0 - last.0
    };
    assert_eq!(ends(&mut World::entered("series:1", 1)), EMPTY_FOR.0);
    assert_eq!(ends(&mut World::entered("series:1", 2)), ABANDONED_AFTER.0);
    let mut world = World::entered("series:1", 2);
    world.command(TournamentCommand::Begin);
    world.command(TournamentCommand::Pause);
    assert_eq!(ends(&mut world), ABANDONED_AFTER.0);
}

#[test]
fn all_tables_of_a_round_share_one_drawing() {
    let mut world = World::entered("heats:2/1+final:1", 12);
    world.command(TournamentCommand::Begin);
    world.until(TournamentPhase::Racing);
    let effects = world.effects.iter().flat_map(|it| &it.0);
    let drawn: Vec<BoardKey> = effects
        .filter_map(|it| if let Effect::DrawBoard(board) = it { Some(*board) } else { None })
        .collect();
    assert_eq!((world.started.len(), drawn.len()), (6, 1), "{drawn:?}");
}

#[test]
fn a_late_entrant_gets_the_seat_while_the_table_counts_down() {
    let mut world = World::entered("heats:4/1+final:1", 7);
    world.command(TournamentCommand::Begin);
    let seats = |world: &World| -> Vec<EntrantId> {
        world.started.values().flat_map(|(_, seats)| seats.clone()).collect()
    };
    assert_eq!(seats(&world).len(), 7);
    world.enter(7);
    assert!(seats(&world).contains(&EntrantId(7)), "{:?}", world.started);
    world.until(TournamentPhase::Racing);
    assert_eq!(seats(&world).len(), 8);
}
