//! Retrograde breadth-first search: the moves from the goal to every placement of a pattern.
//!
//! A state is a placement of the pattern's tiles together with the region of cells that the blank
//! can reach without moving one of them; a step moves one of the tiles. The result is the minimum
//! over a placement's regions (Korf and Felner, "Disjoint pattern database heuristics", 2002).
//!
//! Placements on the same set of cells form a block. A step leads from a block to another and
//! permutes the arrangements in the same way for all of them, so the search works on two small
//! blocks at a time that both fit a fast cache, and each block has its own lock. A step flips the
//! parity of the set's dark cells (as on a chequerboard), so no block is both read and written in
//! a layer.

use crate::puzzle::slide::solve::tables::permutation_rank::{Arrangements, MAX_TILES};
use crate::puzzle::slide::solve::tables::subset_rank::{self, CellSet, Neighbours, cells_of};
use crate::util::grid::{Cell, Size};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The maximum number of regions of a block. More would need more tiles on more cells than any
/// table has.
const MAX_REGIONS: usize = 8;
/// Larger excesses are clamped, which keeps them lower bounds.
const MAX_HALF_EXCESS: u8 = 15;

/// Runs a closure once on each of several threads at the same time, and returns when all calls
/// have returned. `&|work| work()` uses the calling thread.
pub type Workers<'a> = &'a dyn Fn(&(dyn Fn() + Sync));

/// For each placement of a pattern, half of the excess of its tiles' moves over their Manhattan
/// distances, which is always even.
pub(super) struct HalfExcesses {
    /// Two placements a byte, set by set of their cells.
    nibbles: Vec<u8>,
    bytes_per_set: usize,
}

impl HalfExcesses {
    /// Returns the values of the arrangements on a set of cells, two a byte.
    pub(super) fn of_set(&self, rank: usize) -> &[u8] {
        &self.nibbles[rank * self.bytes_per_set..][..self.bytes_per_set]
    }
}

/// Searches all placements of tiles with these homes; `blank` is the blank's cell in the goal. Calls `found` with the number of finished placements after each layer.
pub(super) fn half_excesses(
    size: Size,
    homes: &[usize],
    blank: usize,
    workers: Workers<'_>,
    found: &(dyn Fn(u64) + Sync),
) -> HalfExcesses {
    let tiles = homes.len();
    let arrangements = Arrangements::new(tiles);
    let sets: Vec<CellSet> = subset_rank::sets(size.cells(), tiles).collect();
    let neighbours = Neighbours::new(size);
    let mut regions = Vec::new();
    let mut count_regions = |&set: &CellSet| {
        neighbours.regions_without(set, &mut regions);
        regions.len()
    };
    let region_counts: Vec<usize> = sets.iter().map(&mut count_regions).collect();
    // The planes are one allocation, which goes back to the system before the table is filled.
    let words = arrangements.count().div_ceil(64);
    let mut planes = vec![0; 2 * words * region_counts.iter().sum::<usize>()];
    let bytes_per_set = arrangements.count().div_ceil(2);
    let mut nibbles = vec![0; sets.len() * bytes_per_set];
    let mut rest = planes.as_mut_slice();
    let blocks = region_counts.iter().zip(nibbles.chunks_mut(bytes_per_set));
    let blocks = blocks.map(|(regions, excesses)| {
        let mut planes = || rest.split_off_mut(..words * regions).unwrap_or_default();
        Mutex::new(Block { known: planes(), fresh: planes(), excesses })
    });
    let is_dark = |cell: &usize| size.distance(Cell(0), Cell(*cell as u16)) % 2 == 1;
    let search = PatternSearch {
        size,
        dark: (0..size.cells()).filter(is_dark).fold(0, |set, cell| set | 1 << cell),
        homes: homes.to_vec(),
        shifts: (0..tiles * tiles).map(|n| arrangements.shift(n / tiles, n % tiles)).collect(),
        words,
        blocks: blocks.collect(),
        pending: sets.iter().map(|_| AtomicBool::new(false)).collect(),
        steps: sets.iter().map(|_| OnceLock::new()).collect(),
        found: AtomicU64::new(0),
        neighbours,
        arrangements,
        sets,
    };
    search.run(blank, workers, found);
    HalfExcesses { nibbles, bytes_per_set }
}

struct PatternSearch<'a> {
    size: Size,
    neighbours: Neighbours,
    dark: CellSet,
    homes: Vec<usize>,
    arrangements: Arrangements,
    /// The permutation of arrangements by a step, for the tile's index in the set before and
    /// after.
    shifts: Vec<Vec<u16>>,
    sets: Vec<CellSet>,
    /// The length of a plane.
    words: usize,
    blocks: Vec<Mutex<Block<'a>>>,
    /// Whether the last layer has found something in a block.
    pending: Vec<AtomicBool>,
    steps: Vec<OnceLock<Box<[BlockStep]>>>,
    found: AtomicU64,
}

/// The placements on one set of cells. Each of its regions has a plane of bits, one for each
/// arrangement.
struct Block<'a> {
    /// The planes of what earlier layers found.
    known: &'a mut [u64],
    /// The planes of what the last layer found.
    fresh: &'a mut [u64],
    /// Half of the excess of each arrangement, two a byte.
    excesses: &'a mut [u8],
}

/// A step of one tile from one block to another.
struct BlockStep {
    /// The rank of the target set.
    target: u32,
    /// The blank's region before the step.
    source_region: u8,
    /// The blank's region after the step.
    target_region: u8,
    /// An index of [`PatternSearch::shifts`].
    shift: u8,
}

/// Buffers that a worker reuses for each block.
#[derive(Default)]
struct WorkerScratch {
    source_region: Vec<CellSet>,
    target_region: Vec<CellSet>,
    /// For each region, the arrangements that the last layer found.
    fresh: [Vec<u16>; MAX_REGIONS],
}

impl PatternSearch<'_> {
    fn run(&self, blank: usize, workers: Workers<'_>, found: &(dyn Fn(u64) + Sync)) {
        let start = self.seed_goal(blank);
        for layer in 0..u8::MAX {
            let next = AtomicUsize::new(0);
            let any = AtomicBool::new(false);
            workers(&|| {
                let mut scratch = WorkerScratch::default();
                while let Some(&set) = self.sets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if self.colour(set) == (start + layer) % 2
                        && self.expand(set, layer, &mut scratch)
                    {
                        any.store(true, Ordering::Relaxed);
                    }
                }
            });
            found(self.found.load(Ordering::Relaxed));
            if !any.load(Ordering::Relaxed) {
                break;
            }
        }
    }

    /// Returns the parity of a set's dark cells, 0 or 1.
    fn colour(&self, set: CellSet) -> u8 {
        ((set & self.dark).count_ones() % 2) as u8
    }

    /// Adds the goal to the first layer and returns the parity of its block.
    fn seed_goal(&self, blank: usize) -> u8 {
        let set = self.homes.iter().fold(0, |set, &home| set | 1 << home);
        let in_order = self.homes.iter().zip(0u32..);
        let packed = in_order.fold(0, |packed, (&home, tile)| {
            packed | tile << (4 * subset_rank::cells_before(set, home))
        });
        let goal = self.arrangements.rank(packed);
        let mut regions = Vec::new();
        self.neighbours.regions_without(set, &mut regions);
        let of_blank = regions.iter().position(|region| region >> blank & 1 == 1).unwrap_or(0);
        let block = subset_rank::rank(set);
        lock(&self.blocks[block]).fresh[of_blank * self.words + goal / 64] = 1 << (goal % 64);
        self.pending[block].store(true, Ordering::Relaxed);
        self.colour(set)
    }

    /// Records what the last layer found in a block and steps from there to others. Returns
    /// whether there was anything.
    fn expand(&self, set: CellSet, layer: u8, scratch: &mut WorkerScratch) -> bool {
        let block = subset_rank::rank(set);
        if !self.pending[block].swap(false, Ordering::Relaxed) {
            return false;
        }
        self.record_layer(set, &mut lock(&self.blocks[block]), layer, &mut scratch.fresh);
        let steps = self.steps[block].get_or_init(|| self.steps_from(set, scratch));
        for step in steps {
            let fresh = &scratch.fresh[usize::from(step.source_region)];
            if !fresh.is_empty() {
                self.step(step, fresh);
            }
        }
        true
    }

    /// Records the layer of newly found placements, and lists by region what to expand.
    fn record_layer(
        &self,
        set: CellSet,
        block: &mut Block<'_>,
        layer: u8,
        listed: &mut [Vec<u16>; MAX_REGIONS],
    ) {
        listed.iter_mut().for_each(Vec::clear);
        let distances = self.distances(set);
        let mut found = 0;
        for word in 0..self.words {
            let (mut before, mut now) = (0, 0);
            let planes = (word..block.known.len()).step_by(self.words);
            for (at, listed) in planes.zip(listed.iter_mut()) {
                let fresh = std::mem::take(&mut block.fresh[at]);
                before |= block.known[at];
                now |= fresh;
                block.known[at] |= fresh;
                listed.extend(ones(fresh).map(|bit| (64 * word + bit) as u16));
            }
            let first = now & !before;
            found += u64::from(first.count_ones());
            for arrangement in ones(first).map(|bit| 64 * word + bit) {
                let packed = self.arrangements.packed(arrangement);
                let tile = |n: usize| (packed >> (4 * n) & 15) as usize;
                let distance: u8 = (0..self.homes.len())
                    .map(|n| distances[n % MAX_TILES][tile(n) % MAX_TILES])
                    .sum();
                let excess = (layer.saturating_sub(distance) / 2).min(MAX_HALF_EXCESS);
                block.excesses[arrangement / 2] |= excess << (arrangement % 2 * 4);
            }
        }
        self.found.fetch_add(found, Ordering::Relaxed);
    }

    /// Returns for each cell of a set the Manhattan distances of all tiles there from their homes.
    fn distances(&self, set: CellSet) -> [[u8; MAX_TILES]; MAX_TILES] {
        let mut distances = [[0; MAX_TILES]; MAX_TILES];
        for (row, cell) in distances.iter_mut().zip(cells_of(set)) {
            for (distance, &home) in row.iter_mut().zip(&self.homes) {
                *distance = self.size.distance(Cell(cell as u16), Cell(home as u16)) as u8;
            }
        }
        distances
    }

    fn steps_from(&self, set: CellSet, scratch: &mut WorkerScratch) -> Box<[BlockStep]> {
        self.neighbours.regions_without(set, &mut scratch.source_region);
        let mut steps = Vec::new();
        for (source_region, &region) in (0..).zip(&scratch.source_region) {
            for blank in cells_of(region) {
                for cell in cells_of(self.neighbours.neighbours_of(1 << blank) & set) {
                    let next = set ^ (1 << cell) ^ (1 << blank);
                    self.neighbours.regions_without(next, &mut scratch.target_region);
                    let target_region =
                        scratch.target_region.iter().position(|free| free >> cell & 1 == 1);
                    let (from, to) = (
                        subset_rank::cells_before(set, cell),
                        subset_rank::cells_before(next, blank),
                    );
                    steps.push(BlockStep {
                        target: subset_rank::rank(next) as u32,
                        source_region,
                        target_region: target_region.unwrap_or(0) as u8,
                        shift: (from * self.homes.len() + to) as u8,
                    });
                }
            }
        }
        steps.into()
    }

    fn step(&self, step: &BlockStep, fresh: &[u16]) {
        let target = step.target as usize;
        let shift = &self.shifts[usize::from(step.shift)];
        let plane = usize::from(step.target_region) * self.words..;
        let mut any = 0;
        let mut block = lock(&self.blocks[target]);
        let block = &mut *block;
        let known = &block.known[plane.clone()][..self.words];
        let target_fresh = &mut block.fresh[plane][..self.words];
        for &at in fresh {
            let at = usize::from(shift[usize::from(at)]);
            let new = 1 << (at % 64) & !known[at / 64];
            target_fresh[at / 64] |= new;
            any |= new;
        }
        if any != 0 {
            self.pending[target].store(true, Ordering::Relaxed);
        }
    }
}

/// Returns the bits of a word that are set, in ascending order.
fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            bit
        })
    })
}

/// A panicking worker leaves no inconsistent block.
fn lock<T>(block: &Mutex<T>) -> MutexGuard<'_, T> {
    block.lock().unwrap_or_else(PoisonError::into_inner)
}
