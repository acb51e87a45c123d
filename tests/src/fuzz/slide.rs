//! The sliding puzzle's texts: boards, moves, and cycles.

use super::{reads, text};
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::cycles::{Permutation, Transposition};
use gridrace_shared::puzzle::slide::notation::{
    MoveConvention, read_board, read_moves, write_moves,
};
use gridrace_shared::util::grid::Size;

/// The longest sequence that is checked for a round trip, in moves: a repeat count of a few
/// characters makes millions of moves.
const WRITTEN: usize = 10_000;

/// Boards with and without a size, in tiles or in cycles.
pub(super) fn board(input: &[u8]) -> bool {
    text(input, |text| {
        let rows = reads::<Board>(text);
        let (size, tiles) = text.split_once('\n').unwrap_or(("4x4", text));
        let Ok(size) = size.parse::<Size>() else {
            return rows;
        };
        let sized = read_board(size, tiles);
        if let Ok(board) = &sized {
            assert_eq!(read_board(size, &board.to_string()).as_ref(), Ok(board));
            let cycles = Permutation::of(board);
            let again = Permutation::parse(&cycles.to_string(), size.cells());
            assert_eq!(again.as_ref(), Ok(&cycles));
            assert_eq!(cycles.board(size).as_ref(), Ok(board));
        }
        let cycles = Permutation::parse(tiles, size.cells());
        if let Ok(cycles) = &cycles {
            let again = Permutation::parse(&cycles.to_string(), size.cells());
            assert_eq!(again.as_ref(), Ok(cycles));
            // A 1×1 grid has no board.
            if let Ok(board) = cycles.board(size) {
                assert_eq!(&Permutation::of(&board), cycles);
            }
        }
        let exchange = reads::<Transposition>(tiles);
        rows || sized.is_ok() || cycles.is_ok() || exchange
    })
}

pub(super) fn moves(input: &[u8]) -> bool {
    text(input, |text| {
        let [tiles, blanks] = [MoveConvention::Tile, MoveConvention::Blank].map(|reading| {
            let moves = read_moves(text, reading);
            if let Ok(moves) = moves.as_ref()
                && moves.len() <= WRITTEN
            {
                let written = write_moves(moves, reading);
                assert_eq!(read_moves(&written, reading).as_ref(), Ok(moves));
            }
            moves
        });
        match (&tiles, &blanks) {
            (Ok(tiles), Ok(blanks)) => {
                let opposite = |(tile, blank): (&_, &_)| {
                    let turned: gridrace_shared::util::grid::Direction = *blank;
                    *tile == turned.opposite()
                };
                assert!(tiles.iter().zip(blanks).all(opposite));
            }
            _ => assert_eq!(tiles, blanks),
        }
        tiles.is_ok()
    })
}
