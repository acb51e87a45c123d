//! Scrambles: uniformly distributed solvable boards, generated from a seed.
//!
//! All cells (or all but the last) are permuted uniformly. If the parity is wrong, the first two
//! tiles are swapped. That swap is a bijection between the unsolvable and the solvable
//! arrangements that does not move the blank, so every solvable board results from exactly two of
//! the equally likely permutations.

use crate::puzzle::slide::parity::is_solvable;
use crate::puzzle::slide::{Board, MAX_SIDE};
use crate::util::grid::Size;
use crate::util::seed::{PortableRng, Seed};

/// Where the blank of a scramble may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Variant {
    BlankAnywhere,
    /// In the last cell, its home.
    BlankHome,
}

impl Variant {
    const fn domain(self) -> &'static str {
        match self {
            Self::BlankAnywhere => "gridrace slide scramble",
            Self::BlankHome => "gridrace slide scramble, blank home",
        }
    }
}

/// The error for a size that cannot be scrambled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a scramble has 2 to 128 rows and columns, not {0}")]
pub struct ScrambleSizeError(pub Size);

/// Returns a scramble: every solvable board except the solved one is equally likely.
///
/// A seed gives the same board on every machine and in every version.
///
/// ```
/// use gridrace_shared::puzzle::slide::scramble::{Variant, scramble};
/// let board = scramble("3x3".parse()?, &"friday".parse()?, Variant::BlankHome)?;
/// assert!(!board.is_solved());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn scramble(size: Size, seed: &Seed, variant: Variant) -> Result<Board, ScrambleSizeError> {
    let sides = 2..=MAX_SIDE;
    if !sides.contains(&size.rows()) || !sides.contains(&size.cols()) {
        return Err(ScrambleSizeError(size));
    }
    Ok(scramble_within(size, seed, variant))
}

/// Like [`scramble`], for a size that is known to have at least two rows and columns.
pub(super) fn scramble_within(size: Size, seed: &Seed, variant: Variant) -> Board {
    let mut rng = seed.rng(variant.domain(), &size.to_string());
    // The smallest case has three boards, one of them solved: a third of the draws is repeated.
    loop {
        let board = random_solvable(size, &mut rng, variant);
        if !board.is_solved() {
            return board;
        }
    }
}

/// Returns one of all solvable boards, the solved one included.
fn random_solvable(size: Size, rng: &mut PortableRng, variant: Variant) -> Board {
    let last = u16::try_from(size.cells() - 1).unwrap_or(u16::MAX);
    let mut tiles: Vec<u16> = (1..=last).chain([0]).collect();
    let open = match variant {
        Variant::BlankAnywhere => size.cells(),
        Variant::BlankHome => size.cells() - 1,
    };
    rng.permute(&mut tiles[..open]);
    let board = Board::of_permutation(size, tiles);
    if is_solvable(&board) { board } else { board.with_first_pair_swapped() }
}

impl Board {
    /// Swaps the tiles of the first two cells that do not hold the blank.
    fn with_first_pair_swapped(self) -> Self {
        let blank = usize::from(self.blank().0);
        let mut tiles = self.tiles().to_vec();
        let mut cells = (0..tiles.len()).filter(|&cell| cell != blank);
        if let (Some(a), Some(b)) = (cells.next(), cells.next()) {
            tiles.swap(a, b);
        }
        Self::of_permutation(self.size(), tiles)
    }
}

/// Any board with up to six rows and columns, solvable or not.
#[cfg(test)]
pub(crate) fn any_board() -> impl proptest::strategy::Strategy<Value = Board> {
    use proptest::prelude::*;
    (1usize..7, 1usize..7).prop_flat_map(|(rows, cols)| {
        let cells = u16::try_from(rows * cols).unwrap();
        Just((0..cells).collect::<Vec<u16>>()).prop_shuffle().prop_map(move |tiles| {
            Board::from_tiles(Size::new(rows, cols).unwrap(), tiles).unwrap()
        })
    })
}

#[cfg(test)]
pub(crate) fn scrambled(rows: usize, cols: usize, seed: u32) -> Board {
    let seed = format!("s{seed}").parse().unwrap();
    scramble_within(Size::new(rows, cols).unwrap(), &seed, Variant::BlankAnywhere)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn board(size: &str, seed: &str, variant: Variant) -> Board {
        scramble(size.parse().unwrap(), &seed.parse().unwrap(), variant).unwrap()
    }

    #[test]
    fn golden_seeds_give_their_boards() {
        for line in GOLDEN.lines() {
            let [size, blank, golden] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else {
                panic!()
            };
            let variant = if blank == "home" { Variant::BlankHome } else { Variant::BlankAnywhere };
            assert_eq!(board(size, "golden", variant).to_string(), golden, "{size}");
        }
    }

    const GOLDEN: &str = "\
2x2 anywhere 2 3/1 0
3x3 anywhere 4 8 7/1 6 3/2 5 0
4x4 anywhere 9 1 11 15/14 10 12 13/2 4 6 0/8 3 7 5
3x5 anywhere 3 4 5 6 12/1 9 0 13 14/7 8 2 10 11
16x2 anywhere 15 2/10 20/9 28/25 29/5 11/26 23/6 18/12 17/7 30/21 16/3 31/27 13/22 24/4 19/1 14/8 0
6x6 anywhere 19 8 13 31 14 35/5 26 11 27 21 28/18 6 24 32 12 7/15 20 34 1 0 10/3 25 4 2 17 33/22 29 30 16 9 23
2x2 home 3 1/2 0
3x3 home 1 5 7/6 3 4/2 8 0
4x4 home 3 4 9 1/15 8 14 6/13 5 2 12/11 7 10 0
3x5 home 13 4 5 10 11/12 7 14 9 1/8 2 6 3 0
16x2 home 22 5/7 21/17 6/12 2/24 4/31 14/29 27/15 10/26 25/18 23/3 8/16 19/30 11/28 1/13 9/20 0
6x6 home 6 21 14 22 26 15/18 25 34 5 19 2/27 3 4 1 17 7/13 31 10 20 29 23/24 30 33 12 35 8/11 28 9 16 32 0";

    #[test]
    fn every_solvable_board_is_equally_likely() {
        for (variant, boards) in [(Variant::BlankAnywhere, 12), (Variant::BlankHome, 3)] {
            let mut counts = BTreeMap::new();
            let mut rng = "even".parse::<Seed>().unwrap().rng("test", "");
            let draws = 1_000 * boards;
            for _ in 0..draws {
                let board = random_solvable("2x2".parse().unwrap(), &mut rng, variant);
                assert!(is_solvable(&board));
                *counts.entry(board.to_string()).or_insert(0u32) += 1;
            }
            assert_eq!(counts.len(), boards);
            assert!(counts.values().all(|&count| (850..1_150).contains(&count)), "{counts:?}");
        }
    }

    #[test]
    fn scrambles_are_solvable_and_never_solved() {
        for n in 0..200 {
            for size in ["2x2", "2x3", "5x4"] {
                for variant in [Variant::BlankAnywhere, Variant::BlankHome] {
                    let board = board(size, &format!("s{n}"), variant);
                    assert!(is_solvable(&board) && !board.is_solved());
                    assert!(variant == Variant::BlankAnywhere || board.at_home(board.blank()));
                }
            }
        }
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        for size in ["1x1", "1x9", "9x1", "128x1"] {
            let size = size.parse().unwrap();
            let seed = "a".parse().unwrap();
            assert_eq!(scramble(size, &seed, Variant::BlankHome), Err(ScrambleSizeError(size)));
        }
    }
}
