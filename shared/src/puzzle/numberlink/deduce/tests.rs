use super::samples::{puzzle, random_puzzle, test_rng};
use super::*;
use crate::puzzle::numberlink::solve::{SolutionCount, count};
use crate::puzzle::numberlink::tests::samples::solutions;
use crate::puzzle::numberlink::{Puzzle, Rule, Solution};
use crate::solver::budget::{Budget, NodesUsed};
use crate::util::grid::Cell;
use crate::util::seed::PortableRng;

const BUDGET: Budget = Budget(100_000);

fn next(
    puzzle: &Puzzle,
    links: &[Vec<Cell>],
    premise: Premise,
    budget: Budget,
) -> Option<ForcedSegment> {
    next_segment(puzzle, links, premise, budget, &mut NodesUsed::default())
}

/// Returns whether a link of a solution contains a segment, in either direction.
fn runs_through(solution: &Solution, step: &ForcedSegment) -> bool {
    let back: Vec<Cell> = step.cells.iter().rev().copied().collect();
    (1u16..).zip(&solution.0).any(|(number, link)| {
        let mut runs = link.windows(step.cells.len());
        step.number.is_none_or(|known| known == number)
            && runs.any(|run| run == step.cells || run == back)
    })
}

fn extends(solution: &Solution, drawn: &[Vec<Cell>]) -> bool {
    solution.0.iter().zip(drawn).all(|(link, drawn)| {
        let mut back = link.iter().rev().zip(drawn);
        link.starts_with(drawn) || back.all(|(a, b)| a == b)
    })
}

/// Draws a random part of a solution: each link partially or not at all.
fn draw_some(solution: &Solution, rng: &mut PortableRng) -> Vec<Vec<Cell>> {
    let begin = |link: &Vec<Cell>| {
        let mut link = link.clone();
        if rng.below(2) == 0 {
            link.reverse();
        }
        let cells = rng.below(u32::try_from(2 * link.len()).unwrap()) as usize;
        link.truncate(cells.saturating_sub(link.len()));
        link
    };
    solution.0.iter().map(begin).collect()
}

/// Draws a segment that continues its link; returns false for one at the other terminal.
fn take(step: &ForcedSegment, drawn: &mut [Vec<Cell>]) -> bool {
    let Some(number) = step.number else {
        return false;
    };
    let link = &mut drawn[usize::from(number) - 1];
    match link.last() {
        Some(&end) if end == step.cells[0] => link.extend(&step.cells[1..]),
        Some(_) if link.len() > 1 => return false,
        _ => *link = step.cells.clone(),
    }
    true
}

#[test]
fn every_segment_is_in_every_solution_that_extends_the_drawn_links() {
    let mut rng = test_rng("sound");
    for round in 0..2_000 {
        let size = ["3x3", "3x4", "4x4", "4x5", "5x4"][round % 5].parse().unwrap();
        let (puzzle, hidden) = random_puzzle(size, &mut rng);
        let all = solutions(&puzzle, Rule::Full);
        let mut premises = vec![Premise::Rules];
        if solutions(&puzzle, Rule::Loose).len() == 1 {
            premises.push(Premise::OneSolution);
        }
        for premise in premises {
            let mut drawn = draw_some(&hidden, &mut rng);
            while let Some(step) = next(&puzzle, &drawn, premise, BUDGET) {
                let mut fitting = all.iter().filter(|solution| extends(solution, &drawn));
                assert!(
                    fitting.all(|solution| runs_through(solution, &step)),
                    "{step:?} of {puzzle:?} with {drawn:?}"
                );
                if !take(&step, &mut drawn) {
                    break;
                }
            }
        }
    }
}

#[test]
fn segments_lead_to_a_unique_solution() {
    let mut rng = test_rng("lead");
    let mut boards = 0;
    while boards < 300 {
        let size = ["5x5", "6x6", "5x7"][boards % 3].parse().unwrap();
        let (puzzle, _) = random_puzzle(size, &mut rng);
        let SolutionCount::Unique(solution) = count(&puzzle, Rule::Loose, BUDGET).verdict else {
            continue;
        };
        boards += 1;
        let mut drawn = draw_some(&solution, &mut rng);
        while let Some(step) = next(&puzzle, &drawn, Premise::OneSolution, BUDGET) {
            assert!(runs_through(&solution, &step), "{step:?} of {puzzle:?}");
            assert!(take(&step, &mut drawn), "{step:?} of {puzzle:?}");
        }
        let covered: usize = drawn.iter().map(Vec::len).sum();
        assert_eq!(covered, puzzle.open_cells(), "{puzzle:?} with {drawn:?}");
    }
}

/// Checks the next segment of a board with some links drawn (`/` between links).
fn check_step(premise: Premise, board: &str, drawn: &str, expected: (Option<u16>, &str, Reason)) {
    let cells = |text: &str| -> Vec<Cell> {
        let cells = text.split_whitespace();
        cells.map(|cell| Cell(cell.parse().unwrap())).collect()
    };
    let links: Vec<_> = drawn.split('/').map(cells).collect();
    let step = next(&puzzle(board), &links, premise, BUDGET);
    let (number, run, reason) = expected;
    let expected = ForcedSegment { number, cells: cells(run), reason };
    assert_eq!(step, Some(expected), "{board}");
}

#[test]
fn every_reason_has_an_example() {
    use Premise::Rules;
    use Reason::*;
    check_step(Rules, "1 . . / . . 1", "", (Some(1), "0 3 4", Corner));
    let two = "2 2 1 / . . . / . . 1";
    check_step(Rules, two, "", (Some(1), "2 5", OnlyWayOut));
    let through = ". 2 1 / 2 . . / X 1 X";
    check_step(Rules, through, "2 5 / 1 0 3", (Some(1), "5 4 7", PassThrough));
    let ring = ". . . 1 / . . . . / X 1 . . / . . . . / . . . .";
    check_step(Rules, ring, "", (None, "2 1 0 4 5", Ring));
    let end = ". . . 2 / . . . . / 1 . 1 2";
    check_step(Rules, end, "8 / 3 7", (Some(2), "7 11", DeadEnd));
    let cut = "2 . . . / . . . . / 2 1 . 1";
    check_step(Rules, cut, "/ 0 1", (Some(1), "9 10", WouldCutOff));
    let strand = "1 1 . . / . . . . / . . . .";
    check_step(Rules, strand, "", (Some(1), "0 4 8 9", WouldStrand));
    let several = "2 . . 1 / . . . . / . 2 3 . / . . 3 1";
    check_step(Rules, several, "3 2", (Some(3), "10 14", Trial { depth: 0 }));
    let trial = "2 . . 1 / . . 1 . / 2 . . .";
    check_step(Rules, trial, "/ 0 4", (Some(2), "4 8", Trial { depth: 3 }));
}

#[test]
fn undrawn_deductions_are_marked_as_such() {
    // With the corners drawn 2 would be separated; before that it is not.
    let board = "1 . . 2 / . 1 . . / . . . 2";
    let unseen = (Some(2), "11 7", Reason::Follows);
    check_step(Premise::Rules, board, "", unseen);
}

#[test]
fn touching_is_a_reason_if_one_solution_is_known() {
    let board = ". . 1 3 1 / . . . . . / . 3 . . . / . . . 2 2";
    let drawn = "2 1 0 5 10 15 16 17 12 / 18 / 3 8";
    let count = count(&puzzle(board), Rule::Loose, BUDGET);
    assert!(matches!(count.verdict, SolutionCount::Unique(_)));
    let touch = (Some(1), "12 13 14 9 4", Reason::WouldTouch);
    check_step(Premise::OneSolution, board, drawn, touch);
    let (_, run, _) = touch;
    check_step(Premise::Rules, board, drawn, (Some(1), run, Reason::WouldCutOff));
}

#[test]
fn invalid_links_force_nothing() {
    let puzzle = puzzle("1 . . / . . 1");
    for links in [
        vec![vec![Cell(0), Cell(99)]],
        vec![vec![Cell(0), Cell(4)]],
        vec![vec![Cell(0), Cell(1), Cell(0)]],
        vec![vec![Cell(0), Cell(1), Cell(2), Cell(5), Cell(4)]],
        vec![Vec::new(); 9],
    ] {
        let step = next(&puzzle, &links, Premise::Rules, BUDGET);
        assert_eq!(step.is_some(), links.len() == 9, "{links:?}");
    }
}

#[test]
fn the_budget_bounds_the_search() {
    let puzzle = puzzle("1 . . . / 1 . . . / . . . . / 2 . 2 X");
    let number = |budget| next(&puzzle, &[], Premise::Rules, budget)?.number;
    assert_eq!(number(BUDGET), Some(2));
    assert_eq!(number(Budget(10)), None);
}
