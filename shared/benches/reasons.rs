//! Benchmarks of grades, deductions and hints of Numberlink, on generated boards.
//!
//! `cargo bench -p gridrace-shared --bench reasons`

#![expect(clippy::expect_used, reason = "a bench has nobody to hand an error to")]

use divan::Bencher;
use gridrace_shared::puzzle::numberlink::deduce::{
    Grade, KnownSolution, LinkHint, Premise, hint, next_segment,
};
use gridrace_shared::puzzle::numberlink::{Drawing, Puzzle, Stroke, Touch};
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::{Cell, Size};

fn main() {
    divan::main();
}

const NORMAL_7: &str = "\
    6 . . . . . . /\
    3 5 . . 2 . . /\
    . . . . . . . /\
    3 . . 1 4 2 4 /\
    . . . . 5 . . /\
    . 6 . . . 1 . /\
    . . . . . . .";
const EASY_10: &str = "\
    . . . . . . . . . 4 /\
    . 8 . . . . . . . . /\
    . 7 2 . 7 . 9 . 5 . /\
    . 9 . . . . 4 . 6 . /\
    . . . 3 . 5 . . . . /\
    . . . . . . . . . . /\
    . . 3 1 . . 1 . . . /\
    . . 8 . . . . . . . /\
    . . . . . . 2 6 . . /\
    . . . . . . . . . .";
const HARD_10: &str = "\
    . . . . . . 6 . . 9 /\
    . 5 . . 3 . . . . . /\
    . . . . . . 4 . . . /\
    . 7 . 5 . . . . . . /\
    7 1 . 8 . . . . . . /\
    2 . . . . . . . 9 . /\
    . . . . . . . . . . /\
    . . 3 . 8 . . . 1 . /\
    . . . . 2 . 6 . . . /\
    . . . . . . . . . 4";
const NORMAL_15: &str = "\
    . 13 . . . . . . . 6 5 3 . . . /\
    . 8 . 10 . . . . . 10 . . . . . /\
    . . . 6 . . . 15 1 . . . 1 . . /\
    . . 15 . . 5 . . . . . . . . . /\
    . . . . . . . . . . . . . . . /\
    . 11 . . . 3 . . . . . . . . . /\
    . . 7 . 8 11 . 12 . . . 9 . . . /\
    14 . . . . . . . . . . . . . . /\
    . . . . . . 13 . . . . . . . . /\
    . . . . . . . . . . . . . . 4 /\
    . . . . 2 4 . . . . . 2 . . . /\
    . . . . . . . . 14 . . . . . . /\
    . . . . . . 7 . . . . . 12 . . /\
    . . . . . . . . . 9 . . . . . /\
    . . . . . . . . . . . . . . .";

const BOARDS: [&str; 4] = ["7x7 normal", "10x10 easy", "10x10 hard", "15x15 normal"];

fn board(name: &str) -> Puzzle {
    let text = match name {
        "7x7 normal" => NORMAL_7,
        "10x10 easy" => EASY_10,
        "10x10 hard" => HARD_10,
        _ => NORMAL_15,
    };
    let rows: Vec<Vec<&str>> =
        text.split('/').map(|row| row.split_whitespace().collect()).collect();
    let size = Size::new(rows.len(), rows[0].len()).expect("a size");
    let cells = (0u16..).map(Cell).zip(rows.iter().flatten());
    let terminals: Vec<(u16, Cell)> =
        cells.filter_map(|(cell, word)| Some((word.parse().ok()?, cell))).collect();
    Puzzle::new(size, &terminals, &[], Touch::Free).expect("a puzzle")
}

#[divan::bench(args = BOARDS)]
fn grade(bencher: Bencher<'_, '_>, name: &str) {
    let puzzle = board(name);
    bencher.bench_local(|| Grade::of(&puzzle));
}

#[divan::bench(args = BOARDS)]
fn first_step(bencher: Bencher<'_, '_>, name: &str) {
    let puzzle = board(name);
    bencher.bench_local(|| next_segment(&puzzle, &[], Premise::OneSolution, Budget(100_000)));
}

/// All hints from the empty board to the solved one.
#[divan::bench(args = BOARDS)]
fn every_hint(bencher: Bencher<'_, '_>, name: &str) {
    let puzzle = board(name);
    let known = KnownSolution::find(&puzzle, Budget(1_000_000));
    bencher.bench_local(|| {
        let mut drawing = Drawing::new(puzzle.clone());
        let mut hints = 0;
        while let Ok(hint) = hint(&drawing, &known, Budget(1_000_000)) {
            let cells = match hint {
                LinkHint::Forced(step) => step.cells,
                LinkHint::Reveal { cells, .. } => cells,
                LinkHint::Wrong(_) => break,
            };
            let stroke = Stroke::Draw(cells);
            drawing.play(&stroke).expect("a legal stroke");
            hints += 1;
        }
        hints
    });
}
