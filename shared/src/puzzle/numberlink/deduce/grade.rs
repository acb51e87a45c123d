//! Grades: how hard a puzzle is for a person.
//!
//! A puzzle's score is its [`SolvingEffort`](super::SolvingEffort) in points per hundred cells.
//! What people call hard depends on the size: 5×5 boards take only a few rounds of forced exits.
//! So a grade compares the score with usual scores of puzzles with one solution, of the profile of
//! the best hand-made sets, with as many cells: about a quarter of them are easy and a quarter
//! hard. Of 326 levels of Flow Free, 5×5 to 15×18, 39 % are easy, 41 % normal and 20 % hard; of 79
//! puzzles from janko.at 13 %, 25 % and 62 %.
//!
//! Deductions alone say little about the work of those who search instead. So boards that are
//! generated for a grade also have more or fewer pairs.

use crate::puzzle::numberlink::Puzzle;
use crate::puzzle::numberlink::deduce::solving_effort;
use crate::solver::budget::Budget;

/// How hard a puzzle is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// Like the easiest quarter of its size.
    Easy,
    Normal,
    /// Like the hardest quarter of its size.
    Hard,
}

/// The node budget of a grade per cell: some 7 ms at 10×10, fifteen times the mean. Puzzles that
/// exceed it are hard.
const NODES_PER_CELL: u64 = 1_000;

/// The numbers of cells, the scores below which a puzzle is easy, and those from which it is hard;
/// interpolated linearly. Measured on generated boards of 4×4 to 15×15, extrapolated to 20×20.
const USUAL_SCORES: [(u32, u32, u32); 10] = [
    (16, 28, 37),
    (25, 30, 43),
    (36, 38, 105),
    (49, 50, 200),
    (64, 127, 300),
    (81, 177, 405),
    (100, 250, 555),
    (144, 345, 820),
    (225, 500, 1_070),
    (400, 700, 1_500),
];

impl Grade {
    /// Grades a puzzle with one solution, even if cells may stay empty; the grade of any other is
    /// hard or meaningless. Seeds' boards depend on it, so it is the same on every machine.
    pub fn of(puzzle: &Puzzle) -> Self {
        let cells = u32::try_from(puzzle.open_cells()).unwrap_or(u32::MAX);
        let (easy, hard) = usual(cells);
        let budget = Budget(NODES_PER_CELL * u64::from(cells));
        match solving_effort(puzzle, hard, budget).map_or(u32::MAX, |work| work.score()) {
            score if score < easy => Self::Easy,
            score if score < hard => Self::Normal,
            _ => Self::Hard,
        }
    }

    pub fn distance(self, other: Self) -> u32 {
        u32::from((self as u8).abs_diff(other as u8))
    }
}

/// Returns the score below which a puzzle of a number of cells is easy, and that from which it is
/// hard.
fn usual(cells: u32) -> (u32, u32) {
    let (least, most) = (USUAL_SCORES[0], USUAL_SCORES[USUAL_SCORES.len() - 1]);
    let cells = cells.clamp(least.0, most.0);
    let between = |two: &[(u32, u32, u32)]| {
        let ((from, easy, hard), (to, easy_to, hard_to)) = (two[0], two[1]);
        let along = |a: u32, b: u32| a + (b - a) * (cells - from) / (to - from);
        (from..=to).contains(&cells).then(|| (along(easy, easy_to), along(hard, hard_to)))
    };
    let found = USUAL_SCORES.windows(2).find_map(between);
    found.unwrap_or((most.1, most.2))
}

#[cfg(test)]
mod tests;
