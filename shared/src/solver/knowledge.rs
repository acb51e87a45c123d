//! What is known of a board before anybody asks for a hint.
//!
//! Whoever draws the board of a seed knows more of it than players may: that goes with the
//! board to the hints, and never to a client.

use crate::puzzle::numberlink::{self, deduce};
use crate::puzzle::{Board, PuzzleSpec};
use crate::util::seed::Seed;
use serde::{Deserialize, Serialize};

/// What is known of a board: found once, used for every hint on it. It can't be printed, for
/// it holds the solution.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SolutionKnowledge {
    /// The sliding puzzle's solvers begin with the position alone.
    Slide,
    /// What is known of a Numberlink's solutions.
    Link(deduce::KnownSolution),
}

/// A board, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratedBoard {
    /// The board.
    pub board: Board,
    /// What is known of it.
    pub known: SolutionKnowledge,
}

impl SolutionKnowledge {
    /// Finds out about a board that wasn't drawn of a seed, which may take some 100 ms.
    #[must_use]
    pub fn find(board: &Board) -> Self {
        match board {
            Board::Slide(_) => Self::Slide,
            Board::Link(drawing) => {
                let budget = numberlink::KNOWN_BUDGET;
                Self::Link(deduce::KnownSolution::find(drawing.puzzle(), budget))
            }
        }
    }
}

impl GeneratedBoard {
    /// Draws the board that a seed names, [`PuzzleSpec::board`], and keeps what is known of
    /// it.
    ///
    /// ```
    /// use gridrace_shared::solver::knowledge::{GeneratedBoard, SolutionKnowledge};
    /// use gridrace_shared::puzzle::numberlink::deduce;
    /// use gridrace_shared::puzzle::PuzzleSpec;
    /// let (spec, seed): (PuzzleSpec, _) = ("link:6x6".parse()?, "friday".parse()?);
    /// let drawn = GeneratedBoard::of(&spec, &seed);
    /// assert_eq!(drawn.board, spec.board(&seed));
    /// assert!(drawn.solved().is_some_and(|board| board.is_solved()));
    /// assert!(matches!(drawn.known, SolutionKnowledge::Link(deduce::KnownSolution::OneSolution(_))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of(spec: &PuzzleSpec, seed: &Seed) -> Self {
        match spec {
            PuzzleSpec::Slide(_) => {
                Self { board: spec.board(seed), known: SolutionKnowledge::Slide }
            }
            PuzzleSpec::Link(spec) => Self::link(spec.drawn(seed)),
        }
    }

    /// Draws the same board, unless `go_on` says in between that nobody wants it any more.
    #[must_use]
    pub fn of_while(spec: &PuzzleSpec, seed: &Seed, go_on: &dyn Fn() -> bool) -> Option<Self> {
        match spec {
            PuzzleSpec::Slide(_) => Some(Self::of(spec, seed)),
            PuzzleSpec::Link(spec) => spec.drawn_while(seed, go_on).map(Self::link),
        }
    }

    fn link((drawing, known): (numberlink::Drawing, deduce::KnownSolution)) -> Self {
        Self { board: Board::Link(drawing), known: SolutionKnowledge::Link(known) }
    }

    /// Returns the board with its solution drawn, for when nothing is secret any more; nothing
    /// where a family has none to show, or none is known.
    #[must_use]
    pub fn solved(&self) -> Option<Board> {
        let (Board::Link(drawing), SolutionKnowledge::Link(known)) = (&self.board, &self.known)
        else {
            return None;
        };
        let mut drawing = numberlink::Drawing::new(std::sync::Arc::clone(drawing.puzzle()));
        for link in &known.solution()?.0 {
            let stroke = numberlink::Stroke::Draw(link.clone());
            drawing.play(&stroke).ok()?;
        }
        Some(Board::Link(drawing))
    }
}

/// A board that wasn't drawn of a seed.
impl From<Board> for GeneratedBoard {
    fn from(board: Board) -> Self {
        let known = SolutionKnowledge::find(&board);
        Self { board, known }
    }
}

impl std::fmt::Debug for SolutionKnowledge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Slide => "Slide",
            Self::Link(_) => "Link(..)",
        })
    }
}
