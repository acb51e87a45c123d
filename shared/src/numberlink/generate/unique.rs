//! Boards whose solution is the only one, even if cells were allowed to stay empty.
//!
//! The grid is cut into paths, which anneal until none touches itself. Then another solution
//! is looked for. If there is one, the paths that it runs otherwise are shaken and anneal
//! again, so that each search mends the board where it isn't sound; if there is none, that
//! is the proof.

use super::anneal::{anneal, shake, stir};
use super::chance::Chance;
use super::layout::Solved;
use super::partition::Partition;
use super::rival::{Rivals, Search};
use super::{Effort, GenerateError, Made, puzzle_of};
use crate::grid::Size;
use crate::numberlink::{Puzzle, Rule, Solution};
use crate::seed::Seed;

/// How many pairs boards of a side's length have on average, both in tenths: as the best
/// hand-made ones up to 15, more at 20 for the sake of time. Between these it is
/// interpolated; a board that isn't square counts by the root of its cells.
const PAIRS: [[usize; 2]; 6] = [
    [40, 33],
    [50, 43],
    [70, 60],
    [100, 83],
    [150, 150],
    [200, 320],
];

/// Fresh starts, at most. Each is granted one part in [`MORE_PAIRS`] more pairs than the
/// first, for the more there are, the easier they are to prove.
const STARTS: u32 = 64;
const MORE_PAIRS: usize = 16;

/// Repairs of one start, at most.
const REPAIRS: u32 = 60;

/// The nodes of one search, for each pair of cells: some forty times the mean up to 12×12,
/// twice the mean at 15×15.
const NODES: u64 = 60;

/// Bites that a board is shaken with where it has another solution.
const SHAKE: usize = 20;

/// Bites for each cell that a start is stirred with.
const STIR: usize = 4;

/// Makes the board of a seed that fits.
pub(super) fn make(
    size: Size,
    seed: &Seed,
    fits: impl Fn(&Puzzle, &Solution) -> bool,
) -> Result<Made, GenerateError> {
    let mut chance = Chance::new(&mut seed.rng("gridrace link", &size.to_string()));
    let mut search = Search::default();
    let mut effort = Effort::default();
    let cells = size.cells() as u64;
    let limit = NODES * cells * cells;
    for start in 0..STARTS {
        effort.starts += 1;
        let tenths = pairs_in_tenths(size);
        let tenths = tenths + tenths * start as usize / MORE_PAIRS;
        let pairs = (tenths + chance.below(10)) / 10;
        let mut partition = Partition::snake(size, pairs.clamp(1, size.cells() / 4));
        stir(&mut partition, &mut chance, STIR * size.cells());
        for _ in 0..REPAIRS {
            if !anneal(&mut partition, &mut chance, &mut effort.bites) {
                break;
            }
            let links = partition.links();
            let solved = Solved {
                size,
                links: &links,
                full: false,
            };
            let weak = match effort.look(&mut search, &solved, limit) {
                Rivals::Some(weak) => weak,
                Rivals::Unknown => (0..partition.len() as u16).collect(),
                Rivals::None => {
                    let (puzzle, solution) = puzzle_of(size, links);
                    if fits(&puzzle, &solution) {
                        return Ok(Made {
                            puzzle,
                            solution,
                            unique: Some(Rule::Loose),
                            effort,
                        });
                    }
                    (0..partition.len() as u16).collect()
                }
            };
            shake(&mut partition, &mut chance, &weak, SHAKE);
        }
    }
    Err(GenerateError::Exhausted)
}

/// Returns how many pairs the boards of a size have on average, in tenths.
fn pairs_in_tenths(size: Size) -> usize {
    let side = (size.cells() * 100).isqrt();
    let next = PAIRS.iter().position(|&[at, _]| at >= side);
    let next = next.unwrap_or(PAIRS.len() - 1).max(1);
    let ([a, from], [b, to]) = (PAIRS[next - 1], PAIRS[next]);
    from + side.saturating_sub(a) * (to - from) / (b - a)
}
