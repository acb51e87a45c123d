//! Boards whose solution is the only one, even if cells were allowed to stay empty.
//!
//! The grid is cut into paths, which anneal until none touches itself. Then another solution
//! is looked for. If there is one, the paths that it runs otherwise are shaken and anneal
//! again, so that each search mends the board where it isn't sound; if there is none, that
//! is the proof.

use super::anneal::{anneal, perturb, randomize};
use super::partition::Partition;
use super::row_layout::SolvedBoard;
use super::{GeneratedBoard, GenerationStats, puzzle_of};
use crate::puzzle::numberlink::generate::fast_rng::SplitMix64;
use crate::puzzle::numberlink::generate::second_solution::{SecondSolution, SecondSolutionSearch};
use crate::puzzle::numberlink::{Puzzle, Rule, Solution};
use crate::util::grid::Size;
use crate::util::seed::Seed;

/// How many pairs boards of a side's length have on average, both in tenths: as the best
/// hand-made ones up to 15, more at 20 for the sake of time. Between these it is
/// interpolated; a board that isn't square counts by the root of its cells.
const MEAN_PAIRS_TENTHS: [[usize; 2]; 6] =
    [[40, 33], [50, 43], [70, 60], [100, 83], [150, 150], [200, 320]];

/// Fresh starts, at most. Each is granted one part in [`RESTART_PAIRS_DIVISOR`] more pairs than the
/// first, for the more there are, the easier they are to prove.
const MAX_RESTARTS: u32 = 64;
const RESTART_PAIRS_DIVISOR: usize = 16;

/// Repairs of one start, at most.
const MAX_REPAIRS: u32 = 60;

/// The nodes of one search, for each pair of cells: some forty times the mean up to 12×12,
/// twice the mean at 15×15.
const PROOF_NODES_PER_CELL_PAIR: u64 = 60;

/// Bites that a board is shaken with where it has another solution.
const PERTURBATION_MOVES: usize = 20;

/// Bites for each cell that a start is stirred with.
const RANDOMIZING_MOVES_PER_CELL: usize = 4;

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
) -> Result<Option<GeneratedBoard>, E> {
    let mut generator = BoardGenerator::new(size, seed);
    let mut nearest: Option<(u32, (Puzzle, Solution))> = None;
    let (mut starts, mut seen) = (0, 0);
    while starts < MAX_RESTARTS && seen < candidates {
        let Some(found) = generator.start(starts, go_on)? else {
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
    let made = |(_, (puzzle, solution))| GeneratedBoard {
        puzzle,
        solution,
        unique: Some(Rule::Loose),
        stats: generator.stats,
    };
    Ok(nearest.map(made))
}

/// Makes the boards of a seed, one after the other.
struct BoardGenerator {
    size: Size,
    rng: SplitMix64,
    search: SecondSolutionSearch,
    stats: GenerationStats,
}

impl BoardGenerator {
    fn new(size: Size, seed: &Seed) -> Self {
        Self {
            size,
            rng: SplitMix64::new(&mut seed.rng("gridrace link", &size.to_string())),
            search: SecondSolutionSearch::default(),
            stats: GenerationStats::default(),
        }
    }

    /// Starts afresh, after so many starts that came to nothing; returns what comes of it.
    fn start<E>(
        &mut self,
        failed: u32,
        go_on: &dyn Fn() -> Result<(), E>,
    ) -> Result<Option<(Puzzle, Solution)>, E> {
        let Self { size, rng, search, stats } = self;
        stats.starts += 1;
        let cells = size.cells() as u64;
        let limit = PROOF_NODES_PER_CELL_PAIR * cells * cells;
        let tenths = pairs_in_tenths(*size);
        let tenths = tenths + tenths * failed as usize / RESTART_PAIRS_DIVISOR;
        let pairs = (tenths + rng.below(10)) / 10;
        let mut partition = Partition::snake(*size, pairs.clamp(1, size.cells() / 4));
        randomize(&mut partition, rng, RANDOMIZING_MOVES_PER_CELL * size.cells());
        for _ in 0..MAX_REPAIRS {
            go_on()?;
            if !anneal(&mut partition, rng, &mut stats.moves) {
                return Ok(None);
            }
            let links = partition.links();
            let solved = SolvedBoard { size: *size, links: &links, full: false };
            let changed = match stats.look(search, &solved, limit) {
                SecondSolution::Some(changed) => changed,
                SecondSolution::Unknown => (0..partition.len() as u16).collect(),
                SecondSolution::None => return Ok(Some(puzzle_of(*size, links))),
            };
            perturb(&mut partition, rng, &changed, PERTURBATION_MOVES);
        }
        Ok(None)
    }
}

/// Returns how many pairs the boards of a size have on average, in tenths.
fn pairs_in_tenths(size: Size) -> usize {
    let side = (size.cells() * 100).isqrt();
    let next = MEAN_PAIRS_TENTHS.iter().position(|&[at, _]| at >= side);
    let next = next.unwrap_or(MEAN_PAIRS_TENTHS.len() - 1).max(1);
    let ([a, from], [b, to]) = (MEAN_PAIRS_TENTHS[next - 1], MEAN_PAIRS_TENTHS[next]);
    from + side.saturating_sub(a) * (to - from) / (b - a)
}
