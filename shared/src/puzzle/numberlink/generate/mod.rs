//! The generator: boards from seeds, with their solutions.
//!
//! A seed always gives the same board. Everything that affects a board is implemented in this
//! folder in integer arithmetic: the randomness, the annealing, and the search that proves a
//! solution to be unique. It does not depend on the solvers, so these can be improved; golden
//! boards guard it.

mod anneal;
mod classic;
mod fast_rng;
mod frontier_search;
mod mates;
mod partition;
mod row_layout;
mod second_solution;
mod state_hash;
mod unique;

use crate::puzzle::numberlink::deduce::Grade;
use crate::puzzle::numberlink::{HEAT_SIDES, Mode, Puzzle, Rule, Solution};
use crate::util::grid::{Cell, Size};
use crate::util::seed::Seed;
use row_layout::SolvedBoard;
use second_solution::{SecondSolution, SecondSolutionSearch};
use std::convert::Infallible;

/// A generated board with its solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedBoard {
    pub puzzle: Puzzle,
    /// The solution from which it was generated. Any other one wins as well.
    pub solution: Solution,
    /// The rule under which this solution is proved to be unique; `None` for a classic board
    /// without a proof.
    pub unique: Option<Rule>,
    pub stats: GenerationStats,
}

/// Statistics of a board's generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GenerationStats {
    pub starts: u32,
    /// Number of solved boards searched for a second solution.
    pub proofs: u32,
    /// Number of searches that ran out of budget.
    pub undecided: u32,
    /// Number of moves proposed while annealing.
    pub moves: u64,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Nodes of the last search, the proof.
    pub last_nodes: u64,
}

/// Why no board was generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// The size is out of range for boards with one solution.
    #[error("boards with one solution have 4 to 20 rows and columns, not {0}")]
    Size(Size),
    /// All starts failed. No seed is known for which that happens.
    #[error("no board with one solution was found")]
    Exhausted,
}

/// Returns the board of a seed, the same on every machine and in every version; always solvable.
/// If [`make`] fails, which no seed of a heat's size is known to do, the board is a classic one.
///
/// ```
/// use gridrace_shared::puzzle::numberlink::{Mode, generate};
/// let puzzle = generate("6x6".parse()?, Mode::Classic, &"friday".parse()?);
/// assert_eq!(puzzle.size().cells(), 36);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn generate(size: Size, mode: Mode, seed: &Seed) -> Puzzle {
    generate_with_solution(size, mode, seed).puzzle
}

pub(super) fn generate_with_solution(size: Size, mode: Mode, seed: &Seed) -> GeneratedBoard {
    let Ok(made) = make_or_classic(size, mode, seed, &always);
    made
}

/// Like [`generate_with_solution`], but returns `None` if `go_on` returns false. It is called
/// before every search, which takes up to some tenths of a second on the largest boards.
pub(super) fn generate_while(
    size: Size,
    mode: Mode,
    seed: &Seed,
    go_on: &dyn Fn() -> bool,
) -> Option<GeneratedBoard> {
    let asked = || if go_on() { Ok(()) } else { Err(()) };
    make_or_classic(size, mode, seed, &asked).ok()
}

fn make_or_classic<E>(
    size: Size,
    mode: Mode,
    seed: &Seed,
    go_on: &dyn Fn() -> Result<(), E>,
) -> Result<GeneratedBoard, E> {
    match make_asking(size, mode, seed, go_on)? {
        Ok(made) => Ok(made),
        Err(GenerateError::Size(_) | GenerateError::Exhausted) => classic::make(size, seed, go_on),
    }
}

/// Never cancels.
fn always() -> Result<(), Infallible> {
    Ok(())
}

/// Generates the board of a seed with its solution and statistics.
///
/// A board has no solid cell, no link of fewer than three cells or that touches itself, and no
/// adjacent terminals of the same number; its solution is proved to be unique even if cells may
/// stay empty. With a graded mode it is the first of the seed's boards that has the grade, or the
/// nearest of [`candidates`]. A classic board guarantees none of this; see
/// [`GeneratedBoard::unique`].
///
/// # Errors
/// [`GenerateError`] for a non-classic board whose size is out of range for heats.
///
/// ```
/// use gridrace_shared::puzzle::numberlink::generate::make;
/// use gridrace_shared::puzzle::numberlink::{Mode, Rule};
/// let made = make("6x6".parse()?, Mode::Any, &"friday".parse()?)?;
/// assert!(made.solution.solves(&made.puzzle, Rule::FullNoTouch));
/// assert_eq!(made.unique, Some(Rule::Loose));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn make(size: Size, mode: Mode, seed: &Seed) -> Result<GeneratedBoard, GenerateError> {
    let Ok(outcome) = make_asking(size, mode, seed, &always);
    outcome
}

fn make_asking<E>(
    size: Size,
    mode: Mode,
    seed: &Seed,
    go_on: &dyn Fn() -> Result<(), E>,
) -> Result<Result<GeneratedBoard, GenerateError>, E> {
    let is_heats = HEAT_SIDES.contains(&size.rows()) && HEAT_SIDES.contains(&size.cols());
    let graded = |grade: Grade| {
        let distance = |puzzle: &Puzzle| Grade::of(puzzle).distance(grade);
        unique::make(size, seed, candidates(size), distance, go_on)
    };
    let made = match mode {
        Mode::Classic => Some(classic::make(size, seed, go_on)?),
        _ if !is_heats => return Ok(Err(GenerateError::Size(size))),
        Mode::Any => unique::make(size, seed, 1, |_| 0, go_on)?,
        Mode::Easy => graded(Grade::Easy)?,
        Mode::Normal => graded(Grade::Normal)?,
        Mode::Hard => graded(Grade::Hard)?,
    };
    Ok(made.ok_or(GenerateError::Exhausted))
}

/// Returns the number of boards among which one of a grade is searched: fewer for larger sizes,
/// which take longer. If a quarter of the boards has the grade, which is about right for easy and
/// hard ones, a search among 16 fails with a probability of 1 %, among 7 (15×15) of 14 %, and
/// among 4 (20×20) of a third.
pub fn candidates(size: Size) -> usize {
    (1_600 / size.cells()).clamp(4, 24)
}

impl GenerationStats {
    /// Searches for a second solution, and updates the statistics.
    fn look(
        &mut self,
        search: &mut SecondSolutionSearch,
        solved: &SolvedBoard<'_>,
        limit: u64,
    ) -> SecondSolution {
        let before = search.nodes();
        let second = search.run(solved, limit);
        self.proofs += 1;
        self.undecided += u32::from(second == SecondSolution::Unknown);
        self.nodes = search.nodes();
        self.last_nodes = self.nodes - before;
        second
    }
}

/// Creates a puzzle from links; cells without a link are solid. The numbers follow the first
/// terminals row by row, so that a number is easy to find and reveals nothing.
fn puzzle_of(size: Size, mut links: Vec<Vec<Cell>>) -> (Puzzle, Solution) {
    for link in &mut links {
        if link.first() > link.last() {
            link.reverse();
        }
    }
    links.sort_unstable_by_key(|link| link.first().copied());
    (Puzzle::of_links(size, &links), Solution(links))
}

#[cfg(test)]
mod tests;
