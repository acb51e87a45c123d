//! What the solver knows of a drawing: hints, and the way on.

use crate::grid::Cell;
use crate::hint::{Budget, Unsolved};
use crate::numberlink::reason::{Checked, Known, LinkHint, Mistake, Step, check, hint};
use crate::numberlink::solve::{self, first};
use crate::numberlink::{Drawing, Rule, Stroke};
use serde::{Deserialize, Serialize};

/// The work that a hint's reasons may cost, and the check before them.
const REASON_BUDGET: Budget = Budget(50_000);
/// The work that the proof may cost that a puzzle has one solution, which makes reasons
/// easier.
const PROOF_BUDGET: Budget = Budget(100_000);

/// A solution that a drawing leads to.
///
/// It holds for every drawing of its puzzle: for one that has gone astray it says where. One
/// that gives reasons holds for the drawing alone that it was made for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guide {
    links: Vec<Vec<Cell>>,
    explained: Option<Explained>,
}

/// A hint that was thought out, and the links for which it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Explained {
    drawn: Vec<Vec<Cell>>,
    hint: LinkHint,
}

impl LinkHint {
    /// Returns the stroke that it comes down to on the drawing that it is about: back to
    /// where a link was right, or further on. Nothing where it is about another drawing.
    #[must_use]
    pub fn stroke(&self, drawing: &Drawing) -> Option<Stroke> {
        let cells = match self {
            Self::Wrong(Mistake { number, from }) => {
                let link = drawing.link(*number);
                let wrong = link.iter().position(|cell| cell == from)?;
                vec![*link.get(wrong.checked_sub(1)?)?]
            }
            Self::Forced(Step { cells, .. }) | Self::Reveal { cells, .. } => cells.clone(),
        };
        Some(Stroke::Draw(cells))
    }
}

impl Guide {
    /// Finds a solution with all that is drawn, or where there is none, any.
    ///
    /// # Errors
    /// [`Unsolved`] where the puzzle has no solution, or none within the budget.
    pub fn plan(drawing: &Drawing, budget: Budget) -> Result<Self, Unsolved> {
        let puzzle = drawing.puzzle();
        let solution = match check(puzzle, &drawn(drawing), &Known::Nothing, budget)? {
            Checked::Fine(solution) => solution,
            Checked::Wrong(_) => first(puzzle, Rule::of(puzzle), budget).solution?,
        };
        Ok(Self {
            links: solution.0,
            explained: None,
        })
    }

    /// Thinks out the hint for a drawing: what is wrong, else what is forced, and why.
    #[must_use]
    pub fn explain(self, drawing: &Drawing) -> Self {
        let known = Known::find(drawing.puzzle(), PROOF_BUDGET);
        let thought_out = hint(drawing, &known, REASON_BUDGET).ok();
        let explained = thought_out
            .or_else(|| self.next(drawing))
            .map(|hint| Explained {
                drawn: drawn(drawing),
                hint,
            });
        Self { explained, ..self }
    }

    /// Returns the hint for a drawing of the puzzle: what is wrong, or else the link of which
    /// the least is left. Nothing for a solved one.
    #[must_use]
    pub fn next(&self, drawing: &Drawing) -> Option<LinkHint> {
        if let Some(Explained { drawn, hint }) = &self.explained {
            return is_drawn(drawing, drawn).then(|| hint.clone());
        }
        self.fault(drawing).map(LinkHint::Wrong).or_else(|| {
            let numbers = (1u16..).zip(&self.links).map(|(number, _)| number);
            let rest = numbers.filter_map(|number| Some((number, self.rest(drawing, number)?)));
            let (number, cells) = rest.min_by_key(|(_, cells)| cells.len())?;
            Some(LinkHint::Reveal { number, cells })
        })
    }

    /// Says which drawn link leaves the solution, and where.
    #[must_use]
    pub fn fault(&self, drawing: &Drawing) -> Option<Mistake> {
        let mut numbers = (1u16..).zip(&self.links);
        numbers.find_map(|(number, link)| fault(drawing, number, link))
    }

    /// Returns what is left of a link that is right as far as it is drawn, from the end of
    /// what is drawn or from its first terminal; nothing where nothing is left.
    #[must_use]
    pub fn rest(&self, drawing: &Drawing, number: u16) -> Option<Vec<Cell>> {
        let link = self.links.get(usize::from(number).wrapping_sub(1))?;
        let link = begun_alike(drawing, number, link);
        let drawn = drawing.link(number).len();
        let cells = link.get(drawn.saturating_sub(1)..)?;
        (cells.len() > 1).then(|| cells.to_vec())
    }
}

impl From<solve::Unsolved> for Unsolved {
    fn from(why: solve::Unsolved) -> Self {
        match why {
            solve::Unsolved::Unsolvable => Self::Unsolvable,
            solve::Unsolved::OverBudget => Self::OverBudget,
        }
    }
}

fn drawn(drawing: &Drawing) -> Vec<Vec<Cell>> {
    let numbers = (1u16..).zip(drawing.puzzle().pairs());
    numbers
        .map(|(number, _)| drawing.link(number).to_vec())
        .collect()
}

fn is_drawn(drawing: &Drawing, links: &[Vec<Cell>]) -> bool {
    links.len() == drawing.puzzle().pairs().len()
        && (1u16..)
            .zip(links)
            .all(|(number, link)| drawing.link(number) == link)
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
    let right = drawn.iter().zip(&link).take_while(|(a, b)| a == b).count();
    let from = *drawn.get(right)?;
    Some(Mistake { number, from })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numberlink::samples::{Hand, any_hand};
    use crate::numberlink::{Mode, Puzzle, Touch, generate};
    use proptest::prelude::*;

    const PLENTY: Budget = Budget(1_000_000);

    fn drawing(size: &str, seed: u32) -> Drawing {
        let seed = format!("guide-{seed}").parse().unwrap();
        Drawing::new(generate(size.parse().unwrap(), Mode::Classic, &seed))
    }

    fn scribble(drawing: &mut Drawing, hands: &[Hand]) {
        for hand in hands {
            drawing.play(&hand.stroke(drawing)).ok(); // Chance may be wrong.
        }
    }

    /// Does as the hints say until nothing is left.
    fn follow(drawing: &mut Drawing, mut hint: impl FnMut(&Drawing) -> Option<LinkHint>) {
        for _ in 0..400 {
            let Some(hint) = hint(drawing) else {
                return;
            };
            let stroke = hint.stroke(drawing).unwrap();
            drawing.play(&stroke).unwrap();
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn whatever_was_drawn_a_guide_leads_home(
            seed in 0u32..1_000,
            hands in prop::collection::vec(any_hand(), 0..20),
        ) {
            let mut drawing = drawing("6x6", seed);
            scribble(&mut drawing, &hands);
            let guide = Guide::plan(&drawing, PLENTY).unwrap();
            follow(&mut drawing, |drawing| guide.next(drawing));
            prop_assert!(drawing.is_solved());
        }

        #[test]
        fn whatever_was_drawn_thought_out_hints_lead_home(
            seed in 0u32..1_000,
            hands in prop::collection::vec(any_hand(), 0..20),
        ) {
            let mut drawing = drawing("5x5", seed);
            scribble(&mut drawing, &hands);
            follow(&mut drawing, |drawing| {
                Guide::plan(drawing, PLENTY).unwrap().explain(drawing).next(drawing)
            });
            prop_assert!(drawing.is_solved());
        }
    }

    #[test]
    fn what_fits_another_solution_is_no_fault() {
        // 1 . .
        // . . .
        // . . 1
        let terminals = [(1, Cell(0)), (1, Cell(8))];
        let puzzle = Puzzle::new("3x3".parse().unwrap(), &terminals, &[], Touch::Free).unwrap();
        for begun in [[0, 1, 2, 5], [0, 3, 6, 7]] {
            let mut drawing = Drawing::new(puzzle.clone());
            drawing
                .play(&Stroke::Draw(begun.map(Cell).to_vec()))
                .unwrap();
            let guide = Guide::plan(&drawing, PLENTY).unwrap();
            assert_eq!(guide.fault(&drawing), None, "{begun:?}");
        }
        // Straight through the middle leaves cells to nobody.
        let mut drawing = Drawing::new(puzzle);
        drawing
            .play(&Stroke::Draw([0, 1, 4, 7, 8].map(Cell).to_vec()))
            .unwrap();
        let guide = Guide::plan(&drawing, PLENTY).unwrap().explain(&drawing);
        assert!(matches!(
            guide.next(&drawing),
            Some(LinkHint::Wrong(Mistake { number: 1, .. }))
        ));
    }

    #[test]
    fn a_thought_out_hint_is_for_its_own_drawing_alone() {
        let mut drawing = drawing("7x7", 1);
        let guide = Guide::plan(&drawing, PLENTY).unwrap().explain(&drawing);
        let hint = guide.next(&drawing).unwrap();
        let stroke = hint.stroke(&drawing).unwrap();
        drawing.play(&stroke).unwrap();
        assert_eq!(guide.next(&drawing), None);
    }

    #[test]
    fn most_hints_have_a_reason() {
        let (mut forced, mut all) = (0, 0);
        for seed in 0..8 {
            follow(&mut drawing("7x7", seed), |drawing| {
                let guide = Guide::plan(drawing, PLENTY).unwrap().explain(drawing);
                let hint = guide.next(drawing)?;
                all += 1;
                forced += usize::from(matches!(hint, LinkHint::Forced(_)));
                Some(hint)
            });
        }
        assert!(2 * forced > all, "{forced} of {all}");
    }
}
