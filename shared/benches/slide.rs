//! Benchmarks of the sliding puzzle's parity, scrambles, and solvers for every size.
//!
//! `cargo bench -p gridrace-shared --bench slide`

#![expect(clippy::expect_used, reason = "a bench has nobody to hand an error to")]

use divan::{Bencher, black_box};
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::parity::is_solvable;
use gridrace_shared::puzzle::slide::scramble::{Variant, scramble};
use gridrace_shared::puzzle::slide::solve::{constructive, quick};
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::Size;
use gridrace_shared::util::seed::Seed;

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

/// The quick solver; its limits are 50 ms for 16×16, half a second for 32×32 and ten for 100×100.
#[divan::bench(args = [4, 8, 16, 32, 100])]
fn quick_solver(bencher: Bencher, side: usize) {
    let board = board(side);
    bencher.bench_local(|| quick(black_box(&board), PLENTY));
}
