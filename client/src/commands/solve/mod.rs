//! `gridrace solve`: the moves of a board, how good they are, and the check.

mod checked;
pub(crate) mod input;
pub(crate) mod link;
mod list;
mod print;
mod search;
mod summary;

use crate::cli::args::solve::{MetricChoice, Solve};
use crate::cli::exit_code::{Exit, Failure};
use checked::Checked;
use gridrace_shared::puzzle::slide::Board;
use gridrace_shared::puzzle::slide::parity::transposition_distance;
use input::{Input, List};
use search::{Found, NotFound, Searches};
use std::io::{self, BufWriter, Write};

/// Solves what is given, and prints the solutions.
///
/// # Errors
/// [`Failure`] with [`Exit::Usage`] for a text that is no board, with [`Exit::Failure`] for
/// a board that can't be solved, and for a list where any line has no answer.
pub fn run(args: &Solve) -> Result<(), Failure> {
    let out = &mut BufWriter::new(io::stdout().lock());
    let text = input::text(args)?;
    if link::is_meant(&text) {
        return link::run(&text, args, out);
    }
    if args.rule.is_some() {
        let why = "--rule goes with Numberlink, and this is a sliding puzzle";
        return Err(Failure::said(Exit::Usage, why));
    }
    if args.metric == MetricChoice::Mtm && !args.may_be_mtm() {
        let why = "--metric mtm goes with the optimal solver alone, and without --goal and --time";
        return Err(Failure::said(Exit::Usage, why));
    }
    if args.time.is_some() && !args.may_be_near() {
        let why = "--time goes with the near solver alone: --budget bounds the others";
        return Err(Failure::said(Exit::Usage, why));
    }
    let searches = Searches::new(args, input::goal(args)?);
    match input::read(&text, args)? {
        Input::One(board) if !args.summary => one(&board, args, &searches, out),
        Input::One(board) => list::run(&List::of(&board), args, &searches, out),
        Input::List(_) if args.trace => Err(Failure::said(Exit::Usage, "--trace takes one board")),
        Input::List(list) => list::run(&list, args, &searches, out),
    }
}

fn one(
    board: &Board,
    args: &Solve,
    searches: &Searches,
    out: &mut impl Write,
) -> Result<(), Failure> {
    match answer(board, searches) {
        Ok((found, checked)) => {
            if args.json {
                print::json(board, &found, &checked, args, None, out)?;
            } else {
                print::text(board, &found, &checked, args, out)?;
            }
            Ok(out.flush()?)
        }
        Err(why) => {
            if let NoAnswer::Unsolvable(why) = &why
                && args.json
            {
                print::refused(board, why, None, out)?;
                out.flush()?;
            }
            Err(Failure::new(why.exit(), why))
        }
    }
}

/// Why a board has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum NoAnswer {
    /// No moves solve it.
    #[error("this board can't be solved: {0}")]
    Unsolvable(String),
    /// The budget was too small.
    #[error("the budget was spent before one was found{}", proven(*.0))]
    OverBudget(u32),
    /// Ctrl-C came first.
    #[error("interrupted{}", proven(*.0))]
    Interrupted(u32),
    /// The solver gave moves that don't solve it.
    #[error("the moves don't solve the board: this is a fault of the program")]
    Wrong,
}

impl NoAnswer {
    const fn exit(&self) -> Exit {
        match self {
            Self::Unsolvable(_) | Self::OverBudget(_) | Self::Wrong => Exit::Failure,
            Self::Interrupted(_) => Exit::Interrupted,
        }
    }
}

/// Solves a board, and plays the moves by the rules of a heat.
fn answer(board: &Board, searches: &Searches) -> Result<(Found, Checked), NoAnswer> {
    let found = searches.solve(board).map_err(|not_found| match not_found {
        NotFound::Unsolvable => NoAnswer::Unsolvable(why_unsolvable(board, searches.goal())),
        NotFound::OverBudget { at_least } => NoAnswer::OverBudget(at_least),
        NotFound::Interrupted { at_least } => NoAnswer::Interrupted(at_least),
    })?;
    let checked = Checked::new(board, searches.goal(), &found.solution).ok_or(NoAnswer::Wrong)?;
    Ok((found, checked))
}

/// Says what is proven of all solutions, where something is.
fn proven(at_least: u32) -> String {
    match at_least {
        0 => String::new(),
        moves => format!("; every solution has {moves} moves or more"),
    }
}

/// Says why a board can't be solved: for the board in order by parity.
fn why_unsolvable(board: &Board, goal: Option<&Board>) -> String {
    let size = board.size();
    match goal {
        Some(goal) if goal.size() != size => {
            return format!("it is {size}, and the goal is {}", goal.size());
        }
        Some(goal) if !goal.is_solved() => return "no moves lead from it to the goal".to_owned(),
        Some(_) | None => {}
    }
    if size.rows() == 1 || size.cols() == 1 {
        return "in a single row or column no tile passes another, and these aren't in order"
            .to_owned();
    }
    let swaps = transposition_distance(board);
    let steps = size.distance(board.blank(), board.home(0));
    format!(
        "swaps that bring everything home: {swaps}, steps of the blank to its own: {steps}; \
         {swaps} + {steps} is odd, and no move changes that"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsolvable_board_is_explained_by_parity() {
        let why = |text: &str| why_unsolvable(&text.parse().unwrap(), None);
        assert!(why("2 1/3 0").contains("1 + 0 is odd"), "{}", why("2 1/3 0"));
        assert!(why("2 1 0").contains("single row"));
    }
}
