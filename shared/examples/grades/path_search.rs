//! A search as other programs for Numberlink do it: links grow from their ends, the end with the
//! fewest continuations first (as in Matt Zucker's flow solver). It has nothing in common with
//! deductions, so it is an independent measure of difficulty.

use gridrace_shared::puzzle::numberlink::{Puzzle, Square};
use gridrace_shared::util::grid::{Cell, Size};

/// The choices after which a search stops.
const MAX_CHOICES: u64 = 200_000;

/// Counts the choices between two or more continuations in a search for all full solutions without
/// touches.
pub fn choices(puzzle: &Puzzle) -> u64 {
    let size = puzzle.size();
    let mut state = State { label: vec![FREE; size.cells()], heads: Vec::new() };
    for at in 0..size.cells() {
        if puzzle.squares()[at] == Square::Solid {
            state.label[at] = SOLID;
        }
    }
    for (number, pair) in puzzle.pairs().iter().enumerate() {
        for end in pair {
            state.label[usize::from(end.0)] = number as u16;
        }
        state.heads.push(Some(*pair));
    }
    let mut search = PathSearch { size, choices: 0 };
    for number in 0..state.heads.len() {
        state.finish_if_joined(size, number);
    }
    if search.is_possible(&state) {
        search.expand(state);
    }
    search.choices
}

const FREE: u16 = u16::MAX;
const SOLID: u16 = u16::MAX - 1;

#[derive(Clone)]
struct State {
    /// The number of each cell.
    label: Vec<u16>,
    /// The two ends of each link that is not finished.
    heads: Vec<Option<[Cell; 2]>>,
}

struct PathSearch {
    size: Size,
    choices: u64,
}

impl State {
    fn at(&self, cell: Cell) -> u16 {
        self.label[usize::from(cell.0)]
    }

    /// Finishes a link whose ends are adjacent: any other continuation would touch it.
    fn finish_if_joined(&mut self, size: Size, number: usize) {
        if self.heads[number].is_some_and(|[a, b]| size.distance(a, b) == 1) {
            self.heads[number] = None;
        }
    }

    /// Returns the free cells into which a link may grow from one of its ends without a touch.
    fn continuations(&self, size: Size, number: usize, side: usize) -> Vec<Cell> {
        let Some(heads) = self.heads[number] else {
            return Vec::new();
        };
        let touches = |to: Cell| {
            let own = |&cell: &Cell| self.at(cell) == number as u16 && !heads.contains(&cell);
            size.neighbours(to).any(|cell| own(&cell))
        };
        let free = size.neighbours(heads[side]).filter(|&to| self.at(to) == FREE);
        free.filter(|&to| !touches(to)).collect()
    }

    fn grow(&mut self, size: Size, number: usize, side: usize, to: Cell) {
        self.label[usize::from(to.0)] = number as u16;
        if let Some(heads) = &mut self.heads[number] {
            heads[side] = to;
        }
        self.finish_if_joined(size, number);
    }
}

impl PathSearch {
    /// Grows forced ends, then tries all continuations of the end that has the fewest.
    fn expand(&mut self, mut state: State) {
        loop {
            let ends = (0..state.heads.len()).flat_map(|number| [(number, 0), (number, 1)]);
            let open = ends.filter(|&(number, _)| state.heads[number].is_some());
            let listed = open
                .map(|(number, side)| (state.continuations(self.size, number, side), number, side));
            let Some((ways, number, side)) = listed.min_by_key(|(ways, ..)| ways.len()) else {
                return;
            };
            if let [to] = ways[..] {
                state.grow(self.size, number, side, to);
                if self.is_possible(&state) {
                    continue;
                }
                return;
            }
            self.choices += u64::from(!ways.is_empty());
            for to in ways {
                if self.choices >= MAX_CHOICES {
                    return;
                }
                let mut next = state.clone();
                next.grow(self.size, number, side, to);
                if self.is_possible(&next) {
                    self.expand(next);
                }
            }
            return;
        }
    }

    /// Returns whether every free cell has two ways, every region of free cells a link that may
    /// fill it, and both ends of every link a common region.
    fn is_possible(&self, state: &State) -> bool {
        let size = self.size;
        let is_head = |cell: Cell| {
            let number = usize::from(state.at(cell));
            state
                .heads
                .get(number)
                .is_some_and(|heads| heads.is_some_and(|two| two.contains(&cell)))
        };
        let cells = || (0..size.cells() as u16).map(Cell);
        let mut region = vec![0u16; size.cells()];
        let mut regions = 0;
        for cell in cells().filter(|&cell| state.at(cell) == FREE) {
            let ways = size.neighbours(cell).filter(|&to| state.at(to) == FREE || is_head(to));
            if ways.count() < 2 {
                return false;
            }
            if region[usize::from(cell.0)] != 0 {
                continue;
            }
            regions += 1;
            region[usize::from(cell.0)] = regions;
            let mut stack = vec![cell];
            while let Some(cell) = stack.pop() {
                for to in size.neighbours(cell).filter(|&to| state.at(to) == FREE) {
                    if region[usize::from(to.0)] == 0 {
                        region[usize::from(to.0)] = regions;
                        stack.push(to);
                    }
                }
            }
        }
        let mut is_fillable = vec![false; usize::from(regions) + 1];
        for [a, b] in state.heads.iter().flatten() {
            let beside = |end: Cell| {
                let near = size.neighbours(end).map(|to| region[usize::from(to.0)]);
                near.filter(|&region| region != 0).collect::<Vec<_>>()
            };
            let of_b = beside(*b);
            let common: Vec<u16> =
                beside(*a).into_iter().filter(|region| of_b.contains(region)).collect();
            if common.is_empty() {
                return false;
            }
            for region in common {
                is_fillable[usize::from(region)] = true;
            }
        }
        is_fillable[1..].iter().all(|&fillable| fillable)
    }
}
