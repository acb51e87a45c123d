//! The check of a solution: its moves, played by the rules of a heat.

use gridrace_shared::puzzle::MoveCount;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::solve::Solution;

/// A solution that was played from its board to the solved one.
pub struct Checked {
    /// Its moves, counted by the rules of a heat.
    pub moves: MoveCount,
}

impl Checked {
    /// Plays the moves, each run in one direction as one slide; nothing where one of them
    /// is illegal or they end elsewhere than at the goal, the board in order or another.
    pub fn new(board: &Board, goal: Option<&Board>, solution: &Solution) -> Option<Self> {
        let (mut board, mut moves) = (board.clone(), MoveCount::default());
        for run in solution.moves().chunk_by(|one, next| one == next) {
            let back = run[0].opposite();
            let cell =
                run.iter().try_fold(board.blank(), |cell, _| board.size().neighbour(cell, back))?;
            moves += MoveCount { moves: board.play(cell).ok()?.tiles.into(), acts: 1 };
        }
        let there = goal.map_or_else(|| board.is_solved(), |goal| board == *goal);
        there.then_some(Self { moves })
    }
}
