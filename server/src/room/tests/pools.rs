//! Rooms and their worker pools: boards, hints, ratings, and the bots' moves.

use super::*;
use crate::background::board_pool::BoardPool;
use crate::background::board_stock::{BoardStock, tests as stock};
use crate::race::{Newcomer, RaceConfig};
use gridrace_shared::bot::Skill;
use gridrace_shared::heat::standings::{RaceState, Standing};
use gridrace_shared::protocol::server::Refusal;
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::puzzle::HintStyle;
use gridrace_shared::solver::hint::Hint;
use std::net::{IpAddr, Ipv4Addr};

/// Opens a room whose boards come from this pool.
fn open_with(boards: &BoardPool, code: &str, spec: &str) -> Arc<Room> {
    let services = Services { boards: boards.clone(), ..Services::for_test() };
    let options = world::options(spec);
    let secret = services.draw_secret(&options.spec, None, None);
    let code = code.parse().unwrap();
    Room::open(services, |epoch| RaceConfig::new(code, epoch, options, secret)).unwrap()
}

#[tokio::test]
async fn a_room_whose_board_finds_a_full_queue_is_back_in_its_lobby() {
    let room = open_with(&BoardPool::full(), "KQZT", "slide:3x3");
    let mut anna = TestMember::join(&room, "Anna");
    room.apply(Event::Start { by: anna.id });
    anna.receive_that(|message| *message == ServerMessage::Refused(Refusal::NotDrawn)).await;
    assert_eq!(room.summary().map(|room| room.is_joinable()), Some(true));
}

#[tokio::test]
async fn a_hint_is_given_on_the_largest_board() {
    let (_hub, room, mut anna) = open("slide:16x16");
    anna.start(&room).await;
    room.apply(Event::Hint { by: anna.id, style: HintStyle::Shortest });
    let (hint, taken) = anna
        .receive(|message| {
            assert!(!matches!(message, ServerMessage::Refused(_)), "{message:?}");
            if let ServerMessage::Hint { hint, taken, .. } = message {
                return Some((hint.clone(), *taken));
            }
            None
        })
        .await;
    let Hint::Slide(hint) = hint else { panic!("{hint:?}") };
    assert!(0 < hint.at_least && hint.at_least <= hint.at_most);
    assert_eq!(taken, 1);
}

#[tokio::test]
async fn a_board_is_wanted_until_the_room_closes() {
    let (_hub, room, anna) = open("link:9x9");
    room.apply(Event::Start { by: anna.id });
    assert!(room.awaits_drawing(1));
    room.apply(Event::Leave { by: anna.id });
    assert!(room.close_if_empty());
    assert!(!room.awaits_drawing(1));
}

#[tokio::test(start_paused = true)]
async fn house_bots_play_heat_after_heat_until_the_clients_have_left() {
    let (hub, room, mut anna) = open("slide:3x3");
    let by = anna.id;
    room.apply(Event::LeaveSeat { by });
    [Skill::Master, Skill::Beginner].into_iter().for_each(|skill| room.add_bot(skill));
    for _ in 0..2 {
        room.apply(Event::Start { by });
        let standings = anna.receive_result().await.standings;
        let finished = |row: &Standing| matches!(row.state, RaceState::Finished { .. });
        assert!(standings.len() == 2 && standings.iter().all(finished), "{standings:?}");
        room.apply(Event::Rematch { by: Some(by), secret: Rng::default().secret(None).into() });
    }
    room.apply(Event::Leave { by });
    hub.close_if_empty(&room);
    while Arc::strong_count(&room) > 1 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn ratings_are_throttled_from_go_to_the_end_of_the_heat() {
    let (_hub, room, mut anna) = open("slide:3x3");
    let running = || room.services.throttle.running_heats();
    room.apply(Event::Start { by: anna.id });
    assert_eq!(running(), 0);
    anna.receive_that(|message| matches!(message, ServerMessage::Phase(Phase::Running { .. })))
        .await;
    assert_eq!(running(), 1);
    room.apply(Event::GiveUp { by: anna.id });
    assert_eq!(running(), 0);
    room.apply(Event::Rematch { by: Some(anna.id), secret: Rng::default().secret(None).into() });
    anna.start(&room).await;
    assert_eq!(running(), 1);
    room.close();
    assert_eq!(running(), 0);
}

#[tokio::test(start_paused = true)]
async fn members_are_told_how_many_boards_are_drawn_before_theirs() {
    let pool = BoardPool::without_workers(BoardStock::empty());
    let own = Some(Ipv4Addr::new(10, 0, 0, 1).into());
    let join = |code: &str, address: Option<IpAddr>| {
        let room = open_with(&pool, code, "link:20x20");
        let newcomer = Newcomer { address, ..Newcomer::person("Anna".parse().unwrap()) };
        let anna = TestMember::join_as(&room, newcomer);
        (room, anna)
    };
    let start = |code: &str, address| {
        let (room, anna) = join(code, address);
        room.apply(Event::Start { by: anna.id });
        (room, anna)
    };
    let _first = ["BCDF", "BCDG", "BCDH"].map(|code| start(code, own));
    let is_told =
        |ahead| move |message: &ServerMessage| *message == ServerMessage::BoardQueue { ahead };
    let (room, mut anna) = start("KQZT", own);
    anna.receive_that(is_told(3)).await;
    // So is a member that comes later.
    TestMember::join(&room, "Ben").receive_that(is_told(3)).await;
    // Another address has its turn after one board, however its heat starts.
    let (ready_room, mut stranger) = join("KQZV", Some(Ipv4Addr::new(10, 0, 0, 2).into()));
    ready_room.add_bot(Skill::Beginner);
    stranger.set_ready(&ready_room, true);
    // On a clock that jumps there as soon as nothing else is to be done.
    let told = tokio::time::timeout(Duration::from_secs(60), stranger.receive_that(is_told(1)));
    told.await.expect("a place in the queue");
}

#[tokio::test(start_paused = true)]
async fn a_board_is_taken_from_the_stock_only_for_a_heat_that_races_on_it() {
    let pool = BoardPool::without_workers(stock::full());
    let room = open_with(&pool, "KQZT", "slide:3x3");
    let anna = TestMember::join(&room, "Anna");
    let largest = world::options("link:20x20");
    let refused = HeatOptions { delay_seconds: u16::MAX, ..largest.clone() };
    for _ in 0..3 {
        assert!(room.set_options_as(anna.id, &anna.outbox, refused.clone(), None));
    }
    assert!(room.set_options_as(anna.id, &anna.outbox, largest, None));
    for _ in 0..3 {
        // In the lobby there is no rematch.
        assert!(room.rematch_as(anna.id, &anna.outbox));
    }
    let spec = "link:20x20".parse().unwrap();
    let now = room.services.clock.now();
    assert!(pool.stock().take_seed(&spec, None, now).is_some(), "one of two is left");
    assert!(pool.stock().take_seed(&spec, None, now).is_none());
}

#[tokio::test(start_paused = true)]
async fn a_heat_with_a_board_that_was_drawn_ahead_starts_without_a_worker() {
    let pool = BoardPool::without_workers(stock::full());
    let room = open_with(&pool, "KQZT", "link:20x20");
    let mut anna = TestMember::join(&room, "Anna");
    for _ in 0..2 {
        room.apply(Event::Start { by: anna.id });
        let go = anna
            .receive_that(|message| matches!(message, ServerMessage::Phase(Phase::Running { .. })));
        // On a clock that jumps there as soon as nothing else is to be done.
        tokio::time::timeout(Duration::from_secs(60), go).await.expect("a board");
        room.apply(Event::GiveUp { by: anna.id });
        assert!(room.rematch_as(anna.id, &anna.outbox));
    }
    // Two were in the stock.
    room.apply(Event::Start { by: anna.id });
    assert!(room.awaits_drawing(3));
}
