//! Benchmarks of the sliding puzzle's parity, scrambles, tables and solvers.
//!
//! `cargo bench -p gridrace-shared --bench slide`

#![expect(clippy::expect_used, reason = "a bench has no caller to return an error to")]

use divan::{Bencher, black_box};
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::parity::is_solvable;
use gridrace_shared::puzzle::slide::scramble::{Variant, scramble};
use gridrace_shared::puzzle::slide::solve::tables::{TableSpec, Tables, build};
use gridrace_shared::puzzle::slide::solve::{constructive, optimal, quick, shortest_mtm};
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::Size;
use gridrace_shared::util::seed::Seed;
use std::sync::Arc;

const SIDES: [usize; 4] = [4, 8, 16, 32];

/// The largest boards take a hundred million nodes.
const PLENTY: Budget = Budget(1_000_000_000);

fn main() {
    divan::main();
}

fn size_and_seed(side: usize) -> (Size, Seed) {
    let size = Size::new(side, side).expect("the side is within bounds");
    (size, "bench".parse().expect("it is a seed"))
}

fn board(side: usize) -> Board {
    let (size, seed) = size_and_seed(side);
    scramble(size, &seed, Variant::BlankAnywhere).expect("the side is within bounds")
}

#[divan::bench(args = SIDES)]
fn parity(bencher: Bencher, side: usize) {
    let board = board(side);
    bencher.bench_local(|| is_solvable(black_box(&board)));
}

#[divan::bench(args = SIDES)]
fn scrambles(bencher: Bencher, side: usize) {
    let (size, seed) = size_and_seed(side);
    bencher.bench_local(|| scramble(black_box(size), &seed, Variant::BlankAnywhere));
}

#[divan::bench(args = SIDES)]
fn constructive_solver(bencher: Bencher, side: usize) {
    let board = board(side);
    bencher.bench_local(|| constructive(black_box(&board), PLENTY));
}

/// The quick solver.
#[divan::bench(args = [4, 8, 16, 32, 100])]
fn quick_solver(bencher: Bencher, side: usize) {
    let board = board(side);
    bencher.bench_local(|| quick(black_box(&board), PLENTY));
}

fn tables(spec: &str) -> Tables {
    let spec: TableSpec = spec.parse().expect("there is such a table");
    Tables::none().with(Arc::new(build(spec, &|work| work(), &|_| {})))
}

#[divan::bench(args = ["3x3-default", "3x4-default", "4x4-default", "5x5-default"], sample_count = 3)]
fn table_build(bencher: Bencher, spec: &str) {
    bencher.bench_local(|| tables(black_box(spec)));
}

/// Korf's hundred boards with the default tables.
#[divan::bench(sample_count = 3)]
fn korfs_hundred(bencher: Bencher) {
    let tables = tables("4x4-default");
    let lines = include_str!("../tests/data/korf100.txt").lines();
    let boards: Vec<Board> = lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(';')?.0.trim().parse().ok())
        .collect();
    assert_eq!(boards.len(), 100);
    bencher.bench_local(|| {
        let solve = |board| optimal(board, PLENTY, &tables).map_or(0, |found| found.nodes());
        boards.iter().map(solve).sum::<u64>()
    });
}

/// One of the two boards that are farthest from the goal.
#[divan::bench]
fn farthest_of_3x3(bencher: Bencher) {
    let tables = tables("3x3-default");
    let board: Board = "8 6 7/2 5 4/3 0 1".parse().expect("it is a board");
    bencher.bench_local(|| optimal(black_box(&board), PLENTY, &tables));
}

/// The same board in the fewest multi-tile moves.
#[divan::bench]
fn farthest_of_3x3_in_mtm(bencher: Bencher) {
    let tables = tables("3x3-mtm");
    let board: Board = "8 6 7/2 5 4/3 0 1".parse().expect("it is a board");
    bencher.bench_local(|| shortest_mtm(black_box(&board), PLENTY, &tables));
}
