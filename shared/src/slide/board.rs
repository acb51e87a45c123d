//! The board: which tile is where, and what may move.

use std::num::NonZeroU16;

use serde::{Deserialize, Serialize};

use super::{BoardFault, BoardFaults, IllegalMove, Played};
use crate::grid::{Cell, Direction, Size, SizeError};

/// The longest side of a board: 1,024 cells, which the constructive solver masters at once.
pub const MAX_SIDE: usize = 32;

/// The shortest side of a board that is raced: below it there is no scramble.
pub const MIN_HEAT_SIDE: usize = 2;

/// The longest side of a board that is raced, as large as a terminal can show it well.
pub const MAX_HEAT_SIDE: usize = 16;

/// Holds rows × columns tiles, each number once; 0 is the blank.
///
/// A board needn't be solvable: that is a question of its own.
///
/// ```
/// use gridrace_shared::grid::{Cell, Size};
/// use gridrace_shared::slide::{Board, IllegalMove};
///
/// let mut board = Board::from_tiles(Size::new(2, 3)?, [1, 2, 3, 0, 4, 5])?;
/// assert_eq!(board.legal_moves().collect::<Vec<_>>(), [Cell(0), Cell(4), Cell(5)]);
///
/// // The tile at cell 5 pushes the one between it and the blank along.
/// let played = board.play(Cell(5))?;
/// assert!(board.is_solved());
///
/// board.undo(played);
/// assert_eq!(board.tiles(), [1, 2, 3, 0, 4, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Board {
    size: Size,
    tiles: Box<[u16]>,
    blank: Cell,
}

impl Board {
    /// Makes the goal of a size, `1 2 3 … 0`.
    ///
    /// # Errors
    ///
    /// [`SizeError::OutOfBounds`] where a side is longer than [`MAX_SIDE`].
    pub fn solved(size: Size) -> Result<Self, SizeError> {
        let size = size.within(1, MAX_SIDE)?;
        let blank = Cell::at(size.cells() - 1);
        let tiles = (1..=blank.0).chain([0]).collect();
        Ok(Self { size, tiles, blank })
    }

    /// Makes a board from tiles row by row, 0 for the blank: the only door in from outside.
    ///
    /// # Errors
    ///
    /// All that is wrong, not only the first fault.
    pub fn from_tiles(size: Size, tiles: impl Into<Box<[u16]>>) -> Result<Self, BoardFaults> {
        let tiles = tiles.into();
        let mut faults = BoardFaults::default();
        if let Err(error) = size.within(1, MAX_SIDE) {
            faults.push(error.into());
        }
        let expected = size.cells();
        if tiles.len() != expected {
            faults.push(BoardFault::Count {
                expected,
                found: tiles.len(),
            });
        }
        let blank = check_tiles(expected, &tiles, &mut faults);
        match blank {
            Some(blank) if faults.is_empty() => Ok(Self { size, tiles, blank }),
            _ => Err(faults),
        }
    }

    /// Makes a board from tiles that are known to be a rearrangement of the goal's.
    pub(super) fn rearranged(size: Size, tiles: Vec<u16>) -> Self {
        let blank = tiles
            .iter()
            .position(|&tile| tile == 0)
            .map_or_else(Cell::default, Cell::at);
        debug_assert_eq!(
            check_tiles(size.cells(), &tiles, &mut BoardFaults::default()),
            Some(blank)
        );
        Self {
            size,
            tiles: tiles.into(),
            blank,
        }
    }

    /// Gives the size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Gives the tiles row by row, 0 for the blank.
    pub fn tiles(&self) -> &[u16] {
        &self.tiles
    }

    /// Gives the tile at a cell, 0 for the blank; `None` outside the board.
    pub fn tile(&self, cell: Cell) -> Option<u16> {
        self.tiles.get(cell.index()).copied()
    }

    /// Tells where the blank is.
    pub fn blank(&self) -> Cell {
        self.blank
    }

    /// Tells whether every tile is at home.
    pub fn is_solved(&self) -> bool {
        // The blank is looked at first, since most boards on the way fail there.
        self.blank.index() + 1 == self.tiles.len()
            && self
                .tiles
                .iter()
                .zip(1..)
                .take(self.blank.index())
                .all(|(&tile, home)| tile == home)
    }

    /// Tells whether what is at the cell belongs there, the blank included.
    pub fn at_home(&self, cell: Cell) -> bool {
        self.tile(cell).is_some_and(|tile| self.home(tile) == cell)
    }

    /// Tells where a tile of this board belongs, the blank (0) included.
    pub fn home(&self, tile: u16) -> Cell {
        let last = Cell::at(self.tiles.len() - 1);
        if tile == 0 { last } else { Cell(tile - 1) }
    }

    /// Counts the tiles that slide when the tile at the cell is played.
    ///
    /// This is the one definition of legality; whatever lists, checks or plays a move asks it.
    ///
    /// # Errors
    ///
    /// Why the tile can't slide.
    pub fn slide_length(&self, cell: Cell) -> Result<NonZeroU16, IllegalMove> {
        if !self.size.contains(cell) {
            return Err(IllegalMove::OutOfBounds);
        }
        let same_row = self.size.row_of(cell) == self.size.row_of(self.blank);
        let same_col = self.size.col_of(cell) == self.size.col_of(self.blank);
        if !(same_row || same_col) {
            return Err(IllegalMove::NotInLine);
        }
        let length = self.size.distance(cell, self.blank);
        u16::try_from(length)
            .ok()
            .and_then(NonZeroU16::new)
            .ok_or(IllegalMove::IsBlank)
    }

    /// Lists the cells whose tile can slide, in ascending order.
    pub fn legal_moves(&self) -> impl Iterator<Item = Cell> + '_ {
        (0..self.tiles.len())
            .map(Cell::at)
            .filter(|&cell| self.slide_length(cell).is_ok())
    }

    /// Slides the tile at the cell, with all tiles between it and the blank.
    ///
    /// # Errors
    ///
    /// Why the tile can't slide; the board is as it was.
    pub fn play(&mut self, cell: Cell) -> Result<Played, IllegalMove> {
        let tiles = self.slide_length(cell)?.get();
        let blank_before = self.blank;
        let direction = self.direction_from(cell);
        let mut gap = self.blank.index();
        for _ in 0..tiles {
            let next = self.step_back(gap, direction);
            self.tiles[gap] = self.tiles[next];
            gap = next;
        }
        self.tiles[gap] = 0;
        self.blank = cell;
        Ok(Played {
            blank_before,
            tiles,
            direction,
        })
    }

    /// Takes back the move that was played last.
    ///
    /// A move that can't have been the last one on this board changes nothing.
    pub fn undo(&mut self, played: Played) {
        // Undoing is playing the cell where the blank came from; out of line, it's not ours.
        self.play(played.blank_before).ok();
    }

    /// Finds the tile that, travelling in a direction, pushes `reach` tiles towards the blank,
    /// itself counted: for `reach` 1 the one beside the blank.
    ///
    /// `None` where the edge comes first, or for a `reach` of 0.
    pub fn cell_for(&self, direction: Direction, reach: usize) -> Option<Cell> {
        if reach == 0 || reach > self.reach(direction) {
            return None;
        }
        let mut index = self.blank.index();
        for _ in 0..reach {
            index = self.step_back(index, direction);
        }
        Some(Cell::at(index))
    }

    /// Finds the tile that, travelling in a direction, pushes the whole rest of its row or column.
    pub fn far_cell_for(&self, direction: Direction) -> Option<Cell> {
        self.cell_for(direction, self.reach(direction))
    }

    /// How many tiles can travel in a direction, into the blank and after it.
    fn reach(&self, direction: Direction) -> usize {
        let (row, col) = (self.size.row_of(self.blank), self.size.col_of(self.blank));
        match direction {
            Direction::Left => self.size.cols() - 1 - col,
            Direction::Up => self.size.rows() - 1 - row,
            Direction::Right => col,
            Direction::Down => row,
        }
    }

    /// The direction in which a tile in line travels towards the blank.
    fn direction_from(&self, cell: Cell) -> Direction {
        let same_row = self.size.row_of(cell) == self.size.row_of(self.blank);
        match (same_row, cell < self.blank) {
            (true, true) => Direction::Right,
            (true, false) => Direction::Left,
            (false, true) => Direction::Down,
            (false, false) => Direction::Up,
        }
    }

    /// The index that a tile travelling in `direction` came from, where there is one.
    fn step_back(&self, index: usize, direction: Direction) -> usize {
        match direction {
            Direction::Left => index + 1,
            Direction::Up => index + self.size.cols(),
            Direction::Right => index - 1,
            Direction::Down => index - self.size.cols(),
        }
    }
}

/// Checks the tiles of so many cells, and finds the blank.
fn check_tiles(cells: usize, tiles: &[u16], faults: &mut BoardFaults) -> Option<Cell> {
    let mut seen = vec![false; cells];
    let mut blank = None;
    for (index, &tile) in tiles.iter().enumerate() {
        match seen.get_mut(usize::from(tile)) {
            None => faults.push(BoardFault::OutOfRange {
                tile,
                largest: Cell::at(cells - 1).0,
            }),
            Some(true) => faults.push(BoardFault::Repeated { tile }),
            Some(new) => {
                *new = true;
                // Beyond the last cell there is a wrong count, which is a fault already.
                if tile == 0 && index < cells {
                    blank = Some(Cell::at(index));
                }
            }
        }
    }
    if !seen[0] {
        faults.push(BoardFault::BlankMissing);
    }
    blank
}

/// The board on the wire, before it has come through the door.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Board")]
struct Written {
    size: Size,
    tiles: Vec<u16>,
}

impl TryFrom<Written> for Board {
    type Error = BoardFaults;

    fn try_from(written: Written) -> Result<Self, BoardFaults> {
        Self::from_tiles(written.size, written.tiles)
    }
}

impl From<Board> for Written {
    fn from(board: Board) -> Self {
        Self {
            size: board.size,
            tiles: board.tiles.into_vec(),
        }
    }
}

#[cfg(test)]
mod tests;
