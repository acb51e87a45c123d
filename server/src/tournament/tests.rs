//! A tournament as the log of its events. Each log is applied twice, and its lines are folded again.

mod commands;
mod corrections;
mod entries;
mod restarts;

use super::draws::LEAD_IN;
use super::*;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::heat::ids::RoomCode;
use gridrace_shared::protocol::tournament::{PageOf, PageRows, TournamentCommand};
use gridrace_shared::tournament::draw::DrawnTable;
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
    /// Whether a room is open as soon as it is asked for.
    opens_rooms: bool,
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
            opens_rooms: true,
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

    /// Opens a tournament whose first board is raced.
    fn racing(plan: &'static str, players: u8) -> Self {
        let mut world = Self::entered(plan, players);
        world.command(TournamentCommand::Begin);
        world.until(TournamentPhase::Racing);
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
                Effect::Job(job) => self.run_job(job),
                Effect::Reply(update) => self.replies.push(update),
                Effect::Append(_)
                | Effect::Broadcast(_)
                | Effect::NotifyKey(_)
                | Effect::DropBoard(_)
                | Effect::Closed => {}
            }
        }
    }

    fn run_job(&mut self, job: TableJob) {
        match job {
            TableJob::DrawBoard(board) => self.apply(Event::BoardDrawn { board, is_drawn: true }),
            TableJob::Open { table, .. } if self.opens_rooms => self.open_room(table),
            TableJob::Start { room, key, seats, .. } => {
                self.started.insert(room, (key, seats));
            }
            TableJob::Cancel { room } | TableJob::EndBoard { room } => {
                self.started.remove(&room);
            }
            TableJob::Close { room } => {
                self.rooms.remove(&room);
                self.started.remove(&room);
            }
            TableJob::Open { .. }
            | TableJob::MoveGo { .. }
            | TableJob::Call { .. }
            | TableJob::AdmitKey { .. } => {}
        }
    }

    fn open_room(&mut self, table: TableKey) {
        let room = RoomCode::from_number(self.next_room);
        self.next_room += 1;
        self.rooms.insert(room, table);
        self.apply(Event::TableOpened { table, room: Some(room) });
    }

    /// Sends a request of an entrant's; returns the answer.
    fn answer(&mut self, event: Event) -> TournamentUpdate {
        self.apply(event);
        self.replies.last().cloned().unwrap()
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
            if self.runner.fold.is_over() {
                return;
            }
            self.until(TournamentPhase::Racing);
            self.end_boards(&[]);
            if !self.runner.fold.is_over() {
                self.tick();
            }
        }
        panic!("never over");
    }

    /// Returns the board that the first room counts down to, or races, and its seats.
    fn board(&self) -> (ResultKey, Vec<EntrantId>) {
        self.started.values().next().unwrap().clone()
    }

    /// Returns the number of the last entry in the log.
    fn last_entry(&self) -> u32 {
        u32::try_from(self.runner.fold.log().len()).unwrap() - 1
    }

    fn places(&self) -> Vec<u32> {
        self.runner.fold.standings().iter().map(|row| row.entrant.0).collect()
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
        assert_eq!(recovered.present, self.runner.present);
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
        if world.runner.fold.is_over() {
            break;
        }
        world.tick();
        if world.phase() == TournamentPhase::Racing {
            world.end_boards(&[]);
        }
    }
    assert!(world.runner.fold.is_over());
    assert!(world.now >= TournamentInstant(120_000), "{:?}", world.now);
    assert!(world.runner.fold.stages()[0].rounds().len() > 2);
}

/// An arena of six in which two of three tables are done, and left; with the round of all and the tables.
fn left_arena() -> (World, RoundKey, Vec<(u16, Vec<EntrantId>)>) {
    let mut world = World::racing("arena:2x9m", 6);
    let round = world.board().0.round;
    let tables: Vec<(u16, Vec<EntrantId>)> =
        world.started.values().map(|(key, seats)| (key.table, seats.clone())).collect();
    let rest = world.started.split_off(&RoomCode::from_number(2));
    assert_eq!((world.started.len(), rest.len()), (2, 1));
    world.end_boards(&[]);
    world.started = rest;
    (world, round, tables)
}

#[test]
fn the_players_of_a_table_of_an_arena_wait_for_the_next_one_and_meet_others() {
    let (mut world, round, tables) = left_arena();
    let done = world.now;
    while world.runner.fold.stages()[0].rounds().len() == 1 {
        world.tick();
    }
    assert_eq!(world.now.since(done), round_schedule::RESULTS_SHOWN);
    let next = RoundKey { round: 1, ..round };
    let drawn = world.runner.fold.round(next).unwrap();
    assert_eq!(drawn.draw.tables.len(), 2);
    let met: Vec<BTreeSet<EntrantId>> =
        tables.iter().map(|(_, seats)| seats.iter().copied().collect()).collect();
    let is_new = |table: &DrawnTable| !met.contains(&table.seats.iter().copied().collect());
    assert!(drawn.draw.tables.iter().all(is_new), "{drawn:?}");
    world.started.retain(|_, (key, _)| key.round == round);
    world.end_boards(&[]);
    assert_eq!(world.phase(), TournamentPhase::Break, "the next board is to begin");
    // The tables that were not left have their rooms.
    assert_eq!(world.rooms.len(), 3);
    let page = world.runner.page(PageOf::Tables { round: None }, 0, &BTreeSet::new());
    let PageRows::Tables(rows) = page.rows else { panic!("{page:?}") };
    let open = rows.iter().map(|row| (row.round, row.room.is_some()));
    let rooms = [(round, false), (round, false), (round, true), (next, true), (next, true)];
    assert_eq!(open.collect::<Vec<_>>(), rooms);
    // One that is raced again would take its players from where they race.
    let (table, board, reason) = (Some(tables[0].0), None, None);
    let replay = TournamentCommand::Replay { round, table, board, reason };
    assert!(matches!(world.command(replay), TournamentUpdate::Refused(_)));
}

#[test]
fn a_table_of_an_arena_that_was_left_has_a_room_again_when_its_board_is_raced_again() {
    let (mut world, round, _) = left_arena();
    world.command(TournamentCommand::Pause);
    world.tick();
    assert_eq!(
        world.rooms.len(),
        1,
        "players have left two tables, and are drawn to none in a pause"
    );
    let replay = TournamentCommand::Replay { round, table: None, board: None, reason: None };
    assert_eq!(world.command(replay), TournamentUpdate::Done);
    assert_eq!(world.rooms.len(), 3);
    world.command(TournamentCommand::Resume);
    world.until(TournamentPhase::Racing);
    assert_eq!(world.started.len(), 3);
}

#[test]
fn a_tournament_whose_log_is_full_is_closed() {
    let mut world = World::entered("arena:2x2m", 4);
    world.command(TournamentCommand::Begin);
    let mut lines = world.runner.lines().to_vec();
    let text = "A word".parse().unwrap();
    let (at, by) = (world.now, LogAuthor::Key(key(FOUNDER)));
    lines.resize(MAX_LINES, LogLine { at, by, event: PublicEvent::Announced { text } });
    let mut runner = TournamentRunner::recover(config(world.plan), lines);
    let recovered = Event::Recovered { tables: Vec::new(), results: Vec::new() };
    let effects = runner.apply(world.now, recovered);
    assert!(effects.0.contains(&Effect::Closed));
    assert_eq!((runner.is_closed(), runner.deadline()), (true, None));
    let reason = runner.lines().last().map(|line| line.event.clone());
    let full = Some("its log is full".parse().unwrap());
    assert_eq!(reason, Some(PublicEvent::Ended { reason: full }));
}

#[test]
fn a_board_that_is_dropped_while_it_is_generated_is_awaited_no_more() {
    let mut world = World::entered("series:2", 3);
    world.command(TournamentCommand::Begin);
    let board = BoardKey::from(world.board().0);
    assert!(world.runner.awaits_board(board));
    world.command(TournamentCommand::End { reason: None });
    assert!(!world.runner.awaits_board(board));
}

#[test]
fn one_who_finds_no_opponent_in_an_arena_waits_and_has_no_bye() {
    let no_bye = |world: &World| {
        let rounds = world.runner.fold.stages()[0].rounds();
        rounds.iter().all(|round| round.draw.walkovers.is_empty())
    };
    let mut world = World::entered("arena:2x2m", 3);
    world.command(TournamentCommand::Begin);
    for _ in 0..30 {
        if !world.runner.fold.is_over() {
            world.tick();
            world.end_boards(&[]);
        }
    }
    let rounds = world.runner.fold.stages()[0].rounds();
    assert!(no_bye(&world) && rounds[1].entering.contains(&EntrantId(2)), "{rounds:?}");

    let mut world = World::entered("arena:2x2m", 4);
    world.command(TournamentCommand::Begin);
    let (entrant, reason) = (EntrantId(1), "two keyboards".to_owned());
    world.command(TournamentCommand::Disqualify { entrant, reason });
    assert_eq!(world.command(TournamentCommand::Redraw { reason: None }), TournamentUpdate::Done);
    let round = &world.runner.fold.stages()[0].rounds()[0];
    assert!(no_bye(&world) && !round.entering.contains(&entrant), "{round:?}");
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
        world.runner.fold.round(round).unwrap().draw.tables[0].seats.clone()
    };
    assert!(!seats(&world).contains(&EntrantId(3)));
    world.apply(Event::CheckIn { by: key(3) });
    world.until(TournamentPhase::Racing);
    world.end_boards(&[]);
    world.tick();
    assert!(seats(&world).contains(&EntrantId(3)));
}

#[test]
fn a_restarted_server_ends_a_board_that_counts_no_more() {
    let mut world = World::racing("series:2", 2);
    let (&room, &(key, _)) = world.started.first_key_value().unwrap();
    world.command(TournamentCommand::Replay {
        round: key.round,
        table: None,
        board: None,
        reason: None,
    });
    let mut runner = TournamentRunner::recover(config(world.plan), world.runner.lines().to_vec());
    let tables = vec![RecoveredTable { room, key, is_running: true }];
    let effects = runner.apply(world.now, Event::Recovered { tables, results: Vec::new() });
    assert!(effects.0.contains(&Effect::Job(TableJob::EndBoard { room })));
    assert_ne!(runner.head().phase, TournamentPhase::Racing);
}

#[test]
fn the_disqualified_race_no_further_board_of_the_round() {
    let mut world = World::racing("series:2", 3);
    let (entrant, reason) = (EntrantId(1), "two keyboards".to_owned());
    assert_eq!(
        world.command(TournamentCommand::Disqualify { entrant, reason }),
        TournamentUpdate::Done
    );
    let seats = |world: &World| world.board().1;
    assert_eq!(seats(&world).len(), 3, "the board that is raced goes on");
    world.end_boards(&[]);
    assert_eq!(world.runner.call_of(key(1)), None);
    world.until(TournamentPhase::Racing);
    assert_eq!(seats(&world), [EntrantId(0), EntrantId(2)]);
    world.end_boards(&[]);
    assert_eq!(world.places(), [0, 2]);
}

#[test]
fn no_round_starts_before_players_are_back_after_a_restart() {
    let mut world = World::racing("swiss:2x2", 4);
    world.end_boards(&[]);
    let mut runner = TournamentRunner::recover(config(world.plan), world.runner.lines().to_vec());
    runner.config.settings.break_seconds = 5;
    let effects =
        runner.apply(world.now, Event::Recovered { tables: Vec::new(), results: Vec::new() });
    assert!(effects.0.iter().any(|it| matches!(it, Effect::Job(TableJob::Open { .. }))));
    let go = runner.head().go.expect("the second round is drawn");
    assert_eq!(go, world.now + RETURN_TIME);
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
fn a_restarted_server_adopts_the_tables_and_replays_the_boards_that_others_know() {
    let world = World::racing("heats:2/1+final:1", 4);
    let racing: Vec<(RoomCode, ResultKey)> =
        world.started.iter().map(|(room, (key, _))| (*room, *key)).collect();
    let [(kept, key), (_, lost)] = racing[..] else { panic!("{racing:?}") };
    let mut runner = TournamentRunner::recover(config(world.plan), world.runner.lines().to_vec());
    // A result that was stored without its line counts; one of a board that is still raced doesn't.
    let mut with_results = runner.clone();
    let tables = vec![RecoveredTable { room: kept, key, is_running: true }];
    let results = [lost, key].map(|it| (it, BoardResult::default())).to_vec();
    let recovered = Event::Recovered { tables: tables.clone(), results };
    let effects = with_results.apply(world.now, recovered);
    let is_touched = |it: &Effect| {
        *it == Effect::Job(TableJob::EndBoard { room: kept })
            || *it == Effect::Job(TableJob::Close { room: kept })
            || matches!(it, Effect::Job(TableJob::Open { first, .. }) if *first == key)
    };
    assert!(!effects.0.iter().any(is_touched), "{effects:?}");
    let round = with_results.fold.round(key.round).unwrap();
    let has_result = |key: ResultKey| round.result(key.table, key.board).is_some();
    assert_eq!((has_result(lost), has_result(key)), (true, false));
    let effects = runner.apply(world.now, Event::Recovered { tables, results: Vec::new() });
    let opens = |effect: &Effect| {
        if let Effect::Job(TableJob::Open { first, .. }) = effect { Some(*first) } else { None }
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
    let tables = &world.runner.fold.round(round).unwrap().draw.tables;
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
        let called = Effect::Job(TableJob::Call { key, call: own });
        assert!(world.effects.last().unwrap().0.contains(&called), "table {table}");
    }
    assert_eq!(call(&world).unwrap().code, first.code);
}

#[test]
fn who_has_the_same_boards_to_race_watches_no_other_table() {
    let mut world = World::racing("heats:2/1+final:1", 4);
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
    let world = World::racing("heats:2/1+final:1", 12);
    let effects = world.effects.iter().flat_map(|it| &it.0);
    let drawn: Vec<BoardKey> = effects
        .filter_map(|it| {
            if let Effect::Job(TableJob::DrawBoard(board)) = it { Some(*board) } else { None }
        })
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

#[test]
fn a_late_entrant_who_opens_a_table_joins_at_the_board_that_comes() {
    let came = [TournamentPhase::Break, TournamentPhase::Racing, TournamentPhase::Pause];
    for (came, first) in came.into_iter().zip([0, 1, 1]) {
        let mut world = World::entered("series:3", 32);
        world.command(TournamentCommand::Begin);
        if came != TournamentPhase::Break {
            world.until(TournamentPhase::Racing);
        }
        if came == TournamentPhase::Pause {
            world.end_boards(&[]);
        }
        world.enter(32);
        if came == TournamentPhase::Racing {
            world.end_boards(&[]);
        }
        world.until(TournamentPhase::Racing);
        let started = world.started.values().map(|(key, _)| (key.table, key.board, key.attempt));
        assert_eq!(started.collect::<Vec<_>>(), [(0, first, 0), (1, first, 0)], "{came:?}");
        world.race_to_the_end();
        let round = world.runner.fold.round(world.runner.latest_round().unwrap()).unwrap();
        for board in 0..3 {
            let outcome = round.result(1, board).unwrap().outcome(EntrantId(32));
            assert_eq!(outcome == BoardOutcome::Dns, board < first, "{came:?}, board {board}");
        }
    }
}
