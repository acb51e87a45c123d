//! What only a spectator of a race needs to know.

use gridrace_shared::grid::Cell;
use gridrace_shared::name::PlayerId;
use gridrace_shared::numberlink::Stroke;
use gridrace_shared::protocol::heat::PlayerBoard;
use gridrace_shared::protocol::server::Moved;
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::time::Millis;
use std::collections::BTreeMap;

/// All boards of a race, as late as the options say.
#[derive(Debug, Clone)]
pub struct Watching {
    /// The instant of GO, on the heat's clock.
    pub go: Millis,
    /// When those who still race are out, on the heat's clock.
    pub ends: Millis,
    /// The board from which everybody started.
    pub start: Board,
    /// Every player's board.
    pub boards: BTreeMap<PlayerId, Board>,
    /// Where each player's last stroke ended: what is followed of a board too large to show.
    pub changed: BTreeMap<PlayerId, Cell>,
    /// Which page of boards is shown, where they don't all fit; 0 first.
    pub page: usize,
}

impl Watching {
    /// Starts from what a snapshot says, and the start for everybody else who plays.
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
        Self {
            go,
            ends,
            start,
            boards,
            changed: BTreeMap::new(),
            page: 0,
        }
    }

    /// Plays what others played.
    pub fn play(&mut self, moves: &[Moved]) {
        for moved in moves {
            let Some(board) = self.boards.get_mut(&moved.player) else {
                continue;
            };
            // What the server played is legal, unless it isn't our board: then the next
            // snapshot puts it right.
            if board.play(&moved.play).is_err() {
                continue;
            }
            if let Move::Link(Stroke::Draw(cells)) = &moved.play
                && let Some(&end) = cells.last()
            {
                self.changed.insert(moved.player, end);
            }
        }
    }
}
