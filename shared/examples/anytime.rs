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
//! Seconds are CPU seconds of the thread, so that other load matters little. `--threads` measures that many
//! boards at a time. The column `+-` is the standard error of the mean of the moves.

#![expect(clippy::expect_used, reason = "a measurement has no caller to return an error to")]

use clap::Parser;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::notation::read_board;
use gridrace_shared::puzzle::slide::scramble::{Variant, scramble};
use gridrace_shared::puzzle::slide::solve::tables::{TableGrade, TableSpec, Tables, build};
use gridrace_shared::puzzle::slide::solve::{AnytimeSearch, Improvement, Solution};
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::{Direction, Size};
use gridrace_shared::util::seed::Seed;
use rustix::time::{ClockId, clock_gettime};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
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
    /// Boards to measure at the same time, each on a thread of its own
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

fn main() {
    let args = Args::parse();
    let mut tables = Tables::none();
    if args.tables {
        let spec = TableSpec::new(args.size, TableGrade::Default).expect("a size with tables");
        tables = tables.with(Arc::new(build(spec, &|work| work(), &|_| {})));
    }
    let boards: Vec<(Board, Option<u32>)> = match &args.file {
        Some(file) => read_file(args.size, file).take(args.boards as usize).collect(),
        None => {
            let board = if args.walks { walk } else { uniform };
            (0..args.boards).map(|number| (board(args.size, number), None)).collect()
        }
    };
    let next = AtomicUsize::new(0);
    let measure_some = || -> Vec<Vec<Sample>> {
        let boards = std::iter::from_fn(|| boards.get(next.fetch_add(1, Ordering::Relaxed)));
        boards.map(|(board, known)| measure(board, *known, &args.seconds, &tables)).collect()
    };
    let samples: Vec<Vec<Sample>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..args.threads).map(|_| scope.spawn(measure_some)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a measurement")).collect()
    });
    println!("{:>9} {:>9} {:>6} {:>9} {:>9}  ratio", "after", "moves", "+-", "at least", "M nodes");
    for (row, after) in std::iter::once(&0.0).chain(&args.seconds).enumerate() {
        print_row(*after, &samples.iter().map(|samples| samples[row]).collect::<Vec<_>>());
    }
}

/// Returns the solution of a board at once, and after each number of CPU seconds.
fn measure(board: &Board, known: Option<u32>, seconds: &[f64], tables: &Tables) -> Vec<Sample> {
    let start = used();
    let mut search = AnytimeSearch::new(board, tables).expect("a solvable board");
    let mut samples = vec![Sample::new(search.best(), known)];
    for &seconds in seconds {
        while (used() - start).as_secs_f64() < seconds
            && search.improve(Budget(SLICE)) != Improvement::Finished
        {}
        assert!(search.best().solves(board), "the solution doesn't solve the board");
        samples.push(Sample::new(search.best(), known));
    }
    samples
}

fn print_row(after: f64, samples: &[Sample]) {
    let boards = samples.len() as f64;
    let mean = |value: fn(&Sample) -> f64| samples.iter().map(value).sum::<f64>() / boards;
    let moves = mean(|sample| sample.moves);
    let squares: f64 = samples.iter().map(|sample| (sample.moves - moves).powi(2)).sum();
    let error = (squares / (boards - 1.0) / boards).sqrt();
    let (at_least, nodes) = (mean(|sample| sample.at_least), mean(|sample| sample.nodes) / 1e6);
    print!("{after:>7} s {moves:9.2} {error:6.2} {at_least:9.2} {nodes:9.3}");
    let known = mean(|sample| sample.known.unwrap_or(0.0));
    if known > 0.0 {
        let as_short = |sample: &&Sample| sample.known.is_some_and(|known| sample.moves <= known);
        let as_short = samples.iter().filter(as_short).count();
        print!("  {:.4} ({as_short} of {} boards as short)", moves / known, samples.len());
    }
    println!();
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

/// A board's best solution after some time.
#[derive(Debug, Clone, Copy)]
struct Sample {
    moves: f64,
    at_least: f64,
    nodes: f64,
    /// The known length.
    known: Option<f64>,
}

impl Sample {
    fn new(best: &Solution, known: Option<u32>) -> Self {
        Self {
            moves: f64::from(best.len()),
            at_least: f64::from(best.at_least()),
            nodes: best.nodes() as f64,
            known: known.map(f64::from),
        }
    }
}

/// Returns the CPU time of this thread.
fn used() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(now).expect("a clock that counts from 0")
}
