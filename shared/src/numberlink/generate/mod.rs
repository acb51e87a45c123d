//! Generators: the board that a seed names.

mod classic;

use crate::grid::Size;
use crate::numberlink::{Mode, Puzzle};
use crate::seed::Seed;
use classic::classic;

/// Returns the board that a seed names, the same on every machine for ever; always soluble.
///
/// ```
/// use gridrace_shared::numberlink::{Mode, generate};
/// let puzzle = generate("6x6".parse()?, Mode::Classic, &"friday".parse()?);
/// assert_eq!(puzzle.size().cells(), 36);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn generate(size: Size, mode: Mode, seed: &Seed) -> Puzzle {
    match mode {
        Mode::Normal | Mode::Easy | Mode::Hard | Mode::Classic => classic(size, seed),
    }
}
