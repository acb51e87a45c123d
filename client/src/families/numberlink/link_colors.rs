//! Which colour each link has, so that links side by side have different ones.

use gridrace_shared::puzzle::numberlink::{Puzzle, Square};
use gridrace_shared::util::grid::{Cell, Direction};
use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};

/// Returns the colour of each pair, in their order: numbers below `count`.
///
/// Where links will be is the puzzle's secret. But each cell is likeliest to belong to the
/// terminal that is nearest, so links are neighbours where the regions around their terminals
/// touch. That graph is coloured by Brélaz's DSATUR; where there are too few colours, as few
/// neighbours as possible share one.
pub(super) fn assign(puzzle: &Puzzle, count: usize) -> Vec<usize> {
    let neighbours = neighbours(puzzle);
    let mut colors: Vec<Option<usize>> = vec![None; neighbours.len()];
    let mut uses = vec![0usize; count];
    for _ in 0..neighbours.len() {
        let taken = |pair: usize| -> Vec<usize> {
            let around = neighbours.get(pair).into_iter().flatten();
            around.filter_map(|&other| colors.get(other).copied().flatten()).collect()
        };
        let open = (0..neighbours.len()).filter(|&pair| colors[pair].is_none());
        let next = open.max_by_key(|&pair| {
            let different: BTreeSet<usize> = taken(pair).into_iter().collect();
            (different.len(), neighbours[pair].len(), Reverse(pair))
        });
        let Some(next) = next else { break };
        let taken = taken(next);
        let conflicts = |color: usize| taken.iter().filter(|&&other| other == color).count();
        let color = (0..count).min_by_key(|&color| (conflicts(color), uses[color], color));
        let Some(color) = color else { break };
        uses[color] += 1;
        colors[next] = Some(color);
    }
    colors.into_iter().map(Option::unwrap_or_default).collect()
}

/// Returns with which others each pair's region shares a border.
fn neighbours(puzzle: &Puzzle) -> Vec<BTreeSet<usize>> {
    let size = puzzle.size();
    let regions = regions(puzzle);
    let mut neighbours = vec![BTreeSet::new(); puzzle.pairs().len()];
    for (index, &one) in (0u16..).zip(&regions) {
        for direction in [Direction::Right, Direction::Down] {
            let beside = size.neighbour(Cell(index), direction);
            let other = beside.and_then(|cell| regions.get(usize::from(cell.0)).copied().flatten());
            if let (Some(one), Some(other)) = (one, other)
                && one != other
            {
                neighbours[one].insert(other);
                neighbours[other].insert(one);
            }
        }
    }
    neighbours
}

/// Returns the pair whose terminal is nearest to each cell, if any can reach it.
fn regions(puzzle: &Puzzle) -> Vec<Option<usize>> {
    let size = puzzle.size();
    let mut regions = vec![None; size.cells()];
    let terminals = puzzle.pairs().iter().enumerate();
    let mut frontier: VecDeque<(Cell, usize)> =
        terminals.flat_map(|(pair, ends)| ends.map(|cell| (cell, pair))).collect();
    while let Some((cell, pair)) = frontier.pop_front() {
        let Some(region) = regions.get_mut(usize::from(cell.0)) else { continue };
        if region.is_some() {
            continue;
        }
        *region = Some(pair);
        let around = Direction::ALL.into_iter().filter_map(|way| size.neighbour(cell, way));
        let open = around.filter(|&cell| puzzle.square(cell) == Square::Open);
        frontier.extend(open.map(|cell| (cell, pair)));
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridrace_shared::puzzle::{Board, PuzzleSpec};

    /// The fewest colours of a theme: those of a light one of 16.
    const FEWEST: usize = 7;

    /// Any two colours of a theme are apart, as its own test shows; so it is enough here that
    /// they are different.
    #[test]
    fn links_side_by_side_have_different_colours() {
        for spec in ["link:4x4", "link:7x7", "link:10x10", "link:12x12", "link:15x15"] {
            for seed in 0..8 {
                let parsed: PuzzleSpec = spec.parse().unwrap();
                let board = parsed.board(&format!("colours-{seed}").parse().unwrap());
                let Board::Link(drawing) = board else { unreachable!() };
                for count in [FEWEST, 12] {
                    let colors = assign(drawing.puzzle(), count);
                    assert_eq!(colors.len(), drawing.puzzle().pairs().len());
                    for (pair, around) in neighbours(drawing.puzzle()).iter().enumerate() {
                        assert!(!around.is_empty(), "{spec} {seed}: {pair} is alone");
                        for &other in around {
                            assert_ne!(colors[pair], colors[other], "{spec} {seed} {count}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn up_to_as_many_links_as_colours_have_one_each() {
        let spec: PuzzleSpec = "link:7x7".parse().unwrap();
        let Board::Link(drawing) = spec.board(&"colours".parse().unwrap()) else { unreachable!() };
        let colors = assign(drawing.puzzle(), 12);
        assert!(colors.len() <= 12);
        assert_eq!(colors.iter().collect::<BTreeSet<_>>().len(), colors.len());
    }
}
