//! What only a spectator of a race needs to know.

use gridrace_shared::heat::ids::PlayerId;
use gridrace_shared::protocol::server::Moved;
use gridrace_shared::protocol::snapshot::PlayerBoard;
use gridrace_shared::puzzle::numberlink::{Drawing, Stroke};
use gridrace_shared::puzzle::{Board, Move};
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::Millis;
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
        Self { go, ends, start, boards, changed: BTreeMap::new(), page: 0 }
    }

    /// Plays what others played.
    pub fn play(&mut self, moves: &[Moved]) {
        for moved in moves {
            let Some(board) = self.boards.get_mut(&moved.player) else {
                continue;
            };
            let before = matches!(moved.play, Move::Link(Stroke::Undo)).then(|| board.clone());
            // What the server played is legal, unless it isn't our board: then the next
            // snapshot puts it right.
            if board.play(&moved.play).is_err() {
                continue;
            }
            let end = match (&moved.play, before, &*board) {
                (Move::Link(Stroke::Draw(cells)), _, _) => cells.last().copied(),
                (Move::Link(Stroke::Undo), Some(Board::Link(before)), Board::Link(after)) => {
                    taken_back(&before, after)
                }
                (Move::Link(Stroke::Undo) | Move::Slide(_), _, _) => None,
            };
            if let Some(end) = end {
                self.changed.insert(moved.player, end);
            }
        }
    }
}

/// Returns where a link ends that an undo has changed: of the one that has lost cells, or else
/// of one that has them back; a link that is gone ended at its terminal.
fn taken_back(before: &Drawing, after: &Drawing) -> Option<Cell> {
    let numbers = (1u16..).zip(after.puzzle().pairs());
    let changed = numbers.filter_map(|(number, _)| {
        let (was, is) = (before.link(number), after.link(number));
        let end = is.last().or_else(|| was.first())?;
        (was != is).then_some((is.len() >= was.len(), *end))
    });
    changed.min_by_key(|(grown, _)| *grown).map(|(_, end)| end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support as fx;

    #[test]
    fn what_is_taken_back_is_followed_to_where_it_was() {
        let Some(Board::Link(start)) = fx::link::board("link:7x7") else { panic!() };
        let player = PlayerId(1);
        let board = Board::Link(start.clone());
        let players = std::iter::once(player);
        let mut watching = Watching::new(Millis(0), Millis(9), board, players, Vec::new());
        let mut plays = |stroke: Stroke| {
            let play = Move::Link(stroke);
            let at = Millis(1);
            watching.play(&[Moved { player, at, play }]);
            watching.changed[&player]
        };
        let [one, two] = [&fx::link::strokes("link:7x7")[0], &fx::link::strokes("link:7x7")[1]];
        let (Stroke::Draw(first), Stroke::Draw(second)) = (one, two) else { panic!() };
        assert_eq!(plays(one.clone()), *first.last().unwrap());
        assert_eq!(plays(two.clone()), *second.last().unwrap());
        assert_eq!(plays(Stroke::Undo), second[0]);
        assert_eq!(plays(Stroke::Undo), first[0]);
    }
}
