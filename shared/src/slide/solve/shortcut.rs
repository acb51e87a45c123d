//! Shortens the beginning of a plan by looking a few moves deep.

use crate::grid::{Cell, Direction};
use crate::hint::Budget;
use crate::slide::board::Board;
use std::collections::BTreeMap;

/// A plan with a shorter beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortened {
    /// The new beginning: it leads to the board after `replaces` moves of the old plan.
    pub beginning: Vec<Direction>,
    /// How many moves of the old plan it takes the place of.
    pub replaces: usize,
}

/// How many moves of the plan are looked at for each move of depth: a plan that wanders
/// more than this is shortened again later on.
const WINDOW_PER_DEPTH: usize = 4;

/// Looks up to `sight` moves deep, and at no more boards than the budget has nodes, for
/// the board that saves the most moves of the plan; of those that save as much the
/// nearest. The result is never longer than what it replaces.
#[must_use]
pub fn shorten(board: &Board, plan: &[Direction], sight: u8, budget: Budget) -> Shortened {
    let sight = usize::from(sight);
    let window = &plan[..plan.len().min(WINDOW_PER_DEPTH * sight)];
    let mut search = Search {
        board: board.clone(),
        print: fingerprint(board),
        way: Vec::with_capacity(sight),
        on_plan: prints_on_plan(board, window),
        nodes: budget.0,
        best: Shortened {
            beginning: Vec::new(),
            replaces: 0,
        },
    };
    search.deepen(sight);
    let best = search.best;
    // Two boards might share a fingerprint, once in a very long while.
    if after(board, &best.beginning) == after(board, &plan[..best.replaces]) {
        best
    } else {
        Shortened {
            beginning: Vec::new(),
            replaces: 0,
        }
    }
}

/// A depth-first search that plays and takes back on one board. Within a dozen moves
/// hardly a board is reached twice, so none is remembered.
struct Search {
    board: Board,
    print: u64,
    way: Vec<Direction>,
    on_plan: BTreeMap<u64, usize>,
    nodes: u64,
    best: Shortened,
}

impl Search {
    fn deepen(&mut self, left: usize) {
        self.compare();
        if left == 0 {
            return;
        }
        let back = self.way.last().map(|last| last.opposite());
        for direction in Direction::ALL
            .into_iter()
            .filter(|&direction| Some(direction) != back)
        {
            let Some(nodes) = self.nodes.checked_sub(1) else {
                return;
            };
            let Some(from) = self.board.cell_for(direction) else {
                continue;
            };
            self.nodes = nodes;
            self.step(from, direction);
            self.way.push(direction);
            self.deepen(left - 1);
            self.way.pop();
            let back = direction.opposite();
            if let Some(from) = self.board.cell_for(back) {
                self.step(from, back);
            }
        }
    }

    fn step(&mut self, from: Cell, direction: Direction) {
        let (tile, to) = (self.board.tile(from), self.board.blank());
        self.print ^= key(tile, from) ^ key(tile, to);
        self.board.step(direction);
    }

    fn compare(&mut self) {
        let Some(&index) = self.on_plan.get(&self.print) else {
            return;
        };
        let saved = |replaces: usize, moves: usize| replaces.saturating_sub(moves);
        let (new, old) = (
            saved(index, self.way.len()),
            saved(self.best.replaces, self.best.beginning.len()),
        );
        let nearer = new == old && new > 0 && self.way.len() < self.best.beginning.len();
        if new > old || nearer {
            self.best = Shortened {
                beginning: self.way.clone(),
                replaces: index,
            };
        }
    }
}

/// Returns the fingerprints of the boards along a plan with the number of moves to each,
/// the latest where a plan comes by twice.
fn prints_on_plan(board: &Board, plan: &[Direction]) -> BTreeMap<u64, usize> {
    let mut now = board.clone();
    let played = |(index, &direction)| {
        now.step(direction)?;
        Some((fingerprint(&now), index))
    };
    (1..).zip(plan).map_while(played).collect()
}

fn after(board: &Board, moves: &[Direction]) -> Option<Board> {
    let mut board = board.clone();
    moves
        .iter()
        .try_for_each(|&direction| board.step(direction).map(drop))?;
    Some(board)
}

/// Sums up a board so that one move changes the sum by two keys (Zobrist 1970).
fn fingerprint(board: &Board) -> u64 {
    let cells = board
        .tiles()
        .iter()
        .zip(0..)
        .filter(|&(&tile, _)| tile != 0);
    cells.fold(0, |print, (&tile, cell)| print ^ key(tile, Cell(cell)))
}

/// Returns the key of a tile at a cell: their numbers, mixed as SplitMix64 does (Steele,
/// Lea and Flood 2014).
const fn key(tile: u16, cell: Cell) -> u64 {
    let number = ((tile as u64) << 16 | cell.0 as u64) + 1;
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slide::scramble::{Variant, scramble};
    use crate::slide::solve::constructive;
    use proptest::prelude::*;

    #[test]
    fn a_detour_is_cut_off() {
        use Direction::{Down, Left, Right, Up};
        let board: Board = "1 2 3/4 5 6/7 8 0".parse().unwrap();
        // Right and Left of the same tile, then a step of use.
        let plan = [Right, Left, Down];
        let better = shorten(&board, &plan, 4, Budget(1_000));
        assert_eq!(
            better,
            Shortened {
                beginning: vec![],
                replaces: 2
            }
        );
        assert_eq!(shorten(&board, &[Down, Up], 0, Budget(1_000)).replaces, 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn the_new_beginning_leads_to_the_old_plan_and_is_never_longer(
            rows in 2usize..6, cols in 2usize..6, seed in 0u32..1_000, sight in 0u8..9, nodes in 0u64..3_000,
        ) {
            let size = crate::grid::Size::new(rows, cols).unwrap();
            let board = scramble(size, &format!("s{seed}").parse().unwrap(), Variant::BlankAnywhere).unwrap();
            let plan = constructive(&board, Budget(100_000)).unwrap();
            let better = shorten(&board, plan.moves(), sight, Budget(nodes));
            prop_assert!(better.beginning.len() <= better.replaces);
            prop_assert_eq!(after(&board, &better.beginning), after(&board, &plan.moves()[..better.replaces]));
        }
    }
}
