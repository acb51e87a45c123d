//! Boards whose solution is the only one, even if cells were allowed to stay empty.
//!
//! The grid is cut into paths, which anneal until none touches itself. Then another solution
//! is looked for. If there is one, the paths that it runs otherwise are shaken and anneal
//! again, so that each search mends the board where it isn't sound; if there is none, that
//! is the proof.

use super::anneal::{anneal, shake, stir};
use super::partition::Partition;
use super::row_layout::Solved;
use super::{Effort, Made, puzzle_of};
use crate::puzzle::numberlink::generate::fast_rng::Chance;
use crate::puzzle::numberlink::generate::second_solution::{Rivals, Search};
use crate::puzzle::numberlink::{Puzzle, Rule, Solution};
use crate::util::grid::Size;
use crate::util::seed::Seed;

/// How many pairs boards of a side's length have on average, both in tenths: as the best
/// hand-made ones up to 15, more at 20 for the sake of time. Between these it is
/// interpolated; a board that isn't square counts by the root of its cells.
const PAIRS: [[usize; 2]; 6] = [[40, 33], [50, 43], [70, 60], [100, 83], [150, 150], [200, 320]];

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

/// Makes the board of a seed that suits: the first of its boards whose distance from what is
/// wanted is 0, or else the nearest of so many; nothing where all starts come to nothing.
///
/// # Errors
/// What `go_on` says, which is asked before every search.
pub(super) fn make<E>(
    size: Size,
    seed: &Seed,
    candidates: usize,
    distance: impl Fn(&Puzzle) -> u32,
    go_on: &dyn Fn() -> Result<(), E>,
) -> Result<Option<Made>, E> {
    let mut maker = Maker::new(size, seed);
    let mut nearest: Option<(u32, (Puzzle, Solution))> = None;
    let (mut starts, mut seen) = (0, 0);
    while starts < STARTS && seen < candidates {
        let Some(found) = maker.start(starts, go_on)? else {
            starts += 1;
            continue;
        };
        seen += 1;
        let far = distance(&found.0);
        if nearest.as_ref().is_none_or(|(least, _)| far < *least) {
            nearest = Some((far, found));
        }
        if far == 0 {
            break;
        }
    }
    let made = |(_, (puzzle, solution))| Made {
        puzzle,
        solution,
        unique: Some(Rule::Loose),
        effort: maker.effort,
    };
    Ok(nearest.map(made))
}

/// Makes the boards of a seed, one after the other.
struct Maker {
    size: Size,
    chance: Chance,
    search: Search,
    effort: Effort,
}

impl Maker {
    fn new(size: Size, seed: &Seed) -> Self {
        Self {
            size,
            chance: Chance::new(&mut seed.rng("gridrace link", &size.to_string())),
            search: Search::default(),
            effort: Effort::default(),
        }
    }

    /// Starts afresh, after so many starts that came to nothing; returns what comes of it.
    fn start<E>(
        &mut self,
        failed: u32,
        go_on: &dyn Fn() -> Result<(), E>,
    ) -> Result<Option<(Puzzle, Solution)>, E> {
        let Self { size, chance, search, effort } = self;
        effort.starts += 1;
        let cells = size.cells() as u64;
        let limit = NODES * cells * cells;
        let tenths = pairs_in_tenths(*size);
        let tenths = tenths + tenths * failed as usize / MORE_PAIRS;
        let pairs = (tenths + chance.below(10)) / 10;
        let mut partition = Partition::snake(*size, pairs.clamp(1, size.cells() / 4));
        stir(&mut partition, chance, STIR * size.cells());
        for _ in 0..REPAIRS {
            go_on()?;
            if !anneal(&mut partition, chance, &mut effort.bites) {
                return Ok(None);
            }
            let links = partition.links();
            let solved = Solved { size: *size, links: &links, full: false };
            let weak = match effort.look(search, &solved, limit) {
                Rivals::Some(weak) => weak,
                Rivals::Unknown => (0..partition.len() as u16).collect(),
                Rivals::None => return Ok(Some(puzzle_of(*size, links))),
            };
            shake(&mut partition, chance, &weak, SHAKE);
        }
        Ok(None)
    }
}

/// Returns how many pairs the boards of a size have on average, in tenths.
fn pairs_in_tenths(size: Size) -> usize {
    let side = (size.cells() * 100).isqrt();
    let next = PAIRS.iter().position(|&[at, _]| at >= side);
    let next = next.unwrap_or(PAIRS.len() - 1).max(1);
    let ([a, from], [b, to]) = (PAIRS[next - 1], PAIRS[next]);
    from + side.saturating_sub(a) * (to - from) / (b - a)
}
