//! What the solver knows of a drawing: hints, and the way on.

use crate::puzzle::numberlink::deduce::{
    DrawingCheck, ForcedSegment, KnownSolution, LinkHint, Mistake, REVEALED_CELLS, check_counting,
    next_hint,
};
use crate::puzzle::numberlink::solve::first;
use crate::puzzle::numberlink::{Drawing, Puzzle, Rule, Solution, Stroke};
use crate::solver::budget::{Budget, NodesUsed, Unsolved};
use crate::util::grid::Cell;
use serde::{Deserialize, Serialize};

/// The work that a hint's reasons may cost.
const REASON_BUDGET: Budget = Budget(50_000);
/// The work that it may cost to find out about a board that wasn't made of a seed: at most
/// some 100 ms for the proof, and as much for a solution.
pub const KNOWN_BUDGET: Budget = Budget(3_000_000);

/// A solution that a drawing leads to.
///
/// It holds for every drawing of its puzzle: for one that has gone astray it says where. One
/// that gives reasons holds for the drawing alone that it was made for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkPlan {
    links: Vec<Vec<Cell>>,
    basis: Basis,
    explained: Option<Explained>,
}

/// What is known of a solution, and of the drawing for which it was looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Basis {
    /// It is the only one, even if cells may stay empty.
    OneSolution,
    /// It is the only one that wins.
    OneFull,
    /// It extends the drawing; there may be others.
    Fits,
    /// No solution extends the drawing, because of this.
    Astray(Mistake),
    /// It doesn't extend the drawing, and nobody knows whether another one does.
    Undecided,
}

/// A hint that was thought out, and the links for which it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Explained {
    drawn: Vec<Vec<Cell>>,
    hint: LinkHint,
}

/// Looks for any solution of a puzzle.
fn any(puzzle: &Puzzle, spent: &mut NodesUsed) -> Result<Solution, Unsolved> {
    let found = first(puzzle, Rule::of(puzzle), KNOWN_BUDGET);
    spent.0 += found.nodes;
    found.solution
}

impl LinkHint {
    /// Returns the stroke that it comes down to on the drawing that it is about: back to
    /// where a link was right, or further on. Nothing where it is about another drawing.
    pub fn stroke(&self, drawing: &Drawing) -> Option<Stroke> {
        let cells = match self {
            Self::Wrong(Mistake { number, from }) => {
                let link = drawing.link(*number);
                let wrong = link.iter().position(|cell| cell == from)?;
                vec![*link.get(wrong.checked_sub(1)?)?]
            }
            Self::Forced(ForcedSegment { cells, .. }) | Self::Reveal { cells, .. } => cells.clone(),
        };
        Some(Stroke::Draw(cells))
    }
}

impl LinkPlan {
    /// Takes the solution that is known, if it is the only one or has all that is drawn. Else
    /// finds one that has, or where there is none, any. Where the budget is spent before it
    /// is known whether there is one, any has to do, too: the budget is for that question
    /// alone.
    ///
    /// # Errors
    /// [`Unsolved`] where the puzzle has no solution, or none was found in [`KNOWN_BUDGET`].
    pub fn plan(
        drawing: &Drawing,
        known: &KnownSolution,
        budget: Budget,
    ) -> Result<Self, Unsolved> {
        Self::plan_counting(drawing, known, budget, &mut NodesUsed::default())
    }

    /// Does the same, and counts what it takes.
    ///
    /// # Errors
    /// Those of [`LinkPlan::plan`].
    pub fn plan_counting(
        drawing: &Drawing,
        known: &KnownSolution,
        budget: Budget,
        spent: &mut NodesUsed,
    ) -> Result<Self, Unsolved> {
        let (puzzle, drawn) = (drawing.puzzle(), drawn(drawing));
        let any = match known {
            KnownSolution::OneSolution(one) => {
                return Ok(Self::new(one.0.clone(), Basis::OneSolution));
            }
            KnownSolution::OneFull(one) => return Ok(Self::new(one.0.clone(), Basis::OneFull)),
            KnownSolution::Solution(solution) => solution.clone(),
            KnownSolution::Nothing => match any(puzzle, spent) {
                Ok(solution) => solution,
                Err(Unsolved::Unsolvable) => return Err(Unsolved::Unsolvable),
                // What is drawn may leave less to be found.
                Err(Unsolved::OverBudget) => {
                    return match check_counting(
                        puzzle,
                        &drawn,
                        &KnownSolution::Nothing,
                        budget,
                        spent,
                    )? {
                        DrawingCheck::Consistent(solution) => {
                            Ok(Self::new(solution.0, Basis::Fits))
                        }
                        DrawingCheck::Wrong(_) => Err(Unsolved::OverBudget),
                    };
                }
            },
        };
        let any = Self::new(any.0, Basis::Fits);
        if any.fault(drawing).is_none() {
            return Ok(any);
        }
        Ok(match check_counting(puzzle, &drawn, &KnownSolution::Nothing, budget, spent) {
            Ok(DrawingCheck::Consistent(solution)) => Self::new(solution.0, Basis::Fits),
            Ok(DrawingCheck::Wrong(mistake)) => Self::new(any.links, Basis::Astray(mistake)),
            Err(_) => Self::new(any.links, Basis::Undecided),
        })
    }

    /// Returns what is known of the puzzle once this guide is: whoever plans again needn't
    /// look for it.
    pub fn known(&self) -> KnownSolution {
        let solution = Solution(self.links.clone());
        match self.basis {
            Basis::OneSolution => KnownSolution::OneSolution(solution),
            Basis::OneFull => KnownSolution::OneFull(solution),
            Basis::Fits | Basis::Astray(_) | Basis::Undecided => KnownSolution::Solution(solution),
        }
    }

    const fn new(links: Vec<Vec<Cell>>, basis: Basis) -> Self {
        Self { links, basis, explained: None }
    }

    /// Thinks out the hint for the drawing of the plan: what is wrong, else what is forced,
    /// and why. Counts what it takes.
    #[must_use]
    pub fn explain(self, drawing: &Drawing, spent: &mut NodesUsed) -> Self {
        let explained = self.think(drawing, spent).or_else(|| self.next(drawing));
        let explained = explained.map(|hint| Explained { drawn: drawn(drawing), hint });
        Self { explained, ..self }
    }

    fn think(&self, drawing: &Drawing, spent: &mut NodesUsed) -> Option<LinkHint> {
        let (puzzle, drawn) = (drawing.puzzle(), drawn(drawing));
        let known = self.known();
        match self.basis {
            Basis::OneSolution | Basis::OneFull => {
                match check_counting(puzzle, &drawn, &known, REASON_BUDGET, spent).ok()? {
                    DrawingCheck::Wrong(mistake) => return Some(LinkHint::Wrong(mistake)),
                    DrawingCheck::Consistent(_) => {}
                }
            }
            Basis::Fits => {}
            Basis::Astray(mistake) => return Some(LinkHint::Wrong(mistake)),
            Basis::Undecided => return None,
        }
        let (solution, premise) = (known.solution()?, known.premise());
        next_hint(drawing, solution, premise, REASON_BUDGET, spent)
    }

    /// Returns the hint for a drawing of the puzzle: what is wrong, or else the link of which
    /// the least is left. Nothing for a solved one.
    ///
    /// Where it isn't known whether what leaves the solution is wrong, the hint is how the
    /// solution goes on: of links that don't leave it first, then from where one does.
    pub fn next(&self, drawing: &Drawing) -> Option<LinkHint> {
        if let Some(Explained { drawn, hint }) = &self.explained {
            return is_drawn(drawing, drawn).then(|| hint.clone());
        }
        let is_sure = self.basis != Basis::Undecided;
        if is_sure && let Some(mistake) = self.fault(drawing) {
            return Some(LinkHint::Wrong(mistake));
        }
        let numbers = (1u16..).zip(&self.links).map(|(number, _)| number);
        let ahead = numbers.filter_map(|number| Some((number, self.ahead(drawing, number)?)));
        let (number, (_, mut cells)) =
            ahead.min_by_key(|(_, (leaves, cells))| (*leaves, cells.len()))?;
        if !is_sure {
            cells.truncate(1 + REVEALED_CELLS);
        }
        Some(LinkHint::Reveal { number, cells })
    }

    /// Says which drawn link leaves the solution, and where.
    pub fn fault(&self, drawing: &Drawing) -> Option<Mistake> {
        let mut numbers = (1u16..).zip(&self.links);
        numbers.find_map(|(number, link)| fault(drawing, number, link))
    }

    /// Returns what is left of a link that is right as far as it is drawn, from the end of
    /// what is drawn or from its first terminal; nothing where nothing is left.
    pub fn rest(&self, drawing: &Drawing, number: u16) -> Option<Vec<Cell>> {
        let (leaves, cells) = self.ahead(drawing, number)?;
        (!leaves).then_some(cells)
    }

    /// Says whether a drawn link leaves the solution, and how it goes on there from the last
    /// cell that is drawn alike; nothing where nothing is left.
    fn ahead(&self, drawing: &Drawing, number: u16) -> Option<(bool, Vec<Cell>)> {
        let link = self.links.get(usize::from(number).wrapping_sub(1))?;
        let link = begun_alike(drawing, number, link);
        let drawn = drawing.link(number);
        let right = alike(drawn, &link);
        let cells = link.get(right.saturating_sub(1)..)?;
        (cells.len() > 1).then(|| (right < drawn.len(), cells.to_vec()))
    }
}

fn drawn(drawing: &Drawing) -> Vec<Vec<Cell>> {
    let numbers = (1u16..).zip(drawing.puzzle().pairs());
    numbers.map(|(number, _)| drawing.link(number).to_vec()).collect()
}

fn is_drawn(drawing: &Drawing, links: &[Vec<Cell>]) -> bool {
    links.len() == drawing.puzzle().pairs().len()
        && (1u16..).zip(links).all(|(number, link)| drawing.link(number) == link)
}

/// Turns a solution's link around where the drawn one begins at its other end.
fn begun_alike(drawing: &Drawing, number: u16, link: &[Cell]) -> Vec<Cell> {
    let mut link = link.to_vec();
    let begun = drawing.link(number).first();
    if begun.is_some() && begun != link.first() {
        link.reverse();
    }
    link
}

/// Says where a drawn link leaves a solution's.
fn fault(drawing: &Drawing, number: u16, link: &[Cell]) -> Option<Mistake> {
    let link = begun_alike(drawing, number, link);
    let drawn = drawing.link(number);
    let from = *drawn.get(alike(drawn, &link))?;
    Some(Mistake { number, from })
}

/// Counts the cells that two links have alike before they part.
fn alike(one: &[Cell], other: &[Cell]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests;
