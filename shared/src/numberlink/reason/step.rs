//! The next piece of a link whose course is forced.

use crate::grid::Cell;
use crate::hint::Budget;
use crate::numberlink::reason::reasoner::{Found, Reasoner};
use crate::numberlink::reason::seen::Seen;
use crate::numberlink::reason::sketch::{At, ways};
use crate::numberlink::reason::why::Why;
use crate::numberlink::reason::{Premise, Step};
use crate::numberlink::{Puzzle, Touch};

/// Finds the next piece of a link that is forced by what is drawn, the easiest reason
/// first, at what is drawn rather than elsewhere. `links` are the drawn links in the order
/// of their numbers, each from the terminal where it was begun; one may be short of its
/// other terminal, or empty, and those at the end may be missing. Pieces that can be drawn
/// at once, from a terminal or on a link, come before all others, however hard.
///
/// Of the easy reasons a piece has one that shows on the board as it is drawn, and ends where
/// that does, or it is said to follow from what isn't drawn.
///
/// Returns nothing where nothing is left to draw, where nothing is forced that could be
/// found within the budget, and where what is drawn is found to be wrong; whoever asks has
/// [checked](super::check) that before.
///
/// ```
/// use gridrace_shared::grid::Cell;
/// use gridrace_shared::hint::Budget;
/// use gridrace_shared::numberlink::reason::{Premise, Reason, next_step};
/// use gridrace_shared::numberlink::{Puzzle, Touch};
/// // 1 . .
/// // . . 1
/// let puzzle = Puzzle::new("2x3".parse()?, &[(1, Cell(0)), (1, Cell(5))], &[], Touch::Free)?;
/// let step = next_step(&puzzle, &[vec![Cell(0), Cell(3)]], Premise::Rules, Budget(1_000));
/// let step = step.ok_or("nothing is forced")?;
/// assert_eq!((step.number, step.reason), (Some(1), Reason::OnlyWayOut));
/// assert_eq!(step.cells, [3, 4].map(Cell));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn next_step(
    puzzle: &Puzzle,
    links: &[Vec<Cell>],
    premise: Premise,
    budget: Budget,
) -> Option<Step> {
    let apart = premise == Premise::OneSolution || puzzle.touch() == Touch::Forbidden;
    let mut reasoner = Reasoner::new(puzzle, apart);
    reasoner.sketch.draw(links).ok()?;
    let drawn = Drawn::new(&reasoner);
    reasoner.settle().ok()?;
    loop {
        if let Some(step) = drawn.easiest(&reasoner) {
            return Some(step);
        }
        match reasoner.find(budget) {
            Found::Edge(_) => {}
            Found::Nothing | Found::OverBudget => {
                let elsewhere = || drawn.apart_from_links(&reasoner);
                return drawn.at_the_other_end(&reasoner).or_else(elsewhere);
            }
            Found::Impossible => return None,
        }
    }
}

/// What the player has drawn.
struct Drawn {
    seen: Seen,
    /// For each number that isn't linked: the end of what is drawn and the terminal to be
    /// reached, and whether anything is drawn.
    ends: Vec<Option<([At; 2], bool)>>,
}

impl Drawn {
    fn new(reasoner: &Reasoner) -> Self {
        let sketch = &reasoner.sketch;
        let ends = (0..sketch.pairs.len()).map(|number| {
            let [one, other] = sketch.ends(number);
            let [from, to] = sketch.pairs[number];
            // The end that isn't a terminal is the one that the player has in hand.
            let ends = if other == to {
                [one, other]
            } else {
                [other, one]
            };
            let drawn = one != from || other != to;
            (!sketch.is_linked(number)).then_some((ends, drawn))
        });
        Self {
            ends: ends.collect(),
            seen: Seen::new(sketch),
        }
    }

    /// Returns the easiest piece that can be drawn from what is drawn: at the end of what
    /// is drawn of its link, or at either terminal where nothing is.
    fn easiest(&self, reasoner: &Reasoner) -> Option<Step> {
        self.at_an_end(reasoner, |drawn, is_hand| is_hand || !drawn)
    }

    /// Returns the easiest piece at a terminal of a link that is drawn from the other one.
    fn at_the_other_end(&self, reasoner: &Reasoner) -> Option<Step> {
        self.at_an_end(reasoner, |drawn, is_hand| drawn && !is_hand)
    }

    fn at_an_end(&self, reasoner: &Reasoner, fits: impl Fn(bool, bool) -> bool) -> Option<Step> {
        let numbered = (1u16..).zip(&self.ends);
        let ends = numbered.filter_map(|(number, ends)| Some((number, (*ends)?)));
        let ends = ends.flat_map(|(number, ([hand, other], drawn))| {
            [(number, hand, drawn, true), (number, other, drawn, false)]
        });
        let new = ends.filter_map(|(number, end, drawn, is_hand)| {
            let way = ways(reasoner.sketch.on[end] & !self.seen.drawn(end)).next()?;
            let why = self.why(reasoner, Some(number), &[end], way);
            fits(drawn, is_hand).then_some((why, !drawn, number, end, way))
        });
        let (why, _, number, end, way) = new.min()?;
        Some(self.piece(reasoner, Some(number), (end, way), why))
    }

    /// Returns the first piece whose number isn't known yet.
    fn apart_from_links(&self, reasoner: &Reasoner) -> Option<Step> {
        let sketch = &reasoner.sketch;
        let is_end = |&at: &At| sketch.on[at].count_ones() == 1 && sketch.label[at] == 0;
        let mut ends = sketch.places().filter(is_end);
        let end = ends.find(|&end| sketch.on[end] & !self.seen.drawn(end) != 0)?;
        let way = ways(sketch.on[end]).next()?;
        Some(self.piece(reasoner, None, (end, way), Why::HARDEST))
    }

    /// Says why a piece that has come this far goes on: for an easy reason only where that
    /// shows.
    fn why(&self, reasoner: &Reasoner, number: Option<u16>, piece: &[At], way: usize) -> Why {
        let sketch = &reasoner.sketch;
        let Some((number, &at)) = number.zip(piece.last()) else {
            return piece.last().map_or(Why::HARDEST, |&at| sketch.why(at, way));
        };
        let seen = self.seen.why(piece, sketch.next(at, way), number);
        seen.unwrap_or_else(|| sketch.why(at, way).max(Why::TAKEN))
    }

    /// Follows a piece as far as no reason is harder, and nothing of it is drawn; one whose
    /// reason shows, as far as it does.
    fn piece(
        &self,
        reasoner: &Reasoner,
        number: Option<u16>,
        (end, mut way): (At, usize),
        hardest: Why,
    ) -> Step {
        let sketch = &reasoner.sketch;
        let mut piece = vec![end];
        let first = self.why(reasoner, number, &piece, way);
        let hardest = hardest.max(sketch.why(end, way));
        let mut reason = first;
        let mut at = end;
        loop {
            at = sketch.next(at, way);
            piece.push(at);
            let new = sketch.on[at] & !self.seen.drawn(at);
            let Some(ahead) = ways(new).find(|next| *next != way ^ 2) else {
                break;
            };
            let why = self.why(reasoner, number, &piece, ahead);
            let shows = why < Why::TAKEN && !(first < why && why == Why::ONLY_WAY_OUT);
            let goes_on = sketch.why(at, ahead) <= hardest && (first >= Why::TAKEN || shows);
            if number.is_some() && !goes_on || number.is_none() && why > hardest {
                break;
            }
            reason = reason.max(why);
            way = ahead;
        }
        Step {
            number,
            cells: piece.into_iter().map(|at| sketch.cell(at)).collect(),
            reason: reason.reason(),
        }
    }
}
