//! The generator of boards whose solution is unique even if cells may stay empty.
//!
//! The grid is partitioned into paths, which are annealed until none touches itself. Then a second
//! solution is searched for. If there is one, the paths in which it differs are perturbed and
//! annealed again, so that each search repairs the board where it is ambiguous; if there is none,
//! that is the proof.

use super::anneal::{anneal, perturb, randomize};
use super::generated_puzzle::{GeneratedPuzzle, puzzle_of};
use super::partition::Partition;
use super::row_layout::SolvedBoard;
use crate::puzzle::numberlink::generate::fast_rng::SplitMix64;
use crate::puzzle::numberlink::generate::second_solution::{SecondSolution, SecondSolutionSearch};
use crate::puzzle::numberlink::{Puzzle, Rule, Solution};
use crate::util::grid::Size;
use crate::util::seed::Seed;

/// The mean number of pairs of an ungraded board by side, both in tenths: as in the best hand-made
/// boards up to 15, more at 20 to save time. Interpolated linearly; the side of a board that is not square is the
/// root of its cells.
const MEAN_PAIRS_TENTHS: [[usize; 2]; 6] =
    [[40, 33], [50, 43], [70, 60], [100, 83], [150, 150], [200, 320]];

/// The maximum number of starts. Each gets one part in [`RESTART_PAIRS_DIVISOR`] more pairs than
/// the first, since more pairs are easier to prove.
const MAX_RESTARTS: u32 = 64;
const RESTART_PAIRS_DIVISOR: usize = 16;

/// The maximum number of repairs of a start.
const MAX_REPAIRS: u32 = 60;

/// The node budget of a proof per pair of cells: some forty times the mean up to 12×12, twice the
/// mean at 15×15.
const PROOF_NODES_PER_CELL_PAIR: u64 = 60;

/// Random moves after a second solution was found.
const PERTURBATION_MOVES: usize = 20;

/// Random moves per cell at the start.
const RANDOMIZING_MOVES_PER_CELL: usize = 4;

/// What a board should be like.
pub(super) struct BoardProfile {
    pub size: Size,
    /// The mean number of pairs, in percent of an ungraded board's.
    pub pairs_percent: usize,
    /// The number of boards among which one that fits is searched.
    pub candidates: usize,
}

/// Generates the board of a seed that fits: the first of its boards with distance 0, or else the
/// nearest of the candidates; `None` if all starts fail.
pub(super) fn make<E>(
    profile: &BoardProfile,
    seed: &Seed,
    distance: impl Fn(&Puzzle) -> u32,
    go_on: &dyn Fn() -> Result<(), E>,
) -> Result<Option<GeneratedPuzzle>, E> {
    let mut generator = BoardGenerator::new(profile, seed);
    let mut nearest: Option<(u32, (Puzzle, Solution))> = None;
    let (mut starts, mut seen) = (0, 0);
    while starts < MAX_RESTARTS && seen < profile.candidates {
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
    let made =
        |(_, (puzzle, solution))| GeneratedPuzzle { puzzle, solution, unique: Some(Rule::Loose) };
    Ok(nearest.map(made))
}

/// Generates the boards of a seed one after the other.
struct BoardGenerator {
    size: Size,
    pairs_in_tenths: usize,
    rng: SplitMix64,
    search: SecondSolutionSearch,
}

impl BoardGenerator {
    fn new(profile: &BoardProfile, seed: &Seed) -> Self {
        let BoardProfile { size, pairs_percent, .. } = *profile;
        Self {
            size,
            pairs_in_tenths: pairs_in_tenths(size) * pairs_percent / 100,
            rng: SplitMix64::new(&mut seed.rng("gridrace link", &size.to_string())),
            search: SecondSolutionSearch::default(),
        }
    }

    /// Makes one start, after a number of failed ones; returns its board, if any.
    fn start<E>(
        &mut self,
        failed: u32,
        go_on: &dyn Fn() -> Result<(), E>,
    ) -> Result<Option<(Puzzle, Solution)>, E> {
        let Self { size, pairs_in_tenths, rng, search } = self;
        let cells = size.cells() as u64;
        let limit = PROOF_NODES_PER_CELL_PAIR * cells * cells;
        let tenths = *pairs_in_tenths;
        let tenths = tenths + tenths * failed as usize / RESTART_PAIRS_DIVISOR;
        let pairs = (tenths + rng.below(10)) / 10;
        let mut partition = Partition::snake(*size, pairs.clamp(1, size.cells() / 4));
        randomize(&mut partition, rng, RANDOMIZING_MOVES_PER_CELL * size.cells());
        for _ in 0..MAX_REPAIRS {
            go_on()?;
            if !anneal(&mut partition, rng) {
                return Ok(None);
            }
            let links = partition.links();
            let solved = SolvedBoard { size: *size, links: &links, full: false };
            let changed = match search.run(&solved, limit) {
                SecondSolution::Some(changed) => changed,
                SecondSolution::Unknown => (0..partition.paths.len() as u16).collect(),
                SecondSolution::None => return Ok(Some(puzzle_of(*size, links))),
            };
            perturb(&mut partition, rng, &changed, PERTURBATION_MOVES);
        }
        Ok(None)
    }
}

fn pairs_in_tenths(size: Size) -> usize {
    let side = (size.cells() * 100).isqrt();
    let next = MEAN_PAIRS_TENTHS.iter().position(|&[at, _]| at >= side);
    let next = next.unwrap_or(MEAN_PAIRS_TENTHS.len() - 1).max(1);
    let ([a, from], [b, to]) = (MEAN_PAIRS_TENTHS[next - 1], MEAN_PAIRS_TENTHS[next]);
    from + side.saturating_sub(a) * (to - from) / (b - a)
}
