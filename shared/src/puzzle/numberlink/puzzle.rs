//! Puzzles: the given cells of a board, without drawn links.

use crate::util::grid::{Cell, Size, list_faults};
use serde::{Deserialize, Serialize};

/// Shortest and longest side of a puzzle. Those of a heat are within [`super::HEAT_SIDES`].
pub const SIDES: std::ops::RangeInclusive<usize> = 2..=60;

pub(super) const MAX_CELLS: usize = 60 * 60;

/// A Numberlink puzzle: its size, pairs of terminals, solid cells and touch rule.
///
/// ```
/// use gridrace_shared::util::grid::Cell;
/// use gridrace_shared::puzzle::numberlink::{Puzzle, Square, Touch};
/// // 1 . 2
/// // . X .
/// // 1 . 2
/// let terminals = [(1, Cell(0)), (2, Cell(2)), (1, Cell(6)), (2, Cell(8))];
/// let puzzle = Puzzle::new("3x3".parse()?, &terminals, &[Cell(4)], Touch::Free)?;
/// assert_eq!(puzzle.pairs().len(), 2);
/// assert_eq!(puzzle.square(Cell(8)), Square::Terminal(2));
/// assert_eq!(puzzle.open_cells(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Puzzle {
    size: Size,
    squares: Vec<Square>,
    pairs: Vec<Pair>,
    touch: Touch,
}

/// The two terminals of a number, in ascending order of their cells.
pub type Pair = [Cell; 2];

/// The content of a puzzle's cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Square {
    /// An empty cell, through which a link passes.
    Open,
    Solid,
    /// A terminal of this number, from 1.
    Terminal(u16),
}

/// Whether a link may touch itself: pass through two adjacent cells without a step between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Touch {
    #[default]
    Free,
    Forbidden,
}

/// An error of a puzzle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NumberlinkError {
    /// A side is outside [`SIDES`].
    #[error("a Numberlink has 2 to 60 rows and columns, not {0}")]
    Sides(Size),
    #[error("there is no number")]
    NoNumber,
    /// A number is not in 1 to the number of pairs that fit the board.
    #[error("number {number} is out of range: 1 to {most}")]
    OutOfRange { number: u16, most: u16 },
    /// A number does not occur although a higher one does.
    #[error("number {0} is missing")]
    Missing(u16),
    #[error("number {0} has one terminal")]
    Once(u16),
    #[error("number {number} occurs {times} times")]
    TooOften { number: u16, times: usize },
    #[error("terminal {cell} of number {number} is outside the board")]
    TerminalOutOfBounds { number: u16, cell: Cell },
    #[error("solid cell {0} is outside the board")]
    SolidOutOfBounds(Cell),
    #[error("cell {0} is listed twice")]
    Twice(Cell),
}

/// All errors of a puzzle; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberlinkErrors(pub Vec<NumberlinkError>);

impl std::error::Error for NumberlinkErrors {}

impl std::fmt::Display for NumberlinkErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        list_faults(f, &self.0)
    }
}

impl Puzzle {
    /// Creates a puzzle from its numbered terminals and solid cells, and lists every error. A
    /// valid puzzle may have no solution.
    pub fn new(
        size: Size,
        terminals: &[(u16, Cell)],
        solids: &[Cell],
        touch: Touch,
    ) -> Result<Self, NumberlinkErrors> {
        let errors = find_errors(size, terminals, solids);
        if !errors.is_empty() {
            return Err(NumberlinkErrors(errors));
        }
        let mut squares = vec![Square::Open; size.cells()];
        for cell in solids {
            squares[usize::from(cell.0)] = Square::Solid;
        }
        for &(number, cell) in terminals {
            squares[usize::from(cell.0)] = Square::Terminal(number);
        }
        let mut sorted = terminals.to_vec();
        sorted.sort_unstable();
        let pairs = sorted.chunks_exact(2).map(|two| [two[0].1, two[1].1]);
        Ok(Self { size, squares, pairs: pairs.collect(), touch })
    }

    /// Creates the puzzle whose solution is a set of disjoint links of at least two cells each.
    /// The numbers follow the order of the links; cells without a link are solid.
    pub(super) fn of_links(size: Size, links: &[Vec<Cell>]) -> Self {
        let mut squares = vec![Square::Solid; size.cells()];
        for &cell in links.iter().flatten() {
            squares[usize::from(cell.0)] = Square::Open;
        }
        let ends = links.iter().map(|link| [link[0], link[link.len() - 1]]);
        let pairs: Vec<Pair> = ends.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        for (number, &ends) in (1u16..).zip(&pairs) {
            for end in ends {
                squares[usize::from(end.0)] = Square::Terminal(number);
            }
        }
        Self { size, squares, pairs, touch: Touch::Free }
    }

    pub const fn size(&self) -> Size {
        self.size
    }

    /// Returns the pairs in the order of their numbers.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    pub fn squares(&self) -> &[Square] {
        &self.squares
    }

    /// Returns the content of a cell; cells outside the board are solid.
    pub fn square(&self, cell: Cell) -> Square {
        let square = self.squares.get(usize::from(cell.0));
        square.copied().unwrap_or(Square::Solid)
    }

    pub const fn touch(&self) -> Touch {
        self.touch
    }

    /// Returns the number of cells to cover, terminals included.
    pub fn open_cells(&self) -> usize {
        let solid = |square: &&Square| **square != Square::Solid;
        self.squares.iter().filter(solid).count()
    }
}

/// Lists every error of a puzzle. Reads at most twice as many entries of a list as the largest
/// board has cells.
fn find_errors(size: Size, terminals: &[(u16, Cell)], solids: &[Cell]) -> Vec<NumberlinkError> {
    const LOOKED_AT: usize = 2 * MAX_CELLS;
    if !SIDES.contains(&size.rows()) || !SIDES.contains(&size.cols()) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn faults_of(size: &str, terminals: &[(u16, u16)], solids: &[u16]) -> Vec<NumberlinkError> {
        let terminals: Vec<_> = terminals.iter().map(|&(n, cell)| (n, Cell(cell))).collect();
        let solids: Vec<_> = solids.iter().map(|&cell| Cell(cell)).collect();
        match Puzzle::new(size.parse().unwrap(), &terminals, &solids, Touch::Free) {
            Ok(_) => Vec::new(),
            Err(errors) => errors.0,
        }
    }

    #[test]
    fn valid_puzzles_have_no_errors() {
        assert_eq!(faults_of("2x2", &[(1, 0), (1, 3)], &[2]), []);
        assert_eq!(faults_of("40x2", &[(2, 0), (1, 9), (2, 79), (1, 3)], &[]), []);
    }

    #[test]
    fn every_error_is_listed() {
        use NumberlinkError::*;
        assert_eq!(faults_of("2x2", &[], &[]), [NoNumber]);
        assert_eq!(faults_of("2x3", &[(1, 0)], &[]), [Once(1)]);
        let thrice = [(1, 0), (1, 1), (1, 2)];
        assert_eq!(faults_of("2x3", &thrice, &[]), [TooOften { number: 1, times: 3 }]);
        let out = [(0, 0), (1, 1), (1, 2), (4, 3), (3, 4), (3, 5)];
        assert_eq!(
            faults_of("2x3", &out, &[]),
            [OutOfRange { number: 0, most: 3 }, OutOfRange { number: 4, most: 3 }, Missing(2),]
        );
        assert_eq!(
            faults_of("2x3", &[(1, 0), (1, 6)], &[9, 0]),
            [
                SolidOutOfBounds(Cell(9)),
                Twice(Cell(0)),
                TerminalOutOfBounds { number: 1, cell: Cell(6) },
            ]
        );
        assert_eq!(faults_of("1x9", &[(1, 0), (1, 1)], &[]), [Sides("1x9".parse().unwrap())]);
    }
}
