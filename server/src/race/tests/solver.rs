//! The solver that stands in for the pool.

use super::*;

impl Log {
    /// Answers a `Solve` for this board.
    pub(super) fn hinted(&mut self, by: u32, number: u32, board: &Board) -> &mut Self {
        let after = Seq(self.seq(by));
        let known = SolutionKnowledge::find(board);
        let style =
            self.race.pending_hint(id(by), number).map_or(HintStyle::Shortest, |it| it.style);
        self.answered(by, number, (after, style), board, None, &known)
    }

    /// Answers a question about a board and the one before.
    pub(super) fn answered(
        &mut self,
        by: u32,
        number: u32,
        (after, style): (Seq, HintStyle),
        board: &Board,
        before: Option<&Board>,
        known: &SolutionKnowledge,
    ) -> &mut Self {
        let (by, asked) = (id(by), (after, style, self.attempt));
        match self.answer(by, number, asked, board, before, known) {
            HintStep::Answer(outcome) => {
                self.does(Event::Hinted { by, number, outcome });
            }
            HintStep::Solve(request, attempt) => {
                self.attempt = attempt;
                self.last = vec![Effect::FindHint(Box::new(request))];
            }
        }
        self
    }

    /// Returns what comes of the solver's answer.
    pub(super) fn answer(
        &mut self,
        by: PlayerId,
        number: u32,
        asked: HintAsked,
        board: &Board,
        before: Option<&Board>,
        known: &SolutionKnowledge,
    ) -> HintStep {
        let Some(request) = self.race.pending_hint(by, number) else {
            // The race ignores it.
            return HintStep::Answer(Err(HintError::Busy));
        };
        let (solvers, nodes) = (SolverResources::none(), &mut NodesUsed::default());
        let answer = HintAnswer::find(board, before, asked.1, known, &solvers, nodes);
        let outcome = answer.map_err(HintError::Unsolved);
        self.plans.take_answer(request, asked, outcome, self.race.is_connected(by))
    }

    /// Answers the question that the latest event has put.
    pub(super) fn answers(&mut self) {
        let asked = self.last.iter().find_map(|effect| match effect {
            Effect::FindHint(question) => Some(question.clone()),
            _ => None,
        });
        let HintRequest { player, style, number, after, board, before, known } = *asked.unwrap();
        self.answered(player.0, number, (after, style), &board, before.as_ref(), &known);
    }
}

pub(super) fn plan(board: &Board) -> Plan {
    Plan::plan(board, Aim::Plain, HINT_BUDGET, &SolverResources::none()).unwrap()
}

pub(super) fn solution(board: &Board) -> Vec<Move> {
    let (mut board, mut moves) = (board.clone(), Vec::new());
    let mut guide = plan(&board);
    while let Some(hint) = guide.next(&board) {
        let play = hint.play(&board).unwrap();
        board.play(&play).unwrap();
        moves.push(play);
    }
    moves
}
