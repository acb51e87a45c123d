//! The next piece of a link whose oriented_link is forced.

use crate::puzzle::numberlink::deduce::edges::{GridIndex, ways};
use crate::puzzle::numberlink::deduce::engine::{Deduction, DeductionEngine};
use crate::puzzle::numberlink::deduce::justification::Justification;
use crate::puzzle::numberlink::deduce::lookahead::Lookahead;
use crate::puzzle::numberlink::deduce::propagation::Contradiction;
use crate::puzzle::numberlink::deduce::visible::VisibleBoard;
use crate::puzzle::numberlink::deduce::{ForcedSegment, Premise, Reason};
use crate::puzzle::numberlink::{Puzzle, Touch};
use crate::solver::budget::{Budget, NodesUsed};
use crate::util::grid::Cell;

/// Finds the next piece of a link that is forced by what is drawn, the easiest reason
/// first, at what is drawn rather than elsewhere. `links` are the drawn links in the order
/// of their numbers, each from the terminal where it was begun; one may be short of its
/// other terminal, or empty, and those at the end may be missing. Pieces that can be drawn
/// at once, from a terminal or on a link, come before all others, however hard.
///
/// A piece's reason shows on the board as it is drawn, at once or by a look a few steps ahead,
/// and the piece ends where that does. Only where no piece has such a reason it is one that
/// follows from what isn't drawn, and is said to.
///
/// Returns nothing where nothing is left to draw, where nothing is forced that could be
/// found within the budget, and where what is drawn is found to be wrong; whoever asks has
/// [checked](super::check) that before.
///
/// ```
/// use gridrace_shared::util::grid::Cell;
/// use gridrace_shared::solver::budget::Budget;
/// use gridrace_shared::puzzle::numberlink::deduce::{Premise, Reason, next_segment};
/// use gridrace_shared::puzzle::numberlink::{Puzzle, Touch};
/// // 1 . .
/// // . . 1
/// let puzzle = Puzzle::new("2x3".parse()?, &[(1, Cell(0)), (1, Cell(5))], &[], Touch::Free)?;
/// let step = next_segment(&puzzle, &[vec![Cell(0), Cell(3)]], Premise::Rules, Budget(1_000));
/// let step = step.ok_or("nothing is forced")?;
/// // The end in hand has one way out, and then come cells that a link can pass in one way only:
/// // the harder of these reasons is the piece's.
/// assert_eq!((step.number, step.reason), (Some(1), Reason::PassThrough));
/// assert_eq!(step.cells, [3, 4, 1, 2, 5].map(Cell));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn next_segment(
    puzzle: &Puzzle,
    links: &[Vec<Cell>],
    premise: Premise,
    budget: Budget,
) -> Option<ForcedSegment> {
    next_segment_counting(puzzle, links, premise, budget, &mut NodesUsed::default())
}

/// Does the same, and counts what it takes.
pub(super) fn next_segment_counting(
    puzzle: &Puzzle,
    links: &[Vec<Cell>],
    premise: Premise,
    budget: Budget,
    spent: &mut NodesUsed,
) -> Option<ForcedSegment> {
    let apart = premise == Premise::OneSolution || puzzle.touch() == Touch::Forbidden;
    let mut engine = DeductionEngine::new(puzzle, apart);
    engine.grid.draw(links).ok()?;
    let drawn = DrawnLinks::new(&engine);
    engine.settle().ok()?;
    if let Some(step) = drawn.in_sight(&engine) {
        return Some(step);
    }
    let mut ahead = Lookahead::new(drawn.seen.grid(), apart);
    let seen = drawn.ahead(&mut engine, &mut ahead, budget);
    spent.0 += ahead.nodes;
    let seen = seen.ok()?;
    let step = seen.or_else(|| drawn.far_off(&mut engine, budget));
    spent.0 += engine.nodes;
    step
}

/// What the player has drawn.
struct DrawnLinks {
    seen: VisibleBoard,
    /// For each number that isn't linked: the end of what is drawn and the terminal to be
    /// reached, and whether anything is drawn.
    ends: Vec<Option<([GridIndex; 2], bool)>>,
}

impl DrawnLinks {
    fn new(engine: &DeductionEngine) -> Self {
        let grid = &engine.grid;
        let ends = (0..grid.pairs.len()).map(|number| {
            let [one, other] = grid.ends(number);
            let [from, to] = grid.pairs[number];
            // The end that isn't a terminal is the one that the player has in hand.
            let ends = if other == to { [one, other] } else { [other, one] };
            let drawn = one != from || other != to;
            (!grid.is_linked(number)).then_some((ends, drawn))
        });
        Self { ends: ends.collect(), seen: VisibleBoard::new(grid) }
    }

    /// Returns the piece with the easiest reason that shows at a glance.
    fn in_sight(&self, engine: &DeductionEngine) -> Option<ForcedSegment> {
        let (why, number, begin) = self.at_an_end(engine, true)?;
        (why < Justification::TAKEN).then(|| self.shown(engine, number, begin, why))
    }

    /// Returns the piece that any deduction leads to, however long it takes.
    fn far_off(&self, engine: &mut DeductionEngine, budget: Budget) -> Option<ForcedSegment> {
        loop {
            if let Some(step) = self.unseen_at_an_end(engine, true) {
                return Some(step);
            }
            match engine.find(budget) {
                Deduction::Edge(_) => {}
                Deduction::Nothing | Deduction::OverBudget => {
                    let elsewhere = || self.apart_from_links(engine);
                    let other = self.unseen_at_an_end(engine, false);
                    return other.or_else(elsewhere);
                }
                Deduction::Impossible => return None,
            }
        }
    }

    /// Returns the piece with the easiest reason that a look ahead from what is drawn shows: at
    /// once, or else within a few steps.
    fn ahead(
        &self,
        engine: &mut DeductionEngine,
        ahead: &mut Lookahead,
        budget: Budget,
    ) -> Result<Option<ForcedSegment>, Contradiction> {
        for further in [false, true] {
            let mut easiest = None;
            for (number, end, drawn, is_hand) in self.ends() {
                if ahead.nodes >= budget.0 {
                    return Ok(None);
                }
                if (is_hand || !drawn)
                    && let Some((way, why)) = ahead.only_way(end, further)
                {
                    let found = (why, !drawn, number, end, way);
                    easiest = Some(easiest.map_or(found, |other| found.min(other)));
                }
            }
            if let Some((why, _, number, end, way)) = easiest {
                engine.take(end, way, why)?;
                return Ok(Some(self.shown(engine, number, (end, way), why)));
            }
        }
        Ok(None)
    }

    /// Returns the easiest piece that follows from what isn't drawn, at the end of what is
    /// drawn of its link, or at either terminal where nothing is; or else, at the other
    /// terminal of one that is drawn.
    fn unseen_at_an_end(&self, engine: &DeductionEngine, at_hand: bool) -> Option<ForcedSegment> {
        let (_, number, begin) = self.at_an_end(engine, at_hand)?;
        Some(self.unseen(engine, Some(number), begin))
    }

    /// Lists the ends of numbers that aren't linked: the number, the end, whether anything is
    /// drawn of the link, and whether it is the end that the player has in hand.
    fn ends(&self) -> impl Iterator<Item = (u16, GridIndex, bool, bool)> {
        let numbered = (1u16..).zip(&self.ends);
        let ends = numbered.filter_map(|(number, ends)| Some((number, (*ends)?)));
        ends.flat_map(|(number, ([hand, other], drawn))| {
            [(number, hand, drawn, true), (number, other, drawn, false)]
        })
    }

    /// Finds the end from which the next cell is known for the easiest reason.
    fn at_an_end(
        &self,
        engine: &DeductionEngine,
        at_hand: bool,
    ) -> Option<(Justification, u16, (GridIndex, usize))> {
        let new = self.ends().filter_map(|(number, end, drawn, is_hand)| {
            let way = ways(engine.grid.on[end] & !self.seen.drawn(end)).next()?;
            let why = self.why(engine, Some(number), &[end], way);
            let fits = at_hand == (is_hand || !drawn);
            fits.then_some((why, !drawn, number, end, way))
        });
        let (why, _, number, end, way) = new.min()?;
        Some((why, number, (end, way)))
    }

    /// Returns the first piece whose number isn't known yet.
    fn apart_from_links(&self, engine: &DeductionEngine) -> Option<ForcedSegment> {
        let grid = &engine.grid;
        let is_end = |&at: &GridIndex| grid.on[at].count_ones() == 1 && grid.label[at] == 0;
        let mut ends = grid.indices().filter(is_end);
        let end = ends.find(|&end| grid.on[end] & !self.seen.drawn(end) != 0)?;
        let way = ways(grid.on[end]).next()?;
        Some(self.unseen(engine, None, (end, way)))
    }

    /// Says why a piece that has come this far goes on: for an easy reason only where that
    /// shows.
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
        let seen = self.seen.why(piece, grid.next(at, way), number);
        seen.unwrap_or_else(|| grid.why(at, way).max(Justification::TAKEN))
    }

    /// Draws a piece whose reason to begin shows, as far as its cells have reasons that show at
    /// a glance; what begins at a corner ends where there is only a way out.
    fn shown(
        &self,
        engine: &DeductionEngine,
        number: u16,
        begin: (GridIndex, usize),
        first: Justification,
    ) -> ForcedSegment {
        self.piece(engine, Some(number), begin, first, |why, _| {
            why < Justification::TAKEN && !(first < why && why == Justification::ONLY_WAY_OUT)
        })
    }

    /// Draws a piece that follows from what isn't drawn, as far as nothing is harder to see.
    fn unseen(
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
        let step = self.piece(engine, number, begin, first, |_, hidden| hidden <= hardest);
        match number {
            Some(_) => ForcedSegment { reason: Reason::Follows, ..step },
            None => step,
        }
    }

    /// Follows a piece, for the reason `first` to begin with, as far as its oriented_link is known
    /// and its reasons are good enough: the one that shows, and the one that was deduced.
    fn piece(
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
            let new = grid.on[at] & !self.seen.drawn(at);
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
