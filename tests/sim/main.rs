//! The real server and the real bots over a simulated network, with everything going wrong
//! that a seed says: connections cut, stalled and broken, the server killed and stopped.
//!
//! A seed is a [`plan`]; [`run`] carries it out over the [`network`]; each client keeps its own
//! [`notes`], and [`check`] holds them against each other at the end. `cargo test` runs a few
//! seeds. GRIDRACE_SIM_SEEDS says how many, and GRIDRACE_SIM_SEED runs one alone and shows it;
//! GRIDRACE_SIM_LOG names a file for all that it said.

#![cfg(test)]

mod check;
mod network;
mod notes;
mod plan;
mod run;

use gridrace_server::tables::TableStore;
use plan::Plan;
use std::cell::Cell;
use std::env;
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many seeds are run where nothing else is said.
const SEEDS: u64 = 24;

thread_local! {
    static PANICS: Cell<u32> = const { Cell::new(0) };
}

/// Runs a seed, and says what doesn't hold, and what its print is.
fn simulate(seed: u64, tables: &TableStore) -> (Vec<String>, u64) {
    let plan = Plan::of(seed);
    let before = PANICS.get();
    let outcome = run::run(&plan, tables);
    let mut violations = check::violations(&plan, &outcome);
    if PANICS.get() != before {
        violations.push("something panicked".to_owned());
    }
    let ways = outcome.players.iter().map(|(way, _)| way);
    let prints = ways
        .chain([&outcome.referee])
        .map(|way| way.notes(notes::Notes::fingerprint));
    let print = prints.fold(0, |sum: u64, print| sum.rotate_left(7) ^ print);
    if let Some(file) = env::var_os("GRIDRACE_SIM_LOG") {
        std::fs::write(file, log(&outcome)).unwrap();
    }
    if number("GRIDRACE_SIM_SEED").is_some() {
        show(&plan, &outcome);
    }
    (violations, print)
}

/// Shows a run for whoever looks for a fault.
fn show(plan: &Plan, outcome: &run::Outcome) {
    eprintln!("{plan:#?}\ntook {:?} of its own time", outcome.took);
    for (n, (way, end)) in outcome.players.iter().enumerate() {
        eprintln!("player-{n}: {end:?}");
        way.notes(|notes| {
            for line in &notes.lately {
                eprintln!("player-{n} {line:.200}");
            }
        });
    }
}

fn log(outcome: &run::Outcome) -> String {
    let ways = outcome.players.iter().map(|(way, _)| way);
    let lines = ways
        .chain([&outcome.referee])
        .map(|way| way.notes(|notes| notes.lately.join("\n")));
    lines.collect::<Vec<_>>().join("\n\n")
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
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
    let tables = TableStore::default();
    if let Some(seed) = number("GRIDRACE_SIM_SEED") {
        let (violations, print) = simulate(seed, &tables);
        eprintln!("the print of seed {seed} is {print:016x}");
        assert!(violations.is_empty(), "{violations:#?}");
        return;
    }
    let seeds = number("GRIDRACE_SIM_SEEDS").unwrap_or(SEEDS);
    let next = AtomicU64::new(0);
    let failed = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds {
                        return;
                    }
                    let (violations, _) = simulate(seed, &tables);
                    if !violations.is_empty() {
                        failed.fetch_add(1, Ordering::Relaxed);
                        eprintln!(
                            "seed {seed}: {violations:#?}\nGRIDRACE_SIM_SEED={seed} \
                             cargo test -p gridrace-tests --test sim -- --nocapture"
                        );
                    }
                }
            });
        }
    });
    assert_eq!(failed.into_inner(), 0, "of {seeds} seeds");
}

#[test]
fn a_seed_gives_the_same_outcome_again() {
    let tables = TableStore::default();
    for seed in [0, 1, 2] {
        assert_eq!(
            simulate(seed, &tables).1,
            simulate(seed, &tables).1,
            "{seed}"
        );
    }
}
