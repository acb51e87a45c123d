//! What follows for a cell from what is known of its own edges and of its neighbours.

use crate::puzzle::numberlink::deduce::edges::{EdgeConflict, EdgeGrid, GridIndex, ways};
use crate::puzzle::numberlink::deduce::justification::Justification;
use crate::puzzle::numberlink::deduce::touch_rule;

/// What can't be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contradiction {
    /// A cell has too many edges, or can't get enough, or closes a ring.
    DeadEnd,
    /// A link touches itself.
    Touch,
    /// A pair is kept apart.
    CutOff,
    /// Some cells are beyond the reach of every link.
    Unfillable,
}

/// When it is looked at whether links touch themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TouchMode {
    /// They may.
    Allowed,
    /// They don't, but that is put off.
    Later,
    /// They don't.
    Never,
}

/// How the local rules are applied.
#[derive(Debug, Clone, Copy)]
pub(super) struct Propagation {
    pub touching: TouchMode,
    /// As many edges as may be on before it stops.
    pub limit: usize,
}

impl From<EdgeConflict> for Contradiction {
    fn from(EdgeConflict: EdgeConflict) -> Self {
        Self::DeadEnd
    }
}

impl Propagation {
    /// Looks at the cells of the queue until nothing follows any more, or the limit is
    /// passed. Counts the cells looked at.
    pub fn follow(self, grid: &mut EdgeGrid, nodes: &mut u64) -> Result<(), Contradiction> {
        while self.next(grid, nodes)? && grid.edges_on <= self.limit {}
        Ok(())
    }

    /// Looks at the cells of the queue in rounds until nothing follows any more: first at
    /// those that wait, then at those that wait then. Returns the rounds in which an edge
    /// was edges_on on.
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

    /// Looks at the next cell of the queue; returns whether there was one.
    fn next(self, grid: &mut EdgeGrid, nodes: &mut u64) -> Result<bool, Contradiction> {
        let Some(at) = grid.pop() else {
            return Ok(false);
        };
        *nodes += 1;
        self.look(grid, at)?;
        match self.touching {
            TouchMode::Allowed => {}
            TouchMode::Later => grid.defer(at),
            TouchMode::Never => {
                touch_rule::look(grid, at)?;
            }
        }
        Ok(true)
    }

    fn look(self, grid: &mut EdgeGrid, at: GridIndex) -> Result<(), Contradiction> {
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
            compare(grid, at);
        }
        Ok(())
    }
}

/// Compares a cell that lacks edges with its neighbours.
fn compare(grid: &mut EdgeGrid, at: GridIndex) {
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

/// Says why the edges that are left to a cell must be on.
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
