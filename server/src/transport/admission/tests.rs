//! Bounds that hold, and places that come back.

use super::*;
use crate::platform::clock::Clock;
use crate::tables::TableStore;
use gridrace_shared::heat::options::HeatOptions;

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
const SECOND: u64 = 1_000_000;

fn address(n: u32) -> IpAddr {
    IpAddr::V4((0x0a00_0000 + n).into())
}

/// Takes places for one address, none of them sooner than its rate allows.
fn fill(admission: &Admission, peer: IpAddr, from: ServerInstant) -> Vec<Place> {
    let pause = SECOND / u64::from(ARRIVALS.per_second);
    (0..CONNECTIONS_OF_ADDRESS)
        .map(|n| admission.place(peer, ServerInstant(from.0 + pause * u64::from(n))))
        .map(|place| place.unwrap())
        .collect()
}

#[test]
fn one_address_leaves_places_to_the_others_and_gets_its_own_back() {
    let admission = Admission::new(ArrivalRate::default());
    let mut places = fill(&admission, address(1), ServerInstant(0));
    let later = ServerInstant(3_600 * SECOND);
    let full = admission.place(address(1), later).unwrap_err();
    assert_eq!(full, FULL);
    assert!(admission.place(address(2), later).is_ok());
    places.pop();
    assert!(admission.place(address(1), later).is_ok());
    places.clear();
    assert!(admission.by_address.is_empty());
}

#[test]
fn whoever_floods_comes_back_seldom_and_nobody_else_pays_for_it() {
    let admission = Admission::new(ArrivalRate::default());
    let floods = |from: ServerInstant, to: ServerInstant| {
        let instants = (from.0..to.0).step_by(1_000).map(ServerInstant);
        instants
            .filter(|&now| {
                let came = admission.place(address(1), now).is_ok();
                if came {
                    admission.flooded(address(1), now);
                }
                came
            })
            .count()
    };
    let second = |n| ServerInstant(n * SECOND);
    assert!(floods(second(0), second(1)) <= 18);
    // 32 arrivals a second at 17 for each.
    assert_eq!(floods(second(1), second(18)), 32);
    assert!((0..256).all(|_| admission.place(address(2), second(18)).is_ok()));
    // A single one leaves most of the hall's places.
    admission.flooded(address(3), second(18));
    assert!((0..240).all(|_| admission.place(address(3), second(18)).is_ok()));
}

#[test]
fn this_machine_is_bounded_by_the_totals_alone() {
    let admission = Admission::new(ArrivalRate::default());
    let mut places = Vec::new();
    for second in 0.. {
        let granted = |_: &u32| admission.place(HERE, ServerInstant(second * SECOND)).ok();
        let before = places.len();
        places.extend((0..CONNECTIONS).map_while(|n| granted(&n)));
        let all = ArrivalRate::default().of_all(ARRIVALS_AT_ONCE);
        let most = if second == 0 { all.at_once } else { all.per_second };
        assert!(places.len() - before <= most as usize);
        if places.len() == CONNECTIONS as usize {
            break;
        }
    }
    let later = ServerInstant(3_600 * SECOND);
    assert_eq!(admission.place(HERE, later).unwrap_err(), FULL);
    assert_eq!(admission.place(address(1), later).unwrap_err(), FULL);
}

#[test]
fn all_codes_are_tried_no_faster_from_this_machine_than_from_everywhere() {
    let admission = Admission::new(ArrivalRate::default());
    let tried = |now| {
        let tries = (0..10_000).filter(|_| admission.attempt(HERE, now));
        tries.count() as u32
    };
    assert_eq!(tried(ServerInstant(0)), ATTEMPTS_AT_ONCE * ARRIVAL_RATE);
    assert_eq!(tried(ServerInstant(SECOND)), ARRIVAL_RATE);
    // Who measures says how many.
    let admission = Admission::new(ArrivalRate::new(1_000_000));
    assert!((0..10_000).all(|_| admission.attempt(HERE, ServerInstant(0))));
    assert!((0..10_000).all(|_| admission.place(HERE, ServerInstant(0)).is_ok()));
}

#[test]
fn who_comes_through_a_proxy_counts_by_its_own_address() {
    let admission = Admission::new(ArrivalRate::default());
    let come = |peer, now| {
        let mut place = admission.place_of_proxy().unwrap();
        admission.count_in(&mut place, peer, now).map(|()| place)
    };
    let granted: Vec<_> =
        (0..1_000).map_while(|_| come(address(1), ServerInstant(0)).ok()).collect();
    assert_eq!(granted.len(), ARRIVALS.at_once as usize);
    assert_eq!(come(address(1), ServerInstant(0)).unwrap_err(), STORM);
    assert!(come(address(2), ServerInstant(0)).is_ok());
    assert_eq!(admission.count(), granted.len());
    drop(granted);
    assert!(admission.by_address.is_empty());
}

#[test]
fn who_storms_in_is_admitted_at_a_rate_and_keeps_nobody_out() {
    let admission = Admission::new(ArrivalRate::default());
    let granted = |peer, now| (0..1_000).filter(|_| admission.place(peer, now).is_ok()).count();
    let one = ARRIVALS;
    assert_eq!(granted(address(1), ServerInstant(0)), one.at_once as usize);
    let storm = admission.place(address(1), ServerInstant(0)).unwrap_err();
    assert_eq!(storm, STORM);
    assert!(admission.place(address(2), ServerInstant(0)).is_ok());
    assert_eq!(granted(address(1), ServerInstant(SECOND)), one.per_second as usize);
}

#[test]
fn a_storm_from_everywhere_is_admitted_at_a_rate_too() {
    let admission = Admission::new(ArrivalRate::default());
    let granted = |from: u32, now| {
        (from..from + 4_000).filter(|&n| admission.place(address(n), now).is_ok()).count()
    };
    let all = ArrivalRate::default().of_all(ARRIVALS_AT_ONCE);
    assert_eq!(granted(0, ServerInstant(0)), all.at_once as usize);
    let second = granted(10_000, ServerInstant(SECOND));
    assert_eq!(second, all.per_second as usize);
}

#[test]
fn attempts_of_one_address_run_out_and_come_back() {
    let admission = Admission::new(ArrivalRate::default());
    let granted = (0..100).filter(|_| admission.attempt(address(1), ServerInstant(0))).count();
    assert_eq!(granted, ATTEMPTS.at_once as usize);
    assert!(admission.attempt(address(2), ServerInstant(0)));
    assert!(admission.attempt(address(1), ServerInstant(SECOND)));
}

#[test]
fn no_number_of_addresses_makes_the_memory_grow() {
    let admission = Admission::new(ArrivalRate::default());
    let granted = (0..10_000).filter(|&n| admission.attempt(address(n), ServerInstant(0))).count();
    assert_eq!(granted, REMEMBERED.min((ATTEMPTS_AT_ONCE * ARRIVAL_RATE) as usize));
    assert!(admission.attempt(address(0), ServerInstant(SECOND)), "whoever is known goes on");
    assert!(
        admission.attempt(address(20_000), ServerInstant(60 * SECOND)),
        "the quiet are forgotten"
    );
}

#[tokio::test]
async fn one_address_opens_so_many_heats_and_more_when_they_are_closed() {
    let (hub, _) = Hub::new(Clock::start(), TableStore::default(), Vec::new()).unwrap();
    let admission = Admission::new(ArrivalRate::default());
    let open = |peer| {
        let options = HeatOptions::new("slide:3x3".parse().unwrap());
        admission.open(peer, &hub, || hub.open(options, None))
    };
    let heats: Vec<_> = (0..HEATS_OF_ADDRESS).map(|_| open(address(1)).unwrap()).collect();
    assert_eq!(open(address(1)).unwrap_err(), OpenError::Full);
    assert!(open(address(2)).is_ok());
    assert!((0..=HEATS_OF_ADDRESS).all(|_| open(HERE).is_ok()));
    // Nobody is in it.
    hub.close_if_empty(&heats[0]);
    assert!(open(address(1)).is_ok());
    assert_eq!(open(address(1)).unwrap_err(), OpenError::Full);
}

#[test]
fn neighbours_of_a_version_6_network_count_as_one() {
    let same = |a: &str, b: &str| source(a.parse().unwrap()) == source(b.parse().unwrap());
    assert!(same("2001:db8::1", "2001:db8::ffff:2"));
    assert!(!same("2001:db8::1", "2001:db8:0:1::1"));
    assert!(same("::ffff:10.0.0.1", "10.0.0.1"));
    assert_eq!(source("::1".parse().unwrap()), None);
}
