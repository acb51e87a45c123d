//! Prints the mean length of anytime solutions of a size after some CPU seconds:
//!
//! ```text
//! cargo run --release -p gridrace-shared --example anytime -- 6x6 --boards 100 --seconds 0.1,1,10
//! ```
//!
//! `--walks` takes boards that are 1,000 to 10,000 random steps from the goal, as DeepCubeA's test
//! sets are (Agostinelli, McAleer, Shmakov and Baldi 2019), `--tables` the default tables. `--file`
//! takes boards with known lengths, the shortest ones or those of another solver, and compares with these:
//!
//! ```text
//! cargo run --release -p gridrace-shared --example anytime -- 5x5 --file shared/tests/data/korf24.txt --tables
//! ```
//!
//! Seconds are CPU seconds of the thread, so that other load matters little.

#![expect(clippy::expect_used, reason = "a measurement has no caller to return an error to")]

use clap::Parser;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::notation::read_board;
use gridrace_shared::puzzle::slide::scramble::{Variant, scramble};
use gridrace_shared::puzzle::slide::solve::tables::{Grade, TableSpec, Tables, build};
use gridrace_shared::puzzle::slide::solve::{AnytimeSearch, Improvement, Solution};
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::{Direction, Size};
use gridrace_shared::util::seed::Seed;
use rustix::time::{ClockId, clock_gettime};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Nodes between two readings of the clock.
const SLICE: u64 = 20_000;

/// Measures the anytime solutions of the boards of the seeds s0, s1, …, or of a file
#[derive(Debug, Parser)]
#[command(name = "anytime")]
struct Args {
    /// A size such as 6x6
    size: Size,
    /// Number of boards; of a file, at most
    #[arg(long, default_value_t = 100)]
    boards: u32,
    /// Reports the solutions after these CPU seconds
    #[arg(long, value_delimiter = ',', default_values_t = [0.1, 1.0])]
    seconds: Vec<f64>,
    /// Takes boards of random walks instead of uniform ones
    #[arg(long)]
    walks: bool,
    /// Takes boards from lines `BOARD ; LENGTH`, with a known length to compare with
    #[arg(long, conflicts_with = "walks")]
    file: Option<PathBuf>,
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
    let boards: Vec<(Board, Option<u32>)> = match &args.file {
        Some(file) => read_file(args.size, file).take(args.boards as usize).collect(),
        None => {
            let board = if args.walks { walk } else { uniform };
            (0..args.boards).map(|number| (board(args.size, number), None)).collect()
        }
    };
    let mut rows = vec![Row::default(); args.seconds.len() + 1];
    for (board, known) in &boards {
        let start = used();
        let mut search = AnytimeSearch::new(board, &tables).expect("a solvable board");
        rows[0].add(search.best(), *known);
        for (&seconds, row) in args.seconds.iter().zip(&mut rows[1..]) {
            while (used() - start).as_secs_f64() < seconds
                && search.improve(Budget(SLICE)) != Improvement::Finished
            {}
            assert!(search.best().solves(board), "the solution doesn't solve the board");
            row.add(search.best(), *known);
        }
    }
    println!("{:>9} {:>9} {:>9} {:>9}  ratio", "after", "moves", "at least", "M nodes");
    for (after, row) in std::iter::once(&0.0).chain(&args.seconds).zip(rows) {
        let [moves, at_least, nodes] =
            [row.moves, row.at_least, row.nodes].map(|sum| sum / boards.len() as f64);
        print!("{after:>7} s {moves:9.2} {at_least:9.2} {:9.3}", nodes / 1e6);
        if row.known_moves > 0.0 {
            let ratio = row.moves / row.known_moves;
            print!("  {ratio:.4} ({} of {} boards as short)", row.as_short, boards.len());
        }
        println!();
    }
}

/// Reads boards and the known lengths.
fn read_file(size: Size, file: &Path) -> impl Iterator<Item = (Board, Option<u32>)> {
    let text = std::fs::read_to_string(file).expect("a readable file");
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.into_iter().filter(|line| !line.starts_with('#')).map(move |line| {
        let (board, length) = line.split_once(';').expect("a line `BOARD ; LENGTH`");
        let board = read_board(size, board).expect("a board of the size");
        (board, Some(length.trim().parse().expect("a length")))
    })
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
    /// The known lengths, and how many solutions are as short.
    known_moves: f64,
    as_short: u32,
}

impl Row {
    fn add(&mut self, best: &Solution, known: Option<u32>) {
        self.moves += f64::from(best.len());
        self.at_least += f64::from(best.at_least());
        self.nodes += best.nodes() as f64;
        self.known_moves += known.map_or(0.0, f64::from);
        self.as_short += u32::from(known.is_some_and(|known| best.len() <= known));
    }
}

/// Returns the CPU time of this thread.
fn used() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(now).expect("a clock that counts from 0")
}
