//! Annealing: bites at random that the touches they make become ever less likely to pass
//! (Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", 1983).

use super::partition::Partition;
use crate::puzzle::numberlink::generate::fast_rng::Chance;

/// The odds that a bite which adds one touch is played at first, in 2³². One that adds two
/// has the square of these, and so on.
const ODDS: u64 = 1 << 31;
/// After so many bites the odds fall …
const PACE: u64 = 16;
/// … by a part in two to the power of this.
const FALL: u32 = 6;
/// Bites for each cell, until a start is given up.
const BITES_A_CELL: u64 = 150;

/// Draws bites until no path touches itself; says whether it came to that. Adds the bites
/// to a count.
pub(super) fn anneal(partition: &mut Partition, chance: &mut Chance, bites: &mut u64) -> bool {
    let most = partition.size().cells() as u64 * BITES_A_CELL;
    let mut odds = ODDS;
    for bite in 0..most {
        if partition.touches() == 0 {
            return true;
        }
        if bite % PACE == 0 {
            odds -= odds >> FALL;
        }
        *bites += 1;
        let path = chance.below(partition.len()) as u16;
        if let Some(bite) = partition.draw_bite(path, chance)
            && (bite.growth <= 0 || passes(bite.growth, odds, chance))
        {
            partition.play(&bite);
        }
    }
    partition.touches() == 0
}

/// Plays bites at random, whatever they make: a start.
pub(super) fn stir(partition: &mut Partition, chance: &mut Chance, bites: usize) {
    for _ in 0..bites {
        let path = chance.below(partition.len()) as u16;
        if let Some(bite) = partition.draw_bite(path, chance) {
            partition.play(&bite);
        }
    }
}

/// Plays bites of some paths at random, but for those that make more than one touch.
pub(super) fn shake(partition: &mut Partition, chance: &mut Chance, paths: &[u16], bites: usize) {
    for _ in 0..bites {
        let Some(&path) = paths.get(chance.below(paths.len())) else {
            return;
        };
        if let Some(bite) = partition.draw_bite(path, chance)
            && bite.growth <= 1
        {
            partition.play(&bite);
        }
    }
}

fn passes(growth: i32, odds: u64, chance: &mut Chance) -> bool {
    let mut these = odds;
    for _ in 1..growth.min(8) {
        these = (these * odds) >> 32;
    }
    chance.word() >> 32 < these
}
