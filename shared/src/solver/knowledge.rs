//! Knowledge of a board's solution from its generation, for hints.
//!
//! The generator of a board knows more of it than players may: that goes with the board to the
//! hints, and never to a client.

use crate::puzzle::{Board, Family, PuzzleSpec, families};
use crate::util::seed::Seed;
use serde::{Deserialize, Serialize};

/// A board, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratedBoard {
    pub board: Board,
    pub known: SolutionKnowledge,
}

macro_rules! define_knowledge {
    ($($Variant:ident = $module:ident,)+) => {
        /// What is known of a board's solutions: found once, used for every hint on it. Not
        /// printable, as it holds the solution.
        #[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
        pub enum SolutionKnowledge {
            $(#[doc = concat!("Of `", stringify!($module), "`.")]
            $Variant(<families::$Variant as Family>::Knowledge),)+
        }

        impl SolutionKnowledge {
            /// Finds out about a board that wasn't generated from a seed, within some 100 ms.
            pub fn find(board: &Board) -> Self {
                match board {
                    $(Board::$Variant(board) => {
                        Self::$Variant(families::$Variant::find_knowledge(board))
                    })+
                }
            }
        }

        impl std::fmt::Debug for SolutionKnowledge {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $(Self::$Variant(_) => concat!(stringify!($Variant), "(..)"),)+
                })
            }
        }

        impl GeneratedBoard {
            /// Generates the board of a seed, [`PuzzleSpec::board`], and keeps what the generator
            /// knows of it.
            ///
            /// ```
            /// use gridrace_shared::solver::knowledge::{GeneratedBoard, SolutionKnowledge};
            /// use gridrace_shared::puzzle::numberlink::deduce::KnownSolution;
            /// use gridrace_shared::puzzle::PuzzleSpec;
            /// let (spec, seed): (PuzzleSpec, _) = ("link:6x6".parse()?, "friday".parse()?);
            /// let generated = GeneratedBoard::of(&spec, &seed);
            /// assert_eq!(generated.board, spec.board(&seed));
            /// assert!(generated.solved().is_some_and(|board| board.is_solved()));
            /// let SolutionKnowledge::Link(known) = generated.known else { unreachable!() };
            /// assert!(matches!(known, KnownSolution::OneSolution(_)));
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            pub fn of(spec: &PuzzleSpec, seed: &Seed) -> Self {
                match spec {
                    $(PuzzleSpec::$Variant(spec) => {
                        let (board, known) = families::$Variant::generate(*spec, seed);
                        Self {
                            board: Board::$Variant(board),
                            known: SolutionKnowledge::$Variant(known),
                        }
                    })+
                }
            }

            /// Like [`GeneratedBoard::of`]; returns `None` once `should_continue` returns false.
            pub fn of_while(
                spec: &PuzzleSpec,
                seed: &Seed,
                should_continue: &dyn Fn() -> bool,
            ) -> Option<Self> {
                match spec {
                    $(PuzzleSpec::$Variant(spec) => {
                        let generated =
                            families::$Variant::generate_while(*spec, seed, should_continue);
                        generated.map(|(board, known)| Self {
                            board: Board::$Variant(board),
                            known: SolutionKnowledge::$Variant(known),
                        })
                    })+
                }
            }

            /// Returns the solved board to show once nothing is secret any more; `None` if the
            /// family shows none, or no solution is known.
            pub fn solved(&self) -> Option<Board> {
                match (&self.board, &self.known) {
                    $((Board::$Variant(board), SolutionKnowledge::$Variant(known)) => {
                        families::$Variant::solved(board, known).map(Board::$Variant)
                    })+
                    _ => None,
                }
            }
        }
    };
}

crate::for_each_family!(define_knowledge);

impl From<Board> for GeneratedBoard {
    fn from(board: Board) -> Self {
        let known = SolutionKnowledge::find(&board);
        Self { board, known }
    }
}
