//! The number of moves of the constructive and the quick solver, compared with Parberry's 5n³.

#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

use std::time::{Duration, Instant};

use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::scramble::{Variant, scramble};
use gridrace_shared::puzzle::slide::solve::{constructive, quick};
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::Size;

const PLENTY: Budget = Budget(u64::MAX);

/// The first n×n boards of the measurement.
fn boards(n: usize, boards: usize) -> impl Iterator<Item = Board> {
    let size = Size::new(n, n).unwrap();
    (0..boards).map(move |number| {
        let seed = format!("measure-{number}").parse().unwrap();
        scramble(size, &seed, Variant::BlankAnywhere).unwrap()
    })
}

#[test]
fn the_quick_solver_takes_half_of_the_constructive_solvers_moves() {
    let (mut moves, mut plain) = (0, 0);
    for board in boards(12, 10) {
        moves += quick(&board, PLENTY).unwrap().moves().len();
        plain += constructive(&board, PLENTY).unwrap().moves().len();
    }
    assert!(2 * moves <= plain, "{moves} against {plain}");
}

/// The quick solver's nodes and moves are the same on every machine.
#[test]
fn the_quick_solvers_moves_and_nodes_are_pinned() {
    let measured = [5, 8, 16, 20].map(|n| {
        let board = boards(n, 1).next().unwrap();
        let solution = quick(&board, PLENTY).unwrap();
        (n, solution.len(), solution.nodes())
    });
    assert_eq!(
        measured,
        [(5, 103, 10_205), (8, 484, 50_124), (16, 4_650, 1_171_128), (20, 8_391, 2_788_451)]
    );
}

/// Prints a table: `cargo test --release -p gridrace-shared --test moves -- --ignored
/// --nocapture`.
#[test]
#[ignore = "a measurement, not a test"]
fn print_moves_by_size() {
    println!("moves / n³, mean and most, and milliseconds a board; constructive, then quick");
    for n in [3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 48, 64, 100] {
        let count = if n <= 32 { 100 } else { 20_000 / (n * n) };
        let mut line = format!("{n:>3} {count:>4}");
        let plain = |board: &Board| constructive(board, PLENTY).unwrap().moves().len();
        let fewer = |board: &Board| quick(board, PLENTY).unwrap().moves().len();
        line += &measured(n, count, plain);
        line += &measured(n, count, fewer);
        println!("{line}");
    }
}

#[expect(clippy::disallowed_methods, reason = "it measures time")]
fn measured(n: usize, count: usize, solve: impl Fn(&Board) -> usize) -> String {
    let (mut sum, mut most, mut time) = (0, 0, Duration::ZERO);
    for board in boards(n, count) {
        let start = Instant::now();
        let moves = solve(&board);
        time += start.elapsed();
        sum += moves;
        most = most.max(moves);
    }
    let (cubed, count) = ((n * n * n) as f64, count as f64);
    format!(
        "  {:>6.3} {:>6.3} {:>8.2}",
        sum as f64 / count / cubed,
        most as f64 / cubed,
        time.as_secs_f64() * 1_000.0 / count
    )
}
