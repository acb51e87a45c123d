//! Boards as permutations in cycle notation, and moves as transpositions.
//!
//! Positions are numbered from 1, row by row; the blank is the last element, M·N. **A cycle `(a,
//! b, …)` reads: element `a` is at position `b`.** Sliding a single tile swaps two adjacent
//! positions, so it multiplies the permutation by their transposition on the right.

use std::fmt;
use std::str::FromStr;

use crate::puzzle::slide::{Board, BoardErrors, IllegalMove, MAX_SIDE};
use crate::util::grid::{Cell, Size};

/// The largest number of elements of a permutation: the cells of the largest board.
pub const MAX_PICTURES: usize = MAX_SIDE * MAX_SIDE;

/// The maximum length of a permutation's text, in bytes. A single cycle of all elements takes half
/// of it.
pub const MAX_CYCLES_TEXT: usize = 192 * 1024;

/// The permutation that maps each element to its position.
///
/// ```
/// use gridrace_shared::util::grid::Size;
/// use gridrace_shared::puzzle::slide::cycles::Permutation;
///
/// let start = Permutation::parse("(1,3,2,5)(4,6)", 6)?;
/// let board = start.board(Size::new(2, 3)?)?;
/// assert_eq!(board.to_string(), "5 3 1/0 2 4");
/// assert_eq!(Permutation::of(&board).to_string(), "(1,3,2,5)(4,6)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Permutation {
    /// For each element less 1, its position less 1.
    positions: Box<[u16]>,
}

impl Permutation {
    pub fn of(board: &Board) -> Self {
        let mut positions = vec![0; board.tiles().len()];
        for (place, &tile) in (0..).zip(board.tiles()) {
            positions[usize::from(board.home(tile).0)] = place;
        }
        Self { positions: positions.into() }
    }

    /// Returns the board of this permutation.
    ///
    /// # Errors
    ///
    /// [`BoardErrors`] when the size has another number of cells than there are elements.
    pub fn board(&self, size: Size) -> Result<Board, BoardErrors> {
        let mut tiles = vec![0; self.positions.len()];
        // The last element is the blank, which stays 0.
        let last = self.positions.len() - 1;
        for (tile, &place) in (1..).zip(&self.positions[..last]) {
            tiles[usize::from(place)] = tile;
        }
        Board::from_tiles(size, tiles)
    }

    /// Returns whether every element is in its own position.
    pub fn is_identity(&self) -> bool {
        self.positions.iter().copied().eq((0..).take(self.positions.len()))
    }

    /// Multiplies by a transposition on the right: the elements at its two positions change
    /// places.
    pub fn apply(&mut self, positions: Transposition) {
        let (low, high) = (positions.low - 1, positions.high - 1);
        for place in &mut self.positions {
            if *place == low {
                *place = high;
            } else if *place == high {
                *place = low;
            }
        }
    }

    /// Parses cycle notation such as `(1,3,2,5)(4,6)`; spaces are allowed, and `e` is the
    /// identity.
    ///
    /// The cycles must be disjoint. Elements that are not listed stay in their own positions.
    ///
    /// # Errors
    ///
    /// [`CyclesError`] when the text is no permutation of that many elements.
    pub fn parse(text: &str, pictures: usize) -> Result<Self, CyclesError> {
        if !(1..=MAX_PICTURES).contains(&pictures) {
            return Err(CyclesError::Pictures);
        }
        let mut permutation = Self { positions: (0..).take(pictures).collect() };
        if text.len() > MAX_CYCLES_TEXT {
            return Err(CyclesError::TooLong);
        }
        if text.trim() == "e" {
            return Ok(permutation);
        }
        let mut named = vec![false; pictures];
        let mut rest = text.trim();
        while !rest.is_empty() {
            let body = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
            let (cycle, after) = body.ok_or(CyclesError::Malformed)?;
            permutation.set_cycle(&parse_cycle(cycle, &mut named)?);
            rest = after.trim_start();
        }
        Ok(permutation)
    }

    /// Moves each element of a cycle to the position of the next one. All of them must be in their
    /// own positions.
    fn set_cycle(&mut self, cycle: &[u16]) {
        let next = cycle.iter().cycle().skip(1);
        for (&picture, &position) in cycle.iter().zip(next) {
            self.positions[usize::from(picture) - 1] = position - 1;
        }
    }
}

/// Parses the numbers between two brackets and marks each of them in `named`.
fn parse_cycle(cycle: &str, named: &mut [bool]) -> Result<Vec<u16>, CyclesError> {
    let mut read = Vec::new();
    for entry in cycle.split(',').map(str::trim) {
        let digits = !entry.is_empty() && entry.bytes().all(|byte| byte.is_ascii_digit());
        if !digits {
            return Err(CyclesError::Malformed);
        }
        let picture: u16 = entry.parse().unwrap_or(u16::MAX);
        let index = usize::from(picture).wrapping_sub(1);
        match named.get_mut(index) {
            None => return Err(CyclesError::OutOfRange(picture)),
            Some(true) => return Err(CyclesError::Repeated(picture)),
            Some(new) => *new = true,
        }
        read.push(picture);
    }
    Ok(read)
}

/// Writes each cycle from its smallest element on, in ascending order, without fixed points.
impl fmt::Display for Permutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_identity() {
            return f.write_str("e");
        }
        let mut seen = vec![false; self.positions.len()];
        for start in 0..seen.len() {
            let mut index = usize::from(self.positions[start]);
            if seen[start] || index == start {
                continue;
            }
            write!(f, "({}", start + 1)?;
            while index != start {
                seen[index] = true;
                write!(f, ",{}", index + 1)?;
                index = usize::from(self.positions[index]);
            }
            f.write_str(")")?;
        }
        Ok(())
    }
}

/// Why a text is no [`Permutation`].
///
/// ```
/// use gridrace_shared::puzzle::slide::cycles::{CyclesError, Permutation};
///
/// let refused = Permutation::parse("(1,2)(2,3)", 4);
/// assert_eq!(refused, Err(CyclesError::Repeated(2)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum CyclesError {
    /// The number of elements is 0 or above [`MAX_PICTURES`].
    #[error("there are 1 to {MAX_PICTURES} pictures")]
    Pictures,
    #[error("a permutation is at most {MAX_CYCLES_TEXT} bytes of text")]
    TooLong,
    #[error("cycles are written as (1,3,2)(4,5), the identity as e")]
    Malformed,
    #[error("there is no picture {0}")]
    OutOfRange(u16),
    #[error("picture {0} is named twice")]
    Repeated(u16),
}

/// A transposition of two adjacent positions, numbered from 1; written `(4,5)`.
///
/// ```
/// use gridrace_shared::util::grid::Cell;
/// use gridrace_shared::puzzle::slide::Board;
/// use gridrace_shared::puzzle::slide::cycles::transpositions;
///
/// let board: Board = "5 3 1/0 2 4".parse()?;
/// let move_of_two: Vec<String> =
///     transpositions(&board, Cell(5))?.iter().map(ToString::to_string).collect();
/// assert_eq!(move_of_two, ["(4,5)", "(5,6)"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transposition {
    low: u16,
    high: u16,
}

impl Transposition {
    /// Returns the transposition of two cells, or `None` when they are not adjacent.
    pub fn of_cells(size: Size, one: Cell, other: Cell) -> Option<Self> {
        let adjacent = size.contains(one) && size.contains(other) && size.distance(one, other) == 1;
        let (low, high) = (one.min(other).0 + 1, one.max(other).0 + 1);
        adjacent.then_some(Self { low, high })
    }

    /// Returns both positions, the lower first.
    pub fn positions(self) -> [u16; 2] {
        [self.low, self.high]
    }
}

impl fmt::Display for Transposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.low, self.high)
    }
}

/// Parses `(4,5)`; does not check that the positions are adjacent.
impl FromStr for Transposition {
    type Err = CyclesError;

    fn from_str(text: &str) -> Result<Self, CyclesError> {
        let body = text.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let mut named = vec![false; MAX_PICTURES];
        match parse_cycle(body.ok_or(CyclesError::Malformed)?, &mut named)?[..] {
            [one, other] => Ok(Self { low: one.min(other), high: one.max(other) }),
            _ => Err(CyclesError::Malformed),
        }
    }
}

/// Returns a move as transpositions, one for each tile that slides.
///
/// # Errors
///
/// Why the tile at the cell cannot slide.
pub fn transpositions(board: &Board, cell: Cell) -> Result<Vec<Transposition>, IllegalMove> {
    let mut moved = board.clone();
    let played = moved.play(cell)?;
    let mut blank = played.blank_before;
    let mut steps = Vec::with_capacity(usize::from(played.tiles));
    for _ in 0..played.tiles {
        let next = board.size().neighbour(blank, played.direction.opposite());
        let Some(next) = next else { break };
        steps.extend(Transposition::of_cells(board.size(), blank, next));
        blank = next;
    }
    Ok(steps)
}

#[cfg(test)]
mod tests;
