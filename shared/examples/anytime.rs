//! Prints the mean length of anytime solutions of a size after some CPU seconds:
//!
//! ```text
//! cargo run --release -p gridrace-shared --example anytime -- 6x6 --boards 100 --seconds 0.1,1,10
//! ```
//!
//! Seconds are CPU seconds of the thread, so that other load matters little.

#![expect(clippy::expect_used, reason = "a measurement has no caller to return an error to")]

use clap::Parser;
use gridrace_shared::puzzle::slide::scramble::{Variant, scramble};
use gridrace_shared::puzzle::slide::solve::tables::Tables;
use gridrace_shared::puzzle::slide::solve::{AnytimeSearch, Improvement, Solution};
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::Size;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Nodes between two readings of the clock.
const SLICE: u64 = 20_000;

/// Measures the anytime solutions of the boards of the seeds s0, s1, …
#[derive(Debug, Parser)]
#[command(name = "anytime")]
struct Args {
    /// A size such as 6x6
    size: Size,
    /// Number of boards
    #[arg(long, default_value_t = 100)]
    boards: u32,
    /// Reports the solutions after these CPU seconds
    #[arg(long, value_delimiter = ',', default_values_t = [0.1, 1.0])]
    seconds: Vec<f64>,
}

fn main() {
    let args = Args::parse();
    let mut rows = vec![Row::default(); args.seconds.len() + 1];
    for number in 0..args.boards {
        let seed = format!("s{number}").parse().expect("a seed");
        let board = scramble(args.size, &seed, Variant::BlankAnywhere).expect("a size of boards");
        let start = used();
        let mut search = AnytimeSearch::new(&board, &Tables::none()).expect("a solvable board");
        rows[0].add(search.best());
        for (&seconds, row) in args.seconds.iter().zip(&mut rows[1..]) {
            while (used() - start).as_secs_f64() < seconds
                && search.improve(Budget(SLICE)) != Improvement::Finished
            {}
            assert!(search.best().solves(&board), "a solution that solves nothing");
            row.add(search.best());
        }
    }
    println!("{:>9} {:>9} {:>9} {:>9}", "after", "moves", "at least", "M nodes");
    for (after, row) in std::iter::once(&0.0).chain(&args.seconds).zip(rows) {
        let [moves, at_least, nodes] =
            [row.moves, row.at_least, row.nodes].map(|sum| sum / f64::from(args.boards));
        println!("{after:>7} s {moves:9.2} {at_least:9.2} {:9.3}", nodes / 1e6);
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Row {
    moves: f64,
    at_least: f64,
    nodes: f64,
}

impl Row {
    fn add(&mut self, best: &Solution) {
        self.moves += f64::from(best.len());
        self.at_least += f64::from(best.at_least());
        self.nodes += best.nodes() as f64;
    }
}

/// Returns the CPU time of this thread.
fn used() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(now).expect("a clock that counts from 0")
}
