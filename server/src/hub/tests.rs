//! The registry: which rooms are closed, and which are reopened.

use super::*;
use crate::platform::rng::Rng;
use crate::race::{Newcomer, TableEvent, TableStart};
use crate::room::outbox::Outbox;
use crate::tournament;
use futures_util::FutureExt;
use gridrace_shared::heat::identity::{Fingerprint, Key};
use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::protocol::tournament::{TournamentCommand, TournamentError};
use gridrace_shared::solver::knowledge::GeneratedBoard;
use gridrace_shared::tournament::ids::{ResultKey, RoundKey};
use gridrace_shared::tournament::settings::TournamentSettings;
use std::time::Duration;
use tournaments::TournamentHandle;

fn options() -> HeatOptions {
    HeatOptions::new("slide:3x3".parse().unwrap())
}

fn hub(standing: Vec<StandingRoom>) -> (Hub, Vec<RoomCode>) {
    Hub::new(standing).unwrap()
}

fn standing(bots: usize) -> StandingRoom {
    let (options, bots) = (options(), vec![Skill::Expert; bots]);
    StandingRoom { name: None, options, seed: None, bots, pin: None }
}

fn join(room: &Arc<Room>, name: &str) -> PlayerId {
    join_with(room, name, &Arc::default())
}

fn join_with(room: &Arc<Room>, name: &str, outbox: &Arc<Outbox>) -> PlayerId {
    let name = name.parse().unwrap();
    room.join(outbox, Newcomer::person(name), Rng::default().token()).unwrap()
}

fn leave(hub: &Hub, room: &Arc<Room>, who: PlayerId) {
    room.apply(crate::race::Event::Leave { by: who });
    hub.close_if_empty(room);
}

#[tokio::test]
async fn a_room_is_found_by_its_code_until_its_last_member_leaves() {
    let (hub, _) = hub(Vec::new());
    let room = hub.open(options(), None).unwrap();
    let (anna, ben) = (join(&room, "Anna"), join(&room, "Ben"));
    leave(&hub, &room, anna);
    assert!(hub.find(room.code()).is_some());
    leave(&hub, &room, ben);
    assert!(hub.find(room.code()).is_none());
}

#[tokio::test]
async fn the_number_of_rooms_is_bounded() {
    let (hub, _) = hub(Vec::new());
    let rooms: Vec<_> = (0..MAX_ROOMS).map(|_| hub.open(options(), None).unwrap()).collect();
    let full = |opened: Result<_, _>| opened.map(drop).unwrap_err();
    assert_eq!(full(hub.open(options(), None)), OpenError::Full);
    hub.close_if_empty(&rooms[0]);
    assert!(hub.open(options(), None).is_ok());
    assert_eq!(full(hub.open(options(), None)), OpenError::Full);
}

#[tokio::test]
async fn a_closed_room_cannot_be_joined() {
    let (hub, _) = hub(Vec::new());
    let room = hub.open(options(), None).unwrap();
    hub.close_if_empty(&room);
    let joined = room.join(
        &Arc::default(),
        Newcomer::person("Anna".parse().unwrap()),
        Rng::default().token(),
    );
    assert_eq!(joined, Err(crate::room::JoinError::Closed));
}

#[tokio::test]
async fn a_standing_room_is_reset_when_its_members_have_left() {
    let (hub, codes) = hub(vec![standing(2)]);
    let room = hub.find(codes[0]).unwrap();
    let anna = join(&room, "Anna");
    let other = HeatOptions::new("slide:9x9".parse().unwrap());
    room.apply(crate::race::Event::Options {
        by: anna,
        options: other,
        secret: Rng::default().secret(None).into(),
    });
    assert_eq!(hub.list()[0].spec.to_string(), "slide:9x9");
    leave(&hub, &room, anna);
    let [listed] = &hub.list()[..] else { panic!("one room stands") };
    assert_eq!((listed.code, listed.players), (codes[0], 2));
    assert_eq!(listed.spec, options().spec);
}

#[tokio::test]
async fn closing_twice_leaves_a_later_room_of_the_same_code_alone() {
    let (hub, codes) = hub(vec![standing(0)]);
    let old = hub.find(codes[0]).unwrap();
    hub.close_if_empty(&old);
    let new = hub.find(codes[0]).unwrap();
    join(&new, "Anna");
    hub.close_if_empty(&old);
    assert!(Arc::ptr_eq(&hub.find(codes[0]).unwrap(), &new));
    assert_eq!(new.members(), 1);
}

#[tokio::test]
async fn the_reaper_leaves_the_room_alone_that_has_replaced_a_closed_one() {
    let (hub, codes) = hub(vec![standing(0)]);
    let old = hub.find(codes[0]).unwrap();
    let anna = join(&old, "Anna");
    leave(&hub, &old, anna);
    let new = hub.find(codes[0]).unwrap();
    assert!(!Arc::ptr_eq(&old, &new));
    // It handles what is queued, and waits.
    assert!(hub.run_reaper().now_or_never().is_none());
    assert!(Arc::ptr_eq(&hub.find(codes[0]).unwrap(), &new));
}

#[tokio::test]
async fn a_standing_room_with_more_bots_than_seats_is_refused() {
    let opened = Hub::new(vec![standing(crate::race::MAX_PLAYERS + 1)]);
    assert_eq!(opened.err(), Some(OpenError::TooManyBots));
}

#[tokio::test(start_paused = true)]
async fn the_public_list_is_made_four_times_a_second() {
    let (hub, _) = hub(Vec::new());
    assert_eq!(hub.public_rooms(), []);
    let _room = hub.open(options(), None).unwrap();
    for (pause, count) in [(249, 0), (1, 1)] {
        tokio::time::advance(Duration::from_millis(pause)).await;
        assert_eq!(hub.public_rooms().len(), count);
    }
}

#[tokio::test]
async fn private_rooms_are_not_listed() {
    let (hub, _) = hub(Vec::new());
    let private = HeatOptions { private: true, ..options() };
    let room = hub.open(private, None).unwrap();
    join(&room, "Anna");
    assert!(hub.list().is_empty());
    assert_eq!(hub.people(), 1, "a host who ends the server ends private rooms as well");
}

#[tokio::test]
async fn closing_the_hub_closes_every_room_and_its_bots() {
    let (hub, codes) = hub(vec![standing(3)]);
    let room = hub.find(codes[0]).unwrap();
    hub.close();
    assert!(hub.find(codes[0]).is_none());
    assert_eq!(room.members(), 0);
    // The bots hold the room until their tasks end.
    while Arc::strong_count(&room) > 1 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_panic_closes_only_its_own_room() {
    let (hub, _) = hub(Vec::new());
    let (broken, sound) = (hub.open(options(), None).unwrap(), hub.open(options(), None).unwrap());
    let outbox = Arc::new(Outbox::default());
    let anna = join_with(&broken, "Anna", &outbox);
    let bens = Arc::new(Outbox::default());
    let ben = join_with(&sound, "Ben", &bens);
    broken.panic_for_test();
    assert!(!broken.has_member(anna, &outbox));
    assert!(outbox.take(ServerInstant::default()).ending.is_some());
    leave(&hub, &broken, anna);
    assert!(hub.find(broken.code()).is_none());
    assert!(sound.has_member(ben, &bens));
}

#[tokio::test]
async fn of_many_rooms_those_with_people_are_listed() {
    let (hub, _) = hub(Vec::new());
    let rooms: Vec<_> = (0..200).map(|_| hub.open(options(), None).unwrap()).collect();
    let mut busy: Vec<RoomCode> = rooms[..5].iter().map(|room| room.code()).collect();
    for room in &rooms[..5] {
        join(room, "Anna");
    }
    busy.sort_unstable();
    let listed = hub.list();
    assert!(listed.len() < rooms.len() && listed.is_sorted_by_key(|room| room.code));
    let with_people = listed.iter().filter(|room| room.people > 0).map(|room| room.code);
    assert_eq!(with_people.collect::<Vec<_>>(), busy);
}

fn key(number: u8) -> Fingerprint {
    Key::from_bytes([number; 32]).public().fingerprint(false)
}

fn open_tournament(hub: &Hub, name: &str) -> Result<Arc<TournamentHandle>, TournamentError> {
    hub.open_tournament(NewTournament {
        name: name.parse().unwrap(),
        plan: "series:5".parse().unwrap(),
        settings: TournamentSettings::new("slide:3x3".parse().unwrap()),
        pin: None,
        founder: key(1),
    })
}

/// Returns a hub whose tournaments are run.
fn running_hub() -> Arc<Hub> {
    let hub = Arc::new(hub(Vec::new()).0);
    let driven = Arc::clone(&hub);
    tokio::spawn(async move { driven.run_tournaments().await });
    hub
}

async fn until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_name_is_free_once_the_tables_of_the_tournament_that_had_it_are_closed() {
    let hub = running_hub();
    let first = open_tournament(&hub, "friday").unwrap();
    for number in [2, 3] {
        let (name, bot, team) = (format!("Player {number}"), false, None);
        let name = name.parse().unwrap();
        first.apply(tournament::Event::Enter { by: key(number), name, bot, team }, None);
    }
    let command = |command| {
        let (by, is_operator, confirmed) = (key(1), false, true);
        first.apply(tournament::Event::Command { by, is_operator, command, confirmed }, None);
    };
    command(TournamentCommand::Begin);
    until(|| !hub.tables().is_empty()).await;
    command(TournamentCommand::End { reason: None });
    assert!(first.is_closed());
    let mut second = Err(TournamentError::Busy);
    assert_eq!(open_tournament(&hub, "friday").map(drop).unwrap_err(), TournamentError::Busy);
    until(|| {
        second = open_tournament(&hub, "friday");
        !matches!(second, Err(TournamentError::Busy))
    })
    .await;
    assert!(!second.unwrap().is_closed() && hub.tables().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_table_that_was_opened_before_the_tournament_of_its_name_is_closed() {
    let hub = running_hub();
    // It looks for tables of an earlier server first.
    tokio::task::yield_now().await;
    let secret: HeatSecret = Rng::default().secret(None).into();
    let table = || {
        let round = RoundKey { stage: 0, round: 0 };
        let board = ResultKey { round, table: 0, board: 0, attempt: 0 };
        let table = TableConfig { tournament: "friday".parse().unwrap(), board, seats: Vec::new() };
        let new = NewTable { table, options: options(), secret: secret.clone(), pin: None };
        hub.open_table(new).unwrap()
    };
    let old = table();
    tokio::time::advance(Duration::from_millis(1)).await;
    open_tournament(&hub, "friday").unwrap();
    let own = table();
    for room in [&old, &own] {
        let spec = options().spec;
        let start = TableStart {
            board: room.table_status().unwrap().board,
            seats: Vec::new(),
            spec,
            secret: secret.clone(),
            drawn: GeneratedBoard::of(&spec, &secret.secret.seed),
            go: hub.services.clock.now(),
        };
        room.apply_table(TableEvent::Start(Box::new(start)));
    }
    // Each reports that its board has started.
    until(|| old.table_status().is_none()).await;
    assert!(own.table_status().is_some());
}

#[tokio::test]
async fn a_tournament_that_panics_ends_alone() {
    let (hub, _) = hub(Vec::new());
    let open = |name| open_tournament(&hub, name);
    let (broken, other) = (open("friday").unwrap(), open("sunday").unwrap());
    assert_eq!(open("friday").map(drop).unwrap_err(), TournamentError::NameTaken);
    broken.break_by_panic();
    assert!(broken.is_closed() && !other.is_closed());
    let listed: Vec<String> = hub.tournaments.list().iter().map(|it| it.name.to_string()).collect();
    assert_eq!(listed, ["sunday"]);
    assert_eq!(hub.tournaments.counts().running, 1);
    // It does nothing more, its tables are closed once, and another may take its name.
    let (jobs, deadline) = broken.on_wake();
    assert!(jobs.is_empty() && deadline.is_none());
    assert!(broken.take_left_tables() && !broken.take_left_tables());
    open("friday").unwrap();
}
