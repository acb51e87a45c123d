//! Scrambles: boards drawn uniformly from the solvable ones, as a seed names them.
//!
//! All cells (or all but the last, see [`Variant`]) are put into an order drawn
//! uniformly. If the board is unsolvable, tiles 1 and 2 change places. That keeps the
//! draw uniform: the exchange is its own inverse and turns unsolvable boards into
//! solvable ones one to one, so each solvable board comes from exactly two orders, itself
//! and its exchange. (It is a pair of *tiles*, not of cells, as the blank may be anywhere.)
//!
//! A solved board is drawn again from the same stream, which leaves the others as likely
//! as one another.

use super::{Board, MAX_SIDE, MIN_HEAT_SIDE};
use crate::grid::{Size, SizeError};
use crate::seed::{PortableRng, Seed};

/// How often a solved board is drawn again.
///
/// On the smallest board one draw in three is solved, so all are with a chance of 3⁻⁶⁴.
const MAX_DRAWS: usize = 64;

/// Chooses where the blank of a scramble may be.
///
/// ```
/// use gridrace_shared::grid::{Cell, Size};
/// use gridrace_shared::seed::Seed;
/// use gridrace_shared::slide::{Variant, scramble};
///
/// let seed: Seed = "friday-cup".parse()?;
/// let board = scramble(Size::new(4, 4)?, &seed, Variant::BlankHome)?;
/// assert_eq!(board.blank(), Cell(15));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Anywhere: all cells are put into a new order.
    BlankAnywhere,
    /// At home in the last cell: all other cells are put into a new order.
    BlankHome,
}

impl Variant {
    /// The domain of the seed's stream; it is part of what a seed means.
    fn domain(self) -> &'static str {
        match self {
            Self::BlankAnywhere => "slide/blank-anywhere",
            Self::BlankHome => "slide/blank-home",
        }
    }
}

/// Draws the board that a seed names for a size: solvable, and never solved.
///
/// The stream is [`Seed::rng`] with the domain `slide/blank-anywhere` or
/// `slide/blank-home` and the size (such as `4x4`) as the spec. The goal's tiles, without
/// the last cell for [`Variant::BlankHome`], are permuted; where the board is unsolvable,
/// tiles 1 and 2 change places; a solved board is drawn again, from the goal.
///
/// # Errors
///
/// [`SizeError::OutOfBounds`] where a side is shorter than [`MIN_HEAT_SIDE`] or longer
/// than [`MAX_SIDE`].
pub fn scramble(size: Size, seed: &Seed, variant: Variant) -> Result<Board, SizeError> {
    let goal = Board::solved(size.within(MIN_HEAT_SIDE, MAX_SIDE)?)?;
    let mut rng = seed.rng(variant.domain(), &size.to_string());
    for _ in 0..MAX_DRAWS {
        let board = draw(&goal, &mut rng, variant);
        if !board.is_solved() {
            return Ok(board);
        }
    }
    // Never seen by anybody; three tiles turned round are an even permutation, so solvable.
    let mut tiles = goal.tiles().to_vec();
    tiles[..3].rotate_left(1);
    Ok(Board::rearranged(size, tiles))
}

/// One draw, uniform over the solvable boards.
fn draw(goal: &Board, rng: &mut PortableRng, variant: Variant) -> Board {
    let mut tiles = goal.tiles().to_vec();
    let movable = match variant {
        Variant::BlankAnywhere => tiles.len(),
        Variant::BlankHome => tiles.len() - 1,
    };
    rng.permute(&mut tiles[..movable]);
    let board = Board::rearranged(goal.size(), tiles);
    if board.is_solvable() {
        return board;
    }
    let exchanged = board.tiles().iter().map(|&tile| match tile {
        1 => 2,
        2 => 1,
        other => other,
    });
    Board::rearranged(goal.size(), exchanged.collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::grid::Cell;

    fn scrambled(size: &str, seed: &str, variant: Variant) -> Board {
        scramble(size.parse().unwrap(), &seed.parse().unwrap(), variant).unwrap()
    }

    #[test]
    fn the_boards_of_a_seed_never_change() {
        let drawn = GOLDEN.map(|(size, variant, _)| {
            (
                size,
                variant,
                scrambled(size, "gridrace", variant).to_string(),
            )
        });
        let golden = GOLDEN.map(|(size, variant, board)| (size, variant, board.to_owned()));
        assert_eq!(drawn, golden);
    }

    // A second implementation, in Python and from the documentation alone, agreed.
    const GOLDEN: [(&str, Variant, &str); 7] = [
        ("2x2", Variant::BlankAnywhere, "2 3/1 0"),
        ("2x2", Variant::BlankHome, "2 3/1 0"),
        ("3x3", Variant::BlankAnywhere, "4 2 5/6 7 8/1 3 0"),
        ("3x3", Variant::BlankHome, "5 3 4/8 6 1/2 7 0"),
        (
            "4x4",
            Variant::BlankAnywhere,
            "10 12 4 13/15 1 0 11/2 9 5 6/7 14 3 8",
        ),
        (
            "4x4",
            Variant::BlankHome,
            "9 8 5 11/1 12 7 15/2 4 3 10/14 13 6 0",
        ),
        (
            "3x5",
            Variant::BlankAnywhere,
            "12 6 0 3 10/13 8 2 4 1/5 7 11 14 9",
        ),
    ];

    #[test]
    fn all_boards_of_2x2_but_the_goal_come_up_about_as_often() {
        // Half of 4! and of 3! orders are solvable.
        for (variant, boards) in [(Variant::BlankAnywhere, 11), (Variant::BlankHome, 2)] {
            let mut counts = BTreeMap::new();
            for number in 0..boards * 400 {
                let board = scrambled("2x2", &format!("uniform-{number}"), variant);
                *counts.entry(board.to_string()).or_insert(0_u32) += 1;
            }
            assert_eq!(counts.len(), boards as usize);
            // Six standard deviations at most, 20 being one.
            assert!(
                counts.values().all(|count| count.abs_diff(400) < 120),
                "{counts:?}"
            );
        }
    }

    #[test]
    fn a_line_has_no_scramble() {
        let seed: Seed = "line".parse().unwrap();
        for (rows, cols) in [(1, 1), (1, 5), (5, 1), (2, 33)] {
            let refused = scramble(Size::new(rows, cols).unwrap(), &seed, Variant::BlankHome);
            assert!(refused.is_err(), "{rows}x{cols}");
        }
    }

    proptest! {
        #[test]
        fn a_scramble_is_solvable_and_not_solved(
            (rows, cols) in (2..10_usize, 2..10_usize),
            seed in "[a-z0-9]{1,8}",
        ) {
            let (size, seed) = (Size::new(rows, cols).unwrap(), seed.parse::<Seed>().unwrap());
            for variant in [Variant::BlankAnywhere, Variant::BlankHome] {
                let board = scramble(size, &seed, variant).unwrap();
                prop_assert!(board.is_solvable() && !board.is_solved());
                prop_assert_eq!(Board::from_tiles(size, board.tiles()), Ok(board.clone()));
                if variant == Variant::BlankHome {
                    prop_assert_eq!(board.blank(), Cell((rows * cols - 1) as u16));
                }
            }
        }
    }
}
