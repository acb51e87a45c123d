//! Benchmarks of Numberlink: the generator, the solvers, and grades, deductions and hints.
//!
//! `cargo bench -p gridrace-shared --bench numberlink`

#![expect(clippy::expect_used, reason = "a bench has no caller to return an error to")]

use divan::{Bencher, black_box};
use gridrace_shared::puzzle::HintStyle;
use gridrace_shared::puzzle::numberlink::deduce::{Grade, KnownSolution, Premise, next_segment};
use gridrace_shared::puzzle::numberlink::generate::make;
use gridrace_shared::puzzle::numberlink::solve::{count, first};
use gridrace_shared::puzzle::numberlink::{Drawing, LinkPlan, LinkSpec, Mode, Puzzle, Rule};
use gridrace_shared::solver::budget::{Budget, HINT_BUDGET, NodesUsed};
use gridrace_shared::util::grid::Size;

const SIDES: [usize; 6] = [5, 7, 10, 12, 15, 20];

/// The node budget of a benchmark: some seconds.
const PLENTY: Budget = Budget(20_000_000);

fn main() {
    divan::main();
}

/// Generates the boards of the seeds b0, b1, …
fn generate(bencher: Bencher, spec: &str) {
    let spec: LinkSpec = spec.parse().expect("it is a heat's");
    let mut board = 0;
    bencher.bench_local(|| {
        let seed = format!("b{board}").parse().expect("it is a seed");
        board += 1;
        make(black_box(spec.size()), spec.mode(), &seed)
    });
}

#[divan::bench(args = ["4x4", "5x5", "7x7", "4x20", "10x10"], sample_count = 500, sample_size = 1)]
fn unique(bencher: Bencher, spec: &str) {
    generate(bencher, spec);
}

#[divan::bench(args = ["12x12", "15x15"], sample_count = 50, sample_size = 1)]
fn unique_large(bencher: Bencher, spec: &str) {
    generate(bencher, spec);
}

#[divan::bench(args = ["5x5:classic", "10x10:classic", "20x20:classic"], sample_count = 50, sample_size = 1)]
fn classic(bencher: Bencher, spec: &str) {
    generate(bencher, spec);
}

/// Generates a classic board.
fn board(side: usize) -> Puzzle {
    let size = Size::new(side, side).expect("the side is within bounds");
    let seed = "bench".parse().expect("it is a seed");
    make(size, Mode::Classic, &seed).expect("there are boards of this size").puzzle
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

const GRADED: [&str; 4] = ["7x7 normal", "10x10 easy", "10x10 hard", "15x15 normal"];

fn graded(name: &str) -> Puzzle {
    let mut boards = include_str!("../tests/data/graded_numberlinks.txt").split("\n\n");
    let grid = boards.find_map(|board| board.strip_prefix(name)).expect("a board of this name");
    grid.parse().expect("a puzzle")
}

#[divan::bench(args = GRADED)]
fn grade(bencher: Bencher, name: &str) {
    let puzzle = graded(name);
    bencher.bench_local(|| Grade::of(&puzzle));
}

#[divan::bench(args = GRADED)]
fn first_step(bencher: Bencher, name: &str) {
    let puzzle = graded(name);
    bencher.bench_local(|| {
        let spent = &mut NodesUsed::default();
        next_segment(&puzzle, &[], Premise::OneSolution, Budget(100_000), spent)
    });
}

/// All hints from the empty board to the solved one.
#[divan::bench(args = GRADED)]
fn every_hint(bencher: Bencher, name: &str) {
    let puzzle = graded(name);
    let known = KnownSolution::find(&puzzle, Budget(1_000_000));
    bencher.bench_local(|| {
        let mut drawing = Drawing::new(puzzle.clone());
        let mut hints = 0;
        while !drawing.is_solved() {
            let spent = &mut NodesUsed::default();
            let plan = LinkPlan::plan(&drawing, &known, HINT_BUDGET, spent).expect("solvable");
            let hint = plan
                .explain(&drawing, HintStyle::Shortest, spent)
                .next(&drawing)
                .expect("unsolved");
            drawing.play(&hint.stroke(&drawing).expect("its drawing")).expect("a legal stroke");
            hints += 1;
        }
        hints
    });
}
