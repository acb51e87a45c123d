//! Prints how short the anytime solutions of a size are, by nodes or by seconds of one
//! core:
//!
//! ```text
//! cargo run --release -p gridrace-shared --example anytime -- 6x6 --boards 100 --seconds 0.1,1,10
//! cargo run --release -p gridrace-shared --example anytime -- published --nodes 1,10
//! ```
//!
//! Nodes are in millions. The boards are those of the seeds s0, s1, …; `published` are Korf
//! and Felner's fifty 24-puzzles. `--tables` builds tables first, `default` or `large`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a measurement has nobody to hand an error to"
)]

use gridrace_shared::hint::Budget;
use gridrace_shared::slide::Board;
use gridrace_shared::slide::scramble::{Variant, scramble};
use gridrace_shared::slide::solve::tables::{Grade, TableSpec, Tables, build};
use gridrace_shared::slide::solve::{Anytime, Improvement};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is granted between two looks at the clock, in nodes.
const SLICE: u64 = 20_000;

const PUBLISHED: &str = include_str!("../tests/data/korf24.txt");

fn main() {
    let mut words = std::env::args().skip(1);
    let what = words.next().expect("a size, or published");
    let mut boards = 100;
    let mut marks = vec![Mark::Nodes(1_000_000), Mark::Nodes(10_000_000)];
    let mut tables = Tables::none();
    let mut grade = None;
    while let Some(word) = words.next() {
        let value = words.next().expect("a value");
        match word.as_str() {
            "--boards" => boards = value.parse().unwrap(),
            "--seconds" => marks = all(&value, |s| Mark::Seconds(Duration::from_secs_f64(s))),
            "--nodes" => marks = all(&value, |m| Mark::Nodes((m * 1e6) as u64)),
            "--tables" if value == "large" => grade = Some(Grade::Large),
            "--tables" => grade = Some(Grade::Default),
            other => panic!("unknown: {other}"),
        }
    }
    let mut boards = read(&what, boards);
    let size = boards.first().expect("a board").0.size();
    if let Some(spec) = grade.and_then(|grade| TableSpec::new(size, grade).ok()) {
        let start = now();
        let table = build(spec, &|work| work(), &|_| {});
        let (bytes, took) = (table.payload().len(), start.elapsed());
        println!("{spec}: {bytes} bytes, built in {took:.2?}");
        tables = tables.with(Arc::new(table));
    }
    let mut rows = vec![Row::default(); marks.len() + 1];
    let start = now();
    for (board, optimum) in &mut boards {
        let mut search = Search::new(board, &tables);
        rows[0].add(&search, *optimum);
        for (mark, row) in marks.iter().zip(&mut rows[1..]) {
            search.reach(*mark);
            row.add(&search, *optimum);
        }
    }
    let speed = rows.last().map_or(0.0, |row| row.nodes) / start.elapsed().as_secs_f64();
    println!(
        "{what}, {} boards, {:.1} M nodes/s",
        boards.len(),
        speed / 1e6
    );
    println!(
        "{:>12} {:>9} {:>9} {:>9} {:>9}",
        "after", "moves", "at least", "ratio", "M nodes"
    );
    let names = std::iter::once("plan".to_owned()).chain(marks.iter().map(Mark::to_string));
    for (name, row) in names.zip(&rows) {
        let each = |sum: f64| sum / boards.len() as f64;
        let Row {
            moves,
            at_least,
            ratio,
            nodes,
        } = *row;
        let [moves, at_least, ratio, nodes] = [moves, at_least, ratio, nodes / 1e6].map(each);
        println!("{name:>12} {moves:9.2} {at_least:9.2} {ratio:9.4} {nodes:9.3}");
    }
}

/// When the solutions are looked at.
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

/// Sums over the boards.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    moves: f64,
    at_least: f64,
    ratio: f64,
    nodes: f64,
}

impl Row {
    fn add(&mut self, search: &Search, optimum: f64) {
        let best = search.anytime.best();
        assert!(best.solves(&search.board), "a solution that solves nothing");
        self.moves += f64::from(best.len());
        self.at_least += f64::from(best.at_least());
        self.ratio += f64::from(best.len()) / optimum;
        self.nodes += best.nodes() as f64;
    }
}

struct Search {
    board: Board,
    anytime: Anytime,
    start: Instant,
    granted: u64,
}

impl Search {
    fn new(board: &Board, tables: &Tables) -> Self {
        let start = now();
        let anytime = Anytime::new(board, tables).unwrap();
        Self {
            board: board.clone(),
            anytime,
            start,
            granted: 0,
        }
    }

    fn reach(&mut self, mark: Mark) {
        while match mark {
            Mark::Nodes(nodes) => self.granted < nodes,
            Mark::Seconds(time) => self.start.elapsed() < time,
        } {
            self.granted += SLICE;
            if self.anytime.improve(Budget(SLICE)) == Improvement::Finished {
                break;
            }
        }
    }
}

/// Reads the boards, each with the length of a shortest solution where it is known.
fn read(what: &str, boards: usize) -> Vec<(Board, f64)> {
    if what != "published" {
        let size = what.parse().expect("a size");
        let board = |n| {
            scramble(
                size,
                &format!("s{n}").parse().unwrap(),
                Variant::BlankAnywhere,
            )
        };
        return (0..boards).map(|n| (board(n).unwrap(), f64::NAN)).collect();
    }
    let lines = PUBLISHED.lines().filter(|line| !line.starts_with('#'));
    let read = |line: &str| {
        let (tiles, optimum) = line.split_once(';').expect("a board and a length");
        (tiles.parse().unwrap(), optimum.trim().parse().unwrap())
    };
    lines.take(boards).map(read).collect()
}

fn all(list: &str, mark: impl Fn(f64) -> Mark) -> Vec<Mark> {
    list.split(',')
        .map(|number| mark(number.parse().unwrap()))
        .collect()
}

#[expect(clippy::disallowed_methods, reason = "this file measures time")]
fn now() -> Instant {
    Instant::now()
}
