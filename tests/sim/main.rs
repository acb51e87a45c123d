//! The real server, the real bots and the terminal client without its terminal over a simulated
//! network, with the faults that a seed draws: connections cut, stalled and broken, the server
//! killed and stopped, its disk full, its calendar set.
//!
//! A seed is a [`plan`]; [`run`] carries it out over the [`network`], and [`faults`] causes its
//! faults. Each client keeps its own [`notes`], and [`check`] compares them with each other and
//! with the [`store`]. [`counts`] counts what happened: a simulation without faults shows nothing.
//!
//! `cargo test` runs a few seeds. GRIDRACE_SIM_SEEDS says how many, from GRIDRACE_SIM_FROM on;
//! GRIDRACE_SIM_SEED runs one alone and shows it; GRIDRACE_SIM_LOG names a file for all messages.

#![cfg(test)]

mod calendar;
mod check;
mod common;
mod counts;
mod disk;
mod faults;
mod network;
mod notes;
mod person;
mod plan;
mod run;
mod store;
mod tournament;

use counts::Counts;
use gridrace_tables::TableStore;
use plan::Plan;
use std::cell::Cell;
use std::env;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many seeds are run by default.
const SEEDS: u64 = 24;

thread_local! {
    static PANICS: Cell<u32> = const { Cell::new(0) };
}

/// The outcome of a seed.
struct Verdict {
    violations: Vec<String>,
    /// A hash of all messages.
    fingerprint: u64,
    counts: Counts,
}

/// Runs a plan, and judges it.
fn simulate(plan: &Plan, tables: &TableStore) -> Verdict {
    let before = PANICS.get();
    let mut outcome = run::run(plan, tables);
    let mut violations = check::violations(plan, &mut outcome);
    if PANICS.get() != before {
        violations.push("something panicked".to_owned());
    }
    let networks = outcome.players.iter().map(|(network, _)| network);
    let hashes =
        networks.chain([&outcome.referee]).map(|network| network.notes(notes::Notes::fingerprint));
    let fingerprint = hashes.fold(0, |sum: u64, hash| sum.rotate_left(7) ^ hash);
    if let Some(file) = env::var_os("GRIDRACE_SIM_LOG") {
        std::fs::write(file, log(&outcome)).unwrap();
    }
    if number("GRIDRACE_SIM_SEED").is_some() {
        show(plan, &outcome);
    }
    Verdict { violations, fingerprint, counts: outcome.counts }
}

/// Shows a run, to find the cause of a violation.
fn show(plan: &Plan, outcome: &run::Outcome) {
    eprintln!("{plan:#?}\ntook {:?} of its own time", outcome.took);
    for (n, (network, end)) in outcome.players.iter().enumerate() {
        eprintln!("player-{n}: {end:?}");
        network.notes(|notes| {
            for line in &notes.recent {
                eprintln!("player-{n} {line:.200}");
            }
        });
    }
}

fn log(outcome: &run::Outcome) -> String {
    let networks = outcome.players.iter().map(|(network, _)| network);
    let lines = networks
        .chain([&outcome.referee])
        .map(|network| network.notes(|notes| notes.recent.join("\n")));
    lines.collect::<Vec<_>>().join("\n\n")
}

/// Builds the solver tables beforehand: the instant at which they are ready during a run would
/// depend on the machine.
fn tables() -> TableStore {
    let store = TableStore::default();
    for spec in plan::specs() {
        if let Some(tables) = spec.tables() {
            drop(store.get(tables, NonZero::<usize>::MIN, &|_| {}));
        }
    }
    store
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

/// Runs as many seeds on all cores, and fails if there are violations; `variable` runs one alone.
fn run_seeds(seeds: u64, variable: &str, simulate: impl Fn(u64) -> Verdict + Sync) -> Counts {
    let from = number("GRIDRACE_SIM_FROM").unwrap_or(0);
    let next = AtomicU64::new(from);
    let (failed, counts) = (AtomicU64::new(0), Mutex::new(Counts::default()));
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= from + seeds {
                        return;
                    }
                    let verdict = simulate(seed);
                    counts.lock().unwrap().add_all(&verdict.counts);
                    if !verdict.violations.is_empty() {
                        failed.fetch_add(1, Ordering::Relaxed);
                        eprintln!(
                            "seed {seed}: {:#?}\n{variable}={seed} \
                             cargo test -p gridrace-tests --test sim -- --nocapture",
                            verdict.violations
                        );
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().unwrap();
    eprint!("{seeds} seeds:\n{counts}");
    assert_eq!(failed.into_inner(), 0, "of {seeds} seeds");
    counts
}

fn note_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.set(PANICS.get() + 1);
        before(panic);
    }));
}

#[test]
fn nothing_is_lost_and_all_agree_whatever_the_network_does() {
    note_panics();
    let tables = tables();
    if let Some(seed) = number("GRIDRACE_SIM_SEED") {
        let verdict = simulate(&Plan::of(seed), &tables);
        eprintln!("the fingerprint of seed {seed} is {:016x}", verdict.fingerprint);
        eprint!("{}", verdict.counts);
        assert!(verdict.violations.is_empty(), "{:#?}", verdict.violations);
        return;
    }
    let seeds = number("GRIDRACE_SIM_SEEDS").unwrap_or(SEEDS);
    let counts = run_seeds(seeds, "GRIDRACE_SIM_SEED", |seed| simulate(&Plan::of(seed), &tables));
    if seeds >= SEEDS {
        assert_eq!(counts.missing(seeds), [""; 0], "happened in none of {seeds}");
    }
}

#[test]
fn a_seed_gives_the_same_outcome_again() {
    let tables = tables();
    for seed in [0, 1, 2] {
        let plan = Plan::of(seed);
        let first = simulate(&plan, &tables).fingerprint;
        assert_eq!(simulate(&plan, &tables).fingerprint, first, "{seed}");
    }
}

#[test]
fn jumps_of_the_calendar_change_no_message() {
    let tables = tables();
    for seed in 0..6 {
        let plan = Plan::of(seed).without_restarts();
        let steady = simulate(&plan, &tables);
        let jumping = simulate(&plan.with_jumps(), &tables);
        assert!(jumping.violations.is_empty(), "{:?}", jumping.violations);
        assert!(jumping.counts.of("jumps of the calendar") > 0);
        assert_eq!(jumping.fingerprint, steady.fingerprint, "{seed}");
    }
}
