//! Numberlink boards for tests, each with one solution; of the project's own generator.

use gridrace_shared::heat::standings::Standings;
use gridrace_shared::puzzle::numberlink::solve;
use gridrace_shared::puzzle::numberlink::{Drawing, Puzzle, Rule, Stroke, Touch};
use gridrace_shared::puzzle::{Board, PieceProgress};
use gridrace_shared::solver::budget::Budget;
use gridrace_shared::util::grid::{Cell, Size};

/// One pair to walk around in, with a solid cell.
const THREE: &str = "1 . .\n. X .\n. . 1";

const SEVEN: &str = "\
. . . 6 4 . .
. . . . . . .
. 8 7 . . 8 .
. 3 . 3 . 7 .
. . . . 1 5 .
. 2 . . . . .
2 6 . 1 5 4 .";

const TEN: &str = "\
. . . . . . . . . .
. 3 . . . . . . . .
. . . . . . . . . .
. . . . . 7 . 4 3 .
. . 8 2 . . . . . .
. . 4 . . . . . 1 .
7 6 . . . . . . 2 .
. . . . . 6 . 8 . .
. 5 . 9 5 1 . . . .
9 . . . . . . . . .";

const SOLVE_BUDGET: Budget = Budget(1_000_000);

/// Returns the board that stands here for a puzzle, if one does.
pub(crate) fn board(puzzle: &str) -> Option<Board> {
    let drawing = match puzzle {
        "link:7x7" => drawing(SEVEN),
        "link:10x10" => drawing(TEN),
        "link:20x20" => four(&drawing(TEN)),
        _ => return None,
    };
    Some(Board::Link(drawing))
}

/// Puts a puzzle down four times, with numbers of its own each time.
fn four(part: &Drawing) -> Drawing {
    let small = part.puzzle().size();
    let size = Size::new(2 * small.rows(), 2 * small.cols()).unwrap();
    let mut terminals = Vec::new();
    for (row, column) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        for pair in part.puzzle().pairs() {
            let number = 1 + terminals.len() as u16 / 2;
            for cell in pair.map(|cell| (small.row_of(cell), small.col_of(cell))) {
                let (down, right) = (row * small.rows(), column * small.cols());
                terminals.push((number, size.cell(cell.0 + down, cell.1 + right)));
            }
        }
    }
    Drawing::new(Puzzle::new(size, &terminals, &[], Touch::Free).unwrap())
}

/// Returns the strokes that solve a board that stands here, in the order of the numbers.
pub(crate) fn strokes(puzzle: &str) -> Vec<Stroke> {
    let text = if puzzle == "link:7x7" { SEVEN } else { TEN };
    let puzzle = text.parse().unwrap();
    let solution = solve::first(&puzzle, Rule::Loose, SOLVE_BUDGET).solution.unwrap();
    solution.0.into_iter().map(Stroke::Draw).collect()
}

/// Counts links in the standings of a race of Numberlink, by the progress.
pub(crate) fn count(puzzle: &str, standings: &mut Standings) {
    let Some(tally) = super::start(puzzle).piece_progress() else {
        return;
    };
    for row in &mut standings.rows {
        let part = |whole: u16| whole * (row.progress / 10) / 100;
        row.tally =
            Some(PieceProgress { done: part(tally.of), covered: part(tally.cells), ..tally });
    }
}

/// Returns a board of three by three with a solid cell in the middle.
pub(crate) fn small() -> Drawing {
    drawing(THREE)
}

/// Returns the cell in a row and column of a board.
pub(crate) fn cell(drawing: &Drawing, row: usize, column: usize) -> Cell {
    drawing.puzzle().size().cell(row, column)
}

fn drawing(text: &str) -> Drawing {
    Drawing::new(text.parse::<Puzzle>().unwrap())
}
