//! What playing a move gives back: the move played, its counts, or why it is illegal.

use serde::{Deserialize, Serialize};

use crate::grid::{Cell, Direction};

/// Says why the tile at a cell can't slide.
///
/// ```
/// use gridrace_shared::grid::{Cell, Size};
/// use gridrace_shared::slide::{Board, IllegalMove};
///
/// let mut board = Board::solved(Size::new(3, 3)?)?;
/// assert_eq!(board.play(Cell(0)), Err(IllegalMove::NotInLine));
/// assert_eq!(board.play(Cell(8)), Err(IllegalMove::IsBlank));
/// assert_eq!(board.play(Cell(9)), Err(IllegalMove::OutOfBounds));
/// # Ok::<(), gridrace_shared::grid::SizeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum IllegalMove {
    /// The cell isn't on the board.
    #[error("that cell isn't on the board")]
    OutOfBounds,
    /// The cell is the blank.
    #[error("the blank doesn't slide")]
    IsBlank,
    /// The tile shares neither row nor column with the blank.
    #[error("that tile isn't in line with the blank")]
    NotInLine,
}

/// Tells a move that was played, with all that it takes to undo it.
///
/// ```
/// use gridrace_shared::grid::{Cell, Direction, Size};
/// use gridrace_shared::slide::Board;
///
/// let mut board = Board::solved(Size::new(3, 3)?)?;
/// let played = board.play(Cell(6)).expect("it shares the blank's row");
/// assert_eq!((played.tiles, played.direction), (2, Direction::Right));
/// assert_eq!(played.blank_before, Cell(8));
/// # Ok::<(), gridrace_shared::grid::SizeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Played {
    /// Where the blank was before the move.
    pub blank_before: Cell,
    /// How many tiles slid, at least one.
    pub tiles: u16,
    /// The direction in which the tiles travelled.
    pub direction: Direction,
}

/// Counts moves in both of the ways that the field uses.
///
/// *STM*, single-tile moves: each tile that slides by one cell counts. *MTM*, multi-tile
/// moves: a row of tiles pushed along at once counts as one. Sliding three tiles in one
/// go is 3 STM and 1 MTM.
///
/// ```
/// use gridrace_shared::grid::{Cell, Size};
/// use gridrace_shared::slide::{Board, MoveCount};
///
/// let mut board = Board::solved(Size::new(4, 4)?)?;
/// let mut count = MoveCount::default();
/// for cell in [Cell(12), Cell(8)] {
///     count.add(board.play(cell).expect("it is in line with the blank"));
/// }
/// assert_eq!(count, MoveCount { stm: 4, mtm: 2 });
/// # Ok::<(), gridrace_shared::grid::SizeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MoveCount {
    /// Single-tile moves.
    pub stm: u32,
    /// Multi-tile moves.
    pub mtm: u32,
}

impl MoveCount {
    /// Counts one more move; both counts stay at their largest value when they reach it.
    pub fn add(&mut self, played: Played) {
        self.stm = self.stm.saturating_add(u32::from(played.tiles));
        self.mtm = self.mtm.saturating_add(1);
    }
}
