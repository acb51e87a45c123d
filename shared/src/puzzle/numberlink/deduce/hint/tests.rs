use super::*;
use crate::puzzle::family::Family;
use crate::puzzle::hint_style::HintStyle;
use crate::puzzle::numberlink::deduce::samples::{puzzle, random_puzzle, test_rng};
use crate::puzzle::numberlink::deduce::{DrawingCheck, KnownSolution, Reason, check};
use crate::puzzle::numberlink::tests::samples::{RandomStroke, any_random_stroke, solutions};
use crate::puzzle::numberlink::{Link, LinkPlan, LinkSpec, Mode, Puzzle, Rule, Square};
use crate::solver::budget::Unsolved;
use proptest::prelude::*;

const BUDGET: Budget = Budget(200_000);

fn hint(drawing: &Drawing, known: &KnownSolution) -> LinkHint {
    let spent = &mut NodesUsed::default();
    let plan = LinkPlan::plan(drawing, known, BUDGET, spent).unwrap();
    plan.explain(drawing, HintStyle::Shortest, spent).next(drawing).unwrap()
}

fn checked(drawing: &Drawing, known: &KnownSolution) -> Result<DrawingCheck, Unsolved> {
    let (puzzle, links) = (drawing.puzzle(), drawing.links());
    check(puzzle, links, known, BUDGET, &mut NodesUsed::default())
}

/// Returns whether some solution has links that start like these.
fn some_extends(all: &[Solution], links: &[Vec<Cell>]) -> bool {
    all.iter().any(|solution| {
        links.iter().enumerate().all(|(number, link)| {
            let Some(first) = link.first() else {
                return true;
            };
            oriented_link(solution, number, Some(first)).starts_with(link)
        })
    })
}

/// Any puzzle with a solution, with random strokes.
fn any_scribble() -> impl Strategy<Value = Drawing> {
    let random_strokes = prop::collection::vec(any_random_stroke(), 0..8);
    (0..5_000u32, 0..4usize, random_strokes).prop_map(
        |(seed, size, random_strokes): (u32, usize, Vec<RandomStroke>)| {
            let size = ["3x3", "3x4", "4x4", "4x5"][size].parse().unwrap();
            let (puzzle, _) = random_puzzle(size, &mut test_rng(&format!("scribble{seed}")));
            let mut drawing = Drawing::new(puzzle);
            for random in random_strokes {
                drawing.play(&random.stroke(&drawing)).ok(); // Chance may be wrong.
            }
            drawing
        },
    )
}

proptest! {
    #[test]
    fn a_mistake_is_the_first_cell_that_no_solution_contains(drawing in any_scribble()) {
        let (puzzle, drawn) = (drawing.puzzle(), drawing.links());
        let all = solutions(puzzle, Rule::Full);
        let checked = checked(&drawing, &KnownSolution::Nothing).unwrap();
        match checked {
            DrawingCheck::Consistent(solution) => {
                prop_assert!(all.contains(&solution));
                prop_assert!(some_extends(&[solution], drawn));
            }
            DrawingCheck::Wrong(Mistake { number, from }) => {
                prop_assert!(!some_extends(&all, drawn));
                let at = usize::from(number) - 1;
                let right = drawn[at].iter().position(|&cell| cell == from).unwrap();
                prop_assert!(right > 0);
                let cut = |others: usize, cells: usize| {
                    let mut kept = drawn.to_vec();
                    kept[at].truncate(cells);
                    kept.truncate(others);
                    some_extends(&all, &kept)
                };
                // Together with all others, or else with those of lower numbers.
                let others = if cut(drawn.len(), right) { drawn.len() } else { at + 1 };
                prop_assert!(cut(others, right) && !cut(others, right + 1));
            }
        }
    }

    #[test]
    fn comparing_and_searching_agree_on_unique_solutions(drawing in any_scribble()) {
        let known = KnownSolution::find(drawing.puzzle(), BUDGET);
        if let KnownSolution::OneSolution(solution) = &known {
            let compared = checked(&drawing, &known);
            let searched = checked(&drawing, &KnownSolution::Nothing);
            let fine = Ok(DrawingCheck::Consistent(solution.clone()));
            prop_assert_eq!(compared == fine, searched == fine);
        }
    }
}

/// The remaining work: the uncovered cells and the ends of open links.
struct Left<'a> {
    puzzle: &'a Puzzle,
    links: Vec<Vec<Cell>>,
}

impl Left<'_> {
    /// Returns the drawn end and the terminal to be reached; `None` for a complete link.
    fn ends(&self, number: usize) -> Option<[Cell; 2]> {
        let [from, to] = self.puzzle.pairs()[number];
        let link = &self.links[number];
        let start = link.first().copied().unwrap_or(from);
        let other = if start == from { to } else { from };
        let end = link.last().copied().unwrap_or(from);
        (end != other).then_some([end, other])
    }

    fn is_empty(&self, cell: Cell) -> bool {
        let is_drawn = self.links.iter().any(|link| link.contains(&cell));
        self.puzzle.square(cell) == Square::Open && !is_drawn
    }

    fn near(&self, cell: Cell) -> impl Iterator<Item = Cell> {
        self.puzzle.size().neighbours(cell)
    }

    /// Returns the cells to which the end of a link may go.
    fn ways(&self, number: usize) -> Vec<Cell> {
        let [end, other] = self.ends(number).unwrap();
        let free = |cell: &Cell| self.is_empty(*cell) || *cell == other;
        self.near(end).filter(free).collect()
    }

    fn touches(&self, number: usize) -> bool {
        let (end, link) = self.links[number].split_last().unwrap();
        let (_, left) = link.split_last().unwrap();
        self.near(*end).any(|cell| left.contains(&cell))
    }

    fn has_a_dead_end(&self) -> bool {
        let numbers = 0..self.links.len();
        let ends: Vec<[Cell; 2]> = numbers.filter_map(|number| self.ends(number)).collect();
        let is_open =
            |cell: &Cell| self.is_empty(*cell) || ends.iter().flatten().any(|e| e == cell);
        let cells = (0u16..).map(Cell).take(self.puzzle.size().cells());
        let lacks = |cell: Cell| self.near(cell).filter(is_open).count() < 2;
        let stuck = |&[one, other]: &[Cell; 2]| {
            [(one, other), (other, one)].into_iter().any(|(from, to)| {
                let free = |cell: &Cell| self.is_empty(*cell) || *cell == to;
                self.near(from).filter(free).count() == 0
            })
        };
        cells.filter(|cell| self.is_empty(*cell)).any(lacks) || ends.iter().any(stuck)
    }

    fn cuts_off(&self) -> bool {
        let numbers = 0..self.links.len();
        let mut ends = numbers.filter_map(|number| self.ends(number));
        ends.any(|[from, to]| {
            let (mut seen, mut stack) = (vec![from], vec![from]);
            while let Some(at) = stack.pop() {
                for next in self.near(at) {
                    if (next == to || self.is_empty(next)) && !seen.contains(&next) {
                        seen.push(next);
                        stack.push(next);
                    }
                }
            }
            !seen.contains(&to)
        })
    }
}

/// Returns whether a reason is visible on a drawing, whatever else could be deduced.
fn shows(drawing: &Drawing, number: u16, cells: &[Cell], reason: Reason) -> bool {
    let puzzle = drawing.puzzle();
    let (mut drawn, number) = (drawing.links().to_vec(), usize::from(number) - 1);
    if drawn[number].is_empty() {
        drawn[number].push(cells[0]);
    }
    let left = |links| Left { puzzle, links };
    let mut ways = left(drawn.clone()).ways(number);
    ways.retain(|way| *way != cells[1]);
    ways.into_iter().all(|way| {
        let mut drawn = drawn.clone();
        drawn[number].push(way);
        let left = left(drawn);
        match reason {
            Reason::OnlyWayOut => false,
            Reason::WouldTouch => left.touches(number),
            Reason::DeadEnd => left.has_a_dead_end(),
            Reason::WouldCutOff => left.cuts_off(),
            Reason::Corner
            | Reason::PassThrough
            | Reason::WouldStrand
            | Reason::Trial { .. }
            | Reason::Follows => true,
            Reason::Ring => false, // No ring shows where links begin at terminals.
        }
    })
}

#[test]
fn reasons_are_visible_on_the_drawn_board() {
    let mut reasons: Vec<Reason> = Vec::new();
    for seed in 0..24 {
        let seed = format!("honest-{seed}").parse().unwrap();
        let spec = LinkSpec::new("8x8".parse().unwrap(), Mode::Any).unwrap();
        let (mut drawing, known) = Link::generate(spec, &seed);
        while !drawing.is_solved() {
            let hint = hint(&drawing, &known);
            if let LinkHint::Forced(ForcedSegment { number: Some(number), cells, reason }) = &hint {
                let shows = shows(&drawing, *number, cells, *reason);
                assert!(shows, "{hint:?} of {drawing:?}");
                reasons.push(*reason);
            }
            drawing.play(&hint.stroke(&drawing).unwrap()).unwrap();
        }
    }
    for reason in [Reason::OnlyWayOut, Reason::WouldTouch, Reason::DeadEnd] {
        assert!(reasons.contains(&reason), "{reason}");
    }
    let hidden = reasons.iter().filter(|reasons| **reasons == Reason::Follows).count();
    assert!(8 * hidden < reasons.len(), "{hidden} of {}", reasons.len());
}

#[test]
fn free_choices_are_revealed() {
    let drawing = Drawing::new(puzzle("1 . . / . . . / . . 1"));
    let hinted = hint(&drawing, &KnownSolution::Nothing);
    let LinkHint::Reveal { number: 1, cells } = hinted else { panic!("{hinted:?}") };
    assert_eq!(cells.len(), 1 + REVEALED_CELLS);
}

#[test]
fn unsolvable_puzzles_have_no_plan() {
    let drawing = Drawing::new(puzzle("1 . / . 1"));
    for known in [KnownSolution::Nothing, KnownSolution::find(drawing.puzzle(), BUDGET)] {
        let plan = LinkPlan::plan(&drawing, &known, BUDGET, &mut NodesUsed::default());
        assert_eq!(plan, Err(Unsolved::Unsolvable));
    }
}

#[test]
fn hints_have_pinned_json() {
    let wrong = LinkHint::Wrong(Mistake { number: 3, from: Cell(7) });
    let step = ForcedSegment {
        number: Some(2),
        cells: vec![Cell(1), Cell(2)],
        reason: Reason::Trial { depth: 4 },
    };
    for (hint, json) in [
        (wrong, r#"{"wrong":{"number":3,"from":7}}"#),
        (
            LinkHint::Forced(step),
            r#"{"forced":{"number":2,"cells":[1,2],"reason":{"trial":{"depth":4}}}}"#,
        ),
    ] {
        assert_eq!(serde_json::to_string(&hint).unwrap(), json);
        assert_eq!(serde_json::from_str::<LinkHint>(json).unwrap(), hint);
    }
}
