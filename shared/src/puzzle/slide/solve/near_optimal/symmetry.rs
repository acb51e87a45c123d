//! Problems whose solutions are those of a board: its reflections, and the ways from the goal to the
//! board. A beam finds solutions of different lengths for them, since it keeps other boards.

use crate::puzzle::slide::Board;
use crate::util::grid::{Cell, Direction};

/// A reflection of a board, or of the way from the goal to it. The transposed board is none of these:
/// its beam would be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symmetry {
    /// Whether the problem starts at the goal and ends at the board.
    pub is_inverse: bool,
    mirrors_rows: bool,
    mirrors_cols: bool,
}

impl Symmetry {
    /// The board as it is.
    pub const IDENTITY: Self = Self { is_inverse: false, mirrors_rows: false, mirrors_cols: false };

    /// Returns all symmetries, the identity first.
    pub fn all() -> impl Iterator<Item = Self> {
        [false, true].into_iter().flat_map(|mirrors_rows| {
            [false, true].into_iter().flat_map(move |mirrors_cols| {
                [false, true].map(|is_inverse| Self { is_inverse, mirrors_rows, mirrors_cols })
            })
        })
    }

    /// Returns the tiles of the problem's first board, numbered by their cells in its last one, from 1.
    /// The board has fewer than 256 cells.
    pub fn tiles(self, board: &Board) -> Vec<u8> {
        let size = board.size();
        let mirror = |along: usize, lines: usize, is_mirrored: bool| {
            if is_mirrored { lines - 1 - along } else { along }
        };
        let reflected = |cell: Cell| {
            let row = mirror(size.row_of(cell), size.rows(), self.mirrors_rows);
            let col = mirror(size.col_of(cell), size.cols(), self.mirrors_cols);
            size.cell(row, col)
        };
        let mut tiles = vec![0; size.cells()];
        for (&tile, cell) in board.tiles().iter().zip(0..).filter(|&(&tile, _)| tile != 0) {
            let [mut from, mut to] = [Cell(cell), board.home(tile)];
            if self.is_inverse {
                std::mem::swap(&mut from, &mut to);
            }
            tiles[usize::from(reflected(from).0)] = reflected(to).0 as u8 + 1;
        }
        tiles
    }

    /// Returns the moves of the board for those of the problem.
    pub fn moves(self, mut moves: Vec<Direction>) -> Vec<Direction> {
        if self.is_inverse {
            moves.reverse();
        }
        for way in &mut moves {
            let is_mirrored = match *way {
                Direction::Up | Direction::Down => self.mirrors_rows,
                Direction::Left | Direction::Right => self.mirrors_cols,
            };
            if is_mirrored != self.is_inverse {
                *way = way.opposite();
            }
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::super::beam::{Beam, BeamStatus, BeamWidth};
    use super::super::geometry::Geometry;
    use super::*;
    use crate::puzzle::slide::scramble::scrambled;
    use crate::puzzle::slide::solve::tables::Tables;

    #[test]
    fn solutions_of_all_symmetries_solve_the_board() {
        let geometry = Geometry::new("4x5".parse().unwrap(), &Tables::none());
        for seed in 0..20 {
            let board = scrambled(4, 5, seed);
            for symmetry in Symmetry::all() {
                let mut beam =
                    Beam::new(&geometry, symmetry.tiles(&board), BeamWidth::even(100), u32::MAX);
                let BeamStatus::Found(moves) = beam.advance(&geometry, &mut u64::MAX.clone())
                else {
                    panic!("no solution of {board}, {symmetry:?}");
                };
                let mut solved = board.clone();
                for way in symmetry.moves(moves) {
                    solved.step(way).unwrap();
                }
                assert!(solved.is_solved(), "{board}, {symmetry:?}");
            }
        }
    }
}
