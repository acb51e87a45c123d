//! The players' boards as a spectator sees them.

use crate::heat::ids::PlayerId;
use crate::protocol::server::Moved;
use crate::protocol::snapshot::PlayerBoard;
use crate::puzzle::numberlink::{Drawing, Stroke};
use crate::puzzle::{Board, Move};
use crate::util::grid::Cell;
use crate::util::time::Millis;
use std::collections::BTreeMap;

/// The players' boards, as late as the options say.
#[derive(Debug, Clone)]
pub struct SpectatedBoards {
    /// The instant of GO, on the heat's clock.
    pub go: Millis,
    /// The instant at which those who still race are out, on the heat's clock.
    pub ends: Millis,
    /// The board from which all players started.
    pub start: Board,
    /// The board of each player.
    pub boards: BTreeMap<PlayerId, Board>,
    /// The cell where each player's last stroke ended: the part to show of a large board.
    pub changed: BTreeMap<PlayerId, Cell>,
}

impl SpectatedBoards {
    /// Starts from the boards in a snapshot, and from the start for all other players.
    #[must_use]
    pub fn new(
        go: Millis,
        ends: Millis,
        start: Board,
        players: impl Iterator<Item = PlayerId>,
        known: Vec<PlayerBoard>,
    ) -> Self {
        let mut boards: BTreeMap<_, _> = players.map(|player| (player, start.clone())).collect();
        boards.extend(known.into_iter().map(|known| (known.player, known.board)));
        Self { go, ends, start, boards, changed: BTreeMap::new() }
    }

    /// Plays the players' moves.
    pub fn play(&mut self, moves: &[Moved]) {
        for moved in moves {
            let Some(board) = self.boards.get_mut(&moved.player) else {
                continue;
            };
            let before = matches!(moved.play, Move::Link(Stroke::Undo)).then(|| board.clone());
            // The server plays legal moves only. If one doesn't fit, the board here is wrong, and
            // the next snapshot replaces it.
            if board.play(&moved.play).is_err() {
                continue;
            }
            let end = match (&moved.play, before, &*board) {
                (Move::Link(Stroke::Draw(cells)), _, _) => cells.last().copied(),
                (Move::Link(Stroke::Undo), Some(Board::Link(before)), Board::Link(after)) => {
                    undone_end(&before, after)
                }
                (Move::Link(Stroke::Undo) | Move::Slide(_), _, _) => None,
            };
            if let Some(end) = end {
                self.changed.insert(moved.player, end);
            }
        }
    }
}

/// Returns the end of the link that an undo changed: of the one that lost cells, or else of one
/// that got them back. A link that is gone ended at its terminal.
fn undone_end(before: &Drawing, after: &Drawing) -> Option<Cell> {
    let numbers = (1u16..).zip(after.puzzle().pairs());
    let changed = numbers.filter_map(|(number, _)| {
        let (was, is) = (before.link(number), after.link(number));
        let end = is.last().or_else(|| was.first())?;
        (was != is).then_some((is.len() >= was.len(), *end))
    });
    changed.min_by_key(|(grown, _)| *grown).map(|(_, end)| end)
}
