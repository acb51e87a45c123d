//! The players of one heat: its code, and when each player sent which move.

use gridrace_shared::heat::ids::RoomCode;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;

pub(crate) const PLAYERS: usize = 8;
/// Moves of one player that the others may not have seen yet.
const MOVES: usize = 1024;

#[derive(Debug)]
pub(crate) struct HeatPlayers {
    /// The code, once the first of them has opened the heat.
    pub(crate) code: watch::Sender<Option<RoomCode>>,
    /// When each player sent their last moves, in microseconds.
    sent: Vec<Vec<AtomicU64>>,
}

impl HeatPlayers {
    pub(crate) fn new(players: usize) -> Self {
        let moves = || (0..MOVES).map(|_| AtomicU64::new(0)).collect();
        Self { code: watch::Sender::new(None), sent: (0..players).map(|_| moves()).collect() }
    }

    /// Records when a player sent a move.
    pub(crate) fn send(&self, player: usize, number: u32, micros: u64) {
        self.sent[player][number as usize % MOVES].store(micros, Ordering::Relaxed);
    }

    /// Returns the first of the moves up to one whose times are known, as numbers.
    pub(crate) const fn first_known(number: u32) -> u32 {
        number.saturating_sub(MOVES as u32 - 1)
    }

    /// Returns when a player sent a move; the players are numbered in the order of joining.
    pub(crate) fn sent(&self, player: usize, number: u32) -> Option<u64> {
        let moves = self.sent.get(player)?;
        Some(moves[number as usize % MOVES].load(Ordering::Relaxed))
    }
}
