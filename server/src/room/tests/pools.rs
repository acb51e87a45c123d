//! A room's boards, hints and ratings, which worker pools make.

use super::*;
use crate::background::board_pool::BoardPool;
use crate::platform::environment::Environment;
use crate::platform::shards::Shards;
use crate::race::RaceConfig;
use crate::room::services::Services;
use crate::telemetry::metrics::Metrics;
use gridrace_shared::protocol::server::Refusal;
use gridrace_shared::protocol::snapshot::Phase;
use gridrace_shared::solver::hint::Hint;

/// Waits for a message that the room sends.
async fn wait_for(outbox: &Outbox, is_expected: impl Fn(&ServerMessage) -> bool) {
    loop {
        outbox.ready().await;
        let frames = outbox.take().frames;
        if frames.iter().any(|frame| is_expected(frame.message())) {
            return;
        }
    }
}

fn open(spec: &str) -> (Hub, Arc<Room>) {
    let (hub, _) = Hub::new(Clock::start(), TableStore::default(), Vec::new()).unwrap();
    let options = HeatOptions { countdown_seconds: 1, ..HeatOptions::new(spec.parse().unwrap()) };
    let room = hub.open(options, None).unwrap();
    (hub, room)
}

#[tokio::test(start_paused = true)]
async fn the_countdown_starts_once_the_board_is_there() {
    let (_hub, room) = open("slide:3x3");
    let (by, outbox) = come(&room, "Anna");
    room.apply(Event::Start { by });
    let counts =
        |message: &ServerMessage| matches!(message, ServerMessage::Phase(Phase::Countdown { .. }));
    wait_for(&outbox, counts).await;
}

#[tokio::test]
async fn a_room_whose_board_finds_a_full_queue_is_back_in_its_lobby() {
    let clock = Clock::start();
    let services = Services {
        drawers: BoardPool::full(),
        ..Services::start(
            Environment::default(),
            clock,
            TableStore::default(),
            Metrics::new(),
            Shards::none(),
        )
    };
    let config = |epoch| RaceConfig {
        code: "KQZT".parse().unwrap(),
        epoch,
        options: HeatOptions::new("slide:3x3".parse().unwrap()),
        secret: Rng::default().secret(None).into(),
        pin: None,
    };
    let room = Room::open(clock, services, Arc::default(), config).unwrap();
    let (by, outbox) = come(&room, "Anna");
    room.apply(Event::Start { by });
    let refused =
        |message: &ServerMessage| matches!(message, ServerMessage::Refused(Refusal::NotDrawn));
    wait_for(&outbox, refused).await;
    assert_eq!(room.summary().map(|room| room.in_lobby), Some(true));
}

#[tokio::test]
async fn a_hint_is_given_on_the_largest_board() {
    let (_hub, room) = open("slide:16x16");
    let (by, outbox) = come(&room, "Anna");
    room.apply(Event::Start { by });
    let mut asked = false;
    loop {
        outbox.ready().await;
        for frame in outbox.take().frames {
            let message = frame.message();
            assert!(!matches!(message, ServerMessage::Refused(_)), "{message:?}");
            if let ServerMessage::Hint { hint, taken, .. } = message {
                let Hint::Slide(hint) = hint else { panic!("{hint:?}") };
                assert!(0 < hint.at_least && hint.at_least <= hint.at_most);
                assert_eq!(*taken, 1);
                return;
            }
            let runs = matches!(message, ServerMessage::Standings(_));
            if runs && !std::mem::replace(&mut asked, true) {
                room.apply(Event::Hint { by });
            }
        }
    }
}

/// Waits until the room's board is there, and goes on to GO.
async fn start(room: &Arc<Room>, by: PlayerId) {
    room.apply(Event::Start { by });
    while room.phase_name() != "countdown" {
        tokio::task::yield_now().await;
    }
    // Longer than any countdown.
    tokio::time::advance(Duration::from_secs(60)).await;
    room.apply(Event::Tick);
}

#[tokio::test(start_paused = true)]
async fn a_rating_is_wanted_until_the_next_heat() {
    let (_hub, room) = open("slide:3x3");
    let (by, _outbox) = come(&room, "Anna");
    start(&room, by).await;
    assert!(room.awaits_rating(1) && !room.awaits_rating(2));
    room.apply(Event::GiveUp { by });
    assert!(room.awaits_rating(1));
    room.apply(Event::Rematch { by: Some(by), secret: Rng::default().secret(None).into() });
    assert!(!room.awaits_rating(1));
    start(&room, by).await;
    assert!(room.awaits_rating(2));
    room.close();
    assert!(!room.awaits_rating(2));
}

#[tokio::test]
async fn a_board_is_wanted_until_the_room_closes() {
    let (_hub, room) = open("link:9x9");
    let (by, _outbox) = come(&room, "Anna");
    room.apply(Event::Start { by });
    assert!(room.awaits_drawing(1));
    room.apply(Event::Leave { by });
    assert!(room.close_if_empty());
    assert!(!room.awaits_drawing(1));
}
