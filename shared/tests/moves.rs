//! Measures how many moves the constructive solver takes, against Parberry's 5n³.

#![expect(clippy::unwrap_used, reason = "what fails here fails a test")]

use gridrace_shared::grid::Size;
use gridrace_shared::hint::Budget;
use gridrace_shared::slide::scramble::{Variant, scramble};
use gridrace_shared::slide::solve::constructive;

/// The number of moves for each of so many scrambles of an n×n board.
fn moves(n: usize, boards: usize) -> Vec<usize> {
    let size = Size::new(n, n).unwrap();
    let solve = |number| {
        let seed = format!("measure-{number}").parse().unwrap();
        let board = scramble(size, &seed, Variant::BlankAnywhere).unwrap();
        constructive(&board, Budget(1_000_000))
            .unwrap()
            .moves()
            .len()
    };
    (0..boards).map(solve).collect()
}

#[test]
fn no_scramble_takes_more_than_the_greedy_bound() {
    for n in 3..=12 {
        let most = moves(n, 20).into_iter().max().unwrap();
        assert!(most <= 5 * n * n * n, "{most} moves on {n}x{n}");
    }
}

/// Prints the table: `cargo test --release -p gridrace-shared --test moves -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, not a test"]
fn print_moves_by_size() {
    println!("{:>3} {:>9} {:>9} {:>10}", "n", "mean", "most", "mean / n³");
    for n in [3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 28, 32] {
        let taken = moves(n, 100);
        let mean = taken.iter().sum::<usize>() as f64 / taken.len() as f64;
        let most = taken.iter().max().unwrap();
        println!(
            "{n:>3} {mean:>9.1} {most:>9} {:>10.3}",
            mean / (n * n * n) as f64
        );
    }
}
