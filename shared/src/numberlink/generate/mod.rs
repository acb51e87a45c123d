//! Makes boards of seeds, each with its solution.
//!
//! A seed is one board for ever. Everything that decides about a board is written out in
//! this folder and counts in integers: the randomness, the annealing and the search that
//! proves a solution the only one. Nothing of it hangs on the solvers, so that they may get
//! better; golden boards guard it.

mod anneal;
mod chance;
mod classic;
mod front;
mod layout;
mod mates;
mod naming;
mod partition;
mod rival;
mod unique;

use crate::grid::{Cell, Size};
use crate::numberlink::{HEAT_SIDES, Mode, Puzzle, Rule, Solution};
use crate::seed::Seed;
use layout::Solved;
use rival::{Rivals, Search};

/// A board that was made, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The board.
    pub puzzle: Puzzle,
    /// The solution that it was made of. Any other wins as well.
    pub solution: Solution,
    /// The rule under which this solution is proved to be the only one; nothing where a
    /// classic board was handed out unproved.
    pub unique: Option<Rule>,
    /// What it took.
    pub effort: Effort,
}

/// What it took to make a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Fresh starts.
    pub starts: u32,
    /// Solved boards that were searched for another solution.
    pub proofs: u32,
    /// Searches that were given up.
    pub undecided: u32,
    /// Bites drawn while annealing.
    pub bites: u64,
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
    /// Boards aren't told apart by how hard they are yet.
    #[error("boards can't be asked for as {} yet", .0.name())]
    Ungraded(Mode),
    /// All starts came to nothing. No seed is known for which that happens.
    #[error("no board with one solution was found")]
    Exhausted,
}

/// Returns the board that a seed names, the same on every machine for ever; always soluble.
///
/// Easy and hard boards are made like normal ones, as long as they aren't graded. Where
/// [`make`] comes to nothing, the board is a classic one.
///
/// ```
/// use gridrace_shared::numberlink::{Mode, generate};
/// let puzzle = generate("6x6".parse()?, Mode::Classic, &"friday".parse()?);
/// assert_eq!(puzzle.size().cells(), 36);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn generate(size: Size, mode: Mode, seed: &Seed) -> Puzzle {
    let made = match mode {
        Mode::Normal | Mode::Easy | Mode::Hard => make(size, Mode::Normal, seed),
        Mode::Classic => make(size, Mode::Classic, seed),
    };
    let made = made.unwrap_or_else(|_| classic::make(size, seed));
    made.puzzle
}

/// Makes the board that a seed names, and says what is known of it.
///
/// A normal board has no solid cell, no link of fewer than three cells or that touches
/// itself, and no number next to its twin; its solution is proved to be the only one, even
/// if cells were allowed to stay empty. A classic one promises nothing of all this; see
/// [`Made::unique`].
///
/// # Errors
/// [`GenerateError`], for a normal board of a size beyond a heat's, and for easy and hard
/// ones.
///
/// ```
/// use gridrace_shared::numberlink::generate::make;
/// use gridrace_shared::numberlink::{Mode, Rule};
/// let made = make("6x6".parse()?, Mode::Normal, &"friday".parse()?)?;
/// assert!(made.solution.solves(&made.puzzle, Rule::FullNoTouch));
/// assert_eq!(made.unique, Some(Rule::Loose));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn make(size: Size, mode: Mode, seed: &Seed) -> Result<Made, GenerateError> {
    let is_heats = HEAT_SIDES.contains(&size.rows()) && HEAT_SIDES.contains(&size.cols());
    match mode {
        Mode::Classic => Ok(classic::make(size, seed)),
        Mode::Normal if is_heats => unique::make(size, seed, |_, _| true),
        Mode::Normal => Err(GenerateError::Size(size)),
        Mode::Easy | Mode::Hard => Err(GenerateError::Ungraded(mode)),
    }
}

impl Effort {
    /// Looks for another solution, and counts what that takes.
    fn look(&mut self, search: &mut Search, solved: &Solved<'_>, limit: u64) -> Rivals {
        let before = search.nodes();
        let rivals = search.run(solved, limit);
        self.proofs += 1;
        self.undecided += u32::from(rivals == Rivals::Unknown);
        self.nodes = search.nodes();
        self.last_nodes = self.nodes - before;
        rivals
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
