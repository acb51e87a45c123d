//! The deduction engine: makes deductions in order of difficulty.

use crate::puzzle::numberlink::Puzzle;
use crate::puzzle::numberlink::deduce::edge_grid::{EdgeGrid, GridIndex, ways};
use crate::puzzle::numberlink::deduce::explanation::Justification;
use crate::puzzle::numberlink::deduce::propagation::{
    Contradiction, Propagation, TouchMode, apply_touch_rule,
};
use crate::puzzle::numberlink::deduce::regions::Regions;
use crate::solver::budget::Budget;

#[derive(Debug, Clone)]
pub(super) struct DeductionEngine {
    pub grid: EdgeGrid,
    no_touch: bool,
    regions: Regions,
    pub nodes: u64,
    /// The rounds in which something followed from cells' own edges.
    pub rounds: u32,
    /// The next candidate of each level.
    cursors: [usize; TRIAL_LEVELS.len()],
    candidates: Vec<(GridIndex, usize, bool)>,
}

/// The result of [`DeductionEngine::deduce_next`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deduction {
    /// An edge was deduced for a reason beyond a cell's own edges.
    Edge(Justification),
    Nothing,
    Impossible,
    OverBudget,
}

/// A level of trials: which edges are tried, and how far they are followed.
#[derive(Debug, Clone, Copy)]
struct TrialLevel {
    ends_only: bool,
    limit: usize,
    try_off: bool,
}

/// The levels in order of difficulty.
const TRIAL_LEVELS: [TrialLevel; 6] = [
    TrialLevel::new(true, 0, false),
    TrialLevel::new(false, 0, false),
    TrialLevel::new(true, 4, false),
    TrialLevel::new(false, 4, false),
    TrialLevel::new(false, 12, false),
    TrialLevel::new(false, 60, true),
];

impl TrialLevel {
    const fn new(ends_only: bool, limit: usize, try_off: bool) -> Self {
        Self { ends_only, limit, try_off }
    }
}

impl DeductionEngine {
    /// Creates an engine; `no_touch` says that links are known not to touch themselves.
    pub fn new(puzzle: &Puzzle, no_touch: bool) -> Self {
        Self {
            grid: EdgeGrid::new(puzzle),
            no_touch,
            regions: Regions::default(),
            nodes: 0,
            rounds: 0,
            cursors: [0; TRIAL_LEVELS.len()],
            candidates: Vec::new(),
        }
    }

    /// Applies all deductions from cells' own edges.
    pub fn settle(&mut self) -> Result<(), Contradiction> {
        let touching = if self.no_touch { TouchMode::Later } else { TouchMode::Allowed };
        let limit = usize::MAX;
        let local = Propagation { touching, limit };
        self.rounds += local.rounds(&mut self.grid, &mut self.nodes)?;
        Ok(())
    }

    pub fn deduce_next(&mut self, budget: Budget) -> Deduction {
        while let Some(at) = self.grid.pop_deferred() {
            self.nodes += 1;
            match apply_touch_rule(&mut self.grid, at) {
                Ok(false) => {}
                Ok(true) => return self.settled(Justification::TOUCH),
                Err(_) => return Deduction::Impossible,
            }
        }
        for (level, what) in TRIAL_LEVELS.iter().enumerate() {
            self.list_candidates(*what);
            let count = self.candidates.len();
            for turn in 0..count {
                if self.nodes >= budget.0 {
                    return Deduction::OverBudget;
                }
                let at = (self.cursors[level] + turn) % count;
                let (at, way, on) = self.candidates[at];
                if let Some(why) = self.refute(at, way, on, what.limit) {
                    self.cursors[level] = (self.cursors[level] + turn) % count;
                    return self.set_edge(at, way, !on, why);
                }
            }
        }
        Deduction::Nothing
    }

    pub fn assume(
        &mut self,
        at: GridIndex,
        way: usize,
        why: Justification,
    ) -> Result<(), Contradiction> {
        if self.grid.on[at] & 1 << way == 0 {
            if self.grid.open[at] & 1 << way == 0 {
                return Err(Contradiction::DeadEnd);
            }
            self.grid.set_on(at, way, why)?;
        }
        self.settle()
    }

    fn set_edge(&mut self, at: GridIndex, way: usize, on: bool, why: Justification) -> Deduction {
        if !on {
            self.grid.set_off(at, way, why);
        } else if self.grid.set_on(at, way, why).is_err() {
            return Deduction::Impossible;
        }
        self.settled(why)
    }

    fn settled(&mut self, why: Justification) -> Deduction {
        match self.settle() {
            Ok(()) => Deduction::Edge(why),
            Err(_) => Deduction::Impossible,
        }
    }

    /// Tries an edge as on or off; returns the reason why that is impossible, if it is.
    fn refute(
        &mut self,
        at: GridIndex,
        way: usize,
        on: bool,
        limit: usize,
    ) -> Option<Justification> {
        let mark = self.grid.mark();
        let edges_before = self.grid.edges_on + usize::from(on);
        let contradiction = self.propagate(at, way, on, edges_before + limit).err();
        let depth = self.grid.edges_on.saturating_sub(edges_before);
        self.grid.undo_to(mark);
        let contradiction = contradiction?;
        let immediate_contradiction =
            if depth > 0 && on { self.immediate_contradiction(at, way) } else { None };
        let depth = if immediate_contradiction.is_some() { 0 } else { depth };
        Some(immediate_contradiction.unwrap_or(contradiction)).map(|contradiction| {
            match (depth, contradiction) {
                (0, Contradiction::DeadEnd) => Justification::DEAD_END,
                (0, Contradiction::Touch) => Justification::TOUCH,
                (0, Contradiction::CutOff) => Justification::CUT_OFF,
                (0, Contradiction::Unfillable) => Justification::UNFILLABLE,
                (depth, _) => Justification::trial(u8::try_from(depth).unwrap_or(u8::MAX)),
            }
        })
    }

    /// Checks whether an edge separates a pair before anything follows from it.
    fn immediate_contradiction(&mut self, at: GridIndex, way: usize) -> Option<Contradiction> {
        let mark = self.grid.mark();
        let edges_on = self.grid.set_on(at, way, Justification::GIVEN);
        for at in [at, self.grid.next(at, way)] {
            if self.grid.is_full(at) {
                for way in ways(self.grid.unknown(at)) {
                    self.grid.set_off(at, way, Justification::TAKEN);
                }
            }
        }
        let seen = self.regions.examine(&self.grid, &mut self.nodes);
        self.grid.undo_to(mark);
        edges_on.map_err(Contradiction::from).and(seen).err()
    }

    fn propagate(
        &mut self,
        at: GridIndex,
        way: usize,
        on: bool,
        most: usize,
    ) -> Result<(), Contradiction> {
        let touching = if self.no_touch { TouchMode::Never } else { TouchMode::Allowed };
        if on {
            self.grid.set_on(at, way, Justification::GIVEN)?;
        } else {
            self.grid.set_off(at, way, Justification::GIVEN);
        }
        let limit = most;
        Propagation { touching, limit }.follow(&mut self.grid, &mut self.nodes)?;
        self.regions.examine(&self.grid, &mut self.nodes)
    }

    fn list_candidates(&mut self, level: TrialLevel) {
        let Self { grid, candidates, .. } = self;
        candidates.clear();
        if level.ends_only {
            for number in 0..grid.pairs.len() {
                if !grid.is_linked(number) {
                    for end in grid.ends(number) {
                        candidates.extend(ways(grid.unknown(end)).map(|way| (end, way, true)));
                    }
                }
            }
            return;
        }
        for at in grid.indices() {
            for way in ways(grid.unknown(at) & 0b1100) {
                candidates.push((at, way, true));
                if level.try_off {
                    candidates.push((at, way, false));
                }
            }
        }
    }
}
