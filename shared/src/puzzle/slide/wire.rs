//! A board as it goes over the wire and into a journal.

use crate::puzzle::slide::{Board, BoardErrors, SlideSpec, SlideSpecError};
use crate::util::conversions::serialize_as;
use crate::util::grid::Size;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RawBoard {
    size: Size,
    tiles: Vec<u16>,
}

/// Why an unchecked board is invalid.
#[derive(Debug, thiserror::Error)]
pub(super) enum RawBoardError {
    #[error(transparent)]
    Size(#[from] SlideSpecError),
    #[error(transparent)]
    Faults(#[from] BoardErrors),
}

impl TryFrom<RawBoard> for Board {
    type Error = RawBoardError;

    /// Reads a board of a heat: boards travel nowhere else, so a larger one is refused
    /// before its tiles are looked at.
    fn try_from(raw: RawBoard) -> Result<Self, RawBoardError> {
        let size = SlideSpec::try_from(raw.size)?.size();
        Ok(Self::from_tiles(size, raw.tiles)?)
    }
}

impl From<Board> for RawBoard {
    fn from(board: Board) -> Self {
        Self { size: board.size(), tiles: board.tiles().to_vec() }
    }
}

serialize_as!(Board => RawBoard);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_that_no_heat_has_is_not_read_from_the_wire() {
        let read = |size: &str, cells: u16| {
            let tiles: Vec<u16> = (0..cells).collect();
            let raw = serde_json::json!({ "size": size, "tiles": tiles });
            serde_json::from_value::<Board>(raw).map_err(|error| error.to_string())
        };
        assert!(read("16x16", 256).is_ok());
        assert_eq!(
            read("17x2", 34),
            Err("a heat's board has 2 to 16 rows and columns, not 17x2".to_owned())
        );
    }
}
