//! Makes boards of seeds, each with its solution.
//!
//! A seed is one board for ever. Everything that decides about a board is written out in
//! this folder and counts in integers: the randomness, the annealing and the search that
//! proves a solution the only one. Nothing of it hangs on the solvers, so that they may get
//! better; golden boards guard it.

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

/// A board that was made, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedBoard {
    /// The board.
    pub puzzle: Puzzle,
    /// The solution that it was made of. Any other wins as well.
    pub solution: Solution,
    /// The rule under which this solution is proved to be the only one; nothing where a
    /// classic board was handed out unproved.
    pub unique: Option<Rule>,
    /// What it took.
    pub stats: GenerationStats,
}

/// What it took to make a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GenerationStats {
    /// Fresh starts.
    pub starts: u32,
    /// SolvedBoard boards that were searched for another solution.
    pub proofs: u32,
    /// Searches that were given up.
    pub undecided: u32,
    /// Bites drawn while annealing.
    pub moves: u64,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Nodes of the last one: the proof.
    pub last_nodes: u64,
}

/// Why no board was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// The size is beyond a heat's.
    #[error("boards with one solution have 4 to 20 rows and columns, not {0}")]
    Size(Size),
    /// All starts came to nothing. No seed is known for which that happens.
    #[error("no board with one solution was found")]
    Exhausted,
}

/// Returns the board that a seed hashes, the same on every machine for ever; always soluble.
/// Where [`make`] comes to nothing, which no size of a heat's is known to do, it is a classic
/// one.
///
/// ```
/// use gridrace_shared::puzzle::numberlink::{Mode, generate};
/// let puzzle = generate("6x6".parse()?, Mode::Classic, &"friday".parse()?);
/// assert_eq!(puzzle.size().cells(), 36);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn generate(size: Size, mode: Mode, seed: &Seed) -> Puzzle {
    generate_with_solution(size, mode, seed).puzzle
}

/// Returns the board that a seed hashes, and what is known of it.
pub(in crate::puzzle::numberlink) fn generate_with_solution(
    size: Size,
    mode: Mode,
    seed: &Seed,
) -> GeneratedBoard {
    let Ok(made) = make_or_classic(size, mode, seed, &always);
    made
}

/// Returns the board that a seed hashes, and what is known of it, unless somebody says in
/// between that it isn't wanted any more: `go_on` is asked before every search, which on the
/// largest boards takes up to some tenths of a second.
pub(in crate::puzzle::numberlink) fn generate_while(
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

/// Goes on to the end.
fn always() -> Result<(), Infallible> {
    Ok(())
}

/// Makes the board that a seed hashes, and says what is known of it.
///
/// A board has no solid cell, no link of fewer than three cells or that touches itself, and
/// no number next to its twin; its solution is proved to be the only one, even if cells were
/// allowed to stay empty. Of a mode with a grade it is the first of the seed's boards that
/// has the grade, or the nearest of [`candidates`]. A classic board promises nothing of all
/// this; see [`GeneratedBoard::unique`].
///
/// # Errors
/// [`GenerateError`], for a board of a size beyond a heat's that isn't classic.
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

/// Returns among how many boards of a seed one of a grade is looked for: fewer the larger
/// they are, for the sake of time. Where a quarter of the boards has the grade, as of easy
/// and hard ones about does, a search among 16 is in vain once in a hundred times, among 7
/// (15×15) in one of seven, and among 4 (20×20) in one of three.
#[must_use]
pub fn candidates(size: Size) -> usize {
    (1_600 / size.cells()).clamp(4, 24)
}

impl GenerationStats {
    /// Looks for another solution, and counts what that takes.
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

/// Makes a puzzle of links; cells without one are solid. The numbers go by the first
/// terminal of each pair, row by row, so that a number is found where it is looked for and
/// tells nothing that the board doesn't.
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
