//! The solver's plan for a drawing: hints, and the next strokes.

use crate::puzzle::hint_style::HintStyle;
use crate::puzzle::numberlink::deduce::{
    DrawingCheck, KnownSolution, LinkHint, Mistake, REVEALED_CELLS, check, common_cells, next_hint,
    oriented_link,
};
use crate::puzzle::numberlink::solve::first;
use crate::puzzle::numberlink::{Drawing, Puzzle, Rule, Solution};
use crate::solver::budget::{Budget, NodesUsed, Unsolved};
use crate::util::grid::Cell;
use serde::{Deserialize, Serialize};

/// The work that a hint's reasons may cost.
const REASON_BUDGET: Budget = Budget(50_000);
/// The cells of a link that a hint by method reveals where it finds no reason: one to go on from.
const METHOD_REVEALED_CELLS: usize = 1;
/// The work that it may cost to find out about a board that wasn't made of a seed: at most
/// some 100 ms for the proof, and as much for a solution.
pub const KNOWN_BUDGET: Budget = Budget(3_000_000);

/// A solution that a drawing leads to.
///
/// It holds for every drawing of its puzzle: for one that has gone astray it says where. One
/// that gives reasons holds for the drawing alone that it was made for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkPlan {
    links: Solution,
    basis: Basis,
    explained: Option<Explained>,
}

/// What is known of a solution, and of the drawing for which it was looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Basis {
    /// It is the only one, even if cells may stay empty.
    OneSolution,
    OneFull,
    /// It extends the drawing; there may be others.
    Fits,
    /// No solution extends the drawing, because of this.
    Astray(Mistake),
    /// It doesn't extend the drawing, and it is unknown whether another one does.
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

impl LinkPlan {
    /// Takes the known solution if it is the only one or extends the drawing. Otherwise finds one
    /// that extends the drawing; if there is none, or the budget is spent before that is known, takes
    /// any: the budget is for that question alone. Adds the nodes used to `spent`.
    ///
    /// # Errors
    /// [`Unsolved`] if the puzzle has no solution, or none was found in [`KNOWN_BUDGET`].
    pub fn plan(
        drawing: &Drawing,
        known: &KnownSolution,
        budget: Budget,
        spent: &mut NodesUsed,
    ) -> Result<Self, Unsolved> {
        let (puzzle, nothing) = (drawing.puzzle(), &KnownSolution::Nothing);
        let any = match known {
            KnownSolution::OneSolution(one) => {
                return Ok(Self::new(one.clone(), Basis::OneSolution));
            }
            KnownSolution::OneFull(one) => return Ok(Self::new(one.clone(), Basis::OneFull)),
            KnownSolution::Solution(solution) => solution.clone(),
            KnownSolution::Nothing => match any(puzzle, spent) {
                Ok(solution) => solution,
                Err(Unsolved::Unsolvable) => return Err(Unsolved::Unsolvable),
                // What is drawn may leave less to be found.
                Err(Unsolved::OverBudget) => {
                    return match check(puzzle, drawing.links(), nothing, budget, spent)? {
                        DrawingCheck::Consistent(solution) => Ok(Self::new(solution, Basis::Fits)),
                        DrawingCheck::Wrong(_) => Err(Unsolved::OverBudget),
                    };
                }
            },
        };
        let any = Self::new(any, Basis::Fits);
        if any.mistake(drawing).is_none() {
            return Ok(any);
        }
        Ok(match check(puzzle, drawing.links(), nothing, budget, spent) {
            Ok(DrawingCheck::Consistent(solution)) => Self::new(solution, Basis::Fits),
            Ok(DrawingCheck::Wrong(mistake)) => Self { basis: Basis::Astray(mistake), ..any },
            Err(_) => Self { basis: Basis::Undecided, ..any },
        })
    }

    /// Returns what the plan knows of the puzzle's solutions; saves later plans work.
    pub fn known(&self) -> KnownSolution {
        let solution = self.links.clone();
        match self.basis {
            Basis::OneSolution => KnownSolution::OneSolution(solution),
            Basis::OneFull => KnownSolution::OneFull(solution),
            Basis::Fits | Basis::Astray(_) | Basis::Undecided => KnownSolution::Solution(solution),
        }
    }

    const fn new(links: Solution, basis: Basis) -> Self {
        Self { links, basis, explained: None }
    }

    /// Thinks out the hint for the drawing of the plan: what is wrong, else what is forced,
    /// and why. Where nothing forced is found, the hint shows the next cells of the solution: by
    /// method only one, from where deductions may go on. Counts what it takes.
    #[must_use]
    pub fn explain(self, drawing: &Drawing, style: HintStyle, spent: &mut NodesUsed) -> Self {
        let mut explained = self.think(drawing, spent).or_else(|| self.next(drawing));
        if let (HintStyle::Method, Some(LinkHint::Reveal { cells, .. })) = (style, &mut explained) {
            cells.truncate(1 + METHOD_REVEALED_CELLS);
        }
        let explained = explained.map(|hint| Explained { drawn: drawing.links().to_vec(), hint });
        Self { explained, ..self }
    }

    fn think(&self, drawing: &Drawing, spent: &mut NodesUsed) -> Option<LinkHint> {
        let (puzzle, known) = (drawing.puzzle(), self.known());
        match self.basis {
            Basis::OneSolution | Basis::OneFull => {
                match check(puzzle, drawing.links(), &known, REASON_BUDGET, spent).ok()? {
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
            return (drawing.links() == drawn).then(|| hint.clone());
        }
        let is_sure = self.basis != Basis::Undecided;
        if is_sure && let Some(mistake) = self.mistake(drawing) {
            return Some(LinkHint::Wrong(mistake));
        }
        let numbers = (1u16..).take(self.links.0.len());
        let ahead = numbers.filter_map(|number| Some((number, self.ahead(drawing, number)?)));
        let (number, (_, mut cells)) =
            ahead.min_by_key(|(_, (leaves, cells))| (*leaves, cells.len()))?;
        if !is_sure {
            cells.truncate(1 + REVEALED_CELLS);
        }
        Some(LinkHint::Reveal { number, cells })
    }

    /// Returns the first drawn link that leaves the solution, and where.
    pub fn mistake(&self, drawing: &Drawing) -> Option<Mistake> {
        self.mistakes(drawing).next()
    }

    fn mistakes(&self, drawing: &Drawing) -> impl Iterator<Item = Mistake> {
        (1u16..).zip(drawing.links()).filter_map(|(number, drawn)| {
            let link = oriented_link(&self.links, usize::from(number) - 1, drawn.first());
            let from = *drawn.get(common_cells(drawn, &link))?;
            Some(Mistake { number, from })
        })
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
        let drawn = drawing.link(number);
        let link = oriented_link(&self.links, usize::from(number).wrapping_sub(1), drawn.first());
        let right = common_cells(drawn, &link);
        let cells = link.get(right.saturating_sub(1)..)?;
        (cells.len() > 1).then(|| (right < drawn.len(), cells.to_vec()))
    }
}

#[cfg(test)]
mod tests;
