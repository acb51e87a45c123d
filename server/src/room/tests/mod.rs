//! The order of messages to the members of a room.

mod disk;
mod pools;
mod recorded;
mod world;

use super::*;
use crate::hub::Hub;
use crate::platform::rng::Rng;
use futures_util::FutureExt;
use gridrace_shared::heat::options::HeatOptions;
use gridrace_shared::protocol::server::{Rejection, ServerMessage};
use gridrace_tables::TableStore;
use std::time::Duration;

fn come(room: &Arc<Room>, name: &str) -> (PlayerId, Arc<Outbox>) {
    let outbox = Arc::new(Outbox::default());
    let name = name.parse().unwrap();
    let id =
        room.join(&outbox, crate::race::Newcomer::person(name), Rng::default().token()).unwrap();
    (id, outbox)
}

/// Moves the clock without letting any task run: the timer is late.
fn advance_before_the_timer(time: Duration) {
    assert!(tokio::time::advance(time).now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_first_message_of_a_newcomer_is_the_snapshot_even_if_go_is_due() {
    let (hub, _) = Hub::new(Clock::start(), TableStore::default(), Vec::new()).unwrap();
    let options = HeatOptions::new("slide:3x3".parse().unwrap());
    let room = hub.open(options, None).unwrap();
    let (anna, annas) = come(&room, "Anna");
    room.apply(Event::Start { by: anna });
    while room.phase_name() != "countdown" {
        tokio::task::yield_now().await;
    }
    annas.take();
    advance_before_the_timer(Duration::from_secs(4));
    let (_, bens) = come(&room, "Ben");
    let first = annas.take().frames;
    assert!(matches!(first[0].message(), ServerMessage::Phase(_)));
    let frames = bens.take().frames;
    let messages: Vec<&ServerMessage> = frames.iter().map(|frame| frame.message()).collect();
    assert!(
        matches!(messages[..], [ServerMessage::Joined { .. }, ServerMessage::Token { .. }]),
        "{messages:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn requests_of_a_superseded_connection_have_no_effect() {
    let (hub, _) = Hub::new(Clock::start(), TableStore::default(), Vec::new()).unwrap();
    let options = HeatOptions::new("slide:3x3".parse().unwrap());
    let room = hub.open(options, None).unwrap();
    let old = Arc::new(Outbox::default());
    let (first, next) = (Rng::default().token(), Rng::default().token());
    let newcomer = crate::race::Newcomer::person("Anna".parse().unwrap());
    let anna = room.join(&old, newcomer, first.clone()).unwrap();
    let new = Arc::new(Outbox::default());
    room.resume(&new, anna, &first, next.clone()).unwrap();
    new.take();

    assert!(!room.apply_as(anna, &old, |_| Event::Confirm { by: anna }));
    assert!(!room.apply_as(anna, &old, |_| Event::Leave { by: anna }));
    room.disconnect(anna, &old);
    assert!(new.take().frames.is_empty(), "nothing of it has happened");
    assert!(room.has_member(anna, &new));
    let ready = true;
    assert!(room.apply_as(anna, &new, |_| Event::Ready { by: anna, ready }));
    let heard = new.take().frames;
    assert!(matches!(heard[0].message(), ServerMessage::Roster(_)));
    // The token that was shown last is as good as before.
    room.resume(&Arc::default(), anna, &next, Rng::default().token()).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_move_that_an_overloaded_server_sheds_is_rejected_without_the_race() {
    let (hub, _) = Hub::new(Clock::start(), TableStore::default(), Vec::new()).unwrap();
    let room = hub.open(HeatOptions::new("slide:3x3".parse().unwrap()), None).unwrap();
    let (anna, outbox) = come(&room, "Anna");
    outbox.take();
    let seq = Seq(1);
    let play = || (seq, Move::Slide(gridrace_shared::util::grid::Cell(0)));
    assert!(room.play_as(anna, &outbox, play(), true));
    assert!(room.play_as(anna, &outbox, play(), false));
    assert!(!room.play_as(anna, &Arc::default(), play(), true));
    let frames = outbox.take().frames;
    let messages: Vec<_> = frames.iter().map(|frame| frame.message().clone()).collect();
    let rejected = |why| ServerMessage::Rejected { seq, why };
    assert_eq!(messages, [rejected(Rejection::Busy), rejected(Rejection::Early)]);
}
