//! Beam search: breadth-first search that keeps only the most promising boards of each depth
//! (Bisiani 1987).

use super::board::{DirectionIndex, IndexedSlide, MAX_CELLS, PaddedBoard, back};
use super::geometry::Geometry;
use super::heuristic::{Estimate, Estimator};
use crate::util::grid::Direction;
use std::hint::black_box;
use std::ops::Range;

/// The state of a beam search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BeamStatus {
    Running,
    /// A solution shorter than the limit.
    Found(Vec<Direction>),
    /// No solution below the limit within the beam; when complete, no such solution at all.
    Exhausted {
        complete: bool,
    },
}

/// The boards that a layer keeps.
#[derive(Debug, Clone, Copy)]
pub struct BeamWidth {
    first: usize,
    last: usize,
    power: u32,
}

/// A beam search in progress.
#[derive(Debug, Clone)]
pub struct Beam {
    width: BeamWidth,
    /// The Manhattan distance of the first board.
    first_distance: u16,
    limit: u32,
    /// On the moves from the first board.
    pub lower_bound: u32,
    best: BestBoard,
    complete: bool,
    layer: Layer,
    next: Layer,
    /// The index of the next board of the layer to expand.
    cursor: usize,
    /// The new children of the boards that are expanded at a time.
    children: Vec<Child>,
    /// The children of the layer, by the cell of their blank.
    candidates: Vec<Vec<Candidate>>,
    /// Of candidates, while some of them are selected.
    scores: Vec<i32>,
    seen: HashTable,
    /// For each depth, each board's parent and move. Of the older layers only ancestors are kept.
    history: Vec<Vec<ParentMove>>,
}

/// The boards of one depth.
#[derive(Debug, Clone, Default)]
struct Layer {
    tiles: Vec<u8>,
    entries: Vec<Entry>,
}

/// The data of a board besides its tiles.
#[derive(Debug, Clone, Copy)]
struct Entry {
    hash: u64,
    estimate: Estimate,
    blank: u8,
    /// The last move; [`NO_MOVE`] for the first board.
    way: DirectionIndex,
}

/// The board with the best score so far.
#[derive(Debug, Clone, Copy)]
struct BestBoard {
    score: i32,
    /// The depth of its parent, and the move from there; `None` for the first board.
    last: Option<(usize, ParentMove)>,
}

/// A child of a board of the layer, before it is evaluated.
#[derive(Debug, Clone, Copy)]
struct Child {
    hash: u64,
    parent_move: ParentMove,
    slide: IndexedSlide,
}

/// A child that may enter the next layer.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    hash: u64,
    estimate: Estimate,
    parent_move: ParentMove,
}

/// The parent's index in its layer, shifted by two bits, and the direction in the lowest two bits.
#[derive(Debug, Clone, Copy)]
struct ParentMove(u32);

/// A beam ends when nothing improves for this many moves per row and column: the blank crosses the
/// board and returns, twice.
const STALE_LAYERS_PER_SIDE: usize = 6;

/// With the blank in one cell a layer keeps at most this fraction of the beam's width, divided by the
/// number of cells (the blank can be in half of them). Else the boards of a layer differ only
/// around one place, and a beam that is stuck there finds no way on.
const CELL_SHARE: [usize; 2] = [5, 2];

/// The boards that are expanded at a time, so that lookups in memory don't wait for each other.
const CHUNK: usize = 32;

/// The most children of a board: those of the first one, as no move takes the last one back.
const MOST_CHILDREN: u64 = 4;

/// Layers after which the history drops the boards without children.
const LAYERS_OF_ALL_BOARDS: usize = 16;

/// The direction of the first board.
const NO_MOVE: DirectionIndex = 4;

impl BeamWidth {
    /// As many boards in all layers.
    pub const fn even(boards: usize) -> Self {
        Self::growing([boards, boards], 1)
    }

    /// From the first number to the last one, with a power of how far the boards have come. Far from the
    /// goal a narrow beam takes hardly more moves; near it, it gets stuck.
    pub const fn growing([first, last]: [usize; 2], power: u32) -> Self {
        Self { first, last, power }
    }

    /// Returns the width of a layer whose nearest board is at a distance; the first board was at
    /// `whole`.
    fn at(self, distance: u16, whole: u16) -> usize {
        /// The bits of the fraction of the way that the boards have come.
        const FRACTION_BITS: u32 = 31;
        let come =
            (u64::from(whole.saturating_sub(distance)) << FRACTION_BITS) / u64::from(whole.max(1));
        let part =
            (0..self.power).fold(1 << FRACTION_BITS, |part, _| (part * come) >> FRACTION_BITS);
        let growth = self.last.saturating_sub(self.first) as u64;
        // No product overflows: a fraction is at most 2^31, and a width that grows is below 2^16.
        self.first + ((growth * part) >> FRACTION_BITS) as usize
    }
}

impl Beam {
    /// Returns a beam's memory per board of width, in bytes. Ancestors in older layers are few.
    pub fn bytes_per_board(geometry: &Geometry) -> usize {
        let layers = 2 * (geometry.cells() + size_of::<Entry>());
        let child = size_of::<Candidate>() + size_of::<i32>();
        let children = 3 * child + size_of::<[u64; 8]>();
        layers + children + 2 * LAYERS_OF_ALL_BOARDS * size_of::<ParentMove>()
    }

    /// Starts at a board; `limit` is the length that a solution must stay below.
    pub fn new(geometry: &Geometry, tiles: Vec<u8>, width: BeamWidth, limit: u32) -> Self {
        let placed = || tiles.iter().copied().zip(0u8..=u8::MAX);
        // The blank is where no tile is.
        let tiles_alone = placed().filter(|&(tile, _)| tile != 0);
        let hash = tiles_alone.fold(0, |hash, (tile, cell)| hash ^ key(tile, cell));
        let entry = Entry {
            hash,
            estimate: Estimator::new(geometry).of_board(&tiles),
            blank: placed().find(|&(tile, _)| tile == 0).map_or(0, |(_, cell)| cell),
            way: NO_MOVE,
        };
        Self {
            width,
            first_distance: entry.estimate.distance,
            limit,
            lower_bound: entry.estimate.bound(),
            complete: true,
            best: BestBoard { score: entry.estimate.score, last: None },
            layer: Layer { tiles, entries: vec![entry] },
            next: Layer::default(),
            cursor: 0,
            children: Vec::new(),
            candidates: vec![Vec::new(); geometry.cells()],
            scores: Vec::new(),
            seen: HashTable::new(3 * width.last),
            history: Vec::new(),
        }
    }

    /// Continues within a node budget and subtracts what it used.
    pub fn advance(&mut self, geometry: &Geometry, budget: &mut u64) -> BeamStatus {
        let estimator = Estimator::new(geometry);
        let mut board = [0; 2 * MAX_CELLS];
        loop {
            while self.cursor < self.layer.entries.len() {
                let affordable = (*budget / MOST_CHILDREN).min(CHUNK as u64) as usize;
                let end = self.layer.entries.len().min(self.cursor + affordable);
                if end == self.cursor {
                    return BeamStatus::Running;
                }
                if let Some(last) = self.generate_children(geometry, self.cursor..end, budget) {
                    return BeamStatus::Found(self.path(self.history.len(), last));
                }
                self.seen.prefetch(self.children.iter().map(|child| child.hash));
                self.children.retain(|child| self.seen.insert(child.hash));
                self.evaluate_children(geometry, &estimator, &mut board);
                self.cursor = end;
            }
            if self.candidates.iter().all(Vec::is_empty) {
                let complete = self.complete;
                return BeamStatus::Exhausted { complete };
            }
            if self.is_stale(geometry) {
                return BeamStatus::Exhausted { complete: false };
            }
            self.next_layer(geometry);
        }
    }

    /// Returns the number of moves to the current layer, and the tiles of its boards.
    pub fn layer(&self) -> (usize, &[u8]) {
        (self.history.len(), &self.layer.tiles)
    }

    fn is_stale(&mut self, geometry: &Geometry) -> bool {
        let depth = self.history.len();
        let scores =
            self.candidates.iter().flatten().map(|child| (child.estimate.score, child.parent_move));
        if let Some((score, parent_move)) = scores.min_by_key(|&(score, _)| score)
            && score < self.best.score
        {
            self.best = BestBoard { score, last: Some((depth, parent_move)) };
        }
        let sides = geometry.size.rows() + geometry.size.cols();
        let best = self.best.last.map_or(0, |(depth, _)| depth);
        depth > best + STALE_LAYERS_PER_SIDE * sides
    }

    /// Generates the children of some boards of the layer. Returns the move that solves a board, if any.
    fn generate_children(
        &mut self,
        geometry: &Geometry,
        boards: Range<usize>,
        budget: &mut u64,
    ) -> Option<ParentMove> {
        let cells = geometry.cells();
        self.children.clear();
        for at in boards {
            let Entry { hash, estimate, blank, way: last } = self.layer.entries[at];
            let tiles = &self.layer.tiles[at * cells..(at + 1) * cells];
            for way in 0..4 {
                if last != NO_MOVE && way == back(last) {
                    continue;
                }
                let Some(source) = geometry.source(blank, way) else {
                    continue;
                };
                *budget -= 1;
                let tile = tiles[usize::from(source)];
                let [near, far] = [blank, source].map(|cell| geometry.distance(tile, cell));
                let parent_move = ParentMove((at as u32) << 2 | u32::from(way));
                if estimate.distance + near == far {
                    return Some(parent_move);
                }
                let hash = hash ^ key(tile, source) ^ key(tile, blank);
                let slide = IndexedSlide { tile, source, blank, way };
                self.children.push(Child { hash, parent_move, slide });
            }
        }
        None
    }

    /// Makes candidates of the generated children.
    fn evaluate_children(
        &mut self,
        geometry: &Geometry,
        estimator: &Estimator<'_>,
        board: &mut PaddedBoard,
    ) {
        let cells = geometry.cells();
        let depth = self.history.len() as u32 + 1;
        let parent_of = |child: &Child| child.parent_move.split().0;
        for children in self.children.chunk_by(|one, next| parent_of(one) == parent_of(next)) {
            let at = parent_of(&children[0]);
            let entry = &self.layer.entries[at];
            board[..cells].copy_from_slice(&self.layer.tiles[at * cells..(at + 1) * cells]);
            let parent = estimator.of_parent(entry.estimate, board, entry.blank);
            for &Child { hash, parent_move, slide } in children {
                let estimate = estimator.of_child(&parent, slide, board);
                if depth + estimate.bound() < self.limit {
                    let candidate = Candidate { hash, estimate, parent_move };
                    self.candidates[usize::from(slide.source)].push(candidate);
                }
            }
        }
    }

    fn next_layer(&mut self, geometry: &Geometry) {
        let [times, of] = CELL_SHARE;
        let distances = self.layer.entries.iter().map(|entry| entry.estimate.distance);
        let width = self.width.at(distances.min().unwrap_or(0), self.first_distance);
        let most = width * times / (geometry.cells() * of) + 1;
        for candidates in &mut self.candidates {
            if candidates.len() > most {
                let mut cutoff = Cutoff::new(candidates.iter(), most, &mut self.scores);
                candidates.retain(|candidate| cutoff.admits(candidate.estimate.score));
                self.complete = false;
            }
        }
        let count = self.candidates.iter().map(Vec::len).sum::<usize>();
        self.complete &= count <= width;
        let mut cutoff = Cutoff::new(self.candidates.iter().flatten(), width, &mut self.scores);
        let cells = geometry.cells();
        let mut parent_moves = Vec::with_capacity(width.min(count));
        self.next.tiles.clear();
        self.next.entries.clear();
        for candidate in self.candidates.iter_mut().flat_map(|candidates| candidates.drain(..)) {
            if !cutoff.admits(candidate.estimate.score) {
                continue;
            }
            let (parent, way) = candidate.parent_move.split();
            let from = parent * cells;
            let blank = self.layer.entries[parent].blank;
            let Some(source) = geometry.source(blank, way) else {
                continue;
            };
            let start = self.next.tiles.len();
            self.next.tiles.extend_from_slice(&self.layer.tiles[from..from + cells]);
            self.next.tiles.swap(start + usize::from(blank), start + usize::from(source));
            self.next.entries.push(Entry {
                hash: candidate.hash,
                estimate: candidate.estimate,
                blank: source,
                way,
            });
            parent_moves.push(candidate.parent_move);
        }
        self.history.push(parent_moves);
        if self.history.len().is_multiple_of(LAYERS_OF_ALL_BOARDS) {
            self.drop_childless();
        }
        std::mem::swap(&mut self.layer, &mut self.next);
        self.seen.clear();
        self.cursor = 0;
    }

    /// Drops all boards from the history that are no ancestors of the last layer or of the best board.
    fn drop_childless(&mut self) {
        let Some((last, older)) = self.history.split_last_mut() else {
            return;
        };
        let mut best = self.best.last.as_mut();
        let mut children = last;
        for (before, layer) in older.iter_mut().enumerate().rev() {
            let best_child =
                best.take_if(|best| best.0 == before + 1).map(|(_, parent_move)| parent_move);
            let mut is_kept = vec![false; layer.len()];
            for child in children.iter().chain(best_child.as_deref()) {
                is_kept[child.split().0] = true;
            }
            if !is_kept.contains(&false) {
                // Nothing was dropped below since the last time.
                return;
            }
            let places: Vec<u32> = is_kept
                .iter()
                .scan(0, |kept, &is_kept| Some(std::mem::replace(kept, *kept + u32::from(is_kept))))
                .collect();
            for child in children.iter_mut().chain(best_child) {
                let (parent, way) = child.split();
                *child = ParentMove(places[parent] << 2 | u32::from(way));
            }
            let mut is_kept = is_kept.into_iter();
            layer.retain(|_| is_kept.next().unwrap_or(true));
            layer.shrink_to_fit();
            children = layer;
        }
    }

    /// Returns the moves to the board with the best score so far.
    pub fn path_to_best(&self) -> Vec<Direction> {
        self.best.last.map_or_else(Vec::new, |(depth, last)| self.path(depth, last))
    }

    fn path(&self, depth: usize, last: ParentMove) -> Vec<Direction> {
        let mut moves = Vec::new();
        let mut parent_move = last;
        for layer in self.history[..depth].iter().rev() {
            let (parent, way) = parent_move.split();
            moves.push(Direction::ALL[usize::from(way)]);
            parent_move = layer[parent];
        }
        moves.push(Direction::ALL[usize::from(parent_move.split().1)]);
        moves.reverse();
        moves
    }
}

impl ParentMove {
    const fn split(self) -> (usize, DirectionIndex) {
        (self.0 as usize >> 2, (self.0 & 3) as DirectionIndex)
    }
}

/// Selects the candidates with the lowest scores, of equal ones the first.
struct Cutoff {
    highest: i32,
    /// How many more of those with the highest score are admitted.
    ties: usize,
}

impl Cutoff {
    /// Selects `width` candidates, which is at least 1, or all if there are no more.
    fn new<'a>(
        candidates: impl Iterator<Item = &'a Candidate>,
        width: usize,
        scores: &mut Vec<i32>,
    ) -> Self {
        scores.clear();
        scores.extend(candidates.map(|candidate| candidate.estimate.score));
        if scores.len() <= width {
            return Self { highest: i32::MAX, ties: usize::MAX };
        }
        let (lower, &mut highest, _) = scores.select_nth_unstable(width - 1);
        let ties = 1 + lower.iter().filter(|&&score| score == highest).count();
        Self { highest, ties }
    }

    /// Returns whether the next candidate in order is selected.
    const fn admits(&mut self, score: i32) -> bool {
        if score == self.highest && self.ties > 0 {
            self.ties -= 1;
            return true;
        }
        score < self.highest
    }
}

/// Returns the key of a tile in a cell (Zobrist 1970), by SplitMix64 (Steele, Lea and Flood 2014).
const fn key(tile: u8, cell: u8) -> u64 {
    let counter = (tile as u64) << 8 | cell as u64;
    let mut z = (counter + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A set of hashes with open addressing.
#[derive(Debug, Clone)]
struct HashTable {
    slots: Vec<u64>,
    mask: usize,
}

impl HashTable {
    /// Creates a set for `most` hashes, with at least a third more slots: inserting ends at a free one.
    fn new(most: usize) -> Self {
        let slots = (most + most / 3).next_power_of_two();
        Self { slots: vec![0; slots], mask: slots - 1 }
    }

    /// Reads the slots of some hashes at once, so that inserting these finds them in the cache.
    fn prefetch(&self, hashes: impl Iterator<Item = u64>) {
        black_box(hashes.fold(0, |read, hash| read ^ self.slots[hash as usize & self.mask]));
    }

    /// Inserts a hash and returns whether it is new. The hash 0 is stored as 1.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_is_even_or_grows_with_a_power_of_how_far_the_boards_have_come() {
        const WHOLE: u16 = 300;
        let widths = |width: BeamWidth| -> Vec<usize> {
            (0..=WHOLE).rev().map(|distance| width.at(distance, WHOLE)).collect()
        };
        assert!(widths(BeamWidth::even(700)).iter().all(|&width| width == 700));
        let (first, last) = (100, 20_100);
        for (power, half) in [(1, 10_100), (3, 2_600), (16, first)] {
            let growing = widths(BeamWidth::growing([first, last], power));
            assert!(growing.is_sorted());
            assert_eq!([0, 150, 300].map(|come| growing[come]), [first, half, last]);
        }
        // Farther from the goal than the first board, and a first board that is solved.
        let width = BeamWidth::growing([first, last], 3);
        assert_eq!([width.at(WHOLE + 1, WHOLE), width.at(0, 0)], [first; 2]);
    }
}
