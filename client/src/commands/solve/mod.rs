//! `gridrace solve`: the moves of a board, how good they are, and the check.

mod answer;
pub(crate) mod input;
mod lines;
pub(crate) mod link;
mod list;
mod print;
mod search;
mod solutions;
mod summary;
mod walk;

use crate::cli::args::solve::{MetricChoice, SolveArgs, SolverChoice};
use crate::cli::exit_code::{Exit, Failure};
use answer::{AnswerError, answer};
use gridrace_shared::puzzle::slide::Board;
use input::{SlideBoards, SlideList};
use search::Searches;
use std::io::{self, BufWriter, Write};

/// Solves what is given, and prints the solutions. Fails if a line of a list has no answer.
pub fn run(args: &SolveArgs) -> Result<(), Failure> {
    let out = &mut BufWriter::new(io::stdout().lock());
    let text = input::text(args)?;
    let by_rule = args.rule.is_some() && link::input::may_be_meant(&text);
    if by_rule || link::input::is_meant(&text) {
        if args.lists_solutions() {
            let why = "--all and --count go with sliding puzzles, and this is a Numberlink";
            return Err(Failure::usage(why));
        }
        return link::run(&text, args, out);
    }
    if args.rule.is_some() {
        return Err(Failure::usage("--rule goes with Numberlink, and this is a sliding puzzle"));
    }
    if args.goal.as_deref().is_some_and(link::input::is_meant) {
        return Err(Failure::usage("the goal is a Numberlink, and this is a sliding puzzle"));
    }
    if args.metric == MetricChoice::Mtm && !args.may_be_mtm() {
        let why = "--metric mtm goes with the optimal solver alone, and without --time";
        return Err(Failure::usage(why));
    }
    if args.metric == MetricChoice::Mtm && args.large {
        let why = "--large goes without --metric mtm, which has tables of its own";
        return Err(Failure::usage(why));
    }
    if args.large && !args.may_use_tables() {
        let why = "--large goes with the near and the optimal solver: the others use no tables";
        return Err(Failure::usage(why));
    }
    if args.time.is_some() && !args.may_be_near() {
        let why = "--time goes with the near solver alone: --budget bounds the others";
        return Err(Failure::usage(why));
    }
    if args.solver == SolverChoice::Human && args.goal.is_some() {
        let why = "--solver human puts a board in order: it goes without --goal";
        return Err(Failure::usage(why));
    }
    if args.lists_solutions() {
        return solutions::run(&text, args, out);
    }
    if let Some(moves) = &args.moves {
        return walk::run(&text, moves, args, out);
    }
    let searches = Searches::new(args, input::goal(args)?);
    match input::read(&text, args)? {
        SlideBoards::One(board) if !args.summary => one(&board, args, &searches, out),
        SlideBoards::One(board) => list::run(&SlideList::of(&board), args, &searches, out),
        SlideBoards::List(_) if args.trace => Err(Failure::usage("--trace takes one board")),
        SlideBoards::List(list) => list::run(&list, args, &searches, out),
    }
}

fn one(
    board: &Board,
    args: &SolveArgs,
    searches: &Searches,
    out: &mut impl Write,
) -> Result<(), Failure> {
    match answer(board, searches) {
        Ok(answer) => {
            let _section = searches.exit_on_signal();
            if args.json {
                print::json(board, &answer, args, None, out)?;
            } else {
                print::text(board, &answer, args, out)?;
            }
            Ok(out.flush()?)
        }
        Err(AnswerError::Unsolvable(why)) => print::refuse(board, why, args, searches.goal(), out),
        Err(why @ AnswerError::TooLarge(_)) => Err(Failure::usage(why)),
        Err(why @ (AnswerError::Interrupted(at_least) | AnswerError::OverBudget(at_least))) => {
            if args.json {
                let (board, text) = (board.to_string(), why.to_string());
                print::unanswered(None, board, at_least, &text, out)?;
                out.flush()?;
            }
            let is_interrupted = matches!(why, AnswerError::Interrupted(_));
            let exit = if is_interrupted { Exit::Interrupted } else { Exit::Failure };
            Err(Failure::new(exit, why))
        }
        Err(why @ AnswerError::Wrong) => Err(Failure::other(why)),
    }
}
