//! Tables of tournaments: what they report, what is on the disk, and many of them at once.

use super::world::World;
use super::*;
use crate::hub::NewTable;
use crate::race::{
    Newcomer, ReservedSeat, TableConfig, TableEvent, TableNews, TablePhase, TableReport, TableStart,
};
use gridrace_shared::heat::commitment::SeedOrigin;
use gridrace_shared::heat::identity::Fingerprint;
use gridrace_shared::protocol::client::Role;
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::tournament::ids::{EntrantId, ResultKey, RoundKey};
use gridrace_shared::tournament::result::BoardResult;

const SPEC: &str = "slide:3x3";

fn key(entrant: u32) -> Fingerprint {
    Fingerprint::try_from(format!("{entrant:032x}")).unwrap()
}

fn seats(entrants: std::ops::Range<u32>) -> Vec<ReservedSeat> {
    let seat = |entrant| ReservedSeat {
        entrant: EntrantId(entrant),
        key: key(entrant),
        name: format!("Entrant {entrant}").parse().unwrap(),
        bot: false,
    };
    entrants.map(seat).collect()
}

fn board(table: u16, board: u8) -> ResultKey {
    ResultKey { round: RoundKey { stage: 0, round: 0 }, table, board, attempt: 0 }
}

fn secret(seed: &str) -> HeatSecret {
    Rng::default().secret_of(seed.parse().unwrap(), SeedOrigin::Drawn).into()
}

fn new_table(number: u16, entrants: std::ops::Range<u32>) -> NewTable {
    let tournament = "friday-cup".parse().unwrap();
    let table = TableConfig { tournament, board: board(number, 0), seats: seats(entrants) };
    let options = world::options(SPEC);
    NewTable { table, options, secret: secret("first"), pin: None }
}

/// Starts a board whose GO is now.
fn start(room: &Room, number: u16, entrants: std::ops::Range<u32>, seed: &str) -> TableEvent {
    let secret = secret(seed);
    let spec: PuzzleSpec = SPEC.parse().unwrap();
    let drawn = GeneratedBoard::of(&spec, &secret.secret.seed);
    let (board, seats) = (board(number, 0), seats(entrants));
    let go = room.services.clock.now();
    TableEvent::Start(Box::new(TableStart { board, seats, spec, secret, drawn, go }))
}

fn arrives(room: &Arc<Room>, entrant: u32) -> TestMember {
    let name = format!("Anyone {entrant}").parse().unwrap();
    TestMember::join_as(room, Newcomer { identity: Some(key(entrant)), ..Newcomer::person(name) })
}

#[tokio::test]
async fn a_tournament_is_told_what_happens_once_it_is_durable() {
    let world = World::new();
    let mut reports = world.hub.table_reports().unwrap();
    let room = world.hub.open_table(new_table(3, 0..2)).unwrap();
    let mut anna = arrives(&room, 0);
    room.apply_table(start(&room, 3, 0..2, "first"));
    anna.receive_board_at_go().await;
    let TableReport { room: code, board: raced, news, .. } = reports.recv().await.unwrap();
    assert_eq!((code, raced), (room.code(), board(3, 0)));
    assert_eq!(news, TableNews::Started { absent: vec![EntrantId(1)] });
    let locked = recorded::lock(&world);
    room.apply(Event::GiveUp { by: anna.id });
    recorded::run_other_tasks().await;
    assert!(reports.try_recv().is_err());
    drop(locked);
    let TableNews::Ended(result) = reports.recv().await.unwrap().news else { panic!() };
    assert_eq!(result.rows.iter().map(|(entrant, _)| entrant.0).collect::<Vec<_>>(), [0]);
    room.apply_table(TableEvent::Close);
    assert_eq!(reports.recv().await.unwrap().news, TableNews::Closed);
    anna.receive_that(|message| matches!(message, ServerMessage::Goodbye(_))).await;
    world.hub.close_if_empty(&room);
    assert!(world.hub.find(room.code()).is_none());
    assert!(world.after_kill().hub.tables().is_empty());
}

#[tokio::test]
async fn a_table_is_continued_by_the_next_server_in_each_phase() {
    let world = World::new();
    let rooms = world.hub.open_tables((0..3).map(|n| new_table(n, 0..1)).collect()).await;
    let rooms: Vec<Arc<Room>> = rooms.into_iter().map(Result::unwrap).collect();
    let mut members: Vec<_> = rooms.iter().map(|room| arrives(room, 0)).collect();
    for (number, room) in (0u16..).zip(&rooms).skip(1) {
        room.apply_table(start(room, number, 0..1, "first"));
        members[usize::from(number)].receive_board_at_go().await;
    }
    rooms[2].apply(Event::GiveUp { by: members[2].id });
    members[2].receive_result().await;
    let world = world.after_kill();
    let mut tables = world.hub.tables();
    tables.sort_by_key(|(_, status)| status.board);
    let phases: Vec<_> = tables.iter().map(|(_, status)| status.phase.clone()).collect();
    let [TablePhase::Lobby, TablePhase::Running, TablePhase::Over(BoardResult { rows })] =
        &phases[..]
    else {
        panic!("{phases:?}")
    };
    assert_eq!(rows.len(), 1);
    assert!(tables.iter().all(|(_, status)| status.connected.is_empty()));
    // Without its token, by the key.
    let (room, _) = &tables[1];
    let mut back = arrives(room, 0);
    let snapshot = back
        .receive(|message| {
            if let ServerMessage::Joined { room, .. } = message { Some(room.clone()) } else { None }
        })
        .await;
    assert!(matches!(snapshot.phase, Phase::Running { .. }) && snapshot.seat.is_some());
}

#[tokio::test]
async fn tables_of_a_round_share_a_board_a_rating_and_the_instant_of_go() {
    let (hub, _) = Hub::new(Vec::new()).unwrap();
    let (spec, seed): (PuzzleSpec, Seed) = (SPEC.parse().unwrap(), "round".parse().unwrap());
    let drawn = hub.draw_board(spec, seed).await.unwrap();
    let best = hub.rate_board(spec, drawn.board.clone()).await.unwrap();
    let new = (0..512).map(|n| new_table(n, u32::from(n) * 2..u32::from(n) * 2 + 2)).collect();
    let rooms: Vec<_> = hub.open_tables(new).await.into_iter().map(Result::unwrap).collect();
    assert!(hub.list().is_empty(), "tables are in no list");
    let mut anna = arrives(&rooms[511], 1_022);
    for (number, room) in (0u16..).zip(&rooms) {
        let entrants = u32::from(number) * 2..u32::from(number) * 2 + 2;
        let TableEvent::Start(mut start) = start(room, number, entrants, "round") else { panic!() };
        start.drawn = drawn.clone();
        start.go = ServerInstant(3_600_000_000);
        room.apply_table(TableEvent::Start(start));
    }
    let countdown = TablePhase::Countdown { go: ServerInstant(3_600_000_000) };
    while hub.tables().iter().any(|(_, status)| status.phase != countdown) {
        tokio::task::yield_now().await;
    }
    let room = &rooms[511];
    room.apply_table(start(room, 511, 1_022..1_024, "round"));
    assert_eq!(anna.receive_board_at_go().await, drawn.board);
    room.rate_table(board(511, 0), best);
    room.apply(Event::GiveUp { by: anna.id });
    assert_eq!(anna.receive_result().await.best, Some(best));
}

#[tokio::test]
async fn a_table_that_breaks_is_reported_as_closed() {
    let world = World::new();
    let mut reports = world.hub.table_reports().unwrap();
    assert!(world.hub.table_reports().is_none());
    let room = world.hub.open_table(new_table(0, 0..2)).unwrap();
    room.panic_for_test();
    assert!(room.table_status().is_none());
    assert_eq!(reports.recv().await.unwrap().news, TableNews::Closed);
}

#[tokio::test]
async fn a_pin_is_for_spectators_and_too_many_seats_are_refused() {
    let (hub, _) = Hub::new(Vec::new()).unwrap();
    let pin: gridrace_shared::heat::pin::Pin = "4711".parse().unwrap();
    let room = hub.open_table(NewTable { pin: Some(pin), ..new_table(0, 0..1) }).unwrap();
    let newcomer =
        |identity, role| Newcomer { identity, role, ..Newcomer::person("Anna".parse().unwrap()) };
    assert!(room.check_pin(None, &newcomer(Some(key(0)), Role::Player), None).is_ok());
    assert!(room.check_pin(None, &newcomer(Some(key(1)), Role::Spectator), None).is_err());
    assert!(hub.open_table(new_table(1, 0..33)).is_err());
}
