//! Generates boards of a size and prints their statistics and costs:
//!
//! ```text
//! cargo run --release -p gridrace-shared --example generate -- 5x5 7x7 10x10 12x12 15x15
//! cargo run --release -p gridrace-shared --example generate -- 10x10:classic --boards 100 --show
//! ```
//!
//! The boards are those of the seeds s0, s1, …, by default 1,000 of each size; `--show` prints the
//! first three. Times are CPU times of the thread. A link's length is its number of steps;
//! `winding` is the length of all links divided by the Manhattan distances of all pairs.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement has nobody to hand an error to"
)]

use clap::Parser;
use gridrace_shared::puzzle::numberlink::LinkSpec;
use gridrace_shared::puzzle::numberlink::generate::{GeneratedBoard, make};
use gridrace_shared::puzzle::numberlink::notation::{Marks, write_links};
use gridrace_shared::util::grid::{Cell, Size};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

#[derive(Parser)]
struct Args {
    /// Sizes and modes: 10x10, 10x10:classic, …
    #[arg(required = true)]
    specs: Vec<LinkSpec>,
    /// Number of boards of each
    #[arg(long, default_value_t = 1_000)]
    boards: usize,
    /// Prints the first three with their solutions
    #[arg(long)]
    show: bool,
}

#[derive(Default)]
struct Sum {
    times: Vec<f64>,
    pairs: usize,
    turns: usize,
    steps: usize,
    distance: usize,
    touches: usize,
    short: usize,
    proved: usize,
    failed: usize,
    starts: u32,
    proofs: u32,
    undecided: u32,
    moves: u64,
    nodes: u64,
    last: u64,
}

fn main() {
    let args = Args::parse();
    println!(
        "spec           mean ms   p50 ms   p99 ms   max ms | pairs turns/cell winding touches short proved failed | starts proofs undecided    moves      nodes  the last"
    );
    for spec in args.specs {
        let mut sum = Sum::default();
        for board in 0..args.boards {
            let seed = format!("s{board}").parse().unwrap();
            let before = used();
            let made = make(spec.size(), spec.mode(), &seed);
            sum.times.push((used() - before).as_secs_f64() * 1e3);
            match made {
                Ok(made) => {
                    if args.show && board < 3 {
                        println!("{}", write_links(&made.puzzle, &made.solution.0, Marks::Lines));
                    }
                    sum.add(spec.size(), &made);
                }
                Err(_) => sum.failed += 1,
            }
        }
        sum.print(spec);
    }
}

impl Sum {
    fn add(&mut self, size: Size, made: &GeneratedBoard) {
        let links = &made.solution.0;
        self.pairs += links.len();
        self.proved += usize::from(made.unique.is_some());
        self.touches += made.solution.touches(&made.puzzle);
        for link in links {
            let is_turn = |three: &&[Cell]| {
                size.row_of(three[0]) != size.row_of(three[2])
                    && size.col_of(three[0]) != size.col_of(three[2])
            };
            self.turns += link.windows(3).filter(is_turn).count();
            self.steps += link.len() - 1;
            self.distance += size.distance(link[0], link[link.len() - 1]);
            self.short += usize::from(link.len() < 3);
        }
        self.starts += made.stats.starts;
        self.proofs += made.stats.proofs;
        self.undecided += made.stats.undecided;
        self.moves += made.stats.moves;
        self.nodes += made.stats.nodes;
        self.last += made.stats.last_nodes;
    }

    fn print(mut self, spec: LinkSpec) {
        self.times.sort_by(f64::total_cmp);
        let boards = self.times.len() as f64;
        let quantile = |q: f64| self.times[((boards * q) as usize).min(self.times.len() - 1)];
        println!(
            "{:<13} {:8.3} {:8.3} {:8.3} {:8.1} | {:5.2} {:10.3} {:7.2} {:7} {:5} {:6} {:6} | {:6.2} {:6.2} {:9.3} {:8.0} {:10.0} {:9.0}",
            spec.to_string(),
            self.times.iter().sum::<f64>() / boards,
            quantile(0.5),
            quantile(0.99),
            quantile(1.0),
            self.pairs as f64 / boards,
            self.turns as f64 / boards / spec.size().cells() as f64,
            self.steps as f64 / self.distance as f64,
            self.touches,
            self.short,
            self.proved,
            self.failed,
            f64::from(self.starts) / boards,
            f64::from(self.proofs) / boards,
            f64::from(self.undecided) / boards,
            self.moves as f64 / boards,
            self.nodes as f64 / boards,
            self.last as f64 / boards,
        );
    }
}

/// Returns the CPU time of this thread.
fn used() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(now).expect("a clock that counts from 0")
}
