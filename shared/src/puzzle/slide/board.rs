//! Boards of the sliding puzzle and the definition of legal moves.

use crate::util::grid::{Cell, Direction, MAX_SIDE, Size, list_faults};
use serde::{Deserialize, Serialize};

/// A position of the sliding puzzle: each tile 1 … M·N−1 once, and the blank as 0.
///
/// ```
/// use gridrace_shared::util::grid::Cell;
/// use gridrace_shared::puzzle::slide::Board;
/// let mut board: Board = "1 2 3/4 5 6/0 7 8".parse()?;
/// let played = board.play(Cell(8))?; // tile 8 slides left, and takes tile 7 along
/// assert!(board.is_solved());
/// assert_eq!(played.tiles, 2);
/// board.undo(played);
/// assert_eq!(board.to_string(), "1 2 3/4 5 6/0 7 8");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Board {
    size: Size,
    tiles: Vec<u16>,
    blank: Cell,
}

/// The error of an illegal slide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum IllegalMove {
    #[error("there is no such cell")]
    OutOfBounds,
    #[error("the cell holds the blank")]
    IsBlank,
    #[error("the tile shares neither row nor column with the blank")]
    NotInLine,
}

/// A played move, with what [`Board::undo`] needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Played {
    pub blank_before: Cell,
    /// Number of tiles that slid, at least 1.
    pub tiles: u16,
    pub direction: Direction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    #[error("{found} tiles for {expected} cells")]
    WrongCount { expected: usize, found: usize },
    #[error("tile {0} is out of range")]
    OutOfRange(u16),
    #[error("tile {0} occurs twice")]
    Twice(u16),
    /// A tile does not occur; 0 is the blank.
    #[error("tile {}{} is missing", .0, if *.0 == 0 { ", the blank," } else { "" })]
    Missing(u16),
}

/// All errors of a board; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardErrors(pub Vec<BoardError>);

impl std::error::Error for BoardErrors {}

impl std::fmt::Display for BoardErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        list_faults(f, &self.0)
    }
}

impl Board {
    pub fn solved(size: Size) -> Self {
        let cells = u16::try_from(size.cells()).unwrap_or(u16::MAX);
        Self::of_permutation(size, (1..cells).chain([0]).collect())
    }

    /// Builds a board from tiles, row by row, and lists every error. A valid board may be
    /// unsolvable; see [`crate::puzzle::slide::parity`].
    pub fn from_tiles(size: Size, tiles: Vec<u16>) -> Result<Self, BoardErrors> {
        let errors = find_errors(size, &tiles);
        if !errors.is_empty() {
            return Err(BoardErrors(errors));
        }
        Ok(Self::of_permutation(size, tiles))
    }

    /// Builds a board from tiles that are known to be a permutation of 0 … M·N−1.
    pub(super) fn of_permutation(size: Size, tiles: Vec<u16>) -> Self {
        let blank = tiles.iter().zip(0..).find(|&(&tile, _)| tile == 0);
        let blank = Cell(blank.map_or(0, |(_, cell)| cell));
        Self { size, tiles, blank }
    }

    pub const fn size(&self) -> Size {
        self.size
    }

    /// Returns the tiles row by row, 0 for the blank.
    pub fn tiles(&self) -> &[u16] {
        &self.tiles
    }

    /// Returns the tile at a cell of the board, 0 for the blank.
    ///
    /// # Panics
    /// For a cell outside the board.
    pub fn tile(&self, cell: Cell) -> u16 {
        self.tiles[usize::from(cell.0)]
    }

    pub const fn blank(&self) -> Cell {
        self.blank
    }

    pub const fn home(&self, tile: u16) -> Cell {
        if tile == 0 { self.size.last() } else { Cell(tile - 1) }
    }

    /// Returns whether a cell holds its own tile.
    ///
    /// # Panics
    /// For a cell outside the board.
    pub fn at_home(&self, cell: Cell) -> bool {
        self.home(self.tile(cell)) == cell
    }

    pub fn is_solved(&self) -> bool {
        self.blank == self.size.last()
            && self.tiles.iter().zip(1..).all(|(&tile, n)| tile == n || tile == 0)
    }

    /// Mirrors the board at its main diagonal: rows become columns, and each tile takes the number
    /// of its mirrored home. A way home of one is the mirrored way home of the other.
    pub fn transposed(&self) -> Self {
        let size = self.size.transposed();
        let tile_at = |cell: u16| {
            let tile = self.tile(size.transposed_cell(Cell(cell)));
            if tile == 0 { 0 } else { self.size.transposed_cell(self.home(tile)).0 + 1 }
        };
        let cells = u16::try_from(size.cells()).unwrap_or(u16::MAX);
        Self::of_permutation(size, (0..cells).map(tile_at).collect())
    }

    /// Returns the sum of the tiles' Manhattan distances from their homes: a lower bound on the
    /// single-tile moves of every solution.
    pub fn manhattan_distance(&self) -> u32 {
        let tiles = self.tiles.iter().zip(0..).filter(|&(&tile, _)| tile != 0);
        let distance = |(&tile, cell)| self.size.distance(Cell(cell), self.home(tile)) as u32;
        tiles.map(distance).sum()
    }

    /// Returns how many tiles slide with the tile at a cell, itself included, and in which
    /// direction. All other checks of legality use this function.
    pub fn slide_of(&self, cell: Cell) -> Result<(u16, Direction), IllegalMove> {
        if !self.size.contains(cell) {
            return Err(IllegalMove::OutOfBounds);
        }
        if cell == self.blank {
            return Err(IllegalMove::IsBlank);
        }
        let (row, col) = (self.size.row_of(cell), self.size.col_of(cell));
        let (blank_row, blank_col) = (self.size.row_of(self.blank), self.size.col_of(self.blank));
        let direction = match (row == blank_row, col == blank_col) {
            (true, _) if col < blank_col => Direction::Right,
            (true, _) => Direction::Left,
            (_, true) if row < blank_row => Direction::Down,
            (_, true) => Direction::Up,
            (false, false) => return Err(IllegalMove::NotInLine),
        };
        // Sides are at most 128, so the distance fits.
        Ok((self.size.distance(cell, self.blank) as u16, direction))
    }

    /// Returns the cells of all tiles that can slide, in ascending order.
    pub fn legal_moves(&self) -> impl Iterator<Item = Cell> + '_ {
        let cells = u16::try_from(self.size.cells()).unwrap_or(u16::MAX);
        (0..cells).map(Cell).filter(|&cell| self.slide_of(cell).is_ok())
    }

    /// Slides the tile at a cell together with all tiles between it and the blank.
    /// On an error the board is unchanged.
    pub fn play(&mut self, cell: Cell) -> Result<Played, IllegalMove> {
        let (tiles, direction) = self.slide_of(cell)?;
        Ok(self.slide(cell, tiles, direction))
    }

    pub fn undo(&mut self, played: Played) {
        let back = played.direction.opposite();
        self.slide(played.blank_before, played.tiles, back);
    }

    /// Slides the tile next to the blank in a direction; returns `None` at the edge.
    pub fn step(&mut self, direction: Direction) -> Option<Played> {
        let cell = self.cell_for(direction)?;
        Some(self.slide(cell, 1, direction))
    }

    /// Returns the cell of the tile next to the blank that can slide in a direction.
    pub fn cell_for(&self, direction: Direction) -> Option<Cell> {
        self.size.neighbour(self.blank, direction.opposite())
    }

    /// Returns the cell of the farthest tile that can slide in a direction: the slide moves the
    /// whole row or column between it and the blank.
    pub fn far_cell_for(&self, direction: Direction) -> Option<Cell> {
        let back = direction.opposite();
        let next = |cell: &Cell| self.size.neighbour(*cell, back);
        std::iter::successors(self.cell_for(direction), next).last()
    }

    fn slide(&mut self, from: Cell, tiles: u16, direction: Direction) -> Played {
        let blank_before = self.blank;
        let stride = match direction {
            Direction::Left | Direction::Right => 1,
            Direction::Up | Direction::Down => self.size.cols(),
        };
        let mut hole = usize::from(blank_before.0);
        for _ in 0..tiles {
            let next = match direction {
                Direction::Right | Direction::Down => hole - stride,
                Direction::Left | Direction::Up => hole + stride,
            };
            self.tiles.swap(hole, next);
            hole = next;
        }
        self.blank = from;
        Played { blank_before, tiles, direction }
    }
}

/// Lists every error of some tiles. Reads at most twice as many tiles as the largest board has.
fn find_errors(size: Size, tiles: &[u16]) -> Vec<BoardError> {
    const LOOKED_AT: usize = 2 * MAX_SIDE * MAX_SIDE;
    let mut errors = Vec::new();
    if tiles.len() != size.cells() {
        errors.push(BoardError::WrongCount { expected: size.cells(), found: tiles.len() });
    }
    let mut seen = vec![0u32; size.cells()];
    for &tile in tiles.iter().take(LOOKED_AT) {
        match seen.get_mut(usize::from(tile)) {
            None => errors.push(BoardError::OutOfRange(tile)),
            Some(count) => *count += 1,
        }
    }
    for (tile, count) in (0u16..).zip(seen) {
        match count {
            0 => errors.push(BoardError::Missing(tile)),
            1 => {}
            _ => errors.push(BoardError::Twice(tile)),
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::any_board;
    use proptest::prelude::*;

    fn size(rows: usize, cols: usize) -> Size {
        Size::new(rows, cols).unwrap()
    }

    #[test]
    fn from_tiles_lists_every_error() {
        let errors = |rows, cols, tiles: &[u16]| {
            Board::from_tiles(size(rows, cols), tiles.to_vec()).map_err(|errors| errors.0)
        };
        assert_eq!(
            errors(2, 2, &[1, 2, 3]),
            Err(vec![BoardError::WrongCount { expected: 4, found: 3 }, BoardError::Missing(0)])
        );
        assert_eq!(
            errors(2, 2, &[1, 1, 9, 7]),
            Err(vec![
                BoardError::OutOfRange(9),
                BoardError::OutOfRange(7),
                BoardError::Missing(0),
                BoardError::Twice(1),
                BoardError::Missing(2),
                BoardError::Missing(3),
            ])
        );
        let many = errors(3, 2, &[5; 9]).unwrap_err();
        assert!(many.contains(&BoardError::Twice(5)));
        assert!(errors(1, 1, &[0]).is_ok());
    }

    #[test]
    fn a_slide_moves_all_tiles_between_the_cell_and_the_blank() {
        let mut board: Board = "1 2 3 4/5 6 7 8/9 10 11 12/13 14 15 0".parse().unwrap();
        assert_eq!(board.play(Cell(12)).map(|played| played.tiles), Ok(3));
        assert_eq!(board.to_string(), "1 2 3 4/5 6 7 8/9 10 11 12/0 13 14 15");
        assert_eq!(board.play(Cell(0)).map(|played| played.direction), Ok(Direction::Down));
        assert_eq!(board.to_string(), "0 2 3 4/1 6 7 8/5 10 11 12/9 13 14 15");
    }

    #[test]
    fn every_illegal_move_returns_its_reason() {
        let mut board = Board::solved(size(3, 3));
        assert_eq!(board.play(Cell(9)), Err(IllegalMove::OutOfBounds));
        assert_eq!(board.play(Cell(8)), Err(IllegalMove::IsBlank));
        assert_eq!(board.play(Cell(0)), Err(IllegalMove::NotInLine));
    }

    #[test]
    fn a_transposed_board_has_its_columns_as_rows() {
        let board: Board = "4 2 3/1 5 0".parse().unwrap();
        assert_eq!(board.transposed().to_string(), "2 1/3 4/5 0");
    }

    proptest! {
        #[test]
        fn a_way_home_is_transposed_with_its_board(board in any_board(), choice in 0usize..16) {
            let size = board.size();
            prop_assert_eq!(&board.transposed().transposed(), &board);
            prop_assert_eq!(board.transposed().is_solved(), board.is_solved());
            let cells: Vec<Cell> = board.legal_moves().collect();
            if let Some(&cell) = cells.get(choice % cells.len().max(1)) {
                let (mut played, mut transposed) = (board.clone(), board.transposed());
                played.play(cell).unwrap();
                transposed.play(size.transposed_cell(cell)).unwrap();
                prop_assert_eq!(transposed, played.transposed());
            }
        }

        #[test]
        fn undo_restores_the_board_before_play(board in any_board()) {
            for cell in board.legal_moves() {
                let mut after = board.clone();
                let played = after.play(cell).unwrap();
                prop_assert_ne!(&after, &board);
                prop_assert_eq!(after.blank(), cell);
                after.undo(played);
                prop_assert_eq!(&after, &board);
            }
        }

        #[test]
        fn play_accepts_exactly_the_legal_moves(board in any_board()) {
            let legal: Vec<Cell> = board.legal_moves().collect();
            prop_assert_eq!(legal.len(), board.size().rows() + board.size().cols() - 2);
            for cell in (0..1200).map(Cell) {
                prop_assert_eq!(board.clone().play(cell).is_ok(), legal.contains(&cell));
            }
        }

        #[test]
        fn a_long_slide_equals_its_single_steps(board in any_board()) {
            for cell in board.legal_moves() {
                let (mut long, mut steps) = (board.clone(), board.clone());
                let played = long.play(cell).unwrap();
                for _ in 0..played.tiles {
                    steps.step(played.direction).unwrap();
                }
                prop_assert_eq!(long, steps);
            }
        }

        #[test]
        fn from_tiles_accepts_permutations_only(tiles in prop::collection::vec(0u16..12, 0..13), rows in 1usize..5, cols in 1usize..5) {
            if let Ok(board) = Board::from_tiles(size(rows, cols), tiles.clone()) {
                let mut sorted = tiles;
                sorted.sort_unstable();
                prop_assert!(sorted.into_iter().eq(0..board.size().cells() as u16));
            }
        }
    }
}
