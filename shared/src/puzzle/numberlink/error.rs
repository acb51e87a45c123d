//! Errors of puzzles.

use crate::util::grid::{Cell, Size};

/// An error of a puzzle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NumberlinkError {
    /// A side is outside [`super::SIDES`].
    #[error("a Numberlink has 2 to 40 rows and columns, not {0}")]
    Sides(Size),
    /// The puzzle has no number.
    #[error("there is no number")]
    NoNumber,
    /// A number is not in 1 to the number of pairs that fit the board.
    #[error("number {number} is out of range: 1 to {most}")]
    OutOfRange {
        number: u16,
        /// How many pairs fit the board.
        most: u16,
    },
    /// A number does not occur although a higher one does.
    #[error("number {0} is missing")]
    Missing(u16),
    /// A number has a single terminal.
    #[error("number {0} has one terminal")]
    Once(u16),
    /// A number has more than two terminals.
    #[error("number {number} occurs {times} times")]
    TooOften { number: u16, times: usize },
    /// A terminal is outside the board.
    #[error("terminal {cell} of number {number} is outside the board")]
    TerminalOutOfBounds { number: u16, cell: Cell },
    /// A solid cell is outside the board.
    #[error("solid cell {0} is outside the board")]
    SolidOutOfBounds(Cell),
    /// A cell is listed twice.
    #[error("cell {0} is listed twice")]
    Twice(Cell),
}

/// All errors of a puzzle; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberlinkErrors(pub Vec<NumberlinkError>);

impl std::error::Error for NumberlinkErrors {}

impl std::fmt::Display for NumberlinkErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        crate::util::grid::list_faults(f, &self.0)
    }
}

/// Lists every error of a puzzle. Reads at most twice as many entries of a list as the largest
/// board has cells.
pub(super) fn find_errors(
    size: Size,
    terminals: &[(u16, Cell)],
    solids: &[Cell],
) -> Vec<NumberlinkError> {
    const LOOKED_AT: usize = 2 * super::MAX_CELLS;
    if !super::SIDES.contains(&size.rows()) || !super::SIDES.contains(&size.cols()) {
        return vec![NumberlinkError::Sides(size)];
    }
    let mut errors = Vec::new();
    let terminals = &terminals[..terminals.len().min(LOOKED_AT)];
    let solids = &solids[..solids.len().min(LOOKED_AT)];
    let mut taken = vec![false; size.cells()];
    let mut take =
        |cell: Cell, errors: &mut Vec<NumberlinkError>, beyond: NumberlinkError| match taken
            .get_mut(usize::from(cell.0))
        {
            None => errors.push(beyond),
            Some(taken) if *taken => errors.push(NumberlinkError::Twice(cell)),
            Some(taken) => *taken = true,
        };
    for &cell in solids {
        take(cell, &mut errors, NumberlinkError::SolidOutOfBounds(cell));
    }
    for &(number, cell) in terminals {
        let beyond = NumberlinkError::TerminalOutOfBounds { number, cell };
        take(cell, &mut errors, beyond);
    }
    find_number_errors(size, terminals, &mut errors);
    errors
}

/// Adds the errors of the numbers, wherever their terminals are.
fn find_number_errors(size: Size, terminals: &[(u16, Cell)], errors: &mut Vec<NumberlinkError>) {
    if terminals.is_empty() {
        errors.push(NumberlinkError::NoNumber);
    }
    let most = u16::try_from(size.cells() / 2).unwrap_or(u16::MAX);
    let mut times = vec![0usize; usize::from(most) + 1];
    for &(number, _) in terminals {
        match times.get_mut(usize::from(number)) {
            Some(times) if number > 0 => *times += 1,
            _ => errors.push(NumberlinkError::OutOfRange { number, most }),
        }
    }
    let highest = times.iter().rposition(|&times| times > 0).unwrap_or(0);
    for (number, &times) in (0u16..).zip(&times[..=highest]).skip(1) {
        match times {
            0 => errors.push(NumberlinkError::Missing(number)),
            1 => errors.push(NumberlinkError::Once(number)),
            2 => {}
            times => errors.push(NumberlinkError::TooOften { number, times }),
        }
    }
}
