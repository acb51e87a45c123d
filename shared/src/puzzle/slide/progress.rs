//! Progress of a board, for display.

use crate::puzzle::slide::Board;

/// Returns a board's progress from the start of the heat, 0 to 1000; 1000 only when solved.
///
/// The remaining work is the sum of the tiles' Manhattan distances plus the number of tiles that
/// are not at home. Progress is the share of the starting work that is done; it may decrease.
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
        fn progress_is_complete_only_when_solved(start in any_board(), slides in prop::collection::vec(any::<prop::sample::Index>(), 0..50)) {
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
