//! Beam search: breadth first, but only the most promising boards of each depth are kept
//! (Bisiani 1987).

use super::estimate::{Estimate, Estimator, Slide};
use super::ground::{Ground, WAYS, Way, back};
use crate::grid::Direction;
use crate::slide::Board;

/// How a beam stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::slide::solve) enum Step {
    /// The budget is spent; there is more to do.
    Running,
    /// A solution, shorter than the limit.
    Found(Vec<Direction>),
    /// No solution below the limit within the beam; none at all where it never was full.
    Dead { complete: bool },
}

/// A beam on its way.
#[derive(Debug, Clone)]
pub(in crate::slide::solve) struct Beam {
    width: usize,
    limit: u32,
    at_least: u32,
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

/// No way: the first board of all.
const NO_WAY: Way = 4;

impl Beam {
    /// Returns the bytes that a beam may take for each board that it is wide.
    pub(in crate::slide::solve) fn bytes_a_board(ground: &Ground, limit: u32) -> usize {
        let layers = 2 * (ground.cells() + size_of::<Head>());
        let children = 3 * size_of::<Candidate>() + 16 * size_of::<u64>();
        layers + children + limit as usize * size_of::<Origin>()
    }

    /// Returns the fewest moves that lead home from the first board, by its tables.
    pub(in crate::slide::solve) fn at_least(&self) -> u32 {
        self.at_least
    }

    /// Begins at a board; only solutions with fewer moves than the limit are of interest.
    pub(in crate::slide::solve) fn new(
        ground: &Ground,
        board: &Board,
        width: usize,
        limit: u32,
    ) -> Self {
        let tiles: Vec<u8> = board.tiles().iter().map(|&tile| tile as u8).collect();
        let placed = || tiles.iter().copied().zip(0u8..=u8::MAX);
        let hash = placed().fold(0, |hash, (tile, cell)| hash ^ ground.key(tile, cell));
        let head = Head {
            hash,
            estimate: Estimator::new(ground).whole(board, &tiles),
            blank: board.blank().0 as u8,
            way: NO_WAY,
        };
        Self {
            width,
            limit,
            at_least: head.estimate.bound(),
            complete: true,
            layer: Layer {
                tiles,
                heads: vec![head],
            },
            spare: Layer::default(),
            cursor: 0,
            candidates: Vec::new(),
            seen: Seen::new(width * 4),
            history: Vec::new(),
        }
    }

    /// Searches on for at most so many nodes, and takes off what it has used.
    pub(in crate::slide::solve) fn advance(&mut self, ground: &Ground, budget: &mut u64) -> Step {
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
            self.descend(ground);
        }
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
            let slide = Slide {
                tile,
                source,
                blank: head.blank,
            };
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
                self.candidates.push(Candidate {
                    hash,
                    estimate,
                    origin,
                });
            }
        }
        None
    }

    /// Makes the next layer of the best candidates.
    fn descend(&mut self, ground: &Ground) {
        let keep = Threshold::new(&self.candidates, self.width);
        self.complete &= self.candidates.len() <= self.width;
        let cells = ground.cells();
        let mut ties = keep.ties;
        let mut origins = Vec::with_capacity(self.width.min(self.candidates.len()));
        self.spare.tiles.clear();
        self.spare.heads.clear();
        for candidate in self.candidates.drain(..) {
            if candidate.estimate.score > keep.bound {
                continue;
            }
            if candidate.estimate.score == keep.bound {
                if ties == 0 {
                    continue;
                }
                ties -= 1;
            }
            let (parent, way) = candidate.origin.split();
            let from = parent * cells;
            let blank = self.layer.heads[parent].blank;
            let Some(source) = ground.source(blank, way) else {
                continue;
            };
            let start = self.spare.tiles.len();
            self.spare
                .tiles
                .extend_from_slice(&self.layer.tiles[from..from + cells]);
            self.spare
                .tiles
                .swap(start + usize::from(blank), start + usize::from(source));
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

/// Which candidates are kept: all with a smaller bound, and some with the same.
struct Threshold {
    bound: u32,
    ties: usize,
}

impl Threshold {
    fn new(candidates: &[Candidate], width: usize) -> Self {
        if candidates.len() <= width {
            return Self {
                bound: u32::MAX,
                ties: 0,
            };
        }
        let least = candidates
            .iter()
            .map(|c| c.estimate.score)
            .min()
            .unwrap_or(0);
        let most = candidates
            .iter()
            .map(|c| c.estimate.score)
            .max()
            .unwrap_or(0);
        let mut counts = vec![0usize; (most - least) as usize + 1];
        candidates
            .iter()
            .for_each(|c| counts[(c.estimate.score - least) as usize] += 1);
        let mut left = width;
        for (bound, &count) in counts.iter().enumerate() {
            if count > left {
                return Self {
                    bound: bound as u32 + least,
                    ties: left,
                };
            }
            left -= count;
        }
        Self {
            bound: u32::MAX,
            ties: 0,
        }
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
        Self {
            slots: vec![0; slots],
            mask: slots - 1,
        }
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
