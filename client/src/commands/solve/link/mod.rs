//! `gridrace solve` for Numberlink: a solution, and whether it is the only one.

mod answer;
pub(crate) mod input;
mod print;

use crate::cli::args::solve::{MetricChoice, ReadingChoice, SolveArgs, SolverChoice};
use crate::cli::exit_code::Failure;
use crate::cli::signals::Interrupt;
use crate::commands::progress_bar::Bar;
use crate::commands::solve::input::unreadable;
use crate::commands::solve::list::{all_answered, report_fault, show_progress};
use crate::commands::solve::print::Fault;
use crate::commands::write_json_line;
use answer::{LinkAnswer, answer};
use gridrace_shared::puzzle::numberlink::Puzzle;
use gridrace_shared::solver::budget::Budget;
use input::{LinkList, LinkPuzzles};
use print::LinkTally;
use std::io::Write;

/// Nodes that a proof may take unless the command line says otherwise: some ten seconds.
const BUDGET: Budget = Budget(300_000_000);

/// Solves one puzzle or a list of them, and prints the solutions. Fails if a puzzle has no
/// solution or isn't decided.
pub fn run(text: &str, args: &SolveArgs, out: &mut impl Write) -> Result<(), Failure> {
    refuse_strange_options(args)?;
    match input::read(text, args.size) {
        Ok(LinkPuzzles::One(puzzle)) if !args.summary => one(&puzzle, args, out),
        Ok(LinkPuzzles::One(puzzle)) => list(&LinkList::of(&puzzle), args, out),
        Ok(LinkPuzzles::List(lines)) => list(&lines, args, out),
        Err(why) => Err(unreadable(&why, text, args)),
    }
}

/// Refuses what means something for the sliding puzzle alone, rather than take no notice.
fn refuse_strange_options(args: &SolveArgs) -> Result<(), Failure> {
    let strange = [
        ("--goal", args.goal.is_some()),
        ("--time", args.time.is_some()),
        ("--trace", args.trace),
        ("--moves", args.moves.is_some()),
        ("--large", args.large),
        ("--solver", args.solver != SolverChoice::Auto),
        ("--metric", args.metric != MetricChoice::Stm),
        ("--reading", args.reading != ReadingChoice::Tile),
    ];
    match strange.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::usage(format!(
            "{option} goes with the sliding puzzle, and this is a Numberlink"
        ))),
        None => Ok(()),
    }
}

fn solved(puzzle: &Puzzle, args: &SolveArgs) -> LinkAnswer {
    answer(puzzle, args.rule(puzzle), args.budget.map_or(BUDGET, Budget))
}

fn one(puzzle: &Puzzle, args: &SolveArgs, out: &mut impl Write) -> Result<(), Failure> {
    let answer = solved(puzzle, args);
    if args.json {
        print::json(puzzle, &answer, None, out)?;
    } else {
        print::text(puzzle, &answer, out)?;
    }
    out.flush()?;
    match answer.fault() {
        None => Ok(()),
        Some(why) => Err(Failure::other(why)),
    }
}

/// Answers every line that has an answer, in order, and says on stderr which have none.
fn list(list: &LinkList, args: &SolveArgs, out: &mut impl Write) -> Result<(), Failure> {
    let (mut tally, mut faults, of) = (LinkTally::default(), 0, list.len());
    let (bar, interrupt) = (Bar::new(), Interrupt::listen());
    for (done, line) in list.lines().enumerate() {
        // The proof under way doesn't poll, and is bounded by its budget.
        if interrupt.is_requested() {
            break;
        }
        let number = line.number;
        if args.summary {
            show_progress(&bar, done, of, "puzzles");
        }
        let fault = match line.puzzle {
            Ok(puzzle) => {
                let answer = solved(&puzzle, args);
                tally.add(&puzzle, &answer);
                match (args.summary, args.json) {
                    (true, _) => {}
                    (false, true) => print::json(&puzzle, &answer, Some(number), out)?,
                    (false, false) => print::short(number, &puzzle, &answer, out)?,
                }
                answer.fault().map(str::to_owned)
            }
            Err(why) => {
                if args.json && !args.summary {
                    write_json_line(out, &Fault { line: number, error: &why })?;
                }
                Some(why)
            }
        };
        // What is answered is said, whatever becomes of the others.
        out.flush()?;
        if let Some(why) = fault {
            faults += 1;
            report_fault(number, &why);
        }
    }
    drop(bar);
    if args.summary {
        tally.print(args.json, out)?;
        out.flush()?;
    }
    if interrupt.is_requested() { Err(Failure::interrupted()) } else { all_answered(faults, of) }
}
