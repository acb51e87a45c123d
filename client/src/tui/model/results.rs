//! The end of a heat, and whether its board is the one that was promised.

use gridrace_shared::heat_view::EndedHeat;
use gridrace_shared::protocol::snapshot::{HeatResult, Setup};
use gridrace_shared::puzzle::Board;
use gridrace_shared::solver::knowledge::GeneratedBoard;

/// What is shown of a heat that is over.
#[derive(Debug, Clone, Default)]
pub struct ResultsPage {
    pub check: Check,
    /// The first row shown, if they don't all fit.
    pub scroll: usize,
    /// The board with its solution, for families that show one, once it is drawn.
    pub solution: Option<Board>,
    /// Whether the solution is shown in place of the standings.
    pub shows_solution: bool,
}

/// Whether the revealed seed is what was promised.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Check {
    /// Seed and salt give the commitment that was published before the start.
    pub commitment: bool,
    /// The seed gives the board that was played. None while the board is being drawn.
    pub board: Option<bool>,
}

impl ResultsPage {
    /// Checks a result against what was promised and what was played. Whether the seed gives
    /// the board is known once [`ResultsPage::compare`] has it.
    pub fn new(ended: &EndedHeat, promised: &Setup) -> Self {
        let spec = &promised.options.spec;
        let check = Check {
            commitment: ended.result.reveal.proves(spec, promised.commitment),
            board: (!ended.start_matches).then_some(false),
        };
        Self { check, ..Self::default() }
    }

    /// Takes the board that the revealed seed gives.
    pub fn compare(&mut self, result: &HeatResult, drawn: &GeneratedBoard) {
        let is_raced = drawn.board == result.start;
        self.check.board.get_or_insert(is_raced);
        if is_raced {
            self.solution = drawn.solved();
        }
    }
}
