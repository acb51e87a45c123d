//! Exact counts for small boards by a method that shares nothing with the search, so that tests
//! can compare the two.
//!
//! The frontier moves through the grid cell by cell. Of the drawing behind it only the edges that
//! cross it matter, and which of them are connected. So partial drawings are counted by their
//! frontier states (a dynamic program over connectivity states, as in Simpath; for Numberlink see
//! Yoshinaka, Saitoh, Kawahara, Tsuruma, Iwashita and Minato, "Finding all solutions and instances
//! of Numberlink and Slitherlink by ZDDs", 2012).

use crate::puzzle::numberlink::{Puzzle, Rule, Square};
use crate::util::grid::Cell;
use std::collections::BTreeMap;

/// The fragment of an edge or a cell: 0 for none, a number, or, from [`UNNUMBERED`] on, a fragment
/// without a number.
type Label = u16;

const UNNUMBERED: Label = 1 << 12;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct FrontierState {
    /// The edge from the last decided cell to the one on its right.
    pending: Label,
    /// For each column, the edge downwards.
    downs: Vec<Label>,
    /// For each column, the fragment of its last cell; only stored if touches matter.
    cells: Vec<Label>,
    /// Adjacent fragments, which must not become one link; only stored if touches matter.
    separated: Vec<[Label; 2]>,
}

/// Counts all solutions under a rule. Returns `None` if that takes more than `most_states` states
/// at a cell, or the count exceeds a `u128`.
pub fn count_all(puzzle: &Puzzle, rule: Rule, most_states: usize) -> Option<u128> {
    let cols = puzzle.size().cols();
    let tracks_touches = rule == Rule::FullNoTouch;
    let begin = FrontierState {
        pending: 0,
        downs: vec![0; cols],
        cells: if tracks_touches { vec![0; cols] } else { Vec::new() },
        separated: Vec::new(),
    };
    let mut states = BTreeMap::from([(begin, 1u128)]);
    for at in 0..puzzle.size().cells() {
        let mut next: BTreeMap<FrontierState, u128> = BTreeMap::new();
        for (state, times) in states {
            for mut state in state.successors(puzzle, rule, at) {
                state.canonicalise();
                let sum = next.entry(state).or_default();
                *sum = sum.checked_add(times)?;
            }
        }
        if next.len() > most_states {
            return None;
        }
        states = next;
    }
    // No edge leaves the grid: the remaining states differ in their last cells only.
    states.into_values().try_fold(0, u128::checked_add)
}

impl FrontierState {
    fn successors(&self, puzzle: &Puzzle, rule: Rule, at: usize) -> Vec<Self> {
        let size = puzzle.size();
        let (row, col) = (at / size.cols(), at % size.cols());
        let open = |at: usize| puzzle.squares()[at] != Square::Solid;
        let may_right = col + 1 < size.cols() && open(at + 1);
        let may_down = row + 1 < size.rows() && open(at + size.cols());
        let incoming = [self.pending, self.downs[col]];
        let ends = incoming.iter().filter(|&&label| label != 0).count();
        let mut found = Vec::new();
        for (right, down) in [(false, false), (false, true), (true, false), (true, true)] {
            let degree = ends + usize::from(right) + usize::from(down);
            let fits = match puzzle.square(Cell(at as u16)) {
                Square::Solid => degree == 0,
                Square::Terminal(_) => degree == 1,
                Square::Open => degree == 2 || degree == 0 && rule == Rule::Loose,
            };
            if !fits || right && !may_right || down && !may_down {
                continue;
            }
            found.extend(self.with_cell(puzzle.square(Cell(at as u16)), col, right, down));
        }
        found
    }

    /// Decides a cell; returns `None` if the rules forbid it.
    fn with_cell(&self, square: Square, col: usize, right: bool, down: bool) -> Option<Self> {
        let mut state = self.clone();
        let (pending, above) = (self.pending, self.downs[col]);
        state.pending = 0;
        state.downs[col] = 0;
        let mut label = match square {
            Square::Terminal(number) => number,
            Square::Open if right && down => UNNUMBERED + 0xfff,
            Square::Open | Square::Solid => 0,
        };
        for incoming in [pending, above] {
            if incoming != 0 {
                label = state.joined(label, incoming)?;
            }
        }
        if right {
            state.pending = label;
        }
        if down {
            state.downs[col] = label;
        }
        if !state.cells.is_empty() {
            let beside = [
                (col > 0 && pending == 0).then(|| state.cells[col.wrapping_sub(1)]),
                (above == 0).then(|| state.cells[col]),
            ];
            for other in beside.into_iter().flatten() {
                state.separate(label, other)?;
            }
            state.cells[col] = label;
        }
        Some(state)
    }

    fn joined(&mut self, a: Label, b: Label) -> Option<Label> {
        if a == 0 {
            return Some(b);
        }
        if a == b {
            // Two halves of a number's link, or a loop.
            return (a < UNNUMBERED).then_some(a);
        }
        if a < UNNUMBERED && b < UNNUMBERED {
            return None;
        }
        let (stays, goes) = (a.min(b), a.max(b));
        if self.separated.contains(&[stays, goes]) {
            return None;
        }
        for label in self.labels() {
            if *label == goes {
                *label = stays;
            }
        }
        for pair in &mut self.separated {
            *pair = pair.map(|label| if label == goes { stays } else { label });
            pair.sort_unstable();
        }
        Some(stays)
    }

    fn separate(&mut self, a: Label, b: Label) -> Option<()> {
        if a == 0 || b == 0 {
            return Some(());
        }
        if a == b {
            return None;
        }
        self.separated.push([a.min(b), a.max(b)]);
        Some(())
    }

    fn labels(&mut self) -> impl Iterator<Item = &mut Label> {
        let (downs, cells) = (self.downs.iter_mut(), self.cells.iter_mut());
        std::iter::once(&mut self.pending).chain(downs).chain(cells)
    }

    /// Renumbers the fragments without a number in order of occurrence, so that equal states
    /// compare equal.
    fn canonicalise(&mut self) {
        let mut names: Vec<Label> = Vec::new();
        let mut named = |label: Label| {
            if label < UNNUMBERED {
                return label;
            }
            let place = names.iter().position(|&name| name == label);
            let place = place.unwrap_or_else(|| {
                names.push(label);
                names.len() - 1
            });
            UNNUMBERED + place as Label
        };
        for label in self.labels() {
            *label = named(*label);
        }
        for pair in &mut self.separated {
            *pair = pair.map(&mut named);
            pair.sort_unstable();
        }
        // Two numbers never become one link and need no record.
        self.separated.retain(|pair| pair[1] >= UNNUMBERED);
        self.separated.sort_unstable();
        self.separated.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::numberlink::Touch;

    fn counts(size: &str, terminals: &[(u16, u16)]) -> [Option<u128>; 3] {
        let terminals: Vec<_> = terminals.iter().map(|&(n, cell)| (n, Cell(cell))).collect();
        let puzzle = Puzzle::new(size.parse().unwrap(), &terminals, &[], Touch::Free).unwrap();
        [Rule::Loose, Rule::Full, Rule::FullNoTouch].map(|rule| count_all(&puzzle, rule, 100_000))
    }

    #[test]
    fn counts_of_corner_to_corner_paths_match_published_ones() {
        // Self-avoiding walks across a square of points, OEIS A007764; those through every point,
        // OEIS A001184, of which none is without a touch.
        assert_eq!(counts("2x2", &[(1, 0), (1, 3)])[0], Some(2));
        assert_eq!(counts("3x3", &[(1, 0), (1, 8)]), [12, 2, 0].map(Some));
        assert_eq!(counts("4x4", &[(1, 0), (1, 15)])[0], Some(184));
        assert_eq!(counts("5x5", &[(1, 0), (1, 24)]), [8_512, 104, 0].map(Some));
        assert_eq!(counts("6x6", &[(1, 0), (1, 35)])[0], Some(1_262_816));
    }

    #[test]
    fn too_many_states_give_no_count() {
        let terminals = [(1, Cell(0)), (1, Cell(24))];
        let size = "5x5".parse().unwrap();
        let puzzle = Puzzle::new(size, &terminals, &[], Touch::Free).unwrap();
        assert_eq!(count_all(&puzzle, Rule::Loose, 20), None);
    }
}
