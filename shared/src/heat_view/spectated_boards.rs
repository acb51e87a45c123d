//! The players' boards as a spectator sees them.

use crate::heat::ids::PlayerId;
use crate::protocol::server::Moved;
use crate::protocol::snapshot::PlayerBoard;
use crate::puzzle::Board;
use crate::util::grid::Cell;
use crate::util::time::HeatInstant;
use std::collections::BTreeMap;

/// The players' boards, as late as the options say.
#[derive(Debug, Clone)]
pub struct SpectatedBoards {
    /// The instant of GO, on the heat's clock.
    pub go: HeatInstant,
    /// The instant at which those who still race are out, on the heat's clock.
    pub ends: HeatInstant,
    pub start: Board,
    pub boards: BTreeMap<PlayerId, Board>,
    /// The cell where each player's last stroke ended: the part to show of a large board.
    pub changed: BTreeMap<PlayerId, Cell>,
}

impl SpectatedBoards {
    /// Starts from the boards in a snapshot, and from the start for all other players.
    pub fn new(
        go: HeatInstant,
        ends: HeatInstant,
        start: Board,
        players: impl Iterator<Item = PlayerId>,
        known: Vec<PlayerBoard>,
    ) -> Self {
        let mut boards: BTreeMap<_, _> = players.map(|player| (player, start.clone())).collect();
        boards.extend(known.into_iter().map(|known| (known.player, known.board)));
        Self { go, ends, start, boards, changed: BTreeMap::new() }
    }

    /// Takes over boards that the server sent.
    pub fn replace(&mut self, known: &[PlayerBoard]) {
        self.boards.extend(known.iter().map(|known| (known.player, known.board.clone())));
    }

    pub fn play(&mut self, moves: &[Moved]) {
        for moved in moves {
            let Some(board) = self.boards.get_mut(&moved.player) else {
                continue;
            };
            let before = board.clone();
            // The server plays legal moves only. If one doesn't fit, the board here is wrong, and
            // the next snapshot replaces it.
            if board.play(&moved.play).is_err() {
                continue;
            }
            if let Some(end) = board.changed_cell(&before, &moved.play) {
                self.changed.insert(moved.player, end);
            }
        }
    }
}
