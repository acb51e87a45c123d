//! The generator: boards from seeds, with their solutions.
//!
//! A seed always gives the same board. Everything that affects a board is implemented in this
//! folder in integer arithmetic: the randomness, the annealing, and the search that proves a
//! solution to be unique. It does not depend on the solvers, so these can be improved; golden
//! boards guard it. There is one exception: large boards with few pairs are proved by the solvers'
//! search by learned clauses (see `few_pairs`).

mod anneal;
mod classic;
mod fast_rng;
mod few_pairs;
mod frontier_search;
mod generated_puzzle;
mod partition;
mod region;
mod row_layout;
mod second_solution;
mod state_hash;
mod unique;

use crate::puzzle::numberlink::deduce::Grade;
use crate::puzzle::numberlink::{HEAT_SIDES, Mode, Puzzle};
use crate::util::grid::Size;
use crate::util::seed::Seed;
pub use generated_puzzle::GeneratedPuzzle;
use std::convert::Infallible;
use std::num::NonZero;
use std::thread;
use unique::BoardProfile;

/// Why no board was generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
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
/// let made = generate("6x6".parse()?, Mode::Classic, &"friday".parse()?);
/// assert_eq!(made.puzzle.size().cells(), 36);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn generate(size: Size, mode: Mode, seed: &Seed) -> GeneratedPuzzle {
    make(size, mode, seed).unwrap_or_else(|_| {
        let Ok(made) = classic::make(size, seed, &always);
        made
    })
}

/// Like [`generate`] on this thread alone, but returns `None` if `go_on` returns false. It is called
/// before every search, which takes up to some tenths of a second on the largest boards.
pub(super) fn generate_while(
    size: Size,
    mode: Mode,
    seed: &Seed,
    go_on: &dyn Fn() -> bool,
) -> Option<GeneratedPuzzle> {
    let asked = || if go_on() { Ok(()) } else { Err(()) };
    match make_asking(size, mode, seed, &asked).ok()? {
        Ok(made) => Some(made),
        Err(GenerateError::Size(_) | GenerateError::Exhausted) => {
            classic::make(size, seed, &asked).ok()
        }
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
/// stay empty. With a graded mode it has more or fewer pairs, and is the first of the seed's
/// boards that has the grade, or the nearest of [`candidates`]. From 18×18 on, hard boards are
/// those of few pairs, and take seconds on all cores. A classic board guarantees none of this;
/// see [`GeneratedPuzzle::unique`].
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
pub fn make(size: Size, mode: Mode, seed: &Seed) -> Result<GeneratedPuzzle, GenerateError> {
    if has_few_pairs(size, mode) {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        return few_pairs::make_on(threads, size, seed).ok_or(GenerateError::Exhausted);
    }
    let Ok(outcome) = make_asking(size, mode, seed, &always);
    outcome
}

fn is_of_heats(size: Size) -> bool {
    HEAT_SIDES.contains(&size.rows()) && HEAT_SIDES.contains(&size.cols())
}

fn has_few_pairs(size: Size, mode: Mode) -> bool {
    let is_large = size.rows().min(size.cols()) >= few_pairs::MIN_SIDE;
    mode == Mode::Hard && is_of_heats(size) && is_large
}

fn make_asking<E>(
    size: Size,
    mode: Mode,
    seed: &Seed,
    go_on: &dyn Fn() -> Result<(), E>,
) -> Result<Result<GeneratedPuzzle, GenerateError>, E> {
    let graded = |grade: Grade| {
        let distance = |puzzle: &Puzzle| Grade::of(puzzle).distance(grade);
        let pairs_percent = pairs_percent(size, grade);
        let profile = BoardProfile { size, pairs_percent, candidates: candidates(size) };
        unique::make(&profile, seed, distance, go_on)
    };
    let ungraded = BoardProfile { size, pairs_percent: 100, candidates: 1 };
    let made = match mode {
        Mode::Classic => Some(classic::make(size, seed, go_on)?),
        _ if !is_of_heats(size) => return Ok(Err(GenerateError::Size(size))),
        _ if has_few_pairs(size, mode) => few_pairs::make(size, seed, go_on)?,
        Mode::Any => unique::make(&ungraded, seed, |_| 0, go_on)?,
        Mode::Easy => graded(Grade::Easy)?,
        Mode::Normal => graded(Grade::Normal)?,
        Mode::Hard => graded(Grade::Hard)?,
    };
    Ok(made.ok_or(GenerateError::Exhausted))
}

/// Returns the mean number of pairs of a grade's boards, in percent of an ungraded board's. Pairs
/// are what most of the choices depend on that other solvers and people without deductions have:
/// with a fifth fewer, links wind more and there are some three times as many choices at 10×10.
/// Boards above 15×15 with fewer pairs take too long to prove with the generator's own search.
fn pairs_percent(size: Size, grade: Grade) -> usize {
    match grade {
        Grade::Easy => 125,
        Grade::Normal => 100,
        Grade::Hard => 80 + 20 * size.cells().saturating_sub(15 * 15) / (20 * 20 - 15 * 15),
    }
}

/// Returns the number of boards among which one of a grade is searched: fewer for larger sizes,
/// which take longer. If a quarter of the boards has the grade, which is about right for easy and
/// hard ones, a search among 16 fails with a probability of 1 %, among 7 (15×15) of 14 %, and
/// among 4 (20×20) of a third.
pub fn candidates(size: Size) -> usize {
    (1_600 / size.cells()).clamp(4, 24)
}

#[cfg(test)]
mod tests;
