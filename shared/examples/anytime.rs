//! Prints the mean length of anytime solutions of a size after some CPU seconds:
//!
//! ```text
//! cargo run --release -p gridrace-shared --example anytime -- 6x6 --boards 100 --seconds 0.1,1,10
//! ```
//!
//! `--walks` takes boards that are 1,000 to 10,000 random steps from the goal, as DeepCubeA's test
//! sets are (Agostinelli, McAleer, Shmakov and Baldi 2019), `--tables` the default tables.
//!
//! Seconds are CPU seconds of the thread, so that other load matters little.

#![expect(clippy::expect_used, reason = "a measurement has no caller to return an error to")]

use clap::Parser;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::scramble::{Variant, scramble};
use gridrace_shared::puzzle::slide::solve::tables::{Grade, TableSpec, Tables, build};
use gridrace_shared::puzzle::slide::solve::{AnytimeSearch, Improvement, Solution};
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::{Direction, Size};
use gridrace_shared::util::seed::Seed;
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;
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
    /// Takes boards of random walks instead of uniform ones
    #[arg(long)]
    walks: bool,
    /// Builds the default tables of the size and uses them
    #[arg(long)]
    tables: bool,
}

fn main() {
    let args = Args::parse();
    let mut tables = Tables::none();
    if args.tables {
        let spec = TableSpec::new(args.size, Grade::Default).expect("a size with tables");
        tables = tables.with(Arc::new(build(spec, &|work| work(), &|_| {})));
    }
    let mut rows = vec![Row::default(); args.seconds.len() + 1];
    for number in 0..args.boards {
        let board = if args.walks { walk(args.size, number) } else { uniform(args.size, number) };
        let start = used();
        let mut search = AnytimeSearch::new(&board, &tables).expect("a solvable board");
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

fn uniform(size: Size, number: u32) -> Board {
    let seed = format!("s{number}").parse().expect("a seed");
    scramble(size, &seed, Variant::BlankAnywhere).expect("a size of boards")
}

fn walk(size: Size, number: u32) -> Board {
    let seed: Seed = format!("s{number}").parse().expect("a seed");
    let mut random = seed.rng("random walk", &size.to_string());
    let mut board = Board::solved(size);
    let mut left = 1_000 + random.below(9_001);
    while left > 0 {
        let way = Direction::ALL[random.below(4) as usize];
        left -= u32::from(board.step(way).is_some());
    }
    board
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
