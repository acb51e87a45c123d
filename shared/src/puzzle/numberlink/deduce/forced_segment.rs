//! The next forced segment of a link.

use crate::puzzle::numberlink::deduce::edge_grid::{EdgeGrid, GridIndex, ways};
use crate::puzzle::numberlink::deduce::engine::{Deduction, DeductionEngine};
use crate::puzzle::numberlink::deduce::explanation::Justification;
use crate::puzzle::numberlink::deduce::lookahead::Lookahead;
use crate::puzzle::numberlink::deduce::propagation::Contradiction;
use crate::puzzle::numberlink::deduce::{ForcedSegment, Premise, Reason};
use crate::puzzle::numberlink::{Puzzle, Touch};
use crate::solver::budget::{Budget, NodesUsed};
use crate::util::grid::Cell;

/// Finds the next segment of a link that the drawn links force, the easiest reason first. `links`
/// are the drawn links in the order of their numbers, each from the terminal where it starts;
/// links may be incomplete, empty, or missing at the end of the list. Segments that can be drawn
/// from a terminal or a link come before all others.
///
/// The reason of a segment is visible on the drawn board, at once or by a lookahead of a few
/// steps, and the segment ends where that does. Only if there is no such segment, one that follows
/// from undrawn deductions is returned and marked so.
///
/// Returns `None` when nothing is left to draw, when nothing forced is found within the budget,
/// and when the drawn links are found to be wrong; the caller has [checked](super::check) them
/// before. Adds the nodes used to `spent`.
///
/// ```
/// use gridrace_shared::util::grid::Cell;
/// use gridrace_shared::solver::budget::{Budget, NodesUsed};
/// use gridrace_shared::puzzle::numberlink::deduce::{Premise, Reason, next_segment};
/// use gridrace_shared::puzzle::numberlink::{Puzzle, Touch};
/// // 1 . .
/// // . . 1
/// let puzzle = Puzzle::new("2x3".parse()?, &[(1, Cell(0)), (1, Cell(5))], &[], Touch::Free)?;
/// let (drawn, spent) = ([vec![Cell(0), Cell(3)]], &mut NodesUsed::default());
/// let step = next_segment(&puzzle, &drawn, Premise::Rules, Budget(1_000), spent);
/// let step = step.ok_or("nothing is forced")?;
/// // The drawn end has one exit, and the cells after it can be passed in one way only: the
/// // harder of these reasons is the segment's.
/// assert_eq!((step.number, step.reason), (Some(1), Reason::PassThrough));
/// assert_eq!(step.cells, [3, 4, 1, 2, 5].map(Cell));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn next_segment(
    puzzle: &Puzzle,
    links: &[Vec<Cell>],
    premise: Premise,
    budget: Budget,
    spent: &mut NodesUsed,
) -> Option<ForcedSegment> {
    let no_touch = premise == Premise::OneSolution || puzzle.touch() == Touch::Forbidden;
    let mut engine = DeductionEngine::new(puzzle, no_touch);
    engine.grid.draw(links).ok()?;
    let drawn = DrawnLinks::new(&engine);
    engine.settle().ok()?;
    if let Some(step) = drawn.visible_segment(&engine) {
        return Some(step);
    }
    let mut ahead = Lookahead::new(&drawn.seen, no_touch);
    let seen = drawn.lookahead_segment(&mut engine, &mut ahead, budget);
    spent.0 += ahead.nodes;
    let seen = seen.ok()?;
    let step = seen.or_else(|| drawn.deduced_segment(&mut engine, budget));
    spent.0 += engine.nodes;
    step
}

struct DrawnLinks {
    /// The grid with the drawn links only.
    seen: EdgeGrid,
    /// For each number that is not linked: the drawn end and the terminal to be reached, and
    /// whether anything is drawn.
    ends: Vec<Option<([GridIndex; 2], bool)>>,
}

impl DrawnLinks {
    fn new(engine: &DeductionEngine) -> Self {
        let grid = &engine.grid;
        let ends = (0..grid.pairs.len()).map(|number| {
            let [one, other] = grid.ends(number);
            let [from, to] = grid.pairs[number];
            // The end that is not a terminal is the drawn one.
            let ends = if other == to { [one, other] } else { [other, one] };
            let drawn = one != from || other != to;
            (!grid.is_linked(number)).then_some((ends, drawn))
        });
        Self { ends: ends.collect(), seen: grid.clone() }
    }

    /// Returns the segment with the easiest reason that is visible without lookahead.
    fn visible_segment(&self, engine: &DeductionEngine) -> Option<ForcedSegment> {
        let (why, number, begin) = self.easiest_continuation(engine, true)?;
        (why < Justification::TAKEN).then(|| self.visible_segment_from(engine, number, begin, why))
    }

    fn deduced_segment(
        &self,
        engine: &mut DeductionEngine,
        budget: Budget,
    ) -> Option<ForcedSegment> {
        loop {
            if let Some(step) = self.hidden_segment_at_end(engine, true) {
                return Some(step);
            }
            match engine.deduce_next(budget) {
                Deduction::Edge(_) => {}
                Deduction::Nothing | Deduction::OverBudget => {
                    let elsewhere = || self.detached_segment(engine);
                    let other = self.hidden_segment_at_end(engine, false);
                    return other.or_else(elsewhere);
                }
                Deduction::Impossible => return None,
            }
        }
    }

    /// Returns the segment with the easiest reason that a lookahead shows: at once, or else within
    /// a few steps.
    fn lookahead_segment(
        &self,
        engine: &mut DeductionEngine,
        ahead: &mut Lookahead,
        budget: Budget,
    ) -> Result<Option<ForcedSegment>, Contradiction> {
        for further in [false, true] {
            let mut easiest = None;
            for (number, end, drawn, is_active_end) in self.ends() {
                if ahead.nodes >= budget.0 {
                    return Ok(None);
                }
                if (is_active_end || !drawn)
                    && let Some((way, why)) = ahead.only_way(end, further)
                {
                    let found = (why, !drawn, number, end, way);
                    easiest = Some(easiest.map_or(found, |other| found.min(other)));
                }
            }
            if let Some((why, _, number, end, way)) = easiest {
                engine.assume(end, way, why)?;
                return Ok(Some(self.visible_segment_from(engine, number, (end, way), why)));
            }
        }
        Ok(None)
    }

    /// Returns the easiest segment that follows from undrawn deductions: at the drawn end of its
    /// link, or at either terminal if nothing is drawn; or else at the other terminal.
    fn hidden_segment_at_end(
        &self,
        engine: &DeductionEngine,
        at_active_end: bool,
    ) -> Option<ForcedSegment> {
        let (_, number, begin) = self.easiest_continuation(engine, at_active_end)?;
        Some(self.hidden_segment(engine, Some(number), begin))
    }

    /// Returns the ends of unlinked numbers: the number, the end, whether anything is drawn, and
    /// whether it is the drawn end.
    fn ends(&self) -> impl Iterator<Item = (u16, GridIndex, bool, bool)> {
        let numbered = (1u16..).zip(&self.ends);
        let ends = numbered.filter_map(|(number, ends)| Some((number, (*ends)?)));
        ends.flat_map(|(number, ([active, other], drawn))| {
            [(number, active, drawn, true), (number, other, drawn, false)]
        })
    }

    /// Finds the end at which the next cell is known for the easiest reason.
    fn easiest_continuation(
        &self,
        engine: &DeductionEngine,
        at_active_end: bool,
    ) -> Option<(Justification, u16, (GridIndex, usize))> {
        let new = self.ends().filter_map(|(number, end, drawn, is_active_end)| {
            let way = ways(engine.grid.on[end] & !self.seen.on[end]).next()?;
            let why = self.why(engine, Some(number), &[end], way);
            let fits = at_active_end == (is_active_end || !drawn);
            fits.then_some((why, !drawn, number, end, way))
        });
        let (why, _, number, end, way) = new.min()?;
        Some((why, number, (end, way)))
    }

    fn detached_segment(&self, engine: &DeductionEngine) -> Option<ForcedSegment> {
        let grid = &engine.grid;
        let is_end = |&at: &GridIndex| grid.on[at].count_ones() == 1 && grid.label[at] == 0;
        let mut ends = grid.indices().filter(is_end);
        let end = ends.find(|&end| grid.on[end] & !self.seen.on[end] != 0)?;
        let way = ways(grid.on[end]).next()?;
        Some(self.hidden_segment(engine, None, (end, way)))
    }

    /// Returns the reason why a segment continues; an easy one only if it is visible.
    fn why(
        &self,
        engine: &DeductionEngine,
        number: Option<u16>,
        piece: &[GridIndex],
        way: usize,
    ) -> Justification {
        let grid = &engine.grid;
        let Some((number, &at)) = number.zip(piece.last()) else {
            return piece.last().map_or(Justification::HARDEST, |&at| grid.why(at, way));
        };
        let seen = self.seen.visible_reason(piece, grid.next(at, way), number);
        seen.unwrap_or_else(|| grid.why(at, way).max(Justification::TAKEN))
    }

    /// Traces a segment with a visible reason as long as its cells have reasons that are visible
    /// at once; one that starts at a corner ends at a forced exit.
    fn visible_segment_from(
        &self,
        engine: &DeductionEngine,
        number: u16,
        begin: (GridIndex, usize),
        first: Justification,
    ) -> ForcedSegment {
        self.trace_segment(engine, Some(number), begin, first, |why, _| {
            why < Justification::TAKEN && !(first < why && why == Justification::ONLY_WAY_OUT)
        })
    }

    /// Traces a segment that follows from undrawn deductions as long as nothing is harder to see.
    fn hidden_segment(
        &self,
        engine: &DeductionEngine,
        number: Option<u16>,
        begin: (GridIndex, usize),
    ) -> ForcedSegment {
        let hardest = match number {
            Some(_) => engine.grid.why(begin.0, begin.1).max(Justification::TAKEN),
            None => Justification::HARDEST,
        };
        let first = self.why(engine, number, &[begin.0], begin.1);
        let step = self.trace_segment(engine, number, begin, first, |_, hidden| hidden <= hardest);
        match number {
            Some(_) => ForcedSegment { reason: Reason::Follows, ..step },
            None => step,
        }
    }

    /// Traces a segment that starts for the reason `first`, as long as its cells are known and
    /// `goes_on` accepts the visible and the deduced reason.
    fn trace_segment(
        &self,
        engine: &DeductionEngine,
        number: Option<u16>,
        (end, mut way): (GridIndex, usize),
        first: Justification,
        goes_on: impl Fn(Justification, Justification) -> bool,
    ) -> ForcedSegment {
        let grid = &engine.grid;
        let mut piece = vec![end];
        let (mut at, mut reason) = (end, first);
        loop {
            at = grid.next(at, way);
            piece.push(at);
            let new = grid.on[at] & !self.seen.on[at];
            let Some(ahead) = ways(new).find(|next| *next != way ^ 2) else {
                break;
            };
            let why = self.why(engine, number, &piece, ahead);
            if !goes_on(why, grid.why(at, ahead)) {
                break;
            }
            reason = reason.max(why);
            way = ahead;
        }
        ForcedSegment {
            number,
            cells: piece.into_iter().map(|at| grid.cell(at)).collect(),
            reason: reason.reason(),
        }
    }
}
