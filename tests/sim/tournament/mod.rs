//! Tournaments of bots and people over the same network: connections break, the server is killed in the
//! middle of rounds, up to three times in each, and the organiser corrects results, has boards raced
//! again, pauses, withdraws players and so on, while some enter late.
//!
//! One in ten of the seeds is a tournament as well. GRIDRACE_SIM_TOURNAMENTS says how many, from
//! GRIDRACE_SIM_FROM on; GRIDRACE_SIM_TOURNAMENT runs one alone and shows it.

mod check;
mod commands;
mod counting;
mod organiser;
mod plan;
mod run;

use crate::counts::Counts;
use crate::network::ClientNetwork;
use crate::{PANICS, Verdict, note_panics, notes, number, run_seeds, tables};
use gridrace_tables::TableStore;
use plan::TournamentPlan;

/// How many of the seeds are tournaments.
const ONE_IN: u64 = 10;
/// The number of tournaments in which rare events happen as well.
const MANY: u64 = 20;

/// Events that must happen in [`MANY`] tournaments.
const WANTED: [&str; 26] = [
    "tournaments",
    "boards raced to their end",
    "breaks",
    "cuts of 5 s",
    "stalls of 5 s",
    "kills in the middle of a round",
    "rounds in which the server was killed three times",
    "boards raced again by the server",
    "commands given again",
    "results corrected",
    "entries taken back",
    "tables raced again",
    "boards raced again",
    "boards voided",
    "pauses",
    "GOs moved",
    "withdrawals",
    "seats changed",
    "disqualifications",
    "rounds drawn again",
    "late entries",
    "arenas",
    "averages",
    "means",
    "rankings of teams",
    "round robins",
];

fn simulate(plan: &TournamentPlan, tables: &TableStore) -> Verdict {
    let before = PANICS.get();
    let mut outcome = run::run(plan, tables);
    let mut violations = check::violations(plan, &mut outcome);
    if PANICS.get() != before {
        violations.push("something panicked".to_owned());
    }
    let networks = outcome.players.iter().map(|(network, _)| network);
    let hashes = networks
        .chain([&outcome.organiser])
        .map(|network| network.notes(notes::Notes::fingerprint));
    let fingerprint = hashes.fold(0, |sum: u64, hash| sum.rotate_left(7) ^ hash);
    if number("GRIDRACE_SIM_TOURNAMENT").is_some() {
        show(plan, &outcome);
    }
    Verdict { violations, fingerprint, counts: outcome.counts }
}

/// Shows a run, to find the cause of a violation.
fn show(plan: &TournamentPlan, outcome: &run::Outcome) {
    eprintln!("{plan:#?}\ntook {:?} of its own time", outcome.took);
    let lines = |who: String, network: &ClientNetwork| {
        network.notes(|notes| {
            notes.recent.iter().for_each(|line| eprintln!("{who} {line:.300}"));
        });
    };
    for (n, (network, end)) in outcome.players.iter().enumerate() {
        eprintln!("player-{n}: {end:?}");
        lines(format!("player-{n}"), network);
    }
    lines("organiser".to_owned(), &outcome.organiser);
    for line in &outcome.organised.log {
        eprintln!("{} {:?} {:.300}", line.at.0, line.by, format!("{:?}", line.event));
    }
    eprintln!("refused: {:#?}", outcome.organised.refused);
}

#[test]
fn a_tournament_comes_to_the_champion_that_its_replays_give() {
    note_panics();
    let tables = tables();
    if let Some(seed) = number("GRIDRACE_SIM_TOURNAMENT") {
        let verdict = simulate(&TournamentPlan::of(seed), &tables);
        eprint!("{}", verdict.counts);
        assert!(verdict.violations.is_empty(), "{:#?}", verdict.violations);
        return;
    }
    let part = number("GRIDRACE_SIM_SEEDS").unwrap_or(crate::SEEDS).div_ceil(ONE_IN);
    let seeds = number("GRIDRACE_SIM_TOURNAMENTS").unwrap_or(part);
    let counts: Counts = run_seeds(seeds, "GRIDRACE_SIM_TOURNAMENT", |seed| {
        simulate(&TournamentPlan::of(seed), &tables)
    });
    if seeds >= MANY {
        let missing: Vec<_> = WANTED.into_iter().filter(|what| counts.of(what) == 0).collect();
        assert_eq!(missing, [""; 0], "happened in none of {seeds}");
    }
}

#[test]
fn a_seed_gives_the_same_tournament_again() {
    let tables = tables();
    for seed in [0, 1] {
        let plan = TournamentPlan::of(seed);
        let first = simulate(&plan, &tables).fingerprint;
        assert_eq!(simulate(&plan, &tables).fingerprint, first, "{seed}");
    }
}
