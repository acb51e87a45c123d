//! The order of messages to the members of a room.

use super::*;
use crate::race::Newcomer;
use gridrace_shared::heat::identity::Key;
use gridrace_shared::protocol::server::Rejection;

/// Moves the clock without letting any task run: the timer is late.
pub(super) fn advance_before_the_timer(time: Duration) {
    assert!(tokio::time::advance(time).now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_first_message_of_a_newcomer_is_the_snapshot_even_if_go_is_due() {
    let (_hub, room, mut anna) = open("slide:3x3");
    room.apply(Event::Start { by: anna.id });
    while room.phase_name() != "countdown" {
        tokio::task::yield_now().await;
    }
    anna.take();
    advance_before_the_timer(Duration::from_secs(4));
    let mut ben = TestMember::join(&room, "Ben");
    assert!(matches!(anna.take()[0], ServerMessage::Phase(_)));
    let messages = ben.take();
    assert!(
        matches!(messages[..], [ServerMessage::Joined { .. }, ServerMessage::Token { .. }]),
        "{messages:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn requests_of_a_superseded_connection_have_no_effect() {
    let (_hub, room, mut anna) = open("slide:3x3");
    let (by, next) = (anna.id, Rng::default().token());
    let old = std::mem::take(&mut anna.outbox);
    room.resume(&anna.outbox, by, &anna.token, next.clone(), None).unwrap();
    anna.take();

    assert!(!room.apply_as(by, &old, |_| Event::Confirm { by }));
    assert!(!room.apply_as(by, &old, |_| Event::Leave { by }));
    room.disconnect(by, &old);
    assert_eq!(anna.take(), []);
    assert!(room.has_member(by, &anna.outbox));
    assert!(room.apply_as(by, &anna.outbox, |_| Event::Ready { by, ready: true }));
    assert!(matches!(anna.take()[0], ServerMessage::Roster(_)));
    // The old connection's confirmation didn't void the token.
    room.resume(&Arc::default(), by, &next, Rng::default().token(), None).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_move_that_an_overloaded_server_sheds_is_rejected_without_the_race() {
    let (_hub, room, mut anna) = open("slide:3x3");
    anna.take();
    assert!(room.play_as(anna.id, &anna.outbox, numbered(1), true));
    assert!(room.play_as(anna.id, &anna.outbox, numbered(1), false));
    assert!(!room.play_as(anna.id, &Arc::default(), numbered(1), true));
    assert_eq!(anna.take(), [rejected(1, Rejection::Busy), rejected(1, Rejection::Early)]);
}

#[tokio::test(start_paused = true)]
async fn moves_behind_a_shed_one_get_no_answer_until_it_is_sent_again() {
    let (_hub, room, mut anna) = open("slide:3x3");
    anna.take();
    let (by, outbox) = (anna.id, Arc::clone(&anna.outbox));
    let play = |seq, overloaded| {
        assert!(room.play_as(by, &outbox, numbered(seq), overloaded));
    };
    for (seq, overloaded) in [(7, true), (8, true), (9, false), (10, true)] {
        play(seq, overloaded);
    }
    assert_eq!(anna.take(), [rejected(7, Rejection::Busy)]);
    for (seq, overloaded) in [(7, true), (8, false)] {
        play(seq, overloaded);
    }
    assert_eq!(anna.take(), [rejected(7, Rejection::Busy)]);
    for seq in [6, 7, 8] {
        play(seq, false);
    }
    assert_eq!(anna.take(), [6, 7, 8].map(|seq| rejected(seq, Rejection::Early)));
}

fn numbered(seq: u32) -> (Seq, Move) {
    (Seq(seq), Move::Slide(gridrace_shared::util::grid::Cell(0)))
}

fn rejected(seq: u32, why: Rejection) -> ServerMessage {
    ServerMessage::Rejected { seq: Seq(seq), why }
}

#[tokio::test]
async fn a_seat_taken_up_from_elsewhere_has_that_address() {
    let (_hub, room, _anna) = open("slide:3x3");
    let from = |last: u8| Some([192, 0, 2, last].into());
    let token = || Rng::default().token();
    let identity = Some(Key::from_bytes([7; 32]).public().fingerprint(false));
    let ben = |address| Newcomer { identity, address, ..Newcomer::person("Ben".parse().unwrap()) };
    let first = Arc::default();
    let by = room.join(&first, ben(from(1)), token()).unwrap();
    let address = || room.state().persisted.race.address_of(by);
    assert_eq!(address(), from(1));
    room.disconnect(by, &first);
    let next = token();
    assert_eq!(room.join(&Arc::default(), ben(from(2)), next.clone()), Ok(by), "by the key");
    assert_eq!(address(), from(2));
    room.resume(&Arc::default(), by, &next, token(), from(3)).unwrap();
    assert_eq!(address(), from(3), "by the token");
}
