//! The directory of heats: who closes what, and what stands again.

use super::*;
use crate::race::Newcomer;
use crate::room::outbox::Outbox;
use crate::tables::TableStore;
use gridrace_shared::heat::ids::PlayerId;

fn options() -> HeatOptions {
    HeatOptions::new("slide:3x3".parse().unwrap())
}

fn hub(standing: Vec<StandingRoom>) -> (Hub, Vec<RoomCode>) {
    Hub::new(Clock::start(), TableStore::default(), standing).unwrap()
}

fn standing(bots: usize) -> StandingRoom {
    StandingRoom { options: options(), seed: None, bots: vec![Skill::Expert; bots], pin: None }
}

fn come(heat: &Arc<Room>, name: &str) -> PlayerId {
    come_by(heat, name, &Arc::default())
}

fn come_by(heat: &Arc<Room>, name: &str, outbox: &Arc<Outbox>) -> PlayerId {
    let name = name.parse().unwrap();
    heat.join(outbox, Newcomer::person(name), rng::token()).unwrap()
}

fn go(hub: &Hub, heat: &Arc<Room>, who: PlayerId) {
    heat.apply(crate::race::Event::Leave { by: who });
    hub.close_if_empty(heat);
}

#[tokio::test]
async fn a_heat_is_found_by_its_code_until_everybody_has_left() {
    let (hub, _) = hub(Vec::new());
    let heat = hub.open(options(), None).unwrap();
    let (anna, ben) = (come(&heat, "Anna"), come(&heat, "Ben"));
    go(&hub, &heat, anna);
    assert!(hub.find(heat.code()).is_some());
    go(&hub, &heat, ben);
    assert!(hub.find(heat.code()).is_none());
}

#[tokio::test]
async fn there_are_so_many_heats_and_one_more_when_one_is_closed() {
    let (hub, _) = hub(Vec::new());
    let heats: Vec<_> = (0..MAX_HEATS).map(|_| hub.open(options(), None).unwrap()).collect();
    let full = |opened: Result<_, _>| opened.map(drop).unwrap_err();
    assert_eq!(full(hub.open(options(), None)), OpenError::Full);
    hub.close_if_empty(&heats[0]);
    assert!(hub.open(options(), None).is_ok());
    assert_eq!(full(hub.open(options(), None)), OpenError::Full);
}

#[tokio::test]
async fn nobody_gets_into_a_heat_that_was_closed_meanwhile() {
    let (hub, _) = hub(Vec::new());
    let heat = hub.open(options(), None).unwrap();
    hub.close_if_empty(&heat);
    let joined =
        heat.join(&Arc::default(), Newcomer::person("Anna".parse().unwrap()), rng::token());
    assert_eq!(joined, Err(crate::room::JoinError::Closed));
}

#[tokio::test]
async fn a_standing_heat_is_as_new_when_its_visitors_have_left() {
    let (hub, codes) = hub(vec![standing(2)]);
    let heat = hub.find(codes[0]).unwrap();
    let anna = come(&heat, "Anna");
    let other = HeatOptions::new("slide:9x9".parse().unwrap());
    heat.apply(crate::race::Event::Options { by: anna, options: other, secret: rng::draw(None) });
    assert_eq!(hub.list()[0].spec.to_string(), "slide:9x9");
    go(&hub, &heat, anna);
    let [listed] = &hub.list()[..] else { panic!("one heat stands") };
    assert_eq!((listed.code, listed.players), (codes[0], 2));
    assert_eq!(listed.spec, options().spec);
}

#[tokio::test]
async fn tidying_twice_touches_no_later_heat_of_the_same_code() {
    let (hub, codes) = hub(vec![standing(0)]);
    let old = hub.find(codes[0]).unwrap();
    hub.close_if_empty(&old);
    let new = hub.find(codes[0]).unwrap();
    come(&new, "Anna");
    hub.close_if_empty(&old);
    assert!(Arc::ptr_eq(&hub.find(codes[0]).unwrap(), &new));
    assert_eq!(new.members(), 1);
}

#[tokio::test]
async fn a_standing_heat_for_more_bots_than_seats_is_refused() {
    let opened = Hub::new(
        Clock::start(),
        TableStore::default(),
        vec![standing(crate::race::MAX_PLAYERS + 1)],
    );
    assert_eq!(opened.err(), Some(OpenError::Bots));
}

#[tokio::test]
async fn private_heats_are_not_listed() {
    let (hub, _) = hub(Vec::new());
    let private = HeatOptions { private: true, ..options() };
    let heat = hub.open(private, None).unwrap();
    come(&heat, "Anna");
    assert!(hub.list().is_empty());
}

#[tokio::test]
async fn closing_ends_every_heat_and_the_bots_in_it() {
    let (hub, codes) = hub(vec![standing(3)]);
    let heat = hub.find(codes[0]).unwrap();
    hub.close();
    assert!(hub.find(codes[0]).is_none());
    assert_eq!(heat.members(), 0);
    // The bots hold the heat while they live; this ends because they do.
    while Arc::strong_count(&heat) > 1 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_heat_that_broke_is_over_for_its_own_members_alone() {
    let (hub, _) = hub(Vec::new());
    let (broken, sound) = (hub.open(options(), None).unwrap(), hub.open(options(), None).unwrap());
    let outbox = Arc::new(Outbox::default());
    let anna = come_by(&broken, "Anna", &outbox);
    let bens = Arc::new(Outbox::default());
    let ben = come_by(&sound, "Ben", &bens);
    broken.panic_for_test();
    assert!(!broken.has_member(anna, &outbox));
    assert!(outbox.take().ending.is_some());
    go(&hub, &broken, anna);
    assert!(hub.find(broken.code()).is_none());
    assert!(sound.has_member(ben, &bens));
}
