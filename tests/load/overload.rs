//! A server's capacity, and what happens to the moves at twice that.

use crate::measured_server::{Ended, MeasuredServer, Span};
use crate::report::RunReport;
use crate::run::{Load, Pace, SETTLE};
use crate::tally::Counts;
use anyhow::ensure;
use std::time::Duration;
use tokio::time::sleep;

/// A server carries an offer while half of all moves are acknowledged within this time, in
/// microseconds, and hardly any is refused. A slow disk alone makes some wait longer.
const QUICK_MICROS: u64 = 50_000;
/// The part of the moves that must be acknowledged at once, in hundredths.
const CARRIED_HUNDREDTHS: u64 = 98;
/// The first offer, in moves a second of all players, and by how much each next one is more,
/// in hundredths.
const FIRST: u64 = 2_000;
const STEP_HUNDREDTHS: u64 = 125;
/// How long the first offer lasts before anything is measured: a server rates each new board.
const WARM_UP: Duration = Duration::from_secs(6);
/// How long each offer is tried, once it has settled.
const TRY: (Duration, Duration) = (Duration::from_millis(1_000), Duration::from_secs(2));
/// How often a smaller offer is tried if the one that was found is too much.
const RETRIES: usize = 5;
/// The part of an offer that must be made to count as one, in hundredths.
const OFFERED_HUNDREDTHS: u64 = 95;

/// The load to offer.
#[derive(Debug)]
pub(crate) struct Overload {
    /// The players; their pace is the offer's.
    pub(crate) load: Load,
    /// The server's capacity in moves a second, if known.
    pub(crate) carried: Option<u64>,
    /// The factor for the overload.
    pub(crate) times: f64,
}

/// Finds a server's capacity, offers a multiple of it, and then half of it, from which the server
/// must have recovered.
pub(crate) async fn run(overload: &Overload) -> anyhow::Result<Vec<RunReport>> {
    let Overload { load, carried, times } = overload;
    let mut load = load.clone();
    load.pace = Pace::Every(pause(load.connections, FIRST));
    let mut server = MeasuredServer::begin(&load).await?;
    sleep(WARM_UP).await;
    let (many, time) = (load.connections, (SETTLE, load.measured));
    let mut carried = match carried {
        Some(carried) => *carried,
        None => find(&mut server, many).await?,
    };
    let mut span = offered(&mut server, many, carried, time).await?;
    // What was carried for a moment may be too much in the long run.
    for _ in 0..RETRIES {
        if is_carried(&span.counts) {
            break;
        }
        carried = carried * 100 / STEP_HUNDREDTHS;
        span = offered(&mut server, many, carried, time).await?;
    }
    let is_carried = if is_carried(&span.counts) { "carried" } else { "not carried" };
    let mut spans = vec![(format!("{carried} moves/s, {is_carried}"), carried, span)];
    let too_much = (carried as f64 * times) as u64;
    for (name, offer) in [
        (format!("{too_much} moves/s, {times} times that"), too_much),
        (format!("{} moves/s after it", carried / 2), carried / 2),
    ] {
        let span = offered(&mut server, many, offer, time).await?;
        spans.push((name, offer, span));
    }
    let seating = server.seating();
    let ended = server.end().await?;
    let last = spans.len() - 1;
    let reports = spans.into_iter().enumerate().map(|(n, (name, offer, span))| {
        let name = format!("{} x {name}", load.connections);
        // How it went to the end is said of the last.
        let ended = if n == last { ended } else { Ended::default() };
        RunReport::of(name, Some(offer as f64), seating, &span, ended)
    });
    Ok(reports.collect())
}

/// Offers more and more until it isn't carried.
async fn find(server: &mut MeasuredServer, connections: usize) -> anyhow::Result<u64> {
    let (mut carried, mut offer) = (0, FIRST);
    loop {
        let span = offered(server, connections, offer, TRY).await?;
        let counts = &span.counts;
        let offered = (counts.sent as f64 / span.seconds) as u64;
        let [p50, p99] = [0.5, 0.99].map(|part| counts.acks.value_at_quantile(part));
        eprintln!(
            "{offer} moves/s: {offered} sent, {} refused, p50 {} and p99 {} ms, {:.2} cores and {:.2} of our own",
            counts.refused,
            p50 / 1_000,
            p99 / 1_000,
            span.cpu_nanos as f64 / 1e9 / span.seconds,
            span.own_nanos as f64 / 1e9 / span.seconds,
        );
        let is_offered = offered * 100 >= offer * OFFERED_HUNDREDTHS;
        if !is_offered || !is_carried(counts) {
            ensure!(carried > 0, "not even {FIRST} moves a second are carried");
            return Ok(carried);
        }
        carried = offer;
        offer = offer * STEP_HUNDREDTHS / 100;
    }
}

fn is_carried(counts: &Counts) -> bool {
    let is_answered = counts.acknowledged * 100 >= counts.sent * CARRIED_HUNDREDTHS;
    is_answered && counts.acks.value_at_quantile(0.5) <= QUICK_MICROS
}

/// Offers a number of moves a second, lets that settle, and measures.
async fn offered(
    server: &mut MeasuredServer,
    connections: usize,
    offer: u64,
    (settle, time): (Duration, Duration),
) -> anyhow::Result<Span> {
    server.move_rate().set(pause(connections, offer));
    sleep(settle).await;
    server.measure(time).await
}

/// Returns the time between two moves of one player.
fn pause(connections: usize, offer: u64) -> Duration {
    Duration::from_secs_f64(connections as f64 / offer.max(1) as f64)
}
