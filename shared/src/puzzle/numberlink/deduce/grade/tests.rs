use super::*;
use crate::puzzle::numberlink::deduce::samples::puzzle;

// Boards with one solution, even if cells may stay empty.
const EASY_7: &str = "\
    . 3 . . 4 1 . /\
    . 4 . 2 . 2 . /\
    . . . . 6 5 . /\
    . . 1 5 . . . /\
    . . . . . . . /\
    . . . . . 6 3 /\
    . . . . . . .";
const NORMAL_7: &str = "\
    6 . . . . . . /\
    3 5 . . 2 . . /\
    . . . . . . . /\
    3 . . 1 4 2 4 /\
    . . . . 5 . . /\
    . 6 . . . 1 . /\
    . . . . . . .";
const HARD_7: &str = "\
    6 5 . . . . . /\
    . . 1 . . 5 1 /\
    . . . . 4 . . /\
    . . 3 . . . . /\
    2 . . 6 2 . . /\
    . . . . . 3 . /\
    4 . . . . . .";
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
const NORMAL_10: &str = "\
    . . . . . . . . . . /\
    . 3 . . . . . . . . /\
    . . . . . . . . . . /\
    . . . . . 7 . 4 3 . /\
    . . 8 2 . . . . . . /\
    . . 4 . . . . . 1 . /\
    7 6 . . . . . . 2 . /\
    . . . . . 6 . 8 . . /\
    . 5 . 9 5 1 . . . . /\
    9 . . . . . . . . .";
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

const PLENTY: Budget = Budget(1_000_000);

fn score(board: &str) -> u32 {
    solving_effort(&puzzle(board), u32::MAX, PLENTY).unwrap().score()
}

#[test]
fn grades_and_scores_are_pinned() {
    let boards = [EASY_7, NORMAL_7, HARD_7, EASY_10, NORMAL_10, HARD_10];
    assert_eq!(boards.map(score), GOLDEN_SCORES);
    let grades = boards.map(|board| Grade::of(&puzzle(board)));
    assert_eq!(grades[..3], [Grade::Easy, Grade::Normal, Grade::Hard]);
    assert_eq!(grades[3..], [Grade::Easy, Grade::Normal, Grade::Hard]);
}

const GOLDEN_SCORES: [u32; 6] = [28, 85, 393, 238, 276, 628];

#[test]
fn stopping_early_changes_no_grade() {
    for board in [EASY_7, NORMAL_7, HARD_7, EASY_10, NORMAL_10, HARD_10] {
        let puzzle = puzzle(board);
        let (easy, hard) = usual(puzzle.open_cells() as u32);
        let whole = match score(board) {
            score if score < easy => Grade::Easy,
            score if score < hard => Grade::Normal,
            _ => Grade::Hard,
        };
        assert_eq!(Grade::of(&puzzle), whole);
    }
}

#[test]
fn the_budget_bounds_the_nodes_of_a_grade() {
    let puzzle = puzzle(HARD_10);
    let work = solving_effort(&puzzle, u32::MAX, Budget(2_000)).unwrap();
    assert!(work.left > 0 && work.nodes < 2_000 + 500, "{work:?}");
}

#[test]
fn usual_scores_grow_with_the_board() {
    assert_eq!(usual(0), usual(16));
    assert_eq!(usual(100), (250, 555));
    assert_eq!(usual(1_600), (700, 1_500));
    for cells in 1..=1_600 {
        let ((easy, hard), (more_easy, more_hard)) = (usual(cells), usual(cells + 1));
        assert!(easy < hard && easy <= more_easy && hard <= more_hard, "{cells}");
    }
}
