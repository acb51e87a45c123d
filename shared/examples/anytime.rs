//! Prints the mean length of anytime solutions of a size, by nodes or by CPU seconds:
//!
//! ```text
//! cargo run --release -p gridrace-shared --example anytime -- 6x6 --boards 100 --seconds 0.1,1,10
//! cargo run --release -p gridrace-shared --example anytime -- published --nodes 1,10
//! ```
//!
//! Seconds are CPU seconds of the thread, so that other load matters little.

#![expect(clippy::expect_used, reason = "a measurement has nobody to hand an error to")]

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, ValueEnum};
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::scramble::{Variant, scramble};
use gridrace_shared::puzzle::slide::solve::tables::{Grade, TableSpec, Tables, build};
use gridrace_shared::puzzle::slide::solve::{AnytimeSearch, Improvement};
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::Size;
use rustix::time::{ClockId, clock_gettime};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Nodes between two readings of the clock.
const SLICE: u64 = 20_000;

const PUBLISHED: &str = include_str!("../tests/data/korf24.txt");

/// Measures the anytime solutions of many boards: their lengths and lower bounds.
#[derive(Debug, Parser)]
#[command(name = "anytime")]
struct Args {
    /// A size such as 6x6 for the boards of the seeds s0, s1, …, or `published` for Korf and
    /// Felner's fifty 24-puzzles
    what: What,
    /// Number of boards
    #[arg(long, default_value_t = 100)]
    boards: usize,
    /// Number of boards to skip, for a measurement in parts
    #[arg(long, default_value_t = 0)]
    from: usize,
    /// Reports the solutions after these numbers of nodes, in millions
    #[arg(long, value_delimiter = ',', default_values_t = [1.0, 10.0], value_parser = amount)]
    nodes: Vec<f64>,
    /// Reports the solutions after these CPU seconds instead
    #[arg(long, value_delimiter = ',', conflicts_with = "nodes", value_parser = amount)]
    seconds: Vec<f64>,
    /// Builds tables first
    #[arg(long)]
    tables: Option<Tabled>,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Published,
    Of(Size),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Tabled {
    Default,
    Large,
}

impl FromStr for What {
    type Err = <Size as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "published" => Ok(Self::Published),
            size => size.parse().map(Self::Of),
        }
    }
}

impl std::fmt::Display for What {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Published => f.write_str("published"),
            Self::Of(size) => size.fmt(f),
        }
    }
}

fn amount(text: &str) -> Result<f64, String> {
    const MOST: f64 = 1e9;
    match text.parse() {
        Ok(amount) if (0.0..=MOST).contains(&amount) => Ok(amount),
        _ => Err("not a number from 0 on".to_owned()),
    }
}

fn main() {
    let args = Args::parse();
    let mut boards = read(&args);
    let Some((board, _)) = boards.first() else {
        refuse("there are no boards to measure");
    };
    let tables = tables(board.size(), args.tables);
    let marks: Vec<Mark> = if args.seconds.is_empty() {
        let nodes = |&millions: &f64| Mark::Nodes((millions * 1e6) as u64);
        args.nodes.iter().map(nodes).collect()
    } else {
        let time = |&seconds: &f64| Mark::Seconds(Duration::from_secs_f64(seconds));
        args.seconds.iter().map(time).collect()
    };
    let mut rows = vec![Row::default(); marks.len() + 1];
    let start = used();
    for (board, optimum) in &mut boards {
        let mut search = Search::new(board, &tables);
        rows[0].add(&search, *optimum);
        for (mark, row) in marks.iter().zip(&mut rows[1..]) {
            search.reach(*mark);
            row.add(&search, *optimum);
        }
    }
    let nodes = rows.last().map_or(0.0, |row| row.nodes);
    let speed = nodes / (used() - start).as_secs_f64() / 1e6;
    println!("{}, {} boards, {speed:.1} M nodes/s", args.what, boards.len());
    let known = boards.iter().all(|(_, optimum)| optimum.is_some());
    let ratio = |text: String| if known { text } else { String::new() };
    println!(
        "{:>12} {:>9} {:>9}{} {:>9}",
        "after",
        "moves",
        "at least",
        ratio(format!(" {:>9}", "ratio")),
        "M nodes"
    );
    let names = std::iter::once("plan".to_owned()).chain(marks.iter().map(Mark::to_string));
    for (name, row) in names.zip(&rows) {
        let each = |sum: f64| sum / boards.len() as f64;
        println!(
            "{name:>12} {:9.2} {:9.2}{} {:9.3}",
            each(row.moves),
            each(row.at_least),
            ratio(format!(" {:9.4}", each(row.ratio))),
            each(row.nodes / 1e6)
        );
    }
}

fn refuse(why: &str) -> ! {
    Args::command().error(ErrorKind::InvalidValue, why).exit()
}

fn tables(size: Size, tabled: Option<Tabled>) -> Tables {
    let grade = match tabled {
        None => return Tables::none(),
        Some(Tabled::Default) => Grade::Default,
        Some(Tabled::Large) => Grade::Large,
    };
    let spec = match TableSpec::new(size, grade) {
        Ok(spec) => spec,
        Err(error) => refuse(&error.to_string()),
    };
    let start = used();
    let table = build(spec, &|work| work(), &|_| {});
    let (bytes, took) = (table.payload().len(), used() - start);
    println!("{spec}: {bytes} bytes, built in {took:.2?}");
    Tables::none().with(Arc::new(table))
}

/// When the solutions are reported.
#[derive(Debug, Clone, Copy)]
enum Mark {
    Nodes(u64),
    Seconds(Duration),
}

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "{} M nodes", *nodes as f64 / 1e6),
            Self::Seconds(time) => write!(f, "{} s", time.as_secs_f64()),
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Row {
    moves: f64,
    at_least: f64,
    ratio: f64,
    nodes: f64,
}

impl Row {
    fn add(&mut self, search: &Search, optimum: Option<f64>) {
        let best = search.anytime.best();
        assert!(best.solves(&search.board), "a solution that solves nothing");
        self.moves += f64::from(best.len());
        self.at_least += f64::from(best.at_least());
        self.ratio += optimum.map_or(0.0, |optimum| f64::from(best.len()) / optimum);
        self.nodes += best.nodes() as f64;
    }
}

struct Search {
    board: Board,
    anytime: AnytimeSearch,
    start: Duration,
    granted: u64,
}

impl Search {
    fn new(board: &Board, tables: &Tables) -> Self {
        let start = used();
        let anytime = AnytimeSearch::new(board, tables).expect("a board that can be solved");
        Self { board: board.clone(), anytime, start, granted: 0 }
    }

    fn reach(&mut self, mark: Mark) {
        while match mark {
            Mark::Nodes(nodes) => self.granted < nodes,
            Mark::Seconds(time) => used() - self.start < time,
        } {
            self.granted += SLICE;
            if self.anytime.improve(Budget(SLICE)) == Improvement::Finished {
                break;
            }
        }
    }
}

/// Reads the boards, each with its optimal length if known.
fn read(args: &Args) -> Vec<(Board, Option<f64>)> {
    let numbers = args.from..args.from.saturating_add(args.boards);
    match args.what {
        What::Published => {
            let lines = PUBLISHED.lines().filter(|line| !line.starts_with('#'));
            lines.skip(numbers.start).take(numbers.len()).map(published).collect()
        }
        What::Of(size) => numbers.map(|n| (seeded(size, n), None)).collect(),
    }
}

fn published(line: &str) -> (Board, Option<f64>) {
    let (tiles, optimum) = line.split_once(';').expect("a board and a length");
    let optimum = optimum.trim().parse().expect("a length");
    (tiles.parse().expect("a board"), Some(optimum))
}

fn seeded(size: Size, number: usize) -> Board {
    let seed = format!("s{number}").parse().expect("a seed");
    match scramble(size, &seed, Variant::BlankAnywhere) {
        Ok(board) => board,
        Err(error) => refuse(&error.to_string()),
    }
}

/// Returns the CPU time of this thread.
fn used() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(now).expect("a clock that counts from 0")
}
