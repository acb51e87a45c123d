//! Assigns colours to links, so that adjacent links differ, and finds the cells that need letters
//! because they don't.

use crate::display::theme::LINK_COLORS;
use gridrace_shared::puzzle::numberlink::{Drawing, Puzzle, Square};
use gridrace_shared::util::grid::{Cell, Direction};
use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};

/// The steps from a terminal within which no cell shows letters: the terminal's are in sight.
const NEAR_TERMINAL: usize = 3;

/// Returns the colour of each pair, in their order: numbers below [`LINK_COLORS`]. The page's
/// `link_colors.js` does the same; [the golden file](../../../../tests/golden/links.json) compares them.
///
/// Where links will be is the puzzle's secret. But each cell is likeliest to belong to the
/// terminal that is nearest, so links are neighbours where the regions around their terminals
/// touch. That graph is coloured by Brélaz's DSATUR; where there are too few colours, as few
/// neighbours as possible share one.
pub(super) fn assign(puzzle: &Puzzle) -> Vec<usize> {
    let neighbours = neighbours(puzzle);
    let mut colors: Vec<Option<usize>> = vec![None; neighbours.len()];
    let mut uses = [0usize; LINK_COLORS];
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
        let color = (0..LINK_COLORS).min_by_key(|&color| (conflicts(color), uses[color], color));
        let Some(color) = color else { break };
        uses[color] += 1;
        colors[next] = Some(color);
    }
    colors.into_iter().map(Option::unwrap_or_default).collect()
}

/// Returns the cells in which a link shows its letters, because another of its colour is beside it: of each
/// stretch of such cells the middle one, unless that is near a terminal.
///
/// A link may leave the region around its terminals, and large boards have more links than colours.
pub(super) fn lettered_cells(drawing: &Drawing, colors: &[usize]) -> BTreeSet<Cell> {
    let size = drawing.puzzle().size();
    let mut owners = vec![None; size.cells()];
    for (number, pair) in (1..).zip(0..colors.len()) {
        for cell in drawing.link(number) {
            if let Some(owner) = owners.get_mut(usize::from(cell.0)) {
                *owner = Some(pair);
            }
        }
    }
    let touches = |cell: Cell, pair: usize| {
        let around = Direction::ALL.into_iter().filter_map(|way| size.neighbour(cell, way));
        let mut others = around.filter_map(|cell| owners.get(usize::from(cell.0)).copied()?);
        others.any(|other| other != pair && colors.get(other) == colors.get(pair))
    };
    let mut lettered = BTreeSet::new();
    for (number, pair) in (1..).zip(0..colors.len()) {
        let link = drawing.link(number);
        // A link that isn't joined has a dot at its end.
        let far_end = if drawing.is_linked(number) { NEAR_TERMINAL } else { 1 };
        let far = NEAR_TERMINAL..link.len().saturating_sub(far_end);
        let mut start = 0;
        for stretch in link.chunk_by(|&one, &next| touches(one, pair) == touches(next, pair)) {
            let middle = start + stretch.len() / 2;
            start += stretch.len();
            let cell = link.get(middle).filter(|cell| touches(**cell, pair));
            lettered.extend(cell.filter(|_| far.contains(&middle)));
        }
    }
    lettered
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
    use crate::families::numberlink::cell_glyphs::letters;
    use gridrace_shared::puzzle::{Board, PuzzleSpec};
    use gridrace_shared::solver::knowledge::GeneratedBoard;

    /// Any two colours of a theme are apart, as its own test shows; so it is enough here that
    /// they are different.
    #[test]
    fn links_side_by_side_have_different_colours() {
        for spec in ["link:4x4", "link:7x7", "link:10x10", "link:12x12", "link:15x15"] {
            for seed in 0..8 {
                let parsed: PuzzleSpec = spec.parse().unwrap();
                let board = parsed.board(&format!("colours-{seed}").parse().unwrap());
                let Board::Link(drawing) = board else { unreachable!() };
                let colors = assign(drawing.puzzle());
                assert_eq!(colors.len(), drawing.puzzle().pairs().len());
                for (pair, around) in neighbours(drawing.puzzle()).iter().enumerate() {
                    assert!(!around.is_empty(), "{spec} {seed}: {pair} is alone");
                    for &other in around {
                        assert_ne!(colors[pair], colors[other], "{spec} {seed}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_link_beside_another_of_its_colour_shows_its_letters() {
        let spec: PuzzleSpec = "link:10x10".parse().unwrap();
        let mut shown = 0;
        for seed in 0..4 {
            let generated = GeneratedBoard::of(&spec, &format!("m-{seed}").parse().unwrap());
            let Some(Board::Link(drawing)) = generated.solved() else { unreachable!() };
            let pairs = drawing.puzzle().pairs().len();
            let different: Vec<usize> = (0..pairs).collect();
            assert!(lettered_cells(&drawing, &different).is_empty());
            // As on a terminal of one colour.
            let cells = lettered_cells(&drawing, &vec![0; pairs]);
            for number in 1..=u16::try_from(pairs).unwrap() {
                let link = drawing.link(number);
                let on_it: Vec<_> = link.iter().filter(|cell| cells.contains(cell)).collect();
                assert!(on_it.iter().all(|cell| **cell != link[0]), "a terminal has its letters");
                shown += on_it.len();
            }
        }
        assert!(shown >= 10, "{shown}");
    }

    #[test]
    fn up_to_as_many_links_as_colours_have_one_each() {
        let spec: PuzzleSpec = "link:7x7".parse().unwrap();
        let Board::Link(drawing) = spec.board(&"colours".parse().unwrap()) else { unreachable!() };
        let colors = assign(drawing.puzzle());
        assert!(colors.len() <= LINK_COLORS);
        assert_eq!(colors.iter().collect::<BTreeSet<_>>().len(), colors.len());
    }

    #[test]
    fn letters_and_colours_are_those_of_the_golden_file_which_the_page_compares() {
        let board = |(spec, seed): (&str, &str)| {
            let spec: PuzzleSpec = spec.parse().unwrap();
            let Board::Link(drawing) = spec.board(&seed.parse().unwrap()) else { unreachable!() };
            let colors = assign(drawing.puzzle());
            serde_json::json!({ "board": drawing, "colors": colors })
        };
        let boards =
            [("link:4x4", "a"), ("link:7x7", "b"), ("link:12x12", "c"), ("link:20x20", "d")];
        let golden = serde_json::json!({
            "letters": (1..=710).map(letters).collect::<Vec<_>>(),
            "boards": boards.map(board),
        });
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/links.json");
        if std::env::var_os("GRIDRACE_BLESS").is_some() {
            std::fs::write(&path, format!("{golden}\n")).unwrap();
        }
        let kept = std::fs::read_to_string(path).unwrap();
        let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
        // Not `assert_eq`, which would print both files.
        for part in ["letters", "boards"] {
            assert!(kept[part] == golden[part], "{part} differ; GRIDRACE_BLESS=1 writes the file");
        }
    }
}
