//! Benchmarks of grades, deductions and hints of Numberlink, on generated boards.
//!
//! `cargo bench -p gridrace-shared --bench reasons`

#![expect(clippy::expect_used, reason = "a bench has nobody to hand an error to")]

use divan::Bencher;
use gridrace_shared::puzzle::numberlink::deduce::{Grade, KnownSolution, Premise, next_segment};
use gridrace_shared::puzzle::numberlink::{Drawing, LinkPlan, Puzzle};
use gridrace_shared::solver::budget::{Budget, HINT_BUDGET, NodesUsed};

fn main() {
    divan::main();
}

const BOARDS: [&str; 4] = ["7x7 normal", "10x10 easy", "10x10 hard", "15x15 normal"];

fn board(name: &str) -> Puzzle {
    let mut boards = include_str!("../tests/data/graded_numberlinks.txt").split("\n\n");
    let grid = boards.find_map(|board| board.strip_prefix(name)).expect("a board of this name");
    grid.parse().expect("a puzzle")
}

#[divan::bench(args = BOARDS)]
fn grade(bencher: Bencher<'_, '_>, name: &str) {
    let puzzle = board(name);
    bencher.bench_local(|| Grade::of(&puzzle));
}

#[divan::bench(args = BOARDS)]
fn first_step(bencher: Bencher<'_, '_>, name: &str) {
    let puzzle = board(name);
    bencher.bench_local(|| {
        let spent = &mut NodesUsed::default();
        next_segment(&puzzle, &[], Premise::OneSolution, Budget(100_000), spent)
    });
}

/// All hints from the empty board to the solved one.
#[divan::bench(args = BOARDS)]
fn every_hint(bencher: Bencher<'_, '_>, name: &str) {
    let puzzle = board(name);
    let known = KnownSolution::find(&puzzle, Budget(1_000_000));
    bencher.bench_local(|| {
        let mut drawing = Drawing::new(puzzle.clone());
        let mut hints = 0;
        while !drawing.is_solved() {
            let spent = &mut NodesUsed::default();
            let plan = LinkPlan::plan(&drawing, &known, HINT_BUDGET, spent).expect("solvable");
            let hint = plan.explain(&drawing, spent).next(&drawing).expect("unsolved");
            drawing.play(&hint.stroke(&drawing).expect("its drawing")).expect("a legal stroke");
            hints += 1;
        }
        hints
    });
}
