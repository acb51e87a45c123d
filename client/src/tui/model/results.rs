//! The end of a heat, and whether it was drawn as it was promised.

use gridrace_shared::protocol::snapshot::{HeatResult, Setup};
use gridrace_shared::puzzle::Board;
use gridrace_shared::solver::knowledge::GeneratedBoard;

/// A heat that is over.
#[derive(Debug, Clone)]
pub struct Results {
    /// What the server says.
    pub result: HeatResult,
    /// What this program finds.
    pub check: Check,
    /// The first line shown, where they don't all fit.
    pub scroll: usize,
    /// The board with its solution, where a family has one to show, once it is drawn.
    pub solution: Option<Board>,
    /// Whether that is shown in place of the places.
    pub shows_solution: bool,
}

/// Whether the revealed seed is what was promised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// Seed and salt give the commitment that was published before the start.
    pub commitment: bool,
    /// The seed gives the board that was played; nothing as long as it is being drawn.
    pub board: Option<bool>,
}

impl Results {
    /// Takes in a result and checks it against what was promised and what was played.
    /// Whether the seed gives the board is known once that is drawn.
    #[must_use]
    pub fn new(result: HeatResult, promised: &Setup, played: Option<&Board>) -> Self {
        let spec = &promised.options.spec;
        let was_played = played.is_none_or(|played| *played == result.start);
        let check = Check {
            commitment: result.reveal.proves(spec, promised.commitment),
            board: (!was_played).then_some(false),
        };
        Self { result, check, scroll: 0, solution: None, shows_solution: false }
    }

    /// Takes in the board that the revealed seed gives.
    pub fn compare(&mut self, drawn: &GeneratedBoard) {
        let is_raced = drawn.board == self.result.start;
        self.check.board.get_or_insert(is_raced);
        if is_raced {
            self.solution = drawn.solved();
        }
    }
}
