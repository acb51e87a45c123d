//! Propagation of a cell's own edges, and the touch rule.
//!
//! The touch rule: a link that passes through two adjacent cells without a step between them could
//! be shortened there and leave cells empty. So no link of a puzzle with one solution, even if
//! cells may stay empty, touches itself.

use crate::puzzle::numberlink::deduce::edge_grid::{EdgeConflict, EdgeGrid, GridIndex, ways};
use crate::puzzle::numberlink::deduce::explanation::Justification;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contradiction {
    /// A cell has too many edges or too few, or closes a ring.
    DeadEnd,
    Touch,
    CutOff,
    Unfillable,
}

/// When the touch rule is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TouchMode {
    /// Never: links may touch themselves.
    Allowed,
    /// Later, from the queue of deferred cells.
    Later,
    Never,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Propagation {
    pub touching: TouchMode,
    /// The number of edges on at which it stops.
    pub limit: usize,
}

impl From<EdgeConflict> for Contradiction {
    fn from(EdgeConflict: EdgeConflict) -> Self {
        Self::DeadEnd
    }
}

impl Propagation {
    /// Propagates until the queue is empty or the limit is exceeded. Counts cells in `nodes`.
    pub fn follow(self, grid: &mut EdgeGrid, nodes: &mut u64) -> Result<(), Contradiction> {
        while self.next(grid, nodes)? && grid.edges_on <= self.limit {}
        Ok(())
    }

    /// Propagates in rounds until the queue is empty: each round takes the cells that are enqueued
    /// at its start. Returns the rounds that set an edge on.
    pub fn rounds(self, grid: &mut EdgeGrid, nodes: &mut u64) -> Result<u32, Contradiction> {
        let mut rounds = 0;
        while grid.waiting() > 0 {
            let before = grid.edges_on;
            for _ in 0..grid.waiting() {
                self.next(grid, nodes)?;
            }
            rounds += u32::from(grid.edges_on > before);
        }
        Ok(rounds)
    }

    /// Examines the next cell of the queue; returns whether there was one.
    fn next(self, grid: &mut EdgeGrid, nodes: &mut u64) -> Result<bool, Contradiction> {
        let Some(at) = grid.pop() else {
            return Ok(false);
        };
        *nodes += 1;
        self.apply_local_rules(grid, at)?;
        match self.touching {
            TouchMode::Allowed => {}
            TouchMode::Later => grid.defer(at),
            TouchMode::Never => {
                apply_touch_rule(grid, at)?;
            }
        }
        Ok(true)
    }

    fn apply_local_rules(self, grid: &mut EdgeGrid, at: GridIndex) -> Result<(), Contradiction> {
        let need = u32::from(grid.need[at]);
        let (on, open) = (grid.on[at].count_ones(), grid.open[at].count_ones());
        if on > need || open < need {
            return Err(Contradiction::DeadEnd);
        }
        let unknown = grid.unknown(at);
        if on == need {
            for way in ways(unknown) {
                grid.set_off(at, way, Justification::TAKEN);
            }
        } else if open == need {
            let why = forced(grid, at);
            for way in ways(unknown) {
                grid.set_on(at, way, why)?;
            }
        } else {
            separate_neighbours(grid, at);
        }
        Ok(())
    }
}

/// Compares a cell that lacks edges with its neighbours.
fn separate_neighbours(grid: &mut EdgeGrid, at: GridIndex) {
    for way in ways(grid.unknown(at)) {
        let to = grid.next(at, way);
        let (mine, its) = (grid.label[at], grid.label[to]);
        if mine != 0 && its != 0 && mine != its {
            grid.set_off(at, way, Justification::TAKEN);
        } else if usize::from(grid.mate[at]) == to {
            grid.set_off(at, way, Justification::RING);
        }
    }
}

/// Returns the reason why a cell's remaining edges must be on.
fn forced(grid: &EdgeGrid, at: GridIndex) -> Justification {
    let hardest = grid.hardest_off_reason(at);
    if hardest > Justification::TAKEN {
        hardest
    } else if grid.on[at] != 0 || grid.need[at] == 1 {
        Justification::ONLY_WAY_OUT
    } else if hardest == Justification::GIVEN {
        Justification::CORNER
    } else {
        Justification::PASS_THROUGH
    }
}

/// Applies the touch rule to a cell. Returns whether it decided an edge.
pub(super) fn apply_touch_rule(grid: &mut EdgeGrid, at: GridIndex) -> Result<bool, Contradiction> {
    let number = grid.label[at];
    if number != 0 && is_beside(grid, at, number) {
        return Err(Contradiction::Touch);
    }
    Ok(apply_touch_rule_to_squares(grid, at)? | apply_touch_rule_to_neighbours(grid, at)?)
}

/// Of the four edges around four cells at most two are on; three make a link touch itself.
fn apply_touch_rule_to_squares(grid: &mut EdgeGrid, at: GridIndex) -> Result<bool, Contradiction> {
    let mut found = false;
    for way in 0..4 {
        let side = (way + 1) % 4;
        let (ahead, aside) = (grid.next(at, way), grid.next(at, side));
        let edges = [(at, way), (at, side), (ahead, side), (aside, way)];
        let is_on = |&&(at, way): &&(GridIndex, usize)| grid.on[at] & 1 << way != 0;
        match edges.iter().filter(is_on).count() {
            0 | 1 => {}
            2 => {
                for (at, way) in edges {
                    if grid.unknown(at) & 1 << way != 0 {
                        grid.set_off(at, way, Justification::TOUCH);
                        found = true;
                    }
                }
            }
            _ => return Err(Contradiction::Touch),
        }
    }
    Ok(found)
}

/// Compares a cell that lacks edges with its neighbours.
fn apply_touch_rule_to_neighbours(
    grid: &mut EdgeGrid,
    at: GridIndex,
) -> Result<bool, Contradiction> {
    let mut found = false;
    for way in ways(grid.unknown(at)) {
        if grid.unknown(at) & 1 << way == 0 {
            continue; // decided by an earlier direction
        }
        let to = grid.next(at, way);
        let (mine, its) = (grid.label[at], grid.label[to]);
        if usize::from(grid.mate[at]) == to {
            return Err(Contradiction::Touch);
        }
        if mine != 0 && mine == its {
            let joined = grid.set_on(at, way, Justification::TOUCH);
            joined.map_err(|_| Contradiction::Touch)?;
            found = true;
        } else if (mine == 0) != (its == 0) {
            let (free, number) = if mine == 0 { (at, its) } else { (to, mine) };
            if is_beside(grid, free, number) {
                grid.set_off(at, way, Justification::TOUCH);
                found = true;
            }
        }
    }
    Ok(found)
}

/// Returns whether a cell has a neighbour of a number with the edge between them off.
fn is_beside(grid: &EdgeGrid, at: GridIndex, number: u16) -> bool {
    let mut off = ways(!grid.open[at] & 0b1111);
    off.any(|way| grid.label[grid.next(at, way)] == number)
}
