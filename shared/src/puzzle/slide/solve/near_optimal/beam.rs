//! Beam search: breadth first, but only the most promising boards of each depth are kept
//! (Bisiani 1987).

use super::heuristic::{Estimate, Estimator, Slide};
use crate::puzzle::slide::solve::near_optimal::geometry::{Ground, WAYS, Way, back};
use crate::util::grid::Direction;

/// How a beam stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::puzzle::slide::solve) enum Step {
    /// The budget is spent; there is more to do.
    Running,
    /// A solution, shorter than the limit.
    Found(Vec<Direction>),
    /// No solution below the limit within the beam; none at all where it never was full.
    Dead { complete: bool },
}

/// A beam on its way.
#[derive(Debug, Clone)]
pub(in crate::puzzle::slide::solve) struct Beam {
    width: usize,
    limit: u32,
    at_least: u32,
    /// The best score so far, and the depth at which it was found.
    best: (u32, usize),
    complete: bool,
    layer: Layer,
    spare: Layer,
    /// The board of the layer to be expanded next.
    cursor: usize,
    candidates: Vec<Candidate>,
    seen: Seen,
    /// For each depth, each board's parent and move.
    history: Vec<Vec<Origin>>,
}

/// The boards of one depth.
#[derive(Debug, Clone, Default)]
struct Layer {
    tiles: Vec<u8>,
    heads: Vec<Head>,
}

/// What is known of a board besides its tiles.
#[derive(Debug, Clone, Copy)]
struct Head {
    hash: u64,
    estimate: Estimate,
    blank: u8,
    /// The way that led here; of the first board none.
    way: Way,
}

/// A child that may come into the next layer.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    hash: u64,
    estimate: Estimate,
    origin: Origin,
}

/// The parent's place in its layer, and in the lowest two bits the way.
#[derive(Debug, Clone, Copy)]
struct Origin(u32);

/// A beam is given up where nothing gets better for so many times as many moves as the
/// board has rows and columns: a walk of the blank to the other end and back, and as much
/// again.
const STALE: usize = 6;

/// The classes of scores that a layer's candidates are sorted into, in bits.
const CLASS_BITS: u32 = 12;

/// No way: the first board of all.
const NO_WAY: Way = 4;

impl Beam {
    /// Returns the bytes that a beam may take for each board that it is wide.
    pub(in crate::puzzle::slide::solve) fn bytes_a_board(ground: &Ground, limit: u32) -> usize {
        let layers = 2 * (ground.cells() + size_of::<Head>());
        let children = 3 * size_of::<Candidate>() + 16 * size_of::<u64>();
        layers + children + limit as usize * size_of::<Origin>()
    }

    /// Returns the fewest moves that lead home from the first board, by its tables.
    pub(in crate::puzzle::slide::solve) fn at_least(&self) -> u32 {
        self.at_least
    }

    /// Begins at a board; only solutions with fewer moves than the limit are of interest.
    pub(in crate::puzzle::slide::solve) fn new(
        ground: &Ground,
        tiles: Vec<u8>,
        width: usize,
        limit: u32,
    ) -> Self {
        let placed = || tiles.iter().copied().zip(0u8..=u8::MAX);
        let hash = placed().fold(0, |hash, (tile, cell)| hash ^ ground.key(tile, cell));
        let head = Head {
            hash,
            estimate: Estimator::new(ground).whole(&tiles),
            blank: placed().find(|&(tile, _)| tile == 0).map_or(0, |(_, cell)| cell),
            way: NO_WAY,
        };
        Self {
            width,
            limit,
            at_least: head.estimate.bound(),
            complete: true,
            best: (u32::MAX, 0),
            layer: Layer { tiles, heads: vec![head] },
            spare: Layer::default(),
            cursor: 0,
            candidates: Vec::new(),
            seen: Seen::new(width * 4),
            history: Vec::new(),
        }
    }

    /// Searches on for at most so many nodes, and takes off what it has used.
    pub(in crate::puzzle::slide::solve) fn advance(
        &mut self,
        ground: &Ground,
        budget: &mut u64,
    ) -> Step {
        let estimator = Estimator::new(ground);
        loop {
            while self.cursor < self.layer.heads.len() {
                if *budget < 4 {
                    return Step::Running;
                }
                if let Some(last) = self.expand(ground, &estimator, budget) {
                    return Step::Found(self.path(last));
                }
                self.cursor += 1;
            }
            if self.candidates.is_empty() {
                let complete = self.complete;
                return Step::Dead { complete };
            }
            if self.is_stale(ground) {
                return Step::Dead { complete: false };
            }
            self.descend(ground);
        }
    }

    /// Says whether the beam gets nowhere any more.
    fn is_stale(&mut self, ground: &Ground) -> bool {
        let scores = self.candidates.iter();
        let best = scores.map(|candidate| candidate.estimate.score).min();
        let best = best.unwrap_or(u32::MAX);
        if best < self.best.0 {
            self.best = (best, self.history.len());
        }
        let sides = ground.size().rows() + ground.size().cols();
        self.history.len() > self.best.1 + STALE * sides
    }

    /// Makes the children of the board at the cursor. Returns the origin of a solved one.
    fn expand(
        &mut self,
        ground: &Ground,
        estimator: &Estimator<'_>,
        budget: &mut u64,
    ) -> Option<Origin> {
        let cells = ground.cells();
        let at = self.cursor;
        let head = self.layer.heads[at];
        let tiles = &mut self.layer.tiles[at * cells..(at + 1) * cells];
        let family = estimator.family(tiles);
        let depth = self.history.len() as u32 + 1;
        for way in 0..4 {
            if head.way != NO_WAY && way == back(head.way) {
                continue;
            }
            let Some(source) = ground.source(head.blank, way) else {
                continue;
            };
            *budget -= 1;
            let tile = tiles[usize::from(source)];
            let slide = Slide { tile, source, blank: head.blank };
            let estimate = estimator.after(head.estimate, slide, family.as_ref(), tiles);
            let origin = Origin((at as u32) << 2 | u32::from(way));
            if estimate.distance == 0 {
                return Some(origin);
            }
            if depth + estimate.bound() >= self.limit {
                continue;
            }
            let hash = head.hash
                ^ ground.key(tile, source)
                ^ ground.key(tile, head.blank)
                ^ ground.key(0, source)
                ^ ground.key(0, head.blank);
            if self.seen.insert(hash) {
                self.candidates.push(Candidate { hash, estimate, origin });
            }
        }
        None
    }

    /// Makes the next layer of the best candidates.
    fn descend(&mut self, ground: &Ground) {
        let mut keep = Threshold::new(&self.candidates, self.width);
        self.complete &= self.candidates.len() <= self.width;
        let cells = ground.cells();
        let mut origins = Vec::with_capacity(self.width.min(self.candidates.len()));
        self.spare.tiles.clear();
        self.spare.heads.clear();
        for candidate in self.candidates.drain(..) {
            if !keep.keeps(candidate.estimate.score) {
                continue;
            }
            let (parent, way) = candidate.origin.split();
            let from = parent * cells;
            let blank = self.layer.heads[parent].blank;
            let Some(source) = ground.source(blank, way) else {
                continue;
            };
            let start = self.spare.tiles.len();
            self.spare.tiles.extend_from_slice(&self.layer.tiles[from..from + cells]);
            self.spare.tiles.swap(start + usize::from(blank), start + usize::from(source));
            self.spare.heads.push(Head {
                hash: candidate.hash,
                estimate: candidate.estimate,
                blank: source,
                way,
            });
            origins.push(candidate.origin);
        }
        self.history.push(origins);
        std::mem::swap(&mut self.layer, &mut self.spare);
        self.seen.clear();
        self.cursor = 0;
    }

    fn path(&self, last: Origin) -> Vec<Direction> {
        let mut moves = Vec::new();
        let mut origin = last;
        for layer in self.history.iter().rev() {
            let (parent, way) = origin.split();
            moves.push(WAYS[usize::from(way)]);
            origin = layer[parent];
        }
        moves.push(WAYS[usize::from(origin.split().1)]);
        moves.reverse();
        moves
    }
}

impl Origin {
    const fn split(self) -> (usize, Way) {
        (self.0 as usize >> 2, (self.0 & 3) as Way)
    }
}

/// Which candidates are kept: all of better classes, and some of one class. Scores that
/// differ in the lowest bits only are of one class where they lie far apart as a whole.
struct Threshold {
    least: u32,
    shift: u32,
    class: u32,
    ties: usize,
}

impl Threshold {
    fn new(candidates: &[Candidate], width: usize) -> Self {
        let scores = || candidates.iter().map(|candidate| candidate.estimate.score);
        let (least, most) = (scores().min().unwrap_or(0), scores().max().unwrap_or(0));
        let mut keep = Self {
            least,
            shift: (u32::BITS - (most - least).leading_zeros()).saturating_sub(CLASS_BITS),
            class: 0,
            ties: width,
        };
        if candidates.len() > width {
            let mut counts = vec![0usize; 1 << CLASS_BITS];
            scores().for_each(|score| counts[keep.class_of(score) as usize] += 1);
            for count in counts {
                if count > keep.ties {
                    return keep;
                }
                keep.ties -= count;
                keep.class += 1;
            }
        }
        keep.class = u32::MAX;
        keep
    }

    const fn class_of(&self, score: u32) -> u32 {
        (score - self.least) >> self.shift
    }

    /// Says whether the next candidate in order is kept.
    const fn keeps(&mut self, score: u32) -> bool {
        let class = self.class_of(score);
        if class == self.class && self.ties > 0 {
            self.ties -= 1;
            return true;
        }
        class < self.class
    }
}

/// A set of hashes, by open addressing.
#[derive(Debug, Clone)]
struct Seen {
    slots: Vec<u64>,
    mask: usize,
}

impl Seen {
    /// Makes room for so many hashes at twice the slots.
    fn new(most: usize) -> Self {
        let slots = (most * 2).next_power_of_two();
        Self { slots: vec![0; slots], mask: slots - 1 }
    }

    /// Puts a hash in; returns whether it is new. The hash 0 is taken for 1.
    fn insert(&mut self, hash: u64) -> bool {
        let hash = hash.max(1);
        let mut slot = hash as usize & self.mask;
        while self.slots[slot] != 0 {
            if self.slots[slot] == hash {
                return false;
            }
            slot = (slot + 1) & self.mask;
        }
        self.slots[slot] = hash;
        true
    }

    fn clear(&mut self) {
        self.slots.fill(0);
    }
}
