//! Lower bounds and incremental scores of boards.
//!
//! Without tables the bound of the first board counts linear conflicts: tiles in their home row or
//! column that must pass each other (Hansson, Mayer and Yung, "Criticizing solutions to relaxed
//! models yields powerful admissible heuristics", 1992).

use super::board::{IndexedSlide, PaddedBoard};
use super::patterns::PatternsNearBlank;
use crate::puzzle::slide::Board;
use crate::puzzle::slide::solve::near_optimal::geometry::Geometry;
use crate::puzzle::slide::solve::tables::{Keys, PartitionLookup};

/// Rows, as the index of a pair of lines.
const ROW: usize = 0;
/// Columns, as the index of a pair of lines.
const COLUMN: usize = 1;

/// The weight of two moves over the distance that a table shows. It is more than that of two moves, since
/// most of the excess is not visible to the table's two views.
const EXCESS_WEIGHT: i32 = 48;

/// The estimated distance of a board from the goal.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Estimate {
    /// The beam's score: lower is better. Only differences matter.
    pub(super) score: i32,
    pub(super) distance: u16,
    /// Half of the excess over the Manhattan distance, for each of a table's views.
    excess: [u8; 2],
}

impl Estimate {
    /// Returns a lower bound on the remaining moves.
    pub(super) fn bound(&self) -> u32 {
        u32::from(self.distance) + 2 * u32::from(self.excess[0].max(self.excess[1]))
    }
}

/// Computes estimates from the weights, and from pattern databases if there are any.
#[derive(Clone, Copy)]
pub(super) struct Estimator<'a> {
    geometry: &'a Geometry,
    lookups: Option<[PartitionLookup<'a>; 2]>,
}

/// What the children of a board have in common.
pub(super) struct Parent {
    /// The board's estimate, without the weights around its blank if there are none by position.
    estimate: Estimate,
    patterns: PatternsNearBlank,
    keys: Option<[Keys; 2]>,
}

/// Returns a lower bound on the moves of every solution of a board.
pub fn lower_bound(geometry: &Geometry, board: &Board) -> u32 {
    let tiles: Vec<u8> = board.tiles().iter().map(|&tile| tile as u8).collect();
    let bound = Estimator::with_tables(geometry).of_board(&tiles).bound();
    let conflicts = conflicts_in_all_lines(geometry, &tiles);
    bound.max(board.manhattan_distance() + 2 * u32::from(conflicts))
}

impl<'a> Estimator<'a> {
    /// Creates an estimator for beams. Beside the evaluation by position tables shorten no solutions:
    /// their lookups take half of the time, and the width that they cost is worth as much.
    pub(super) fn new(geometry: &'a Geometry) -> Self {
        let estimator = Self::with_tables(geometry);
        match geometry.position_evaluation {
            Some(_) => Self { lookups: None, ..estimator },
            None => estimator,
        }
    }

    fn with_tables(geometry: &'a Geometry) -> Self {
        let lookups = geometry.table.as_deref().and_then(|table| {
            let views = table.views(geometry.size);
            let (first, second) = (views.first()?, views.get(1).or(views.first())?);
            Some([first, second].map(|view| view.lookup(table.payload())))
        });
        Self { geometry, lookups }
    }

    pub(super) fn of_board(&self, tiles: &[u8]) -> Estimate {
        let excess = self
            .lookups
            .as_ref()
            .map(|lookups| lookups.map(|lookup| lookup.excess(&lookup.keys(tiles))));
        let placed = tiles.iter().copied().zip(0u8..=u8::MAX);
        let away = placed.filter(|&(tile, _)| tile != 0);
        Estimate {
            score: 0,
            distance: away.map(|(tile, cell)| self.geometry.distance(tile, cell)).sum(),
            excess: excess.unwrap_or_default(),
        }
    }

    #[inline]
    pub(super) fn of_parent(&self, before: Estimate, tiles: &PaddedBoard, blank: u8) -> Parent {
        let mut estimate = before;
        let evaluation = &self.geometry.evaluation;
        if self.geometry.position_evaluation.is_none() {
            estimate.score -= evaluation.around_blank(tiles, blank);
        }
        let patterns = evaluation.patterns.near_blank(tiles, blank);
        let tiles = &tiles[..self.geometry.cells()];
        let keys = self.lookups.as_ref().map(|[one, other]| [one.keys(tiles), other.keys(tiles)]);
        Parent { estimate, patterns, keys }
    }

    /// Returns a child's estimate. `tiles` are those of the parent.
    #[inline]
    pub(super) fn of_child(
        &self,
        parent: &Parent,
        slide: IndexedSlide,
        tiles: &PaddedBoard,
    ) -> Estimate {
        let IndexedSlide { tile, source, blank, .. } = slide;
        let mut after = parent.estimate;
        after.distance += self.geometry.distance(tile, blank);
        after.distance -= self.geometry.distance(tile, source);
        let evaluation = &self.geometry.evaluation;
        after.score += evaluation.patterns.change(&parent.patterns, slide);
        after.score += match &self.geometry.position_evaluation {
            Some(by_position) => by_position.change(tiles, slide),
            None => evaluation.change(tiles, slide),
        };
        if let (Some(lookups), Some(keys)) = (&self.lookups, &parent.keys) {
            let [tile, source, blank] = [tile, source, blank].map(usize::from);
            for ((lookup, keys), excess) in lookups.iter().zip(keys).zip(&mut after.excess) {
                let [less, more] = lookup.excess_change(keys, tile, source, blank);
                *excess = *excess + more - less;
                after.score += EXCESS_WEIGHT * (i32::from(more) - i32::from(less));
            }
        }
        after
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
