//! How far from home a board may be, brought up to date move by move.

use super::linear_conflict::{self, COLUMN, ROW};
use crate::puzzle::slide::solve::near_optimal::geometry::{EXCESS, Ground};
use crate::puzzle::slide::solve::tables::{Keys, Lens};

/// The score of the first board: what costs take from it on the way leaves it above 0.
const SCORE_OF_FIRST: u32 = 1 << 30;

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

/// Makes estimates, of pattern databases where there are any, of linear conflicts else.
#[derive(Clone, Copy)]
pub(super) struct Estimator<'a> {
    ground: &'a Ground,
    lenses: Option<[Lens<'a>; 2]>,
}

/// What all children of a board have in common.
pub(super) struct Family([Keys; 2]);

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
    pub(super) fn new(ground: &'a Ground) -> Self {
        let lenses = ground.table().and_then(|table| {
            let views = table.views(ground.size());
            let (first, second) = (views.first()?, views.get(1).or(views.first())?);
            Some([first, second].map(|view| view.lens(table.payload())))
        });
        Self { ground, lenses }
    }

    /// Looks at a whole board, whose tiles are given as bytes, too.
    pub(super) fn whole(&self, tiles: &[u8]) -> Estimate {
        let excess = match &self.lenses {
            None => [linear_conflict::in_all(self.ground, tiles), 0],
            Some(lenses) => lenses.map(|lens| u16::from(lens.excess(&lens.keys(tiles)))),
        };
        let placed = tiles.iter().copied().zip(0u8..=u8::MAX);
        let away = placed.filter(|&(tile, _)| tile != 0);
        Estimate {
            // Only differences count.
            score: SCORE_OF_FIRST,
            distance: away.map(|(tile, cell)| self.ground.distance(tile, cell)).sum(),
            excess,
        }
    }

    /// Looks at a board that is to have children.
    #[inline]
    pub(super) fn family(&self, tiles: &[u8]) -> Option<Family> {
        let [one, other] = self.lenses.as_ref()?;
        Some(Family([one.keys(tiles), other.keys(tiles)]))
    }

    /// Returns a child's estimate. The tiles are those before the slide, and are so again
    /// when it is over.
    #[inline]
    pub(super) fn after(
        &self,
        before: Estimate,
        slide: Slide,
        family: Option<&Family>,
        tiles: &mut [u8],
    ) -> Estimate {
        let Slide { tile, source, blank } = slide;
        let ground = self.ground;
        let mut after = before;
        after.distance += ground.distance(tile, blank);
        after.distance -= ground.distance(tile, source);
        after.score += ground.cost(tile, blank);
        after.score -= ground.cost(tile, source);
        if let (Some(lenses), Some(Family(keys))) = (&self.lenses, family) {
            let [tile, source, blank] = [tile, source, blank].map(usize::from);
            for (n, (lens, keys)) in lenses.iter().zip(keys).enumerate() {
                let [less, more] = lens.compare(keys, tile, source, blank);
                self.exchange(&mut after, n, EXCESS, less.into(), more.into());
            }
        } else {
            let (each, [less, more]) = self.conflicts(slide, tiles);
            self.exchange(&mut after, 0, each, less, more);
        }
        after
    }

    /// Takes one part of an excess away and puts another in its place.
    #[inline]
    fn exchange(&self, estimate: &mut Estimate, n: usize, each: u32, less: u16, more: u16) {
        // Added first: nothing here gets below 0.
        estimate.excess[n] = estimate.excess[n] + more - less;
        estimate.score = estimate.score + each * u32::from(more) - each * u32::from(less);
    }

    /// Counts the conflicts that a slide may change, before and after it. A slide along a
    /// line leaves its order; only lines that the tile leaves or enters change, and only
    /// the one in which it is at home.
    fn conflicts(&self, slide: Slide, tiles: &mut [u8]) -> (u32, [u16; 2]) {
        let ground = self.ground;
        let (from, to) = (ground.lines(slide.source), ground.lines(slide.blank));
        let home = ground.home_lines(slide.tile);
        let axis = if from[ROW] == to[ROW] { COLUMN } else { ROW };
        let (cell, without) = if home[axis] == from[axis] {
            (slide.source, 0)
        } else if home[axis] == to[axis] {
            (slide.blank, slide.tile)
        } else {
            return (0, [0, 0]);
        };
        let before = linear_conflict::in_line(ground, tiles, axis, home[axis]);
        let was = std::mem::replace(&mut tiles[usize::from(cell)], without);
        let after = linear_conflict::in_line(ground, tiles, axis, home[axis]);
        tiles[usize::from(cell)] = was;
        (ground.conflict_cost(axis, home[axis]), [before, after])
    }
}
