//! Deduction after deduction, the easiest first.

use crate::puzzle::numberlink::Puzzle;
use crate::puzzle::numberlink::deduce::edges::{At, Sketch, ways};
use crate::puzzle::numberlink::deduce::justification::Why;
use crate::puzzle::numberlink::deduce::propagation::{Contradiction, Local, Touching};
use crate::puzzle::numberlink::deduce::regions::Regions;
use crate::puzzle::numberlink::deduce::touch_rule;
use crate::solver::hint::Budget;

/// A sketch, and what it takes to reason on it.
#[derive(Debug, Clone)]
pub(super) struct Reasoner {
    pub sketch: Sketch,
    apart: bool,
    regions: Regions,
    /// The cells looked at so far.
    pub nodes: u64,
    /// The rounds in which something followed from cells' own edges.
    pub rounds: u32,
    /// Where each level went on the last time.
    cursors: [usize; LEVELS.len()],
    candidates: Vec<(At, usize, bool)>,
}

/// What came of looking for the next deduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// An edge is known, for a reason that is no bookkeeping.
    Edge(Why),
    /// Nothing follows, at any level.
    Nothing,
    /// There is no solution.
    Impossible,
    /// The budget was spent.
    OverBudget,
}

/// What is tried: which edges, and how far it is followed.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// Only edges at the ends of links, or all.
    ends_only: bool,
    /// As many further edges may be switched on.
    limit: usize,
    /// That an edge is off is tried as well.
    off_too: bool,
}

/// The levels, from what a glance shows to what only patience does.
const LEVELS: [Level; 6] = [
    Level::new(true, 0, false),
    Level::new(false, 0, false),
    Level::new(true, 4, false),
    Level::new(false, 4, false),
    Level::new(false, 12, false),
    Level::new(false, 60, true),
];

impl Level {
    const fn new(ends_only: bool, limit: usize, off_too: bool) -> Self {
        Self { ends_only, limit, off_too }
    }
}

impl Reasoner {
    /// Begins with a puzzle; `apart` says that its links are known not to touch themselves.
    pub fn new(puzzle: &Puzzle, apart: bool) -> Self {
        Self {
            sketch: Sketch::new(puzzle),
            apart,
            regions: Regions::default(),
            nodes: 0,
            rounds: 0,
            cursors: [0; LEVELS.len()],
            candidates: Vec::new(),
        }
    }

    /// Draws everything that follows without looking further than a cell's neighbours.
    pub fn settle(&mut self) -> Result<(), Contradiction> {
        let touching = if self.apart { Touching::Later } else { Touching::Allowed };
        let limit = usize::MAX;
        let local = Local { touching, limit };
        self.rounds += local.rounds(&mut self.sketch, &mut self.nodes)?;
        Ok(())
    }

    /// Finds the next deduction, and draws what follows from it.
    pub fn find(&mut self, budget: Budget) -> Found {
        while let Some(at) = self.sketch.pop_later() {
            self.nodes += 1;
            match touch_rule::look(&mut self.sketch, at) {
                Ok(false) => {}
                Ok(true) => return self.drawn(Why::TOUCH),
                Err(_) => return Found::Impossible,
            }
        }
        for (level, what) in LEVELS.iter().enumerate() {
            self.list_candidates(*what);
            let count = self.candidates.len();
            for turn in 0..count {
                if self.nodes >= budget.0 {
                    return Found::OverBudget;
                }
                let at = (self.cursors[level] + turn) % count;
                let (at, way, on) = self.candidates[at];
                if let Some(why) = self.try_out(at, way, on, what.limit) {
                    self.cursors[level] = (self.cursors[level] + turn) % count;
                    return self.draw(at, way, !on, why);
                }
            }
        }
        Found::Nothing
    }

    /// Takes an edge for granted, and draws what follows.
    pub fn take(&mut self, at: At, way: usize, why: Why) -> Result<(), Contradiction> {
        if self.sketch.on[at] & 1 << way == 0 {
            if self.sketch.open[at] & 1 << way == 0 {
                return Err(Contradiction::DeadEnd);
            }
            self.sketch.switch_on(at, way, why)?;
        }
        self.settle()
    }

    /// Switches an edge for a reason, and draws what follows.
    fn draw(&mut self, at: At, way: usize, on: bool, why: Why) -> Found {
        if !on {
            self.sketch.switch_off(at, way, why);
        } else if self.sketch.switch_on(at, way, why).is_err() {
            return Found::Impossible;
        }
        self.drawn(why)
    }

    fn drawn(&mut self, why: Why) -> Found {
        match self.settle() {
            Ok(()) => Found::Edge(why),
            Err(_) => Found::Impossible,
        }
    }

    /// Tries what follows from an edge that is on or off; returns why it can't be.
    fn try_out(&mut self, at: At, way: usize, on: bool, limit: usize) -> Option<Why> {
        let mark = self.sketch.mark();
        let begun = self.sketch.switched + usize::from(on);
        let contradiction = self.follow(at, way, on, begun + limit).err();
        let depth = self.sketch.switched.saturating_sub(begun);
        self.sketch.back_to(mark);
        let contradiction = contradiction?;
        let at_once = if depth > 0 && on { self.at_once(at, way) } else { None };
        let depth = if at_once.is_some() { 0 } else { depth };
        Some(at_once.unwrap_or(contradiction)).map(|contradiction| match (depth, contradiction) {
            (0, Contradiction::DeadEnd) => Why::DEAD_END,
            (0, Contradiction::Touch) => Why::TOUCH,
            (0, Contradiction::CutOff) => Why::CUT_OFF,
            (0, Contradiction::Unfillable) => Why::UNFILLABLE,
            (depth, _) => Why::trial(u8::try_from(depth).unwrap_or(u8::MAX)),
        })
    }

    /// Looks whether an edge keeps a pair apart before anything follows from it.
    fn at_once(&mut self, at: At, way: usize) -> Option<Contradiction> {
        let mark = self.sketch.mark();
        let switched = self.sketch.switch_on(at, way, Why::GIVEN);
        for at in [at, self.sketch.next(at, way)] {
            if self.sketch.is_full(at) {
                for way in ways(self.sketch.unknown(at)) {
                    self.sketch.switch_off(at, way, Why::TAKEN);
                }
            }
        }
        let seen = self.regions.examine(&self.sketch, &mut self.nodes);
        self.sketch.back_to(mark);
        switched.map_err(Contradiction::from).and(seen).err()
    }

    fn follow(&mut self, at: At, way: usize, on: bool, most: usize) -> Result<(), Contradiction> {
        let touching = if self.apart { Touching::Never } else { Touching::Allowed };
        if on {
            self.sketch.switch_on(at, way, Why::GIVEN)?;
        } else {
            self.sketch.switch_off(at, way, Why::GIVEN);
        }
        let limit = most;
        Local { touching, limit }.follow(&mut self.sketch, &mut self.nodes)?;
        self.regions.examine(&self.sketch, &mut self.nodes)
    }

    fn list_candidates(&mut self, level: Level) {
        let Self { sketch, candidates, .. } = self;
        candidates.clear();
        if level.ends_only {
            for number in 0..sketch.pairs.len() {
                if !sketch.is_linked(number) {
                    for end in sketch.ends(number) {
                        candidates.extend(ways(sketch.unknown(end)).map(|way| (end, way, true)));
                    }
                }
            }
            return;
        }
        for at in sketch.places() {
            for way in ways(sketch.unknown(at) & 0b1100) {
                candidates.push((at, way, true));
                if level.off_too {
                    candidates.push((at, way, false));
                }
            }
        }
    }
}
