//! Generates boards of a size and prints what they cost:
//!
//! ```text
//! cargo run --release -p gridrace-shared --example generate -- 5x5 7x7 10x10 12x12 15x15
//! cargo run --release -p gridrace-shared --example generate -- 10x10:classic --boards 100 --show
//! ```
//!
//! The boards are those of the seeds s0, s1, …, by default 1,000 of each size; `--show` prints the
//! first three. Times are by the clock: some boards are made on all cores.

#![expect(clippy::expect_used, reason = "a measurement has no caller to return an error to")]

use clap::Parser;
use gridrace_shared::puzzle::numberlink::LinkSpec;
use gridrace_shared::puzzle::numberlink::generate::make;
use gridrace_shared::puzzle::numberlink::notation::write_links;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

#[derive(Parser)]
struct Args {
    /// Sizes and modes: 10x10, 10x10:classic, …
    #[arg(required = true)]
    specs: Vec<LinkSpec>,
    /// Number of boards of each
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..))]
    boards: u32,
    /// Prints the first three with their solutions
    #[arg(long)]
    show: bool,
}

fn main() {
    let args = Args::parse();
    println!("spec           mean ms   p50 ms   p90 ms   p99 ms   max ms | pairs proved winding");
    for spec in args.specs {
        let mut times = Vec::new();
        let (mut pairs, mut proved) = (0, 0);
        let mut winding = 0.0;
        for board in 0..args.boards {
            let seed = format!("s{board}").parse().expect("a seed");
            let before = now();
            let made = make(spec.size(), spec.mode(), &seed);
            times.push((now() - before).as_secs_f64() * 1e3);
            let made = made.expect("a board of every seed");
            if args.show && board < 3 {
                println!("{}", write_links(&made.puzzle, &made.solution.0));
            }
            winding += made.solution.winding(&made.puzzle);
            pairs += made.puzzle.pairs().len();
            proved += usize::from(made.unique.is_some());
        }
        times.sort_by(f64::total_cmp);
        let boards = times.len() as f64;
        let quantile = |q: f64| times[((boards * q) as usize).min(times.len() - 1)];
        println!(
            "{:<13} {:8.3} {:8.3} {:8.3} {:8.3} {:8.1} | {:5.2} {proved:6} {:7.3}",
            spec.to_string(),
            times.iter().sum::<f64>() / boards,
            quantile(0.5),
            quantile(0.9),
            quantile(0.99),
            quantile(1.0),
            pairs as f64 / boards,
            winding / boards,
        );
    }
}

fn now() -> Duration {
    let now = clock_gettime(ClockId::Monotonic);
    Duration::try_from(now).expect("a clock that counts from 0")
}
