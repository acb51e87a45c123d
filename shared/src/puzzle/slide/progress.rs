//! How far a board has come, for people to look at.

use crate::puzzle::slide::Board;

/// Returns how far a board has come from the heat's start, 0 to 1000; 1000 only when solved.
///
/// What is remaining is the sum of the tiles' Manhattan distances from home plus the number
/// of tiles not at home; the progress is the share of the start's that is done. It may go
/// back: so does whoever takes a finished row apart.
#[must_use]
pub fn progress(start: &Board, now: &Board) -> u16 {
    if now.is_solved() {
        return 1_000;
    }
    let (remaining, at_start) = (remaining(now), remaining(start).max(1));
    let done = 1_000 * at_start.saturating_sub(remaining) / at_start;
    u16::try_from(done).unwrap_or(u16::MAX).min(999)
}

fn remaining(board: &Board) -> usize {
    let cells = board.tiles().iter().zip(0..).filter(|&(&tile, _)| tile != 0);
    cells
        .map(|(&tile, cell)| board.size().distance(crate::util::grid::Cell(cell), board.home(tile)))
        .map(|distance| distance + usize::from(distance > 0))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::slide::scramble::any_board;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn only_a_solved_board_has_all_of_it(start in any_board(), slides in prop::collection::vec(any::<prop::sample::Index>(), 0..50)) {
            let mut board = start.clone();
            for slide in slides {
                let legal: Vec<_> = board.legal_moves().collect();
                if !legal.is_empty() {
                    board.play(*slide.get(&legal)).unwrap();
                }
                let progress = progress(&start, &board);
                prop_assert!(progress <= 1_000);
                prop_assert_eq!(progress == 1_000, board.is_solved());
            }
        }
    }
}
