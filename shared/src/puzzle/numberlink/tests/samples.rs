//! Puzzles, drawings and solutions for the tests of this family.

use crate::puzzle::numberlink::{Drawing, Puzzle, Rule, Solution, Square, Stroke, Touch};
use crate::util::grid::{Cell, Direction, Size};
use crate::util::seed::Seed;
use proptest::prelude::*;
use proptest::sample::Index;

/// Any puzzle with sides in a range, solvable or not.
pub fn any_puzzle(sides: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Puzzle> {
    (sides.clone(), sides)
        .prop_flat_map(|(rows, cols)| {
            let size = Size::new(rows, cols).unwrap();
            let cells: Vec<_> = (0..size.cells() as u16).map(Cell).collect();
            let order = Just(cells).prop_shuffle();
            let most = size.cells() / 2;
            let touch = prop::sample::select(vec![Touch::Free, Touch::Forbidden]);
            (Just(size), order, 1..=most.min(most / 3 + 2), 0..=2usize, touch)
        })
        .prop_map(|(size, order, pairs, solids, touch)| {
            let (ends, rest) = order.split_at(2 * pairs);
            let terminals: Vec<_> = (2u16..).map(|n| n / 2).zip(ends.iter().copied()).collect();
            Puzzle::new(size, &terminals, &rest[..solids.min(rest.len())], touch).unwrap()
        })
}

/// Any seed of a few characters.
pub fn any_seed() -> impl Strategy<Value = Seed> {
    "[a-z0-9]{1,6}".prop_map(|text| text.parse().unwrap())
}

/// A random stroke that rarely runs into a wall.
#[derive(Debug, Clone)]
pub struct RandomStroke {
    start: Index,
    steps: Vec<Index>,
    undo: bool,
}

pub fn any_random_stroke() -> impl Strategy<Value = RandomStroke> {
    let steps = prop::collection::vec(any::<Index>(), 0..12);
    let undo = prop::bool::weighted(0.15);
    (any::<Index>(), steps, undo).prop_map(|(start, steps, undo)| RandomStroke {
        start,
        steps,
        undo,
    })
}

impl RandomStroke {
    /// Returns the stroke: from a terminal or a drawn cell through cells that links may enter, not
    /// past a terminal.
    pub fn stroke(&self, drawing: &Drawing) -> Stroke {
        if self.undo {
            return Stroke::Undo;
        }
        let (puzzle, size) = (drawing.puzzle(), drawing.puzzle().size());
        let cells = (0..size.cells() as u16).map(Cell);
        let starts: Vec<_> = cells
            .filter(|&cell| {
                matches!(puzzle.square(cell), Square::Terminal(_)) || drawing.owner(cell).is_some()
            })
            .collect();
        let mut cells = vec![*self.start.get(&starts)];
        let number = match puzzle.square(cells[0]) {
            Square::Terminal(number) => number,
            Square::Open | Square::Solid => drawing.owner(cells[0]).unwrap(),
        };
        for step in &self.steps {
            let last = *cells.last().unwrap();
            let enters = |way: &Direction| {
                size.neighbour(last, *way).is_some_and(|next| match puzzle.square(next) {
                    Square::Open => true,
                    Square::Solid => false,
                    Square::Terminal(other) => other == number,
                })
            };
            let ways: Vec<_> = Direction::ALL.into_iter().filter(enters).collect();
            if !ways.is_empty() {
                cells.extend(size.neighbour(last, *step.get(&ways)));
            }
        }
        Stroke::Draw(cells)
    }
}

/// Any drawing that results from random strokes on a puzzle with such sides.
pub fn any_drawing(sides: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Drawing> {
    let random_strokes = prop::collection::vec(any_random_stroke(), 0..60);
    (any_puzzle(sides), random_strokes).prop_map(|(puzzle, random_strokes)| {
        let mut drawing = Drawing::new(puzzle);
        for random in random_strokes {
            drawing.play(&random.stroke(&drawing)).ok(); // Chance may be wrong.
        }
        drawing
    })
}

/// Finds every solution by exhaustive search, which shares nothing with the solvers.
pub fn solutions(puzzle: &Puzzle, rule: Rule) -> Vec<Solution> {
    let mut walk = Walk {
        puzzle,
        rule,
        taken: vec![false; puzzle.size().cells()],
        links: Vec::new(),
        found: Vec::new(),
    };
    walk.begin();
    walk.found
}

struct Walk<'a> {
    puzzle: &'a Puzzle,
    rule: Rule,
    taken: Vec<bool>,
    links: Vec<Vec<Cell>>,
    found: Vec<Solution>,
}

impl Walk<'_> {
    fn begin(&mut self) {
        if let Some(&[from, _]) = self.puzzle.pairs().get(self.links.len()) {
            self.links.push(vec![from]);
            self.go_on();
            self.links.pop();
        } else {
            let solution = Solution(self.links.clone());
            if solution.solves(self.puzzle, self.rule) {
                self.found.push(solution);
            }
        }
    }

    fn go_on(&mut self) {
        let number = self.links.len() - 1;
        let [_, to] = self.puzzle.pairs()[number];
        let at = *self.links[number].last().unwrap();
        self.taken[usize::from(at.0)] = true;
        for next in self.puzzle.size().neighbours(at) {
            let open = self.puzzle.square(next) == Square::Open;
            if next != to && (!open || self.taken[usize::from(next.0)]) {
                continue;
            }
            self.links[number].push(next);
            if next == to {
                self.begin();
            } else {
                self.go_on();
            }
            self.links[number].pop();
        }
        self.taken[usize::from(at.0)] = false;
    }
}
