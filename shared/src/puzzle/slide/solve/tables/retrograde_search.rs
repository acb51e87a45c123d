//! Searches all placements of one pattern, backwards from the goal, in breadth.
//!
//! A state is a placement of the pattern's tiles together with the region of cells that the
//! blank can reach without moving one of them; a step moves one of the tiles. What counts
//! is the least over a placement's regions (Korf and Felner, "Disjoint pattern database
//! heuristics", 2002).
//!
//! Placements on the same set of cells are one block. A step leads from a block to another
//! and permutes the places in it in the same way whatever the arrangement; so the search
//! works on two small blocks at a time, that both lie in a fast cache, and each block has a
//! lock of its own. A step changes the colour of one of the set's cells, as on a
//! chequerboard, so that no block is read and written in the same layer.

use super::Crew;
use crate::puzzle::slide::solve::tables::permutation_rank::Arrangements;
use crate::puzzle::slide::solve::tables::subset_rank::{self, CellSet, Neighbours, each};
use crate::util::grid::{Cell, Size};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The regions that a block distinguishes: bits of a byte. More would need more tiles on
/// more cells than any table has.
const MAX_REGIONS: usize = 8;

/// For each placement of a pattern, how many moves its tiles need.
pub(super) struct Moves {
    /// For each set of cells, by its rank, those of each arrangement.
    pub(super) blocks: Vec<Box<[u8]>>,
}

/// Counts the moves of every placement of tiles with these homes; the goal has the blank at
/// `blank`. Calls `found` with the number of placements that have their count.
pub(super) fn search(
    size: Size,
    homes: &[usize],
    blank: usize,
    crew: Crew<'_>,
    found: &(dyn Fn(u64) + Sync),
) -> Moves {
    let search = Search::new(size, homes);
    let start = search.begin(blank);
    for layer in 0..u8::MAX {
        let next = AtomicUsize::new(0);
        let any = AtomicBool::new(false);
        crew(&|| {
            let mut hand = Hand::default();
            while let Some(&set) = search.sets.get(next.fetch_add(1, Ordering::Relaxed)) {
                if search.colour(set) == (start + layer) % 2 && search.expand(set, layer, &mut hand)
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

struct Search {
    neighbours: Neighbours,
    dark: CellSet,
    homes: Vec<usize>,
    arrangements: Arrangements,
    /// What a step does to the arrangement, by the tile's places in the order of cells
    /// before and after.
    shifts: Vec<Vec<u16>>,
    sets: Vec<CellSet>,
    blocks: Vec<Mutex<Block>>,
    /// Whether the layer before has found something in a block.
    awake: Vec<AtomicBool>,
    steps: Vec<OnceLock<Box<[Step]>>>,
    found: AtomicU64,
}

/// The placements on one set of cells.
struct Block {
    /// For each arrangement, the regions that earlier layers have found in the upper byte,
    /// and those that the layer before has in the lower.
    regions: Box<[u16]>,
    /// For each arrangement, the layer that found it first.
    moves: Box<[u8]>,
}

/// A step of one tile from one block to another.
struct Step {
    /// The rank of the set there.
    target: u32,
    /// The blank's region here.
    here: u8,
    /// The blank's region there, as a bit.
    there: u8,
    /// An index of [`Search::shifts`].
    shift: u8,
}

/// What one worker keeps from block to block.
#[derive(Default)]
struct Hand {
    here: Vec<CellSet>,
    there: Vec<CellSet>,
    fresh: [Vec<u16>; MAX_REGIONS],
}

impl Search {
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
            awake: sets.iter().map(|_| AtomicBool::new(false)).collect(),
            steps: sets.iter().map(|_| OnceLock::new()).collect(),
            found: AtomicU64::new(0),
            arrangements,
            sets,
        }
    }

    /// Returns whether an odd number of a set's cells is dark, as 0 or 1.
    fn colour(&self, set: CellSet) -> u8 {
        ((set & self.dark).count_ones() % 2) as u8
    }

    /// Puts the goal into the first layer, and returns the colour of its block.
    fn begin(&self, blank: usize) -> u8 {
        let set = self.homes.iter().fold(0, |set, &home| set | 1 << home);
        let in_order = self.homes.iter().zip(0u32..);
        let packed = in_order
            .fold(0, |packed, (&home, tile)| packed | tile << (4 * subset_rank::before(set, home)));
        let mut regions = Vec::new();
        self.neighbours.regions_without(set, &mut regions);
        let of_blank = regions.iter().position(|region| region >> blank & 1 == 1);
        let block = subset_rank::rank(set);
        let mut start = lock(&self.blocks[block]);
        start.regions[self.arrangements.rank(packed)] = 1 << of_blank.unwrap_or(0);
        self.awake[block].store(true, Ordering::Relaxed);
        self.colour(set)
    }

    /// Settles what the layer before has found in a block, and steps from there to others.
    /// Says whether there was anything.
    fn expand(&self, set: CellSet, layer: u8, hand: &mut Hand) -> bool {
        let block = subset_rank::rank(set);
        if !self.awake[block].swap(false, Ordering::Relaxed) {
            return false;
        }
        self.settle(block, layer, hand);
        let steps = self.steps[block].get_or_init(|| self.steps_from(set, hand));
        for step in steps {
            let fresh = &hand.fresh[usize::from(step.here)];
            if !fresh.is_empty() {
                self.step(step, fresh);
            }
        }
        true
    }

    /// Notes the layer of placements found for the first time, and lists by region what is
    /// to be expanded.
    fn settle(&self, block: usize, layer: u8, hand: &mut Hand) {
        hand.fresh.iter_mut().for_each(Vec::clear);
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
                hand.fresh[fresh.trailing_zeros() as usize].push(at as u16);
                fresh &= fresh - 1;
            }
        }
        self.found.fetch_add(first, Ordering::Relaxed);
    }

    fn steps_from(&self, set: CellSet, hand: &mut Hand) -> Box<[Step]> {
        self.neighbours.regions_without(set, &mut hand.here);
        let mut steps = Vec::new();
        for (here, &region) in (0..).zip(&hand.here) {
            for blank in each(region) {
                for cell in each(self.neighbours.beside(1 << blank) & set) {
                    let next = set ^ (1 << cell) ^ (1 << blank);
                    self.neighbours.regions_without(next, &mut hand.there);
                    let there = hand.there.iter().position(|free| free >> cell & 1 == 1);
                    let (from, to) =
                        (subset_rank::before(set, cell), subset_rank::before(next, blank));
                    steps.push(Step {
                        target: subset_rank::rank(next) as u32,
                        here,
                        there: 1 << there.unwrap_or(0),
                        shift: (from * self.homes.len() + to) as u8,
                    });
                }
            }
        }
        steps.into()
    }

    fn step(&self, step: &Step, fresh: &[u16]) {
        let target = step.target as usize;
        let shift = &self.shifts[usize::from(step.shift)];
        let bit = u16::from(step.there);
        let mut any = 0;
        let mut block = lock(&self.blocks[target]);
        let there = &mut *block.regions;
        for &at in fresh {
            let regions = &mut there[usize::from(shift[usize::from(at)])];
            let new = bit & !(*regions >> 8);
            *regions |= new;
            any |= new;
        }
        if any != 0 {
            self.awake[target].store(true, Ordering::Relaxed);
        }
    }

    fn finish(self) -> Moves {
        let inner =
            |block: Mutex<Block>| block.into_inner().unwrap_or_else(PoisonError::into_inner);
        let blocks = self.blocks.into_iter();
        Moves { blocks: blocks.map(|block| inner(block).moves).collect() }
    }
}

/// A worker that panicked has left nothing half-done that the others could trip over.
fn lock(block: &Mutex<Block>) -> MutexGuard<'_, Block> {
    block.lock().unwrap_or_else(PoisonError::into_inner)
}
