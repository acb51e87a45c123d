//! A mistake in the race, as it is met by those in the heat and by the others.

use super::*;
use crate::race::{BoardError, Event};
use gridrace_shared::protocol::snapshot::Phase;
use std::sync::atomic::Ordering;

#[tokio::test(start_paused = true)]
async fn a_panic_inside_a_heat_ends_that_heat_with_an_error_and_no_other() {
    let street = Street::start();
    let (mut anna, mut ben) = (street.guest(1).await, street.guest(2).await);
    let mut zoe = street.guest(3).await;
    for guest in [&mut anna, &mut ben, &mut zoe] {
        guest.hello().await;
    }
    let (broken, sound) = (anna.open().await, zoe.open().await);
    ben.join(broken).await;
    let heat = street.state.hub.find(broken).unwrap();
    heat.panics.store(true, Ordering::Relaxed);
    anna.say(&ClientMessage::Ready { ready: true }).await;

    for guest in [&mut anna, &mut ben] {
        assert_eq!(guest.end().await, (Some(Farewell::Broken), 1011));
    }
    assert!(street.state.hub.find(broken).is_none());
    zoe.say(&ClientMessage::Ready { ready: true }).await;
    let heard = zoe.hear().await;
    assert!(heard.is(|message| matches!(message, ServerMessage::Roster(_))), "{heard:?}");
    assert!(street.state.hub.find(sound).is_some());
    street.guest(1).await.hello().await;
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_the_tick_at_go_is_told_at_once_to_everybody_in_that_heat_alone() {
    let street = Street::start();
    let (mut anna, mut ben) = (street.guest(1).await, street.guest(2).await);
    let mut zoe = street.guest(3).await;
    for guest in [&mut anna, &mut ben, &mut zoe] {
        guest.hello().await;
    }
    let (broken, sound) = (anna.open().await, zoe.open().await);
    ben.join(broken).await;
    for guest in [&mut anna, &mut zoe] {
        guest.say(&ClientMessage::Start).await;
        guest.sees(|phase| matches!(phase, Phase::Countdown { .. })).await;
    }
    let heat = street.state.hub.find(broken).unwrap();
    heat.panics.store(true, Ordering::Relaxed);

    // Nobody says anything: the heat's own timer is what breaks it.
    for guest in [&mut anna, &mut ben] {
        assert_eq!(guest.end().await, (Some(Farewell::Broken), 1011));
    }
    assert!(street.state.hub.find(broken).is_none());
    zoe.sees(|phase| matches!(phase, Phase::Running { .. })).await;
    assert!(street.state.hub.find(sound).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_heat_that_breaks_while_nobody_is_connected_is_gone_all_the_same() {
    let street = Street::start();
    let mut anna = street.guest(1).await;
    anna.hello().await;
    let code = anna.open().await;
    drop(anna);
    let heat = street.state.hub.find(code).unwrap();
    while heat.members() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(street.state.hub.find(code).is_some(), "the seat is kept");
    heat.panics.store(true, Ordering::Relaxed);
    // The worker's, whose answer it is, goes on.
    let outcome = Err(BoardError::Busy);
    heat.apply(Event::Drawn { ticket: 7, outcome });
    while street.state.hub.find(code).is_some() {
        tokio::task::yield_now().await;
    }
}

impl Guest {
    /// Hears everything up to a phase of its heat.
    async fn sees(&mut self, wanted: impl Fn(&Phase) -> bool) {
        loop {
            let heard = self.hear().await;
            if let Heard::Closed(code) = heard {
                panic!("closed: {code}")
            }
            if heard.is(|message| matches!(message, ServerMessage::Phase(phase) if wanted(phase))) {
                return;
            }
        }
    }
}
