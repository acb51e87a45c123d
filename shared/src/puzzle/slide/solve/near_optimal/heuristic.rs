//! Incremental lower bounds and scores of boards.
//!
//! Without tables they count linear conflicts: tiles in their home row or column that must pass
//! each other (Hansson, Mayer and Yung, "Criticizing solutions to relaxed models yields powerful
//! admissible heuristics", 1992).

use crate::puzzle::slide::Board;
use crate::puzzle::slide::solve::near_optimal::geometry::Geometry;
use crate::puzzle::slide::solve::tables::{Keys, PartitionLookup};

/// Rows, as the index of a pair of lines.
const ROW: usize = 0;
/// Columns, as the index of a pair of lines.
const COLUMN: usize = 1;

/// The score of the first board: high enough that no sequence of moves brings it below 0.
const INITIAL_SCORE: u32 = 1 << 30;

/// The estimated distance of a board from the goal.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Estimate {
    /// The beam's score: lower is better.
    pub(super) score: u32,
    pub(super) distance: u16,
    /// Half of the excess over the Manhattan distance, for each of two bounds.
    excess: [u16; 2],
}

impl Estimate {
    /// Returns a lower bound on the remaining moves.
    pub(super) fn bound(&self) -> u32 {
        u32::from(self.distance) + 2 * u32::from(self.excess[0].max(self.excess[1]))
    }
}

/// Computes estimates from pattern databases if there are any, else from linear conflicts.
#[derive(Clone, Copy)]
pub(super) struct Estimator<'a> {
    geometry: &'a Geometry,
    lookups: Option<[PartitionLookup<'a>; 2]>,
}

/// The table keys of a board, shared by all of its children.
pub(super) struct ParentKeys([Keys; 2]);

#[derive(Debug, Clone, Copy)]
pub(super) struct Slide {
    pub(super) tile: u8,
    pub(super) source: u8,
    pub(super) blank: u8,
}

/// Returns a lower bound on the moves of every solution of a board.
pub fn lower_bound(geometry: &Geometry, board: &Board) -> u32 {
    let tiles: Vec<u8> = board.tiles().iter().map(|&tile| tile as u8).collect();
    Estimator::new(geometry).of_board(&tiles).bound()
}

impl<'a> Estimator<'a> {
    pub(super) fn new(geometry: &'a Geometry) -> Self {
        let lookups = geometry.table.as_deref().and_then(|table| {
            let views = table.views(geometry.size);
            let (first, second) = (views.first()?, views.get(1).or(views.first())?);
            Some([first, second].map(|view| view.lookup(table.payload())))
        });
        Self { geometry, lookups }
    }

    pub(super) fn of_board(&self, tiles: &[u8]) -> Estimate {
        let excess = match &self.lookups {
            None => [conflicts_in_all_lines(self.geometry, tiles), 0],
            Some(lookups) => lookups.map(|lookup| u16::from(lookup.excess(&lookup.keys(tiles)))),
        };
        let placed = tiles.iter().copied().zip(0u8..=u8::MAX);
        let away = placed.filter(|&(tile, _)| tile != 0);
        Estimate {
            // Only differences matter.
            score: INITIAL_SCORE,
            distance: away.map(|(tile, cell)| self.geometry.distance(tile, cell)).sum(),
            excess,
        }
    }

    #[inline]
    pub(super) fn parent_keys(&self, tiles: &[u8]) -> Option<ParentKeys> {
        let [one, other] = self.lookups.as_ref()?;
        Some(ParentKeys([one.keys(tiles), other.keys(tiles)]))
    }

    /// Returns a child's estimate. `tiles` are those of the parent; they are modified temporarily.
    #[inline]
    pub(super) fn of_child(
        &self,
        before: Estimate,
        slide: Slide,
        parent_keys: Option<&ParentKeys>,
        tiles: &mut [u8],
    ) -> Estimate {
        let Slide { tile, source, blank } = slide;
        let geometry = self.geometry;
        let mut after = before;
        after.distance += geometry.distance(tile, blank);
        after.distance -= geometry.distance(tile, source);
        after.score += geometry.cost(tile, blank);
        after.score -= geometry.cost(tile, source);
        let pairs =
            geometry.pair_cost(tiles, tile, blank) - geometry.pair_cost(tiles, tile, source);
        after.score = after.score.wrapping_add_signed(pairs);
        if let (Some(lookups), Some(ParentKeys(keys))) = (&self.lookups, parent_keys) {
            let [tile, source, blank] = [tile, source, blank].map(usize::from);
            for (n, (lookup, keys)) in lookups.iter().zip(keys).enumerate() {
                let [less, more] = lookup.excess_change(keys, tile, source, blank);
                self.replace_excess(&mut after, n, less.into(), more.into());
            }
        } else {
            let [less, more] = self.conflict_change(slide, tiles);
            self.replace_excess(&mut after, 0, less, more);
        }
        after
    }

    #[inline]
    fn replace_excess(&self, estimate: &mut Estimate, n: usize, less: u16, more: u16) {
        let each = self.geometry.excess_cost;
        // The addition comes first, so that nothing underflows.
        estimate.excess[n] = estimate.excess[n] + more - less;
        estimate.score = estimate.score + each * u32::from(more) - each * u32::from(less);
    }

    /// Counts the conflicts that a slide may change, before and after it. A slide along a line
    /// keeps its order, so only the lines that the tile leaves or enters matter, and of these only
    /// its home line.
    fn conflict_change(&self, slide: Slide, tiles: &mut [u8]) -> [u16; 2] {
        let geometry = self.geometry;
        let (from, to) = (geometry.lines(slide.source), geometry.lines(slide.blank));
        let home = geometry.home_lines(slide.tile);
        let axis = if from[ROW] == to[ROW] { COLUMN } else { ROW };
        let (cell, without) = if home[axis] == from[axis] {
            (slide.source, 0)
        } else if home[axis] == to[axis] {
            (slide.blank, slide.tile)
        } else {
            return [0, 0];
        };
        let before = conflicts_in_line(geometry, tiles, axis, home[axis]);
        let was = std::mem::replace(&mut tiles[usize::from(cell)], without);
        let after = conflicts_in_line(geometry, tiles, axis, home[axis]);
        tiles[usize::from(cell)] = was;
        [before, after]
    }
}

/// Returns how many tiles must leave a line temporarily so that its other tiles can pass each
/// other; each costs two moves more than its distance.
///
/// This is the number of tiles at home in the line less the longest increasing subsequence of
/// their homes.
fn conflicts_in_line(geometry: &Geometry, tiles: &[u8], axis: usize, line: u8) -> u16 {
    let (start, stride, length) = match axis {
        ROW => (usize::from(line) * geometry.size.cols(), 1, geometry.size.cols()),
        _ => (usize::from(line), geometry.size.cols(), geometry.size.rows()),
    };
    // Patience sorting: the last elements of the best increasing subsequences of each length.
    let mut tails = [0u8; 128];
    let (mut longest, mut count) = (0, 0);
    for n in 0..length {
        let tile = tiles[start + n * stride];
        if tile == 0 {
            continue;
        }
        let home = geometry.home_lines(tile);
        if home[axis] != line {
            continue;
        }
        count += 1;
        let home_place = home[1 - axis];
        let at = tails[..longest].iter().take_while(|&&endgame| endgame < home_place).count();
        tails[at] = home_place;
        longest = longest.max(at + 1);
    }
    (count - longest) as u16
}

/// Returns the conflicts of all rows and columns.
fn conflicts_in_all_lines(geometry: &Geometry, tiles: &[u8]) -> u16 {
    let rows =
        (0..geometry.size.rows() as u8).map(|row| conflicts_in_line(geometry, tiles, ROW, row));
    let columns =
        (0..geometry.size.cols() as u8).map(|col| conflicts_in_line(geometry, tiles, COLUMN, col));
    rows.chain(columns).sum()
}
