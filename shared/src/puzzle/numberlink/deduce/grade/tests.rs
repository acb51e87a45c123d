use super::*;

/// Returns the easy, the normal and the hard board of 7×7, then those of 10×10. Each has one
/// solution, even if cells may stay empty.
fn boards() -> [Puzzle; 6] {
    let text =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/graded_numberlinks.txt"));
    let mut grids = text.split("\n\n").map(|board| board.split_once('\n').unwrap().1);
    std::array::from_fn(|_| grids.next().unwrap().parse().unwrap())
}

const PLENTY: Budget = Budget(1_000_000);

fn score(puzzle: &Puzzle) -> u32 {
    solving_effort(puzzle, u32::MAX, PLENTY).unwrap().score()
}

#[test]
fn grades_and_scores_are_pinned() {
    assert_eq!(boards().each_ref().map(score), GOLDEN_SCORES);
    let grades = boards().each_ref().map(Grade::of);
    assert_eq!(grades[..3], [Grade::Easy, Grade::Normal, Grade::Hard]);
    assert_eq!(grades[3..], [Grade::Easy, Grade::Normal, Grade::Hard]);
}

const GOLDEN_SCORES: [u32; 6] = [28, 85, 393, 238, 276, 628];

#[test]
fn stopping_early_changes_no_grade() {
    for puzzle in boards() {
        let (easy, hard) = usual(puzzle.open_cells() as u32);
        let whole = match score(&puzzle) {
            score if score < easy => Grade::Easy,
            score if score < hard => Grade::Normal,
            _ => Grade::Hard,
        };
        assert_eq!(Grade::of(&puzzle), whole);
    }
}

#[test]
fn the_budget_bounds_the_nodes_of_a_grade() {
    let [.., hard] = boards();
    let work = solving_effort(&hard, u32::MAX, Budget(2_000)).unwrap();
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
