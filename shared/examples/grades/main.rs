//! Compares the grades of generated boards by independent measures:
//!
//! ```text
//! cargo run --release -p gridrace-shared --example grades -- 7x7 10x10 12x12
//! ```
//!
//! The boards are those of the seeds s0, s1, … of each grade. The columns are medians: the score of
//! a person's deductions, the choices of a search that grows links from their ends, the percentage
//! of links that are longer than the distance of their terminals, and the pairs.

#![expect(clippy::expect_used, reason = "a measurement has no caller to return an error to")]

mod path_search;

use clap::Parser;
use gridrace_shared::puzzle::numberlink::deduce::solving_effort;
use gridrace_shared::puzzle::numberlink::generate::{GeneratedPuzzle, make};
use gridrace_shared::puzzle::numberlink::{LinkSpec, Mode};
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::Size;
use path_search::choices;

/// The node budget of a score.
const PLENTY: Budget = Budget(10_000_000);

#[derive(Parser)]
struct Args {
    /// Sizes: 7x7, 10x10, …
    #[arg(required = true)]
    sizes: Vec<Size>,
    /// Number of boards of each grade
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    boards: u32,
}

fn main() {
    let args = Args::parse();
    println!("spec          score  choices  winding %  pairs");
    for size in args.sizes {
        for mode in [Mode::Easy, Mode::Normal, Mode::Hard] {
            let spec = LinkSpec::new(size, mode).expect("a heat's size");
            let mut columns: [Vec<u64>; 4] = Default::default();
            for board in 0..args.boards {
                let seed = format!("s{board}").parse().expect("a seed");
                let made = make(size, mode, &seed).expect("a board of every seed");
                for (column, figure) in columns.iter_mut().zip(measure(&made)) {
                    column.push(figure);
                }
            }
            let [score, choices, winding, pairs] = columns.map(median);
            println!("{:<13} {score:5} {choices:8} {winding:10} {pairs:6}", spec.to_string());
        }
    }
}

fn measure(made: &GeneratedPuzzle) -> [u64; 4] {
    let GeneratedPuzzle { puzzle, solution, .. } = made;
    let effort = solving_effort(puzzle, u32::MAX, PLENTY).expect("a solvable board");
    let pairs = puzzle.pairs();
    let links = solution.0.iter().zip(pairs);
    let is_winding = |(link, pair): &(&Vec<_>, &[_; 2])| {
        link.len() - 1 > puzzle.size().distance(pair[0], pair[1])
    };
    let winding = links.filter(is_winding).count();
    let percent = 100 * winding / pairs.len();
    [u64::from(effort.score()), choices(puzzle), percent as u64, pairs.len() as u64]
}

fn median(mut figures: Vec<u64>) -> u64 {
    figures.sort_unstable();
    figures[figures.len() / 2]
}
