//! Benchmarks of the Numberlink solvers: one solution, and proofs of uniqueness.
//!
//! `cargo bench -p gridrace-shared --bench numberlink`
//!
//! The boards are generated from seeds: straight links whose ends take cells from each other. Most
//! have several solutions.

#![expect(clippy::expect_used, reason = "a bench has nobody to hand an error to")]

use divan::{Bencher, black_box};
use gridrace_shared::puzzle::numberlink::solve::{count, first};
use gridrace_shared::puzzle::numberlink::{Puzzle, Rule, Touch};
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::{Cell, Direction, Size};
use gridrace_shared::util::seed::{PortableRng, Seed};

const SIDES: [usize; 6] = [5, 7, 10, 12, 15, 20];

/// The node budget of a benchmark: some seconds.
const PLENTY: Budget = Budget(20_000_000);

fn main() {
    divan::main();
}

/// Generates a full board: one straight link per row, whose ends then take cells from each other.
/// Each keeps at least three cells, and none touches itself.
fn board(side: usize) -> Puzzle {
    let size = Size::new(side, side).expect("the side is within bounds");
    let seed: Seed = "bench".parse().expect("it is a seed");
    let mut rng = seed.rng("bench", &size.to_string());
    let mut links: Vec<Vec<Cell>> = rows(size);
    for _ in 0..1_000 * size.cells() {
        backbite(&mut links, size, &mut rng);
    }
    let terminals = (1..)
        .zip(&links)
        .flat_map(|(number, link)| [link[0], link[link.len() - 1]].map(|end| (number, end)));
    let terminals: Vec<_> = terminals.collect();
    Puzzle::new(size, &terminals, &[], Touch::Free).expect("links make a puzzle")
}

fn rows(size: Size) -> Vec<Vec<Cell>> {
    let row = |row| (0..size.cols()).map(|col| size.cell(row, col)).collect();
    (0..size.rows()).map(row).collect()
}

/// Moves the end of a link into the end cell of another, unless that becomes shorter than three
/// cells or the link touches itself.
fn backbite(links: &mut [Vec<Cell>], size: Size, rng: &mut PortableRng) {
    let from = rng.below(links.len() as u32) as usize;
    if rng.below(2) > 0 {
        links[from].reverse();
    }
    let Some(&end) = links[from].last() else {
        return;
    };
    let Some(next) = size.neighbour(end, Direction::ALL[rng.below(4) as usize]) else {
        return;
    };
    let owner =
        links.iter().position(|link| link.first() == Some(&next) || link.last() == Some(&next));
    let Some(owner) = owner.filter(|&owner| owner != from && links[owner].len() > 3) else {
        return;
    };
    let touches = |cell: &&Cell| size.distance(**cell, next) == 1;
    if links[from].iter().filter(touches).count() > 1 {
        return;
    }
    if links[owner].first() == Some(&next) {
        links[owner].reverse();
    }
    links[owner].pop();
    links[from].push(next);
}

#[divan::bench(args = SIDES)]
fn one_solution(bencher: Bencher, side: usize) {
    let board = board(side);
    bencher.bench_local(|| first(black_box(&board), Rule::Full, PLENTY));
}

#[divan::bench(args = SIDES)]
fn proof_of_a_loose_solution(bencher: Bencher, side: usize) {
    let board = board(side);
    bencher.bench_local(|| count(black_box(&board), Rule::Loose, PLENTY));
}

#[divan::bench(args = SIDES)]
fn proof_of_a_solution_without_touches(bencher: Bencher, side: usize) {
    let board = board(side);
    bencher.bench_local(|| count(black_box(&board), Rule::FullNoTouch, PLENTY));
}
