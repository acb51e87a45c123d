//! Simulated annealing: random moves are accepted with decreasing odds if they increase the number
//! of touches (Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", 1983).

use super::partition::Partition;
use crate::puzzle::numberlink::generate::fast_rng::SplitMix64;

/// The initial odds of accepting a move that adds one touch, in 2³². The odds for more touches are
/// powers of these.
const INITIAL_ODDS: u64 = 1 << 31;
/// The number of moves after which the odds decrease …
const COOLING_INTERVAL_MOVES: u64 = 16;
/// … by one part in two to the power of this.
const COOLING_SHIFT: u32 = 6;
/// Moves per cell before a start is given up.
const MAX_MOVES_PER_CELL: u64 = 150;

/// The maximum number of random moves by which paths are varied, and of those that then remove
/// their touches.
const MAX_VARYING_MOVES: usize = 4;
const MAX_SETTLING_MOVES: usize = 400;

/// Applies moves until no path touches itself, and returns whether that succeeded.
pub(super) fn anneal(partition: &mut Partition, rng: &mut SplitMix64) -> bool {
    let most = partition.size.cells() as u64 * MAX_MOVES_PER_CELL;
    let mut odds = INITIAL_ODDS;
    for end_move in 0..most {
        if partition.touches == 0 {
            return true;
        }
        if end_move % COOLING_INTERVAL_MOVES == 0 {
            odds -= odds >> COOLING_SHIFT;
        }
        let path = rng.below(partition.paths.len()) as u16;
        if let Some(end_move) = partition.propose_move(path, rng)
            && (end_move.growth <= 0 || passes(end_move.growth, odds, rng))
        {
            partition.apply(&end_move);
        }
    }
    partition.touches == 0
}

/// Applies random moves, whatever touches they make: the starting point.
pub(super) fn randomize(partition: &mut Partition, rng: &mut SplitMix64, moves: usize) {
    for _ in 0..moves {
        let path = rng.below(partition.paths.len()) as u16;
        if let Some(end_move) = partition.propose_move(path, rng) {
            partition.apply(&end_move);
        }
    }
}

/// Applies random moves of some paths, except those that add more than one touch.
pub(super) fn perturb(
    partition: &mut Partition,
    rng: &mut SplitMix64,
    paths: &[u16],
    moves: usize,
) {
    for _ in 0..moves {
        let Some(&path) = paths.get(rng.below(paths.len())) else {
            return;
        };
        if let Some(end_move) = partition.propose_move(path, rng)
            && end_move.growth <= 1
        {
            partition.apply(&end_move);
        }
    }
}

/// Applies a few random moves of some paths, then moves that add no touch, until no path touches
/// itself; returns whether that succeeded.
pub(super) fn vary(partition: &mut Partition, rng: &mut SplitMix64, paths: &[u16]) -> bool {
    let moves = 1 + rng.below(MAX_VARYING_MOVES);
    perturb(partition, rng, paths, moves);
    for _ in 0..MAX_SETTLING_MOVES {
        if partition.touches == 0 {
            return true;
        }
        let path = match paths.get(rng.below(2 * paths.len())) {
            Some(&path) => path,
            None => rng.below(partition.paths.len()) as u16,
        };
        if let Some(end_move) = partition.propose_move(path, rng)
            && end_move.growth <= 0
        {
            partition.apply(&end_move);
        }
    }
    partition.touches == 0
}

fn passes(growth: i32, odds: u64, rng: &mut SplitMix64) -> bool {
    let mut these = odds;
    for _ in 1..growth.min(8) {
        these = (these * odds) >> 32;
    }
    rng.word() >> 32 < these
}
