//! How far from home a board may be, brought up to date move by move.

use super::linear_conflict::{self, COLUMN, ROW};
use crate::puzzle::slide::solve::near_optimal::geometry::{EXCESS_COST, Geometry};
use crate::puzzle::slide::solve::tables::{Keys, PartitionLookup};

/// The score of the first board: what costs take from it on the way leaves it above 0.
const INITIAL_SCORE: u32 = 1 << 30;

/// How far from home a board may be.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Estimate {
    /// What the beam goes by: less is better.
    pub(super) score: u32,
    /// The Manhattan distance.
    pub(super) distance: u16,
    /// Half of what different bounds have over it.
    excess: [u16; 2],
}

impl Estimate {
    /// Returns a lower bound on the moves to go.
    pub(super) fn bound(&self) -> u32 {
        u32::from(self.distance) + 2 * u32::from(self.excess[0].max(self.excess[1]))
    }
}

/// Makes estimates, of pattern databases where there are any, of linear conflict_change else.
#[derive(Clone, Copy)]
pub(super) struct Estimator<'a> {
    geometry: &'a Geometry,
    lookups: Option<[PartitionLookup<'a>; 2]>,
}

/// What all children of a board have in common.
pub(super) struct ParentKeys([Keys; 2]);

/// A tile that slides into the blank.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slide {
    /// Which tile.
    pub(super) tile: u8,
    /// The cell where it was.
    pub(super) source: u8,
    /// The cell where the blank was.
    pub(super) blank: u8,
}

impl<'a> Estimator<'a> {
    pub(super) fn new(geometry: &'a Geometry) -> Self {
        let lookups = geometry.table().and_then(|table| {
            let views = table.views(geometry.size());
            let (first, second) = (views.first()?, views.get(1).or(views.first())?);
            Some([first, second].map(|view| view.lookup(table.payload())))
        });
        Self { geometry, lookups }
    }

    /// Looks at a of_board board, whose tiles are given as bytes, too.
    pub(super) fn of_board(&self, tiles: &[u8]) -> Estimate {
        let excess = match &self.lookups {
            None => [linear_conflict::in_all_lines(self.geometry, tiles), 0],
            Some(lookups) => lookups.map(|lookup| u16::from(lookup.excess(&lookup.keys(tiles)))),
        };
        let placed = tiles.iter().copied().zip(0u8..=u8::MAX);
        let away = placed.filter(|&(tile, _)| tile != 0);
        Estimate {
            // Only differences count.
            score: INITIAL_SCORE,
            distance: away.map(|(tile, cell)| self.geometry.distance(tile, cell)).sum(),
            excess,
        }
    }

    /// Looks at a board that is to have children.
    #[inline]
    pub(super) fn parent_keys(&self, tiles: &[u8]) -> Option<ParentKeys> {
        let [one, other] = self.lookups.as_ref()?;
        Some(ParentKeys([one.keys(tiles), other.keys(tiles)]))
    }

    /// Returns a child's estimate. The tiles are those before the slide, and are so again
    /// when it is over.
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
        if let (Some(lookups), Some(ParentKeys(keys))) = (&self.lookups, parent_keys) {
            let [tile, source, blank] = [tile, source, blank].map(usize::from);
            for (n, (lookup, keys)) in lookups.iter().zip(keys).enumerate() {
                let [less, more] = lookup.excess_change(keys, tile, source, blank);
                self.replace_excess(&mut after, n, EXCESS_COST, less.into(), more.into());
            }
        } else {
            let (each, [less, more]) = self.conflict_change(slide, tiles);
            self.replace_excess(&mut after, 0, each, less, more);
        }
        after
    }

    /// Takes one part of an excess away and puts another in its place.
    #[inline]
    fn replace_excess(&self, estimate: &mut Estimate, n: usize, each: u32, less: u16, more: u16) {
        // Added first: nothing here gets below 0.
        estimate.excess[n] = estimate.excess[n] + more - less;
        estimate.score = estimate.score + each * u32::from(more) - each * u32::from(less);
    }

    /// Counts the conflict_change that a slide may change, before and after it. A slide along a
    /// line leaves its order; only lines that the tile leaves or enters change, and only
    /// the one in which it is at home.
    fn conflict_change(&self, slide: Slide, tiles: &mut [u8]) -> (u32, [u16; 2]) {
        let geometry = self.geometry;
        let (from, to) = (geometry.lines(slide.source), geometry.lines(slide.blank));
        let home = geometry.home_lines(slide.tile);
        let axis = if from[ROW] == to[ROW] { COLUMN } else { ROW };
        let (cell, without) = if home[axis] == from[axis] {
            (slide.source, 0)
        } else if home[axis] == to[axis] {
            (slide.blank, slide.tile)
        } else {
            return (0, [0, 0]);
        };
        let before = linear_conflict::in_row_or_column(geometry, tiles, axis, home[axis]);
        let was = std::mem::replace(&mut tiles[usize::from(cell)], without);
        let after = linear_conflict::in_row_or_column(geometry, tiles, axis, home[axis]);
        tiles[usize::from(cell)] = was;
        (geometry.conflict_cost(axis, home[axis]), [before, after])
    }
}
