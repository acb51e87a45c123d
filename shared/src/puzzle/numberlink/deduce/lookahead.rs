//! Lookahead from the drawn board.
//!
//! A continuation is tried, and fails at once or within a few forced steps. Deductions elsewhere
//! are not used.

use crate::puzzle::numberlink::deduce::edge_grid::{EdgeGrid, GridIndex, ways};
use crate::puzzle::numberlink::deduce::explanation::Justification;
use crate::puzzle::numberlink::deduce::propagation::{Contradiction, Propagation, TouchMode};
use crate::puzzle::numberlink::deduce::regions::Regions;

/// The maximum number of further steps.
const MAX_FURTHER_STEPS: usize = 4;

/// A drawing on which continuations are tried.
#[derive(Debug)]
pub(super) struct Lookahead {
    grid: EdgeGrid,
    no_touch: bool,
    regions: Regions,
    pub nodes: u64,
}

impl Lookahead {
    /// Creates a lookahead from a grid with the drawn links only; `no_touch` says that links are
    /// known not to touch themselves.
    pub fn new(grid: &EdgeGrid, no_touch: bool) -> Self {
        let mut grid = grid.clone();
        for at in grid.indices() {
            for way in ways(grid.unknown(at)) {
                let to = grid.next(at, way);
                let (mine, its) = (grid.label[at], grid.label[to]);
                let is_other = mine != 0 && its != 0 && mine != its;
                if grid.is_full(at) || grid.is_full(to) || is_other {
                    grid.set_off(at, way, Justification::TAKEN);
                }
            }
        }
        while grid.pop().is_some() {}
        Self { grid, no_touch, regions: Regions::default(), nodes: 0 }
    }

    /// Returns the only continuation from the end of a link that does not fail at once, or else
    /// within a few steps, and the reason why the others do; `None` when two are left.
    pub fn only_way(&mut self, end: GridIndex, further: bool) -> Option<(usize, Justification)> {
        let (mut left, mut hardest) = (None, None);
        for way in ways(self.grid.unknown(end)) {
            match self.refute(end, way, further) {
                None if left.is_some() => return None,
                None => left = Some(way),
                Some(why) => hardest = Some(hardest.map_or(why, |other| combined(why, other))),
            }
        }
        left.zip(hardest)
    }

    /// Returns the reason why a continuation fails, if it does.
    fn refute(&mut self, end: GridIndex, way: usize, further: bool) -> Option<Justification> {
        let mark = self.grid.mark();
        let failed = match self.refute_at_once(end, way) {
            Err(why) => Some(why),
            Ok(touched) if further => self.refute_further(&touched),
            Ok(_) => None,
        };
        self.grid.undo_to(mark);
        failed
    }

    /// Applies a continuation. Returns the affected cells, or the reason why it fails at once.
    fn refute_at_once(
        &mut self,
        end: GridIndex,
        way: usize,
    ) -> Result<Vec<GridIndex>, Justification> {
        let grid = &mut self.grid;
        let to = grid.next(end, way);
        let is_joined = grid.set_on(end, way, Justification::GIVEN);
        is_joined.map_err(|_| Justification::DEAD_END)?;
        if self.no_touch && touches(grid, to) {
            return Err(Justification::TOUCH);
        }
        for at in [end, to] {
            for way in ways(grid.unknown(at)) {
                let beside = grid.label[grid.next(at, way)];
                if grid.is_full(at) || beside != 0 && beside != grid.label[at] {
                    grid.set_off(at, way, Justification::TAKEN);
                }
            }
        }
        let touched: Vec<GridIndex> = std::iter::from_fn(|| grid.pop()).collect();
        self.nodes += touched.len() as u64;
        let lacks = |&at: &GridIndex| grid.open[at].count_ones() < u32::from(grid.need[at]);
        if touched.iter().any(lacks) {
            return Err(Justification::DEAD_END);
        }
        match self.regions.examine(grid, &mut self.nodes) {
            Ok(()) => Ok(touched),
            Err(Contradiction::Unfillable) => Err(Justification::UNFILLABLE),
            Err(Contradiction::CutOff | Contradiction::DeadEnd | Contradiction::Touch) => {
                Err(Justification::CUT_OFF)
            }
        }
    }

    /// Follows forced steps from cell to cell, and returns the reason if they fail.
    fn refute_further(&mut self, touched: &[GridIndex]) -> Option<Justification> {
        let edges_before = self.grid.edges_on;
        for &at in touched {
            self.grid.enqueue(at);
        }
        let local = Propagation {
            touching: match self.no_touch {
                true => TouchMode::Never,
                false => TouchMode::Allowed,
            },
            limit: edges_before + MAX_FURTHER_STEPS,
        };
        let followed = local.follow(&mut self.grid, &mut self.nodes);
        let failed = followed.and_then(|()| self.regions.examine(&self.grid, &mut self.nodes));
        let depth = self.grid.edges_on - edges_before;
        // A cell may force two steps at once, which may exceed the limit by one.
        let failed = failed.is_err() && depth <= MAX_FURTHER_STEPS;
        let depth = u8::try_from(depth).unwrap_or(u8::MAX);
        failed.then_some(Justification::trial(depth))
    }
}

/// Combines the reasons of two failed continuations.
fn combined(one: Justification, other: Justification) -> Justification {
    if one == other { one } else { one.max(other).max(Justification::SEVERAL) }
}

/// Returns whether the last cell of a link is adjacent to one of its cells without a step between
/// them.
fn touches(grid: &EdgeGrid, at: GridIndex) -> bool {
    let no_touch = ways(!grid.on[at] & 0b1111);
    no_touch.into_iter().any(|way| {
        let beside = grid.next(at, way);
        grid.label[beside] == grid.label[at] && grid.is_full(beside)
    })
}
