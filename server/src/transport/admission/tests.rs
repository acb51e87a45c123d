//! The limits hold, and permits are returned.

use super::per_address_limits::MAX_TRACKED_ADDRESSES;
use super::*;

const LOOPBACK: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
const SECOND: u64 = 1_000_000;

fn address(n: u32) -> IpAddr {
    IpAddr::V4((0x0a00_0000 + n).into())
}

/// Fills an address's connections, no faster than its rate allows.
fn fill(admission: &AdmissionControl, peer: IpAddr, from: ServerInstant) -> Vec<ConnectionPermit> {
    let pause = SECOND / u64::from(ARRIVALS_PER_ADDRESS.per_second);
    (0..MAX_CONNECTIONS_PER_ADDRESS)
        .map(|n| admission.admit(peer, ServerInstant(from.0 + pause * u64::from(n))))
        .map(|permit| permit.unwrap())
        .collect()
}

#[test]
fn a_full_address_leaves_room_for_others_and_reuses_released_connections() {
    let admission = AdmissionControl::new(ArrivalRate::default());
    let mut permits = fill(&admission, address(1), ServerInstant(0));
    let later = ServerInstant(3_600 * SECOND);
    let full = admission.admit(address(1), later).unwrap_err();
    assert_eq!(full, SERVER_FULL);
    assert!(admission.admit(address(2), later).is_ok());
    permits.pop();
    assert!(admission.admit(address(1), later).is_ok());
    permits.clear();
    assert!(admission.counts.by_address.is_empty());
}

#[test]
fn an_address_that_floods_reconnects_rarely_and_others_are_unaffected() {
    let admission = AdmissionControl::new(ArrivalRate::default());
    let floods = |from: ServerInstant, to: ServerInstant| {
        let instants = (from.0..to.0).step_by(1_000).map(ServerInstant);
        instants
            .filter(|&now| {
                let came = admission.admit(address(1), now).is_ok();
                if came {
                    admission.penalize_flood(address(1), now);
                }
                came
            })
            .count()
    };
    let second = |n| ServerInstant(n * SECOND);
    assert!(floods(second(0), second(1)) <= 18);
    // 32 arrivals a second at 17 for each.
    assert_eq!(floods(second(1), second(18)), 32);
    assert!((0..256).all(|_| admission.admit(address(2), second(18)).is_ok()));
    // A single one leaves most of an address's burst.
    admission.penalize_flood(address(3), second(18));
    assert!((0..240).all(|_| admission.admit(address(3), second(18)).is_ok()));
}

#[test]
fn loopback_is_limited_by_the_totals_alone() {
    let admission = AdmissionControl::new(ArrivalRate::default());
    let mut permits = Vec::new();
    for second in 0.. {
        let granted = |_: &u32| admission.admit(LOOPBACK, ServerInstant(second * SECOND)).ok();
        let before = permits.len();
        permits.extend((0..MAX_CONNECTIONS).map_while(|n| granted(&n)));
        let all = ArrivalRate::default().limit(ARRIVAL_BURST_SECONDS);
        let most = if second == 0 { all.burst } else { all.per_second };
        assert!(permits.len() - before <= most as usize);
        if permits.len() == MAX_CONNECTIONS as usize {
            break;
        }
    }
    let later = ServerInstant(3_600 * SECOND);
    assert_eq!(admission.admit(LOOPBACK, later).unwrap_err(), SERVER_FULL);
    assert_eq!(admission.admit(address(1), later).unwrap_err(), SERVER_FULL);
}

#[test]
fn loopback_tries_codes_no_faster_than_the_total_rate() {
    let admission = AdmissionControl::new(ArrivalRate::default());
    let tried = |now| {
        let tries = (0..10_000).filter(|_| admission.take_attempt(LOOPBACK, now));
        tries.count() as u32
    };
    assert_eq!(tried(ServerInstant(0)), ATTEMPT_BURST_SECONDS * DEFAULT_ARRIVAL_RATE);
    assert_eq!(tried(ServerInstant(SECOND)), DEFAULT_ARRIVAL_RATE);
    // The arrival rate is configurable.
    let admission = AdmissionControl::new(ArrivalRate(1_000_000));
    assert!((0..10_000).all(|_| admission.take_attempt(LOOPBACK, ServerInstant(0))));
    assert!((0..10_000).all(|_| admission.admit(LOOPBACK, ServerInstant(0)).is_ok()));
}

#[test]
fn an_address_is_admitted_at_its_rate_and_others_are_unaffected() {
    let admission = AdmissionControl::new(ArrivalRate::default());
    let granted = |peer, now| (0..1_000).filter(|_| admission.admit(peer, now).is_ok()).count();
    let one = ARRIVALS_PER_ADDRESS;
    assert_eq!(granted(address(1), ServerInstant(0)), one.burst as usize);
    let refused = admission.admit(address(1), ServerInstant(0)).unwrap_err();
    assert_eq!(refused, ARRIVING_TOO_FAST);
    assert!(admission.admit(address(2), ServerInstant(0)).is_ok());
    assert_eq!(granted(address(1), ServerInstant(SECOND)), one.per_second as usize);
}

#[test]
fn all_addresses_together_are_admitted_at_the_total_rate() {
    let admission = AdmissionControl::new(ArrivalRate::default());
    let granted = |from: u32, now| {
        (from..from + 4_000).filter(|&n| admission.admit(address(n), now).is_ok()).count()
    };
    let all = ArrivalRate::default().limit(ARRIVAL_BURST_SECONDS);
    assert_eq!(granted(0, ServerInstant(0)), all.burst as usize);
    let second = granted(10_000, ServerInstant(SECOND));
    assert_eq!(second, all.per_second as usize);
}

#[test]
fn attempts_of_an_address_are_refilled() {
    let admission = AdmissionControl::new(ArrivalRate::default());
    let granted = (0..100).filter(|_| admission.take_attempt(address(1), ServerInstant(0))).count();
    assert_eq!(granted, ATTEMPTS_PER_ADDRESS.burst as usize);
    assert!(admission.take_attempt(address(2), ServerInstant(0)));
    assert!(admission.take_attempt(address(1), ServerInstant(SECOND)));
}

#[test]
fn the_number_of_tracked_addresses_is_bounded() {
    let admission = AdmissionControl::new(ArrivalRate::default());
    let granted =
        (0..10_000).filter(|&n| admission.take_attempt(address(n), ServerInstant(0))).count();
    assert_eq!(
        granted,
        MAX_TRACKED_ADDRESSES.min((ATTEMPT_BURST_SECONDS * DEFAULT_ARRIVAL_RATE) as usize)
    );
    assert!(admission.take_attempt(address(0), ServerInstant(SECOND)), "a tracked address goes on");
    assert!(
        admission.take_attempt(address(20_000), ServerInstant(60 * SECOND)),
        "addresses with full buckets are dropped"
    );
}

fn key(n: u32) -> Fingerprint {
    Fingerprint::try_from(format!("{n:032x}")).unwrap()
}

#[test]
fn a_hall_of_entrants_behind_one_address_gets_in_at_once() {
    let admission = AdmissionControl::new(ArrivalRate::default());
    let hall = 2 * MAX_CONNECTIONS_PER_ADDRESS;
    let mut entrants = Vec::new();
    for n in 0..hall {
        let now = ServerInstant(u64::from(n) * 100);
        let permit = admission.admit(address(1), now).unwrap();
        entrants.push((admission.count_apart(address(1), key(n), now).unwrap(), permit));
    }
    // Others of the address have its whole limit.
    let later = ServerInstant(3_600 * SECOND);
    let others = fill(&admission, address(1), later);
    let full = ServerInstant(7_200 * SECOND);
    assert_eq!(admission.admit(address(1), full).unwrap_err(), SERVER_FULL);
    drop(entrants);
    drop(others);
    let counts = &admission.counts;
    assert!(counts.by_address.is_empty());
    assert!(counts.entrants_by_address.is_empty() && counts.by_entrant.is_empty());
}

#[test]
fn a_key_counts_apart_with_few_connections_and_an_address_with_a_hall_s() {
    let admission = AdmissionControl::new(ArrivalRate(1_000_000));
    let later = |n: u32| ServerInstant(u64::from(n) * SECOND);
    let connect = |n: u32, key| {
        let permit = admission.admit(address(1), later(n)).unwrap();
        let entrant = admission.count_apart(address(1), key, later(n));
        entrant.map(|entrant| (entrant, permit))
    };
    let of_one: Vec<_> = (0..9).filter_map(|n| connect(n, key(0))).collect();
    assert_eq!(of_one.len(), MAX_CONNECTIONS_PER_ENTRANT as usize);
    drop(of_one);
    assert!(connect(9, key(0)).is_some());
    let most = MAX_ENTRANT_CONNECTIONS_PER_ADDRESS;
    let all: Vec<_> = (0..most + 5).filter_map(|n| connect(10 + n, key(n))).collect();
    assert_eq!(all.len(), most as usize);
    assert!(admission.count_apart(LOOPBACK, key(0), later(0)).is_none(), "it has no limit");
}

#[test]
fn one_entrant_that_reconnects_without_end_is_slowed_down() {
    let admission = AdmissionControl::new(ArrivalRate::default());
    let now = ServerInstant(0);
    let arrives = |_: &u32| {
        let permit = admission.admit(address(1), now);
        permit.is_ok_and(|permit| {
            let entrant = admission.count_apart(address(1), key(0), now);
            drop(entrant);
            drop(permit);
            true
        })
    };
    let arrived = (0..10_000).take_while(arrives).count() as u32;
    assert_eq!(arrived, ARRIVALS_PER_ADDRESS.burst + ENTRANT_ARRIVALS_PER_ADDRESS.burst);
}
