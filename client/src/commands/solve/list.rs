//! A list of boards, answered one after another.

use super::answer::{AnswerError, answer};
use super::input::{SlideLine, SlideList};
use super::print;
use super::print::{Fault, ListPlace, Refused};
use super::search::Searches;
use super::summary::SlideTally;
use crate::cli::args::solve::SolveArgs;
use crate::cli::exit_code::Failure;
use crate::commands::progress_bar::Bar;
use crate::commands::write_json_line;
use crate::display::safe_text;
use std::io::{self, Write};

/// Answers every line that has an answer, in order, and says on stderr which have none.
pub fn run(
    list: &SlideList,
    args: &SolveArgs,
    searches: &Searches,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut tally = SlideTally::default();
    let (mut faults, mut interrupted) = (0, false);
    let (bar, of) = (Bar::new(), list.len());
    for (done, line) in list.lines().enumerate() {
        if args.summary {
            show_progress(&bar, done, of, "boards");
        }
        // Looked at before each line: one that is cut short may have its answer all the same.
        if searches.interrupted() {
            interrupted = true;
            break;
        }
        match one(&line, args, searches, &mut tally, out)? {
            Outcome::Answered => {}
            Outcome::Faulty => faults += 1,
            Outcome::Interrupted => interrupted = true,
        }
        // What is answered is said, whatever becomes of the others.
        out.flush()?;
    }
    drop(bar);
    if args.summary {
        tally.print(searches, args.json, out)?;
        out.flush()?;
    }
    if interrupted { Err(Failure::interrupted()) } else { all_answered(faults, of) }
}

pub fn show_progress(bar: &Bar, done: usize, of: usize, what: &str) {
    bar.show(|elapsed| format!("{done} of {of} {what}, {:.1} s", elapsed.as_secs_f64()));
}

pub fn report_fault(line: usize, why: &str) {
    // stderr may be closed; the exit code still tells.
    writeln!(io::stderr(), "gridrace: line {line}: {}", safe_text::lines(why)).ok();
}

/// Fails if there are lines without an answer.
pub fn all_answered(faults: usize, of: usize) -> Result<(), Failure> {
    match faults {
        0 => Ok(()),
        _ => Err(Failure::other(format!("{faults} of {of} lines failed"))),
    }
}

enum Outcome {
    Answered,
    Faulty,
    Interrupted,
}

fn one(
    line: &SlideLine,
    args: &SolveArgs,
    searches: &Searches,
    tally: &mut SlideTally,
    out: &mut impl Write,
) -> io::Result<Outcome> {
    let number = line.number;
    let faulty = |why: &str| {
        report_fault(number, why);
        Outcome::Faulty
    };
    let json = args.json && !args.summary;
    let board = match &line.board {
        Ok(board) => board,
        Err(why) => {
            if json {
                write_json_line(out, &Fault { line: number, error: why })?;
            }
            return Ok(faulty(why));
        }
    };
    let answer = match answer(board, searches) {
        Ok(answer) => answer,
        Err(why) => {
            let text = why.to_string();
            let (line, board) = (Some(number), board.to_string());
            match &why {
                _ if !json => {}
                AnswerError::Unsolvable(why) => {
                    let refused = Refused { line, board, solvable: false, why, check: None };
                    write_json_line(out, &refused)?;
                }
                &(AnswerError::OverBudget(at_least) | AnswerError::Interrupted(at_least)) => {
                    print::unanswered(line, board, at_least, &text, out)?;
                }
                AnswerError::TooLarge(_) | AnswerError::Wrong => {
                    write_json_line(out, &Fault { line: number, error: &text })?;
                }
            }
            let outcome = faulty(&text);
            let interrupted = matches!(why, AnswerError::Interrupted(_));
            return Ok(if interrupted { Outcome::Interrupted } else { outcome });
        }
    };
    let length = args.metric.of(answer.moves);
    tally.add(&answer, line.known.map(|known| (length, known)));
    let place = ListPlace {
        line: number,
        known: line.known,
        why: line.known.and_then(|known| differs(length, answer.found.at_least, known)),
    };
    match (args.summary, args.json) {
        (true, _) => {}
        (false, true) => print::json(board, &answer, args, Some(&place), out)?,
        (false, false) => print::short(number, board, &answer, args, out)?,
    }
    match place.why {
        Some(why) => Ok(faulty(&why)),
        None => Ok(Outcome::Answered),
    }
}

/// Says in what way a solution's length or its bound can't be true if the known length is.
fn differs(found: u32, at_least: u32, known: u32) -> Option<String> {
    if known > found {
        Some(format!("a solution has {found}, so {known} aren't the fewest moves"))
    } else if known < at_least {
        Some(format!("every solution has {at_least} or more, not {known} moves"))
    } else {
        None
    }
}
