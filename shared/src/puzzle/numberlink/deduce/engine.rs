//! Deduction after deduction, the easiest first.

use crate::puzzle::numberlink::Puzzle;
use crate::puzzle::numberlink::deduce::edges::{EdgeGrid, GridIndex, ways};
use crate::puzzle::numberlink::deduce::justification::Justification;
use crate::puzzle::numberlink::deduce::propagation::{Contradiction, Propagation, TouchMode};
use crate::puzzle::numberlink::deduce::regions::Regions;
use crate::puzzle::numberlink::deduce::touch_rule;
use crate::solver::budget::Budget;

/// A grid, and what it takes to reason on it.
#[derive(Debug, Clone)]
pub(super) struct DeductionEngine {
    pub grid: EdgeGrid,
    apart: bool,
    regions: Regions,
    /// The cells looked at so far.
    pub nodes: u64,
    /// The rounds in which something followed from cells' own edges.
    pub rounds: u32,
    /// Where each level went on the last time.
    cursors: [usize; TRIAL_LEVELS.len()],
    candidates: Vec<(GridIndex, usize, bool)>,
}

/// What came of looking for the next deduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deduction {
    /// An edge is known, for a reason that is no bookkeeping.
    Edge(Justification),
    /// Nothing follows, at any level.
    Nothing,
    /// There is no solution.
    Impossible,
    /// The budget was spent.
    OverBudget,
}

/// What is tried: which edges, and how far it is followed.
#[derive(Debug, Clone, Copy)]
struct TrialLevel {
    /// Only edges at the ends of links, or all.
    ends_only: bool,
    /// As many further edges may be edges_on on.
    limit: usize,
    /// That an edge is off is tried as well.
    off_too: bool,
}

/// The levels, from what a glance shows to what only patience does.
const TRIAL_LEVELS: [TrialLevel; 6] = [
    TrialLevel::new(true, 0, false),
    TrialLevel::new(false, 0, false),
    TrialLevel::new(true, 4, false),
    TrialLevel::new(false, 4, false),
    TrialLevel::new(false, 12, false),
    TrialLevel::new(false, 60, true),
];

impl TrialLevel {
    const fn new(ends_only: bool, limit: usize, off_too: bool) -> Self {
        Self { ends_only, limit, off_too }
    }
}

impl DeductionEngine {
    /// Begins with a puzzle; `apart` says that its links are known not to touch themselves.
    pub fn new(puzzle: &Puzzle, apart: bool) -> Self {
        Self {
            grid: EdgeGrid::new(puzzle),
            apart,
            regions: Regions::default(),
            nodes: 0,
            rounds: 0,
            cursors: [0; TRIAL_LEVELS.len()],
            candidates: Vec::new(),
        }
    }

    /// Draws everything that follows without looking further than a cell's neighbours.
    pub fn settle(&mut self) -> Result<(), Contradiction> {
        let touching = if self.apart { TouchMode::Later } else { TouchMode::Allowed };
        let limit = usize::MAX;
        let local = Propagation { touching, limit };
        self.rounds += local.rounds(&mut self.grid, &mut self.nodes)?;
        Ok(())
    }

    /// Finds the next deduction, and draws what follows from it.
    pub fn find(&mut self, budget: Budget) -> Deduction {
        while let Some(at) = self.grid.pop_deferred() {
            self.nodes += 1;
            match touch_rule::look(&mut self.grid, at) {
                Ok(false) => {}
                Ok(true) => return self.drawn(Justification::TOUCH),
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
                if let Some(why) = self.try_out(at, way, on, what.limit) {
                    self.cursors[level] = (self.cursors[level] + turn) % count;
                    return self.draw(at, way, !on, why);
                }
            }
        }
        Deduction::Nothing
    }

    /// Takes an edge for granted, and draws what follows.
    pub fn take(
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

    /// Switches an edge for a reason, and draws what follows.
    fn draw(&mut self, at: GridIndex, way: usize, on: bool, why: Justification) -> Deduction {
        if !on {
            self.grid.set_off(at, way, why);
        } else if self.grid.set_on(at, way, why).is_err() {
            return Deduction::Impossible;
        }
        self.drawn(why)
    }

    fn drawn(&mut self, why: Justification) -> Deduction {
        match self.settle() {
            Ok(()) => Deduction::Edge(why),
            Err(_) => Deduction::Impossible,
        }
    }

    /// Tries what follows from an edge that is on or off; returns why it can't be.
    fn try_out(
        &mut self,
        at: GridIndex,
        way: usize,
        on: bool,
        limit: usize,
    ) -> Option<Justification> {
        let mark = self.grid.mark();
        let begun = self.grid.edges_on + usize::from(on);
        let contradiction = self.follow(at, way, on, begun + limit).err();
        let depth = self.grid.edges_on.saturating_sub(begun);
        self.grid.undo_to(mark);
        let contradiction = contradiction?;
        let at_once = if depth > 0 && on { self.at_once(at, way) } else { None };
        let depth = if at_once.is_some() { 0 } else { depth };
        Some(at_once.unwrap_or(contradiction)).map(|contradiction| match (depth, contradiction) {
            (0, Contradiction::DeadEnd) => Justification::DEAD_END,
            (0, Contradiction::Touch) => Justification::TOUCH,
            (0, Contradiction::CutOff) => Justification::CUT_OFF,
            (0, Contradiction::Unfillable) => Justification::UNFILLABLE,
            (depth, _) => Justification::trial(u8::try_from(depth).unwrap_or(u8::MAX)),
        })
    }

    /// Looks whether an edge keeps a pair apart before anything follows from it.
    fn at_once(&mut self, at: GridIndex, way: usize) -> Option<Contradiction> {
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

    fn follow(
        &mut self,
        at: GridIndex,
        way: usize,
        on: bool,
        most: usize,
    ) -> Result<(), Contradiction> {
        let touching = if self.apart { TouchMode::Never } else { TouchMode::Allowed };
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
                if level.off_too {
                    candidates.push((at, way, false));
                }
            }
        }
    }
}
