//! Retrograde breadth-first search: counts the moves from the goal to every placement of a
//! pattern.
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

use crate::puzzle::slide::solve::tables::permutation_rank::Arrangements;
use crate::puzzle::slide::solve::tables::subset_rank::{self, CellSet, Neighbours, cells_of};
use crate::util::grid::{Cell, Size};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The maximum number of regions of a block: bits of a byte. More would need more tiles on more
/// cells than any table has.
const MAX_REGIONS: usize = 8;

/// Runs a closure once on each of several threads at the same time, and returns when all calls
/// have returned. `&|work| work()` uses the calling thread.
pub type Workers<'a> = &'a dyn Fn(&(dyn Fn() + Sync));

/// For each placement of a pattern, the moves of its tiles.
pub(super) struct MoveCounts {
    /// For each set of cells, by rank, the counts of all arrangements.
    pub(super) blocks: Vec<Box<[u8]>>,
}

/// Counts the moves of every placement of tiles with these homes; `blank` is the blank's cell in
/// the goal. Calls `found` with the number of finished placements after each layer.
pub(super) fn count_moves(
    size: Size,
    homes: &[usize],
    blank: usize,
    workers: Workers<'_>,
    found: &(dyn Fn(u64) + Sync),
) -> MoveCounts {
    let search = PatternSearch::new(size, homes);
    let start = search.seed_goal(blank);
    for layer in 0..u8::MAX {
        let next = AtomicUsize::new(0);
        let any = AtomicBool::new(false);
        workers(&|| {
            let mut scratch = WorkerScratch::default();
            while let Some(&set) = search.sets.get(next.fetch_add(1, Ordering::Relaxed)) {
                if search.colour(set) == (start + layer) % 2
                    && search.expand(set, layer, &mut scratch)
                {
                    any.store(true, Ordering::Relaxed);
                }
            }
        });
        found(search.found.load(Ordering::Relaxed));
        if !any.load(Ordering::Relaxed) {
            break;
        }
    }
    search.finish()
}

struct PatternSearch {
    neighbours: Neighbours,
    dark: CellSet,
    homes: Vec<usize>,
    arrangements: Arrangements,
    /// The permutation of arrangements by a step, for the tile's index in the set before and
    /// after.
    shifts: Vec<Vec<u16>>,
    sets: Vec<CellSet>,
    blocks: Vec<Mutex<Block>>,
    /// Whether the last layer has found something in a block.
    pending: Vec<AtomicBool>,
    steps: Vec<OnceLock<Box<[BlockStep]>>>,
    found: AtomicU64,
}

/// The placements on one set of cells.
struct Block {
    /// For each arrangement, the regions found by earlier layers in the upper byte, and those
    /// found by the last layer in the lower.
    regions: Box<[u16]>,
    /// For each arrangement, the first layer that found it.
    moves: Box<[u8]>,
}

/// A step of one tile from one block to another.
struct BlockStep {
    /// The rank of the target set.
    target: u32,
    /// The blank's region before the step.
    source_region: u8,
    /// The blank's region after the step, as a bit.
    target_region: u8,
    /// An index of [`PatternSearch::shifts`].
    shift: u8,
}

/// Buffers that a worker reuses for each block.
#[derive(Default)]
struct WorkerScratch {
    source_region: Vec<CellSet>,
    target_region: Vec<CellSet>,
    fresh: [Vec<u16>; MAX_REGIONS],
}

impl PatternSearch {
    fn new(size: Size, homes: &[usize]) -> Self {
        let tiles = homes.len();
        let arrangements = Arrangements::new(tiles);
        let sets: Vec<CellSet> = subset_rank::sets(size.cells(), tiles).collect();
        let block = |_| {
            Mutex::new(Block {
                regions: vec![0; arrangements.count()].into(),
                moves: vec![0; arrangements.count()].into(),
            })
        };
        let is_dark = |cell: &usize| size.distance(Cell(0), Cell(*cell as u16)) % 2 == 1;
        Self {
            neighbours: Neighbours::new(size),
            dark: (0..size.cells()).filter(is_dark).fold(0, |set, cell| set | 1 << cell),
            homes: homes.to_vec(),
            shifts: (0..tiles * tiles).map(|n| arrangements.shift(n / tiles, n % tiles)).collect(),
            blocks: sets.iter().map(block).collect(),
            pending: sets.iter().map(|_| AtomicBool::new(false)).collect(),
            steps: sets.iter().map(|_| OnceLock::new()).collect(),
            found: AtomicU64::new(0),
            arrangements,
            sets,
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
        let mut regions = Vec::new();
        self.neighbours.regions_without(set, &mut regions);
        let of_blank = regions.iter().position(|region| region >> blank & 1 == 1);
        let block = subset_rank::rank(set);
        let mut start = lock(&self.blocks[block]);
        start.regions[self.arrangements.rank(packed)] = 1 << of_blank.unwrap_or(0);
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
        self.record_layer(block, layer, scratch);
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
    fn record_layer(&self, block: usize, layer: u8, scratch: &mut WorkerScratch) {
        scratch.fresh.iter_mut().for_each(Vec::clear);
        let mut first = 0;
        let mut block = lock(&self.blocks[block]);
        let Block { regions, moves } = &mut *block;
        for (at, (regions, moves)) in regions.iter_mut().zip(moves).enumerate() {
            let mut fresh = *regions & 0xff;
            if fresh == 0 {
                continue;
            }
            if *regions >> 8 == 0 {
                first += 1;
                *moves = layer;
            }
            *regions = (*regions | fresh << 8) & 0xff00;
            while fresh != 0 {
                scratch.fresh[fresh.trailing_zeros() as usize].push(at as u16);
                fresh &= fresh - 1;
            }
        }
        self.found.fetch_add(first, Ordering::Relaxed);
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
                        target_region: 1 << target_region.unwrap_or(0),
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
        let bit = u16::from(step.target_region);
        let mut any = 0;
        let mut block = lock(&self.blocks[target]);
        let target_region = &mut *block.regions;
        for &at in fresh {
            let regions = &mut target_region[usize::from(shift[usize::from(at)])];
            let new = bit & !(*regions >> 8);
            *regions |= new;
            any |= new;
        }
        if any != 0 {
            self.pending[target].store(true, Ordering::Relaxed);
        }
    }

    fn finish(self) -> MoveCounts {
        let inner =
            |block: Mutex<Block>| block.into_inner().unwrap_or_else(PoisonError::into_inner);
        let blocks = self.blocks.into_iter();
        MoveCounts { blocks: blocks.map(|block| inner(block).moves).collect() }
    }
}

/// A panicking worker leaves no inconsistent block.
fn lock(block: &Mutex<Block>) -> MutexGuard<'_, Block> {
    block.lock().unwrap_or_else(PoisonError::into_inner)
}
