//! The sliding puzzle's boards as text.

use super::{reads, text};
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::notation::read_board;
use gridrace_shared::util::grid::Size;

/// Boards with and without a size.
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
        }
        rows || sized.is_ok()
    })
}
