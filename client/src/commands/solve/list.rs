//! A list of boards, answered one after another.

use super::input::{Line, List};
use super::print::Place;
use super::search::{Found, Searches};
use super::summary::Tally;
use super::{NoAnswer, answer, print};
use crate::cli::args::solve::Solve;
use crate::cli::exit_code::{Exit, Failure};
use crate::cli::signals;
use crate::commands::progress_bar::Bar;
use crate::display::safe_text;
use std::io::{self, Write};

/// Answers every line that has an answer, in order, and says on stderr which have none.
///
/// # Errors
/// [`Exit::Failure`] where a line has no answer or not the one it should have;
/// [`Exit::Interrupted`] where Ctrl-C came before the last line.
pub fn run(
    list: &List,
    args: &Solve,
    searches: &Searches,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let mut tally = Tally::default();
    let (mut faults, mut interrupted) = (0, false);
    let (bar, of) = (Bar::new(), list.len());
    for (done, line) in list.lines().enumerate() {
        if args.summary {
            bar.show(|elapsed| {
                let seconds = elapsed.as_secs_f64();
                format!("{done} of {of} boards, {seconds:.1} s")
            });
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
    match (interrupted, faults) {
        (true, _) => Err(signals::interrupted()),
        (false, 0) => Ok(()),
        (false, _) => {
            let why = format!("{faults} of {of} lines are amiss");
            Err(Failure::said(Exit::Failure, why))
        }
    }
}

enum Outcome {
    Answered,
    Faulty,
    Interrupted,
}

fn one(
    line: &Line,
    args: &Solve,
    searches: &Searches,
    tally: &mut Tally,
    out: &mut impl Write,
) -> io::Result<Outcome> {
    let number = line.number;
    let faulty = |why: &str| {
        // Whoever closed stderr has the exit code.
        let why = safe_text::lines(why);
        writeln!(io::stderr(), "gridrace: line {number}: {why}").ok();
        Outcome::Faulty
    };
    let json = args.json && !args.summary;
    let board = match &line.board {
        Ok(board) => board,
        Err(why) => {
            if json {
                print::fault(number, why, out)?;
            }
            return Ok(faulty(why));
        }
    };
    let (found, checked) = match answer(board, searches) {
        Ok(answer) => answer,
        Err(why) => {
            match &why {
                NoAnswer::Unsolvable(why) if json => {
                    print::refused(board, why, Some(number), out)?;
                }
                NoAnswer::OverBudget(_) | NoAnswer::Interrupted(_) | NoAnswer::Wrong if json => {
                    print::fault(number, &why.to_string(), out)?;
                }
                NoAnswer::Unsolvable(_)
                | NoAnswer::OverBudget(_)
                | NoAnswer::Interrupted(_)
                | NoAnswer::Wrong => {}
            }
            let outcome = faulty(&why.to_string());
            return Ok(match why {
                NoAnswer::Interrupted(_) => Outcome::Interrupted,
                NoAnswer::Unsolvable(_) | NoAnswer::OverBudget(_) | NoAnswer::Wrong => outcome,
            });
        }
    };
    tally.add(&found, &checked, line.known);
    let place = Place {
        line: number,
        known: line.known,
        why: line.known.and_then(|known| differs(&found, known)),
    };
    match (args.summary, args.json) {
        (true, _) => {}
        (false, true) => print::json(board, &found, &checked, args, Some(&place), out)?,
        (false, false) => print::short(number, &found, &checked, args, out)?,
    }
    match place.why {
        Some(why) => Ok(faulty(&why)),
        None => Ok(Outcome::Answered),
    }
}

/// Says in what way an answer can't be true if the known length is.
fn differs(found: &Found, known: u32) -> Option<String> {
    let (found, at_least) = (found.solution.len(), found.solution.at_least());
    if known > found {
        Some(format!("a solution has {found}, so {known} aren't the fewest moves"))
    } else if known < at_least {
        Some(format!("every solution has {at_least} or more, not {known} moves"))
    } else {
        None
    }
}
