//! Shortens the beginning of a plan by looking a few moves deep.

use crate::grid::Direction;
use crate::hint::Budget;
use crate::slide::board::Board;
use std::collections::{BTreeMap, VecDeque};

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

/// Looks up to `sight` moves deep, and for at most as many boards as the budget has nodes,
/// for the board that saves the most moves of the plan; of those that save as much the
/// nearest. The result is never longer than what it replaces.
#[must_use]
pub fn shorten(board: &Board, plan: &[Direction], sight: u8, budget: Budget) -> Shortened {
    let window = plan.len().min(WINDOW_PER_DEPTH * usize::from(sight));
    let on_plan = boards_on_plan(board, &plan[..window]);
    let mut best = Shortened {
        beginning: Vec::new(),
        replaces: 0,
    };
    let mut saved = 0;
    let mut came: BTreeMap<Vec<u16>, Option<Direction>> = BTreeMap::new();
    came.insert(board.tiles().to_vec(), None);
    let mut queue = VecDeque::from([(board.clone(), 0)]);
    let mut nodes = budget.0;
    while let Some((here, depth)) = queue.pop_front() {
        if let Some(&index) = on_plan.get(here.tiles())
            && index > depth + saved
        {
            saved = index - depth;
            best = Shortened {
                beginning: way_to(&here, &came),
                replaces: index,
            };
        }
        if depth == usize::from(sight) {
            continue;
        }
        for direction in Direction::ALL {
            let mut next = here.clone();
            if next.step(direction).is_none() || came.contains_key(next.tiles()) {
                continue;
            }
            let Some(left) = nodes.checked_sub(1) else {
                return best;
            };
            nodes = left;
            came.insert(next.tiles().to_vec(), Some(direction));
            queue.push_back((next, depth + 1));
        }
    }
    best
}

/// Returns the boards along a plan with the number of moves to each, the latest where a
/// plan comes by twice.
fn boards_on_plan(board: &Board, plan: &[Direction]) -> BTreeMap<Vec<u16>, usize> {
    let mut now = board.clone();
    let mut boards = BTreeMap::new();
    for (index, &direction) in (1..).zip(plan) {
        if now.step(direction).is_none() {
            break;
        }
        boards.insert(now.tiles().to_vec(), index);
    }
    boards
}

/// Walks back from a board to where the search began.
fn way_to(board: &Board, came: &BTreeMap<Vec<u16>, Option<Direction>>) -> Vec<Direction> {
    let mut here = board.clone();
    let mut way = Vec::new();
    while let Some(&Some(direction)) = came.get(here.tiles()) {
        way.push(direction);
        if here.step(direction.opposite()).is_none() {
            break;
        }
    }
    way.reverse();
    way
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slide::scramble::{Variant, scramble};
    use crate::slide::solve::constructive;
    use proptest::prelude::*;

    fn after(board: &Board, moves: &[Direction]) -> Board {
        let mut board = board.clone();
        for &direction in moves {
            board.step(direction).unwrap();
        }
        board
    }

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
            rows in 2usize..6, cols in 2usize..6, seed in 0u32..1_000, sight in 0u8..9, nodes in 0u32..3_000,
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
