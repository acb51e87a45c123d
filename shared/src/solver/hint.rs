//! Hints, the guide that a solver makes for a board, and what a board needs at least.

use crate::heat::standings::Best;
use crate::puzzle::numberlink;
use crate::puzzle::numberlink::deduce;
use crate::puzzle::slide;
use crate::puzzle::slide::solve::tables::Tables;
use crate::puzzle::{Board, Move};
use crate::solver::knowledge::Known;
use serde::{Deserialize, Serialize};

/// A solver's advice on a board, as each family gives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hint {
    /// On a position of the sliding puzzle.
    Slide(slide::Hint),
    /// On what is drawn on a Numberlink.
    Link(numberlink::deduce::LinkHint),
}

/// A bound on a solver's work, in nodes: the same answer on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Budget(pub u64);

/// The work that was done, in nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spent(pub u64);

/// The work that the plan for a hint may cost: with default tables some 15 ms, in which
/// the shortest way is found from four of five boards of 4×4.
pub const HINT_BUDGET: Budget = Budget(250_000);
/// The work that it may cost to judge the last move where the shortest way is known: some
/// 8 ms.
pub const JUDGE_BUDGET: Budget = Budget(120_000);

/// What a plan is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Aim {
    /// As a person goes about it: any way home, line after line.
    Plain,
    /// Short, and quickly found.
    Short,
    /// The shortest where the tables and the budget allow it, else short.
    Shortest,
}

/// What the solvers have at hand, for every family that needs something: a snapshot that
/// is cheap to take.
#[derive(Debug, Clone, Default)]
pub struct Solvers {
    /// The tables of the sliding puzzle.
    pub slide: Tables,
}

/// Why a solver has no advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Unsolved {
    /// No sequence of moves solves the board.
    #[error("the board can't be solved")]
    Unsolvable,
    /// The budget was spent first.
    #[error("the budget was spent before a solution was found")]
    OverBudget,
}

/// A solver's plan: the moves from a board to the solved one.
///
/// Whoever follows a guide to its end gets home, and whoever leaves it needs another one.
/// Following only the first move of each new plan might run in circles, for a plan that
/// isn't the shortest may begin with what the last one has just done.
///
/// ```
/// use gridrace_shared::solver::hint::{Aim, Guide, HINT_BUDGET, Solvers};
/// use gridrace_shared::puzzle::PuzzleSpec;
/// let spec: PuzzleSpec = "slide:4x4".parse()?;
/// let mut board = spec.board(&"friday".parse()?);
/// let mut guide = Guide::plan(&board, Aim::Short, HINT_BUDGET, &Solvers::none())?;
/// while let Some(play) = guide.next(&board).and_then(|hint| hint.play(&board)) {
///     board.play(&play)?;
/// }
/// assert!(board.is_solved());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Guide {
    /// For the sliding puzzle.
    Slide(slide::Guide),
    /// For Numberlink.
    Link(numberlink::Guide),
}

/// The solver's answer to whoever asks for a hint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The way home from the board.
    pub guide: Guide,
    /// How many single-tile moves further from home the board is than the one before the
    /// last move, below 0 where it is nearer; nothing where that isn't known.
    pub further: Option<i32>,
}

impl Hint {
    /// Returns the move that it comes down to on the board that it is about.
    #[must_use]
    pub fn play(&self, board: &Board) -> Option<Move> {
        match (self, board) {
            (Self::Slide(hint), _) => Some(Move::Slide(hint.play)),
            (Self::Link(hint), Board::Link(drawing)) => hint.stroke(drawing).map(Move::Link),
            (Self::Link(_), Board::Slide(_)) => None,
        }
    }
}

impl Solvers {
    /// Nothing at hand: every solver does without.
    #[must_use]
    pub const fn none() -> Self {
        Self::with_tables(Tables::none())
    }

    /// Takes the tables that stand.
    #[must_use]
    pub const fn with_tables(tables: Tables) -> Self {
        Self { slide: tables }
    }
}

impl Guide {
    /// Plans from a board of which nothing is known.
    ///
    /// # Errors
    /// [`Unsolved`] where there is no solution, or none within the budget.
    pub fn plan(
        board: &Board,
        aim: Aim,
        budget: Budget,
        solvers: &Solvers,
    ) -> Result<Self, Unsolved> {
        match board {
            Board::Slide(board) => {
                slide::Guide::plan(board, aim, budget, &solvers.slide).map(Self::Slide)
            }
            Board::Link(drawing) => {
                let known = deduce::KnownSolution::Nothing;
                numberlink::Guide::plan(drawing, &known, budget).map(Self::Link)
            }
        }
    }

    /// Returns the hint for a board that lies on the guide's way, not too far ahead of the
    /// one for which it gave the last; nothing for any other board, nor for a solved one.
    #[must_use]
    pub fn next(&mut self, board: &Board) -> Option<Hint> {
        match (self, board) {
            (Self::Slide(guide), Board::Slide(board)) => guide.next(board).map(Hint::Slide),
            (Self::Link(guide), Board::Link(drawing)) => guide.next(drawing).map(Hint::Link),
            (Self::Slide(_), Board::Link(_)) | (Self::Link(_), Board::Slide(_)) => None,
        }
    }

    /// Returns how many moves are left from a board for which [`Guide::next`] has a hint, or
    /// from the guide's end, where a family counts them.
    #[must_use]
    pub fn remaining(&self, board: &Board) -> Option<u32> {
        match (self, board) {
            (Self::Slide(guide), Board::Slide(board)) => guide.remaining(board),
            (Self::Slide(_), Board::Link(_)) | (Self::Link(_), _) => None,
        }
    }

    /// Returns what is known of the puzzle by now: whoever plans again begins with it.
    #[must_use]
    pub fn known(&self) -> Known {
        match self {
            Self::Slide(_) => Known::Slide,
            Self::Link(guide) => Known::Link(guide.known()),
        }
    }

    /// Says whether no way home is shorter than what is left of this one.
    #[must_use]
    pub fn is_shortest(&self) -> bool {
        match self {
            Self::Slide(guide) => guide.is_shortest(),
            Self::Link(_) => true,
        }
    }
}

impl Answer {
    /// Plans for a hint, by what is known of the board. Where the board before the last move
    /// is given, the solver looks from there, too, and says what the move has brought.
    ///
    /// # Errors
    /// [`Unsolved`] where there is no solution, or none within [`HINT_BUDGET`], or that of
    /// [`numberlink::Guide::plan`].
    pub fn find(
        board: &Board,
        before: Option<&Board>,
        known: &Known,
        solvers: &Solvers,
    ) -> Result<Self, Unsolved> {
        Self::find_counting(board, before, known, solvers, &mut Spent::default())
    }

    /// Does the same, and counts what it takes.
    ///
    /// # Errors
    /// Those of [`Answer::find`].
    pub fn find_counting(
        board: &Board,
        before: Option<&Board>,
        known: &Known,
        solvers: &Solvers,
        spent: &mut Spent,
    ) -> Result<Self, Unsolved> {
        match board {
            Board::Slide(board) => {
                let tables = &solvers.slide;
                let (aim, budget) = (Aim::Shortest, HINT_BUDGET);
                let guide = slide::Guide::plan_counting(board, aim, budget, tables, spent)?;
                let (guide, further) = match before {
                    Some(Board::Slide(before)) => guide.judge(before, JUDGE_BUDGET, tables, spent),
                    Some(Board::Link(_)) | None => (guide, None),
                };
                let guide = Guide::Slide(guide);
                Ok(Self { guide, further })
            }
            Board::Link(drawing) => {
                let known = match known {
                    Known::Link(known) => known,
                    Known::Slide => &deduce::KnownSolution::Nothing,
                };
                let guide = numberlink::Guide::plan_counting(drawing, known, HINT_BUDGET, spent)?;
                let guide = Guide::Link(guide.explain(drawing, spent));
                let further = None;
                Ok(Self { guide, further })
            }
        }
    }
}

/// Finds out how many moves a board needs, as well as that is possible at a
/// cost that pays once a heat. `go_on` is called every tens of milliseconds: others may go
/// first, and where it says no, that is the end, and nothing has been found out.
///
/// # Errors
/// [`Unsolved::Unsolvable`].
pub fn rate(
    board: &Board,
    solvers: &Solvers,
    go_on: &dyn Fn() -> bool,
) -> Result<Option<Best>, Unsolved> {
    match board {
        Board::Slide(board) => slide::rate(board, &solvers.slide, go_on),
        // Each link needs a move of its own, and whoever knows their courses no more.
        Board::Link(drawing) => {
            let pairs = drawing.puzzle().pairs().len();
            let pairs = u32::try_from(pairs).unwrap_or(u32::MAX);
            Ok(Some(Best::of(pairs, pairs)))
        }
    }
}
