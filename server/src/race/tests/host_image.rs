//! The image of the host's on the tiles.

use super::*;
use crate::race::host_image::IMAGE_INTERVAL;
use gridrace_shared::puzzle::picture::room_image::{RoomImage, SIDE};

/// An image of one colour.
pub(super) fn image(number: usize) -> RoomImage {
    let red = u8::try_from(number % 8).unwrap() << 5;
    RoomImage::encode(&[[red, 128, 255]; SIDE * SIDE])
}

fn private() -> Log {
    let mut log = Log::with(|options| options.private = true);
    log.people(2);
    log
}

fn shows(log: &mut Log, by: u32, shown: Option<usize>) -> &mut Log {
    log.does(Event::Image { by: id(by), image: shown.map(image) })
}

/// What the last event sent of images to one member alone, and to all.
fn told(log: &Log, to: u32) -> (usize, usize) {
    let images = |messages: Vec<&ServerMessage>| {
        messages.into_iter().filter(|message| matches!(message, ServerMessage::Image(_))).count()
    };
    (images(log.sent(to)), images(log.told(Audience::All)))
}

#[test]
fn each_connection_gets_the_image_once() {
    let mut log = private();
    shows(&mut log, 1, Some(1));
    assert_eq!(log.told(Audience::All), [&ServerMessage::Image(Some(image(1)))]);
    for (number, role) in [(3, PLAYER), (4, SPECTATOR)] {
        log.joins(number, role);
        assert_eq!(told(&log, number), (1, 0));
        let sent = log.sent(number);
        let at = |message: &ServerMessage| sent.iter().position(|sent| *sent == message);
        assert_eq!(at(&ServerMessage::Image(Some(image(1)))), Some(1), "behind the snapshot");
    }
    log.go();
    log.is_lost(3);
    log.resumes(3, 0);
    assert_eq!(told(&log, 3), (1, 0));
    log.does(Event::EndHeat { by: id(1) });
    assert_eq!(told(&log, 3), (0, 0));
    log.rematches(1);
    assert_eq!((told(&log, 2), told(&log, 4)), ((0, 0), (0, 0)));
    log.adds_bot(Some(1), 5);
    assert_eq!(told(&log, 5), (0, 0), "house bots have no use for it");
    log.silently_at(log.now.0 + IMAGE_INTERVAL.0);
    shows(&mut log, 1, None);
    assert_eq!(log.told(Audience::All), [&ServerMessage::Image(None)]);
    log.joins(6, SPECTATOR);
    assert_eq!(told(&log, 6), (0, 0));
}

#[test]
fn only_the_host_of_a_private_room_sets_it_and_not_during_a_heat() {
    let mut log = Log::lobby(2);
    shows(&mut log, 1, Some(1)).refused(1, Refusal::ImageNotPrivate);
    log.sets(1, |options| options.private = true);
    shows(&mut log, 2, Some(1)).refused(2, Refusal::NotHost);
    log.go();
    shows(&mut log, 1, Some(1)).refused(1, Refusal::WrongPhase);
    log.does(Event::EndHeat { by: id(1) });
    shows(&mut log, 1, Some(1));
    assert_eq!(told(&log, 1), (0, 1));
}

#[test]
fn changes_are_some_seconds_apart() {
    let mut log = private();
    shows(&mut log, 1, Some(1));
    let next = log.now.0 + IMAGE_INTERVAL.0;
    log.silently_at(next - 1);
    shows(&mut log, 1, Some(2)).refused(1, Refusal::TooFast);
    assert_eq!(log.race.check_image(id(1), HeatInstant(next)), Ok(()));
    log.silently_at(next);
    shows(&mut log, 1, Some(2));
    assert_eq!(told(&log, 1), (0, 1));
    log.silently_at(next + IMAGE_INTERVAL.0);
    shows(&mut log, 1, Some(2));
    assert_eq!(told(&log, 1), (0, 0), "the same again");
}

#[test]
fn a_room_that_stops_being_private_loses_it() {
    for in_heat in [false, true] {
        let mut log = private();
        shows(&mut log, 1, Some(1));
        if in_heat {
            log.go();
        }
        log.sets(1, |options| options.private = false);
        if in_heat {
            assert_eq!(told(&log, 1), (0, 0), "the next heat's options");
            log.does(Event::EndHeat { by: id(1) });
            log.rematches(1);
        }
        assert_eq!(log.told(Audience::All).last(), Some(&&ServerMessage::Image(None)));
        log.joins(3, SPECTATOR);
        assert_eq!(told(&log, 3), (0, 0));
    }
}

#[test]
fn another_server_shows_it_as_well() {
    let mut log = private();
    shows(&mut log, 1, Some(1));
    log.does(Event::Recovered { away: Millis(9_000) });
    log.resumes(2, 0);
    assert!(log.sent(2).contains(&&ServerMessage::Image(Some(image(1)))));
}
