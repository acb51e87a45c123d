//! Annealing: moves at random that the touches they make become ever less likely to pass
//! (Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", 1983).

use super::partition::Partition;
use crate::puzzle::numberlink::generate::fast_rng::SplitMix64;

/// The odds that a end_move which adds one touch is played at first, in 2³². One that adds two
/// has the square of these, and so on.
const INITIAL_ODDS: u64 = 1 << 31;
/// After so many moves the odds fall …
const COOLING_INTERVAL_MOVES: u64 = 16;
/// … by a part in two to the power of this.
const COOLING_SHIFT: u32 = 6;
/// Bites for each cell, until a start is given up.
const MAX_MOVES_PER_CELL: u64 = 150;

/// Draws moves until no path touches itself; says whether it came to that. Adds the moves
/// to a count.
pub(super) fn anneal(partition: &mut Partition, rng: &mut SplitMix64, moves: &mut u64) -> bool {
    let most = partition.size().cells() as u64 * MAX_MOVES_PER_CELL;
    let mut odds = INITIAL_ODDS;
    for end_move in 0..most {
        if partition.touches() == 0 {
            return true;
        }
        if end_move % COOLING_INTERVAL_MOVES == 0 {
            odds -= odds >> COOLING_SHIFT;
        }
        *moves += 1;
        let path = rng.below(partition.len()) as u16;
        if let Some(end_move) = partition.propose_move(path, rng)
            && (end_move.growth <= 0 || passes(end_move.growth, odds, rng))
        {
            partition.apply(&end_move);
        }
    }
    partition.touches() == 0
}

/// Plays moves at random, whatever they make: a start.
pub(super) fn randomize(partition: &mut Partition, rng: &mut SplitMix64, moves: usize) {
    for _ in 0..moves {
        let path = rng.below(partition.len()) as u16;
        if let Some(end_move) = partition.propose_move(path, rng) {
            partition.apply(&end_move);
        }
    }
}

/// Plays moves of some paths at random, but for those that make more than one touch.
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

fn passes(growth: i32, odds: u64, rng: &mut SplitMix64) -> bool {
    let mut these = odds;
    for _ in 1..growth.min(8) {
        these = (these * odds) >> 32;
    }
    rng.word() >> 32 < these
}
