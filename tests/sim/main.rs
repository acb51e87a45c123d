//! The real server, the real bots and the terminal client without its terminal over a simulated
//! network, with everything going wrong that a seed says: connections cut, stalled and broken,
//! the server killed and stopped, its disk full, its calendar set.
//!
//! A seed is a [`plan`]; [`run`] carries it out over the [`network`], and [`faults`] lets go
//! wrong what is to. Each client keeps its own [`notes`], and [`check`] holds them against each
//! other and against what the [`store`] has kept. [`counts`] says what all of it came to: where
//! nothing goes wrong nothing is shown.
//!
//! `cargo test` runs a few seeds. GRIDRACE_SIM_SEEDS says how many, from GRIDRACE_SIM_FROM on;
//! GRIDRACE_SIM_SEED runs one alone and shows it; GRIDRACE_SIM_LOG names a file for all that it
//! said.

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

use counts::Counts;
use gridrace_tables::TableStore;
use plan::Plan;
use std::cell::Cell;
use std::env;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many seeds are run where nothing else is said.
const SEEDS: u64 = 24;

thread_local! {
    static PANICS: Cell<u32> = const { Cell::new(0) };
}

/// What comes of a seed.
struct Verdict {
    violations: Vec<String>,
    /// A print of all that was said.
    print: u64,
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
    let ways = outcome.players.iter().map(|(way, _)| way);
    let prints = ways.chain([&outcome.referee]).map(|way| way.notes(notes::Notes::fingerprint));
    let print = prints.fold(0, |sum: u64, print| sum.rotate_left(7) ^ print);
    if let Some(file) = env::var_os("GRIDRACE_SIM_LOG") {
        std::fs::write(file, log(&outcome)).unwrap();
    }
    if number("GRIDRACE_SIM_SEED").is_some() {
        show(plan, &outcome);
    }
    Verdict { violations, print, counts: outcome.counts }
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
    let lines =
        ways.chain([&outcome.referee]).map(|way| way.notes(|notes| notes.lately.join("\n")));
    lines.collect::<Vec<_>>().join("\n\n")
}

/// Makes the tables that are used: were they to stand in the midst of a run, when would hang on
/// the machine.
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
        eprintln!("the print of seed {seed} is {:016x}", verdict.print);
        eprint!("{}", verdict.counts);
        assert!(verdict.violations.is_empty(), "{:#?}", verdict.violations);
        return;
    }
    let seeds = number("GRIDRACE_SIM_SEEDS").unwrap_or(SEEDS);
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
                    let verdict = simulate(&Plan::of(seed), &tables);
                    counts.lock().unwrap().add_all(&verdict.counts);
                    if !verdict.violations.is_empty() {
                        failed.fetch_add(1, Ordering::Relaxed);
                        eprintln!(
                            "seed {seed}: {:#?}\nGRIDRACE_SIM_SEED={seed} \
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
    if seeds >= SEEDS {
        assert_eq!(counts.missing(seeds), [""; 0], "happened in none of {seeds}");
    }
}

#[test]
fn a_seed_gives_the_same_outcome_again() {
    let tables = tables();
    for seed in [0, 1, 2] {
        let plan = Plan::of(seed);
        let print = simulate(&plan, &tables).print;
        assert_eq!(simulate(&plan, &tables).print, print, "{seed}");
    }
}

#[test]
fn jumps_of_the_calendar_change_nothing_that_anybody_hears() {
    let tables = tables();
    for seed in 0..6 {
        let plan = Plan::of(seed).without_restarts();
        let steady = simulate(&plan, &tables);
        let jumping = simulate(&plan.with_jumps(), &tables);
        assert!(jumping.violations.is_empty(), "{:?}", jumping.violations);
        assert!(jumping.counts.of("jumps of the calendar") > 0);
        assert_eq!(jumping.print, steady.print, "{seed}");
    }
}
