//! The generator of large boards with few pairs, whose links wind.
//!
//! To find a second solution of such a board, or to prove that there is none, takes seconds. So second
//! solutions are first searched for in small regions, and paths are changed until no region has one.
//! Then the solvers' search by learned clauses searches sets of neighbouring [paths](path_sets), and
//! last the whole board, within a budget. If that finds a second solution or exceeds the budget, the
//! next start follows.
//!
//! So a seed's board depends on that search, too; golden boards guard it. Each start has randomness of
//! its own, so that several can be made at a time: the board is that of the first one that succeeds.

mod path_sets;

use super::anneal::{anneal, randomize, vary};
use super::generated_puzzle::{GeneratedPuzzle, puzzle_of};
use super::partition::Partition;
use super::region::CheckedRegions;
use crate::puzzle::numberlink::generate::fast_rng::SplitMix64;
use crate::puzzle::numberlink::generate::second_solution::SecondSolutionSearch;
use crate::puzzle::numberlink::solve::{Uniqueness, UniquenessProof};
use crate::puzzle::numberlink::{Puzzle, Rule, Solution};
use crate::util::grid::{Cell, Size};
use crate::util::seed::Seed;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The shortest side of a board with few pairs.
pub(super) const MIN_SIDE: usize = 18;

const CELLS_PER_PAIR: usize = 20;

/// The bounds of the winding: the steps of all links over the distances of their terminals, in
/// percent.
const WINDING_PERCENT: [usize; 2] = [176, 186];
/// The same from [`FIRST_LATER_START`] on. Such boards are made in a third of the time, so a seed whose
/// starts fail for long still has its board within some 10 s on two cores.
const LATER_WINDING_PERCENT: [usize; 2] = [160, 170];
/// A board takes some thirty starts on average, most of which fail at once.
const FIRST_LATER_START: u32 = 45;

/// The maximum number of changes of a start until it winds, and until no region has a second
/// solution.
const MAX_WINDING_CHANGES: u32 = 5_000;
const MAX_REPAIRS: u32 = 3_000;

/// The changes of a start after second solutions in sets of paths: from then on a new start is as good.
const MAX_SET_REPAIRS: u32 = 3;
/// The attempts at such a change.
const MAX_CHANGES: u32 = 200;

/// Random moves per cell at the start.
const RANDOMIZING_MOVES_PER_CELL: usize = 4;

/// The nodes of a proof, some 3.5 s, and of each part of it that is not interrupted.
const PROOF_NODES: u64 = 125_000_000;
const PROOF_SLICE_NODES: u64 = 1_000_000;

/// The most starts at a time, each of which takes some 14 MB. More rarely help.
const MAX_THREADS: usize = 8;

/// The maximum number of starts. Seeds of 18×18 to 20×20 were seen to need up to 134, of 12×12, which the
/// tests make, up to 777.
const MAX_STARTS: u32 = 2_000;

/// Generates the board of a seed; `None` if all starts fail.
pub(super) fn make<E>(
    size: Size,
    seed: &Seed,
    go_on: &dyn Fn() -> Result<(), E>,
) -> Result<Option<GeneratedPuzzle>, E> {
    for number in 0..MAX_STARTS {
        if let Some(made) = Start::new(size, seed, number).finish(go_on)? {
            return Ok(Some(made));
        }
    }
    Ok(None)
}

/// Like [`make`], with as many starts at a time as there are threads.
pub(super) fn make_on(threads: usize, size: Size, seed: &Seed) -> Option<GeneratedPuzzle> {
    let next = AtomicU32::new(0);
    // The first start that is known to succeed: later ones are of no use.
    let first = AtomicU32::new(MAX_STARTS);
    let made = Mutex::new(None);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let go_on = || if number < first.load(Ordering::Relaxed) { Ok(()) } else { Err(()) };
            let Ok(board) = Start::new(size, seed, number).finish(&go_on) else { return };
            let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
            if board.is_some() && number < first.fetch_min(number, Ordering::Relaxed) {
                *made = board;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(MAX_THREADS) {
            // Where the system gives no further thread, those that there are do all.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    made.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// One attempt at a board.
struct Start {
    size: Size,
    winding_percent: [usize; 2],
    rng: SplitMix64,
    search: SecondSolutionSearch,
}

impl Start {
    fn new(size: Size, seed: &Seed, number: u32) -> Self {
        let mut rng = seed.rng("gridrace link few pairs", &format!("{size} {number}"));
        Self {
            size,
            winding_percent: winding_percent(number),
            rng: SplitMix64::new(&mut rng),
            search: SecondSolutionSearch::default(),
        }
    }

    /// Returns the board, if the start succeeds.
    fn finish<E>(
        mut self,
        go_on: &dyn Fn() -> Result<(), E>,
    ) -> Result<Option<GeneratedPuzzle>, E> {
        go_on()?;
        let cells = self.size.cells();
        let mut partition = Partition::snake(self.size, cells / CELLS_PER_PAIR);
        randomize(&mut partition, &mut self.rng, RANDOMIZING_MOVES_PER_CELL * cells);
        if !anneal(&mut partition, &mut self.rng) || !self.wind(&mut partition) {
            return Ok(None);
        }
        let mut regions = CheckedRegions::default();
        for with_paths in [false, true] {
            if !self.repair(&mut partition, &mut regions, with_paths, go_on)? {
                return Ok(None);
            }
        }
        let mut repairs = 0;
        while let Some(paths) = path_sets::second_solution(self.size, &partition.links(), go_on)? {
            repairs += 1;
            if repairs > MAX_SET_REPAIRS
                || !self.change(&mut partition, &paths)
                || !self.repair(&mut partition, &mut regions, true, go_on)?
            {
                return Ok(None);
            }
        }
        let (puzzle, solution) = puzzle_of(self.size, partition.links());
        let is_unique = prove(&puzzle, &solution, go_on)?;
        let unique = Some(Rule::Loose);
        Ok(is_unique.then_some(GeneratedPuzzle { puzzle, solution, unique }))
    }

    /// Returns the least and the greatest sum of distances at which paths wind as they should.
    fn distances(&self, partition: &Partition) -> [usize; 2] {
        let steps: usize = partition.paths.iter().map(|path| path.len() - 1).sum();
        let [least, most] = self.winding_percent;
        [steps * 100 / most, steps * 100 / least]
    }

    /// Changes paths until they wind, and returns whether that succeeded.
    fn wind(&mut self, partition: &mut Partition) -> bool {
        let all: Vec<u16> = (0..partition.paths.len() as u16).collect();
        let mut distance = distance(self.size, &partition.links());
        let [least, most] = self.distances(partition);
        for _ in 0..MAX_WINDING_CHANGES {
            if distance <= most {
                return distance >= least;
            }
            let mut changed = partition.clone();
            if !vary(&mut changed, &mut self.rng, &all) {
                continue;
            }
            let now = self::distance(self.size, &changed.links());
            if (least..=distance).contains(&now) {
                (*partition, distance) = (changed, now);
            }
        }
        false
    }

    /// Changes some paths within the bounds of the winding, and returns whether that succeeded.
    fn change(&mut self, partition: &mut Partition, paths: &[u16]) -> bool {
        let [least, most] = self.distances(partition);
        for _ in 0..MAX_CHANGES {
            let mut changed = partition.clone();
            if vary(&mut changed, &mut self.rng, paths)
                && (least..=most).contains(&distance(self.size, &changed.links()))
            {
                *partition = changed;
                return true;
            }
        }
        false
    }

    /// Changes paths in which second solutions differ until no region has one, and returns whether
    /// that succeeded. `regions` are those of an earlier check.
    fn repair<E>(
        &mut self,
        partition: &mut Partition,
        regions: &mut CheckedRegions,
        with_paths: bool,
        go_on: &dyn Fn() -> Result<(), E>,
    ) -> Result<bool, E> {
        let [least, most] = self.distances(partition);
        let Self { size, rng, search, .. } = self;
        let check = |regions: &CheckedRegions, links, most, search: &mut _| {
            regions.check(*size, links, with_paths, most, search)
        };
        let Some(all) = check(regions, partition.links(), usize::MAX, search) else {
            return Ok(false);
        };
        *regions = all;
        for _ in 0..MAX_REPAIRS {
            if regions.ambiguous == 0 {
                return Ok(true);
            }
            go_on()?;
            let paths = regions.changed(rng.below(regions.ambiguous));
            let mut changed = partition.clone();
            if !vary(&mut changed, rng, &paths) {
                continue;
            }
            let links = changed.links();
            if !(least..=most).contains(&distance(*size, &links)) {
                continue;
            }
            if let Some(fewer) = check(regions, links, regions.ambiguous, search) {
                (*partition, *regions) = (changed, fewer);
            }
        }
        Ok(false)
    }
}

/// Returns whether a solution is proved to be the only one, within the budget.
fn prove<E>(
    puzzle: &Puzzle,
    solution: &Solution,
    go_on: &dyn Fn() -> Result<(), E>,
) -> Result<bool, E> {
    let Some(mut proof) = UniquenessProof::new(puzzle) else { return Ok(false) };
    while proof.nodes() < PROOF_NODES {
        go_on()?;
        if let Some(decided) = proof.resume(solution, PROOF_SLICE_NODES) {
            return Ok(decided == Uniqueness::Unique);
        }
    }
    Ok(false)
}

/// Returns the bounds of the winding of a start's board.
const fn winding_percent(number: u32) -> [usize; 2] {
    if number < FIRST_LATER_START { WINDING_PERCENT } else { LATER_WINDING_PERCENT }
}

/// Returns the sum of the distances between the ends of links.
fn distance(size: Size, links: &[Vec<Cell>]) -> usize {
    let ends = |link: &Vec<Cell>| Some((*link.first()?, *link.last()?));
    links.iter().filter_map(ends).map(|(from, to)| size.distance(from, to)).sum()
}

#[cfg(test)]
mod tests;
